//! Near misses, and the smallest relaxations that bring lines back.

use super::{Failing, NearMiss, count, rewritten};
use crate::estimate::fit::Verdict;
use crate::market::bits::Bits;
use crate::market::column::written;
use crate::market::eval::{Figure, Source, source};
use crate::market::query::{
    Comparison, Condition, Expr, Field, Item, Pattern, Quantity, Query, Test,
};
use crate::market::table::Table;
use crate::market::view::{View, ViewRow};
use crate::units::Usd;

/// A change of the query that brings lines back.
#[derive(Clone, Debug, PartialEq)]
pub struct Relaxation {
    /// In words: `rel>=94%`, `without region:eu`.
    pub change: String,
    /// The whole query with the change, to be applied as it is.
    pub query: String,
    /// Lines that it brings.
    pub brings: usize,
    /// The cheapest job among them that can run.
    pub cheapest: Option<Usd>,
    /// The line with that total.
    pub best: Option<ViewRow>,
}

/// A plain comparison of a figure.
fn comparison(expr: &Expr) -> Option<(Field, Comparison, Quantity, &Condition)> {
    match expr {
        Expr::Test(condition) => match condition.test {
            Test::Compare(side, figure) => Some((condition.field, side, figure, condition)),
            Test::OneOf { .. } => None,
        },
        _ => None,
    }
}

const fn wants_more(side: Comparison) -> bool {
    matches!(side, Comparison::More | Comparison::AtLeast)
}

/// Lines among `alone` with the figures that miss by the least: figure, plane, slot.
fn misses(view: &View, table: &Table, expr: &Expr, alone: &[Bits]) -> Vec<(f64, usize, usize)> {
    let Some((field, side, _, _)) = comparison(expr) else { return Vec::new() };
    let mut found = Vec::new();
    for (plane, (bits, kind)) in alone.iter().zip(view.kinds()).enumerate() {
        let Some(frame) = view.frame(table, kind) else { continue };
        let Some(source) = source(field, &frame) else { continue };
        let figures = bits.iter().map(|slot| (source.get(slot), plane, slot));
        found.extend(figures.filter(|(v, ..)| v.is_finite()));
    }
    found.sort_unstable_by(|a, b| {
        let order = a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2)));
        if wants_more(side) { order.reverse() } else { order }
    });
    found
}

/// The three lines that miss a comparison by the least.
pub(super) fn nearest(view: &View, table: &Table, expr: &Expr, alone: &[Bits]) -> Vec<NearMiss> {
    let Some((field, ..)) = comparison(expr) else { return Vec::new() };
    let kinds: Vec<_> = view.kinds().collect();
    let miss = |(v, plane, slot): (f64, usize, usize)| {
        let line = ViewRow { row: table.row_at(slot), kind: *kinds.get(plane)? };
        Some(NearMiss { line, value: written(field, v) })
    };
    misses(view, table, expr, alone).into_iter().take(3).filter_map(miss).collect()
}

/// All relaxations of one condition, and, where none of these brings anything, of two at once.
pub(super) fn relaxations(
    view: &View,
    table: &Table,
    query: &Query,
    failing: &Failing,
) -> Vec<Relaxation> {
    let mut found = Vec::new();
    for (at, expr) in query.conditions().iter().enumerate() {
        let alone = failing.alone(at);
        if count(&alone) == 0 {
            continue;
        }
        let maker = Maker { view, table, at };
        let before = found.len();
        let eased = [
            maker.smaller_threshold(expr, &alone),
            maker.keep_unknown(expr, &alone),
            maker.tight(expr, &alone),
        ];
        for (condition, planes) in eased.into_iter().flatten() {
            let text = rewritten(query, &[at], &condition);
            found.extend(text.map(|text| finish(view, table, condition, text, &planes)));
        }
        let most = found.iter().skip(before).map(|r: &Relaxation| r.brings).max().unwrap_or(0);
        if most < count(&alone) {
            let text = rewritten(query, &[at], "");
            found.extend(text.map(|t| finish(view, table, format!("without {expr}"), t, &alone)));
        }
    }
    if found.is_empty() {
        found = pairs(view, table, query, failing);
    }
    found.sort_by(|a, b| b.brings.cmp(&a.brings).then_with(|| a.change.len().cmp(&b.change.len())));
    found
}

/// A condition eased, and that change in words.
pub(super) struct Eased {
    /// `rel>=94%`, or `without region:eu`.
    pub(super) change: String,
    /// The condition; empty where it must go.
    pub(super) condition: String,
}

/// The smallest change of the condition at place `at` that lets the lines of `planes` pass.
pub(super) fn easing(view: &View, table: &Table, at: usize, expr: &Expr, planes: &[Bits]) -> Eased {
    let maker = Maker { view, table, at };
    let eased = [
        maker.smaller_threshold(expr, planes),
        maker.keep_unknown(expr, planes),
        maker.tight(expr, planes),
    ];
    match eased.into_iter().flatten().next() {
        Some((condition, _)) => Eased { change: condition.clone(), condition },
        None => Eased { change: format!("without {expr}"), condition: String::new() },
    }
}

/// A condition, and the lines that it lets pass.
type Brought = (String, Vec<Bits>);

/// Makes relaxations of one condition.
struct Maker<'a> {
    view: &'a View,
    table: &'a Table,
    at: usize,
}

impl Maker<'_> {
    /// The threshold moved to the nearest round figure that brings something.
    fn smaller_threshold(&self, expr: &Expr, alone: &[Bits]) -> Option<Brought> {
        let (field, side, figure, condition) = comparison(expr)?;
        let misses = misses(self.view, self.table, expr, alone);
        let nearest = misses.first()?.0;
        let frame = self.view.frame(self.table, self.view.kinds().next()?)?;
        let steps = matches!(source(field, &frame)?, Source::Coded(..));
        let amount = eased(nearest / figure.scale(), figure.amount(), wants_more(side), steps);
        let figure = figure.with_amount(amount);
        let limit = figure.value();
        let brought = |v: f64| if wants_more(side) { v >= limit } else { v <= limit };
        let mut planes: Vec<Bits> = alone.iter().map(|b| Bits::none(b.len())).collect();
        for (v, plane, slot) in &misses {
            if let Some(bits) = planes.get_mut(*plane).filter(|_| brought(*v)) {
                bits.set(*slot, true);
            }
        }
        let side = if wants_more(side) { Comparison::AtLeast } else { Comparison::AtMost };
        let eased = Condition { test: Test::Compare(side, figure), ..condition.clone() };
        (count(&planes) > 0).then(|| (eased.to_string(), planes))
    }

    /// Lines that do not state it are kept.
    fn keep_unknown(&self, expr: &Expr, alone: &[Bits]) -> Option<Brought> {
        let Expr::Test(condition) = expr else { return None };
        if condition.keep_unknown || condition.field.info().kind == crate::market::query::Kind::Text
        {
            return None;
        }
        let asked = self.view.filter().asked().get(self.at)?;
        let mut planes = alone.to_vec();
        for (plane, truth) in planes.iter_mut().zip(&asked.truths) {
            plane.zip(&truth.unknown, |p, u| p & u);
        }
        let text = Condition { keep_unknown: true, ..condition.clone() }.to_string();
        (count(&planes) > 0).then_some((text, planes))
    }

    /// `fit:yes` eased to `fit:yes|tight`.
    fn tight(&self, expr: &Expr, alone: &[Bits]) -> Option<Brought> {
        let Expr::Test(condition) = expr else { return None };
        let Test::OneOf { items, exact } = &condition.test else { return None };
        let tight = Item::Matches(Pattern::bare("tight"));
        if condition.field != Field::Fit || items.contains(&tight) {
            return None;
        }
        let class = |slot: usize| self.table.class_code(self.table.row_at(slot));
        let frame = self.view.frame(self.table, self.view.kinds().next()?)?;
        let verdict =
            |slot: usize| class(slot).and_then(|c| frame.classes.get(c)).map(|c| c.fit.verdict);
        let mut planes = alone.to_vec();
        for plane in &mut planes {
            let other: Vec<usize> =
                plane.iter().filter(|slot| verdict(*slot) != Some(Verdict::Tight)).collect();
            for slot in other {
                plane.set(slot, false);
            }
        }
        let items = items.iter().cloned().chain([tight]).collect();
        let test = Test::OneOf { items, exact: *exact };
        let text = Condition { test, ..condition.clone() }.to_string();
        (count(&planes) > 0).then_some((text, planes))
    }
}

/// Two conditions dropped together, for when no single one is enough.
fn pairs(view: &View, table: &Table, query: &Query, failing: &Failing) -> Vec<Relaxation> {
    let mut found = Vec::new();
    let conditions = query.conditions();
    for (i, a) in conditions.iter().enumerate() {
        let with_a = failing.both(i, &failing.twice);
        for (j, b) in conditions.iter().enumerate().skip(i + 1) {
            let brought = failing.both(j, &with_a);
            if count(&brought) > 0
                && let Some(text) = rewritten(query, &[i, j], "")
            {
                let change = format!("without {a} and without {b}");
                found.push(finish(view, table, change, text, &brought));
            }
        }
    }
    found
}

/// Counts what is brought and finds the cheapest of it.
fn finish(
    view: &View,
    table: &Table,
    change: String,
    query: String,
    brought: &[Bits],
) -> Relaxation {
    let mut best: Option<(f64, ViewRow)> = None;
    for (bits, kind) in brought.iter().zip(view.kinds()) {
        let Some(frame) = view.frame(table, kind) else { continue };
        for slot in bits.iter() {
            let class =
                frame.table.columns().class.get(slot).and_then(|c| frame.classes.get(*c as usize));
            let runs =
                class.is_some_and(|c| matches!(c.fit.verdict, Verdict::Fits | Verdict::Tight));
            let total = frame.priced.get(Figure::Total, slot);
            if runs && total < best.map_or(f64::INFINITY, |b| b.0) {
                best = Some((total, ViewRow { row: table.row_at(slot), kind }));
            }
        }
    }
    Relaxation {
        change,
        query,
        brings: count(brought),
        cheapest: best.map(|b| Usd::new(b.0)),
        best: best.map(|b| b.1),
    }
}

/// A round figure that `nearest` meets, between it and what is no better than needed: 94 for a
/// miss of 94.6 by a threshold of 95. Fields with few distinct figures take the figure itself.
fn eased(nearest: f64, threshold: f64, more: bool, exact: bool) -> f64 {
    let gap = (threshold - nearest).abs();
    if exact || gap <= 0.0 {
        return nearest;
    }
    let finest = threshold.abs().max(nearest.abs()).log10().floor() - 2.0;
    let decimals = gap.log10().ceil().max(finest);
    let step = 10_f64.powf(decimals);
    let round = if more { (nearest / step).floor() } else { (nearest / step).ceil() } * step;
    let places = (-decimals).clamp(0.0, 9.0) as usize;
    let figure: f64 = format!("{round:.places$}").parse().unwrap_or(nearest);
    let meets = if more { figure <= nearest && figure > 0.0 } else { figure >= nearest };
    if meets { figure } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relaxed_thresholds_are_round_and_just_enough() {
        for (nearest, threshold, more, expected) in [
            (94.6, 95.0, true, 94.0),
            (480.0, 500.0, true, 400.0),
            (11.3, 10.0, false, 20.0),
            (10.4, 10.0, false, 11.0),
            (20.000_01, 20.0, false, 20.1),
            (0.4, 24.0, true, 0.4),
        ] {
            assert_eq!(eased(nearest, threshold, more, false), expected, "{nearest} {threshold}");
        }
        assert_eq!(eased(16.0, 24.0, true, true), 16.0);
    }
}
