//! Tokens per second of a setup on a hardware class.
//!
//! [`step`] has the formulas, [`coefficients`] their figures, [`achieved`] and [`link`] the cards,
//! [`work`] what a setup asks for, [`band`] how sure we are.

mod achieved;
mod band;
mod coefficients;
mod link;
mod step;
mod work;

#[cfg(test)]
mod tests;

use super::HardwareClass;
use super::class::UNTOLD;
use super::quote::Speed;
use crate::gpu::Gpu;
use crate::offer::Basis;
use crate::setup::Setup;
use crate::setup::runs::Learnt;
use crate::units::{Range, TokensPerSecond};
use achieved::Card;
use band::{Known, LAUNCHING};
use coefficients::OURS;

pub(super) use step::{Divided, Kernels, Stored, Work};

/// How fast `setup` trains on all GPUs of `class` together, whose card is `gpu`.
pub fn speed(setup: &Setup, gpu: &Gpu, class: &HardwareClass) -> Speed {
    known(setup, gpu, class).unwrap_or_else(|why| Speed {
        tokens_per_second: None,
        mfu: None,
        basis: Basis::Unknown,
        note: why,
    })
}

/// Own runs vary by this factor from day to day and from machine to machine: a calibrated estimate
/// was seen to hold within about a tenth on the same card.
const OWN: f64 = 1.1;

/// What the user's own runs say in place of the model.
pub(super) fn speed_learnt(modelled: &Speed, learnt: Learnt) -> Speed {
    let own = learnt.tokens_per_second;
    let expected = own.expected;
    let mfu = modelled
        .tokens_per_second
        .zip(modelled.mfu)
        .map(|(speed, mfu)| mfu * expected.get() / speed.expected.get());
    let runs = if learnt.runs == 1 { "1 run".to_owned() } else { format!("{} runs", learnt.runs) };
    Speed {
        tokens_per_second: Some(Range::new(
            own.low.min(expected / OWN),
            expected,
            own.high.max(expected * OWN),
        )),
        mfu,
        basis: Basis::Measured,
        note: format!("yours, {runs}"),
    }
}

fn known(setup: &Setup, gpu: &Gpu, class: &HardwareClass) -> Result<Speed, String> {
    let arch = setup.model.architecture.as_ref().map_err(Clone::clone)?;
    setup.check_on(gpu).map_err(|e| e.to_string())?;
    let gpus = super::memory::gpus(setup, class)?;
    let offered = class.gpus.ok_or(UNTOLD)?;
    let card = Card::new(gpu, offered, &OURS)?;
    let links = link::rate(class.link, gpu);
    let work = Work { link: links.expected, ..work::work(setup, arch, gpus) };
    let peak = card.peak * f64::from(gpus);
    let useful = work.useful() / work.tokens;
    if let Some(share) = setup.assume.mfu {
        let rate = TokensPerSecond::new(share * peak / useful);
        return Ok(Speed {
            tokens_per_second: Some(Range::exact(rate)),
            mfu: Some(share),
            basis: Basis::Assumed,
            note: format!("your share of the peak rate, {share}"),
        });
    }
    let known = Known { gpu, gpus: offered, launching: launching(&work, &card) };
    let band = band::band(&work, &known, band::rare(setup));
    let rate = around(&work, &card, links, band.factor)?;
    Ok(Speed {
        tokens_per_second: Some(rate),
        mfu: Some(rate.expected.get() * useful / peak),
        basis: Basis::Modelled,
        note: band.note,
    })
}

/// The speed of `work` over a link that may be slow, as expected, or fast.
fn around(
    work: &Work,
    card: &Card,
    link: Range<f64>,
    factor: f64,
) -> Result<Range<TokensPerSecond>, String> {
    let at = |link: f64| Work { link, ..*work }.tokens_per_second(card, &OURS);
    let expected = at(link.expected);
    if !(expected.is_finite() && expected > 0.0) {
        return Err("these settings are outside of what the speed model covers".into());
    }
    let rate = TokensPerSecond::new;
    let (low, high) = (at(link.low) / factor, at(link.high) * factor);
    Ok(Range::new(rate(low), rate(expected), rate(high)))
}

/// How the cards of a measured run were joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Link {
    /// In this way.
    Cards(crate::offer::Link),
    /// With this many bytes per second.
    Bytes(f64),
}

/// The speed of a measured run, all GPUs together; `rare` is what of it no other run covers.
///
/// # Errors
/// Which fact is missing.
pub(super) fn of_work(
    work: &Work,
    gpu: &Gpu,
    link: Link,
    rare: Option<&'static str>,
) -> Result<Range<TokensPerSecond>, String> {
    let card = Card::new(gpu, 1.0, &OURS)?;
    let links = match link {
        Link::Cards(link) => link::rate(link, gpu),
        Link::Bytes(rate) => Range::exact(rate),
    };
    let linked = Work { link: links.expected, ..*work };
    let known = Known { gpu, gpus: 1.0, launching: launching(&linked, &card) };
    around(work, &card, links, band::band(work, &known, rare).factor)
}

/// Do kernel launches take most of the time?
fn launching(work: &Work, card: &Card) -> bool {
    let times = work.times(card, &OURS);
    times.launch > LAUNCHING * times.total()
}
