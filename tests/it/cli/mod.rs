//! The command line as a process: exit codes, what stands on which stream, formats.

mod clouds;
mod formats;
mod hostile;
mod hub;
mod regions;
mod schema;
mod setup;
mod streams;
mod tools;
mod trap;
mod verdicts;

use haggle::market::synthetic;
use haggle::offer::{Offer, Provider};
use haggle::snapshot::{Head, Packing, ProviderState, Snapshot, encode};
use haggle::units::UnixSeconds;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// When the sample market was fetched; see [`synthetic`].
const FETCHED: UnixSeconds = UnixSeconds(1_790_000_000);

/// A folder of its own for one test: home, settings, cache.
struct House {
    folder: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A saved market of `offers`.
    fn market(&self, offers: Vec<Offer>) -> PathBuf {
        let providers = Provider::ALL
            .into_iter()
            .map(|provider| ProviderState {
                provider,
                rows: offers.iter().filter(|o| o.provider == provider).count(),
                fetched_at: Some(FETCHED),
                coverage: None,
                coverage_note: None,
                error: None,
            })
            .filter(|p| p.rows > 0)
            .collect();
        let head = Head { at: FETCHED, note: "a test".into(), providers };
        let path = self.path("market.haggle");
        std::fs::write(&path, encode(&Snapshot { head, offers }, Packing::Stored)).unwrap();
        path
    }

    /// The program with an environment that holds nothing but this house.
    fn haggle(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_haggle"));
        command
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .args(words)
            .stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Ran {
        Ran::of(&self.haggle(words).output().unwrap())
    }

    /// Runs it on a saved market.
    fn on(&self, market: &Path, words: &[&str]) -> Ran {
        let market = market.to_str().unwrap();
        self.run(&[words, &["--from", market]].concat())
    }
}

/// What a run left behind.
#[derive(Debug)]
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

/// A market of every provider, the same every time.
fn sample() -> Vec<Offer> {
    let mut offers = synthetic::market(60, 7);
    for (number, provider) in Provider::ALL.into_iter().enumerate() {
        offers.push(synthetic::offer(provider, &format!("own-{number}")));
    }
    offers
}

#[test]
fn an_empty_list_is_no_failure_but_no_best_offer_is() {
    let house = House::new();
    let market = house.market(sample());
    let list = house.on(&market, &["list", "vram>=4000", "--format", "json"]);
    assert_eq!(list.code, 0, "{list:?}");
    assert_eq!(list.json()["shown"], 0);
    let best = house.on(&market, &["best", "vram>=4000"]);
    assert_eq!(best.code, 3, "{best:?}");
    assert!(best.err.contains("no offer matches"), "{best:?}");
}

#[test]
fn mistakes_are_two_and_name_their_place() {
    let house = House::new();
    let market = house.market(sample());
    for (words, said) in [
        (vec!["list", "vrm>24"], "vram"),
        (vec!["list", "--sort", "totl"], "total"),
        (vec!["list", "--seq-len", "0"], "seq-len"),
        (vec!["list", "--method", "dora"], "lora"),
        (vec!["list", "--bogus"], "--bogus"),
        (vec!["quote"], "OFFER"),
        (vec!["export", "vast:1", "--as", "fax"], "json"),
        (vec!["list", "-f", "/nonexistent/job.yaml"], "job.yaml"),
        (vec!["estimate", "--gpu", "Voodoo 2"], "Voodoo 2"),
        (vec!["completions", "tcsh"], "bash"),
        (vec!["list", "--limit", "-1"], "`-1` is no whole number"),
        (vec!["list", "-f", "/"], "this is a folder, not a file"),
        (vec!["evidence", "/nonexistent.csv"], "there is no such file"),
        (vec!["watch", "--until", ""], "the condition is empty"),
        (vec!["nope"], "there is no command `nope`"),
        (vec!["export", "vast:own-0", "--as", "aws", "--wandb", "runs"], "aws does not train"),
        (vec!["export", "vast:own-0", "--as", "trl", "--wandb", "$(x)"], "is no project"),
        (
            vec!["learn", "--gpu", "RTX 4090", "--tokens-per-second", "9", "--peak-gib", "99"],
            "more than the 24 GiB of one RTX 4090",
        ),
    ] {
        let ran = house.on(&market, &words);
        assert_eq!(ran.code, 2, "{words:?}: {ran:?}");
        assert!(ran.err.contains(said), "{words:?}: {ran:?}");
        assert!(ran.err.starts_with("haggle: "), "{words:?}: {ran:?}");
        assert_eq!(ran.err.lines().count(), 1, "{words:?}: {ran:?}");
        assert_eq!(ran.out, "", "{words:?}: {ran:?}");
    }
}

#[test]
fn a_market_that_is_not_there_is_a_mistake() {
    let ran = House::new().run(&["list", "--from", "/nonexistent/m"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(ran.err, "haggle: --from /nonexistent/m: there is no such file\n");
}

#[test]
fn a_market_can_come_by_standard_input_where_it_is_read_once() {
    let house = House::new();
    let market = house.market(sample());
    let piped = |words: &[&str]| {
        let input = std::fs::File::open(&market).unwrap();
        Ran::of(&house.haggle(&[words, &["--from", "-"]].concat()).stdin(input).output().unwrap())
    };
    let best = piped(&["best", "--format", "csv"]);
    let named = house.on(&market, &["best", "--format", "csv"]);
    assert_eq!((best.code, best.out.lines().count()), (0, 2), "{best:?}");
    assert_eq!(best.out, named.out);
    let watch = piped(&["watch", "--until", "total<1$"]);
    assert_eq!((watch.code, watch.out.as_str()), (2, ""), "{watch:?}");
    assert_eq!(piped(&["--plain"]).code, 2);
}

#[test]
fn errors_are_json_when_json_is_asked_for() {
    let house = House::new();
    let market = house.market(sample());
    for (words, code) in [
        (vec!["list", "vrm>24", "--format", "json"], 2),
        (vec!["list", "--bogus", "--format=json"], 2),
        (vec!["quote", "vast:gone", "--format", "json"], 3),
        (vec!["best", "vram>=4000", "--format", "json"], 3),
    ] {
        let ran = house.on(&market, &words);
        assert_eq!(ran.code, code, "{words:?}: {ran:?}");
        let last = ran.err.lines().last().unwrap_or_default();
        let error: serde_json::Value = serde_json::from_str(last).unwrap();
        assert_eq!(error["schema"], "haggle.error/1");
        assert_eq!(error["error"]["code"], code);
        assert!(!error["error"]["message"].as_str().unwrap().is_empty());
    }
}

#[test]
fn an_offer_that_is_gone_is_three() {
    let house = House::new();
    let market = house.market(sample());
    for words in [vec!["quote", "vast:gone"], vec!["export", "vast:gone", "--as", "json"]] {
        let ran = house.on(&market, &words);
        assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{ran:?}");
    }
}

#[test]
fn an_export_that_does_not_suit_is_two_and_names_what_does() {
    let house = House::new();
    let market = house.market(sample());
    let ran = house.on(&market, &["export", "aws:own-5", "--as", "vastai"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("what suits aws:own-5: json, yaml, csv, markdown"), "{ran:?}");
}

#[test]
fn a_reader_who_leaves_early_is_no_failure() {
    let house = House::new();
    let market = house.market(synthetic::market(3000, 3));
    let mut child = house
        .haggle(&["list", "--format", "json", "--from", market.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn limits_and_reasons_add_up() {
    let house = House::new();
    let market = house.market(sample());
    for words in [
        vec!["list", "--format", "json"],
        vec!["list", "--limit", "5", "--format", "json"],
        vec!["list", "rel>97% region:eu", "--limit", "3", "--format", "json"],
        vec!["pareto", "rel>90%", "--format", "json"],
    ] {
        let json = house.on(&market, &words).json();
        let hidden: u64 = json["excluded"]
            .as_object()
            .unwrap()
            .values()
            .filter_map(serde_json::Value::as_u64)
            .sum();
        let (shown, total) = (json["shown"].as_u64().unwrap(), json["total"].as_u64().unwrap());
        assert_eq!(shown + hidden, total, "{words:?}: {json}");
        assert_eq!(json["offers"].as_array().unwrap().len() as u64, shown);
    }
}

#[test]
fn without_a_terminal_everything_is_listed() {
    let house = House::new();
    let market = house.market(synthetic::market(120, 1));
    let ran = house.on(&market, &["list"]);
    assert_eq!(ran.out.lines().count(), 121, "{}", ran.err);
    let some = house.on(&market, &["list", "--limit", "7"]);
    assert_eq!(some.out.lines().count(), 8);
}
