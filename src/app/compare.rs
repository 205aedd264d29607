//! The marked offers side by side, and the best of each line.

use super::App;
use super::desk::Detail;
use super::facts::{pricing_word, verdict_word};
use super::order_page::best_is_large;
use crate::estimate::quote::ItemKind;
use crate::market::column::CellValue;
use crate::market::query::Field;
use crate::market::{Column, SortBy};
use crate::setup::{Draft, Field as SetupField};
use crate::units::{Gib, Hours, Usd, gib, hours, usd};

/// A line of the comparison: one figure of every offer.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// What it is.
    pub name: String,
    /// The figures, in the order of marking.
    pub values: Vec<String>,
    /// Which of them are best; none where all are the same or it is no matter of better.
    pub best: Vec<bool>,
}

/// What is compared besides the bill, in order.
const FIELDS: &[Field] = &[
    Field::Provider,
    Field::Gpus,
    Field::Gpu,
    Field::Vram,
    Field::Link,
    Field::Region,
    Field::Rel,
    Field::Verified,
    Field::Down,
    Field::Up,
    Field::Disk,
    Field::Price,
    Field::Need,
    Field::Headroom,
    Field::Speed,
    Field::FetchTime,
    Field::Hours,
    Field::Total,
];

/// What stands over the columns of the comparison.
pub fn heads(app: &App) -> Vec<String> {
    if is_of_setups(app) {
        let drafts = drafts(app);
        return drafts.iter().enumerate().map(|(at, draft)| label(draft, &drafts, at)).collect();
    }
    let table = app.desk.table();
    app.marks.iter().map(|m| table.id(m.row).unwrap_or_else(|| "gone".to_string())).collect()
}

/// Is one offer compared under several setups? Otherwise the marked offers are, for one.
pub fn is_of_setups(app: &App) -> bool {
    app.marks.len() < 2 && !app.noted.is_empty()
}

/// The noted setups, and the present one where it is none of them.
fn drafts(app: &App) -> Vec<Draft> {
    let mut drafts = app.noted.clone();
    if !drafts.contains(app.desk.draft()) {
        drafts.push(app.desk.draft().clone());
    }
    drafts
}

/// In what a setup differs from the others: `lora 4096`.
fn label(draft: &Draft, all: &[Draft], at: usize) -> String {
    let differs = |field: &&SetupField| all.iter().any(|d| d.get(**field) != draft.get(**field));
    let values = SetupField::ALL.iter().filter(differs);
    let values: Vec<String> =
        values.map(|f| draft.get(*f).unwrap_or_else(|| format!("{} default", f.flag()))).collect();
    if values.is_empty() { format!("setup {}", at + 1) } else { values.join(" ") }
}

/// Compares the marked offers, or the selected one under the noted setups.
pub fn compared(app: &App) -> Vec<Compared> {
    if is_of_setups(app) { of_setups(app) } else { of_offers(app) }
}

/// The offer that is compared under several setups: the marked one, or the selected one.
fn of_setups(app: &App) -> Vec<Compared> {
    let drafts = drafts(app);
    let line = app.marks.first().copied().or(app.cursor.line);
    let details: Vec<Option<Detail>> =
        drafts.iter().map(|draft| app.desk.detail_under(line?, draft, app.now)).collect();
    let mut lines = Vec::new();
    for field in SetupField::ALL {
        if drafts.iter().any(|d| d.get(*field) != drafts[0].get(*field)) {
            let values = drafts.iter().map(|d| d.get(*field).unwrap_or_else(|| "default".into()));
            lines.push(Compared {
                name: field.flag().into(),
                values: values.collect(),
                best: vec![],
            });
        }
    }
    lines.push(figures(
        "memory needed, GiB",
        &details,
        false,
        |d| d.fit.needed.map(Gib::get),
        |v| gib(Gib::new(v)),
    ));
    lines.push(figures(
        "memory free, GiB",
        &details,
        true,
        |d| d.fit.headroom_gib(),
        |v| format!("{v:.1}"),
    ));
    let speed = |d: &Detail| d.speed.tokens_per_second.map(|r| r.expected.get());
    lines.push(figures("tokens/s", &details, true, speed, |v| format!("{v:.0}")));
    let time = |d: &Detail| d.quote.hours.map(|h| h.expected.get());
    lines.push(figures("hours", &details, false, time, |v| hours(Hours::new(v))));
    let total = |d: &Detail| d.quote.total.map(|t| t.expected.get());
    lines.push(figures("total", &details, false, total, |v| usd(Usd::new(v))));
    lines.extend(fit_and_bill(&details));
    lines
}

fn figures(
    name: &str,
    details: &[Option<Detail>],
    large: bool,
    figure: impl Fn(&Detail) -> Option<f64>,
    text: impl Fn(f64) -> String,
) -> Compared {
    let found: Vec<Option<f64>> = details.iter().map(|d| d.as_ref().and_then(&figure)).collect();
    let values = found.iter().map(|f| f.map_or_else(|| "?".to_string(), &text)).collect();
    Compared { name: name.to_string(), values, best: best_of(&found, large) }
}

fn of_offers(app: &App) -> Vec<Compared> {
    let (view, table) = (app.desk.view(), app.desk.table());
    let details: Vec<Option<Detail>> =
        app.marks.iter().map(|line| app.desk.detail(*line, app.now)).collect();
    let mut lines = vec![words("price", &details, |d| pricing_word(d.quote.pricing).to_string())];
    for field in FIELDS {
        let Some(column) = Column::of(*field) else { continue };
        let cells: Vec<_> = app.marks.iter().map(|l| view.cell(table, *l, column)).collect();
        let figures = cells.iter().map(|c| match c.value {
            CellValue::Number(v) => Some(v),
            _ => None,
        });
        let large = best_is_large(SortBy::Field(*field));
        let best =
            if matters(*field) { best_of(&figures.collect::<Vec<_>>(), large) } else { vec![] };
        let values = cells.into_iter().map(|c| c.text).collect();
        lines.push(Compared { name: field.info().noun.to_string(), values, best });
    }
    lines.extend(fit_and_bill(&details));
    lines
}

fn fit_and_bill(details: &[Option<Detail>]) -> Vec<Compared> {
    let mut lines = vec![words("fit", details, |d| verdict_word(d.fit.verdict).to_string())];
    for kind in ItemKind::ALL {
        let item = |d: &Detail| d.quote.items.iter().find(|i| i.kind == kind).and_then(|i| i.usd);
        let figures: Vec<Option<f64>> =
            details.iter().map(|d| d.as_ref().and_then(item).map(Usd::get)).collect();
        if figures.iter().any(|f| f.is_some_and(|v| v > 0.0)) {
            let mut line = words(kind.name(), details, |d| item(d).map_or("?".to_string(), usd));
            line.best = best_of(&figures, false);
            lines.push(line);
        }
    }
    lines
}

fn words(name: &str, details: &[Option<Detail>], f: impl Fn(&Detail) -> String) -> Compared {
    let values = details.iter().map(|d| d.as_ref().map_or("?".to_string(), &f)).collect();
    Compared { name: name.to_string(), values, best: Vec::new() }
}

/// Is one value of the field better than another?
fn matters(field: Field) -> bool {
    !matches!(field, Field::Gpus | Field::Need)
}

/// Marks the best figures; nothing where all are equal.
fn best_of(figures: &[Option<f64>], large: bool) -> Vec<bool> {
    let known = || figures.iter().flatten().copied();
    let best = if large { known().reduce(f64::max) } else { known().reduce(f64::min) };
    let all_same = figures.iter().all(|f| *f == best);
    figures.iter().map(|f| !all_same && best.is_some() && *f == best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_marked_and_ties_are_shared() {
        assert_eq!(best_of(&[Some(2.0), Some(1.0), None], false), [false, true, false]);
        assert_eq!(best_of(&[Some(2.0), Some(2.0), Some(1.0)], true), [true, true, false]);
        assert_eq!(best_of(&[Some(2.0), Some(2.0)], true), [false, false]);
        assert_eq!(best_of(&[None, None], true), [false, false]);
    }
}
