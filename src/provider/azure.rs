//! Microsoft Azure: the public Retail Prices API, one query over all GPU sizes and regions, three
//! pages of a thousand rows. Prices are lists; nothing says that a size can be had.
//!
//! A row is told apart by its words: ` Spot` in the meter's or the SKU's name; Windows, Low Priority
//! (retired), Dedicated Host and Cloud Services rows are no offers of ours. A price that begins in
//! the future does not count yet. Source: learn.microsoft.com, Retail Prices API, and what other
//! clients learnt of it (August 2026). Without sizes: those are in `assets/machines.csv`.

use super::figures;
use super::http::RateLimit;
use super::lenient::{Code, Flag, Many, Number, lenient_object};
use super::machines::{UnknownTypes, hardware};
use super::rows;
use super::source::{Context, Endpoint, KeyUse, Profile, Source};
use super::terms::azure_fees;
use super::{FetchError, Fetching, Progress, Report, Sink};
use crate::offer::{Availability, Basis, Flags, Offer, Origin, Place, Price, Provider, Text};
use crate::units::{UnixSeconds, UsdPerHour};
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

const SOURCE: &str = "Azure Retail Prices";
const ENDPOINT: Endpoint =
    Endpoint { variable: "HAGGLE_AZURE_URL", address: "https://prices.azure.com" };
const PATH: &str = "/api/retail/prices";
const FILTER: &str = "serviceName eq 'Virtual Machines' and priceType eq 'Consumption' \
    and contains(productName,'Windows') eq false and contains(meterName,'Low Priority') eq false \
    and (contains(armSkuName,'_NC') or contains(armSkuName,'_ND') or contains(armSkuName,'_NV'))";
/// Three are usual.
const MOST_PAGES: usize = 6;
/// Longest wait for a place in the rate limit once the first page is in: a window and a little.
const WAIT: Duration = Duration::from_secs(65);
/// $ per hour at and below which a price is a placeholder.
const PLACEHOLDER: f64 = 0.01;

static PROFILE: Profile = Profile {
    provider: Provider::Azure,
    key: KeyUse::None,
    key_variable: None,
    endpoints: &[ENDPOINT],
    // About ten a minute and address; a fourth within nine seconds was refused once.
    limit: RateLimit::per(8, 60).gap(1000),
    refresh: Duration::from_hours(12),
    about: "list prices of the Retail Prices API, spot and pay-as-you-go, all regions",
};

/// The source.
#[derive(Debug)]
pub(super) struct Azure;

impl Source for Azure {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn fetch<'a>(&'a self, context: &'a Context, sink: &'a Sink) -> Fetching<'a> {
        Box::pin(fetch(context, sink))
    }
}

lenient_object! {
    struct Page {
        items = "Items": Many<Item>,
        next = "NextPageLink": Code,
    }
}

lenient_object! {
    struct Item {
        currency = "currencyCode": Code,
        tier = "tierMinimumUnits": Number,
        price = "retailPrice": Number,
        region = "armRegionName": Code,
        since = "effectiveStartDate": Code,
        meter_id = "meterId": Code,
        meter = "meterName": Code,
        product = "productName": Code,
        sku_id = "skuId": Code,
        sku = "skuName": Code,
        unit = "unitOfMeasure": Code,
        kind = "type": Code,
        primary = "isPrimaryMeterRegion": Flag,
        size = "armSkuName": Code,
    }
}

async fn fetch(context: &Context, sink: &Sink) -> Result<Report, FetchError> {
    let mut prices = Prices::new(context.now);
    let first = [
        ("api-version", "2023-01-01-preview"),
        ("currencyCode", "USD"),
        ("meterRegion", "'primary'"),
        ("$filter", FILTER),
    ];
    let mut call = context.call(ENDPOINT, PATH)?.query(&first);
    let mut cut = None;
    for number in 1.. {
        let page: Page = rows::whole(&call.body().await?.bytes)?;
        prices.reject("a row that is no object", page.items.rejected);
        let fresh = prices.take(&page.items.list);
        let progress = Progress { rows: prices.found.len(), total: None, waiting_until: None };
        if !sink.progress(progress).await {
            return Err(FetchError::unheard());
        }
        let next = page.next.as_str();
        if next.is_empty() {
            break;
        }
        if fresh == 0 {
            return Err(FetchError::Endless(number));
        }
        if number >= MOST_PAGES {
            cut = Some(format!("stopped after {number} pages, and more would have followed"));
            break;
        }
        call = context.follow(ENDPOINT, next)?.patience(WAIT).rows_so_far(prices.found.len());
    }
    let (offers, report) = prices.offers();
    let rows = offers.len();
    if rows == 0 {
        // A filter that the service does not understand is answered with nothing, not with an error.
        return Err(FetchError::Empty);
    }
    if !sink.rows(offers).await {
        return Err(FetchError::unheard());
    }
    let coverage = cut.is_none().then_some(1.0);
    Ok(Report { rows, coverage, coverage_note: cut, ..report })
}

/// What one price is.
#[derive(Clone, Debug, PartialEq)]
struct Listed {
    price: f64,
    since: String,
    primary: bool,
}

/// Prices by region, size, and whether spot.
struct Prices {
    found: BTreeMap<(String, String, bool), (Listed, bool)>,
    seen: HashSet<(String, String, String)>,
    rejected: BTreeMap<&'static str, usize>,
    now: UnixSeconds,
    today: String,
}

impl Prices {
    fn new(now: UnixSeconds) -> Self {
        let today = jiff::Timestamp::from_second(now.0).map(|t| t.to_string()).unwrap_or_default();
        Self { found: BTreeMap::new(), seen: HashSet::new(), rejected: BTreeMap::new(), now, today }
    }

    fn reject(&mut self, why: &'static str, rows: usize) {
        if rows > 0 {
            *self.rejected.entry(why).or_default() += rows;
        }
    }

    /// Takes the rows of a page; says how many had not come before.
    fn take(&mut self, items: &[Item]) -> usize {
        let mut fresh = 0;
        for item in items {
            let parts = [&item.sku_id, &item.meter_id, &item.since].map(|c| c.as_str().to_string());
            let [sku, meter, since] = parts;
            if !self.seen.insert((format!("{sku}/{}", item.region.as_str()), meter, since)) {
                continue;
            }
            fresh += 1;
            match self.usable(item) {
                Ok(spot) => self.note(item, spot),
                Err(why) => self.reject(why, 1),
            }
        }
        fresh
    }

    /// Whether a row is a spot price (`true`), a pay-as-you-go price, or no offer of ours.
    fn usable(&self, item: &Item) -> Result<bool, &'static str> {
        let (product, meter, sku) = (item.product.as_str(), item.meter.as_str(), item.sku.as_str());
        let said = |word: &str| [product, meter, sku].iter().any(|t| t.contains(word));
        if item.size.as_str().is_empty() || item.region.as_str().is_empty() {
            return Err("no size or no region");
        }
        if item.currency.as_str() != "USD" {
            return Err("not in US dollars");
        }
        if item.kind.as_str() != "Consumption" || item.unit.as_str() != "1 Hour" {
            return Err("not a price of an hour");
        }
        if item.tier.0.is_some_and(|t| t != 0.0) {
            return Err("a price for large amounts only");
        }
        if product.contains("Windows") || product.ends_with(" Win") || product.contains(" Win ") {
            return Err("Windows");
        }
        if said("Low Priority")
            || said("Dedicated Host")
            || said("Cloud Services")
            || said("CloudServices")
        {
            return Err("low priority, dedicated host or cloud service");
        }
        if !self.today.is_empty() && item.since.as_str() > self.today.as_str() {
            return Err("a price of the future");
        }
        if item.price.above_zero(100_000.0).is_none_or(|p| p <= PLACEHOLDER) {
            return Err("no price");
        }
        Ok(meter.contains(" Spot") || sku.contains(" Spot"))
    }

    /// Of several prices for one thing: the primary meter's, then the latest, then the highest.
    fn note(&mut self, item: &Item, spot: bool) {
        let listed = Listed {
            price: item.price.0.unwrap_or_default(),
            since: item.since.as_str().to_string(),
            primary: item.primary.0 == Some(true),
        };
        let key = (item.region.as_str().to_lowercase(), item.size.as_str().to_string(), spot);
        let Some((old, conflict)) = self.found.get_mut(&key) else {
            self.found.insert(key, (listed, false));
            return;
        };
        let same_rank = old.primary == listed.primary && old.since == listed.since;
        *conflict |= same_rank && (old.price / listed.price - 1.0).abs() > 1e-6;
        let rank = |l: &Listed| (l.primary, l.since.clone());
        let better = match rank(&listed).cmp(&rank(old)) {
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal => listed.price > old.price,
            std::cmp::Ordering::Less => false,
        };
        if better {
            *old = listed;
        }
    }

    fn offers(mut self) -> (Vec<Offer>, Report) {
        let mut both = BTreeMap::<(String, String), (Price, bool)>::new();
        for ((region, size, spot), (listed, conflict)) in std::mem::take(&mut self.found) {
            let entry = both.entry((region, size)).or_default();
            let price = Some(UsdPerHour::new(listed.price));
            if spot {
                entry.0.spot = price;
            } else {
                entry.0.on_demand = price;
            }
            entry.1 |= conflict;
        }
        let mut offers = Vec::new();
        let mut unknown = UnknownTypes::default();
        for ((region, size), (price, conflict)) in both {
            if is_gone(&size) {
                self.reject("a size that is retired", 1);
                continue;
            }
            let offer = offer(&region, &size, price, conflict, self.now);
            if offer.hardware.gpus.is_none() {
                unknown.note(&size);
            }
            offers.push(offer);
        }
        figures::mark_bargains(&mut offers);
        let rejected = self.rejected.into_iter().collect();
        (offers, Report { rejected, unknown_types: unknown.list(), ..Report::default() })
    }
}

/// A size that is not sold any more, though still priced: promotions, M60 (`NV…_v2`, `_v3`) and MI25
/// (`NV…_v4`) machines. Source: Microsoft's list of retired sizes, 2026.
fn is_gone(size: &str) -> bool {
    let visual = size.contains("_NV") && !size.contains("A10") && !size.contains("V710");
    let old = ["_v2", "_v3", "_v4"].iter().any(|v| size.ends_with(v));
    size.ends_with("_Promo") || (visual && old)
}

/// A size that Microsoft has taken out of service while its price stays in the lists: those of
/// [`is_gone`], and the V100 machines `NC…s_v3` (30 September 2025).
pub(super) fn is_retired(size: &str) -> bool {
    is_gone(size) || (size.contains("_NC") && size.ends_with("s_v3") && !size.contains("T4"))
}

/// The size under which a machine is really ordered, where the price list has another name.
fn deployable(size: &str) -> &str {
    match size {
        "Standard_ND96asr_A100_v4" => "Standard_ND96asr_v4",
        other => other,
    }
}

fn offer(region: &str, size: &str, price: Price, conflict: bool, now: UnixSeconds) -> Offer {
    let launch = deployable(size);
    let hardware = hardware(Provider::Azure, launch);
    let flags = figures::flags(&hardware, &price);
    Offer {
        key: Text::new(&format!("{}/{region}", size.trim_start_matches("Standard_"))),
        launch_id: Text::new(launch),
        provider: Provider::Azure,
        host: None,
        hardware,
        place: Place::azure(region),
        price,
        fees: azure_fees(region),
        reliability: None,
        download: None,
        upload: None,
        disk: None,
        verified: None,
        availability: if is_retired(size) { Availability::No } else { Availability::NotStated },
        hazard: None,
        max_rental: None,
        origin: Origin { source: SOURCE, basis: Basis::Listed, fetched_at: now },
        flags: flags.with(Flags::CONFLICTING.when(conflict)),
    }
}
