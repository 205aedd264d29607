//! Vast.ai: a market of other people's machines, where every row is one slice of one machine.
//!
//! `POST /api/v0/bundles/` with the query as JSON; where that is refused as such, the older
//! `GET ?q=`. With a key the whole market comes in one answer; without one an answer shows 64 rows,
//! and the market is walked by price as far as the documented 10 searches a minute reach. Sources:
//! Vast.ai's documentation and command line of August 2026.

mod identity;
mod row;
mod walk;

use super::http::RateLimit;
use super::rows::Rows;
use super::source::{Context, Endpoint, KeyUse, Profile, Source};
use super::{FetchError, Fetching, Progress, Report, Sink};
use crate::offer::{Offer, Provider};
use crate::units::UnixSeconds;
use identity::Names;
use row::{Reader, Row};
use serde_json::json;
use std::time::Duration;
use walk::Walk;

const SOURCE: &str = "Vast.ai search (POST /api/v0/bundles/)";
const PATH: &str = "/api/v0/bundles/";
/// Under which the names of slices are remembered for the next refresh.
const SLICES: &str = "Vast.ai slices";
const KEY_VARIABLE: &str = "VAST_API_KEY";
/// Rows of an answer without a key, whatever is asked for.
const PAGE: usize = 64;
/// Rows to ask for with a key: more than the whole market (25,000 in March 2026).
const ALL: usize = 60_000;
/// Megabytes of an answer: 25,000 offers were 95 MB in March 2026.
const MOST_MB: u64 = 400;
/// Offers handed over at a time.
const BATCH: usize = 512;
/// Pages of one refresh.
const MOST_PAGES: usize = 60;

const ENDPOINT: Endpoint =
    Endpoint { variable: "HAGGLE_VAST_URL", address: "https://console.vast.ai" };

static PROFILE: Profile = Profile {
    provider: Provider::Vast,
    key: KeyUse::Optional,
    key_variable: Some(KEY_VARIABLE),
    endpoints: &[ENDPOINT],
    limit: RateLimit::per(10, 60),
    refresh: Duration::from_mins(5),
    about: "live offers; without a key 64 an answer, 10 answers a minute; with one the whole market",
};

/// The source.
#[derive(Debug)]
pub(super) struct Vast;

impl Source for Vast {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn fetch<'a>(&'a self, context: &'a Context, sink: &'a Sink) -> Fetching<'a> {
        Box::pin(Fetch::new(context, sink).whole())
    }
}

/// One refresh under way.
struct Fetch<'a> {
    context: &'a Context,
    sink: &'a Sink,
    reader: Reader,
    batch: Vec<Offer>,
    delivered: usize,
    get: bool,
    with_key: bool,
}

/// What one answer held.
#[derive(Debug, Default)]
struct Page {
    rows: usize,
    prices: Option<(f64, f64)>,
}

impl<'a> Fetch<'a> {
    fn new(context: &'a Context, sink: &'a Sink) -> Self {
        let before = context.http.known(SLICES).unwrap_or_default();
        let reader = Reader::new(context.now, Names::after(&before));
        let with_key = context.key.is_some();
        Self { context, sink, reader, batch: Vec::new(), delivered: 0, get: false, with_key }
    }

    async fn whole(mut self) -> Result<Report, FetchError> {
        let mut refused = None;
        let mut walk = Walk::default();
        let mut pages = 0;
        if self.with_key {
            match self.page(None, ALL).await {
                Ok(page) => {
                    // A full page is a part of the market, in no order that the walk could go on from.
                    if page.rows < ALL && page.rows != PAGE {
                        walk.note(0.0, page.rows, page.prices, false);
                    }
                    pages = 1;
                }
                Err(error @ FetchError::BadKey { .. }) => {
                    self.with_key = false;
                    refused = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        let stopped = match (self.walk(&mut walk, pages).await, &refused) {
            // Without the key it does not go either, and the key is what is wrong.
            (Err(FetchError::NeedsKey(_)), Some(refused)) => return Err(refused.clone()),
            (outcome, _) => outcome?,
        };
        self.hand_over().await?;
        self.report(&walk, stopped, refused)
    }

    /// Asks on, from price to price, until the market is covered or something says stop.
    async fn walk(
        &mut self,
        walk: &mut Walk,
        mut pages: usize,
    ) -> Result<Option<String>, FetchError> {
        while let Some(from) = walk.next() {
            if pages >= MOST_PAGES {
                return Ok(Some(format!("stopped after {pages} pages")));
            }
            match self.page(Some(from), if self.with_key { ALL } else { PAGE }).await {
                Ok(page) => walk.note(from, page.rows, page.prices, page.rows >= PAGE),
                Err(FetchError::RateLimited { .. }) if pages > 0 => {
                    return Ok(Some(format!("rate limit after {pages} pages of {PAGE}")));
                }
                Err(error) => return Err(error),
            }
            pages += 1;
        }
        Ok(None)
    }

    fn report(
        self,
        walk: &Walk,
        stopped: Option<String>,
        refused: Option<FetchError>,
    ) -> Result<Report, FetchError> {
        let rejected = self.reader.rejected();
        if self.delivered == 0 {
            let bad: usize = rejected.iter().map(|(_, n)| n).sum();
            return Err(match bad {
                0 => FetchError::Empty,
                n => FetchError::Unreadable(format!("none of its {n} rows can be used")),
            });
        }
        self.context.http.know(SLICES, &self.reader.names().note());
        let refused = refused.map(|e| format!("{e}; asked without it"));
        let notes: Vec<String> = refused.into_iter().chain(stopped).collect();
        Ok(Report {
            rows: self.delivered,
            coverage: Some(walk.share()),
            coverage_note: (!notes.is_empty()).then(|| notes.join("; ")),
            rejected,
            key_hint: self.context.key.as_ref().filter(|_| self.with_key).map(super::ApiKey::hint),
            ..Report::default()
        })
    }

    /// One answer: the offers from `price` upwards, or the whole market; at most `limit` of them.
    async fn page(&mut self, price: Option<f64>, limit: usize) -> Result<Page, FetchError> {
        let query = query(price, limit);
        if !self.get {
            match self.ask(&query).await {
                Err(FetchError::Status { status: 404 | 405, .. }) => self.get = true,
                outcome => return outcome,
            }
        }
        self.ask(&query).await
    }

    async fn ask(&mut self, query: &str) -> Result<Page, FetchError> {
        let context = self.context;
        let mut call = context.call(ENDPOINT, PATH)?;
        call = if self.get { call.query(&[("q", query)]) } else { call.post(query.to_string()) };
        let key = context.key.as_ref().filter(|_| self.with_key);
        let call = call.key(key).most_mb(MOST_MB).rows_so_far(self.delivered);
        // The whole market takes the service long to write down.
        let call = if self.with_key { call.slow(3) } else { call };
        let mut stream = call.open().await.map_err(|e| self.key_trouble(e))?;
        let (mut rows, mut page) = (Rows::<Row>::new("offers"), Page::default());
        while let Some(piece) = stream.chunk().await? {
            rows.feed(&piece, |row| self.take(row, &mut page))?;
            if self.batch.len() >= BATCH {
                self.hand_over().await?;
            }
        }
        rows.finish(|row| self.take(row, &mut page))?;
        self.hand_over().await?;
        Ok(page)
    }

    fn take(&mut self, row: Result<Row, &'static str>, page: &mut Page) {
        match row {
            Ok(row) => {
                page.note(&row);
                self.batch.extend(self.reader.offer(&row));
            }
            Err(why) => {
                page.rows += 1;
                self.reader.reject(why);
            }
        }
    }

    /// Vast.ai answers 404 to a bad key, and says so in the message.
    fn key_trouble(&self, error: FetchError) -> FetchError {
        match error {
            FetchError::Status { status, ref detail }
                if self.with_key && detail.to_ascii_lowercase().contains("user key") =>
            {
                FetchError::BadKey { variable: KEY_VARIABLE, status }
            }
            other => other,
        }
    }

    async fn hand_over(&mut self) -> Result<(), FetchError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.delivered += self.batch.len();
        let progress = Progress { rows: self.delivered, total: None, waiting_until: None };
        let heard = self.sink.rows(std::mem::take(&mut self.batch)).await
            && self.sink.progress(progress).await;
        if heard { Ok(()) } else { Err(FetchError::unheard()) }
    }
}

impl Page {
    fn note(&mut self, row: &Row) {
        self.rows += 1;
        if let Some(price) = row.walk_price() {
            let (first, last) = self.prices.unwrap_or((price, price));
            self.prices = Some((first.min(price), last.max(price)));
        }
    }
}

/// Reads a whole answer, given in pieces as a network would: the offers, and the rows that were none.
///
/// # Errors
/// [`FetchError::Unreadable`] when it is no answer of Vast.ai's, or not a whole one.
pub fn read<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
    now: UnixSeconds,
    mut each: impl FnMut(Offer),
) -> Result<Vec<(&'static str, usize)>, FetchError> {
    let (mut reader, mut rows) = (Reader::new(now, Names::default()), Rows::<Row>::new("offers"));
    let mut take = |row: Result<Row, &'static str>| match row {
        Ok(row) => reader.offer(&row).into_iter().for_each(&mut each),
        Err(why) => reader.reject(why),
    };
    for piece in pieces {
        rows.feed(piece, &mut take)?;
    }
    rows.finish(&mut take)?;
    Ok(reader.rejected())
}

/// Parses a whole answer with `serde_json` into the same types and does nothing with them: the limit
/// that [`read`] is measured against. The number of rows.
///
/// # Errors
/// [`FetchError::Unreadable`] when it is no JSON.
pub fn parse_only(answer: &[u8]) -> Result<usize, FetchError> {
    #[derive(serde::Deserialize)]
    struct Whole {
        offers: Vec<Row>,
    }
    let whole: Whole = serde_json::from_slice(answer).map_err(|e| super::http::unreadable(&e))?;
    Ok(whole.offers.len())
}

/// The query: what can be rented now, verified or not. The whole market comes in an order that prices
/// do not change; a part of it, from a price upwards, cheapest first.
fn query(from: Option<f64>, limit: usize) -> String {
    let mut query = json!({
        "rentable": {"eq": true},
        "rented": {"eq": false},
        "type": "on-demand",
        "order": [["id", "asc"]],
        "limit": limit,
    });
    if let Some(price) = from {
        query["order"] = json!([["dph_total", "asc"], ["id", "asc"]]);
        if price > 0.0 {
            query["dph_total"] = json!({"gte": price});
        }
    }
    query.to_string()
}
