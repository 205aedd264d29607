//! The marked offers side by side, and the best of each line.

use super::App;
use super::desk::Detail;
use super::facts::{pricing_word, verdict_word};
use super::order_page::best_is_large;
use crate::estimate::quote::ItemKind;
use crate::market::column::CellValue;
use crate::market::query::Field;
use crate::market::{Column, SortBy};
use crate::units::{Usd, usd};

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

/// Compares the marked offers.
pub fn compared(app: &App) -> Vec<Compared> {
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
    lines.push(words("fit", &details, |d| verdict_word(d.fit.verdict).to_string()));
    for kind in ItemKind::ALL {
        let item = |d: &Detail| d.quote.items.iter().find(|i| i.kind == kind).and_then(|i| i.usd);
        let figures: Vec<Option<f64>> =
            details.iter().map(|d| d.as_ref().and_then(item).map(Usd::get)).collect();
        if figures.iter().any(|f| f.is_some_and(|v| v > 0.0)) {
            let mut line = words(kind.name(), &details, |d| item(d).map_or("?".to_string(), usd));
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
