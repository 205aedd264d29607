//! QUOTE: hours and dollars, item by item.

use super::{RangeDocument, finite};
use crate::estimate::quote::{Disk, Interruption, ItemKind, PriceKind, Quote};
use crate::offer::Basis;
use crate::units::{Hours, PerHour, Usd};
use serde::Serialize;
use serde::ser::SerializeMap;

/// A bill; `total_usd.expected` is the sum of the items whose dollars are known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BillDocument {
    pricing: PriceKind,
    hours: Option<RangeDocument>,
    stages: Vec<StageDocument>,
    items: Vec<ItemDocument>,
    total_usd: Option<RangeDocument>,
    unknown: Vec<String>,
    assumptions: Pairs,
    never_finishes: bool,
    disk: DiskDocument,
    interruption: Option<InterruptionDocument>,
    forgotten: ForgottenDocument,
    what_if: Option<String>,
    hosted: Option<HostedDocument>,
}

/// What a hosted service would take for the same tokens, by the price that the user gave.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct HostedDocument {
    label: String,
    date: String,
    usd_per_million_tokens: f64,
    usd: Option<f64>,
}

/// The disk that the bill is made with; `problem` says why it is too small.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct DiskDocument {
    rented_gb: Option<f64>,
    needed_gb: Option<f64>,
    largest_gb: Option<f64>,
    problem: Option<String>,
}

/// What interruptions do to the job on a spot machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct InterruptionDocument {
    hazard_per_hour: Option<RangeDocument>,
    source: String,
    expected: Option<f64>,
    restart_hours: Option<f64>,
    save_hours: Option<f64>,
    interval_hours: Option<f64>,
    best_interval_hours: Option<f64>,
    break_even_per_hour: Option<f64>,
}

/// What it costs to leave the machine on over a weekend, or stopped with its disk for a month.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct ForgottenDocument {
    weekend_usd: Option<f64>,
    stopped_month_usd: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct StageDocument {
    name: &'static str,
    hours: Option<f64>,
    basis: Basis,
}

/// One line of the bill.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ItemDocument {
    pub(crate) name: ItemKind,
    pub(crate) usd: Option<f64>,
    pub(crate) unit: String,
    pub(crate) basis: Basis,
    pub(crate) source: String,
    pub(crate) age_seconds: Option<i64>,
}

/// Names and values in their own order.
#[derive(Clone, Debug, PartialEq)]
struct Pairs(Vec<(&'static str, String)>);

impl Serialize for Pairs {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl BillDocument {
    /// From a quote.
    pub fn new(quote: &Quote) -> Self {
        Self {
            pricing: quote.pricing,
            hours: quote.hours.map(|h| RangeDocument::new(h, Hours::get)),
            stages: quote
                .stages
                .iter()
                .map(|s| StageDocument {
                    name: s.name,
                    hours: finite(s.hours.get()),
                    basis: s.basis,
                })
                .collect(),
            items: quote
                .items
                .iter()
                .map(|i| ItemDocument {
                    name: i.kind,
                    usd: i.usd.and_then(|u| finite(u.get())),
                    unit: i.unit.clone(),
                    basis: i.basis,
                    source: i.source.clone(),
                    age_seconds: i.age_seconds,
                })
                .collect(),
            total_usd: quote.total.map(|t| RangeDocument::new(t, Usd::get)),
            unknown: quote.unknown.clone(),
            assumptions: Pairs(quote.assumptions.clone()),
            never_finishes: quote.never_finishes,
            disk: DiskDocument::new(&quote.disk),
            interruption: quote.interruption.as_ref().map(InterruptionDocument::new),
            forgotten: ForgottenDocument {
                weekend_usd: quote.forgotten.weekend.and_then(|u| finite(u.get())),
                stopped_month_usd: quote.forgotten.stopped_month.and_then(|u| finite(u.get())),
            },
            what_if: quote.what_if.clone(),
            hosted: quote.hosted.as_ref().map(|(hosted, usd)| HostedDocument {
                label: hosted.label.clone(),
                date: hosted.date.clone(),
                usd_per_million_tokens: hosted.usd_per_million,
                usd: finite(usd.get()),
            }),
        }
    }

    /// Which price it is made of.
    pub(crate) fn pricing(&self) -> PriceKind {
        self.pricing
    }

    /// Hours from launch to end.
    pub(crate) fn hours(&self) -> Option<RangeDocument> {
        self.hours
    }

    /// Dollars in all.
    pub(crate) fn total(&self) -> Option<RangeDocument> {
        self.total_usd
    }

    /// The lines of the bill.
    pub(crate) fn items(&self) -> &[ItemDocument] {
        &self.items
    }

    /// What is missing from the total.
    pub(crate) fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// Which of our figures the user has replaced.
    pub(crate) fn what_if(&self) -> Option<&str> {
        self.what_if.as_deref()
    }

    /// What was assumed.
    pub(crate) fn assumptions(&self) -> &[(&'static str, String)] {
        &self.assumptions.0
    }
}

impl DiskDocument {
    fn new(disk: &Disk) -> Self {
        Self {
            rented_gb: finite(disk.rented.get()),
            needed_gb: finite(disk.needed.get()),
            largest_gb: disk.largest.and_then(|g| finite(g.get())),
            problem: disk.problem(),
        }
    }
}

impl InterruptionDocument {
    fn new(i: &Interruption) -> Self {
        Self {
            hazard_per_hour: i.hazard.map(|h| RangeDocument::new(h, PerHour::get)),
            source: i.source.clone(),
            expected: i.expected.and_then(finite),
            restart_hours: finite(i.restart.get()),
            save_hours: finite(i.save.get()),
            interval_hours: finite(i.interval.get()),
            best_interval_hours: i.best_interval.and_then(|h| finite(h.get())),
            break_even_per_hour: i.break_even.and_then(|r| finite(r.get())),
        }
    }
}
