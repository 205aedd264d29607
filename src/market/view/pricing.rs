//! What the setup makes of the market: fit and speed per class, and, for as many rows as are asked
//! for, hours and dollars.

use crate::estimate::bill::{Job, RowQuote};
use crate::estimate::class::{self, ClassEstimate};
use crate::estimate::quote::PriceKind;
use crate::market::eval::{Figures, Priced, PricedColumns};
use crate::market::parallel;
use crate::market::table::{PriceCells, Table};
use crate::setup::{Pricing, Setup};
use crate::units::Hours;
use std::ops::Range;

/// One of the two prices of all slots.
#[derive(Debug)]
pub(crate) struct Plane {
    pub(crate) kind: PriceKind,
    columns: PricedColumns,
    /// Slots below this one are priced in `columns`.
    done: usize,
}

/// What was computed from one setup.
#[derive(Debug)]
pub(crate) struct Pricings {
    pub(crate) setup: Setup,
    pub(crate) job: Job,
    pub(crate) classes: Vec<ClassEstimate>,
    pub(crate) planes: Vec<Plane>,
    /// By class, [`Job::least_hours`].
    least: Vec<f64>,
    /// Fees of the table that have been looked at, and whether one of them is below zero: then no
    /// total has a bound.
    fees_seen: usize,
    odd_fees: bool,
}

impl Pricings {
    /// Prepares for `setup`; nothing is priced yet. The room of `before` is used again.
    pub(crate) fn new(setup: &Setup, before: Option<Pricings>) -> Self {
        let kinds = match setup.pricing {
            Pricing::OnDemand => vec![PriceKind::OnDemand],
            Pricing::Spot => vec![PriceKind::Spot],
            Pricing::Both => vec![PriceKind::OnDemand, PriceKind::Spot],
        };
        let (mut rooms, fees_seen, odd_fees) = before.map_or((Vec::new(), 0, false), |b| {
            (b.planes.into_iter().map(|p| p.columns).collect(), b.fees_seen, b.odd_fees)
        });
        let plane = |kind| Plane { kind, columns: rooms.pop().unwrap_or_default(), done: 0 };
        Self {
            setup: setup.clone(),
            job: Job::new(setup),
            classes: Vec::new(),
            planes: kinds.into_iter().map(plane).collect(),
            least: Vec::new(),
            fees_seen,
            odd_fees,
        }
    }

    /// Estimates classes that appeared.
    pub(crate) fn estimate(&mut self, table: &Table) {
        let known = self.classes.len();
        let new = table.classes().get(known..).unwrap_or_default();
        let setup = &self.setup;
        let estimated = parallel::halves_of(new.len(), CLASSES_WORTH_IT, |span| {
            let classes = new.get(span).unwrap_or_default();
            classes.iter().map(|c| class::estimate(setup, c)).collect::<Vec<_>>()
        });
        self.classes.extend(estimated.into_iter().flatten());
        let hours = |c: &ClassEstimate| self.job.least_hours(c).map_or(f64::NAN, Hours::get);
        let least: Vec<f64> = self.classes.iter().skip(self.least.len()).map(hours).collect();
        self.least.extend(least);
        let fees = table.dictionaries().fees_from(self.fees_seen);
        for fee in fees {
            self.fees_seen += 1;
            let paid = [
                fee.storage.map(crate::units::UsdPerGbMonth::get),
                fee.egress.map(crate::units::UsdPerGb::get),
                fee.ingress.map(crate::units::UsdPerGb::get),
            ];
            self.odd_fees |= paid.into_iter().flatten().any(|usd| usd < 0.0);
        }
    }

    /// The figures of one kind of price.
    pub(crate) fn priced<'a>(&'a self, table: &'a Table, plane: &'a Plane) -> Priced<'a> {
        Priced {
            table,
            kind: plane.kind,
            job: Some(&self.job),
            classes: &self.classes,
            least: &self.least,
            bounded: !self.odd_fees,
            columns: (plane.done >= table.slots()).then_some(&plane.columns),
        }
    }

    /// Is every slot priced?
    pub(crate) fn is_whole(&self, table: &Table) -> bool {
        self.planes.iter().all(|p| p.done >= table.slots())
    }

    /// Rows have changed: those of `slots`, or any where that is not known.
    pub(crate) fn rows_changed(&mut self, table: &Table, slots: Option<&[u32]>) {
        let mut planes = std::mem::take(&mut self.planes);
        for plane in &mut planes {
            match slots {
                Some(slots) => {
                    let priced = Priced { columns: None, ..self.priced(table, plane) };
                    let figures: Vec<(usize, Figures)> = slots
                        .iter()
                        .map(|slot| *slot as usize)
                        .filter(|slot| *slot < plane.done)
                        .map(|slot| (slot, priced.figures(slot)))
                        .collect();
                    for (slot, f) in figures {
                        plane.columns.set(slot, f);
                    }
                }
                None => plane.done = 0,
            }
        }
        self.planes = planes;
    }

    /// Prices slots that are not priced yet, at most `most` of each plane.
    pub(crate) fn price(&mut self, table: &Table, most: usize) {
        let mut planes = std::mem::take(&mut self.planes);
        for plane in &mut planes {
            let slots = table.slots();
            let from = plane.done.min(slots);
            let to = slots.min(from.saturating_add(most));
            let mut columns = std::mem::take(&mut plane.columns);
            columns.resize(slots);
            let priced = Priced { columns: None, ..self.priced(table, plane) };
            columns.fill(from..to, |slot| priced.figures(slot));
            plane.columns = columns;
            plane.done = to;
        }
        self.planes = planes;
    }
}

/// Below so many classes one thread is faster.
const CLASSES_WORTH_IT: usize = if cfg!(test) { 8 } else { 100 };

impl PricedColumns {
    fn resize(&mut self, slots: usize) {
        for column in [&mut self.total, &mut self.hours, &mut self.fetch] {
            column.resize(slots, f64::NAN);
        }
    }

    fn set(&mut self, slot: usize, figures: Figures) {
        let cells = [
            (&mut self.total, figures.total),
            (&mut self.hours, figures.hours),
            (&mut self.fetch, figures.fetch),
        ];
        for (column, value) in cells {
            if let Some(cell) = column.get_mut(slot) {
                *cell = value;
            }
        }
    }

    /// Fills the slots of `span`, on two threads.
    fn fill(&mut self, span: Range<usize>, figures: impl Fn(usize) -> Figures + Sync) {
        let columns = [&mut self.total, &mut self.hours, &mut self.fetch];
        let [total, hours, fetch] = columns.map(|c| c.get_mut(span.clone()).unwrap_or_default());
        parallel::fill_three(total, hours, fetch, |at| {
            let figures = figures(span.start + at);
            [figures.total, figures.hours, figures.fetch]
        });
    }
}

/// The quote of a slot.
pub(crate) fn quote(
    job: &Job,
    classes: &[ClassEstimate],
    table: &Table,
    slot: usize,
    kind: PriceKind,
) -> Option<RowQuote> {
    let c = table.columns();
    let class = classes.get(*c.class.get(slot)? as usize)?;
    let facts = table.dictionaries().facts(&PriceCells::of(c, slot)?);
    Some(job.price(class, &facts, kind))
}
