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
            s if s < 1.0 => "less than a second".to_owned(),
            s if s < 60.0 => format!("-{s:.0}s"),
            _ => format!("-{}", hours(faster)),
        };
        format!("+{dearer} buys {faster}")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::quote::PriceKind;
    use crate::market::synthetic;

    #[test]
    fn a_step_that_buys_next_to_nothing_says_so() {
        let mut table = Table::new();
        table.insert(1, &synthetic::market(1, 1));
        let offer = synthetic::market(1, 1).remove(0);
        let row = table.find(&offer.id()).unwrap();
        let line = ViewRow { row, kind: PriceKind::OnDemand };
        let at = |total_usd, hours| FrontPoint { line, total_usd, hours };
        let slow = at(1.0, 5.0);
        assert_eq!(at(4.0, 3.0).step_from(&slow), "+3.00$ buys -2.0h");
        assert_eq!(at(4.0, 4.99).step_from(&slow), "+3.00$ buys -36s");
        assert_eq!(at(4.0, 4.9999).step_from(&slow), "+3.00$ buys less than a second");
    }
}
