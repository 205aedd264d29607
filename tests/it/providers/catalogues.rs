//! AWS's files and gpuhunt's catalogue: joined by region and type, asked for changes only.

use super::*;
use crate::support::server::{Answer, Asked, Server};
use haggle::offer::Availability;
use serde_json::{Value, json};
use std::io::Write;

/// us-east-1, on demand of 2026-08-06 and spot of 2026-08-11; p5e has no on-demand price.
const AWS: [(&str, Option<&str>, &str); 7] = [
    ("g5.xlarge", Some("1.0060000000"), "0.5179"),
    ("g6e.xlarge", Some("1.8610000000"), "1.6013"),
    ("g6f.xlarge", Some("0.2375000000"), "0.103"),
    ("p4d.24xlarge", Some("21.9576420000"), "18.8352"),
    ("p5.48xlarge", Some("55.0400000000"), "20.738"),
    ("p6-b200.48xlarge", Some("113.9328000000"), "42.2413"),
    ("p5e.48xlarge", None, "30.5"),
];

fn spot_file() -> String {
    let sizes: Vec<Value> = AWS
        .iter()
        .map(|(size, _, spot)| json!({"size": size, "valueColumns": [{"name": "linux", "prices": {"USD": spot}}, {"name": "mswin", "prices": {"USD": "N/A*"}}]}))
        .collect();
    json!({"config": {"regions": [{"region": "us-east-1", "instanceTypes": [{"type": "gpuCurrentGen", "sizes": sizes}]}]}}).to_string()
}

fn list_file() -> String {
    let rows: serde_json::Map<String, Value> = AWS
        .iter()
        .filter_map(|(size, price, _)| {
            Some(((*size).to_string(), json!({"price": (*price)?, "Instance Type": size, "Operating System": "Linux", "Pre Installed S/W": "NA"})))
        })
        .collect();
    json!({"manifest": {"currencyCode": "USD"}, "regions": {"US East (N. Virginia)": rows}})
        .to_string()
}

fn aws(asked: &Asked) -> Answer {
    if asked.header("if-none-match") == Some("\"v1\"") {
        return Answer::status(304, "").with("ETag", "\"v1\"");
    }
    let text = if asked.path == "/spot.json" {
        spot_file()
    } else if asked.path == "/spot-advisor-data.json" {
        json!({"spot_advisor": {"us-east-1": {"Linux": {"g5.xlarge": {"s": 59, "r": 4}, "p5.48xlarge": {"s": 46, "r": 1}}}}}).to_string()
    } else if asked.path.contains("/US%20East%20%28N.%20Virginia%29/Linux/index.json") {
        list_file()
    } else {
        return Answer::status(
            403,
            "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>",
        );
    };
    Answer::json(text).with("ETag", "\"v1\"")
}

#[tokio::test]
async fn aws_rows_have_their_hand_checked_figures() {
    let server = Server::new(aws);
    let fetched = fetch(Provider::Aws, &server, None).await;
    let figures = |size: &str| {
        let offer = fetched.offer(&format!("{size}/us-east-1"));
        (
            card(offer),
            offer.hardware.gpus.unwrap(),
            offer.hardware.vram.unwrap().get(),
            on_demand(offer),
            spot(offer),
        )
    };
    assert_eq!(figures("g5.xlarge"), ("A10G", 1.0, 24.0, Some(1.006), Some(0.5179)));
    assert_eq!(figures("g6e.xlarge"), ("L40S", 1.0, 48.0, Some(1.861), Some(1.6013)));
    assert_eq!(figures("g6f.xlarge"), ("L4", 0.125, 3.0, Some(0.2375), Some(0.103)));
    assert_eq!(
        figures("p4d.24xlarge"),
        ("A100 SXM 40GB", 8.0, 40.0, Some(21.957_642), Some(18.8352))
    );
    assert_eq!(figures("p5.48xlarge"), ("H100 SXM", 8.0, 80.0, Some(55.04), Some(20.738)));
    assert_eq!(figures("p6-b200.48xlarge"), ("B200", 8.0, 180.0, Some(113.9328), Some(42.2413)));
    assert_eq!(figures("p5e.48xlarge"), ("H200", 8.0, 141.0, None, Some(30.5)));
    let offer = fetched.offer("g5.xlarge/us-east-1");
    assert_eq!(
        (offer.launch_id.as_str(), offer.availability),
        ("g5.xlarge", Availability::NotStated)
    );
    // −ln(1 − 0.3) / 720: a month's share, not an hour's.
    assert!((offer.hazard.unwrap().rate.expected.get() - 4.954e-4).abs() < 1e-7);
    assert!(
        fetched.offer("p4d.24xlarge/us-east-1").hazard.is_none(),
        "missing is unknown, not low"
    );
}

#[tokio::test]
async fn one_regions_outage_costs_one_region_and_is_said() {
    let server = Server::new(aws);
    let fetched = fetch(Provider::Aws, &server, None).await;
    let note = fetched.outcome.unwrap().coverage_note.unwrap();
    assert!(note.contains("on demand in eu-west-1: answers HTTP 403: Access Denied"), "{note}");
}

#[tokio::test]
async fn unchanged_files_are_not_sent_again() {
    let server = Server::new(aws);
    let http = Http::new(options());
    let mut context = context(&http, Provider::Aws, &server, None);
    context.regions = vec!["us-east-1".to_string(), "nowhere-1".to_string()];
    let mut unchanged = Vec::new();
    for _ in 0..2 {
        let (channel, mut updates) = tokio::sync::mpsc::channel(4);
        let sink = Sink { provider: Provider::Aws, generation: 1, channel };
        tokio::spawn(run(source(Provider::Aws).unwrap(), context.clone(), sink));
        while let Some(update) = updates.recv().await {
            if let Update::Finished { outcome, .. } = update {
                unchanged.push(outcome.unwrap().unchanged);
            }
        }
    }
    assert_eq!(unchanged, [false, true]);
    assert_eq!(server.asked().len(), 6);
}

#[tokio::test]
async fn a_list_that_fails_later_leaves_the_prices_of_before() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::new(move |request| {
        if !request.path.contains("pricing") {
            return aws(request);
        }
        match asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => aws(request),
            _ => Answer::status(404, ""),
        }
    });
    let http = Http::new(options());
    for turn in 0..2 {
        let mut context = context(&http, Provider::Aws, &server, None);
        context.regions = vec!["us-east-1".to_string()];
        let fetched = fetch_in(context, Provider::Aws).await;
        assert_eq!(on_demand(fetched.offer("g5.xlarge/us-east-1")), Some(1.006), "{turn}");
        let note = fetched.outcome.unwrap().coverage_note.unwrap_or_default();
        assert_eq!(note.contains("its list of before is used"), turn == 1, "{note}");
    }
}

#[tokio::test]
async fn a_connection_that_goes_in_the_middle_fails_and_keeps_what_was() {
    let server = Server::new(|request| {
        if request.path.contains("pricing") {
            return Answer::json(" ".repeat(300)).manner(crate::support::server::Manner::Half);
        }
        aws(request)
    });
    let mut context = context(&Http::new(options()), Provider::Aws, &server, None);
    context.regions = vec!["us-east-1".to_string()];
    let fetched = fetch_in(context, Provider::Aws).await;
    assert!(matches!(fetched.error(), FetchError::Network(_)), "{}", fetched.error());
    assert!(fetched.offers.is_empty());
}

#[tokio::test]
async fn who_looks_at_another_region_keeps_the_prices_of_the_first() {
    let server = Server::new(aws);
    let http = Http::new(options());
    let looking_at = |region: &str| {
        let mut context = context(&http, Provider::Aws, &server, None);
        context.regions = vec![region.to_string()];
        fetch_in(context, Provider::Aws)
    };
    let first = looking_at("us-east-1").await;
    assert_eq!(on_demand(first.offer("g5.xlarge/us-east-1")), Some(1.006));
    let second = looking_at("sa-east-1").await;
    assert_eq!(on_demand(second.offer("g5.xlarge/us-east-1")), Some(1.006));
    let lists = server.asked().into_iter().filter(|asked| asked.path.contains("Paulo")).count();
    assert_eq!(lists, 1);
}

const CSV: &str = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data\n\
    a2-highgpu-1g,us-central1-a,3.673385,12,85,1,A100,40,False,,nvidia,,x86,{}\n";

fn gpuhunt(asked: &Asked) -> Answer {
    match asked.path.as_str() {
        "/v3/gcp/version" => Answer::status(200, "20261130-4711\n"),
        "/v3/gcp/20261130-4711/catalog.zip" => {
            let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
            zip.start_file("gcp.csv", zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(CSV.as_bytes()).unwrap();
            Answer::bytes(zip.finish().unwrap().into_inner())
        }
        _ => Answer::status(404, ""),
    }
}

#[tokio::test]
async fn a_catalogue_is_dated_and_fetched_once_for_each_version() {
    let server = Server::new(gpuhunt);
    let http = Http::new(options());
    let first = fetch_with(&http, Provider::Gcp, &server, None).await;
    let offer = first.offer("a2-highgpu-1g/us-central1-a");
    assert_eq!(on_demand(offer), Some(3.673_385));
    // 2026-11-30 12:00 UTC.
    assert_eq!(offer.origin.fetched_at, UnixSeconds(1_796_040_000));
    let second = fetch_with(&http, Provider::Gcp, &server, None).await;
    assert!(second.outcome.unwrap().unchanged);
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn a_version_that_is_none_leads_nowhere() {
    let server = Server::new(|_| Answer::status(200, "../../etc/passwd"));
    let fetched = fetch(Provider::Gcp, &server, None).await;
    assert!(matches!(fetched.error(), FetchError::Unreadable(_)));
    assert_eq!(server.asked().len(), 1);
}
