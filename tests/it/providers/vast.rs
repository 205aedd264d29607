//! Vast.ai: real figures by hand, slices, keys, pages, and rows as bad as they come.

use super::*;
use crate::support::server::{Answer, Asked, Manner, Server};
use haggle::offer::{Availability, Flags, Link};
use serde_json::{Value, json};

/// Five real offers (H100 SXM of 2026-08-22, RTX 5090 of 2025-07-26, RTX 4090 of 2024-07), their
/// figures only; hosts and addresses left out.
fn real() -> Value {
    json!({"offers": [
        {"id": 48_285_735, "machine_id": 148199, "num_gpus": 1, "gpu_name": "H100 SXM", "gpu_ram": 81559,
         "dph_base": 1.386_666_666_666_666_7, "min_bid": 0.4, "storage_cost": 0.006_666_666_666_666_667,
         "geolocation": ", US", "bw_nvlink": 478.1, "cpu_ram": 226_489, "cpu_cores": null, "cpu_cores_effective": 0.0,
         "inet_up_cost": 0.0, "inet_down_cost": 0.0, "verification": "verified", "rentable": true},
        {"id": 48_370_126, "machine_id": 146215, "num_gpus": 1, "gpu_name": "H100 SXM", "gpu_ram": 81559,
         "dph_base": 1.933_334_666_666_666_9, "min_bid": 2.4, "storage_cost": 0.133_333_333_333_333_3,
         "geolocation": "New Jersey, US", "bw_nvlink": 478.1, "reliability2": 0.9786, "verification": "unverified"},
        {"id": 48_335_212, "machine_id": 146485, "num_gpus": 1, "gpu_name": "H100 SXM", "gpu_ram": 81559,
         "dph_base": 1.786_666_666_666_666_8, "geolocation": ", RU", "mobo_name": "NULL"},
        {"id": 21_348_645, "machine_id": 37228, "num_gpus": 1, "gpu_name": "RTX 5090", "gpu_ram": 32607,
         "dph_base": 0.105_333_333_333_333_33, "min_bid": 0.105_333_3, "storage_cost": 0.933_333_333_333_333_5,
         "geolocation": "Ontario, CA", "bw_nvlink": 0, "gpu_lanes": 16, "pci_gen": 5.0},
        {"id": 11_684_738, "machine_id": 22990, "num_gpus": 1, "gpu_name": "RTX 4090", "gpu_ram": 24564,
         "dph_base": 0.246_666_666_666_666_65, "min_bid": 0.2, "geolocation": "Guangxi, CN",
         "gpu_lanes": 16, "pci_gen": 3.0, "cpu_ram": 64_393, "cpu_cores": 32, "cpu_cores_effective": 8.0},
    ]})
}

fn serve(body: Value) -> Server {
    let text = body.to_string();
    Server::new(move |_| Answer::json(text.clone()))
}

#[tokio::test]
async fn real_offers_have_their_hand_checked_figures() {
    let server = serve(real());
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    let near = |a: Option<f64>, b: f64| assert!((a.unwrap() - b).abs() < 1e-4, "{a:?} {b}");

    let first = fetched.offer("148199-1");
    assert_eq!((card(first), first.launch_id.as_str()), ("H100 SXM", "48285735"));
    near(on_demand(first), 1.3867);
    near(spot(first), 0.4);
    near(first.hardware.vram.map(|v| v.get()), 79.6475);
    near(first.fees.storage.map(|f| f.get()), 0.006_67);
    assert_eq!(first.place.country.unwrap().code(), "US");
    assert_eq!(first.fees.egress.map(|f| f.get()), Some(0.0), "0.0 is free, not unknown");
    assert_eq!(first.hardware.ram, None, "a share of no cores is unknown");
    assert_eq!((first.verified, first.hardware.link), (Some(true), Link::Nvlink));

    let dear_bid = fetched.offer("146215-1");
    near(on_demand(dear_bid), 1.9333);
    assert!(dear_bid.flags.has(Flags::SPOT_NOT_CHEAPER));
    assert_eq!(
        (dear_bid.verified, dear_bid.reliability.map(|r| r.get())),
        (Some(false), Some(0.9786))
    );

    let unknown = fetched.offer("146485-1");
    assert_eq!((unknown.reliability, unknown.fees.egress, spot(unknown)), (None, None, None));
    assert_eq!(unknown.place.country.unwrap().code(), "RU");

    let canada = fetched.offer("37228-1");
    assert_eq!((card(canada), canada.place.country.unwrap().code()), ("RTX 5090", "CA"));
    near(canada.hardware.vram.map(|v| v.get()), 31.8428);
    assert_eq!(canada.hardware.link, Link::PcieFull);

    let last = fetched.offer("22990-1");
    assert_eq!((card(last), last.hardware.link), ("RTX 4090", Link::PcieSlow));
    near(on_demand(last), 0.246_67);
    // 64,393 MiB × 8 of 32 cores.
    near(last.hardware.ram.map(|r| r.get()), 64_393.0 / 1024.0 / 4.0);
}

fn row(id: u64, machine: u64, gpus: u64, price: f64) -> Value {
    json!({"id": id, "machine_id": machine, "num_gpus": gpus, "gpu_name": "RTX 4090", "gpu_ram": 24564,
           "gpu_total_ram": 24564 * gpus, "dph_base": price, "dph_total": price, "gpu_ids": [id, id + 1]})
}

#[tokio::test]
async fn slices_of_one_machine_stay_rows_and_the_same_ask_comes_once() {
    let server = serve(json!({"offers": [
        row(1, 77, 1, 0.3), row(2, 77, 2, 0.6), row(3, 77, 1, 0.31), row(1, 77, 1, 0.3),
    ]}));
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    assert_eq!(fetched.keys(), ["77-1", "77-2", "77-1-g3"]);
    assert_eq!(fetched.outcome.unwrap().rows, 3);
}

#[tokio::test]
async fn one_bad_row_costs_one_row() {
    let good = row(1, 1, 1, 0.3).to_string();
    let bad = [
        r#"{"id":2,"machine_id":2,"num_gpus":NaN,"gpu_name":"RTX 4090"}"#,
        r#"{"id":null,"machine_id":3,"num_gpus":1,"dph_base":0.3}"#,
        r#"{"id":4,"machine_id":4,"num_gpus":0,"dph_base":0.3}"#,
        r#"{"id":5,"machine_id":5,"num_gpus":1,"dph_base":0}"#,
        "null",
        r#"{"id":6,"machine_id":6,"num_gpus":1,"dph_base":1e308,"gpu_ram":-1,"reliability2":7,"gpu_name":"RTX 4090"}"#,
        r#"{"id":"7","machine_id":"7","num_gpus":"2","dph_base":"0.5","gpu_name":["x"],"geolocation":{}}"#,
        r#"{"id":8,"id":9,"machine_id":9,"num_gpus":1,"dph_base":0.1,"dph_base":0.2}"#,
    ];
    let body = format!("{{\"offers\":[{good},{}]}}", bad.join(","));
    let server = Server::new(move |_| Answer::json(body.clone()));
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    assert_eq!(fetched.keys(), ["1-1", "6-1", "7-2", "9-1"]);
    let wild = fetched.offer("6-1");
    assert_eq!((on_demand(wild), wild.hardware.vram, wild.reliability), (None, None, None));
    assert_eq!(on_demand(fetched.offer("7-2")), Some(0.5));
    assert_eq!(on_demand(fetched.offer("9-1")), Some(0.2), "of a repeated member the last counts");
    let rejected: usize = fetched.outcome.unwrap().rejected.iter().map(|(_, n)| n).sum();
    assert_eq!(rejected, 5);
}

#[tokio::test]
async fn hostile_text_is_harmless_and_marked() {
    let evil = "\u{1b}]0;owned\u{7}\u{202e}RTX 4090\u{0}";
    let mut nasty = row(1, 1, 1, 0.3);
    nasty["gpu_name"] = json!(evil);
    nasty["geolocation"] = json!("x".repeat(100_000));
    let fetched = fetch(Provider::Vast, &serve(json!({"offers": [nasty]})), Some(KEY)).await;
    let offer = fetched.offer("1-1");
    let shown = format!("{} {}", offer.hardware.gpu_raw, offer.place.raw);
    assert!(shown.chars().all(|c| !c.is_control() && c != '\u{202e}'));
    assert!(shown.len() < 400);
    assert!(offer.flags.has(Flags::CLEANED));
    assert_eq!(offer.availability, Availability::Yes);
}

/// Answers as Vast.ai does without a key: the 64 cheapest from the asked price upwards.
fn page(asked: &Asked, market: &[f64]) -> Answer {
    let query: Value = serde_json::from_str(&asked.body).unwrap();
    let from = query["dph_total"]["gte"].as_f64().unwrap_or(0.0);
    let rows = market.iter().enumerate().filter(|(_, p)| **p >= from).take(64);
    let rows: Vec<Value> = rows.map(|(i, p)| row(i as u64 + 1, i as u64, 1, *p)).collect();
    Answer::json(json!({"offers": rows}).to_string())
}

fn market(offers: i32) -> Vec<f64> {
    (0..offers).map(|i| 0.05 * 400f64.powf(f64::from(i) / f64::from(offers))).collect()
}

#[tokio::test]
async fn without_a_key_pages_are_walked_until_the_market_is_covered() {
    let server = Server::new(|asked| page(asked, &market(250)));
    let fetched = fetch(Provider::Vast, &server, None).await;
    let report = fetched.outcome.as_ref().unwrap();
    assert_eq!((report.rows, report.coverage), (250, Some(1.0)));
    assert_eq!(report.key_hint, None);
}

#[tokio::test]
async fn the_documented_ten_searches_a_minute_are_never_exceeded() {
    let server = Server::new(|asked| page(asked, &market(9000)));
    let http = Http::new(options());
    let fetched = fetch_with(&http, Provider::Vast, &server, None).await;
    let report = fetched.outcome.as_ref().unwrap();
    assert_eq!(report.coverage_note.as_deref(), Some("rate limit after 10 pages of 64"));
    let (said, truth) = (report.coverage.unwrap(), report.rows as f64 / 9000.0);
    assert!((said / truth - 1.0).abs() < 0.3, "{said} {truth}");
    let again = fetch_with(&http, Provider::Vast, &server, None).await;
    assert!(matches!(again.error(), FetchError::RateLimited { retry_after_seconds: Some(_) }));
    assert_eq!(server.asked().len(), 10);
}

#[tokio::test]
async fn a_refused_key_is_said_and_the_market_is_seen_without_it() {
    let server = Server::new(|asked| match asked.header("authorization") {
        Some(_) => Answer::status(
            404,
            r#"{"success":false,"error":"auth_error","msg":"Invalid user key"}"#,
        ),
        None => page(asked, &market(40)),
    });
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    let report = fetched.outcome.as_ref().unwrap();
    assert_eq!(report.rows, 40);
    let note = report.coverage_note.as_deref().unwrap();
    assert!(note.contains("refuses the key in VAST_API_KEY (HTTP 404)"), "{note}");
    assert!(!format!("{fetched:?}").contains("planted"));
}

#[tokio::test]
async fn where_post_is_refused_the_older_get_is_asked() {
    let server = Server::new(|asked| match asked.method.as_str() {
        "POST" => Answer::status(405, "Method Not Allowed"),
        _ => Answer::json(real().to_string()),
    });
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    assert_eq!(fetched.offers.len(), 5);
    assert!(server.asked()[1].path.starts_with("/api/v0/bundles/?q=%7B"));
}

#[tokio::test]
async fn rows_appear_while_the_rest_is_still_to_come_and_stay_when_it_never_comes() {
    let rows: Vec<Value> = (0..4000).map(|i| row(i + 1, i, 1, 0.3)).collect();
    let text = json!({"offers": rows}).to_string();
    let server = Server::new(move |_| Answer::json(text.clone()).manner(Manner::Half));
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    assert!(fetched.offers.len() > 1500, "{}", fetched.offers.len());
    assert!(matches!(fetched.error(), FetchError::Network(_)));
}

/// Two slices of one machine, each with its own GPUs.
fn slices(asks: [u64; 2], prices: [f64; 2]) -> Value {
    let slice = |i: usize| {
        let mut slice = row(asks[i], 77, 1, prices[i]);
        slice["gpu_ids"] = json!([5000 + i]);
        slice
    };
    let mut both = vec![slice(0), slice(1)];
    both.sort_by(|a, b| {
        a["dph_base"].as_f64().unwrap().total_cmp(&b["dph_base"].as_f64().unwrap())
    });
    json!({"offers": both})
}

#[tokio::test]
async fn slices_keep_their_identity_when_prices_swap_and_when_ids_are_issued_anew() {
    let answers = [
        slices([1, 2], [0.3, 0.4]),
        slices([1, 2], [0.4, 0.3]),
        slices([901, 902], [0.4, 0.3]),
        slices([902, 901], [0.2, 0.3]),
    ];
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::new(move |_| {
        let turn = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Answer::json(answers[turn].to_string())
    });
    let http = Http::new(options());
    for prices in [[0.3, 0.4], [0.4, 0.3], [0.4, 0.3], [0.2, 0.3]] {
        let fetched = fetch_with(&http, Provider::Vast, &server, Some(KEY)).await;
        let of = |key: &str| on_demand(fetched.offer(key)).unwrap();
        assert_eq!([of("77-1"), of("77-1-g5001")], prices);
    }
}
