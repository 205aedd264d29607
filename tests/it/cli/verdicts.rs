//! The exit codes that pipelines branch on, with markets that cannot change.

use super::{House, sample};
use std::process::Stdio;

/// A gate that the sample's cheapest job passes or not.
#[test]
fn a_gate_opens_at_the_price_of_the_cheapest_job() {
    let house = House::new();
    let market = house.market(sample());
    let wide = house.on(&market, &["gate", "--max-total", "1000000$", "--format", "json"]);
    assert_eq!(wide.code, 0, "{wide:?}");
    let json = wide.json();
    let total = json["total_usd"].as_f64().unwrap();
    assert_eq!(json["offer"]["quote"]["total_usd"]["expected"].as_f64(), Some(total));
    let exact = house.on(&market, &["gate", "--max-total", &(total * 1.001).to_string()]);
    assert_eq!(exact.code, 0, "{exact:?}");
    let tight = house.on(&market, &["gate", "--max-total", &(total * 0.99).to_string()]);
    assert_eq!(tight.code, 6, "{tight:?}");
    let nothing = house.on(&market, &["gate", "vram>4000", "--max-total", "5"]);
    assert_eq!(nothing.code, 3, "{nothing:?}");
}

#[test]
fn a_watch_ends_at_once_when_it_is_met_and_with_five_when_time_is_up() {
    let house = House::new();
    let market = house.market(sample());
    let met = house.on(&market, &["watch", "rel>90%", "--until", "total<1000000$"]);
    assert_eq!(met.code, 0, "{met:?}");
    assert_eq!(met.out.lines().count(), 2, "{met:?}");
    let late = house
        .on(&market, &["watch", "--until", "total<0.0001$", "--every", "1s", "--timeout", "1s"]);
    assert_eq!(late.code, 5, "{late:?}");
    assert!(late.err.contains("not yet") && late.err.contains("in time"), "{late:?}");
    let wrong = house.on(&market, &["watch", "--until", "totl<3"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
}

#[test]
fn the_watchers_command_gets_the_offer_on_its_input() {
    let house = House::new();
    let market = house.market(sample());
    let file = house.path("offer.json");
    let command = format!("cat > '{}'", file.display());
    let met = house.on(&market, &["watch", "--until", "total<1000000$", "--exec", &command]);
    assert_eq!(met.code, 0, "{met:?}");
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert!(met.out.contains(json["id"].as_str().unwrap()), "{met:?} {json}");
    let fails = house.on(&market, &["watch", "--until", "total<1000000$", "--exec", "exit 7"]);
    assert_eq!(fails.code, 1, "{fails:?}");
}

#[test]
fn strict_is_four_when_a_provider_is_missing_or_old() {
    let house = House::new();
    let market = house.market(sample());
    let all = house.on(&market, &["list", "--strict", "--limit", "1"]);
    assert_eq!(all.code, 0, "{all:?}");
    let old = house.on(&market, &["list", "--strict", "--max-age", "10m", "--limit", "1"]);
    assert_eq!(old.code, 4, "{old:?}");
    assert!(old.err.contains("partial data"), "{old:?}");
    // Whether nothing matches is not known while something is missing.
    for words in [vec!["best"], vec!["gate", "--max-total", "5"], vec!["quote", "vast:gone"]] {
        let ran = house.on(&market, &[&words[..], &["--strict", "--max-age", "10m"]].concat());
        assert_eq!(ran.code, 4, "{words:?}: {ran:?}");
    }
    // Nobody listens on the discard port of this machine.
    let output = house
        .haggle(&["list", "--strict", "--provider", "vast", "--format", "json"])
        .env("HAGGLE_VAST_URL", "http://127.0.0.1:9")
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["providers"].as_array().unwrap().len(), 1);
    assert_eq!(json["providers"][0]["status"], "stale", "the built-in rows stand in");
    assert!(!json["providers"][0]["error"].as_str().unwrap().is_empty());
}

#[test]
fn max_age_hides_what_is_older() {
    let house = House::new();
    let market = house.market(sample());
    let json =
        house.on(&market, &["list", "rel>0%", "--max-age", "10m", "--format", "json"]).json();
    assert_eq!(json["shown"], 0);
    assert!(json["query"].as_str().unwrap().contains("age"), "{}", json["query"]);
}

#[test]
fn a_saved_market_opens_again_and_is_the_same() {
    let house = House::new();
    let market = house.market(sample());
    let copy = house.path("copy.haggle");
    let words = ["list", "--format", "csv"];
    let first = house.on(&market, &[&words[..], &["--save", copy.to_str().unwrap()]].concat());
    assert_eq!(first.code, 0, "{first:?}");
    let second = house.on(&copy, &words);
    assert_eq!(second.out, first.out);
    let broken = house.write("broken.haggle", "this is no market");
    assert_eq!(house.on(&broken, &["list"]).code, 2);
}

#[test]
fn only_the_named_providers_are_listed() {
    let house = House::new();
    let market = house.market(sample());
    let json = house.on(&market, &["list", "--provider", "aws,lambda", "--format", "json"]).json();
    let names: std::collections::BTreeSet<&str> = json["offers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| o["provider"].as_str().unwrap())
        .collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["aws", "lambda"]);
    let wanted = |o: &haggle::offer::Offer| matches!(o.provider.name(), "aws" | "lambda");
    assert_eq!(json["total"], sample().iter().filter(|o| wanted(o)).count());
    assert_eq!(json["providers"].as_array().unwrap().len(), 2);
}

#[test]
fn exports_go_to_a_file_or_to_standard_output() {
    let house = House::new();
    let market = house.market(sample());
    let file = house.path("out/bill.json");
    let words = ["export", "aws:own-5", "--as", "json"];
    let printed = house.on(&market, &words);
    assert_eq!(printed.code, 0, "{printed:?}");
    let written = house.on(&market, &[&words[..], &["-o", file.to_str().unwrap()]].concat());
    assert_eq!((written.code, written.out.as_str()), (0, ""), "{written:?}");
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(json["offer"]["id"], printed.json()["offer"]["id"]);
}
