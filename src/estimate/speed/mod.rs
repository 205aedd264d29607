//! Tokens per second of a setup on a hardware class.
//!
//! [`step`] has the formulas, [`coefficients`] their figures, [`achieved`] and [`link`] the cards,
//! [`work`] what a setup asks for, [`band`] how sure we are.

mod achieved;
mod band;
pub(crate) mod coefficients;
mod link;
pub(crate) mod step;
mod work;

use super::HardwareClass;
use super::quote::Speed;
use crate::gpu::Gpu;
use crate::offer::Basis;
use crate::setup::Setup;
use crate::units::{Range, TokensPerSecond};
use achieved::Card;
use coefficients::OURS;

/// How fast `setup` trains on all GPUs of `class` together, whose card is `gpu`.
pub fn speed(setup: &Setup, gpu: &Gpu, class: &HardwareClass) -> Speed {
    known(setup, gpu, class).unwrap_or_else(|why| Speed {
        tokens_per_second: None,
        mfu: None,
        basis: Basis::Unknown,
        note: why,
    })
}

fn known(setup: &Setup, gpu: &Gpu, class: &HardwareClass) -> Result<Speed, String> {
    let arch = setup.model.architecture.as_ref().map_err(Clone::clone)?;
    setup.check_on(gpu).map_err(|e| e.to_string())?;
    let gpus = whole(class.gpus).ok_or("the number of GPUs is not known")?;
    let card = Card::new(gpu, class.gpus, &OURS)?;
    let links = link::rate(class.link, gpu);
    let work = |link: f64| work::work(setup, arch, gpus, link);
    let useful = work(links.expected).useful() / work(links.expected).tokens;
    let peak = card.peak * f64::from(gpus);
    if let Some(share) = setup.assume.mfu {
        let rate = TokensPerSecond::new(share * peak / useful);
        return Ok(Speed {
            tokens_per_second: Some(Range::exact(rate)),
            mfu: Some(share),
            basis: Basis::Assumed,
            note: format!("your share of the peak rate, {share}"),
        });
    }
    let at = |link: f64| work(link).tokens_per_second(&card, &OURS);
    let expected = at(links.expected);
    if !(expected.is_finite() && expected > 0.0) {
        return Err("these settings are outside of what the speed model covers".into());
    }
    let band = band::band(&work(links.expected), gpu, class.gpus, band::rare(setup));
    let rate = TokensPerSecond::new;
    Ok(Speed {
        tokens_per_second: Some(Range::new(
            rate(at(links.low) / band.factor),
            rate(expected),
            rate(at(links.high) * band.factor),
        )),
        mfu: Some(expected * useful / peak),
        basis: Basis::Modelled,
        note: band.note,
    })
}

/// GPUs that work: a slice of one is one small GPU.
fn whole(gpus: f64) -> Option<u32> {
    (gpus.is_finite() && gpus > 0.0 && gpus <= 100_000.0).then(|| (gpus.round() as u32).max(1))
}
