//! `haggle estimate`: fit and speed on a card, without any market.

use super::args::EstimateArgs;
use super::call::Call;
use super::failure::Failure;
use super::job::mistake;
use super::out::{self, Grid};
use crate::estimate::HardwareClass;
use crate::estimate::advice::{Counsel, Limits};
use crate::estimate::class::{self, ClassEstimate};
use crate::estimate::fit::{Advice, Fit, Verdict};
use crate::estimate::quote::Speed;
use crate::export::document::{EstimateDocument, name};
use crate::gpu::{self, Gpu, GpuId};
use crate::offer::{Basis, Link};
use crate::setup::Setup;
use crate::units;
use std::fmt::Write as _;

/// GPUs of the largest machines that the eight clouds rent out (a2-megagpu-16g, p2.16xlarge).
const LARGEST_MACHINE: u32 = 16;

pub(super) fn run(call: &Call, args: EstimateArgs) -> Result<(), Failure> {
    let (id, card) = find_gpu(&args.gpu)?;
    let (setup, beyond) = call.setup_beyond(args.setup)?;
    setup.check_count(setup.gpus.unwrap_or(1)).map_err(|e| mistake(&e))?;
    setup.check_on(card).map_err(|e| mistake(&e))?;
    let gpus = setup.gpus.unwrap_or(1);
    let class = class_of(id, card, gpus);
    let mut estimate = class::estimate(&setup, &class);
    if gpus > LARGEST_MACHINE {
        let note = format!(
            "no machine that is rented out has more than {LARGEST_MACHINE} GPUs; work on several is not modelled"
        );
        estimate.speed = Speed { tokens_per_second: None, mfu: None, basis: Basis::Unknown, note };
    }
    if let Some(fault) = &beyond {
        estimate.fit.verdict = Verdict::Unknown;
        estimate.fit.reason = Some(fault.to_string());
    }
    let counsel = Counsel::of(&setup, card, &class);
    let (advice, limits) = (counsel.alone(), &counsel.limits);
    let document = EstimateDocument::new(
        (card.name, f64::from(gpus)),
        &setup,
        (&estimate.fit, &advice),
        &estimate.speed,
    )
    .with_limits(limits);
    let page = || {
        let mut text = format!(
            "{} {} by {} on {gpus} x {}\n",
            setup.model.name, setup.method, setup.framework, card.name
        );
        text.push_str(&fit_lines(&estimate.fit, &advice));
        text.push_str(&limits_line(limits));
        text.push_str(&speed_line(&estimate.speed));
        text
    };
    let grid = || row(&setup, (card.name, gpus), &estimate);
    out::document(call.global.format, &document, page, grid)?;
    beyond.map_or(Ok(()), |fault| Err(mistake(&fault)))
}

/// The estimate as one row, for spreadsheets and pull requests.
fn row(setup: &Setup, (card, gpus): (&str, u32), estimate: &ClassEstimate) -> Grid {
    let mut grid = Grid::new(&[
        "model",
        "method",
        "framework",
        "gpu",
        ">gpus",
        "verdict",
        ">needed_gib",
        ">low_gib",
        ">high_gib",
        ">usable_gib",
        ">tokens_per_second_low",
        ">tokens_per_second",
        ">tokens_per_second_high",
    ]);
    let fit = &estimate.fit;
    let gib = |v: Option<units::Gib>| v.map_or_else(String::new, |g| format!("{:.2}", g.get()));
    let rate = estimate.speed.tokens_per_second;
    let speed = |pick: fn(&units::Range<units::TokensPerSecond>) -> units::TokensPerSecond| {
        rate.as_ref().map_or_else(String::new, |r| format!("{:.0}", pick(r).get()))
    };
    grid.row(vec![
        setup.model.name.clone(),
        setup.method.to_string(),
        setup.framework.to_string(),
        card.to_owned(),
        gpus.to_string(),
        name(&fit.verdict),
        gib(fit.needed),
        gib(fit.band.map(|b| b.low)),
        gib(fit.band.map(|b| b.high)),
        gib(fit.usable),
        speed(|r| r.low),
        speed(|r| r.expected),
        speed(|r| r.high),
    ]);
    grid
}

/// The card that `name` means.
pub(super) fn find_gpu(name: &str) -> Result<(GpuId, &'static Gpu), Failure> {
    let catalogue = gpu::catalogue();
    let id = catalogue.find(name).map_err(|e| Failure::usage(format!("--gpu: {e}")))?;
    let card = catalogue.get(id).ok_or_else(|| Failure::usage("--gpu: no such card"))?;
    Ok((id, card))
}

/// `gpus` cards of one kind in one machine. Cards of the SXM and NVL kind are joined by NVLink.
fn class_of(id: GpuId, card: &Gpu, gpus: u32) -> HardwareClass {
    let joined = card.is_on_joined_board() || card.name.contains("NVL");
    let link = match (gpus, joined) {
        (1, _) => Link::Unknown,
        (_, true) => Link::Nvlink,
        (_, false) => Link::PcieFull,
    };
    HardwareClass { gpu: Some(id), gpus: Some(f64::from(gpus)), vram: Some(card.memory), link }
}

/// What the card takes at most, with the rest of the setup as it is.
fn limits_line(limits: &Limits) -> String {
    let mut parts = Vec::new();
    parts.extend(limits.micro_batch.map(|n| format!("micro-batch {n}")));
    parts.extend(limits.seq_len.map(|n| format!("sequences of {n}")));
    parts.extend(limits.model.as_ref().map(|m| m.name.clone()));
    if parts.is_empty() {
        return String::new();
    }
    format!("at most    {}\n", parts.join(" · "))
}

/// A fit, line by line.
pub(super) fn fit_lines(fit: &Fit, advice: &[Advice]) -> String {
    let gib = |v: Option<units::Gib>| v.map_or_else(|| "?".to_owned(), units::gib);
    let mut text = format!("fit        {}", name(&fit.verdict));
    if let Some(reason) = &fit.reason {
        let _ = write!(text, ": {reason}");
    }
    text.push('\n');
    if let (Some(needed), usable) = (fit.needed, fit.usable) {
        let basis = fit.usable_basis.map(|b| format!(" [{}]", name(&b))).unwrap_or_default();
        let _ = writeln!(
            text,
            "needed     {:>7} GiB per GPU, of {} usable{basis}",
            units::gib(needed),
            gib(usable)
        );
    }
    if let Some(band) = fit.band {
        let (low, high) = (units::gib(band.low), units::gib(band.high));
        let _ = writeln!(text, "           {low:>7} to {high} GiB, as far as measurements vary");
    }
    for term in &fit.terms {
        let _ =
            writeln!(text, "  {:>16}  {} [{}]", units::gib(term.gib), term.name, name(&term.basis));
    }
    if let Some(allocated) = fit.allocated {
        let (allocated, smi) = (units::gib(allocated), gib(fit.smi));
        let _ =
            writeln!(text, "allocated  {allocated:>7} GiB by PyTorch; nvidia-smi about {smi} GiB");
    }
    for change in advice {
        let (needed, verdict) = (units::gib(change.needed), name(&change.verdict));
        let effects = change.effects();
        let effects = if effects.is_empty() { effects } else { format!(" ({effects})") };
        let _ = writeln!(text, "advice     {}: {needed} GiB, {verdict}{effects}", change.change);
    }
    text
}

/// The speed, in one line.
pub(super) fn speed_line(speed: &Speed) -> String {
    match speed.tokens_per_second {
        Some(rate) => format!(
            "speed      {:>7.0} tokens/s ({:.0} to {:.0}); {}\n",
            rate.expected.get(),
            rate.low.get(),
            rate.high.get(),
            speed.note
        ),
        None => format!("speed      unknown; {}\n", speed.note),
    }
}
