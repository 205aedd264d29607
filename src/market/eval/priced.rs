//! Totals and hours of rows: read where every row has been priced, worked out for a row where not.
//!
//! Another setup changes every total of the market, but a screen shows a few dozen. So a row is
//! priced only when its total can matter, which [`Priced::at_least`] tells from the price and the
//! class alone: the figures themselves always come from [`Job::expected`].

use crate::estimate::bill::Job;
use crate::estimate::class::ClassEstimate;
use crate::estimate::quote::PriceKind;
use crate::market::table::{PriceCells, Table};
use crate::units::{Hours, Usd};

/// What is worked out for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figure {
    /// Expected total, $.
    Total,
    /// Expected hours.
    Hours,
    /// Expected hours of fetching.
    Fetch,
    /// Hours of fetching as a share of all hours.
    FetchShare,
}

/// Expected total ($), hours and hours of fetching of a row; NaN is unknown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) total: f64,
    pub(crate) hours: f64,
    pub(crate) fetch: f64,
}

impl Figures {
    /// Of a row about which nothing is known.
    pub(crate) const UNKNOWN: Figures =
        Figures { total: f64::NAN, hours: f64::NAN, fetch: f64::NAN };
}

/// The figures of all slots.
#[derive(Debug, Default)]
pub(crate) struct PricedColumns {
    pub(crate) total: Vec<f64>,
    pub(crate) hours: Vec<f64>,
    pub(crate) fetch: Vec<f64>,
}

/// One kind of price of all rows, for one setup.
#[derive(Clone, Copy)]
pub(crate) struct Priced<'a> {
    pub(crate) table: &'a Table,
    pub(crate) kind: PriceKind,
    /// The job; nothing is known of a total without one.
    pub(crate) job: Option<&'a Job>,
    pub(crate) classes: &'a [ClassEstimate],
    /// By class, [`Job::least_hours`]; NaN where the speed is unknown.
    pub(crate) least: &'a [f64],
    /// No fee is below zero, so that price times hours is a bound.
    pub(crate) bounded: bool,
    /// The figures of every slot, where they are at hand.
    pub(crate) columns: Option<&'a PricedColumns>,
}

impl<'a> Priced<'a> {
    /// A market without a job.
    pub(crate) fn without_job(table: &'a Table, kind: PriceKind) -> Self {
        Self { table, kind, job: None, classes: &[], least: &[], bounded: false, columns: None }
    }

    /// The hourly price of every slot; NaN where there is none.
    pub(crate) fn prices(&self) -> &'a [f64] {
        match self.kind {
            PriceKind::OnDemand => &self.table.columns().on_demand,
            PriceKind::Spot => &self.table.columns().spot,
        }
    }

    /// A figure of every slot, where it is at hand.
    pub(crate) fn column(&self, figure: Figure) -> Option<&'a [f64]> {
        let columns = self.columns?;
        match figure {
            Figure::Total => Some(&columns.total),
            Figure::Hours => Some(&columns.hours),
            Figure::Fetch => Some(&columns.fetch),
            Figure::FetchShare => None,
        }
    }

    /// A figure of a slot.
    pub(crate) fn get(&self, figure: Figure, slot: usize) -> f64 {
        if let Some(column) = self.column(figure) {
            return column.get(slot).copied().unwrap_or(f64::NAN);
        }
        let figures = self.figures(slot);
        match figure {
            Figure::Total => figures.total,
            Figure::Hours => figures.hours,
            Figure::Fetch => figures.fetch,
            Figure::FetchShare => figures.fetch / figures.hours,
        }
    }

    /// Would the job never end there, although its speed is known?
    pub(crate) fn never_finishes(&self, slot: usize) -> bool {
        let class = self.table.columns().class.get(slot);
        let paced = class.and_then(|c| self.least.get(*c as usize)).is_some_and(|h| !h.is_nan());
        paced && self.get(Figure::Hours, slot).is_nan()
    }

    /// What the total of a slot is not below; NaN where the total is unknown.
    pub(crate) fn at_least(&self, slot: usize) -> f64 {
        if !self.bounded {
            return f64::NEG_INFINITY;
        }
        let class = self.table.columns().class.get(slot);
        let hours = class.and_then(|c| self.least.get(*c as usize)).copied().unwrap_or(f64::NAN);
        self.prices().get(slot).copied().unwrap_or(f64::NAN) * hours
    }

    /// Of the slots from `first` on, what their totals are not below.
    pub(crate) fn fill_least(&self, first: usize, cells: &mut [f64; 64]) {
        let classes = self.table.columns().class.get(first..).unwrap_or_default();
        let prices = self.prices().get(first..).unwrap_or_default();
        for ((cell, class), price) in cells.iter_mut().zip(classes).zip(prices) {
            let hours = self.least.get(*class as usize).copied().unwrap_or(f64::NAN);
            *cell = if self.bounded { price * hours } else { f64::NEG_INFINITY };
        }
    }

    /// The figures of a slot.
    pub(crate) fn figures(&self, slot: usize) -> Figures {
        let Some(columns) = self.columns else {
            return self.expected(slot).unwrap_or(Figures::UNKNOWN);
        };
        let at = |column: &[f64]| column.get(slot).copied().unwrap_or(f64::NAN);
        Figures { total: at(&columns.total), hours: at(&columns.hours), fetch: at(&columns.fetch) }
    }

    fn expected(&self, slot: usize) -> Option<Figures> {
        let sound = |v: Option<f64>| v.filter(|v| v.is_finite() && *v >= 0.0).unwrap_or(f64::NAN);
        let c = self.table.columns();
        let class = self.classes.get(*c.class.get(slot)? as usize)?;
        let facts = self.table.dictionaries().facts(&PriceCells::of(c, slot)?);
        let (total, hours, fetch) = self.job?.expected(class, &facts, self.kind);
        Some(Figures {
            total: sound(total.map(Usd::get)),
            hours: sound(hours.map(Hours::get)),
            fetch: sound(Some(fetch.get())),
        })
    }
}
