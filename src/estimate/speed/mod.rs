//! Tokens per second of a setup on a hardware class.

use super::HardwareClass;
use super::quote::Speed;
use crate::gpu::Gpu;
use crate::offer::Basis;
use crate::setup::Setup;

/// How fast `setup` trains on all GPUs of `class` together, whose card is `gpu`.
pub fn speed(setup: &Setup, gpu: &Gpu, class: &HardwareClass) -> Speed {
    let _ = (setup, gpu, class);
    Speed {
        tokens_per_second: None,
        mfu: None,
        basis: Basis::Unknown,
        note: "not built yet".into(),
    }
}
