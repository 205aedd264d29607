//! The checklist of one offer: what must hold for it to be shown, whether it does, and the smallest
//! change of the query that would show it.

use super::relax::easing;
use super::rewritten;
use crate::estimate::quote::PriceKind;
use crate::market::bits::Bits;
use crate::market::column::Column;
use crate::market::eval::{Figure, Truth};
use crate::market::query::{Expr, Field, Query, UnknownPolicy};
use crate::market::table::{RowId, Table};
use crate::market::view::{View, ViewRow};

/// One condition, asked of one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The condition, or what must be true before the query is asked: `has a spot price`.
    pub condition: String,
    /// What the line says.
    pub answer: CheckAnswer,
    /// The line's own value of the field that the condition is about.
    pub value: Option<String>,
    /// Where it does not pass: the condition that it would pass, or that there must be none.
    pub needed: Option<String>,
}

impl Check {
    /// Does the line pass?
    pub fn passes(&self) -> bool {
        matches!(self.answer, CheckAnswer::Passes | CheckAnswer::UnknownKept)
    }
}

/// All checks of one line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checklist {
    /// What is asked before the query, then the conditions in their order.
    pub checks: Vec<Check>,
    /// The query, changed as little as shows this line; `None` where it is shown, or where no query
    /// can show it.
    pub query: Option<String>,
}

impl Checklist {
    /// Is the line shown?
    pub fn shown(&self) -> bool {
        self.checks.iter().all(Check::passes)
    }
}

/// What a line says to a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckAnswer {
    /// It passes.
    Passes,
    /// It fails.
    Fails,
    /// It does not state it, and such lines are hidden.
    Unknown,
    /// It does not state it, and such lines are kept.
    UnknownKept,
}

/// The checklist of one offer at one price.
pub fn offer(view: &View, table: &Table, row: RowId, kind: PriceKind) -> Checklist {
    let line = ViewRow { row, kind };
    let plane = view.kinds().position(|k| k == kind);
    let slot = table.slot(row);
    let mut checks = before(view, table, line);
    let exists = checks.iter().all(Check::passes);
    let Some(slot) = slot else { return Checklist { checks, query: None } };
    let keep = view.filter().query().is_some_and(|q| q.unknown_policy() == UnknownPolicy::Keep);
    let only = Bits::from_fn(table.slots(), |s| s == slot);
    let planes: Vec<Bits> = (0..view.kinds().count())
        .map(|p| if Some(p) == plane { only.clone() } else { Bits::none(table.slots()) })
        .collect();
    let mut easings = Vec::new();
    for (at, asked) in view.filter().asked().iter().enumerate() {
        let truth = plane.and_then(|p| asked.truths.get(p));
        let states = |bits: fn(&Truth) -> &Bits| truth.is_some_and(|t| bits(t).has(slot));
        let answer = match (states(|t| &t.yes), states(|t| &t.unknown)) {
            (true, _) => CheckAnswer::Passes,
            (_, true) if keep => CheckAnswer::UnknownKept,
            (_, true) => CheckAnswer::Unknown,
            _ => CheckAnswer::Fails,
        };
        let mut check = Check {
            condition: asked.expr.to_string(),
            answer,
            value: value_of(view, table, line, &asked.expr),
            needed: None,
        };
        if !check.passes() && plane.is_some() {
            let eased = easing(view, table, at, &asked.expr, &planes);
            check.needed = Some(eased.change);
            easings.push((at, eased.condition));
        }
        checks.push(check);
    }
    let query = view.filter().query().filter(|_| exists && !easings.is_empty());
    let query = query.and_then(|query| changed(query, &easings));
    Checklist { checks, query }
}

/// The query with each of these conditions (by its place) put as is given.
fn changed(query: &Query, easings: &[(usize, String)]) -> Option<String> {
    let mut text = query.to_string();
    for (at, condition) in easings.iter().rev() {
        text = rewritten(&Query::parse(&text).ok()?, &[*at], condition)?;
    }
    Some(text)
}

/// What must hold before the query is asked.
fn before(view: &View, table: &Table, line: ViewRow) -> Vec<Check> {
    let check = |condition: &str, passes: bool, value: Option<String>, needed: &str| {
        let answer = if passes { CheckAnswer::Passes } else { CheckAnswer::Fails };
        let needed = (!passes).then(|| needed.to_owned());
        Check { condition: condition.to_owned(), answer, value, needed }
    };
    let exists = table.exists(line.row);
    let mut checks = vec![check("exists in the market", exists, None, "it is gone")];
    let Some(slot) = table.slot(line.row) else { return checks };
    let plane = view.kinds().position(|k| k == line.kind);
    let based = plane.and_then(|p| view.filter().base().get(p)).is_some_and(|b| b.has(slot));
    let price = Column::of(Field::Price).map(|c| view.cell(table, line, c).text);
    let name = crate::market::kind_name(line.kind);
    let article = if line.kind == PriceKind::OnDemand { "an" } else { "a" };
    let name = format!("has {article} {name} price");
    checks.push(check(&name, based, price, "ask for its other price"));
    checks
}

/// The line's own value of what a condition is about.
fn value_of(view: &View, table: &Table, line: ViewRow, expr: &Expr) -> Option<String> {
    let column = Column::of(expr.field()?)?;
    Some(view.cell(table, line, column).text)
}

/// Lines that the query hides, the cheapest job first, at most `most`.
pub fn hidden(view: &View, table: &Table, most: usize) -> Vec<ViewRow> {
    let mut found: Vec<(f64, ViewRow)> = Vec::new();
    for (plane, (base, kind)) in view.filter().base().iter().zip(view.kinds()).enumerate() {
        let Some(frame) = view.frame(table, kind) else { continue };
        for slot in base.iter().filter(|slot| !view.filter().is_shown(plane, *slot)) {
            let total = frame.priced.get(Figure::Total, slot);
            found.push((
                if total.is_finite() { total } else { f64::MAX },
                ViewRow { row: table.row_at(slot), kind },
            ));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(most);
    found.into_iter().map(|(_, line)| line).collect()
}
