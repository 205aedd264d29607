//! RunPod's GraphQL answers against values worked by hand.

use super::*;
use crate::gpu::catalogue;
use crate::offer::Availability::{No, Yes};
use crate::offer::{Availability, Offer};
use crate::provider::http::{Http, HttpOptions};
use crate::units::UnixSeconds;

fn context() -> Context {
    let http = Http::new(HttpOptions::default());
    Context::new(http, &super::super::PROFILE, UnixSeconds(1_796_000_000))
}

fn overview_of(rows: Value) -> Value {
    let mut whole = json!({"countryCodes": ["US", "NO", null, "x\"y"],
        "dataCenters": [{"id": "US-DE-1", "listed": true}, {"id": "EU-RO-1", "listed": true},
            {"id": "EU-XX-1", "listed": false}, {"id": "a\"b", "listed": true}, null]});
    whole["gpuTypes"] = rows;
    whole
}

fn harvest(rows: Value, by_place: Option<&Value>) -> Harvest {
    let first = overview_of(rows);
    let spots = spots(&first);
    read(&first, by_place, &spots, &context()).unwrap()
}

fn stocked(level: &str, counts: Value) -> Value {
    let mut stock = json!({"stockStatus": level, "minVcpu": 8, "minMemory": 31});
    stock["availableGpuCounts"] = counts;
    stock
}

fn row(id: &str, memory: u32, secure: Value, community: Value) -> Value {
    let mut row = json!({"id": id, "displayName": id, "memoryInGb": memory, "secureCloud": true,
        "communityCloud": true, "maxGpuCountSecureCloud": 8, "maxGpuCountCommunityCloud": 2,
        "secure": stocked("High", json!([1, 2, 4, 8])), "community": stocked("Low", json!([1]))});
    row["securePrice"] = secure;
    row["communityPrice"] = community;
    row
}

fn dollars(offer: &Offer) -> f64 {
    offer.price.on_demand.unwrap().get()
}

/// Prices of August 2026, $/h for one GPU: secure, community; the number of GPUs multiplies them.
#[test]
fn cards_read_as_checked_by_hand() {
    for (id, memory, secure, community, card) in [
        ("NVIDIA GeForce RTX 4090", 24, 0.74, 0.34, "RTX 4090"),
        ("NVIDIA H100 80GB HBM3", 80, 3.29, 2.69, "H100 SXM"),
        ("NVIDIA H200", 141, 4.59, 3.59, "H200"),
        ("NVIDIA B200", 180, 6.79, 5.98, "B200"),
        ("NVIDIA B300 SXM6 AC", 288, 7.89, 6.94, "B300"),
        ("NVIDIA L40S", 48, 0.99, 0.79, "L40S"),
    ] {
        let found = harvest(json!([row(id, memory, json!(secure), json!(community))]), None);
        let prices: Vec<f64> = found.offers().iter().map(dollars).collect();
        let wanted = [secure, 2.0 * secure, 4.0 * secure, 8.0 * secure, community, 2.0 * community];
        assert_eq!(prices, wanted, "{id}");
        let first = &found.offers()[0];
        let name = first.hardware.gpu.and_then(|id| catalogue().get(id)).map(|g| g.name);
        assert_eq!(name, Some(card), "{id}");
        assert_eq!(first.hardware.vram.unwrap().get(), f64::from(memory));
        assert!(found.offers().iter().all(|o| o.price.spot.is_none()), "spot ended");
    }
}

#[test]
fn zero_null_and_placeholder_prices_are_no_offers() {
    let a100 = row("NVIDIA A100-SXM4-40GB", 40, json!(0), json!(1));
    let found = harvest(json!([a100]), None);
    assert!(found.offers().iter().all(|o| o.launch_id.as_str().starts_with("COMMUNITY")));
    let mi300x = row("AMD Instinct MI300X OAM", 192, json!(2.39), json!(0.5));
    let found = harvest(json!([mi300x]), None);
    assert!(found.offers().iter().all(|o| o.launch_id.as_str().starts_with("SECURE")));
    assert_eq!(found.rejected(), [("a placeholder price", 1)]);
    let mut closed = row("NVIDIA A100-SXM4-40GB", 40, json!(0), json!(1));
    closed["communityCloud"] = json!(false);
    assert!(harvest(json!([closed]), None).offers().is_empty());
    // A real half dollar, with stock and beside a secure price of its kind.
    let real = row("NVIDIA RTX A6000", 48, json!(0.6), json!(0.5));
    assert_eq!(harvest(json!([real]), None).offers().len(), 6);
}

#[test]
fn availability_is_that_of_the_number_asked_for() {
    let found = harvest(json!([row("NVIDIA L4", 24, json!(0.4), json!(0.3))]), None);
    let says: Vec<_> = found.offers().iter().map(|o| o.availability).collect();
    assert_eq!(says, [Yes, Yes, Yes, Yes, Yes, No]);
    let mut out = row("NVIDIA L4", 24, json!(0.4), json!(0.3));
    out["secure"] = json!(null);
    out["community"]["stockStatus"] = json!("None");
    assert!(harvest(json!([out]), None).offers().iter().all(|o| o.availability == No));
    let mut vague = row("NVIDIA L4", 24, json!(0.4), json!(null));
    vague["secure"]["availableGpuCounts"] = json!(null);
    let found = harvest(json!([vague]), None);
    assert_eq!(found.offers()[0].availability, Yes);
    assert_eq!(found.offers()[3].availability, Availability::NotStated);
}

/// The spots are US-DE-1, EU-RO-1 (secure) and US, NO (community), in this order.
#[test]
fn places_with_stock_have_rows_of_their_own() {
    let card = row("NVIDIA L4", 24, json!(0.4), json!(0.3));
    let by_place = json!({"gpuTypes": [{"id": "NVIDIA L4", "p0": stocked("LOW", json!([1])),
        "p1": null, "p2": stocked("None", json!(null)), "p3": stocked("medium", json!([1, 2]))}]});
    let found = harvest(json!([card]), Some(&by_place));
    let first = &found.offers()[0];
    assert_eq!(first.place.raw.as_str(), "US-DE-1");
    assert_eq!(first.place.country.unwrap().code(), "US", "Delaware, not Germany");
    assert_eq!(first.id(), "runpod:secure.US-DE-1.NVIDIA_L4.x1");
    assert_eq!((first.hardware.vcpus, first.hardware.ram.unwrap().get()), (Some(8.0), 31.0));
    let says: Vec<_> =
        found.offers().iter().map(|o| (o.place.raw.as_str(), o.availability)).collect();
    let wanted = [
        ("US-DE-1", Yes),
        ("US-DE-1", No),
        ("US-DE-1", No),
        ("US-DE-1", No),
        ("NO", Yes),
        ("NO", Yes),
    ];
    assert_eq!(says, wanted);
    assert_eq!(found.offers()[4].place.country.unwrap().code(), "NO");
}

#[test]
fn codes_that_would_change_the_question_are_not_put_into_it() {
    let spots = spots(&overview_of(json!([])));
    let codes: Vec<&str> = spots.iter().map(|s| s.code.as_str()).collect();
    assert_eq!(codes, ["US-DE-1", "EU-RO-1", "US", "NO"]);
    let query = by_place(&spots);
    assert_eq!(query.matches("lowestPrice").count(), 4);
    assert_eq!(query.matches('"').count(), 8);
}

#[test]
fn odd_rows_cost_themselves() {
    let mut negative = row("NVIDIA L4", 24, json!(-1), json!(1e300));
    negative["memoryInGb"] = json!("x");
    let unknown = row("unknown", 0, json!(1), json!(1));
    let nameless = json!({"displayName": "RTX 4090", "securePrice": 1});
    let good = row("NVIDIA L40S", 48, json!("0.99"), json!([]));
    let found = harvest(json!([negative, unknown, nameless, null, 7, good]), None);
    assert_eq!(found.offers().len(), 4);
    assert_eq!(found.rejected().iter().map(|(_, n)| n).sum::<usize>(), 6);
}

#[test]
fn errors_come_with_status_200() {
    let refused = br#"{"errors":[{"message":"Something went wrong"}],"data":null}"#;
    let error = answer(refused).unwrap_err();
    assert!(error.to_string().contains("Something went wrong"), "{error}");
    assert!(matches!(answer(b"{}"), Err(FetchError::Unreadable(_))));
    assert!(matches!(answer(b"error code: 1010"), Err(FetchError::Unreadable(_))));
    assert!(answer(br#"{"data":{"gpuTypes":[]}}"#).is_ok());
}
