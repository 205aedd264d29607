//! RunPod's GraphQL: one question for cards, places and prices, a second one for the stock of each
//! place.
//!
//! Errors come with HTTP 200 and `errors` beside `data: null`.

use super::offer::{Cloud, Kind, Listing, Stock, most, price};
use crate::offer::{Country, Place, Text};
use crate::provider::harvest::{Harvest, Reason, list, tree};
use crate::provider::lenient::{Flag, Number, Words, lenient_object};
use crate::provider::{Context, FetchError};
use serde_json::{Value, json};

const SOURCE: &str = "RunPod GraphQL (gpuTypes)";
const PATH: &str = "/graphql";
/// Places in one question.
const MOST_PLACES: usize = 120;

/// What is asked of a place.
const STOCK: &str = "stockStatus minVcpu minMemory availableGpuCounts maxUnreservedGpuCount";

lenient_object! {
    struct Row {
        id: Words,
        display_name = "displayName": Words,
        memory = "memoryInGb": Number,
        secure_cloud = "secureCloud": Flag,
        community_cloud = "communityCloud": Flag,
        secure_price = "securePrice": Number,
        community_price = "communityPrice": Number,
        most_secure = "maxGpuCountSecureCloud": Number,
        most_community = "maxGpuCountCommunityCloud": Number,
    }
}

lenient_object! {
    struct Level {
        stock_status = "stockStatus": Words,
        min_vcpu = "minVcpu": Number,
        min_memory = "minMemory": Number,
    }
}

/// A place that can be asked for: an alias in the question, and where it is.
#[derive(Clone, Debug)]
struct Spot {
    cloud: Cloud,
    /// The provider's code of it.
    code: String,
    place: Place,
}

/// Asks for everything.
pub(super) async fn fetch(
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<Harvest, FetchError> {
    let first = ask(context, overview()).await?;
    let spots = spots(&first);
    let mut second = None;
    if !spots.is_empty() {
        match ask(context, by_place(&spots)).await {
            Ok(answer) => second = Some(answer),
            Err(error) => notes.push(format!("stock by place: {error}")),
        }
    }
    read(&first, second.as_ref(), &spots, context)
}

async fn ask(context: &Context, query: String) -> Result<Value, FetchError> {
    let question = json!({ "query": query }).to_string();
    let call = context.call(super::ENDPOINT, PATH)?.post(question).most_mb(super::MOST_MB);
    answer(&call.body().await?.bytes)
}

/// The `data` of an answer, or the error that stands in its place.
fn answer(bytes: &[u8]) -> Result<Value, FetchError> {
    let mut tree = tree(bytes)?;
    let data = tree.get_mut("data").map(Value::take).unwrap_or_default();
    if data.get("gpuTypes").is_some_and(Value::is_array) {
        return Ok(data);
    }
    let words = tree.pointer("/errors/0/message").and_then(Value::as_str);
    Err(match words {
        Some(words) => {
            FetchError::Status { status: 200, detail: Text::new(words).as_str().to_owned() }
        }
        None => FetchError::Unreadable("it holds no list of gpuTypes".to_string()),
    })
}

fn overview() -> String {
    format!(
        "query {{ gpuTypes {{ id displayName manufacturer memoryInGb secureCloud communityCloud \
         securePrice communityPrice maxGpuCountSecureCloud maxGpuCountCommunityCloud \
         secure: lowestPrice(input: {{gpuCount: 1, secureCloud: true}}) {{ {STOCK} }} \
         community: lowestPrice(input: {{gpuCount: 1, secureCloud: false}}) {{ {STOCK} }} }} \
         dataCenters {{ id name location listed }} countryCodes }}"
    )
}

fn by_place(spots: &[Spot]) -> String {
    let aliases = spots.iter().enumerate().map(|(i, spot)| {
        let (secure, filter) = match spot.cloud {
            Cloud::Secure => (true, "dataCenterId"),
            Cloud::Community => (false, "countryCode"),
        };
        let code = &spot.code;
        let input = format!("{{gpuCount: 1, secureCloud: {secure}, {filter}: \"{code}\"}}");
        format!(" p{i}: lowestPrice(input: {input}) {{ {STOCK} }}")
    });
    format!("query {{ gpuTypes {{ id{} }} }}", aliases.collect::<String>())
}

/// Places that the overview names: data centres for the secure cloud, countries for the other. The
/// codes go into a question, so nothing but letters, digits and hyphens is one.
fn spots(overview: &Value) -> Vec<Spot> {
    let plain = |code: &&str| {
        let fits = (2..=24).contains(&code.len());
        fits && code.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let rows = |name| overview.get(name).and_then(Value::as_array).into_iter().flatten();
    let centres = rows("dataCenters")
        .filter(|row| row.get("listed") != Some(&Value::Bool(false)))
        .filter_map(|row| row.get("id")?.as_str())
        .filter(plain)
        .map(|id| Spot { cloud: Cloud::Secure, code: id.to_owned(), place: Place::runpod(id) });
    let countries = rows("countryCodes").filter_map(Value::as_str).filter(plain).map(|code| {
        let place = Place::new(code, Country::from_name(code));
        Spot { cloud: Cloud::Community, code: code.to_owned(), place }
    });
    centres.chain(countries).take(MOST_PLACES).collect()
}

/// The offers that both answers make.
fn read(
    first: &Value,
    second: Option<&Value>,
    spots: &[Spot],
    context: &Context,
) -> Result<Harvest, FetchError> {
    let missing = || FetchError::Unreadable("it holds no list of gpuTypes".to_string());
    let rows = list(first, "gpuTypes").ok_or_else(missing)?;
    let by_place = second.and_then(|v| list(v, "gpuTypes")).unwrap_or_default();
    let mut harvest = Harvest::default();
    for (_, row) in rows {
        let id = row.get("id");
        let places = by_place.iter().map(|(_, v)| *v).find(|v| v.get("id") == id);
        if let Err(why) = card(row, places, spots, context, &mut harvest) {
            harvest.reject(why);
        }
    }
    Ok(harvest)
}

/// The offers of one card.
fn card(
    value: &Value,
    places: Option<&Value>,
    spots: &[Spot],
    context: &Context,
    harvest: &mut Harvest,
) -> Result<(), Reason> {
    let row: Row = serde_json::from_value(value.clone()).map_err(|_| "a row that is no object")?;
    let kind = Kind::read(&row.id, &row.display_name, row.memory)?;
    for cloud in Cloud::BOTH {
        let (alias, sold, own, other, stated) = match cloud {
            Cloud::Secure => {
                ("secure", row.secure_cloud, row.secure_price, row.community_price, row.most_secure)
            }
            Cloud::Community => (
                "community",
                row.community_cloud,
                row.community_price,
                row.secure_price,
                row.most_community,
            ),
        };
        let everywhere = stock(value.get(alias));
        let price = match price(cloud, sold.0, own, other, everywhere.some) {
            Ok(Some(price)) => price,
            Ok(None) => continue,
            Err(why) => {
                harvest.reject(why);
                continue;
            }
        };
        let (source, now) = (SOURCE, context.now);
        let listing = Listing { kind: &kind, cloud, price, most: most(stated), source, now };
        let mut found = false;
        for (i, spot) in spots.iter().enumerate().filter(|(_, s)| s.cloud == cloud) {
            let there = places.and_then(|p| p.get(format!("p{i}")));
            let there = stock(there);
            if there.some {
                found = true;
                listing.at(&spot.place, &there, harvest);
            }
        }
        if !found {
            listing.at(&Place::default(), &everywhere, harvest);
        }
    }
    Ok(())
}

/// The stock of a `lowestPrice`; null is none.
fn stock(value: Option<&Value>) -> Stock {
    let level = value.and_then(|v| serde_json::from_value::<Level>(v.clone()).ok());
    let Some(level) = level else { return Stock::default() };
    let counts = value.and_then(|v| v.get("availableGpuCounts")).and_then(Value::as_array);
    let counts = counts.map(|list| list.iter().filter_map(Value::as_u64).collect::<Vec<_>>());
    Stock {
        some: Stock::is_some(level.stock_status.as_str()),
        numbers: counts.filter(|list| !list.is_empty()),
        vcpus: level.min_vcpu.above_zero(1e4),
        ram: level.min_memory.above_zero(1e5),
    }
}

#[cfg(test)]
#[path = "graphql_tests.rs"]
mod tests;
