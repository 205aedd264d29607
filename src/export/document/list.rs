//! The documents as a whole: what `list`, `best`, `quote` and `estimate` print.

use super::{BillDocument, FitDocument, OfferDocument, RangeDocument, VERSION, finite, rfc3339};
use crate::estimate::advice::Limits;
use crate::estimate::fit::{Advice, Fit, Verdict};
use crate::estimate::quote::{PriceKind, Speed};
use crate::estimate::scaling::Count;
use crate::export::Context;
use crate::market::kin::Elsewhere;
use crate::offer::Basis;
use crate::setup::{Setup, Shard};
use crate::units::{TokensPerSecond, UnixSeconds};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// `haggle.list/1`: the rows of a query.
#[derive(Clone, Debug, Serialize)]
pub struct ListDocument {
    schema: &'static str,
    haggle: &'static str,
    at: String,
    /// The query as it was understood.
    pub query: String,
    setup: Value,
    /// The rows, in order.
    pub offers: Vec<OfferDocument>,
    /// How each provider fared.
    pub providers: Vec<ProviderDocument>,
    /// Rows in `offers`.
    pub shown: usize,
    /// Rows in the market.
    pub total: usize,
    /// Why the others are not shown.
    pub excluded: BTreeMap<String, usize>,
}

/// How one provider fared.
#[derive(Clone, Debug, Serialize)]
pub struct ProviderDocument {
    /// Its name.
    pub name: &'static str,
    /// A word: `live`, `cached`, `snapshot`, `failed`, …
    pub status: String,
    /// Rows that it has in the market.
    pub rows: usize,
    /// Age of its rows.
    pub age_seconds: Option<i64>,
    /// Share of its market that was seen.
    pub coverage: Option<f64>,
    /// What went wrong.
    pub error: Option<String>,
}

impl ListDocument {
    /// An empty list for `query` and `setup`, to be filled.
    pub fn new(at: UnixSeconds, query: String, setup: &Setup) -> Self {
        Self {
            schema: "haggle.list/1",
            haggle: VERSION,
            at: rfc3339(at),
            query,
            setup: super::setup(setup),
            offers: Vec::new(),
            providers: Vec::new(),
            shown: 0,
            total: 0,
            excluded: BTreeMap::new(),
        }
    }
}

/// `haggle.quote/1`: one offer for one setup. Fit and quote also stand at the top, where a script
/// looks for them first.
#[derive(Clone, Debug, Serialize)]
pub struct QuoteDocument {
    schema: &'static str,
    haggle: &'static str,
    at: String,
    setup: Value,
    /// The offer, with fit and quote.
    pub offer: OfferDocument,
    fit: FitDocument,
    quote: BillDocument,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scaling: Vec<CountDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    elsewhere: Vec<ElsewhereDocument>,
}

/// The cheapest job on the same hardware at one place of one provider.
#[derive(Clone, Debug, Serialize)]
pub struct ElsewhereDocument {
    id: String,
    provider: &'static str,
    region: String,
    pricing: PriceKind,
    usd_per_hour: Option<f64>,
    hours: Option<f64>,
    total_usd: Option<f64>,
    offers: usize,
    here: bool,
}

impl ElsewhereDocument {
    /// From a place.
    pub fn new(place: &Elsewhere) -> Self {
        Self {
            id: place.offer.id(),
            provider: place.offer.provider.name(),
            region: place.offer.place.raw.to_string(),
            pricing: place.line.kind,
            usd_per_hour: place.price.and_then(|p| finite(p.get())),
            hours: place.hours.and_then(|h| finite(h.get())),
            total_usd: place.total.and_then(|t| finite(t.get())),
            offers: place.offers,
            here: place.own,
        }
    }
}

/// The job on another number of GPUs of the same kind.
#[derive(Clone, Debug, Serialize)]
pub struct CountDocument {
    gpus: u32,
    shard: Shard,
    verdict: Verdict,
    hours: Option<f64>,
    total_usd: Option<f64>,
    offer: Option<String>,
    usd_per_hour_saved: Option<f64>,
}

impl CountDocument {
    /// From a count and the id of the offer that it is made of.
    pub fn new(count: &Count, offer: Option<String>) -> Self {
        Self {
            gpus: count.gpus,
            shard: count.shard,
            verdict: count.estimate.fit.verdict,
            hours: count.quote.hours.and_then(|h| finite(h.expected.get())),
            total_usd: count.quote.total.and_then(|t| finite(t.expected.get())),
            offer,
            usd_per_hour_saved: count.usd_per_hour_saved.and_then(finite),
        }
    }
}

impl QuoteDocument {
    /// From what an export is made of.
    pub fn new(c: &Context<'_>) -> Self {
        let offer = OfferDocument::new(c.offer, c.fit, c.advice, c.quote);
        Self {
            schema: "haggle.quote/1",
            haggle: VERSION,
            at: rfc3339(c.at),
            setup: super::setup(c.setup),
            fit: offer.fit.clone(),
            quote: offer.quote.clone(),
            offer,
            scaling: Vec::new(),
            elsewhere: Vec::new(),
        }
    }

    /// States the job on other numbers of GPUs.
    pub fn with_scaling(mut self, scaling: Vec<CountDocument>) -> Self {
        self.scaling = scaling;
        self
    }

    /// States the same hardware at other places.
    pub fn with_elsewhere(mut self, elsewhere: Vec<ElsewhereDocument>) -> Self {
        self.elsewhere = elsewhere;
        self
    }
}

/// `haggle.estimate/1`: fit and speed without a market.
#[derive(Clone, Debug, Serialize)]
pub struct EstimateDocument {
    schema: &'static str,
    haggle: &'static str,
    gpu: &'static str,
    gpus: super::Count,
    setup: Value,
    fit: FitDocument,
    speed: SpeedDocument,
    at_most: LimitsDocument,
}

/// What the card takes at most, with the rest of the setup as it is; each by itself.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LimitsDocument {
    micro_batch: Option<u32>,
    seq_len: Option<u32>,
    model: Option<String>,
}

/// How fast it trains.
#[derive(Clone, Debug, Serialize)]
pub struct SpeedDocument {
    tokens_per_second: Option<RangeDocument>,
    mfu: Option<f64>,
    basis: Basis,
    note: String,
}

impl EstimateDocument {
    /// From an estimate for `gpus` cards named `gpu`.
    pub fn new(
        (gpu, gpus): (&'static str, f64),
        setup: &Setup,
        (fit, advice): (&Fit, &[Advice]),
        speed: &Speed,
    ) -> Self {
        Self {
            schema: "haggle.estimate/1",
            haggle: VERSION,
            gpu,
            gpus: super::Count(gpus),
            setup: super::setup(setup),
            fit: FitDocument::new(fit, advice),
            speed: SpeedDocument {
                tokens_per_second: speed
                    .tokens_per_second
                    .map(|t| RangeDocument::new(t, TokensPerSecond::get)),
                mfu: speed.mfu.and_then(finite),
                basis: speed.basis,
                note: speed.note.clone(),
            },
            at_most: LimitsDocument::default(),
        }
    }

    /// States what the card takes at most.
    pub fn with_limits(mut self, limits: &Limits) -> Self {
        self.at_most = LimitsDocument {
            micro_batch: limits.micro_batch,
            seq_len: limits.seq_len,
            model: limits.model.as_ref().map(|m| m.id.clone()),
        };
        self
    }
}
