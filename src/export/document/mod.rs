//! The shapes that scripts read: what `haggle` prints under `--format json`, `yaml` and `csv`, and
//! what the exports hold. Names and meanings are promises; more may be added.
//!
//! Quantities carry their unit in the name, unknown is `null`, and no figure is ever infinite or
//! not a number.

mod fit;
mod flat;
mod list;
mod offer;
mod quote;
mod setup;

pub use fit::{AdviceDocument, FitDocument};
pub(crate) use flat::{COLUMNS, Cell};
pub use list::{
    CountDocument, ElsewhereDocument, EstimateDocument, LimitsDocument, ListDocument,
    ProviderDocument, QuoteDocument, SpeedDocument,
};
pub use offer::OfferDocument;
pub use quote::BillDocument;
pub use setup::setup;

use crate::units::{Range, UnixSeconds};
use serde::{Serialize, Serializer};

/// Version of the program, as every document states it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The JSON Schema of every document (JSON Schema 2020-12).
pub const SCHEMA: &str = include_str!("../../../assets/schema.json");

/// A moment as RFC 3339 in UTC: `2026-12-01T01:22:00Z`.
pub fn rfc3339(at: UnixSeconds) -> String {
    jiff::Timestamp::from_second(at.0).map_or_else(|_| "unknown".to_owned(), |t| t.to_string())
}

/// The word by which a choice goes in JSON: `on-demand`, `fits`, `live`.
pub(crate) fn name<T: Serialize>(choice: &T) -> String {
    match serde_json::to_value(choice) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// Low, expected and high value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RangeDocument {
    /// Few will stay below.
    pub low: Option<f64>,
    /// To plan with.
    pub expected: Option<f64>,
    /// Few will exceed.
    pub high: Option<f64>,
}

impl RangeDocument {
    fn new<T: Copy>(range: Range<T>, number: impl Fn(T) -> f64) -> Self {
        Self {
            low: finite(number(range.low)),
            expected: finite(number(range.expected)),
            high: finite(number(range.high)),
        }
    }
}

/// A number that can be written; `None` for what is infinite or no number.
pub(crate) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// A number that is written without a point when it is whole: `2` GPUs, `0.125` GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count(pub f64);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && (0.0..1e15).contains(&self.0) {
            serializer.serialize_u64(self.0 as u64)
        } else {
            finite(self.0).serialize(serializer)
        }
    }
}
