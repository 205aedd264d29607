//! RunPod, Lambda, TensorDock and Vultr: what they are asked, in which order, with which key.

use super::*;
use crate::support::server::{Answer, Asked};
use haggle::offer::{Availability, Basis};
use serde_json::{Value, json};
use std::io::Write;

fn plan(id: &str) -> Value {
    json!({"id": id, "type": "vcg", "locations": ["ewr"], "gpu_brand": "NVIDIA",
        "gpu_type": "NVIDIA_L40S", "gpu_count": 1, "gpu_vram_gb": 48, "hourly_cost": 1.671,
        "deploy_ondemand": true, "deploy_preemptible": false})
}

/// Three lists, the plans on two pages.
fn vultr(asked: &Asked) -> Answer {
    let page = |member: &str, rows: Value, next: &str| {
        let mut page = json!({"meta": {"total": 2, "links": {"next": next, "prev": ""}}});
        page[member] = rows;
        Answer::json(page.to_string())
    };
    let path = asked.path.as_str();
    if path.starts_with("/v2/regions") {
        page("regions", json!([{"id": "ewr", "country": "US"}]), "")
    } else if path.starts_with("/v2/plans-metal") {
        let metal = json!({"id": "vbm-112c-2048gb-8-h100-gpu", "hourly_cost": 23.92,
            "locations": ["ewr"]});
        page("plans_metal", json!([metal]), "")
    } else if path.contains("cursor=more") {
        page("plans", json!([plan("vcg-l40s-b")]), "")
    } else {
        page("plans", json!([plan("vcg-l40s-a")]), "more")
    }
}

#[tokio::test]
async fn vultr_is_read_to_the_last_page_and_needs_no_key() {
    let server = Server::new(vultr);
    let fetched = fetch(Provider::Vultr, &server, Some(KEY)).await;
    let wanted = ["vcg-l40s-a@ewr", "vcg-l40s-b@ewr", "vbm-112c-2048gb-8-h100-gpu@ewr"];
    assert_eq!(fetched.keys(), wanted);
    let metal = fetched.offer(wanted[2]);
    assert_eq!(
        (card(metal), metal.hardware.gpus.unwrap(), on_demand(metal)),
        ("H100 SXM", 8.0, Some(23.92))
    );
    assert_eq!(metal.place.country.unwrap().code(), "US");
    assert!(server.asked().iter().all(|a| a.header("authorization").is_none()));
    assert!(server.asked().iter().any(|a| a.path.contains("type=all")));
    assert_eq!(fetched.outcome.unwrap().key_hint, None);
}

#[tokio::test]
async fn vultr_pages_without_end_are_stopped() {
    let server = Server::new(|asked| {
        let mut page = json!({"meta": {"total": 1_000_000_000, "links": {"next": "0"}}});
        let member = if asked.path.contains("regions") { "regions" } else { "plans" };
        page[member] = json!([plan("vcg-l40s-a")]);
        Answer::json(page.to_string())
    });
    let fetched = fetch(Provider::Vultr, &server, None).await;
    assert!(matches!(fetched.error(), FetchError::Endless(_)), "{}", fetched.error());
    assert!(server.asked().len() < 10);
    // The same with a new cursor each time.
    let server = Server::new(|asked| {
        let before = asked.path.rsplit("cursor=").next().unwrap_or("");
        let next = before.parse::<u64>().map_or(1, |n| n + 1).to_string();
        let mut page = json!({"meta": {"links": {"next": next}}});
        let member = if asked.path.contains("regions") { "regions" } else { "plans" };
        page[member] = json!([plan("vcg-l40s-a")]);
        Answer::json(page.to_string())
    });
    let fetched = fetch(Provider::Vultr, &server, None).await;
    assert!(matches!(fetched.error(), FetchError::Endless(_)), "{}", fetched.error());
    assert!(server.asked().len() < 60);
}

#[tokio::test]
async fn vultr_without_its_regions_loses_countries_and_nothing_else() {
    let server = Server::new(|asked| {
        if asked.path.contains("regions") { Answer::status(404, "no") } else { vultr(asked) }
    });
    let fetched = fetch(Provider::Vultr, &server, None).await;
    assert_eq!(fetched.offers.len(), 3);
    assert!(fetched.offers.iter().all(|o| o.place.country.is_none()));
    let note = fetched.outcome.unwrap().coverage_note.unwrap();
    assert!(note.contains("regions") && note.contains("404"), "{note}");
}

fn tensordock(asked: &Asked) -> Answer {
    let rates = json!({"per_vcpu_hr": 0.003, "per_gb_ram_hr": 0.002, "per_gb_storage_hr": 0.00005});
    let answer = if asked.path.contains("locations") {
        json!({"data": {"locations": [{"id": "p1", "city": "Oslo", "country": "Norway", "gpus": [
            {"v0Name": "h100-sxm5-80gb", "max_count": 1, "price_per_hr": 2.2, "pricing": rates}]}]}})
    } else {
        json!({"data": {"hostnodes": [{"id": "h1", "uptime_percentage": 99.5, "pricing": rates,
            "available_resources": {"gpus": [{"v0Name": "h100-sxm5-80gb", "availableCount": 1,
                "price_per_hr": 2.0}]}, "location": {"city": "Oslo", "country": "Norway"}}]}})
    };
    Answer::json(answer.to_string())
}

#[tokio::test]
async fn tensordock_is_asked_without_the_key_and_with_it_only_when_refused() {
    let server = Server::new(tensordock);
    let fetched = fetch(Provider::Tensordock, &server, Some(KEY)).await;
    assert_eq!(fetched.keys(), ["loc.p1.h100-sxm5-80gb.x1", "host.h1.h100-sxm5-80gb.x1"]);
    assert!(server.asked().iter().all(|a| a.header("authorization").is_none()));
    let strict = Server::new(|asked| {
        let known = asked.header("authorization").is_some();
        if known { tensordock(asked) } else { Answer::status(401, r#"{"error":"Unauthorized"}"#) }
    });
    let fetched = fetch(Provider::Tensordock, &strict, Some(KEY)).await;
    assert_eq!(fetched.offers.len(), 2);
    assert_eq!(fetched.outcome.unwrap().key_hint.as_deref(), Some("…CRET"));
    assert_eq!(strict.asked().len(), 3);
    let fetched = fetch(Provider::Tensordock, &strict, None).await;
    assert_eq!(fetched.error(), &FetchError::NeedsKey("TENSORDOCK_API_KEY"));
}

#[tokio::test]
async fn tensordock_places_stay_when_its_hosts_fail() {
    let server = Server::new(|asked| {
        if asked.path.contains("hostnodes") { Answer::json("{}") } else { tensordock(asked) }
    });
    let fetched = fetch(Provider::Tensordock, &server, None).await;
    assert_eq!(fetched.offers.len(), 1);
    assert!(fetched.outcome.unwrap().coverage_note.unwrap().contains("hosts"));
}

fn zipped(csv: &str) -> Answer {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("lambdalabs.csv", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(csv.as_bytes()).unwrap();
    Answer::bytes(zip.finish().unwrap().into_inner())
}

const LAMBDA_LIST: &str = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data\n\
    gpu_1x_h100_pcie,us-east-1,3.29,26,214.7,1,H100,80,False,1099,nvidia,,x86,{}\n\
    gpu_8x_a100,us-east-1,15.92,124,1932,8,A100,40,False,6000,nvidia,,x86,{}\n";

#[tokio::test]
async fn lambda_without_a_key_shows_dated_list_prices_that_promise_nothing() {
    let server = Server::new(|asked| match asked.path.as_str() {
        "/v3/lambdalabs/version" => Answer::status(200, "20260819-77\n"),
        "/v3/lambdalabs/20260819-77/catalog.zip" => zipped(LAMBDA_LIST),
        _ => Answer::status(404, ""),
    });
    let http = Http::new(options());
    let fetched = fetch_with(&http, Provider::Lambda, &server, None).await;
    let h100 = fetched.offer("gpu_1x_h100_pcie@us-east-1");
    assert_eq!((card(h100), on_demand(h100)), ("H100 PCIe", Some(3.29)));
    let a100 = fetched.offer("gpu_8x_a100@us-east-1");
    assert_eq!((card(a100), on_demand(a100)), ("A100 SXM 40GB", Some(15.92)));
    for offer in &fetched.offers {
        assert_eq!(offer.availability, Availability::NotStated);
        assert_eq!(offer.origin.basis, Basis::Listed);
        // 2026-08-19, noon.
        assert_eq!(offer.origin.fetched_at, UnixSeconds(1_787_140_800));
    }
    let again = fetch_with(&http, Provider::Lambda, &server, None).await;
    assert!(again.outcome.unwrap().unchanged);
}

#[tokio::test]
async fn lambda_without_key_and_without_list_says_what_would_help() {
    for answer in [Answer::status(403, ""), Answer::status(200, "20260819-77")] {
        let server = Server::new(move |_| answer.clone());
        let fetched = fetch(Provider::Lambda, &server, None).await;
        assert_eq!(fetched.error(), &FetchError::NeedsKey("LAMBDA_API_KEY"));
    }
}

#[tokio::test]
async fn lambda_with_a_key_is_asked_live() {
    let server = Server::new(|asked| {
        assert_eq!(asked.path, "/api/v1/instance-types");
        let kind = json!({"instance_type": {"name": "gpu_1x_a10", "price_cents_per_hour": 129,
            "description": "1x A10 (24 GB PCIe)", "gpu_description": "A10 (24 GB PCIe)",
            "specs": {"vcpus": 30, "memory_gib": 200, "gpus": 1, "storage_gib": 1400}},
            "regions_with_capacity_available": [{"name": "me-west-1", "description": "Israel"}]});
        Answer::json(json!({"data": {"gpu_1x_a10": kind}}).to_string())
    });
    let fetched = fetch(Provider::Lambda, &server, Some(KEY)).await;
    let offer = fetched.offer("gpu_1x_a10@me-west-1");
    assert_eq!((card(offer), on_demand(offer)), ("A10", Some(1.29)));
    assert_eq!(offer.availability, Availability::Yes);
    assert_eq!(fetched.outcome.unwrap().key_hint.as_deref(), Some("…CRET"));
    assert_eq!(server.asked()[0].header("authorization"), Some(&*format!("Bearer {KEY}")));
}

fn graphql(asked: &Asked) -> Answer {
    let stock = json!({"stockStatus": "High", "minVcpu": 8, "minMemory": 31,
        "availableGpuCounts": [1, 2]});
    let query: Value = serde_json::from_str(&asked.body).unwrap();
    let data = if query["query"].as_str().unwrap().contains("dataCenterId") {
        json!({"gpuTypes": [{"id": "NVIDIA L4", "p0": stock}]})
    } else {
        json!({"gpuTypes": [{"id": "NVIDIA L4", "displayName": "L4", "memoryInGb": 24,
            "secureCloud": true, "communityCloud": false, "securePrice": 0.39,
            "maxGpuCountSecureCloud": 2, "secure": stock}],
            "dataCenters": [{"id": "EU-RO-1", "listed": true}], "countryCodes": []})
    };
    Answer::json(json!({"data": data}).to_string())
}

#[tokio::test]
async fn runpod_without_a_key_is_asked_twice_and_has_rows_by_place() {
    let server = Server::new(graphql);
    let fetched = fetch(Provider::Runpod, &server, None).await;
    assert_eq!(fetched.keys(), ["secure.EU-RO-1.NVIDIA_L4.x1", "secure.EU-RO-1.NVIDIA_L4.x2"]);
    assert_eq!(on_demand(&fetched.offers[1]), Some(0.78));
    assert_eq!(fetched.offers[0].place.country.unwrap().code(), "RO");
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn runpod_rows_stay_when_the_stock_by_place_fails() {
    let server = Server::new(|asked| {
        if asked.body.contains("dataCenterId") {
            return Answer::status(400, r#"{"errors":[{"message":"too complex"}]}"#);
        }
        graphql(asked)
    });
    let fetched = fetch(Provider::Runpod, &server, None).await;
    assert_eq!(fetched.keys(), ["secure.any.NVIDIA_L4.x1", "secure.any.NVIDIA_L4.x2"]);
    assert!(fetched.outcome.unwrap().coverage_note.unwrap().contains("too complex"));
}

#[tokio::test]
async fn runpod_falls_back_from_rest_to_graphql_without_the_key() {
    let server = Server::new(|asked| {
        if asked.path.starts_with("/v2/") {
            return Answer::status(401, r#"{"title":"Unauthorized","detail":"bad token"}"#);
        }
        assert_eq!(asked.header("authorization"), None);
        graphql(asked)
    });
    let fetched = fetch(Provider::Runpod, &server, Some(KEY)).await;
    assert_eq!(fetched.offers.len(), 2);
    let report = fetched.outcome.unwrap();
    assert_eq!(report.key_hint, None);
    let note = report.coverage_note.unwrap();
    assert!(note.contains("RUNPOD_API_KEY") && note.contains("GraphQL"), "{note}");
}

#[tokio::test]
async fn runpod_with_a_key_asks_rest_for_both_clouds_and_each_number_of_gpus() {
    let server = Server::new(|asked| {
        assert!(asked.path.starts_with("/v2/catalog/gpus?include=AVAILABILITY&product=POD&count="));
        let row = json!({"id": "NVIDIA L4", "name": "L4", "memory": 24, "secure": true,
            "community": false, "price": {"secure": 0.39, "community": 0.0},
            "maxCount": {"secure": 8, "community": 0}, "availability": "LOW",
            "dataCenters": [{"id": "US-TX-3", "availability": "LOW"}]});
        Answer::json(json!([row]).to_string())
    });
    let fetched = fetch(Provider::Runpod, &server, Some(KEY)).await;
    let prices: Vec<_> = fetched.offers.iter().filter_map(on_demand).collect();
    assert_eq!(prices, [0.39, 0.78, 1.56, 3.12]);
    assert_eq!(server.asked().len(), 8);
    assert_eq!(fetched.outcome.unwrap().key_hint.as_deref(), Some("…CRET"));
}
