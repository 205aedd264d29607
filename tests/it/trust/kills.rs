//! `kill -9` at random moments while files are written: each is the old one or the new one.

use super::*;
use crate::reliability;
use haggle::setup::runs::Runs;
use std::process::Child;
use std::time::{Duration, Instant};

/// Kills of each kind in every run of the tests; `HAGGLE_KILLS` asks for more.
const KILLS: u32 = 6;

fn kills() -> u32 {
    std::env::var("HAGGLE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(KILLS)
}

/// A moment within `whole`, not the same in every run.
fn moment(whole: Duration) -> Duration {
    use std::hash::{BuildHasher, Hasher};
    let bits = std::hash::RandomState::new().build_hasher().finish();
    whole.mul_f64((bits >> 11) as f64 / (1_u64 << 53) as f64 * 1.05)
}

/// How long a run takes that nobody kills; the shorter of two.
fn undisturbed(mut command: impl FnMut() -> Command) -> Duration {
    let once = || {
        let began = Instant::now();
        let output = command().output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        began.elapsed()
    };
    [(); 2]
        .map({
            let mut once = once;
            move |()| once()
        })
        .into_iter()
        .min()
        .unwrap()
}

/// Starts `command` and kills it at some moment. Was it killed before it ended?
fn kill(command: &mut Command, whole: Duration) -> bool {
    let mut child: Child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(moment(whole));
    let killed = child.try_wait().unwrap().is_none();
    // It may end just now; then there is nobody to kill.
    let _ = child.kill();
    child.wait().unwrap();
    killed
}

/// Kills until `wanted` have hit, looking at the file after each.
fn survive(kind: &str, mut command: impl FnMut(u32) -> Command, mut whole: impl FnMut()) {
    let time = undisturbed(|| command(0));
    let (mut hit, mut tried) = (0, 0);
    while hit < kills() && tried < kills() * 20 {
        tried += 1;
        hit += u32::from(kill(&mut command(tried), time));
        whole();
    }
    assert_eq!(hit, kills(), "{kind}: not enough of {tried} runs could be killed");
    reliability::note("kills survived", kind, u64::from(hit));
}

#[test]
fn a_saved_market_is_the_old_one_or_the_new_one() {
    let home = Home::new();
    let markets = [market(4000, 1), market(6000, 2)].map(|bytes| snapshot::decode(&bytes).unwrap());
    for (name, market) in ["a", "b"].iter().zip(&markets) {
        home.write(name, snapshot::encode(market, Packing::Stored));
    }
    let save = |turn: u32| {
        let from = if turn.is_multiple_of(2) { "a" } else { "b" };
        home.haggle(&["list", "--limit", "1", "--from", from, "--save", "kept"])
    };
    survive("saved market (--save)", save, || {
        let bytes = std::fs::read(home.path("kept")).unwrap();
        let rows = snapshot::decode(&bytes).unwrap().offers.len();
        assert!(markets.iter().any(|m| m.offers.len() == rows), "{rows} rows");
    });
}

#[test]
fn the_cache_is_the_old_one_or_the_new_one() {
    let home = Home::new();
    let server = Server::new(vast_alone((0..3000).map(vast_row).collect()));
    let list = |_| {
        let mut command = home.asking(&server, &["list", "--limit", "1"]);
        command.env("VAST_API_KEY", "planted-0123456789-SECRET");
        command
    };
    survive("cached market", list, || {
        let bytes = std::fs::read(home.cache()).unwrap();
        let market = snapshot::decode(&bytes).unwrap();
        let vast = market.offers.iter().filter(|o| o.provider == Provider::Vast).count();
        assert_eq!(vast, 3000);
    });
}

#[test]
fn an_export_is_the_old_one_or_the_new_one() {
    let home = Home::new();
    home.write("market", market(2000, 3));
    let listed = home.haggle(&["list", "--limit", "2", "--format", "json", "--from", "market"]);
    let listed: serde_json::Value =
        serde_json::from_slice(&{ listed }.output().unwrap().stdout).unwrap();
    let ids = [0, 1].map(|i| listed["offers"][i]["id"].as_str().unwrap().to_owned());
    let export = |turn: u32| {
        let id = &ids[turn as usize % 2];
        home.haggle(&["export", id, "--as", "json", "-o", "offer.json", "--from", "market"])
    };
    survive("export (-o)", export, || {
        let text = std::fs::read_to_string(home.path("offer.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(ids.iter().any(|id| json["offer"]["id"] == **id), "{json}");
        for kept in files_below(home.folder.path()) {
            if kept.file_name().unwrap().to_string_lossy().starts_with("offer.json~") {
                std::fs::remove_file(kept).unwrap();
            }
        }
    });
}

#[test]
fn no_run_that_was_learnt_is_lost() {
    let home = Home::new();
    let file = home.path(".local/share/haggle/runs.jsonl");
    let learn = |_| home.haggle(&["learn", "--gpu", "RTX 4090", "--tokens-per-second", "3000"]);
    let mut before = 0;
    survive("learnt runs", learn, || {
        let (runs, wrong) = Runs::parse(&std::fs::read_to_string(&file).unwrap());
        assert!(wrong.is_empty(), "{wrong:?}");
        let now = runs.iter().count();
        assert!(now == before || now == before + 1 || before == 0, "{before} runs, then {now}");
        before = now;
    });
}

#[test]
fn runs_that_are_learnt_at_once_are_all_there() {
    let home = Home::new();
    let learn = || {
        let words = ["learn", "--gpu", "RTX 4090", "--tokens-per-second", "3000"];
        home.haggle(&words).stdout(Stdio::null()).spawn().unwrap()
    };
    let children: Vec<Child> = (0..8).map(|_| learn()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let file = home.path(".local/share/haggle/runs.jsonl");
    let (runs, wrong) = Runs::parse(&std::fs::read_to_string(file).unwrap());
    assert_eq!((runs.iter().count(), wrong.len()), (8, 0));
    reliability::note("instances at once", "learn", 8);
}

#[test]
fn two_that_fetch_at_once_leave_a_whole_cache() {
    let home = Home::new();
    let server = Server::new(vast_alone((0..300).map(vast_row).collect()));
    let list = || {
        let mut command = home.asking(&server, &["list", "--limit", "1"]);
        command.env("VAST_API_KEY", "planted-0123456789-SECRET");
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let children: Vec<Child> = (0..4).map(|_| list()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let market = snapshot::decode(&std::fs::read(home.cache()).unwrap()).unwrap();
    assert_eq!(market.offers.iter().filter(|o| o.provider == Provider::Vast).count(), 300);
    reliability::note("instances at once", "list with a cache", 4);
}
