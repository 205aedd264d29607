//! Cost against hours: where the lines in view stand, the front among them, and a cursor on it.
//!
//! Hours go to the right and dollars up, both by their logarithm, so that offers that differ by a
//! factor of a hundred are told apart as well as those that differ by a tenth. Dollars and hours are
//! never added up; deadline and budget are lines, drawn where the user or the query puts them.

use super::App;
use super::desk::Desk;
use super::facts::verdict_word;
use super::line::Line;
use crate::market::front::{FrontPoint, front_of};
use crate::market::query::{Comparison, Field, Item, Query, Test};
use crate::market::{ViewRow, column};
use crate::units::{Hours, Usd, hours, usd};
use std::collections::HashSet;
use std::fmt::Write as _;

/// A line of the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The latest end.
    Deadline,
    /// The highest total.
    Budget,
}

impl Limit {
    /// The field of the query that it bounds.
    pub const fn field(self) -> Field {
        match self {
            Limit::Deadline => Field::Hours,
            Limit::Budget => Field::Total,
        }
    }

    /// What is asked for.
    pub const fn label(self) -> &'static str {
        match self {
            Limit::Deadline => "Deadline, hours (8, 90m, 2d; nothing takes it away)",
            Limit::Budget => "Budget, $ (20; nothing takes it away)",
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Limit::Deadline => "deadline",
            Limit::Budget => "budget",
        }
    }

    /// What is typed, in hours or dollars; nothing typed is no limit.
    pub fn parse(self, typed: &str) -> Result<Option<f64>, String> {
        let typed = typed.trim().trim_start_matches(['<', '=']);
        if typed.is_empty() {
            return Ok(None);
        }
        let query = Query::parse(&format!("{}<={typed}", self.field().name()))
            .map_err(|wrong| wrong.message)?;
        match self.of_query(&query) {
            Some(value) if value > 0.0 => Ok(Some(value)),
            _ => Err(format!("`{typed}` is no {} above zero", self.name())),
        }
    }

    /// The bound that a query sets, in hours or dollars.
    pub fn of_query(self, query: &Query) -> Option<f64> {
        let value = match &query.condition_on(self.field())?.test {
            Test::Compare(Comparison::Less | Comparison::AtMost, figure) => figure.value(),
            Test::OneOf { items, .. } => match items.as_slice() {
                [Item::Between(_, Some(figure))] => figure.value(),
                _ => return None,
            },
            Test::Compare(..) => return None,
        };
        value.is_finite().then_some(value)
    }

    /// A figure of this kind in words.
    pub fn words(self, value: f64) -> String {
        match self {
            Limit::Deadline => hours(Hours::new(value)),
            Limit::Budget => usd(Usd::new(value)),
        }
    }
}

/// Deadline and budget that the user has set, in hours and dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// The latest end.
    pub deadline: Option<f64>,
    /// The highest total.
    pub budget: Option<f64>,
    /// What a hosted service would take for the same tokens, where the setup gives its price.
    pub hosted: Option<f64>,
}

/// One axis, in powers of ten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// The least exponent.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

/// Below this many dollars or hours everything stands at the edge.
const LEAST: f64 = 1e-4;
/// Room around the outermost points: a fiftieth of the axis, and at least a tenth more or less.
const ROOM: f64 = 0.02;
const LEAST_ROOM: f64 = 0.041;

impl Axis {
    /// The axis that all values stand on.
    fn over(values: impl Iterator<Item = f64>) -> Option<Axis> {
        let exponents = values.map(|v| v.max(LEAST).log10());
        let (low, high) = exponents
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), e| (low.min(e), high.max(e)));
        let room = ((high - low) * ROOM).max(LEAST_ROOM);
        (low <= high).then_some(Axis { low: low - room, high: high + room })
    }

    /// Where a value stands, as an exponent.
    pub fn exponent(&self, value: f64) -> f64 {
        value.max(LEAST).log10().clamp(self.low, self.high)
    }

    /// Which of `cells` a value stands in, the least first, where each cell has `dots` dots.
    pub fn cell(&self, value: f64, cells: u16, dots: u16) -> u16 {
        let share = (self.exponent(value) - self.low) / (self.high - self.low);
        let last = f64::from(cells) * f64::from(dots) - 1.0;
        (share * last.max(0.0)).round() as u16 / dots.max(1)
    }

    /// Round values along the axis, at most `most`.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        const STEPS: [&[f64]; 4] = [
            &[1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
            &[1.0, 2.0, 3.0, 4.0, 5.0, 7.0],
            &[1.0, 2.0, 5.0],
            &[1.0],
        ];
        let found = STEPS.iter().map(|steps| self.round_values(steps));
        let found: Vec<Vec<f64>> = found.filter(|ticks| ticks.len() <= most).collect();
        found.into_iter().next().unwrap_or_default()
    }

    fn round_values(&self, steps: &[f64]) -> Vec<f64> {
        let decades = self.low.floor() as i32..=self.high.ceil() as i32;
        let all = decades.flat_map(|d| steps.iter().map(move |s| s * 10f64.powi(d)));
        let inside = |v: &f64| (self.low..=self.high).contains(&v.log10());
        all.filter(inside).collect()
    }
}

/// The page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParetoPage {
    /// Where the lines in view stand, as hours and dollars: one point for each place that can be
    /// told from others.
    pub cloud: Vec<(f64, f64)>,
    /// The front, from the cheapest to the fastest.
    pub front: Vec<FrontPoint>,
    /// The cursor, as an index of the front.
    pub at: usize,
    /// Lines that stand somewhere.
    pub placed: usize,
    /// Lines in view.
    pub shown: usize,
    /// The limit that is being typed.
    pub asked: Option<(Limit, Line)>,
    /// What is wrong with it.
    pub mistake: Option<String>,
}

/// Places per power of ten that are told apart: more than any screen has dots for.
const PLACES: f64 = 400.0;

impl ParetoPage {
    /// The chart of what `desk` shows, with the cursor on `selected`, or on the last line of the
    /// front that costs no more.
    pub fn new(desk: &mut Desk, selected: Option<ViewRow>) -> Self {
        let points = desk.points();
        let front = front_of(&points);
        let mut seen = HashSet::new();
        let place = |v: f64| (v.max(LEAST).log10() * PLACES).round() as i32;
        let cloud = points.iter().map(|p| (p.hours, p.total_usd));
        let cloud = cloud.filter(|(h, usd)| seen.insert((place(*h), place(*usd)))).collect();
        let own = selected.and_then(|line| desk.view().point(desk.table(), line));
        let at = match own {
            Some(own) => front
                .iter()
                .position(|p| p.line == own.line)
                .or_else(|| front.iter().rposition(|p| p.total_usd <= own.total_usd)),
            None => None,
        };
        let (placed, shown) = (points.len(), desk.shown());
        Self { cloud, front, at: at.unwrap_or(0), placed, shown, asked: None, mistake: None }
    }

    /// The market has changed: the cursor stays on its offer while that is on the front.
    pub fn renew(&mut self, desk: &mut Desk) {
        let line = self.here().map(|p| p.line);
        let (asked, mistake) = (self.asked.take(), self.mistake.take());
        *self = Self { asked, mistake, ..Self::new(desk, line) };
    }

    /// The point under the cursor.
    pub fn here(&self) -> Option<&FrontPoint> {
        self.front.get(self.at)
    }

    /// Axes of hours and dollars over all points and limits; `None` without points.
    pub fn axes(&self, limits: Limits) -> Option<(Axis, Axis)> {
        if self.cloud.is_empty() {
            return None;
        }
        let across = self.cloud.iter().map(|p| p.0).chain(limits.deadline);
        let up = self.cloud.iter().map(|p| p.1).chain(limits.budget).chain(limits.hosted);
        Axis::over(across).zip(Axis::over(up))
    }
}

impl App {
    /// Deadline and budget: what the user has set, or else what the query asks for.
    pub fn limits(&self) -> Limits {
        let query = self.desk.query();
        Limits {
            deadline: self.limits.deadline.or_else(|| Limit::Deadline.of_query(query)),
            budget: self.limits.budget.or_else(|| Limit::Budget.of_query(query)),
            hosted: self.desk.setup().hosted().map(|(_, usd)| usd.get()),
        }
    }
}

/// The front in words, one line for each of its offers, and what a hosted service would take.
pub fn lines(app: &App, page: &ParetoPage) -> Vec<String> {
    let hosted = app.desk.setup().hosted();
    let hosted = hosted.map(|(by, cost)| format!("to compare, hosted: {} by {by}", usd(cost)));
    (0..page.front.len()).map(|at| words(app, page, at)).chain(hosted).collect()
}

/// One offer of the front in words: `2 of 9: vast:12-1, 4x H100 SXM, 12.30$ in 6.2h, fits; …`.
pub fn words(app: &App, page: &ParetoPage, at: usize) -> String {
    let Some(point) = page.front.get(at) else { return String::new() };
    let (table, view) = (app.desk.table(), app.desk.view());
    let mut text = format!("{} of {}: ", at + 1, page.front.len());
    if let Some(offer) = table.offer(point.line.row) {
        let card = column::card_name(&offer);
        let _ = write!(text, "{}, {}× {card}, ", offer.id(), offer.hardware.count());
    }
    let (total, time) = (usd(Usd::new(point.total_usd)), hours(Hours::new(point.hours)));
    let fit = view.class_estimate(table, point.line.row).map(|c| verdict_word(c.fit.verdict));
    let _ = write!(text, "{total} in {time}, {}", fit.unwrap_or("?"));
    if let Some(before) = at.checked_sub(1).and_then(|b| page.front.get(b)) {
        let _ = write!(text, "; {}", point.step_from(before));
    }
    let limits = app.limits();
    let beyond = [
        (Limit::Deadline, limits.deadline, point.hours),
        (Limit::Budget, limits.budget, point.total_usd),
    ];
    for (limit, bound, value) in beyond {
        if let Some(over) = bound.map(|bound| value - bound).filter(|over| *over > 0.0) {
            let _ = write!(text, "; {} over the {}", limit.words(over), limit.name());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn limits_are_read_as_in_a_query() {
        assert_eq!(Limit::Deadline.parse("8h"), Ok(Some(8.0)));
        assert_eq!(Limit::Deadline.parse(" 90m"), Ok(Some(1.5)));
        assert_eq!(Limit::Budget.parse("<=20$"), Ok(Some(20.0)));
        assert_eq!(Limit::Budget.parse("  "), Ok(None));
        assert!(Limit::Budget.parse("many").is_err());
        assert!(Limit::Deadline.parse("0").is_err());
        let query = Query::parse("done<8h rel>95%? total:5..20").unwrap();
        assert_eq!(Limit::Deadline.of_query(&query), Some(8.0));
        assert_eq!(Limit::Budget.of_query(&query), Some(20.0));
        assert_eq!(Limit::Budget.of_query(&Query::parse("total>20").unwrap()), None);
    }

    #[test]
    fn ticks_are_round_and_never_too_many() {
        let axis = Axis::over([0.8, 140.0].into_iter()).unwrap();
        assert_eq!(axis.ticks(8), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert_eq!(axis.ticks(3), [1.0, 10.0, 100.0]);
        assert_eq!(Axis::over([7.0].into_iter()).unwrap().ticks(5), [7.0]);
        assert_eq!(Axis::over(std::iter::empty()), None);
    }

    proptest! {
        #[test]
        fn every_value_stands_inside_and_in_order(
            values in proptest::collection::vec(0.0..1e6_f64, 1..40), cells in 1..300u16, dots in 1..5u16,
        ) {
            let axis = Axis::over(values.iter().copied()).unwrap();
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let cells_of: Vec<u16> = sorted.iter().map(|v| axis.cell(*v, cells, dots)).collect();
            prop_assert!(cells_of.is_sorted() && cells_of.iter().all(|c| *c < cells));
            for most in [2, 5, 9] {
                prop_assert!(axis.ticks(most).len() <= most);
            }
        }
    }
}
