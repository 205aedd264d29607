//! GPU memory that a setup needs: the largest moment of a training step, by terms.
//!
//! The core reproduces what PyTorch's allocator hands out in today's Hugging Face code (traced on
//! 2026-11-30: torch 2.15, Transformers 5.24, PEFT 0.21.2, accelerate 1.15, bitsandbytes 0.50.2;
//! 544 configurations within 0.034 %). Around it stand earlier versions and other frameworks, each
//! with the evidence that it rests on; where there is none, the band is wide or the answer unknown.
//!
//! Three figures: *allocated* is what the allocator hands out at the peak; *needed* adds what must
//! be free besides (context, communication) and decides the verdict; *smi* is what nvidia-smi will
//! probably show, which grows into free memory and decides nothing.

mod activations;
mod band;
mod job;
mod learnt;
mod loss;
mod overhead;
mod phases;
mod sharding;
mod verdict;
mod weights;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod traced;
#[cfg(test)]
mod worked;
#[cfg(test)]
pub(crate) use tests::card as test_card;

pub(crate) use band::Band;
pub(crate) use job::Job;
pub(crate) use learnt::fit_learnt;
pub(crate) use overhead::{Overhead, reserved_ragged};
pub(crate) use phases::{Parts, Peak, peak};
use verdict::room;
pub(crate) use verdict::{usable, verdict};

use super::HardwareClass;
use super::class::UNTOLD;
use super::fit::{Fit, Term, Verdict};
use crate::gpu::{Gpu, Vendor};
use crate::offer::Basis;
use crate::setup::{Method, Precision, Setup};
use crate::units::{Bytes, Gib, Range};

/// Memory that `setup` needs on one GPU of `class`, whose card is `gpu`.
pub fn fit(setup: &Setup, gpu: &Gpu, class: &HardwareClass) -> Fit {
    let gpus = match gpus(setup, class) {
        Ok(gpus) => gpus,
        Err(reason) => return cannot_run(reason),
    };
    let mut fit = match need(setup, gpus) {
        Ok(need) => need.into_fit(),
        Err(reason) => return Fit::unknown(reason),
    };
    let Some((usable, basis)) = room(gpu, class.vram) else {
        fit.reason = Some(format!("how much memory a {} has is not known", gpu.name));
        return fit;
    };
    fit.usable = Some(usable);
    fit.usable_basis = Some(basis);
    fit.smi = fit.smi.map(|smi| smi.min(class.vram.unwrap_or(gpu.memory)));
    if gpu.vendor == Vendor::Other {
        fit.reason = Some(format!("training on {} is not modelled", gpu.name));
        return fit;
    }
    if let Err(error) = setup.check_on(gpu) {
        fit.verdict = Verdict::No;
        fit.reason = Some(error.problem);
        return fit;
    }
    fit.verdict = fit
        .needed
        .zip(fit.band)
        .map_or(Verdict::Unknown, |(needed, band)| verdict(needed, band, usable));
    fit
}

/// GPUs that the job uses on this hardware.
pub(super) fn gpus(setup: &Setup, class: &HardwareClass) -> Result<u32, String> {
    let offered = class.gpus.ok_or(UNTOLD)?.max(1.0).floor() as u32;
    match setup.gpus {
        None => Ok(offered),
        Some(wanted) if wanted <= offered => Ok(wanted),
        Some(wanted) => Err(format!("the job wants {wanted} GPUs, there is room for {offered}")),
    }
}

fn cannot_run(reason: String) -> Fit {
    Fit { verdict: Verdict::No, ..Fit::unknown(reason) }
}

/// What a setup needs on each of its GPUs, whatever card that is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    /// The moment that decides.
    pub(crate) peak: Peak,
    /// What must be free besides.
    pub(crate) overhead: Overhead,
    /// How far off the allocated figure may be, as factors.
    pub(crate) band: Band,
}

/// What `setup` needs on each of `gpus` GPUs, without looking at a card.
///
/// # Errors
/// The reason, where it is not modelled.
pub(crate) fn need(setup: &Setup, gpus: u32) -> Result<Need, String> {
    let architecture = setup.model.architecture.as_ref().map_err(Clone::clone)?;
    if setup.method == Method::Lora && setup.precision == Precision::Fp32Master {
        return Err("adapters over fp32 weights are not modelled; precision bf16 is".into());
    }
    Ok(need_of(&Job::new(setup, architecture, gpus), setup))
}

/// What `job` needs, which is `setup` in numbers or a variation of it.
pub(crate) fn need_of(job: &Job, setup: &Setup) -> Need {
    Need { peak: peak(job), overhead: Overhead::of(job, setup), band: Band::of(job, setup) }
}

/// A figure that people read off a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// PyTorch's peak of allocated bytes.
    Allocated,
    /// PyTorch's peak of reserved bytes: its cache included; all batches of one length.
    Reserved,
    /// nvidia-smi: cache, context and communication.
    Smi,
}

impl Need {
    /// Peak of what PyTorch allocates.
    pub(crate) fn allocated(&self) -> Gib {
        gib(self.peak.parts.total())
    }

    /// What must be free.
    pub(crate) fn needed(&self) -> Gib {
        self.allocated() + self.overhead.fixed()
    }

    /// What nvidia-smi will probably show on a card with room enough.
    pub(crate) fn smi(&self) -> Gib {
        self.reading(Reading::Smi).expected.max(self.needed())
    }

    /// The band around what is needed.
    pub(crate) fn needed_band(&self) -> Range<Gib> {
        self.band.around(self.allocated()).map(|x| x + self.overhead.fixed())
    }

    /// What `reading` will show, with its band.
    pub(crate) fn reading(&self, reading: Reading) -> Range<Gib> {
        let allocated = self.band.around(self.allocated());
        match reading {
            Reading::Allocated => allocated,
            Reading::Reserved => overhead::reserved_fixed(self.allocated()),
            Reading::Smi => self.overhead.smi(allocated),
        }
    }

    fn into_fit(self) -> Fit {
        let mut terms = self.peak.parts.terms();
        terms.extend(self.overhead.terms());
        Fit {
            verdict: Verdict::Unknown,
            allocated: Some(self.allocated()),
            needed: Some(self.needed()),
            smi: Some(self.smi()),
            usable: None,
            usable_basis: None,
            phase: Some(self.peak.phase),
            terms,
            band: Some(self.needed_band()),
            reason: None,
        }
    }
}

impl Parts {
    /// The parts that are there, with the names under which they are shown.
    fn terms(&self) -> Vec<Term> {
        let all = [
            ("weights", self.weights),
            ("optimizer states", self.states),
            ("gradients", self.gradients),
            ("kept for backward", self.saved),
            ("layer at work", self.layer),
            ("logits and loss", self.loss),
            ("head", self.head),
            ("positions and mask", self.tables),
            ("temporary copies", self.temporary),
            ("gathered weights and buckets", self.gathered),
        ];
        let mut terms = Vec::with_capacity(all.len() + 2);
        for (name, bytes) in all {
            if bytes > 0.0 {
                terms.push(Term { name, gib: gib(bytes), basis: Basis::Modelled });
            }
        }
        terms
    }
}

fn gib(bytes: f64) -> Gib {
    Bytes::new(bytes).to_gib()
}
