//! Why a row is not shown, and what would bring it back.
//!
//! [`market`] tells for each condition how many lines it hides at all, how many it alone hides, and
//! how many it is the first to hide (the last sum up to everything hidden); which lines miss it by
//! the least; and which relaxations bring lines back. [`offer`] is the checklist of one offer, with what
//! would show it.

mod checklist;
mod relax;

pub use checklist::{Check, CheckAnswer, Checklist, hidden, offer};
pub use relax::Relaxation;

use super::bits::Bits;
use super::eval::Truth;
use super::query::{Query, UnknownPolicy};
use super::table::Table;
use super::view::{Excluded, View, ViewRow};

/// What a query hides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Why {
    /// Lines shown.
    pub shown: usize,
    /// Lines that exist.
    pub total: usize,
    /// What hides lines before the query does: `no spot price`.
    pub before: Vec<Excluded>,
    /// The conditions, in the order of the query.
    pub conditions: Vec<Hidden>,
    /// What would bring lines back; what brings most comes first.
    pub relaxations: Vec<Relaxation>,
}

/// What one condition hides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hidden {
    /// The condition.
    pub condition: String,
    /// Lines that do not pass it, whatever the others say; those that do not state it included.
    pub together: usize,
    /// Lines that nothing else hides.
    pub alone: usize,
    /// Lines that it is the first to hide, in the order of the query. These sum up to all hidden.
    pub first: usize,
    /// Of `together`, the lines that do not state what it asks about.
    pub unknown: usize,
    /// The lines that miss it by the least and that nothing else hides.
    pub nearest: Vec<NearMiss>,
}

/// A line that nearly passes.
#[derive(Clone, Debug, PartialEq)]
pub struct NearMiss {
    /// The line.
    pub line: ViewRow,
    /// The figure that misses, as written in the table.
    pub value: String,
}

/// Lines that each condition hides, plane by plane.
struct Failing {
    by_condition: Vec<Vec<Bits>>,
    /// Hidden by exactly one condition.
    once: Vec<Bits>,
    /// Hidden by exactly two.
    twice: Vec<Bits>,
}

impl Failing {
    fn new(view: &View, keep_unknown: bool) -> Self {
        let base = view.filter().base();
        let by_condition: Vec<Vec<Bits>> = view
            .filter()
            .asked()
            .iter()
            .map(|asked| {
                let planes = base.iter().zip(&asked.truths);
                planes.map(|(base, truth)| failing(base, truth, keep_unknown)).collect()
            })
            .collect();
        let mut counters: Vec<[Bits; 3]> =
            base.iter().map(|b| [(); 3].map(|()| Bits::none(b.len()))).collect();
        for planes in &by_condition {
            for ([one, two, more], fails) in counters.iter_mut().zip(planes) {
                // A row moves up one counter each time that a condition hides it.
                let mut from_two = two.clone();
                from_two.zip(fails, |t, f| t & f);
                more.zip(&from_two, |m, t| m | t);
                two.zip(fails, |t, f| t & !f);
                let mut from_one = one.clone();
                from_one.zip(fails, |o, f| o & f);
                two.zip(&from_one, |t, o| t | o);
                let mut from_none = fails.clone();
                from_none.zip(&from_one, |f, o| f & !o);
                from_none.zip(&from_two, |f, t| f & !t);
                from_none.zip(more, |f, m| f & !m);
                one.zip(fails, |o, f| o & !f);
                one.zip(&from_none, |o, n| o | n);
            }
        }
        let (mut once, mut twice) = (Vec::new(), Vec::new());
        for [one, two, _] in counters {
            once.push(one);
            twice.push(two);
        }
        Self { by_condition, once, twice }
    }

    /// The lines that only condition `at` hides.
    fn alone(&self, at: usize) -> Vec<Bits> {
        self.both(at, &self.once)
    }

    fn both(&self, at: usize, with: &[Bits]) -> Vec<Bits> {
        let mut planes = self.by_condition.get(at).cloned().unwrap_or_default();
        for (plane, with) in planes.iter_mut().zip(with) {
            plane.zip(with, |p, w| p & w);
        }
        planes
    }
}

fn failing(base: &Bits, truth: &Truth, keep_unknown: bool) -> Bits {
    let mut fails = base.clone();
    fails.zip(&truth.yes_or(keep_unknown), |base, passes| base & !passes);
    fails
}

fn count(planes: &[Bits]) -> usize {
    planes.iter().map(Bits::count).sum()
}

/// What the query of the view's last refresh hides, and what would bring it back.
pub fn market(view: &View, table: &Table) -> Why {
    let Some(query) = view.filter().query() else { return Why::default() };
    let keep_unknown = query.unknown_policy() == UnknownPolicy::Keep;
    let failing = Failing::new(view, keep_unknown);
    let first = |at: usize| {
        let hidden = view.excluded().iter().filter(|e| e.condition == Some(at));
        hidden.map(|e| e.count).sum()
    };
    let mut conditions = Vec::new();
    for (at, asked) in view.filter().asked().iter().enumerate() {
        let alone = failing.alone(at);
        let unknown = asked.truths.iter().zip(view.filter().base()).map(|(truth, base)| {
            let mut open = truth.unknown.clone();
            open.zip(base, |o, b| o & b);
            if keep_unknown { 0 } else { open.count() }
        });
        conditions.push(Hidden {
            condition: asked.expr.to_string(),
            together: failing.by_condition.get(at).map_or(0, |planes| count(planes)),
            alone: count(&alone),
            first: first(at),
            unknown: unknown.sum(),
            nearest: relax::nearest(view, table, &asked.expr, &alone),
        });
    }
    Why {
        shown: view.shown(),
        total: view.total(),
        before: view.excluded().iter().filter(|e| e.condition.is_none()).cloned().collect(),
        conditions,
        relaxations: relax::relaxations(view, table, query, &failing),
    }
}

/// The query with one condition (by its place) put differently; an empty text drops it.
fn rewritten(query: &Query, at: &[usize], condition: &str) -> Option<String> {
    let mut text = query.to_string();
    for at in at.iter().rev() {
        text = super::query::replace_condition(&text, *at, condition).ok()?;
    }
    Some(text)
}

#[cfg(test)]
mod tests;
