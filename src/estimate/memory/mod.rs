//! GPU memory that a setup needs: the largest phase of a training step, by terms.

use super::HardwareClass;
use super::fit::Fit;
use crate::gpu::Gpu;
use crate::setup::Setup;

/// Memory that `setup` needs on one GPU of `class`, whose card is `gpu`.
pub fn fit(setup: &Setup, gpu: &Gpu, class: &HardwareClass) -> Fit {
    let _ = (setup, gpu, class);
    Fit::unknown("the memory estimator is not built yet")
}
