//! Figures worth typing: the few that the market has, or those that divide it.

use super::Candidate;
use crate::estimate::quote::PriceKind;
use crate::market::column::written;
use crate::market::eval::{Frame, Priced, Source, source};
use crate::market::parallel;
use crate::market::query::{Field, Quantity, UnitKind};
use crate::market::table::Table;
use crate::units::UnixSeconds;

/// As many distinct figures are all offered.
const MOST_DISTINCT: usize = 12;
/// Offers from which the quarters are told.
const SAMPLE: usize = 8192;

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
        priced: Priced::without_job(table, PriceKind::OnDemand),
        disk: 0.0,
        now: UnixSeconds(0),
    };
    let source = match source(field, &frame) {
        Some(source) if field != Field::Age && !matches!(source, Source::Priced(..)) => source,
        _ => return Vec::new(),
    };
    let picked = few(&source, table).unwrap_or_else(|| quarters(&source, table));
    let counts = counted(&source, table, &picked);
    let many: usize = counts.iter().map(|c| c.equal + c.above).sum();
    let candidate = |(at, v): (usize, &f64)| {
        let (amount, printed) = if unit == UnitKind::Share { (v * 100.0, "%") } else { (*v, "") };
        let text = Quantity::new(shortened(amount), unit, printed).to_string();
        let equal = counts.get(at + 1).map_or(0, |c| c.equal);
        let from: usize = counts.iter().skip(at + 1).map(|c| c.equal + c.above).sum();
        let note = if compares {
            format!("{from} of {many} at or above {}", written(field, *v))
        } else {
            String::new()
        };
        Candidate { text, note, count: (!compares).then_some(equal) }
    };
    picked.iter().enumerate().map(candidate).collect()
}

/// The distinct figures, lowest first; `None` when there are more than twelve.
fn few(source: &Source<'_>, table: &Table) -> Option<Vec<f64>> {
    let mut distinct: Vec<f64> = Vec::with_capacity(MOST_DISTINCT + 1);
    for slot in table.live().iter() {
        let v = source.get(slot);
        if v.is_finite()
            && let Err(at) = distinct.binary_search_by(|d| d.total_cmp(&v))
        {
            distinct.insert(at, v);
            if distinct.len() > MOST_DISTINCT {
                return None;
            }
        }
    }
    Some(distinct)
}

/// The quarters of what the market has, by an even sample, in two digits.
fn quarters(source: &Source<'_>, table: &Table) -> Vec<f64> {
    let every = (table.slots() / SAMPLE).max(1);
    let slots = (0..table.slots()).step_by(every).filter(|slot| table.live().has(*slot));
    let mut sample: Vec<f64> = slots.map(|s| source.get(s)).filter(|v| v.is_finite()).collect();
    sample.sort_unstable_by(f64::total_cmp);
    let quarter = |q: usize| sample.get(sample.len() * q / 4);
    let mut picked: Vec<f64> =
        [1, 2, 3].into_iter().filter_map(quarter).map(|v| rounded(*v)).collect();
    picked.dedup();
    picked
}

/// Offers whose figure equals one of those asked for, and that lie between it and the next.
#[derive(Clone, Copy, Default)]
struct Counted {
    equal: usize,
    above: usize,
}

/// Counts for each figure of `picked` (lowest first); the first count is of what lies below all.
fn counted(source: &Source<'_>, table: &Table, picked: &[f64]) -> Vec<Counted> {
    let words = 0..table.live().words().len();
    let parts = parallel::halves(words, |span| {
        let mut counts = vec![Counted::default(); picked.len() + 1];
        table.live().each(span, |slot| {
            let v = source.get(slot);
            if v.is_finite() {
                let at = picked.partition_point(|p| *p <= v);
                let equal = at > 0 && picked.get(at - 1) == Some(&v);
                if let Some(count) = counts.get_mut(at) {
                    count.equal += usize::from(equal);
                    count.above += usize::from(!equal);
                }
            }
        });
        counts
    });
    let mut sums = vec![Counted::default(); picked.len() + 1];
    for part in parts {
        for (sum, more) in sums.iter_mut().zip(part) {
            sum.equal += more.equal;
            sum.above += more.above;
        }
    }
    sums
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
