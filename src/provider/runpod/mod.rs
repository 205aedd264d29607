//! RunPod: list prices for one GPU of each kind, in its own data centres (secure) and in those of
//! others (community), with stock by place.
//!
//! With a key `GET /v2/catalog/gpus`; without one, or when that fails, the older GraphQL, which
//! answers without a key. Spot ended on 2026-09-11: fields that still speak of it are not read.
//! Sources: runpod/docs of 2026-08-20, gpuhunt of 2026-08-19, answers of August 2026.

mod graphql;
mod offer;
mod rest;

use super::harvest::Harvest;
use super::http::RateLimit;
use super::source::{Context, Endpoint, KeyUse, Profile, Source};
use super::{FetchError, Fetching, Report, Sink};
use crate::offer::Provider;
use std::time::Duration;

const KEY_VARIABLE: &str = "RUNPOD_API_KEY";
const MOST_MB: u64 = 16;

/// The host of both interfaces: `/graphql` and `/v2`.
const ENDPOINT: Endpoint =
    Endpoint { variable: "HAGGLE_RUNPOD_URL", address: "https://api.runpod.io" };

static PROFILE: Profile = Profile {
    provider: Provider::Runpod,
    key: KeyUse::Optional,
    key_variable: Some(KEY_VARIABLE),
    endpoints: &[ENDPOINT],
    // Documented for REST: 60 a minute.
    limit: RateLimit::per(50, 60),
    refresh: Duration::from_mins(10),
    about: "prices and stock by place; with a key from REST v2, without one from GraphQL",
};

/// The source.
#[derive(Debug)]
pub(super) struct Runpod;

impl Source for Runpod {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn fetch<'a>(&'a self, context: &'a Context, sink: &'a Sink) -> Fetching<'a> {
        Box::pin(fetch(context, sink))
    }
}

async fn fetch(context: &Context, sink: &Sink) -> Result<Report, FetchError> {
    let mut notes = Vec::new();
    let mut harvest = Harvest::default();
    let (mut key_hint, mut refused) = (None, None);
    if let Some(key) = &context.key {
        match rest::fetch(context, key).await {
            Ok(found) if !found.offers().is_empty() => {
                (harvest, key_hint) = (found, Some(key.hint()));
            }
            Ok(_) => notes.push("REST v2 holds no offers; asked GraphQL".to_string()),
            Err(error) => {
                notes.push(format!("REST v2: {error}; asked GraphQL"));
                refused = Some(error).filter(|e| matches!(e, FetchError::BadKey { .. }));
            }
        }
    }
    if key_hint.is_none() {
        harvest = match (graphql::fetch(context, &mut notes).await, refused) {
            // Without the key it does not go either, and the key is what is wrong.
            (Err(FetchError::NeedsKey(_)), Some(refused)) => return Err(refused),
            (outcome, _) => outcome?,
        };
    }
    let report = harvest.deliver(sink, notes).await?;
    Ok(Report { key_hint, ..report })
}
