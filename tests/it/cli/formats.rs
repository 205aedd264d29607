//! The same offers in every format, and in the screen's own engine.

use super::{House, sample};
use haggle::market::{Ask, Query, Table, View};
use haggle::setup::Draft;
use haggle::units::UnixSeconds;

/// Equal but for the last bit, which the reader of JSON may lose.
fn same(a: Option<f64>, b: Option<f64>) {
    match (a, b) {
        (Some(a), Some(b)) => assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} {b}"),
        (a, b) => assert_eq!(a, b),
    }
}

#[test]
fn every_format_holds_the_same_offers_in_the_same_order() {
    let house = House::new();
    let market = house.market(sample());
    let words = ["list", "rel>95%", "--limit", "12", "--format"];
    let run = |format| house.on(&market, &[&words[..], &[format]].concat());
    let json = run("json").json();
    let ids: Vec<String> = json["offers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| o["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 12);
    let yaml: serde_json::Value = serde_saphyr::from_str(&run("yaml").out).unwrap();
    // The moment differs; everything else is equal.
    for (a, b) in yaml["offers"].as_array().unwrap().iter().zip(json["offers"].as_array().unwrap())
    {
        assert_eq!(a["id"], b["id"]);
        same(a["quote"]["total_usd"]["high"].as_f64(), b["quote"]["total_usd"]["high"].as_f64());
    }
    let csv = run("csv").out;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let from_csv: Vec<String> =
        reader.records().map(|r| r.unwrap().get(0).unwrap().to_owned()).collect();
    assert_eq!(from_csv, ids);
    let lines: Vec<String> = run("table").out.lines().skip(1).map(str::to_owned).collect();
    for (line, id) in lines.iter().zip(&ids) {
        assert!(line.ends_with(id.as_str()), "{line} {id}");
    }
    let markdown = run("markdown").out;
    assert_eq!(markdown.lines().count(), 14);
}

#[test]
fn the_list_says_what_the_screens_engine_says() {
    let house = House::new();
    let offers = sample();
    let market = house.market(offers.clone());
    let json = house.on(&market, &["list", "rel>95%", "--format", "json"]).json();
    let mut table = Table::new();
    table.insert(1, &offers);
    let draft = Draft::default();
    let setup = draft.resolve(haggle::model::find(draft.model_name()).unwrap()).unwrap();
    let query = Query::parse("rel>95%").unwrap();
    let mut view = View::new();
    view.refresh(&table, &Ask { setup: &setup, query: &query, sort: &[], now: UnixSeconds(0) });
    let lines = view.window(&table, 0, usize::MAX).to_vec();
    let printed = json["offers"].as_array().unwrap();
    assert_eq!(printed.len(), lines.len());
    for (line, printed) in lines.into_iter().zip(printed) {
        assert_eq!(printed["id"].as_str(), table.id(line.row).as_deref());
        let quote = view.row_quote(&table, line.row, line.kind).unwrap();
        let expected = printed["quote"]["total_usd"]["expected"].as_f64();
        same(expected, quote.total.map(|t| t.expected.get()));
        let hours = printed["quote"]["hours"]["expected"].as_f64();
        same(hours, quote.hours.map(|t| t.expected.get()));
    }
}

#[test]
fn totals_are_the_sums_of_their_items() {
    let house = House::new();
    let market = house.market(sample());
    let json = house.on(&market, &["list", "--pricing", "both", "--format", "json"]).json();
    let offers = json["offers"].as_array().unwrap();
    assert!(!offers.is_empty());
    for offer in offers {
        let quote = &offer["quote"];
        let Some(total) = quote["total_usd"]["expected"].as_f64() else { continue };
        let sum: f64 =
            quote["items"].as_array().unwrap().iter().filter_map(|i| i["usd"].as_f64()).sum();
        assert!((sum - total).abs() <= 1e-9 * total.max(1.0), "{} {sum} {total}", offer["id"]);
    }
}

#[test]
fn every_command_answers_in_every_format() {
    let house = House::new();
    let market = house.market(sample());
    for words in [
        vec!["list", "--limit", "3"],
        vec!["best"],
        vec!["pareto"],
        vec!["quote", "vast:own-0"],
        vec!["estimate", "--gpu", "RTX 4090"],
        vec!["why", "rel>99%"],
        vec!["why", "rel>99%", "vast:own-0"],
        vec!["watch", "--until", "total<1000000$"],
        vec!["gate", "--max-total", "1000000"],
        vec!["learn", "--gpu", "RTX 4090", "--tokens-per-second", "900"],
        vec!["setup"],
        vec!["models", "qwen"],
        vec!["gpus", "4090"],
        vec!["providers"],
        vec!["config"],
        vec!["doctor"],
    ] {
        for format in ["table", "json", "csv", "yaml", "markdown"] {
            let ran = house.on(&market, &[&words[..], &["--format", format]].concat());
            assert_eq!(ran.code, 0, "{words:?} {format}: {ran:?}");
            match format {
                "json" => assert!(ran.json()["schema"].as_str().is_some(), "{words:?}"),
                "yaml" => {
                    let yaml: serde_json::Value = serde_saphyr::from_str(&ran.out).unwrap();
                    assert!(yaml["schema"].as_str().is_some(), "{words:?}");
                }
                "csv" => {
                    let mut reader = csv::Reader::from_reader(ran.out.as_bytes());
                    assert!(reader.headers().unwrap().len() > 2, "{words:?}: {}", ran.out);
                    assert!(reader.records().all(|r| r.is_ok()), "{words:?}: {}", ran.out);
                }
                "markdown" if words[0] != "gate" => {
                    assert!(ran.out.contains("|--") || ran.out.contains("| --"), "{}", ran.out);
                }
                _ => assert!(!ran.out.is_empty(), "{words:?}"),
            }
        }
    }
}
