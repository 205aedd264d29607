//! Every target on the same few offers, friendly and hostile.

use super::*;
use crate::estimate::fit::{Phase, Term, Verdict};
use crate::estimate::quote::{Disk, Forgotten, Item, ItemKind};
use crate::model::Model;
use crate::offer::{
    Availability, Basis, Country, Fees, Flags, Hardware, Link, Origin, Place, Price, Text,
};
use crate::setup::Draft;
use crate::units::{Gb, Gib, Hours, Mbps, Range, Share, Usd, UsdPerHour};
use std::sync::Arc;

pub(crate) const NOW: UnixSeconds = UnixSeconds(1_790_000_000);

pub(crate) fn model() -> Arc<Model> {
    crate::model::find("Meta-Llama-3-8B").unwrap()
}

pub(crate) fn setup() -> Setup {
    Draft::default().resolve(model()).unwrap()
}

pub(crate) fn offer(provider: Provider, launch_id: &str, place: &str) -> Offer {
    Offer {
        key: "77-1".into(),
        launch_id: launch_id.into(),
        provider,
        host: None,
        hardware: Hardware {
            gpu: None,
            gpu_raw: "RTX 4090".into(),
            gpus: Some(1.0),
            vram: Some(Gib::new(24.0)),
            link: Link::Unknown,
            vcpus: Some(9.0),
            ram: Some(Gib::new(64.0)),
            cuda_max: Some(12.4),
            instance_type: None,
        },
        place: Place { raw: place.into(), country: Country::from_code("NO"), continent: None },
        price: Price { on_demand: Some(UsdPerHour::new(0.412)), spot: Some(UsdPerHour::new(0.2)) },
        fees: Fees::default(),
        reliability: Some(Share::new(0.99)),
        download: Some(Mbps::new(800.0)),
        upload: None,
        disk: Some(Gb::new(500.0)),
        verified: Some(true),
        availability: Availability::Yes,
        hazard: None,
        max_rental: None,
        origin: Origin {
            source: "a test",
            basis: Basis::Live,
            fetched_at: UnixSeconds(NOW.0 - 60),
        },
        flags: Flags::default(),
    }
}

pub(crate) fn fit() -> Fit {
    Fit {
        verdict: Verdict::Fits,
        allocated: Some(Gib::new(14.0)),
        needed: Some(Gib::new(15.5)),
        smi: Some(Gib::new(16.0)),
        usable: Some(Gib::new(23.5)),
        usable_basis: Some(crate::offer::Basis::Measured),
        phase: Some(Phase::LossBackward),
        terms: vec![Term { name: "weights", gib: Gib::new(15.5), basis: Basis::Modelled }],
        band: Some(Range::new(Gib::new(15.0), Gib::new(15.5), Gib::new(16.0))),
        reason: None,
    }
}

pub(crate) fn quote(pricing: PriceKind) -> Quote {
    let item = |kind, usd: Option<f64>| Item {
        kind,
        usd: usd.map(Usd::new),
        unit: "6 h × 0.4 $/h".into(),
        basis: Basis::Live,
        source: "a test\nrm -rf /".into(),
        age_seconds: Some(60),
    };
    Quote {
        pricing,
        hours: Some(Range::new(Hours::new(5.0), Hours::new(6.0), Hours::new(8.0))),
        stages: Vec::new(),
        items: vec![item(ItemKind::GpuTime, Some(2.5)), item(ItemKind::Upload, None)],
        total: Some(Range::new(Usd::new(2.0), Usd::new(2.5), Usd::new(4.0))),
        unknown: vec!["traffic out\u{2028}of the machine".into()],
        assumptions: vec![("idle", "half an hour".into())],
        never_finishes: false,
        disk: Disk {
            rented: Gb::new(120.5),
            needed: Gb::new(120.5),
            largest: Some(Gb::new(500.0)),
        },
        interruption: None,
        forgotten: Forgotten::default(),
        what_if: None,
        hosted: None,
    }
}

/// What an export is made from, without advice.
pub(crate) fn context<'a>(
    offer: &'a Offer,
    setup: &'a Setup,
    fit: &'a Fit,
    quote: &'a Quote,
) -> Context<'a> {
    Context { offer, setup, fit, advice: &[], quote, at: NOW, wandb: None }
}

/// Writes `target` for `offer`.
pub(crate) fn export(
    target: &str,
    offer: &Offer,
    pricing: PriceKind,
) -> Result<String, Unsuitable> {
    let (setup, fit, quote) = (setup(), fit(), quote(pricing));
    let context = context(offer, &setup, &fit, &quote);
    find(target).unwrap().write(&context)
}

/// An offer of each provider, with the ids that its source fills in.
pub(crate) fn friendly() -> Vec<Offer> {
    let mut offers = vec![
        offer(Provider::Vast, "12345678", "Norway, NO"),
        offer(Provider::Runpod, "SECURE:NVIDIA GeForce RTX 4090", "EU-RO-1"),
        offer(Provider::Lambda, "gpu_1x_a10", "us-east-1"),
        offer(Provider::Tensordock, "hostnode:0d2f-11", "Oslo"),
        offer(Provider::Vultr, "vcg-l40s-16c-180g-48vram", "ewr"),
        offer(Provider::Aws, "g5.2xlarge", "us-east-1"),
        offer(Provider::Azure, "Standard_NC24ads_A100_v4", "eastus"),
        offer(Provider::Gcp, "a2-highgpu-1g", "us-central1-a"),
    ];
    offers[3].hardware.gpu_raw = "geforcertx4090-pcie-24gb".into();
    offers
}

#[test]
fn the_command_for_vast_holds_what_the_offer_and_the_setup_imply() {
    let offer = &friendly()[0];
    let text = export("vastai", offer, PriceKind::OnDemand).unwrap();
    assert!(text.contains("\nvastai create instance 12345678 \\\n"), "{text}");
    assert!(text.contains("--disk 121 "), "{text}");
    assert!(text.contains("--image pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel "), "{text}");
    assert!(text.contains("--label haggle-meta-llama-3-8b-"), "{text}");
    assert!(text.contains("--cancel-unavail"), "{text}");
    assert!(!text.contains("--bid_price"), "{text}");
    let spot = export("vastai", offer, PriceKind::Spot).unwrap();
    assert!(spot.ends_with("--bid_price 0.2\n"), "{spot}");
}

#[test]
fn every_script_holds_nothing_but_comments_and_its_command() {
    for offer in friendly() {
        for target in EXPORTS.iter().filter(|e| e.purpose == Purpose::Launch) {
            let Ok(text) = export(target.name, &offer, PriceKind::OnDemand) else { continue };
            assert!(!text.contains('\u{2028}'), "{text}");
            assert!(!text.lines().any(|l| l.trim_start().starts_with("rm ")), "{text}");
            assert!(text.contains("# assumption idle: half an hour\n"), "{text}");
            assert!(text.contains("# estimate: 2.50 $ (low 2.00, high 4.00)"), "{text}");
        }
    }
}

#[test]
fn each_provider_has_a_launch_command() {
    for offer in friendly() {
        let names: Vec<_> = EXPORTS
            .iter()
            .filter(|e| e.purpose == Purpose::Launch)
            .filter(|e| export(e.name, &offer, PriceKind::OnDemand).is_ok())
            .map(|e| e.name)
            .collect();
        assert_eq!(names.len(), 1, "{}: {names:?}", offer.id());
    }
}

#[test]
fn hostile_ids_never_reach_a_command() {
    let attacks = ["1; reboot", "$(reboot)", "`reboot`", "1' --ssh", "-1", "", "1 2"];
    for attack in attacks {
        for mut offer in friendly() {
            offer.launch_id = Text::new(attack);
            for target in EXPORTS.iter().filter(|e| e.purpose == Purpose::Launch) {
                let text = export(target.name, &offer, PriceKind::OnDemand);
                assert!(text.is_err(), "{} took {attack:?}: {text:?}", target.name);
            }
        }
    }
}

#[test]
fn every_target_says_which_figures_the_user_has_replaced() {
    let (setup, fit) = (setup(), fit());
    let mut written = std::collections::BTreeSet::new();
    for offer in friendly() {
        let mut quote = quote(PriceKind::OnDemand);
        let said = |quote: &Quote| {
            let c = context(&offer, &setup, &fit, quote);
            let texts = EXPORTS.iter().filter_map(|e| Some((e.name, e.write(&c).ok()?)));
            texts.collect::<Vec<_>>()
        };
        for (name, text) in said(&quote) {
            assert!(!text.contains("WHAT-IF"), "{name}: {text}");
        }
        quote.what_if = Some("mfu=0.4, idle=1".into());
        for (name, text) in said(&quote) {
            assert!(text.contains("mfu=0.4, idle=1"), "{name}: {text}");
            written.insert(name);
        }
    }
    let all: std::collections::BTreeSet<_> = EXPORTS.iter().map(|e| e.name).collect();
    let missing: Vec<_> = all.difference(&written).collect();
    assert!(missing.len() <= 4, "not written for the setup of the test: {missing:?}");
}

#[test]
fn what_does_not_suit_names_what_does() {
    let error = export("vastai", &friendly()[5], PriceKind::OnDemand).unwrap_err().to_string();
    assert!(
        error.starts_with("vastai is for offers of vast, not of aws; what suits aws:77-1: "),
        "{error}"
    );
    assert!(error.contains("json, yaml, csv, markdown, aws"), "{error}");
}

#[test]
fn prices_round_up_and_stay_short() {
    assert_eq!(launch::price(0.2), "0.2");
    assert_eq!(launch::price(0.123_456_7), "0.123457");
    assert_eq!(launch::price(1.0), "1");
}

#[test]
fn json_holds_the_bill_and_its_sum() {
    let text = export("json", &friendly()[0], PriceKind::OnDemand).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let items = json["offer"]["quote"]["items"].as_array().unwrap();
    let sum: f64 = items.iter().filter_map(|i| i["usd"].as_f64()).sum();
    assert_eq!(json["quote"]["total_usd"]["expected"].as_f64(), Some(sum));
    assert!(items[1]["usd"].is_null());
    assert_eq!(json["offer"]["gpus"], 1);
    assert_eq!(json["offer"]["region"]["country"], "NO");
    assert_eq!(json["setup"]["model"], "meta-llama/Meta-Llama-3-8B");
}

#[test]
fn yaml_reads_back_equal_to_json() {
    for offer in friendly() {
        let json = export("json", &offer, PriceKind::Spot).unwrap();
        let yaml = export("yaml", &offer, PriceKind::Spot).unwrap();
        assert!(yaml.contains("country: \"NO\""), "{yaml}");
        let from_json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let from_yaml: serde_json::Value = serde_saphyr::from_str(&yaml).unwrap();
        assert_eq!(from_json, from_yaml);
    }
}

#[test]
fn csv_has_one_line_of_the_same_width_as_its_header() {
    let mut offer = friendly().remove(0);
    offer.place.raw = "=cmd|' /C calc'!A0".into();
    let text = export("csv", &offer, PriceKind::OnDemand).unwrap();
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let row = reader.records().next().unwrap().unwrap();
    let cell = |name: &str| &row[headers.iter().position(|h| h == name).unwrap()];
    assert_eq!(cell("total_usd_expected"), "2.5");
    assert_eq!(cell("upload_usd"), "");
    assert_eq!(cell("region"), "'=cmd|' /C calc'!A0");
}

#[test]
fn figures_that_are_no_numbers_become_unknown() {
    let (setup, mut quote, fit) = (setup(), quote(PriceKind::OnDemand), fit());
    quote.total = Some(Range::new(Usd::new(1.0), Usd::new(2.5), Usd::new(f64::INFINITY)));
    let offer = &friendly()[0];
    let context = context(offer, &setup, &fit, &quote);
    for target in ["json", "yaml", "csv", "markdown"] {
        let text = find(target).unwrap().write(&context).unwrap();
        for bad in ["inf", "NaN", ".nan"] {
            assert!(!text.contains(bad), "{target}: {text}");
        }
    }
}

/// Runs `program` with `input` on its standard input; `None`, and a line that says so, when it is
/// not installed.
fn tool(program: &str, arguments: &[&str], input: &str) -> Option<(bool, String)> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let started = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = started else {
        eprintln!("SKIPPED: {program} is not installed");
        return None;
    };
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    Some((output.status.success(), said.into_owned()))
}

/// Every export of every friendly offer that ends in `extension`.
fn every(extension: &str) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for offer in friendly() {
        for target in EXPORTS.iter().filter(|e| e.extension == extension) {
            for pricing in [PriceKind::OnDemand, PriceKind::Spot] {
                if let Ok(text) = export(target.name, &offer, pricing) {
                    texts.push((format!("{} of {}", target.name, offer.id()), text));
                }
            }
        }
    }
    assert!(!texts.is_empty());
    texts
}

#[test]
fn shells_read_every_script() {
    for (what, text) in every("sh") {
        if let Some((good, said)) = tool("bash", &["-n"], &text) {
            assert!(good, "{what}: {said}\n{text}");
        }
        if let Some((good, said)) = tool("shellcheck", &["--shell=bash", "-"], &text) {
            assert!(good, "{what}: {said}\n{text}");
        }
    }
}

#[test]
fn python_reads_every_script_for_every_setup() {
    let offer = &friendly()[0];
    let check = "import ast, sys; ast.parse(sys.stdin.read())";
    for words in [
        "",
        "method=full precision=fp32-master",
        "method=full shard=zero3 gpus=2 offload=all",
        "method=lora loss_kernel=fused attention=flash checkpointing=offload",
        "method=qlora quant=int8 kbit_prep=off loss_kernel=chunked",
    ] {
        let setup = setup_of(words);
        let (fit, quote) = (fit(), quote(PriceKind::OnDemand));
        let context = context(offer, &setup, &fit, &quote);
        for target in ["trl", "unsloth"] {
            let Ok(text) = find(target).unwrap().write(&context) else { continue };
            assert!(!text.contains('@'), "{target}: an empty gap in {text}");
            let Some((good, said)) = tool("python3", &["-c", check], &text) else { return };
            assert!(good, "{target}, {words}: {said}\n{text}");
        }
    }
}

/// A setup from `field=value` words.
fn setup_of(words: &str) -> Setup {
    let mut draft = Draft::default();
    for (field, value) in words.split_whitespace().map(|w| w.split_once('=').unwrap()) {
        draft.set(crate::setup::Field::from_name(field).unwrap(), value).unwrap();
    }
    draft.resolve(model()).unwrap()
}

#[test]
fn a_model_with_a_hostile_name_stays_a_string() {
    let mut model = (*model()).clone();
    model.id = "x\"); import os; os.system(\"reboot\") #\n'$(reboot)".into();
    model.name = "evil\nname $(reboot)".into();
    let setup = Draft::default().resolve(Arc::new(model)).unwrap();
    let (fit, quote) = (fit(), quote(PriceKind::OnDemand));
    for offer in friendly() {
        let context = context(&offer, &setup, &fit, &quote);
        for target in suitable(&context) {
            let text = target.write(&context).unwrap();
            let bare = text.lines().find(|l| l.trim_start().starts_with("import os; os.system"));
            assert_eq!(bare, None, "{}: {text}", target.name);
            if target.extension == "sh" {
                let probe = text.replace("reboot", "echo PWNED >&2; false");
                if let Some((good, said)) = tool("bash", &["-n"], &probe) {
                    assert!(good, "{}: {said}\n{probe}", target.name);
                }
            }
        }
    }
}

#[test]
fn trainers_get_the_setup_that_was_estimated() {
    let setup = setup_of(
        "framework=axolotl method=qlora seq_len=4096 micro_batch=2 grad_accum=8 lora_rank=64 lora_targets=all-linear epochs=3",
    );
    let (fit, quote) = (fit(), quote(PriceKind::OnDemand));
    let offer = &friendly()[0];
    let context = context(offer, &setup, &fit, &quote);
    let text = find("axolotl").unwrap().write(&context).unwrap();
    let yaml: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
    assert_eq!(yaml["base_model"], "meta-llama/Meta-Llama-3-8B");
    assert_eq!(yaml["adapter"], "qlora");
    assert_eq!(yaml["sequence_len"], 4096);
    assert_eq!(yaml["micro_batch_size"], 2);
    assert_eq!(yaml["gradient_accumulation_steps"], 8);
    assert_eq!(yaml["lora_r"], 64);
    assert_eq!(yaml["lora_target_modules"].as_array().unwrap().len(), 7);
    assert_eq!(yaml["attn_implementation"], "flash_attention_2");
    assert!(!text.contains("The estimate is for"), "{text}");
    let trl = find("trl").unwrap().write(&context).unwrap();
    assert!(
        trl.contains("# The estimate is for axolotl; run haggle with --framework trl"),
        "{trl}"
    );
}
