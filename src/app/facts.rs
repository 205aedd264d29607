//! Every figure of an offer, one line each: what it is, its value, and who says so, when.

use super::desk::Detail;
use crate::estimate::advice::Limits;
use crate::estimate::fit::Verdict;
use crate::estimate::quote::{PriceKind, Quote};
use crate::gpu;
use crate::offer::{Availability, Basis, Link, Offer, Price};
use crate::units::{
    Hours, UnixSeconds, duration, gib, hours, mbps, per_hour, percent, trimmed, usd, usd_per_hour,
};

/// A figure, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The heading it stands under.
    pub section: &'static str,
    /// What it is.
    pub name: String,
    /// Its value; `?` where nobody knows.
    pub value: String,
    /// What it rests on.
    pub basis: Basis,
    /// Who says so, how it comes about.
    pub source: String,
    /// How old it is.
    pub age_seconds: Option<i64>,
}

/// The word for a basis.
pub const fn basis_word(basis: Basis) -> &'static str {
    match basis {
        Basis::Live => "live",
        Basis::Listed => "listed",
        Basis::Measured => "measured",
        Basis::Modelled => "modelled",
        Basis::Assumed => "assumed",
        Basis::Unknown => "unknown",
    }
}

/// The word for a verdict.
pub const fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fits => "fits",
        Verdict::Tight => "tight",
        Verdict::No => "no",
        Verdict::Unknown => "unknown",
    }
}

/// The word for a kind of price.
pub const fn pricing_word(kind: PriceKind) -> &'static str {
    match kind {
        PriceKind::OnDemand => "on demand",
        PriceKind::Spot => "spot",
    }
}

/// A provider's figure: `value`, or unknown.
fn stated(
    offer: &Offer,
    now: UnixSeconds,
    section: &'static str,
    name: &str,
    value: Option<String>,
) -> Fact {
    let known = value.is_some();
    Fact {
        section,
        name: name.to_string(),
        value: value.unwrap_or_else(|| "?".to_string()),
        basis: if known { offer.origin.basis } else { Basis::Unknown },
        source: if known {
            offer.origin.source.to_string()
        } else {
            "not stated by the provider".to_string()
        },
        age_seconds: known.then(|| offer.origin.fetched_at.age_at(now)),
    }
}

/// All figures, in the order in which they are shown.
pub fn facts(detail: &Detail, now: UnixSeconds) -> Vec<Fact> {
    let mut all = offer_facts(&detail.offer, now);
    all.extend(price_facts(&detail.offer, now));
    all.extend(history_facts(detail, now));
    all.extend(fit_facts(detail));
    all.extend(quote_facts(detail));
    all
}

fn offer_facts(offer: &Offer, now: UnixSeconds) -> Vec<Fact> {
    let hardware = &offer.hardware;
    let fact = |name: &str, value: Option<String>| stated(offer, now, "Offer", name, value);
    let text = |t: &crate::offer::Text| (!t.is_empty()).then(|| t.to_string());
    let card = hardware.gpu.and_then(|id| gpu::catalogue().get(id)).map(|g| g.name.to_string());
    let number = |v: f64| if v.fract() == 0.0 { format!("{v:.0}") } else { format!("{v:.2}") };
    let link = match hardware.link {
        Link::Nvlink => Some("NVLink"),
        Link::PcieFull => Some("PCIe 4 x16 or better"),
        Link::PcieSlow => Some("slower PCIe"),
        Link::Unknown => None,
    };
    let available = match offer.availability {
        Availability::Yes => Some("yes"),
        Availability::No => Some("no"),
        Availability::NotStated => None,
    };
    let flags = offer.flags.names().join(", ");
    vec![
        fact("provider", Some(offer.provider.name().to_string())),
        fact("GPU", card.or_else(|| text(&hardware.gpu_raw))),
        fact("GPU as the provider calls it", text(&hardware.gpu_raw)),
        fact("GPUs", hardware.gpus.map(number)),
        fact("memory per GPU", hardware.vram.map(|v| format!("{} GiB", gib(v)))),
        fact("link", link.map(ToString::to_string)),
        fact("machine type", hardware.instance_type.as_ref().and_then(text)),
        fact("vCPUs", hardware.vcpus.map(number)),
        fact("main memory", hardware.ram.map(|v| format!("{} GiB", gib(v)))),
        fact("CUDA up to", hardware.cuda_max.map(|v| format!("{v:.1}"))),
        fact("region", text(&offer.place.raw)),
        fact("country", offer.place.country.as_ref().map(|c| c.code().to_string())),
        fact("host", offer.host.as_ref().and_then(text)),
        fact("verified", offer.verified.map(|v| if v { "yes" } else { "no" }.to_string())),
        fact("available", available.map(ToString::to_string)),
        fact("reliability", offer.reliability.map(percent)),
        fact("download", offer.download.map(|v| format!("{} Mbit/s", mbps(v)))),
        fact("upload", offer.upload.map(|v| format!("{} Mbit/s", mbps(v)))),
        fact("largest disk", offer.disk.map(|v| format!("{:.0} GB", v.get()))),
        fact("longest rental", offer.max_rental.map(hours)),
        fact("flags", Some(if flags.is_empty() { "none".to_string() } else { flags })),
    ]
}

fn price_facts(offer: &Offer, now: UnixSeconds) -> Vec<Fact> {
    let fact = |name: &str, value: Option<String>| stated(offer, now, "Price", name, value);
    let fees = &offer.fees;
    let per_hour = |v| format!("{} $/h", usd_per_hour(v));
    let mut facts = vec![
        fact("on demand", offer.price.on_demand.map(per_hour)),
        fact("spot", offer.price.spot.map(per_hour)),
        fact("disk, running", fees.storage.map(|v| format!("{} $/GB/month", small(v.get())))),
        fact(
            "disk, stopped",
            fees.storage_stopped.map(|v| format!("{} $/GB/month", small(v.get()))),
        ),
        fact("traffic out", fees.egress.map(|v| format!("{} $/GB", small(v.get())))),
        fact("traffic in", fees.ingress.map(|v| format!("{} $/GB", small(v.get())))),
        fact("shortest bill", fees.minimum.map(hours)),
    ];
    if let Some(cap) = fees.monthly_cap {
        facts.push(fact("a month costs at most", Some(format!("{:.0} h", cap.get()))));
    }
    if let Some(hazard) = offer.hazard {
        let rate = hazard.rate;
        facts.push(Fact {
            section: "Price",
            name: "spot interruptions".to_string(),
            value: format!(
                "{} ({}–{}) per hour",
                trimmed(rate.expected.get()),
                trimmed(rate.low.get()),
                trimmed(rate.high.get())
            ),
            basis: Basis::Listed,
            source: hazard.source.to_string(),
            age_seconds: None,
        });
    }
    facts
}

/// What it cost before, since it was first seen.
fn history_facts(detail: &Detail, now: UnixSeconds) -> Vec<Fact> {
    let Some(history) = &detail.history else { return Vec::new() };
    let fact = |name: String, value: String, at: UnixSeconds, source: &str| Fact {
        section: "History",
        name,
        value,
        basis: detail.offer.origin.basis,
        source: source.to_string(),
        age_seconds: Some(at.age_at(now)),
    };
    let first = format!("{} ago", duration(history.first_seen.age_at(now)));
    let mut facts = vec![fact("first seen".into(), first, history.first_seen, "this program")];
    for (until, price) in &history.past {
        let name = format!("until {} ago", duration(until.age_at(now)));
        facts.push(fact(name, price_words(*price), *until, "seen by this program"));
    }
    if !history.past.is_empty() {
        let at = detail.offer.origin.fetched_at;
        facts.push(fact("now".into(), price_words(detail.offer.price), at, "the market"));
    }
    facts
}

/// Both prices: `0.31 $/h, spot 0.12`.
pub fn price_words(price: Price) -> String {
    let on_demand = price.on_demand.map(|p| format!("{} $/h", usd_per_hour(p)));
    let spot = price.spot.map(|p| format!("spot {}", usd_per_hour(p)));
    let both: Vec<String> = [on_demand, spot].into_iter().flatten().collect();
    if both.is_empty() { "?".to_string() } else { both.join(", ") }
}

/// A small figure with the digits that matter.
fn small(v: f64) -> String {
    let text = format!("{v:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn fit_facts(detail: &Detail) -> Vec<Fact> {
    let fit = &detail.fit;
    let fact = |name: &str, value: Option<String>, basis, source: &str| Fact {
        section: "Memory of one GPU",
        name: name.to_string(),
        basis: if value.is_some() { basis } else { Basis::Unknown },
        value: value.unwrap_or_else(|| "?".to_string()),
        source: source.to_string(),
        age_seconds: None,
    };
    let size = |v| format!("{} GiB", gib(v));
    let reason = fit.reason.clone().unwrap_or_else(|| "usable against needed".to_string());
    let verdict = Some(verdict_word(fit.verdict).to_string());
    let mut facts = vec![fact("verdict", verdict, Basis::Modelled, &reason)];
    for term in &fit.terms {
        facts.push(fact(term.name, Some(size(term.gib)), term.basis, "part of what is needed"));
    }
    facts.push(fact("needed", fit.needed.map(size), Basis::Modelled, "sum of its parts"));
    let band = fit.band.map(|b| format!("{}–{} GiB", gib(b.low), gib(b.high)));
    facts.push(fact("needed, range", band, Basis::Modelled, "errors against measured runs"));
    facts.push(fact(
        "usable",
        fit.usable.map(size),
        fit.usable_basis.unwrap_or(Basis::Unknown),
        "the card, less what the driver keeps",
    ));
    facts.push(fact("PyTorch allocates", fit.allocated.map(size), Basis::Modelled, "peak"));
    facts.push(fact("nvidia-smi shows", fit.smi.map(size), Basis::Modelled, "about"));
    facts
}

/// The heading above what a card could take.
pub const AT_MOST: &str = "This card takes at most";

/// What the card could take at most, each by itself; only what is known.
pub fn at_most(limits: &Limits) -> impl Iterator<Item = (&'static str, String)> {
    let figures = [
        ("micro-batch", limits.micro_batch.map(|n| n.to_string())),
        ("tokens of a sequence", limits.seq_len.map(|n| n.to_string())),
        ("model", limits.model.as_ref().map(|m| m.name.clone())),
    ];
    figures.into_iter().filter_map(|(name, value)| Some((name, value?)))
}

fn quote_facts(detail: &Detail) -> Vec<Fact> {
    let (quote, speed) = (&detail.quote, &detail.speed);
    let plain = |section, name: &str, value: Option<String>, basis, source: &str| Fact {
        section,
        name: name.to_string(),
        basis: if value.is_some() { basis } else { Basis::Unknown },
        value: value.unwrap_or_else(|| "?".to_string()),
        source: source.to_string(),
        age_seconds: None,
    };
    let rate = speed.tokens_per_second.map(|r| {
        format!("{:.0} ({:.0}–{:.0}) tokens/s", r.expected.get(), r.low.get(), r.high.get())
    });
    let mut facts: Vec<Fact> = at_most(&detail.limits)
        .map(|(name, value)| plain(AT_MOST, name, Some(value), Basis::Modelled, "by itself"))
        .collect();
    facts.push(plain("Time", "speed", rate, speed.basis, &speed.note));
    for stage in &quote.stages {
        facts.push(plain("Time", stage.name, Some(hours(stage.hours)), stage.basis, ""));
    }
    let range = quote.hours.map(|r| range_words(&hours(r.low), &hours(r.expected), &hours(r.high)));
    facts.push(plain("Time", "hours in all", range, Basis::Modelled, "sum of the stages"));
    for item in &quote.items {
        facts.push(Fact {
            section: "Bill",
            name: item.kind.name().to_string(),
            value: item.usd.map_or_else(|| "?".to_string(), usd),
            basis: item.basis,
            source: [item.unit.as_str(), item.source.as_str()]
                .into_iter()
                .filter(|s| !s.is_empty())
                .collect::<Vec<_>>()
                .join("; "),
            age_seconds: item.age_seconds,
        });
    }
    let total = quote.total.map(|r| range_words(&usd(r.low), &usd(r.expected), &usd(r.high)));
    let source = if quote.unknown.is_empty() { "sum of the bill" } else { "sum of what is known" };
    facts.push(plain("Bill", "total", total, Basis::Modelled, source));
    for missing in &quote.unknown {
        facts.push(plain("Bill", "not in the total", Some(missing.clone()), Basis::Unknown, ""));
    }
    facts.extend(spot_facts(quote));
    for (name, value) in &quote.assumptions {
        facts.push(plain("Assumed", name, Some(value.clone()), Basis::Assumed, ""));
    }
    facts
}

/// What interruptions do to the job on this offer, and when its spot price is worth them.
fn spot_facts(quote: &Quote) -> Vec<Fact> {
    let Some(it) = &quote.interruption else { return Vec::new() };
    let fact = |name: &str, value: Option<String>, basis, source: &str| Fact {
        section: "Spot",
        name: name.to_string(),
        basis: if value.is_some() { basis } else { Basis::Unknown },
        value: value.unwrap_or_else(|| "?".to_string()),
        source: source.to_string(),
        age_seconds: None,
    };
    let even = it.break_even.map(|limit| match limit.get() {
        rate if rate > 0.0 => format!("up to {}", per_hour(limit)),
        _ => "never".to_string(),
    });
    let seconds = |h: Hours| duration(h.seconds().round() as i64);
    let expected = it.expected.map(|n| format!("{n:.2}"));
    let modelled = Basis::Modelled;
    vec![
        fact("interruptions", it.hazard.map(|h| per_hour(h.expected)), Basis::Listed, &it.source),
        fact("expected in all", expected, modelled, "until the job is done"),
        fact("a restart takes", Some(seconds(it.restart)), modelled, "waiting not counted"),
        fact("checkpoint every", Some(it.interval_words()), Basis::Assumed, "the setup; [ and ]"),
        fact("a checkpoint takes", Some(seconds(it.save)), modelled, "its size and the disk"),
        fact("best would be", it.best_interval.map(hours), modelled, "Daly 2006"),
        fact("spot is cheaper", even, modelled, "both bills of this offer"),
    ]
}

/// `12.30$ (10.10$–15.00$)`; just the figure where there is no doubt.
pub fn range_words(low: &str, expected: &str, high: &str) -> String {
    if low == high { expected.to_string() } else { format!("{expected} ({low}–{high})") }
}

/// The age of a figure in words.
pub fn age_words(seconds: Option<i64>) -> String {
    seconds.map(|s| format!("{} old", duration(s))).unwrap_or_default()
}
