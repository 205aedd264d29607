//! How far off a speed may be: wide where no published run is near, narrow where many are.
//!
//! The factors were set on runs of sources that the fit had not seen. Refitted without each source in
//! turn, 93 in 100 of its runs lie inside: 90 where the band is 1.25, 95 where it is 1.5 and where it
//! is 2. Refitted without each card in turn, which then counts as one without a run, 97.

use super::step::{Divided, Stored, Work};
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

/// The card seen most, with micro-steps that keep it busy.
const KNOWN: f64 = 1.25;
/// Another card with published runs, or a setting seen seldom.
const USUAL: f64 = 1.5;
/// Nothing near.
const THIN: f64 = 2.0;
/// Tokens of a micro-step below which launching and gathering decide.
const SHORT: f64 = 4096.0;
/// The same for gathered 4-bit weights, where half the speed has been seen.
const SHORT_GATHERED: f64 = 2048.0;

/// Cards with published runs of known settings in 16 or 4 bits on up to 8 GPUs, and how many
/// (`assets/evidence-speed.csv`).
const RUNS: [(&str, u32); 9] = [
    ("A100 SXM 80GB", 241),
    ("A100 SXM 40GB", 32),
    ("H100 SXM", 39),
    ("L40S", 13),
    ("RTX 3090", 11),
    ("RTX 4090", 7),
    ("T4", 4),
    ("RTX A5000", 2),
    ("RTX 6000 Ada", 2),
];

/// Share of the time from which kernel launches are said to decide.
pub(crate) const LAUNCHING: f64 = 0.7;

/// What is known of where the work runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    /// The card.
    pub(crate) gpu: &'a Gpu,
    /// How many; below one for a slice.
    pub(crate) gpus: f64,
    /// Kernel launches decide.
    pub(crate) launching: bool,
}

/// The band for `work`; `rare` is what of the setup no published run covers.
pub(crate) fn band(work: &Work, at: &Known<'_>, rare: Option<&'static str>) -> Band {
    let gpu = at.gpu;
    let runs = RUNS.iter().find(|(name, _)| *name == gpu.name).map_or(0, |(_, n)| *n);
    if let Some(why) = rare.or_else(|| thin(work, at)) {
        return Band { factor: THIN, note: why.into() };
    }
    if runs == 0 {
        let note = format!("no published run on {}: told from its rates", gpu.name);
        return Band { factor: THIN, note };
    }
    let known = gpu.name.starts_with("A100") && work.tokens >= SHORT && !at.launching;
    let factor = if known { KNOWN } else { USUAL };
    Band { factor, note: format!("{runs} published runs on {}", gpu.name) }
}

/// What makes a prediction stand on thin ground whatever the card is.
fn thin(work: &Work, at: &Known<'_>) -> Option<&'static str> {
    let gathered = work.divided == Divided::Weights && work.format != Stored::Sixteen;
    if work.stored > work.active {
        Some("mixtures of experts vary tenfold with how experts are grouped")
    } else if at.gpu.vendor == Vendor::Amd {
        Some("ROCm code varies by a factor of two on the same card")
    } else if work.fp8 {
        Some("fp8 varies with the recipe")
    } else if work.attention_share() > 0.5 {
        Some("attention decides, and its kernels differ")
    } else if gathered && work.tokens < SHORT_GATHERED {
        Some("gathering quantised weights for few tokens varies by a factor of two")
    } else if at.launching && work.divided == Divided::Weights {
        Some("launching kernels over sharded weights decides, and processors differ")
    } else if at.gpus < 1.0 {
        Some("no published run on a slice of a card")
    } else {
        None
    }
}

/// What of a setup no published run isolates.
pub(super) fn rare(setup: &Setup) -> Option<&'static str> {
    if setup.offload != Offload::None {
        Some("no published run isolates the cost of offloading")
    } else if setup.quant == Some(Quant::Int8) {
        Some("no published run with LLM.int8")
    } else {
        None
    }
}
