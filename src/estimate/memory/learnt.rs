//! A peak that the user has measured, in place of the modelled one.

use super::{usable, verdict};
use crate::estimate::HardwareClass;
use crate::estimate::fit::{Fit, Term, Verdict};
use crate::gpu::Gpu;
use crate::offer::Basis;
use crate::setup::runs::Learnt;
use crate::units::{Gib, Range};

/// The same run peaks within this share of itself on another day (fragmentation, batch order).
const AGAIN: f64 = 0.03;

/// `fit` with the measured peak of `learnt`; what the model adds for context and communication stays.
pub(crate) fn fit_learnt(fit: Fit, gpu: &Gpu, class: &HardwareClass, learnt: Learnt) -> Fit {
    let (Some(peak), Some(allocated), Some(needed)) = (learnt.peak, fit.allocated, fit.needed)
    else {
        return fit;
    };
    let beside = (needed - allocated).max(Gib::ZERO);
    let needed = peak + beside;
    let band = Range::new(needed * (1.0 - AGAIN), needed, needed * (1.0 + AGAIN));
    let verdict = match usable(gpu, class.vram) {
        Some(usable) if fit.verdict != Verdict::Unknown => verdict(needed, band, usable),
        _ => fit.verdict,
    };
    Fit {
        verdict,
        allocated: Some(peak),
        needed: Some(needed),
        smi: fit.smi.map(|smi| (smi - allocated).max(Gib::ZERO) + peak),
        terms: vec![
            Term { name: "measured peak", gib: peak, basis: Basis::Measured },
            Term { name: "context and communication", gib: beside, basis: Basis::Modelled },
        ],
        band: Some(band),
        ..fit
    }
}
