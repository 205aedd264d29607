//! Figures worth typing: the few that the market has, or those that divide it.

use super::Candidate;
use crate::estimate::quote::PriceKind;
use crate::market::column::written;
use crate::market::eval::{Frame, Source, source};
use crate::market::query::{Field, Quantity, UnitKind};
use crate::market::table::Table;
use crate::units::UnixSeconds;

/// Candidates for a figure of `field`.
pub(super) fn figures(
    field: Field,
    unit: UnitKind,
    piece: &str,
    compares: bool,
    table: &Table,
) -> Vec<Candidate> {
    let digits = piece.trim_start_matches('$');
    let number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if number {
        let mut units: Vec<&str> = unit.names().collect();
        if units.is_empty() {
            units.push("");
        }
        let with = |unit: &&str| Candidate {
            text: format!("{piece}{unit}"),
            note: String::new(),
            count: None,
        };
        return units.iter().map(with).collect();
    }
    if !piece.is_empty() {
        return Vec::new();
    }
    let found = in_market(field, unit, compares, table);
    let example =
        || vec![Candidate { text: unit.example().into(), note: "an example".into(), count: None }];
    if found.is_empty() { example() } else { found }
}

/// What the market itself suggests: up to twelve distinct figures with the offers at or beyond
/// each, or the quarters of what it has.
fn in_market(field: Field, unit: UnitKind, compares: bool, table: &Table) -> Vec<Candidate> {
    let frame = Frame {
        table,
        classes: &[],
        kind: PriceKind::OnDemand,
        total: &[],
        hours: &[],
        fetch: &[],
        disk: 0.0,
        now: UnixSeconds(0),
    };
    let source = match source(field, &frame) {
        Some(source) if field != Field::Age && !matches!(source, Source::Ratio(..)) => source,
        _ => return Vec::new(),
    };
    let mut all: Vec<f64> =
        table.live().iter().map(|slot| source.get(slot)).filter(|v| v.is_finite()).collect();
    all.sort_unstable_by(f64::total_cmp);
    let mut distinct = all.clone();
    distinct.dedup();
    let few = distinct.len() <= 12;
    let picked: Vec<f64> = if few {
        distinct
    } else {
        [1, 2, 3]
            .into_iter()
            .filter_map(|q| all.get(all.len() * q / 4))
            .map(|v| rounded(*v))
            .collect()
    };
    let many = all.len();
    let candidate = |v: f64| {
        let (amount, printed) = if unit == UnitKind::Share { (v * 100.0, "%") } else { (v, "") };
        let text = Quantity::new(shortened(amount), unit, printed).to_string();
        let below = all.partition_point(|x| *x < v);
        let equal = all.partition_point(|x| *x <= v) - below;
        let note = if compares {
            format!("{} of {many} at or above {}", many - below, written(field, v))
        } else {
            String::new()
        };
        Candidate { text, note, count: (!compares).then_some(equal) }
    };
    picked.into_iter().map(candidate).collect()
}

/// Two significant digits.
fn rounded(v: f64) -> f64 {
    if v == 0.0 {
        return 0.0;
    }
    let scale = 10_f64.powf(v.abs().log10().floor() - 1.0);
    shortened((v / scale).round() * scale)
}

/// Without the last digits of the arithmetic.
fn shortened(v: f64) -> f64 {
    format!("{v:.6}").parse().unwrap_or(v)
}
