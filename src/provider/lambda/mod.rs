//! Lambda: whole machine types at list prices, with the regions that have them now.
//!
//! With a key `GET /api/v1/instance-types`; without one the list prices of gpuhunt's catalogue, which
//! know nothing of capacity. Sources: Lambda's OpenAPI 1.10.0, its billing page (2026), gpuhunt 0.1.34.

mod listed;
mod live;

pub(super) use listed::card;

use super::gpuhunt;
use super::http::RateLimit;
use super::source::{Context, Endpoint, KeyUse, Profile, Source};
use super::{FetchError, Fetching, Report, Sink};
use crate::offer::{Fees, Provider};
use crate::units::{Hours, UsdPerGb, UsdPerGbMonth};
use std::time::Duration;

const KEY_VARIABLE: &str = "LAMBDA_API_KEY";
const MOST_MB: u64 = 8;

const ENDPOINT: Endpoint =
    Endpoint { variable: "HAGGLE_LAMBDA_URL", address: "https://cloud.lambda.ai" };

static PROFILE: Profile = Profile {
    provider: Provider::Lambda,
    key: KeyUse::Optional,
    key_variable: Some(KEY_VARIABLE),
    endpoints: &[ENDPOINT, gpuhunt::GPUHUNT],
    // Documented: one a second.
    limit: RateLimit::per(1, 1),
    refresh: Duration::from_mins(5),
    about: "with a key live prices and capacity; without one the list prices of gpuhunt's catalogue",
};

/// Fees as documented in 2026 (docs.lambda.ai, billing): the disk is part of the machine; there is no
/// stopped state; traffic is free both ways; billed by the minute.
const FEES: Fees = Fees {
    storage: Some(UsdPerGbMonth::ZERO),
    storage_stopped: None,
    egress: Some(UsdPerGb::ZERO),
    ingress: Some(UsdPerGb::ZERO),
    minimum: Some(Hours::from_minutes(1.0)),
    monthly_cap: None,
};

/// The source.
#[derive(Debug)]
pub(super) struct Lambda;

impl Source for Lambda {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn fetch<'a>(&'a self, context: &'a Context, sink: &'a Sink) -> Fetching<'a> {
        Box::pin(fetch(context, sink))
    }
}

async fn fetch(context: &Context, sink: &Sink) -> Result<Report, FetchError> {
    match &context.key {
        Some(key) => {
            let report = live::fetch(context, key).await?.deliver(sink, Vec::new()).await?;
            Ok(Report { key_hint: Some(key.hint()), ..report })
        }
        None => listed::fetch(context, sink).await,
    }
}
