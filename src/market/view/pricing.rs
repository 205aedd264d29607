//! What the setup makes of the market: fit and speed per class, hours and dollars per row.

use crate::estimate::bill::{Job, RowFacts, RowQuote};
use crate::estimate::class::{self, ClassEstimate};
use crate::estimate::quote::PriceKind;
use crate::market::table::{PriceCells, Table};
use crate::setup::{Pricing, Setup};
use crate::units::{Hours, Usd};

/// Figures of all slots at one of the two prices; NaN is unknown.
#[derive(Debug)]
pub(crate) struct Plane {
    pub(crate) kind: PriceKind,
    /// Expected total, $.
    pub(crate) total: Vec<f64>,
    /// Expected hours.
    pub(crate) hours: Vec<f64>,
    /// Expected hours of fetching.
    pub(crate) fetch: Vec<f64>,
}

/// What was computed from one setup.
#[derive(Debug)]
pub(crate) struct Pricings {
    pub(crate) setup: Setup,
    pub(crate) job: Job,
    pub(crate) classes: Vec<ClassEstimate>,
    pub(crate) planes: Vec<Plane>,
}

impl Pricings {
    /// Prepares for `setup`; nothing is priced yet.
    pub(crate) fn new(setup: &Setup) -> Self {
        let plane = |kind| Plane { kind, total: Vec::new(), hours: Vec::new(), fetch: Vec::new() };
        let planes = match setup.pricing {
            Pricing::OnDemand => vec![plane(PriceKind::OnDemand)],
            Pricing::Spot => vec![plane(PriceKind::Spot)],
            Pricing::Both => vec![plane(PriceKind::OnDemand), plane(PriceKind::Spot)],
        };
        Self { setup: setup.clone(), job: Job::new(setup), classes: Vec::new(), planes }
    }

    /// Estimates classes that appeared.
    pub(crate) fn estimate(&mut self, table: &Table) {
        let new = table.classes().iter().skip(self.classes.len());
        let estimates: Vec<ClassEstimate> = new.map(|c| class::estimate(&self.setup, c)).collect();
        self.classes.extend(estimates);
    }

    /// Prices every slot.
    pub(crate) fn price_all(&mut self, table: &Table) {
        let (job, classes) = (&self.job, &self.classes);
        for plane in &mut self.planes {
            let kind = plane.kind;
            for column in [&mut plane.total, &mut plane.hours, &mut plane.fetch] {
                column.clear();
                column.resize(table.slots(), f64::NAN);
            }
            let price = |first: usize, cells: Cells<'_>| {
                let rows = cells.total.iter_mut().zip(cells.hours).zip(cells.fetch);
                for (at, ((total, hours), fetch)) in rows.enumerate() {
                    let figures = figures(job, classes, table, first + at, kind);
                    [*total, *hours, *fetch] = figures.unwrap_or([f64::NAN; 3]);
                }
            };
            let half = if table.slots() < 20_000 { table.slots() } else { table.slots() / 2 };
            let (total, total2) = plane.total.split_at_mut(half);
            let (hours, hours2) = plane.hours.split_at_mut(half);
            let (fetch, fetch2) = plane.fetch.split_at_mut(half);
            if total2.is_empty() {
                price(0, Cells { total, hours, fetch });
            } else {
                std::thread::scope(|scope| {
                    scope.spawn(|| {
                        price(half, Cells { total: total2, hours: hours2, fetch: fetch2 });
                    });
                    price(0, Cells { total, hours, fetch });
                });
            }
        }
    }

    /// Prices some slots again.
    pub(crate) fn price_some(&mut self, table: &Table, slots: &[u32]) {
        let (job, classes) = (&self.job, &self.classes);
        for plane in &mut self.planes {
            for column in [&mut plane.total, &mut plane.hours, &mut plane.fetch] {
                column.resize(table.slots(), f64::NAN);
            }
            for slot in slots {
                let at = *slot as usize;
                let figures = figures(job, classes, table, at, plane.kind);
                let [total, hours, fetch] = figures.unwrap_or([f64::NAN; 3]);
                set(&mut plane.total, at, total);
                set(&mut plane.hours, at, hours);
                set(&mut plane.fetch, at, fetch);
            }
        }
    }
}

/// A stretch of a plane's columns.
struct Cells<'a> {
    total: &'a mut [f64],
    hours: &'a mut [f64],
    fetch: &'a mut [f64],
}

fn set(column: &mut [f64], at: usize, value: f64) {
    if let Some(cell) = column.get_mut(at) {
        *cell = value;
    }
}

/// Expected total, hours and hours of fetching of a slot.
fn figures(
    job: &Job,
    classes: &[ClassEstimate],
    table: &Table,
    slot: usize,
    kind: PriceKind,
) -> Option<[f64; 3]> {
    let sound = |v: Option<f64>| v.filter(|v| v.is_finite() && *v >= 0.0).unwrap_or(f64::NAN);
    let (class, facts) = facts(classes, table, slot)?;
    let (total, hours, fetch) = job.expected(class, &facts, kind);
    Some([sound(total.map(Usd::get)), sound(hours.map(Hours::get)), sound(Some(fetch.get()))])
}

/// The quote of a slot.
pub(crate) fn quote(
    job: &Job,
    classes: &[ClassEstimate],
    table: &Table,
    slot: usize,
    kind: PriceKind,
) -> Option<RowQuote> {
    let (class, facts) = facts(classes, table, slot)?;
    Some(job.price(class, &facts, kind))
}

fn facts<'a>(
    classes: &'a [ClassEstimate],
    table: &Table,
    slot: usize,
) -> Option<(&'a ClassEstimate, RowFacts)> {
    let c = table.columns();
    let class = classes.get(*c.class.get(slot)? as usize)?;
    let cells = PriceCells {
        provider: *c.provider.get(slot)?,
        on_demand: *c.on_demand.get(slot)?,
        spot: *c.spot.get(slot)?,
        fees: *c.fees.get(slot)?,
        terms: *c.terms.get(slot)?,
        download: *c.download.get(slot)?,
        upload: *c.upload.get(slot)?,
        disk: *c.disk.get(slot)?,
    };
    Some((class, table.dictionaries().facts(&cells)))
}
