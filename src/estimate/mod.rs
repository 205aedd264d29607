//! From a setup and an offer to hours, dollars and a verdict. Pure arithmetic: no clock, no I/O.
//!
//! Fit and speed depend on the hardware class only ([`HardwareClass`]), so they are computed once
//! per class; the bill of a row is then a handful of multiplications.

pub mod advice;
pub mod bill;
pub mod class;
pub mod evidence;
pub mod fit;
pub mod interruption;
pub mod memory;
pub mod pareto;
pub mod quote;
pub mod scaling;
pub mod speed;

use crate::gpu::GpuId;
use crate::offer::{Hardware, Link};
use crate::units::Gib;

/// What fit and speed depend on, besides the setup. A market of a million offers has a few hundred.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HardwareClass {
    /// Which card; `None` when it is not in the catalogue.
    pub gpu: Option<GpuId>,
    /// How many; below one for a slice; `None` where nobody says.
    pub gpus: Option<f64>,
    /// Memory of one card as the offer states it; decides which of two variants it is.
    pub vram: Option<Gib>,
    /// How the cards are joined.
    pub link: Link,
}

impl From<&Hardware> for HardwareClass {
    fn from(h: &Hardware) -> Self {
        Self { gpu: h.gpu, gpus: h.gpus, vram: h.vram, link: h.link }
    }
}
