//! The providers: one file for each source, which fetches, parses, and knows its fees.
//!
//! A source streams what it finds into a [`Sink`], page by page, and ends with a [`Report`] or a
//! [`FetchError`]. It never knows who listens.

mod aws;
mod azure;
pub mod catalogue;
mod error;
mod figures;
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

use crate::offer::{Offer, Provider, Text};
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
    /// Machine types with GPUs of which we do not know what is inside, and how many rows name them;
    /// those rows have a price, and neither a card nor a count.
    pub unknown_types: Vec<(Text, usize)>,
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
