//! Azure's price list: rows told apart, pages followed, real figures by hand.

use super::*;
use crate::support::server::{Answer, Server};
use haggle::offer::{Availability, Flags};
use serde_json::{Value, json};

/// A row as the API sends it: eastus, per hour, primary.
fn item(size: &str, words: &str, price: f64) -> Value {
    json!({"currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": price, "armRegionName": "eastus",
           "effectiveStartDate": "2026-08-01T00:00:00Z", "meterId": format!("m {size} {words}"),
           "meterName": format!("{size}{words}"), "productName": "Virtual Machines Series",
           "skuId": format!("s {size} {words}"), "skuName": format!("{size}{words}"), "unitOfMeasure": "1 Hour",
           "type": "Consumption", "isPrimaryMeterRegion": true, "armSkuName": format!("Standard_{size}")})
}

fn with(mut item: Value, changes: &[(&str, Value)]) -> Value {
    for (name, value) in changes {
        item[*name] = value.clone();
    }
    let words: Vec<String> = changes.iter().map(|(n, v)| format!("{n}{v}")).collect();
    item["meterId"] = json!(words.join(" "));
    item
}

fn page(items: &[Value], next: Option<String>) -> Answer {
    Answer::json(
        json!({"BillingCurrency": "USD", "Items": items, "NextPageLink": next}).to_string(),
    )
}

/// eastus, 2026-08-22.
fn real() -> Vec<Value> {
    [
        ("NC24ads_A100_v4", 3.673, 0.679),
        ("NC40ads_H100_v5", 6.98, 1.289_904),
        ("ND96isr_H100_v5", 98.32, 18.169_536),
        ("ND96isr_H200_v5", 84.8, 84.8),
        ("NV6ads_A10_v5", 0.454, 0.084),
        ("NC64as_T4_v3", 4.352, 1.2621),
    ]
    .iter()
    .flat_map(|(size, full, spot)| [item(size, "", *full), item(size, " Spot", *spot)])
    .collect()
}

#[tokio::test]
async fn real_rows_have_their_hand_checked_figures() {
    let server = Server::new(|_| page(&real(), None));
    let fetched = fetch(Provider::Azure, &server, None).await;
    let figures = |size: &str| {
        let offer = fetched.offer(&format!("{size}/eastus"));
        let hardware = &offer.hardware;
        (
            card(offer),
            hardware.gpus.unwrap(),
            hardware.vram.unwrap().get(),
            on_demand(offer).unwrap(),
            spot(offer).unwrap(),
        )
    };
    assert_eq!(figures("NC24ads_A100_v4"), ("A100 PCIe 80GB", 1.0, 80.0, 3.673, 0.679));
    assert_eq!(figures("NC40ads_H100_v5"), ("H100 NVL", 1.0, 94.0, 6.98, 1.289_904));
    assert_eq!(figures("ND96isr_H100_v5"), ("H100 SXM", 8.0, 80.0, 98.32, 18.169_536));
    assert_eq!(figures("ND96isr_H200_v5"), ("H200", 8.0, 141.0, 84.8, 84.8));
    assert_eq!(figures("NC64as_T4_v3"), ("T4", 4.0, 16.0, 4.352, 1.2621));
    let slice = fetched.offer("NV6ads_A10_v5/eastus");
    assert_eq!((card(slice), slice.hardware.vram.unwrap().get()), ("A10", 4.0));
    assert!(
        (slice.hardware.gpus.unwrap() - 1.0 / 6.0).abs() < 1e-4,
        "a sixth of a card is no card"
    );
    let same = fetched.offer("ND96isr_H200_v5/eastus");
    assert!(same.flags.has(Flags::SPOT_NOT_CHEAPER));
    assert_eq!(same.availability, Availability::NotStated);
}

#[tokio::test]
async fn rows_that_are_no_offers_are_dropped_and_counted() {
    let size = "NC40ads_H100_v5";
    let rows = vec![
        item(size, "", 6.98),
        with(
            item(size, "", 8.82),
            &[("productName", json!("Virtual Machines NCadsH100v5 Series Windows"))],
        ),
        with(item(size, "", 8.9), &[("productName", json!("NCCadsv5 Srs Win"))]),
        item(size, " Low Priority", 1.4),
        with(item(size, "", 0.0), &[("retailPrice", json!(0.0))]),
        with(item(size, "", 0.01), &[("retailPrice", json!(0.01))]),
        with(item(size, "", 7.5), &[("effectiveStartDate", json!("2027-01-01T00:00:00Z"))]),
        with(item(size, "", 9.9), &[("type", json!("DevTestConsumption"))]),
        with(item(size, "", 50_000.0), &[("type", json!("Reservation"))]),
        with(item(size, "", 6.0), &[("currencyCode", json!("EUR"))]),
        with(item(size, "", 5.0), &[("productName", json!("Virtual Machines Cloud Services"))]),
        with(item(size, "", 9.0), &[("isPrimaryMeterRegion", json!(false))]),
        with(item(size, "", 5.5), &[("effectiveStartDate", json!("2025-04-01T00:00:00Z"))]),
        item("NV16as_v4", "", 0.9),
        json!(null),
    ];
    let server = Server::new(move |_| page(&rows, None));
    let fetched = fetch(Provider::Azure, &server, None).await;
    assert_eq!(fetched.keys(), ["NC40ads_H100_v5/eastus"]);
    assert_eq!(on_demand(&fetched.offers[0]), Some(6.98));
    assert!(!fetched.offers[0].flags.has(Flags::CONFLICTING));
    let rejected: usize = fetched.outcome.unwrap().rejected.iter().map(|(_, n)| n).sum();
    assert_eq!(rejected, 12);
}

#[tokio::test]
async fn blanks_in_a_name_and_another_name_for_ordering() {
    let rows = vec![
        with(item("x", "", 3.0), &[("armSkuName", json!("Standard_NC24ads_A100_v4  "))]),
        with(item("y", "", 27.197), &[("armSkuName", json!("Standard_ND96asr_A100_v4"))]),
    ];
    let server = Server::new(move |_| page(&rows, None));
    let fetched = fetch(Provider::Azure, &server, None).await;
    assert_eq!(
        fetched.offer("NC24ads_A100_v4/eastus").launch_id.as_str(),
        "Standard_NC24ads_A100_v4"
    );
    assert_eq!(fetched.offer("ND96asr_A100_v4/eastus").launch_id.as_str(), "Standard_ND96asr_v4");
}

#[tokio::test]
async fn pages_are_followed_in_turn() {
    let server = Server::new(|asked| {
        let rows = real();
        let next = format!("http://{}/api/retail/prices?$skip=6", asked.header("host").unwrap());
        if asked.path.contains("skip") {
            page(&rows[6..], None)
        } else {
            page(&rows[..6], Some(next))
        }
    });
    let fetched = fetch(Provider::Azure, &server, None).await;
    assert_eq!(fetched.offers.len(), 6);
    assert!(server.asked()[0].path.contains("%24filter=serviceName+eq+%27Virtual+Machines%27"));
}

#[tokio::test]
async fn paging_without_end_is_noticed() {
    let server = Server::new(|asked| {
        let next = format!("http://{}/api/retail/prices?$skip=0", asked.header("host").unwrap());
        page(&real(), Some(next))
    });
    let fetched = fetch(Provider::Azure, &server, None).await;
    assert_eq!(fetched.error(), &FetchError::Endless(2));
}

#[tokio::test]
async fn a_next_page_on_another_host_is_refused() {
    let server = Server::new(|_| page(&real(), Some("http://127.0.0.2:9/api".to_string())));
    let fetched = fetch(Provider::Azure, &server, None).await;
    assert_eq!(fetched.error(), &FetchError::Redirected);
}

#[tokio::test]
async fn azures_own_header_for_patience_is_read() {
    let busy = Answer::status(429, "").with("x-ms-ratelimit-retailprices-retry-after", "60");
    let server = Server::new(move |_| busy.clone());
    let fetched = fetch(Provider::Azure, &server, None).await;
    assert_eq!(fetched.error(), &FetchError::RateLimited { retry_after_seconds: Some(60) });
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn an_empty_list_is_a_failure_because_a_wrong_filter_looks_like_it() {
    let server = Server::new(|_| page(&[], None));
    assert_eq!(fetch(Provider::Azure, &server, None).await.error(), &FetchError::Empty);
}
