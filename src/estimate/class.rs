//! What is the same for every offer of a hardware class: fit and speed.

use super::HardwareClass;
use super::fit::Fit;
use super::quote::Speed;
use crate::gpu;
use crate::offer::Basis;
use crate::setup::Setup;
use crate::setup::runs::Learnt;

/// Fit and speed of one hardware class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassEstimate {
    /// Memory.
    pub fit: Fit,
    /// Tokens per second.
    pub speed: Speed,
}

/// Why nothing is estimated for a machine type that no source opens.
pub(crate) const UNTOLD: &str = "how many GPUs this machine type has is not stated";

/// Estimates `class` for `setup`.
pub fn estimate(setup: &Setup, class: &HardwareClass) -> ClassEstimate {
    let unknown = |why: &str| {
        let speed =
            Speed { tokens_per_second: None, mfu: None, basis: Basis::Unknown, note: why.into() };
        ClassEstimate { fit: Fit::unknown(why), speed }
    };
    if class.gpus.is_none() {
        return unknown(UNTOLD);
    }
    let Some(card) = class.gpu.and_then(|id| gpu::catalogue().get(id)) else {
        return unknown("this GPU is not in the catalogue");
    };
    let estimate = ClassEstimate {
        fit: super::memory::fit(setup, card, class),
        speed: super::speed::speed(setup, card, class),
    };
    match learnt(setup, card, class) {
        Some(learnt) => ClassEstimate {
            fit: super::memory::fit_learnt(estimate.fit, card, class, learnt),
            speed: super::speed::speed_learnt(&estimate.speed, learnt),
        },
        None => estimate,
    }
}

/// What the user's own runs on as many of these cards say, unless an assumption overrides them.
fn learnt(setup: &Setup, card: &gpu::Gpu, class: &HardwareClass) -> Option<Learnt> {
    if setup.runs.is_empty()
        || class.gpus.is_none_or(|gpus| gpus < 1.0)
        || setup.assume.mfu.is_some()
    {
        return None;
    }
    let gpus = super::memory::gpus(setup, class).ok()?;
    setup.runs.of(setup, card.name, gpus)
}
