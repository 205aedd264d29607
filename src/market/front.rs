//! The front of cost against hours: the lines of a view that no other line beats in both.

use super::{Table, View, ViewRow};
use crate::estimate::fit::Verdict;
use crate::estimate::pareto;

/// A line on the front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrontPoint {
    /// The line.
    pub line: ViewRow,
    /// Expected dollars in all.
    pub total_usd: f64,
    /// Expected hours from launch to end.
    pub hours: f64,
}

impl View {
    /// The front over the lines shown, from the cheapest to the fastest: each further line costs
    /// more and takes less time. Lines whose job does not fit, or whose total or hours are
    /// unknown, are not on it. Of equal lines the first in order is.
    pub fn front(&mut self, table: &Table) -> Vec<FrontPoint> {
        let lines = self.window(table, 0, usize::MAX).to_vec();
        let points: Vec<FrontPoint> =
            lines.into_iter().filter_map(|line| self.point(table, line)).collect();
        let figures: Vec<(f64, f64)> = points.iter().map(|p| (p.total_usd, p.hours)).collect();
        pareto::front(&figures).into_iter().filter_map(|i| points.get(i).copied()).collect()
    }

    fn point(&self, table: &Table, line: ViewRow) -> Option<FrontPoint> {
        let verdict = self.class_estimate(table, line.row)?.fit.verdict;
        let quote = self.row_quote(table, line.row, line.kind)?;
        let (total_usd, hours) = (quote.total?.expected.get(), quote.hours?.expected.get());
        let usable = verdict != Verdict::No && total_usd.is_finite() && hours.is_finite();
        usable.then_some(FrontPoint { line, total_usd, hours })
    }
}
