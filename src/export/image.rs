//! Which container image suits a framework and a driver.
//!
//! Tags as published on Docker Hub by PyTorch, Axolotl, Unsloth and AMD; the CUDA version of an
//! image must not exceed what the host's driver runs, which Vast.ai states as `cuda_max_good`.

use super::Context;
use crate::gpu::{self, Vendor};
use crate::setup::Framework;

/// PyTorch images by the CUDA version that they need, newest first.
const PYTORCH: [(f64, &str); 4] = [
    (12.8, "pytorch/pytorch:2.7.1-cuda12.8-cudnn9-devel"),
    (12.6, "pytorch/pytorch:2.7.1-cuda12.6-cudnn9-devel"),
    (12.4, "pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel"),
    (11.8, "pytorch/pytorch:2.7.1-cuda11.8-cudnn9-devel"),
];

/// The image to start.
pub(super) fn container(c: &Context<'_>) -> &'static str {
    let card = c.offer.hardware.gpu.and_then(|id| gpu::catalogue().get(id));
    if card.is_some_and(|g| g.vendor == Vendor::Amd) {
        return "rocm/pytorch:latest";
    }
    // Blackwell cards run on nothing older than CUDA 12.8.
    let driver = c.offer.hardware.cuda_max.unwrap_or(12.8);
    let needs_newest = card.is_some_and(|g| g.architecture.contains("Blackwell"));
    match c.setup.framework {
        Framework::Axolotl if driver >= 12.4 => "axolotlai/axolotl:main-latest",
        Framework::Unsloth if driver >= 12.8 => "unsloth/unsloth:latest",
        _ if needs_newest => PYTORCH[0].1,
        _ => PYTORCH
            .iter()
            .find(|(cuda, _)| *cuda <= driver)
            .map_or(PYTORCH[PYTORCH.len() - 1].1, |(_, image)| image),
    }
}
