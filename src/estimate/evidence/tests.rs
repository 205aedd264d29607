//! How good the estimator is, measured on what ships; and on the whole table, where it is at hand.

use super::predict::Prediction;
use super::{Group, groups, nearest, predict, read, report};
use crate::estimate::fit::Verdict;
use crate::estimate::memory;
use crate::setup::{Draft, Field};
use crate::units::Gib;

fn shipped() -> Vec<Prediction> {
    predict(read(report::SHIPPED).unwrap())
}

fn is_trainer(group: &Group) -> bool {
    group.framework.starts_with("hf-trainer") && group.mem_kind == "allocated"
}

/// Usable memory as out-of-memory messages state it, by the label of the rows.
fn usable(label: &str) -> Option<Gib> {
    Some(Gib::new(match label {
        "A100-80GB" => 79.15,
        "A100-40GB" => 39.4,
        "RTX 4090" | "RTX 3090" => 23.6,
        "T4-16GB" => 14.56,
        "H200" => 139.72,
        "L40S-48GB" => 44.5,
        _ => return None,
    }))
}

fn check_errors(rows: &[Prediction]) {
    let all = groups(rows);
    for group in all.iter().filter(|g| is_trainer(g)) {
        assert!(group.median_error <= 0.015 && group.p95_error <= 0.06, "{group:?}");
    }
    let others = || {
        all.iter().filter(|g| !is_trainer(g) && ["allocated", "reserved"].contains(&&*g.mem_kind))
    };
    let n: usize = others().map(|g| g.n).sum();
    let inside: f64 = others().map(|g| g.inside_band * g.n as f64).sum();
    assert!(n > 100 && inside / n as f64 >= 0.9, "{inside} of {n}");
}

fn check_verdicts(rows: &[Prediction]) {
    let mut ran_out = (0, 0);
    for row in rows {
        let (Some(need), Some(usable)) = (&row.need, usable(&row.record.gpu)) else { continue };
        let verdict = memory::verdict(need.needed(), need.needed_band(), usable);
        if row.record.outcome == "oom" {
            ran_out.0 += usize::from(verdict == Verdict::Fits);
            ran_out.1 += 1;
        } else {
            assert_ne!(verdict, Verdict::No, "ran well: {:?}", row.record);
        }
    }
    println!("ran out of memory and called fits: {} of {}", ran_out.0, ran_out.1);
    assert!(ran_out.1 > 20, "{ran_out:?}");
    assert!(ran_out.0 * 20 <= ran_out.1, "of those that ran out, called fits: {ran_out:?}");
}

#[test]
fn what_ships_is_predicted_row_by_row() {
    let rows = shipped();
    assert!(rows.len() >= 500);
    for row in &rows {
        assert!(row.memory.is_ok(), "{:?}", row.memory);
        assert!(row.record.source.len() > 5, "{:?}", row.record);
    }
}

#[test]
fn errors_and_verdicts_keep_their_promise() {
    let rows = shipped();
    check_errors(&rows);
    check_verdicts(&rows);
}

#[test]
fn errors_and_verdicts_keep_their_promise_on_the_whole_table() {
    let Some(path) = crate::shared("truth/memory-measurements.csv") else {
        println!("skipped: no memory-measurements.csv beside the checkout");
        return;
    };
    let rows = predict(read(&std::fs::read(path).unwrap()).unwrap());
    check_errors(&rows);
    check_verdicts(&rows);
    for g in groups(&rows) {
        println!(
            "{:<28} {:<6} {:<10} n={:<3} median {:>5.2} % p95 {:>5.2} % inside {:.2}",
            g.framework,
            g.method,
            g.mem_kind,
            g.n,
            g.median_error * 100.0,
            g.p95_error * 100.0,
            g.inside_band
        );
    }
}

#[test]
fn no_run_whose_speed_was_measured_is_said_not_to_fit() {
    let Some(path) = crate::shared("truth/throughput-measurements.csv") else {
        println!("skipped: no throughput-measurements.csv beside the checkout");
        return;
    };
    let rows = predict(read(&std::fs::read(path).unwrap()).unwrap());
    let ran = |row: &&Prediction| row.verdict.is_some();
    assert!(rows.iter().filter(ran).count() > 200);
    for row in rows.iter().filter(ran) {
        assert_ne!(row.verdict, Some(Verdict::No), "{:?}", row.record);
    }
}

/// Other spellings of what the shipped tables say, by column.
const RESPELLED: [(&str, &[(&str, &str)]); 10] = [
    ("method", &[("full", "Full fine-tuning"), ("lora", "LoRA"), ("qlora", "Q-LoRA")]),
    ("checkpointing", &[("yes", "True"), ("no", "FALSE")]),
    ("attention", &[("fa2", "flash_attention_2"), ("sdpa", "SDPA"), ("no", "Eager")]),
    ("sharding", &[("fsdp", "FSDP full_shard"), ("zero3", "DeepSpeed ZeRO-3"), ("none", "None")]),
    (
        "reading",
        &[
            ("allocated", "max_memory_allocated"),
            ("reserved", "Reserved"),
            ("nvidia-smi", "nvidia_smi"),
        ],
    ),
    ("outcome", &[("ok", "OK"), ("oom", "CUDA out of memory")]),
    ("kernel", &[("hf-eager-ce", "HF eager CE"), ("fast-ce-triton", "Fast_CE_Triton")]),
    ("quant", &[("gptq-4bit", "GPTQ (4 bit)"), ("nf4", "NF4 (bnb)")]),
    ("targets", &[("q_proj,k_proj,v_proj,o_proj", "['q_proj', 'k_proj', 'v_proj', 'o_proj']")]),
    ("length", &[("4096", "4,096"), ("2048", "2k"), ("1034", "1034.0")]),
];

/// `table` with its columns backwards, headings in capitals, semicolons, and other spellings.
fn respelled(table: &[u8]) -> Vec<u8> {
    let mut reader = csv::Reader::from_reader(table);
    let headers = reader.headers().unwrap().clone();
    let mut out = csv::WriterBuilder::new().delimiter(b';').from_writer(Vec::new());
    out.write_record(headers.iter().rev().map(str::to_ascii_uppercase)).unwrap();
    for row in reader.records() {
        let row = row.unwrap();
        let cell = |(heading, text): (&str, &str)| {
            let other = RESPELLED.iter().find(|(column, _)| *column == heading);
            let words = other.into_iter().flat_map(|(_, words)| *words);
            words.clone().find(|(from, _)| *from == text).map_or(text, |(_, to)| *to).to_owned()
        };
        let cells: Vec<String> = headers.iter().zip(&row).map(cell).collect();
        out.write_record(cells.iter().rev()).unwrap();
    }
    out.into_inner().unwrap()
}

#[test]
fn a_row_means_the_same_however_it_is_spelled() {
    for table in [report::SHIPPED, report::SHIPPED_SPEEDS] {
        let other = respelled(table);
        assert!(String::from_utf8_lossy(&other).contains("Q-LoRA"));
        let (as_is, other) = (predict(read(table).unwrap()), predict(read(&other).unwrap()));
        assert_eq!(as_is.len(), other.len());
        for (a, b) in as_is.iter().zip(&other) {
            assert_eq!(a.memory, b.memory, "{:?}", b.record);
            assert_eq!(a.speed, b.speed, "{:?}", b.record);
            assert_eq!(a.verdict, b.verdict, "{:?}", b.record);
        }
    }
}

#[test]
fn the_nearest_runs_resemble_the_setup() {
    let mut draft = Draft::default();
    draft.set(Field::Framework, "hf@4.45").unwrap();
    draft.set(Field::SeqLen, "4096").unwrap();
    draft.set(Field::Checkpointing, "on").unwrap();
    let model = crate::model::find(draft.model_name()).unwrap();
    let rows = nearest(&draft.resolve(model).unwrap(), 1, 5);
    assert_eq!(rows.len(), 5);
    assert!(rows.iter().all(|r| r.method == "qlora"));
    let ours =
        |r: &super::Row| r.framework.starts_with("hf-trainer") && r.model.contains("Llama-3-8B");
    assert!(rows.iter().any(ours), "{rows:?}");
}

#[test]
fn json_has_the_names_of_the_contract() {
    let json = serde_json::to_value(super::shipped()).unwrap();
    assert_eq!(json["schema"], "haggle.evidence/1");
    let row = json["rows"][0].as_object().unwrap();
    for name in [
        "id",
        "framework",
        "method",
        "model",
        "gpu",
        "gpus",
        "mem_kind",
        "outcome",
        "measured_gib",
        "predicted_gib",
        "low_gib",
        "high_gib",
        "verdict",
        "measured_tokens_per_second",
        "predicted_tokens_per_second",
        "low_tokens_per_second",
        "high_tokens_per_second",
        "skipped",
    ] {
        assert!(row.contains_key(name), "{name}");
    }
    for name in ["n", "median_error", "p95_error", "inside_band"] {
        assert!(json["groups"][0].as_object().unwrap().contains_key(name), "{name}");
    }
}

/// Error and whether the measurement lies inside the band, of every row with a speed.
fn speeds(rows: &[Prediction]) -> Vec<(f64, bool)> {
    rows.iter()
        .filter_map(|r| {
            let (speed, measured) = (r.speed.as_ref().ok()?, r.record.tokens_per_second?);
            let inside = speed.low.get() <= measured && measured <= speed.high.get();
            Some(((speed.expected.get() / measured - 1.0).abs(), inside))
        })
        .collect()
}

/// Median, 90th percentile, share inside the band.
fn quality(mut hits: Vec<(f64, bool)>) -> (f64, f64, f64) {
    hits.sort_by(|a, b| a.0.total_cmp(&b.0));
    let inside = hits.iter().filter(|h| h.1).count() as f64 / hits.len() as f64;
    (hits[hits.len() / 2].0, hits[hits.len() * 9 / 10].0, inside)
}

#[test]
fn shipped_speeds_are_predicted_row_by_row_and_well() {
    let rows = predict(read(report::SHIPPED_SPEEDS).unwrap());
    for row in &rows {
        assert!(row.speed.is_ok(), "{} {:?}", row.record.id, row.speed);
        assert!(row.record.source.len() > 5, "{:?}", row.record);
    }
    let (median, p90, inside) = quality(speeds(&rows));
    println!("{} speeds: median {median:.3}, p90 {p90:.3}, inside {inside:.3}", rows.len());
    assert!(rows.len() > 400 && median < 0.10 && p90 < 0.32 && inside > 0.9);
}

#[test]
fn speeds_keep_their_promise_on_the_whole_table() {
    let Some(path) = crate::shared("truth/throughput-measurements.csv") else {
        println!("skipped: no throughput-measurements.csv beside the checkout");
        return;
    };
    let rows = predict(read(&std::fs::read(path).unwrap()).unwrap());
    let hits = speeds(&rows);
    let n = hits.len();
    let (median, p90, inside) = quality(hits);
    println!("{n} of {} rows: median {median:.3}, p90 {p90:.3}, inside {inside:.3}", rows.len());
    assert!(n > 440 && median < 0.15 && p90 < 0.45 && inside > 0.85);
    for row in rows.iter().filter(|r| r.record.tokens_per_second.is_some()) {
        assert!(row.speed.is_ok() || row.skipped().is_some(), "{:?}", row.record);
    }
}
