//! Who is shown, and the first reason why somebody is not.
//!
//! Each condition of the query is evaluated once and remembered, so that typing one more letter
//! evaluates one condition, and the analysis of [`super::super::why`] costs nothing more.

use super::pricing::Pricings;
use super::{Ask, Changed, frame};
use crate::estimate::quote::PriceKind;
use crate::market::bits::Bits;
use crate::market::eval::{Truth, depends_on_kind, depends_on_setup, evaluate};
use crate::market::query::{Expr, Field, Query, UnknownPolicy};
use crate::market::table::Table;

/// Lines hidden for one reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Excluded {
    /// In words: the condition, `reliability unknown`, `no spot price`.
    pub reason: String,
    /// Which condition of the query; `None` where it is not the query that hides.
    pub condition: Option<usize>,
    /// They do not state what the condition asks about.
    pub unknown: bool,
    /// How many.
    pub count: usize,
}

/// A condition and who meets it.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) expr: Expr,
    /// One for each plane.
    pub(crate) truths: Vec<Truth>,
    on_setup: bool,
    on_time: bool,
}

/// The state of the filter.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    asked: Vec<Asked>,
    query: Option<Query>,
    /// Lines that exist, by plane.
    base: Vec<Bits>,
    /// The kinds of price that `base` is of.
    kinds: Vec<PriceKind>,
    shown: Vec<Bits>,
    count: usize,
    total: usize,
    excluded: Vec<Excluded>,
    now: i64,
}

impl Filter {
    /// Brings it up to date; tells whether who is shown may have changed.
    pub(crate) fn refresh(
        &mut self,
        table: &Table,
        pricings: &Pricings,
        ask: &Ask<'_>,
        changed: &Changed,
    ) -> bool {
        let same_query = self.query.as_ref() == Some(ask.query);
        let timed = self.now != ask.now.0 && self.asked.iter().any(|a| a.on_time);
        if same_query && !timed && matches!(changed, Changed::Nothing) {
            return false;
        }
        self.now = ask.now.0;
        let keep = |asked: &Asked| match changed {
            Changed::Nothing => !(timed && asked.on_time),
            Changed::Setup => !asked.on_setup && asked.truths.len() == pricings.planes.len(),
            Changed::Rows => false,
        };
        let mut old: Vec<Asked> =
            std::mem::take(&mut self.asked).into_iter().filter(keep).collect();
        for expr in ask.query.conditions() {
            let known = old.iter().position(|a| a.expr == *expr);
            let asked = match known {
                Some(at) => old.swap_remove(at),
                None => evaluate_all(expr, table, pricings, ask),
            };
            self.asked.push(asked);
        }
        self.query = Some(ask.query.clone());
        let kinds: Vec<PriceKind> = pricings.planes.iter().map(|p| p.kind).collect();
        if matches!(changed, Changed::Rows) || self.kinds != kinds {
            self.base = base(table, &kinds);
            self.kinds = kinds;
        }
        self.join(table, pricings, ask.query);
        true
    }

    /// Joins the conditions: who is left, and who fell at which.
    fn join(&mut self, table: &Table, pricings: &Pricings, query: &Query) {
        let keep_unknown = query.unknown_policy() == UnknownPolicy::Keep;
        self.shown = self.base.clone();
        self.excluded = no_such_price(table, pricings, &self.base);
        let by_price: usize = self.excluded.iter().map(|e| e.count).sum();
        self.total = self.base.iter().map(Bits::count).sum::<usize>() + by_price;
        for (at, asked) in self.asked.iter().enumerate() {
            let (mut failed, mut open) = (0, 0);
            for (shown, truth) in self.shown.iter_mut().zip(&asked.truths) {
                let before = shown.count();
                let mut unknown = shown.clone();
                unknown.zip(&truth.unknown, |s, u| s & u);
                let unknown = if keep_unknown { 0 } else { unknown.count() };
                shown.zip(&truth.yes_or(keep_unknown), |s, t| s & t);
                open += unknown;
                failed += before - shown.count() - unknown;
            }
            let reasons = [
                (failed, false, asked.expr.to_string()),
                (open, true, unknown_reason(&asked.expr)),
            ];
            for (count, unknown, reason) in reasons.into_iter().filter(|r| r.0 > 0) {
                self.excluded.push(Excluded { reason, condition: Some(at), unknown, count });
            }
        }
        self.count = self.shown.iter().map(Bits::count).sum();
    }

    pub(crate) fn shown(&self) -> usize {
        self.count
    }

    pub(crate) fn total(&self) -> usize {
        self.total
    }

    pub(crate) fn excluded(&self) -> &[Excluded] {
        &self.excluded
    }

    /// The query that it is up to date with.
    pub(crate) fn query(&self) -> Option<&Query> {
        self.query.as_ref()
    }

    /// The conditions and who meets them.
    pub(crate) fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// Lines that exist, by plane.
    pub(crate) fn base(&self) -> &[Bits] {
        &self.base
    }

    /// Lines shown, by plane.
    pub(crate) fn planes(&self) -> &[Bits] {
        &self.shown
    }

    pub(crate) fn is_shown(&self, plane: usize, slot: usize) -> bool {
        self.shown.get(plane).is_some_and(|bits| bits.has(slot))
    }
}

fn evaluate_all(expr: &Expr, table: &Table, pricings: &Pricings, ask: &Ask<'_>) -> Asked {
    let mut fields = Vec::new();
    expr.visit(&mut |f| fields.push(f));
    let by_kind = fields.iter().any(|f| depends_on_kind(*f));
    let mut truths: Vec<Truth> = Vec::new();
    for plane in &pricings.planes {
        let truth = match truths.first() {
            Some(same) if !by_kind => same.clone(),
            _ => evaluate(expr, &frame(table, pricings, plane, ask.now)),
        };
        truths.push(truth);
    }
    Asked {
        expr: expr.clone(),
        truths,
        on_setup: fields.iter().any(|f| depends_on_setup(*f) || depends_on_kind(*f)),
        on_time: fields.contains(&Field::Age),
    }
}

/// The lines that exist. On demand, an offer that has no price at all is one too (its price is
/// unknown); one that can only be had as spot is not.
fn base(table: &Table, kinds: &[PriceKind]) -> Vec<Bits> {
    let stated = |column: &[f64]| Truth::ask_column(column, table.slots(), |v| !v.is_nan()).yes;
    let spot = stated(&table.columns().spot);
    let of = |kind: &PriceKind| match kind {
        PriceKind::Spot => {
            let mut lines = spot.clone();
            lines.zip(table.live(), |spot, live| spot & live);
            lines
        }
        PriceKind::OnDemand => {
            let mut lines = stated(&table.columns().on_demand);
            lines.zip(&spot, |on_demand, spot| on_demand | !spot);
            lines.zip(table.live(), |lines, live| lines & live);
            lines
        }
    };
    kinds.iter().map(of).collect()
}

/// With one kind of price only, offers that do not have it are hidden for that reason.
fn no_such_price(table: &Table, pricings: &Pricings, base: &[Bits]) -> Vec<Excluded> {
    let ([plane], [lines]) = (pricings.planes.as_slice(), base) else { return Vec::new() };
    let count = table.len() - lines.count();
    let reason = match plane.kind {
        PriceKind::OnDemand => "no on-demand price",
        PriceKind::Spot => "no spot price",
    };
    let excluded = Excluded { reason: reason.into(), condition: None, unknown: false, count };
    if count == 0 { Vec::new() } else { vec![excluded] }
}

/// `reliability unknown`; for a joined condition, the condition itself.
pub(crate) fn unknown_reason(expr: &Expr) -> String {
    match expr.field() {
        Some(field) => format!("{} unknown", field.info().noun),
        None => format!("{expr}: unknown"),
    }
}
