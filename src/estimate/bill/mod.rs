//! Hours and dollars: what is fixed for the job, what a row costs, and the bill in words.
//!
//! [`Job::price`] is the one place where money is computed. The table calls it for every row, and
//! [`explain()`] calls it for the bill of one offer, so the two can never disagree.

mod assumptions;
mod cap;
mod explain;
mod job;
mod price;
mod spot;
mod terms;

#[cfg(test)]
mod disk_tests;
#[cfg(test)]
pub(super) mod tests;

pub use explain::explain;
pub use job::Job;

use super::quote::ItemKind;
use crate::offer::{Offer, Provider};
use crate::units::{
    Gb, Hours, Mbps, PerHour, Range, Share, Usd, UsdPerGb, UsdPerGbMonth, UsdPerHour,
};

/// The figures of one offer that money depends on; plain numbers, so that a million rows are cheap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowFacts {
    /// Who rents it out; boot times and rules differ.
    pub provider: Provider,
    /// Price per hour of the whole offer, guaranteed.
    pub on_demand: Option<UsdPerHour>,
    /// Price per hour of the whole offer, interruptible.
    pub spot: Option<UsdPerHour>,
    /// Disk while running.
    pub storage: Option<UsdPerGbMonth>,
    /// Disk while stopped.
    pub storage_stopped: Option<UsdPerGbMonth>,
    /// Traffic out.
    pub egress: Option<UsdPerGb>,
    /// Traffic in.
    pub ingress: Option<UsdPerGb>,
    /// Shortest time billed.
    pub minimum: Option<Hours>,
    /// Hours of a month after which the rest of it is free.
    pub monthly_cap: Option<Hours>,
    /// Download speed.
    pub download: Option<Mbps>,
    /// Upload speed.
    pub upload: Option<Mbps>,
    /// Largest disk.
    pub disk: Option<Gb>,
    /// Interruptions per hour when spot.
    pub hazard: Option<Range<PerHour>>,
}

impl RowFacts {
    /// An offer of which nothing is known.
    pub(crate) const UNKNOWN: RowFacts = RowFacts {
        provider: Provider::Vast,
        on_demand: None,
        spot: None,
        storage: None,
        storage_stopped: None,
        egress: None,
        ingress: None,
        minimum: None,
        monthly_cap: None,
        download: None,
        upload: None,
        disk: None,
        hazard: None,
    };
}

impl From<&Offer> for RowFacts {
    fn from(o: &Offer) -> Self {
        Self {
            provider: o.provider,
            on_demand: o.price.on_demand,
            spot: o.price.spot,
            storage: o.fees.storage,
            storage_stopped: o.fees.storage_stopped,
            egress: o.fees.egress,
            ingress: o.fees.ingress,
            minimum: o.fees.minimum,
            monthly_cap: o.fees.monthly_cap,
            download: o.download,
            upload: o.upload,
            disk: o.disk,
            hazard: o.hazard.map(|h| h.rate),
        }
    }
}

/// What one row costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowQuote {
    /// From launch to the end of the machine.
    pub hours: Option<Range<Hours>>,
    /// Hours of fetching image, weights and data (expected).
    pub fetch: Option<Hours>,
    /// The bill, by [`ItemKind`]; `None` is unknown.
    pub items: [Option<Usd>; ItemKind::COUNT],
    /// The total; `expected` is the sum of the known items.
    pub total: Option<Range<Usd>>,
    /// The job would be interrupted so often that it takes more than ten times its work.
    pub never_finishes: bool,
    /// The largest disk of the offer is smaller than what the job needs, or than what was asked for.
    pub disk_short: bool,
}

impl RowQuote {
    /// Fetching as a share of all hours (expected).
    pub fn fetch_share(&self) -> Option<Share> {
        let (fetch, hours) = (self.fetch?, self.hours?.expected);
        (hours.get() > 0.0).then(|| Share::new(fetch / hours))
    }
}
