//! FIT: memory of one GPU, by term.

use super::finite;
use crate::estimate::fit::{Advice, Fit, Phase, Verdict};
use crate::offer::Basis;
use crate::units::Gib;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a fit says; sizes in GiB for one GPU.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FitDocument {
    verdict: Verdict,
    needed_gib: Option<f64>,
    allocated_gib: Option<f64>,
    smi_gib: Option<f64>,
    usable_gib: Option<f64>,
    usable_basis: Option<Basis>,
    headroom_gib: Option<f64>,
    phase: Option<Phase>,
    terms: Vec<TermDocument>,
    band: Option<BandDocument>,
    advice: Vec<AdviceDocument>,
    reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct TermDocument {
    name: &'static str,
    gib: Option<f64>,
    basis: Basis,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct BandDocument {
    low_gib: Option<f64>,
    high_gib: Option<f64>,
}

/// A change that makes it fit, or fit better.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AdviceDocument {
    change: String,
    set: BTreeMap<&'static str, String>,
    needed_gib: Option<f64>,
    gib_change: Option<f64>,
    hours_change: Option<f64>,
    usd_change: Option<f64>,
    verdict: Verdict,
}

fn gib(value: Option<Gib>) -> Option<f64> {
    value.and_then(|v| finite(v.get()))
}

impl FitDocument {
    /// From a fit and what would better it.
    pub fn new(fit: &Fit, advice: &[Advice]) -> Self {
        Self {
            verdict: fit.verdict,
            needed_gib: gib(fit.needed),
            allocated_gib: gib(fit.allocated),
            smi_gib: gib(fit.smi),
            usable_gib: gib(fit.usable),
            usable_basis: fit.usable_basis,
            headroom_gib: fit.headroom_gib().and_then(finite),
            phase: fit.phase,
            terms: fit
                .terms
                .iter()
                .map(|t| TermDocument { name: t.name, gib: finite(t.gib.get()), basis: t.basis })
                .collect(),
            band: fit.band.map(|b| BandDocument {
                low_gib: finite(b.low.get()),
                high_gib: finite(b.high.get()),
            }),
            advice: advice.iter().map(AdviceDocument::new).collect(),
            reason: fit.reason.clone(),
        }
    }

    /// The verdict's word.
    pub(crate) fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// GiB that one GPU needs.
    pub(crate) fn needed_gib(&self) -> Option<f64> {
        self.needed_gib
    }

    /// GiB that are left.
    pub(crate) fn headroom_gib(&self) -> Option<f64> {
        self.headroom_gib
    }
}

impl AdviceDocument {
    fn new(advice: &Advice) -> Self {
        Self {
            change: advice.change.clone(),
            set: advice.set.iter().cloned().collect(),
            needed_gib: finite(advice.needed.get()),
            gib_change: finite(-advice.saved.get()),
            hours_change: advice.effect.hours.and_then(|h| finite(h.get())),
            usd_change: advice.effect.usd.and_then(|u| finite(u.get())),
            verdict: advice.verdict,
        }
    }
}
