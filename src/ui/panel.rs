//! The side panel: the offer's facts, memory by term against what is usable, the bill by item, the
//! hours by stage; each figure with what it rests on.

use super::pen::{Pen, Piece, Strip};
use super::text;
use super::theme::Role;
use crate::app::App;
use crate::app::desk::Detail;
use crate::app::facts::{
    AT_MOST, at_most as at_most_figures, basis_word, price_words, pricing_word, range_words,
    verdict_word,
};
use crate::app::layout::Area;
use crate::estimate::fit::{Fit, Verdict};
use crate::market::Align;
use crate::market::column::card_name;
use crate::offer::Basis;
use crate::units::{
    Gib, UnixSeconds, duration, gib, hours, mbps, per_hour, percent, usd, usd_per_hour,
};
use unicode_width::UnicodeWidthStr;

/// Cells for the word that says what a figure rests on.
const BASIS: usize = 9;
/// Cells for a figure.
const FIGURE: usize = 9;
/// The widest that a panel's text is drawn: beyond this, the eye loses the line.
const WIDEST: usize = 64;

/// The fillings of a stacked bar, so that its parts differ without colour.
const FILLINGS: [char; 10] = ['█', '▓', '▒', '░', '#', '+', '=', '%', 'o', 'x'];
const ASCII_FILLINGS: [char; 10] = ['#', '=', '+', '-', ':', 'o', '%', '*', 'x', '~'];

/// Draws the panels: all in one, or in two.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, areas: &[Area]) {
    let Some(detail) = &app.detail else { return };
    let width = areas.first().map_or(0, |a| usize::from(a.width)).min(WIDEST);
    let mut first = offer(pen, detail, app.now, width);
    first.extend(history(pen, app, detail, width));
    first.extend(memory(pen, detail, width));
    first.extend(advice(pen, detail, width));
    let mut second = bill(pen, detail, width);
    second.extend(time(pen, detail, width));
    second.extend(spot(pen, detail, width));
    second.extend(at_most(pen, detail, width));
    match areas {
        [one] => {
            first.extend(second);
            scrolled(pen, *one, &first, app.panel_scroll);
        }
        [one, two] => {
            scrolled(pen, *one, &first, app.panel_scroll);
            scrolled(pen, *two, &second, app.panel_scroll);
        }
        _ => {}
    }
}

/// Draws the part of `lines` that is seen, and says when there is more.
fn scrolled(pen: &mut Pen<'_>, area: Area, lines: &[Strip], scroll: usize) {
    let height = usize::from(area.height);
    let top = scroll.min(lines.len().saturating_sub(height));
    for (row, line) in lines.iter().skip(top).take(height).enumerate() {
        pen.put(area, row as u16, line);
    }
    let below = lines.len().saturating_sub(top + height);
    if below > 0 {
        let more = pen.strip(format!(" {} more lines, }} scrolls ", below + 1), Role::Faint);
        let clear = pen.strip(" ".repeat(usize::from(area.width)), Role::Plain);
        pen.put(area, area.height - 1, &clear);
        pen.put(area, area.height - 1, &more);
    }
}

fn heading(pen: &Pen<'_>, width: usize, title: &str) -> Strip {
    let line = "─".repeat(width.saturating_sub(title.width() + 3));
    vec![
        pen.piece("─ ", Role::Frame),
        pen.piece(title, Role::Strong),
        pen.piece(format!(" {line}"), Role::Frame),
    ]
}

/// Name, figure, basis.
fn figure(pen: &Pen<'_>, width: usize, name: &str, value: &str, basis: Basis, role: Role) -> Strip {
    let figure = FIGURE.max(value.width());
    let name_width = width.saturating_sub(figure + BASIS + 2);
    vec![
        pen.cell(name, name_width, Align::Left, Role::Plain),
        pen.piece(" ", Role::Plain),
        pen.cell(value, figure, Align::Right, role),
        pen.piece(" ", Role::Plain),
        pen.cell(basis_word(basis), BASIS, Align::Left, basis_role(basis)),
    ]
}

fn basis_role(basis: Basis) -> Role {
    match basis {
        Basis::Live | Basis::Measured => Role::Good,
        Basis::Assumed | Basis::Unknown => Role::Warn,
        Basis::Listed | Basis::Modelled => Role::Faint,
    }
}

fn wrapped(pen: &Pen<'_>, width: usize, text: &str, role: Role) -> Vec<Strip> {
    text::wrap(text, width).into_iter().map(|line| pen.strip(line, role)).collect()
}

fn offer(pen: &Pen<'_>, detail: &Detail, now: UnixSeconds, width: usize) -> Vec<Strip> {
    let offer = &detail.offer;
    let count = match offer.hardware.gpus {
        Some(count) if count.fract() == 0.0 => format!("{count:.0}"),
        Some(count) => format!("{count:.2}"),
        None => "?".to_string(),
    };
    let card = card_name(offer);
    let seen = detail.history.as_ref().map_or(String::new(), |h| {
        format!(", first seen {} ago", duration(h.first_seen.age_at(now)))
    });
    let mut lines = vec![
        vec![
            pen.piece(format!("{count}× {card}"), Role::Strong),
            pen.piece(format!("  {}", pricing_word(detail.quote.pricing)), Role::Plain),
        ],
        pen.strip(format!("{}{seen}", detail.id), Role::Faint),
    ];
    let basis = offer.origin.basis;
    let mut fact = |name: &str, value: Option<String>| {
        let known = value.is_some();
        let value = value.unwrap_or_else(|| "?".to_string());
        let basis = if known { basis } else { Basis::Unknown };
        let room = width.saturating_sub(BASIS + name.width() + 3);
        let value = text::cut(&value, room, pen.ascii);
        lines.push(figure(pen, width, name, &value, basis, Role::Plain));
    };
    let place = &offer.place.raw;
    fact("region", (!place.is_empty()).then(|| place.to_string()));
    fact("reliability", offer.reliability.map(percent));
    fact("on demand, $/h", offer.price.on_demand.map(usd_per_hour));
    fact("spot, $/h", offer.price.spot.map(usd_per_hour));
    fact("download, Mbit/s", offer.download.map(mbps));
    fact("upload, Mbit/s", offer.upload.map(mbps));
    fact("disk, GB at most", offer.disk.map(|d| format!("{:.0}", d.get())));
    let flags = offer.flags.names();
    if !flags.is_empty() {
        let text = format!("! flags: {}", flags.join(", "));
        lines.extend(wrapped(pen, width, &text, Role::Warn));
    }
    lines
}

/// What the offer cost since it was first seen: at most the last five prices.
fn history(pen: &Pen<'_>, app: &App, detail: &Detail, width: usize) -> Vec<Strip> {
    let past = detail.history.as_ref().map_or(&[][..], |h| h.past.as_slice());
    let basis = detail.offer.origin.basis;
    let mut lines = Vec::new();
    for (until, price) in past.iter().skip(past.len().saturating_sub(5)) {
        let name = format!("  until {} ago", duration(until.age_at(app.now)));
        lines.push(figure(pen, width, &name, &price_words(*price), basis, Role::Plain));
    }
    lines
}

fn memory(pen: &Pen<'_>, detail: &Detail, width: usize) -> Vec<Strip> {
    let fit = &detail.fit;
    let mut lines = vec![heading(pen, width, "Memory of one GPU, GiB"), verdict(pen, fit)];
    if let Some(reason) = &fit.reason {
        lines.extend(wrapped(pen, width, reason, Role::Warn));
    }
    if let Some(bar) = bar(pen, fit, width) {
        lines.push(bar);
    }
    for (at, term) in fit.terms.iter().enumerate() {
        lines.push(part(pen, width, at, term.name, &gib(term.gib), term.basis));
    }
    let size = |v: Option<Gib>| v.map_or("?".to_string(), gib);
    if fit.needed.is_some() {
        let needed = size(fit.needed);
        lines.push(figure(pen, width, "needed", &needed, Basis::Modelled, Role::Accent));
        if let Some(band) = fit.band {
            let band = format!("{}–{}", gib(band.low), gib(band.high));
            lines.push(figure(pen, width, "  may be", &band, Basis::Measured, Role::Plain));
        }
    }
    if fit.usable.is_some() {
        let basis = fit.usable_basis.unwrap_or(Basis::Unknown);
        lines.push(figure(pen, width, "usable", &size(fit.usable), basis, Role::Plain));
    }
    if fit.smi.is_some() {
        let shows = size(fit.smi);
        lines.push(figure(pen, width, "nvidia-smi shows", &shows, Basis::Modelled, Role::Faint));
    }
    lines
}

fn verdict(pen: &Pen<'_>, fit: &Fit) -> Strip {
    let role = match fit.verdict {
        Verdict::Fits => Role::Good,
        Verdict::Tight | Verdict::Unknown => Role::Warn,
        Verdict::No => Role::Bad,
    };
    let mut strip = vec![pen.piece(verdict_word(fit.verdict), role)];
    if let Some(room) = fit.headroom_gib() {
        let size = gib(Gib::new(room.abs()));
        let words = if room < 0.0 {
            format!("  {size} GiB too much")
        } else {
            format!("  {size} GiB free")
        };
        strip.push(pen.piece(words, Role::Plain));
    }
    strip
}

fn filling(pen: &Pen<'_>, at: usize) -> char {
    let fillings = if pen.ascii { ASCII_FILLINGS } else { FILLINGS };
    fillings[at % fillings.len()]
}

/// A part of a stacked bar: its filling, then name, figure, basis.
fn part(pen: &Pen<'_>, width: usize, at: usize, name: &str, value: &str, basis: Basis) -> Strip {
    let mut strip = vec![Piece { text: format!("{} ", filling(pen, at)), style: pen.part(at) }];
    strip.extend(figure(pen, width.saturating_sub(2), name, value, basis, Role::Plain));
    strip
}

/// The parts of what is needed, side by side, against what is usable.
fn bar(pen: &Pen<'_>, fit: &Fit, width: usize) -> Option<Strip> {
    let (needed, usable) = (fit.needed?.get(), fit.usable?.get());
    let whole = needed.max(usable);
    let room = width.checked_sub(1)?;
    let mut cells = stacked(pen, fit.terms.iter().map(|t| t.gib.get()), whole, room)?;
    let free = if pen.ascii { "." } else { "·" };
    cells.resize_with(room, || pen.piece(free, Role::Faint));
    let limit = (((usable / whole) * room as f64).round() as usize).min(room);
    cells.insert(limit, pen.piece(if pen.ascii { "|" } else { "┃" }, Role::Strong));
    Some(cells)
}

/// Parts side by side, `whole` being `room` cells; `None` where there is nothing to draw.
fn stacked(
    pen: &Pen<'_>,
    parts: impl Iterator<Item = f64>,
    whole: f64,
    room: usize,
) -> Option<Strip> {
    if whole <= 0.0 || room < 11 {
        return None;
    }
    let mut cells = Strip::new();
    let mut sum = 0.0;
    for (at, part) in parts.enumerate() {
        sum += part;
        let end = (((sum / whole) * room as f64).round() as usize).min(room);
        while cells.len() < end {
            cells.push(Piece { text: filling(pen, at).to_string(), style: pen.part(at) });
        }
    }
    Some(cells)
}

fn bill(pen: &Pen<'_>, detail: &Detail, width: usize) -> Vec<Strip> {
    let quote = &detail.quote;
    let mut lines = vec![heading(pen, width, "Bill of the job")];
    for item in &quote.items {
        let value = item.usd.map_or("?".to_string(), usd);
        lines.push(figure(pen, width, item.kind.name(), &value, item.basis, Role::Plain));
    }
    if let Some(what_if) = &quote.what_if {
        lines.extend(wrapped(pen, width, &format!("* what-if: {what_if}"), Role::Warn));
    }
    if quote.never_finishes {
        let text = "never finishes: it is interrupted more often than it makes headway";
        lines.extend(wrapped(pen, width, text, Role::Bad));
    }
    let name = if quote.unknown.is_empty() { "total" } else { "known total" };
    let total = quote.total.map_or("?".to_string(), |t| usd(t.expected));
    lines.push(figure(pen, width, name, &total, Basis::Modelled, Role::Accent));
    if let Some(t) = quote.total {
        let range = format!("{}–{}", usd(t.low), usd(t.high));
        lines.push(figure(pen, width, "  may be", &range, Basis::Modelled, Role::Plain));
    }
    if let Some((hosted, cost)) = &quote.hosted {
        lines.push(figure(pen, width, "hosted", &usd(*cost), Basis::Assumed, Role::Plain));
        lines.extend(wrapped(pen, width, &format!("  by {hosted}"), Role::Faint));
    }
    for missing in &quote.unknown {
        lines.extend(wrapped(pen, width, &format!("! not in it: {missing}"), Role::Warn));
    }
    if let Some(problem) = quote.disk.problem() {
        lines.extend(wrapped(pen, width, &format!("! {problem}"), Role::Warn));
    }
    let weekend = if quote.forgotten.without_disk {
        "forgotten for a weekend, disk not in it"
    } else {
        "forgotten for a weekend"
    };
    let forgotten = [
        (weekend, quote.forgotten.weekend),
        ("disk kept for a month", quote.forgotten.stopped_month),
    ];
    for (name, cost) in forgotten {
        if let Some(cost) = cost {
            lines.push(figure(pen, width, name, &usd(cost), Basis::Modelled, Role::Faint));
        }
    }
    lines
}

fn time(pen: &Pen<'_>, detail: &Detail, width: usize) -> Vec<Strip> {
    let quote = &detail.quote;
    let mut lines = vec![heading(pen, width, "Time")];
    let whole = quote.stages.iter().map(|s| s.hours.get()).sum();
    lines.extend(stacked(pen, quote.stages.iter().map(|s| s.hours.get()), whole, width));
    for (at, stage) in quote.stages.iter().enumerate() {
        lines.push(part(pen, width, at, stage.name, &hours(stage.hours), stage.basis));
    }
    let range = quote.hours.map_or("?".to_string(), |r| {
        range_words(&hours(r.low), &hours(r.expected), &hours(r.high))
    });
    lines.push(figure(pen, width, "in all", &range, Basis::Modelled, Role::Accent));
    let speed = detail.speed.tokens_per_second;
    let speed = speed.map_or("?".to_string(), |s| format!("{:.0} tok/s", s.expected.get()));
    lines.push(figure(pen, width, "speed", &speed, detail.speed.basis, Role::Plain));
    if !detail.speed.note.is_empty() {
        lines.extend(wrapped(pen, width, &detail.speed.note, Role::Faint));
    }
    lines
}

/// What interruptions do, and when spot is worth it.
fn spot(pen: &Pen<'_>, detail: &Detail, width: usize) -> Vec<Strip> {
    let Some(it) = &detail.quote.interruption else { return Vec::new() };
    let mut lines = vec![heading(pen, width, "Spot")];
    let hazard = it.hazard.map_or("?".to_string(), |h| per_hour(h.expected));
    let basis = if it.hazard.is_some() { Basis::Listed } else { Basis::Unknown };
    lines.push(figure(pen, width, "interruptions", &hazard, basis, Role::Plain));
    lines.extend(wrapped(pen, width, &format!("  {}", it.source), Role::Faint));
    if let Some(limit) = it.break_even {
        let limit = if limit.get() > 0.0 { per_hour(limit) } else { "never".to_string() };
        lines.push(figure(pen, width, "worth it up to", &limit, Basis::Modelled, Role::Accent));
    }
    if let Some(expected) = it.expected {
        let expected = format!("{expected:.2}");
        lines.push(figure(pen, width, "expected in all", &expected, Basis::Modelled, Role::Plain));
    }
    let own = it.interval_words();
    lines.push(figure(pen, width, "checkpoint every", &own, Basis::Assumed, Role::Plain));
    if let Some(best) = it.best_interval {
        lines.push(figure(
            pen,
            width,
            "  best would be",
            &hours(best),
            Basis::Modelled,
            Role::Plain,
        ));
    }
    lines
}

/// What the card could take at most, each by itself.
fn at_most(pen: &Pen<'_>, detail: &Detail, width: usize) -> Vec<Strip> {
    let lines: Vec<Strip> = at_most_figures(&detail.limits)
        .map(|(name, value)| {
            let room = width.saturating_sub(BASIS + name.width() + 3);
            let value = text::cut(&value, room, pen.ascii);
            figure(pen, width, name, &value, Basis::Modelled, Role::Plain)
        })
        .collect();
    if lines.is_empty() {
        return lines;
    }
    let mut all = vec![heading(pen, width, AT_MOST)];
    all.extend(lines);
    all
}

fn advice(pen: &Pen<'_>, detail: &Detail, width: usize) -> Vec<Strip> {
    if detail.advice.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![heading(pen, width, "What would help (A applies the first)")];
    for advice in detail.advice.iter().take(6) {
        let value = format!("{} GiB", gib(advice.needed));
        let room = width.saturating_sub(value.width() + 9);
        lines.push(vec![
            pen.cell(&advice.change, room, Align::Left, Role::Plain),
            pen.piece(format!(" {value} "), Role::Plain),
            pen.piece(verdict_word(advice.verdict), Role::Strong),
        ]);
        let effects = advice.effects();
        if !effects.is_empty() {
            lines.push(pen.strip(format!("  {effects}"), Role::Faint));
        }
    }
    lines
}
