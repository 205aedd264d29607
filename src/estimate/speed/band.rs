//! How far off a speed may be: wide where no published run is near, narrow where many are.

use crate::gpu::{Gpu, Vendor};
use crate::setup::{Offload, Quant, Setup};

/// A factor on both sides of the expected speed, and why.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Band {
    /// Low is expected divided by it, high is expected times it.
    pub(crate) factor: f64,
    /// What evidence there is, in words.
    pub(crate) note: String,
}

/// Settings seen often, on the card seen most.
const KNOWN: f64 = 1.25;
/// Another card with published runs, or a setting seen seldom.
const USUAL: f64 = 1.5;
/// Nothing near.
const THIN: f64 = 2.0;

/// Cards with published runs in the table that the coefficients were fitted on, and how many.
const RUNS: [(&str, u32); 13] = [
    ("A100 SXM 80GB", 313),
    ("H100 SXM", 105),
    ("A100 SXM 40GB", 45),
    ("H200", 19),
    ("MI325X", 15),
    ("L40S", 14),
    ("RTX 4090", 13),
    ("MI300X", 13),
    ("RTX 3090", 12),
    ("T4", 4),
    ("RTX A5000", 3),
    ("RTX 6000 Ada", 2),
    ("L4", 3),
];

/// The band for `setup` on whole or sliced cards of this kind.
pub(super) fn band(setup: &Setup, gpu: &Gpu, gpus: f64) -> Band {
    let runs = RUNS.iter().find(|(name, _)| *name == gpu.name).map_or(0, |(_, n)| *n);
    let rare = rare(setup, gpu, gpus);
    match (rare, runs) {
        (Some(why), _) => Band { factor: THIN, note: why },
        (None, 0) => {
            Band { factor: THIN, note: format!("no published run on {}; by its rates", gpu.name) }
        }
        (None, n) => {
            let known = gpu.name.starts_with("A100") && gpus <= 1.0;
            let factor = if known { KNOWN } else { USUAL };
            Band { factor, note: format!("fitted on {n} published runs on {}", gpu.name) }
        }
    }
}

/// What makes a prediction stand on thin ground whatever the card is.
fn rare(setup: &Setup, gpu: &Gpu, gpus: f64) -> Option<String> {
    let arch = setup.model.architecture.as_ref().ok()?;
    if arch.experts.is_some() {
        return Some("mixtures of experts vary tenfold with how experts are grouped".into());
    }
    if gpu.vendor == Vendor::Amd {
        return Some("ROCm code varies by a factor of two on the same card".into());
    }
    if setup.offload != Offload::None {
        return Some("no published run isolates the cost of offloading".into());
    }
    if setup.quant == Some(Quant::Int8) {
        return Some("no published run with LLM.int8".into());
    }
    (gpus < 1.0).then(|| "no published run on a slice of a card".into())
}
