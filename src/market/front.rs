//! The front of cost against hours: the lines of a view that no other line beats in both.

use super::{Table, View, ViewRow};
use crate::estimate::fit::Verdict;
use crate::estimate::pareto;
use crate::units::{Hours, Usd, hours, usd};

/// Where a line stands in cost and hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrontPoint {
    /// The line.
    pub line: ViewRow,
    /// Expected dollars in all.
    pub total_usd: f64,
    /// Expected hours from launch to end.
    pub hours: f64,
}

impl FrontPoint {
    /// What going on from the point `before` buys: `+3.10$ buys -2.4h`.
    pub fn step_from(&self, before: &FrontPoint) -> String {
        let dearer = usd(Usd::new(self.total_usd - before.total_usd));
        let faster = Hours::new(before.hours - self.hours);
        let faster = match faster.seconds() {
            s if s < 60.0 => format!("{s:.0}s"),
            _ => hours(faster),
        };
        format!("+{dearer} buys -{faster}")
    }
}

impl View {
    /// The front over the lines shown, from the cheapest to the fastest: each further line costs
    /// more and takes less time. Of equal lines the first in order is on it.
    pub fn front(&mut self, table: &Table) -> Vec<FrontPoint> {
        front_of(&self.points(table))
    }

    /// Where the lines shown stand, in their order. Lines whose job does not fit in memory or on disk, or whose total or
    /// hours are unknown, stand nowhere.
    pub fn points(&mut self, table: &Table) -> Vec<FrontPoint> {
        let lines = self.window(table, 0, usize::MAX).to_vec();
        lines.into_iter().filter_map(|line| self.point(table, line)).collect()
    }

    /// Where a line stands.
    pub fn point(&self, table: &Table, line: ViewRow) -> Option<FrontPoint> {
        let (slot, frame) = (table.slot(line.row)?, self.frame(table, line.kind)?);
        let figures = frame.priced.figures(slot);
        let short = frame.is_disk_short(slot);
        let (total_usd, hours) = (figures.total, figures.hours);
        // Unknown figures are not finite.
        let usable = !short
            && total_usd.is_finite()
            && hours.is_finite()
            && self.class_estimate(table, line.row)?.fit.verdict != Verdict::No;
        usable.then_some(FrontPoint { line, total_usd, hours })
    }
}

/// Those of `points` that no other beats in both, from the cheapest to the fastest.
pub fn front_of(points: &[FrontPoint]) -> Vec<FrontPoint> {
    let figures: Vec<(f64, f64)> = points.iter().map(|p| (p.total_usd, p.hours)).collect();
    pareto::front(&figures).into_iter().filter_map(|i| points.get(i).copied()).collect()
}
