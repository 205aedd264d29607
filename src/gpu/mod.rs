//! The GPU catalogue: one identity for each card that is rented out, whatever a provider calls it.

mod asset;
mod find;
mod identify;

pub use asset::catalogue;
pub use find::NotFound;

use crate::units::{GbPerSecond, Gib, Tflops, Watts};
use serde::Serialize;

/// A row of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct GpuId(pub u16);

/// Who makes the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Vendor {
    /// NVIDIA, CUDA.
    Nvidia,
    /// AMD, ROCm.
    Amd,
    /// Anybody else.
    Other,
}

/// Facts about one card. Unknown is `None`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gpu {
    /// Canonical name, variant included: `H100 SXM`, `A100 PCIe 80GB`, `RTX 4090`.
    pub name: &'static str,
    /// Who makes it.
    pub vendor: Vendor,
    /// Architecture, as the vendor names it: `Ampere`, `Ada`, `Hopper`, `CDNA3`.
    pub architecture: &'static str,
    /// Nominal memory of one card.
    pub memory: Gib,
    /// What a framework can really use, where a source says so (the driver keeps the rest).
    pub usable: Option<Gib>,
    /// No document at hand states `usable`; it is what such cards are known to report.
    pub usable_assumed: bool,
    /// Dense 16-bit tensor rate with fp32 accumulation.
    pub peak: Option<Tflops>,
    /// Measured matmul rate in bf16, where somebody measured it.
    pub measured_matmul: Option<Tflops>,
    /// Memory bandwidth.
    pub bandwidth: Option<GbPerSecond>,
    /// NVLink or Infinity Fabric bandwidth to the other cards (sum of both directions); on cards for
    /// PCIe only where a bridge is mounted, which `doubt` says.
    pub nvlink: Option<GbPerSecond>,
    /// Power limit.
    pub tdp: Option<Watts>,
    /// Trains in bf16 (Ampere and later, CDNA).
    pub bf16: bool,
    /// FlashAttention-2 runs on it.
    pub flash_attention: bool,
    /// Has fp8 tensor cores.
    pub fp8: bool,
    /// Where these facts come from.
    pub source: &'static str,
    /// What is doubtful about them; empty when nothing is.
    pub doubt: &'static str,
}

impl Gpu {
    /// Is it a module that is only sold on boards with NVLink or Infinity Fabric between all of them?
    /// (The makers' product pages: SXM boards and what follows them, OAM boards.)
    pub fn is_on_joined_board(&self) -> bool {
        let plug_in = ["PCIe", "NVL"].iter().any(|w| self.name.contains(w));
        let board = ["SXM", "H200", "B200", "B300", "MI300X", "MI325X", "MI350X", "MI355X"];
        self.nvlink.is_some() && !plug_in && board.iter().any(|w| self.name.contains(w))
    }
}

/// All cards that we know.
#[derive(Debug)]
pub struct Catalogue {
    gpus: Vec<Gpu>,
    index: identify::Index,
}

impl Catalogue {
    /// The card of a row.
    pub fn get(&self, id: GpuId) -> Option<&Gpu> {
        self.gpus.get(usize::from(id.0))
    }

    /// All cards with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (GpuId, &Gpu)> {
        self.gpus.iter().enumerate().map(|(i, g)| (GpuId(i as u16), g))
    }
}
