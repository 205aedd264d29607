//! TensorDock: cards at places, and on single hosts, with processors, memory and disk priced apart.
//!
//! `GET /api/v2/locations` (what a place has, priced for the place) and `/api/v2/hostnodes` (single
//! hosts, with their uptime and network). Reported both with and without need of a key: asked
//! without, and once more with it when refused. Sources: TensorDock's API pages of 2026, clients of
//! the same year.

mod row;

use super::harvest::{Harvest, list, tree};
use super::http::RateLimit;
use super::source::{Context, Endpoint, KeyUse, Profile, Source};
use super::{FetchError, Fetching, Report, Sink};
use crate::offer::Provider;
use row::Reader;
use serde_json::Value;
use std::time::Duration;

const KEY_VARIABLE: &str = "TENSORDOCK_API_KEY";
const MOST_MB: u64 = 16;

const ENDPOINT: Endpoint =
    Endpoint { variable: "HAGGLE_TENSORDOCK_URL", address: "https://dashboard.tensordock.com" };

static PROFILE: Profile = Profile {
    provider: Provider::Tensordock,
    key: KeyUse::Optional,
    key_variable: Some(KEY_VARIABLE),
    endpoints: &[ENDPOINT],
    // Documented: 100 a minute for each organisation.
    limit: RateLimit::per(60, 60),
    refresh: Duration::from_mins(10),
    about: "places and hosts; a key is used only if they refuse without one",
};

/// The source.
#[derive(Debug)]
pub(super) struct Tensordock;

impl Source for Tensordock {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn fetch<'a>(&'a self, context: &'a Context, sink: &'a Sink) -> Fetching<'a> {
        Box::pin(Fetch { context, with_key: false }.whole(sink))
    }
}

struct Fetch<'a> {
    context: &'a Context,
    with_key: bool,
}

impl Fetch<'_> {
    async fn whole(mut self, sink: &Sink) -> Result<Report, FetchError> {
        let mut harvest = Harvest::default();
        let reader = Reader { now: self.context.now };
        let places = self.rows("/api/v2/locations", "locations").await?;
        for place in &places {
            reader.location(place, &mut harvest);
        }
        let mut notes = Vec::new();
        match self.rows("/api/v2/hostnodes", "hostnodes").await {
            Ok(hosts) => hosts.iter().for_each(|host| reader.host(host, &mut harvest)),
            Err(error) => notes.push(format!("single hosts: {error}")),
        }
        let report = harvest.deliver(sink, notes).await?;
        let key = self.context.key.as_ref().filter(|_| self.with_key);
        Ok(Report { key_hint: key.map(super::ApiKey::hint), ..report })
    }

    /// The rows of one list; asked again with the key if it is refused without.
    async fn rows(&mut self, path: &str, member: &str) -> Result<Vec<Value>, FetchError> {
        let answer = match self.ask(path).await {
            Err(FetchError::NeedsKey(_)) if self.context.key.is_some() && !self.with_key => {
                self.with_key = true;
                self.ask(path).await
            }
            outcome => outcome,
        }?;
        rows(&answer, member)
    }

    async fn ask(&self, path: &str) -> Result<Value, FetchError> {
        let key = self.context.key.as_ref().filter(|_| self.with_key);
        let call = self.context.call(ENDPOINT, path)?.key(key).most_mb(MOST_MB);
        tree(&call.remembered().body().await?.bytes)
    }
}

/// The rows, in any of the three envelopes that clients have met: `data.locations`, `locations`, a
/// bare list.
fn rows(answer: &Value, member: &str) -> Result<Vec<Value>, FetchError> {
    let inner = answer.get("data").filter(|d| !d.is_null()).unwrap_or(answer);
    let rows = list(inner, member)
        .ok_or_else(|| FetchError::Unreadable(format!("it holds no list of {member}")))?;
    Ok(rows.into_iter().map(|(_, row)| row.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_envelope_may_change() {
        for answer in [
            json!({"data": {"locations": [{"id": 1}]}}),
            json!({"locations": [{"id": 1}]}),
            json!([{"id": 1}]),
            json!({"data": [{"id": 1}]}),
        ] {
            assert_eq!(rows(&answer, "locations").unwrap().len(), 1, "{answer}");
        }
        for answer in [json!({"error": "Unauthorized"}), json!("x"), json!({"data": {"a": 1}})] {
            assert!(rows(&answer, "locations").is_err(), "{answer}");
        }
    }
}
