//! Vultr: cloud GPU plans, slices of cards among them, and whole machines, priced by region.
//!
//! `GET /v2/plans`, `/v2/plans-metal` and `/v2/regions`, public and paged by a cursor. Sources:
//! Vultr's API reference and billing pages (2025-09), real answers of September 2026.

mod plan;

use super::harvest::{Harvest, list, tree};
use super::http::RateLimit;
use super::source::{Context, Endpoint, KeyUse, Profile, Source};
use super::{FetchError, Fetching, Report, Sink};
use crate::offer::Provider;
use plan::{Plan, Regions, Shelf};
use serde_json::Value;
use std::collections::HashSet;
use std::time::Duration;

const KEY_VARIABLE: &str = "VULTR_API_KEY";
/// Plans of a page; the most that Vultr gives.
const PAGE: &str = "500";
/// Pages of one list: three hundred plans were all there was in 2026.
const MOST_PAGES: usize = 20;
const MOST_MB: u64 = 8;

const ENDPOINT: Endpoint =
    Endpoint { variable: "HAGGLE_VULTR_URL", address: "https://api.vultr.com" };

static PROFILE: Profile = Profile {
    provider: Provider::Vultr,
    key: KeyUse::Optional,
    key_variable: Some(KEY_VARIABLE),
    endpoints: &[ENDPOINT],
    // Documented: 30 a second for each address.
    limit: RateLimit::per(10, 1),
    refresh: Duration::from_mins(15),
    about: "plans, metal plans and regions; public, a key is used only if they refuse without one",
};

/// The source.
#[derive(Debug)]
pub(super) struct Vultr;

impl Source for Vultr {
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
        let mut notes = Vec::new();
        let regions = match self.pages("/v2/regions", "regions").await {
            Ok(rows) => Regions::read(&rows),
            // Without the list the rows lose their countries, nothing else.
            Err(error) => {
                notes.push(format!("regions: {error}"));
                Regions::default()
            }
        };
        let mut harvest = Harvest::default();
        let clouds = self.pages("/v2/plans", "plans").await?;
        let metals = match self.pages("/v2/plans-metal", "plans_metal").await {
            Ok(rows) => rows,
            Err(error) => {
                notes.push(format!("metal plans: {error}"));
                Vec::new()
            }
        };
        let now = self.context.now;
        for (rows, shelf) in [(clouds, Shelf::Cloud), (metals, Shelf::Metal)] {
            for row in &rows {
                Plan::offers(row, shelf, &regions, now, &mut harvest);
            }
        }
        let report = harvest.deliver(sink, notes).await?;
        let key = self.context.key.as_ref().filter(|_| self.with_key);
        Ok(Report { key_hint: key.map(super::ApiKey::hint), ..report })
    }

    /// All rows of a list, from page to page.
    async fn pages(&mut self, path: &str, member: &str) -> Result<Vec<Value>, FetchError> {
        let mut all = Vec::new();
        let mut asked = HashSet::new();
        let mut cursor = String::new();
        loop {
            let page = self.page(path, &cursor).await?;
            let rows = list(&page, member).filter(|_| page.get(member).is_some());
            let rows = rows
                .ok_or_else(|| FetchError::Unreadable(format!("it holds no list of {member}")))?;
            all.extend(rows.into_iter().map(|(_, row)| row.clone()));
            let next = page.pointer("/meta/links/next").and_then(Value::as_str).unwrap_or("");
            if next.is_empty() {
                return Ok(all);
            }
            if asked.len() + 1 >= MOST_PAGES || !asked.insert(next.to_owned()) {
                return Err(FetchError::Endless(asked.len() + 1));
            }
            next.clone_into(&mut cursor);
        }
    }

    /// One page; asked again with the key if it is refused without.
    async fn page(&mut self, path: &str, cursor: &str) -> Result<Value, FetchError> {
        match self.ask(path, cursor).await {
            Err(FetchError::NeedsKey(_)) if self.context.key.is_some() && !self.with_key => {
                self.with_key = true;
                self.ask(path, cursor).await
            }
            outcome => outcome,
        }
    }

    async fn ask(&self, path: &str, cursor: &str) -> Result<Value, FetchError> {
        let mut query = vec![("per_page", PAGE)];
        if path == "/v2/plans" {
            query.push(("type", "all"));
        }
        if !cursor.is_empty() {
            query.push(("cursor", cursor));
        }
        let key = self.context.key.as_ref().filter(|_| self.with_key);
        let call = self.context.call(ENDPOINT, path)?.query(&query).key(key).most_mb(MOST_MB);
        tree(&call.remembered().body().await?.bytes)
    }
}
