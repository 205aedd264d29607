//! The quote as comment lines: every export says what it was based on.

use super::Context;
use super::document::{name, rfc3339};
use crate::setup::Field;
use crate::units::{self, Range};

/// The quote in plain lines, none of which holds a line break or a control character.
pub(super) fn lines(c: &Context<'_>) -> Vec<String> {
    let mut lines = vec![
        format!("haggle {} at {}", env!("CARGO_PKG_VERSION"), rfc3339(c.at)),
        offer_line(c),
        setup_line(c),
        whole_setup(c),
    ];
    if let Some(what_if) = &c.quote.what_if {
        lines.push(format!("WHAT-IF, not haggle's own figures: {what_if}"));
    }
    lines.extend([fit_line(c), total_line(c)]);
    lines.extend(c.quote.items.iter().map(|item| {
        let amount = item.usd.map_or_else(|| "unknown".to_owned(), |u| format!("{:.4} $", u.get()));
        format!("  {}: {amount} = {} [{}]", item.kind.name(), item.unit, source(item))
    }));
    lines.extend(c.quote.unknown.iter().map(|u| format!("not in the total: {u}")));
    lines.extend(c.quote.assumptions.iter().map(|(k, v)| format!("assumption {k}: {v}")));
    lines.extend(disk_warning(c));
    lines.iter().map(|l| one_line(l)).collect()
}

/// The same lines, each behind `prefix`, ended by a line break.
pub(super) fn comment(c: &Context<'_>, prefix: &str) -> String {
    lines(c).iter().fold(String::new(), |mut text, line| {
        text.push_str(prefix);
        text.push_str(line);
        text.push('\n');
        text
    })
}

/// `text` without anything that could end a comment line or drive a terminal.
pub(super) fn one_line(text: &str) -> String {
    let unsafe_char = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{85}');
    text.chars().map(|c| if unsafe_char(c) { ' ' } else { c }).collect()
}

fn source(item: &crate::estimate::quote::Item) -> String {
    let age = item.age_seconds.map(|s| format!(", {} old", units::duration(s)));
    format!("{}, {}{}", name(&item.basis), item.source, age.unwrap_or_default())
}

fn offer_line(c: &Context<'_>) -> String {
    let o = c.offer;
    let price = if c.spot() { o.price.spot } else { o.price.on_demand };
    let price = price.map_or_else(
        || "unknown price".to_owned(),
        |p| format!("{} $/h", super::launch::price(p.get())),
    );
    let kind = if c.spot() { "spot" } else { "on demand" };
    format!(
        "offer {}: {} x {}, {}, {price} {kind} [{}, {}, fetched {}]",
        o.id(),
        o.hardware.count(),
        o.hardware.gpu_raw,
        o.place.raw,
        name(&o.origin.basis),
        o.origin.source,
        rfc3339(o.origin.fetched_at),
    )
}

fn setup_line(c: &Context<'_>) -> String {
    let s = c.setup;
    format!(
        "job: {} {} by {}, sequences of {}, micro-batch {} x {}, {} tokens x {} epochs",
        s.model.name,
        s.method,
        s.framework,
        s.seq_len,
        s.micro_batch,
        s.grad_accum,
        units::tokens(s.tokens),
        s.epochs,
    )
}

/// Every field of the setup, as its flags.
fn whole_setup(c: &Context<'_>) -> String {
    let draft = c.setup.to_draft();
    let flag = |f: &Field| Some(format!("--{} {}", f.flag(), draft.get(*f)?));
    let flags: Vec<String> = Field::ALL.iter().filter_map(flag).collect();
    format!("setup: {}", flags.join(" "))
}

fn fit_line(c: &Context<'_>) -> String {
    let verdict = name(&c.fit.verdict);
    match (c.fit.needed, c.fit.usable, &c.fit.reason) {
        (Some(needed), Some(usable), _) => format!(
            "fit: {verdict}, needs {} of {} GiB per GPU",
            units::gib(needed),
            units::gib(usable)
        ),
        (_, _, Some(reason)) => format!("fit: {verdict}, {reason}"),
        _ => format!("fit: {verdict}"),
    }
}

fn total_line(c: &Context<'_>) -> String {
    let range = |r: Range<f64>, unit: &str| {
        let figure = |v: f64| if v.is_finite() { format!("{v:.2}") } else { "open".to_owned() };
        format!("{} {unit} (low {}, high {})", figure(r.expected), figure(r.low), figure(r.high))
    };
    let hours = c.quote.hours.map_or_else(
        || "hours unknown".to_owned(),
        |h| range(h.map(crate::units::Hours::get), "h"),
    );
    let total = c
        .quote
        .total
        .map_or_else(|| "total unknown".to_owned(), |t| range(t.map(crate::units::Usd::get), "$"));
    format!("estimate: {total}, {hours}")
}

fn disk_warning(c: &Context<'_>) -> Option<String> {
    c.quote.disk.problem().map(|problem| format!("WARNING: {problem}"))
}
