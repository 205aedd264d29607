//! Each source against a loopback server: what it makes of real figures, and of every fault.

mod azure;
mod catalogues;
mod clouds;
mod faults;
mod kinds;
mod vast;

use crate::support::server::Server;
use haggle::offer::{Offer, Provider};
use haggle::provider::http::{Http, HttpOptions};
use haggle::provider::{ApiKey, Context, FetchError, Report, Sink, Update, run, source};
use haggle::units::UnixSeconds;
use std::time::Duration;

/// 2026-12-01 00:00 UTC.
const NOW: UnixSeconds = UnixSeconds(1_796_083_200);
/// A key that must show up nowhere but in one header.
const KEY: &str = "planted-0123456789-SECRET";

/// Patience that no busy machine wears out: only what is really wrong fails.
fn options() -> HttpOptions {
    HttpOptions {
        connect: Duration::from_secs(30),
        grace: Duration::from_mins(1),
        total: Duration::from_mins(2),
        backoff: Duration::from_millis(1),
        random: || 0.5,
        ..HttpOptions::default()
    }
}

/// Little patience, for servers that never answer.
fn hurried() -> HttpOptions {
    HttpOptions { grace: Duration::from_millis(400), ..options() }
}

/// What one fetch brought.
#[derive(Debug)]
struct Fetched {
    offers: Vec<Offer>,
    outcome: Result<Report, FetchError>,
}

impl Fetched {
    fn offer(&self, key: &str) -> &Offer {
        let found = self.offers.iter().find(|o| o.key.as_str() == key);
        found.unwrap_or_else(|| panic!("no {key} among {:?}: {:?}", self.keys(), self.outcome))
    }

    fn keys(&self) -> Vec<&str> {
        self.offers.iter().map(|o| o.key.as_str()).collect()
    }

    fn error(&self) -> &FetchError {
        self.outcome.as_ref().expect_err("it should have failed")
    }
}

fn context(http: &Http, provider: Provider, server: &Server, key: Option<&str>) -> Context {
    let source = source(provider).unwrap();
    let mut context = Context::new(http.clone(), source.profile(), NOW);
    for endpoint in source.profile().endpoints {
        context.addresses.0.insert(endpoint.variable.to_string(), server.url(""));
    }
    let variable = source.profile().key_variable.unwrap_or("NO_KEY");
    context.key = key.map(|k| ApiKey { secret: k.to_string().into(), variable });
    context
}

async fn fetch_with(
    http: &Http,
    provider: Provider,
    server: &Server,
    key: Option<&str>,
) -> Fetched {
    fetch_in(context(http, provider, server, key), provider).await
}

async fn fetch_in(context: Context, provider: Provider) -> Fetched {
    let (channel, mut updates) = tokio::sync::mpsc::channel(4);
    let sink = Sink { provider, generation: 1, channel };
    tokio::spawn(run(source(provider).unwrap(), context, sink));
    let mut offers = Vec::new();
    while let Some(update) = updates.recv().await {
        match update {
            Update::Rows { offers: rows, .. } => offers.extend(rows),
            Update::Progress { .. } => {}
            Update::Finished { outcome, .. } => return Fetched { offers, outcome },
        }
    }
    panic!("the fetch ended without a word");
}

async fn fetch(provider: Provider, server: &Server, key: Option<&str>) -> Fetched {
    fetch_with(&Http::new(options()), provider, server, key).await
}

/// The card's name in the catalogue.
fn card(offer: &Offer) -> &'static str {
    let gpu = offer.hardware.gpu.and_then(|id| haggle::gpu::catalogue().get(id));
    gpu.map_or("?", |g| g.name)
}

fn on_demand(offer: &Offer) -> Option<f64> {
    offer.price.on_demand.map(haggle::units::UsdPerHour::get)
}

fn spot(offer: &Offer) -> Option<f64> {
    offer.price.spot.map(haggle::units::UsdPerHour::get)
}
