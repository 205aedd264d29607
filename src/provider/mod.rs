//! The providers: one file for each source, which fetches, parses, and knows its fees.
//!
//! A source streams what it finds into a [`Sink`], page by page, and ends with a [`Report`] or a
//! [`FetchError`]. It never knows who listens.

mod aws;
mod azure;
pub mod catalogue;
mod error;
mod gcp;
pub mod gpuhunt;
mod harvest;
pub mod http;
pub mod hub;
mod lambda;
pub mod lenient;
mod listed;
pub mod machines;
mod registry;
pub mod rows;
mod runpod;
mod skypilot;
mod source;
mod tensordock;
pub mod terms;
pub mod vast;
mod vultr;

pub use error::FetchError;
pub use registry::{registry, source};
pub use source::{Addresses, ApiKey, Context, Endpoint, KeyUse, Profile, Source, run};

use crate::offer::{Flags, Offer, Price, Provider};
use crate::units::UnixSeconds;
use std::future::Future;
use std::pin::Pin;
use tokio::sync::mpsc;

/// What a source says while it works.
#[derive(Debug)]
pub enum Update {
    /// More rows. The first batch of a fetch replaces nothing yet; see [`Update::Finished`].
    Rows {
        /// Who.
        provider: Provider,
        /// Which fetch; later fetches have higher numbers.
        generation: u64,
        /// The rows.
        offers: Vec<Offer>,
    },
    /// How far it is.
    Progress {
        /// Who.
        provider: Provider,
        /// Which fetch.
        generation: u64,
        /// What is known so far.
        progress: Progress,
    },
    /// It is done; rows of older generations may go.
    Finished {
        /// Who.
        provider: Provider,
        /// Which fetch.
        generation: u64,
        /// How it went.
        outcome: Result<Report, FetchError>,
    },
}

/// How far a fetch is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Rows so far.
    pub rows: usize,
    /// Rows in all, where the source says so.
    pub total: Option<usize>,
    /// Waiting for a rate limit or a retry until then.
    pub waiting_until: Option<UnixSeconds>,
}

/// How a fetch went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Rows delivered.
    pub rows: usize,
    /// Share of the market that was seen, where it can be told (0–1).
    pub coverage: Option<f64>,
    /// In words, why the coverage is not whole: `rate limit after 10 pages`.
    pub coverage_note: Option<String>,
    /// Rows that could not be read: reason, how many.
    pub rejected: Vec<(&'static str, usize)>,
    /// Nothing changed since the last fetch (cache validators); keep the rows.
    pub unchanged: bool,
    /// Which key was used, if any: its last four characters at most.
    pub key_hint: Option<String>,
}

/// Where a source puts what it finds.
#[derive(Clone, Debug)]
pub struct Sink {
    /// Who speaks.
    pub provider: Provider,
    /// Which fetch.
    pub generation: u64,
    /// Who listens. Bounded, so that a fast source waits for a slow reader.
    pub channel: mpsc::Sender<Update>,
}

impl Sink {
    /// Hands over rows. `false` when nobody listens any more: the source should stop.
    pub async fn rows(&self, offers: Vec<Offer>) -> bool {
        let update = Update::Rows { provider: self.provider, generation: self.generation, offers };
        self.channel.send(update).await.is_ok()
    }

    /// Says how far it is.
    pub async fn progress(&self, progress: Progress) -> bool {
        let update =
            Update::Progress { provider: self.provider, generation: self.generation, progress };
        self.channel.send(update).await.is_ok()
    }
}

/// A boxed future, so that sources can stand in one list.
pub type Fetching<'a> = Pin<Box<dyn Future<Output = Result<Report, FetchError>> + Send + 'a>>;

/// Dollars per GPU-hour that real offers lie between; others are marked, not hidden.
const USUAL_PRICE: std::ops::RangeInclusive<f64> = 0.02..=40.0;

/// What looks wrong about a price for `gpus` cards.
pub fn price_flags(price: &Price, gpus: f64) -> Flags {
    let mut flags = Flags::default();
    let odd = price.on_demand.is_some_and(|p| !USUAL_PRICE.contains(&(p.get() / gpus)));
    if odd {
        flags = flags.with(Flags::ODD_PRICE);
    }
    if price.spot.zip(price.on_demand).is_some_and(|(spot, full)| spot >= full) {
        flags = flags.with(Flags::SPOT_NOT_CHEAPER);
    }
    flags
}
