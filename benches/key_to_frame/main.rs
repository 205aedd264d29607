//! From a key to the last byte of the frame that answers it: the real program in a pseudo-terminal,
//! with a market of seeded rows. Prints percentiles, times to the first frame, memory, and what an
//! idle program does.
//!
//! ```text
//! cargo bench --bench key_to_frame                      # 2,000 built-in rows, 60,000 and 1,000,000
//! cargo bench --bench key_to_frame -- --offers 60000 --keys 400 --json FILE
//! ```
//!
//! The limit beside the figures is a frame that asks nothing of the market: the cursor moves one
//! line. What is between the two is the work that the key made.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark that cannot be set up should stop"
)]
#![expect(clippy::print_stdout, reason = "what the benchmark finds is what it prints")]

mod report;
mod terminal;

use haggle::market::synthetic;
use haggle::offer::{Offer, Provider};
use haggle::snapshot::{Encoder, Head, Packing, ProviderState};
use haggle::units::UnixSeconds;
use report::{Report, Row};
use std::path::{Path, PathBuf};
use std::time::Duration;
use terminal::{Session, Start};

/// Starts of the program for each time to the first frame.
const STARTS: usize = 15;
/// How long an idle program is watched.
const WATCH: Duration = Duration::from_secs(5);

struct Options {
    sizes: Vec<usize>,
    keys: usize,
    program: PathBuf,
    json: Option<PathBuf>,
}

fn options() -> Options {
    let mut options = Options {
        sizes: vec![60_000, 1_000_000],
        keys: 200,
        program: env!("CARGO_BIN_EXE_haggle").into(),
        json: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().expect("a value after the option");
        match arg.as_str() {
            "--offers" => {
                let sizes = value();
                options.sizes = sizes.split(',').map(|n| n.parse().expect("a number")).collect();
            }
            "--keys" => options.keys = value().parse().expect("a number"),
            "--program" => options.program = value().into(),
            "--json" => options.json = Some(value().into()),
            // What cargo passes on.
            "--bench" => {}
            other => panic!("there is no option {other}"),
        }
    }
    options
}

fn main() {
    let options = options();
    let home = tempfile::tempdir().expect("a folder for the files of this run");
    let mut report = Report::default();
    first_frames(&options, home.path(), None, &mut report);
    for size in &options.sizes {
        let file = home.path().join(format!("{size}.haggle"));
        write_market(&file, *size);
        first_frames(&options, home.path(), Some((&file, *size)), &mut report);
        keys(&options, home.path(), (&file, *size), &mut report);
    }
    print!("{report}");
    if let Some(file) = options.json {
        std::fs::write(file, report.json()).expect("the file of the figures can be written");
    }
}

fn write_market(file: &Path, size: usize) {
    let offers = synthetic::market(size, 1);
    let count = |p: Provider| offers.iter().filter(|o: &&Offer| o.provider == p).count();
    let state = |provider| ProviderState {
        provider,
        rows: count(provider),
        fetched_at: Some(UnixSeconds(synthetic::MADE_AT)),
        coverage: None,
        coverage_note: None,
        error: None,
    };
    let head = Head {
        at: UnixSeconds(synthetic::MADE_AT),
        note: "synthetic".into(),
        providers: Provider::ALL.into_iter().map(state).collect(),
    };
    let mut encoder = Encoder::new(&head, Packing::Stored);
    encoder.push(&offers);
    std::fs::write(file, encoder.finish()).expect("the market can be written");
}

/// From the start of the process to the last byte of its first frame, with the market in its cache
/// (the built-in one where no file is named).
fn first_frames(
    options: &Options,
    home: &Path,
    market: Option<(&Path, usize)>,
    report: &mut Report,
) {
    let (name, rows) = match market {
        None => ("first frame, built-in market".to_string(), 0),
        Some((_, size)) => (format!("first frame, cache of {size}"), size),
    };
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let start = Start { program: &options.program, home, cache: market.map(|m| m.0) };
        times.push(Session::start(&start).first_frame);
    }
    report.add(Row::new(name, rows, &times));
}

/// Keys that come one after the other, as a person presses them, and the frame that each makes.
struct Script {
    name: &'static str,
    /// Keys before the measured ones.
    open: &'static [&'static str],
    /// Measured, again and again.
    keys: &'static [&'static str],
    close: &'static [&'static str],
}

const ESC: &str = "\x1b";
const DEL: &str = "\x7f";
const RIGHT: &str = "\x1b[C";

const SCRIPTS: [Script; 9] = [
    // The limit: a frame that asks nothing of the market.
    Script { name: "limit: cursor one line", open: &[], keys: &["j", "k"], close: &["g", "g"] },
    Script {
        name: "threshold, one more character",
        open: &["p", "<", "1"],
        keys: &["9", DEL, ".", "5", DEL, DEL],
        close: &[ESC],
    },
    Script {
        name: "search, one more letter",
        open: &["/"],
        keys: &["4", "0", "9", "0", DEL, DEL, DEL, DEL],
        close: &[ESC],
    },
    Script { name: "search, no hit", open: &["/", "x", "q"], keys: &["z", DEL], close: &[ESC] },
    Script {
        name: "query of three, one more character",
        open: &["f", "v", "r", "a", "m", ">", "=", "2", "4", " ", "d", "o", "w", "n", ">", "5"],
        keys: &["0", "0", DEL, DEL],
        close: &[ESC],
    },
    // The fourth field is the sequence length.
    Script {
        name: "setup, every fit and total",
        open: &["t", "j", "j", "j"],
        keys: &[RIGHT, "h"],
        close: &[ESC],
    },
    Script { name: "scroll, one page", open: &[], keys: &["\x06"], close: &["g", "g"] },
    Script { name: "scroll, end and back", open: &[], keys: &["G", "\x1b[H"], close: &[] },
    Script { name: "sort by a column", open: &[], keys: &["3", "2", "5", "1", "6"], close: &[] },
];

fn keys(options: &Options, home: &Path, market: (&Path, usize), report: &mut Report) {
    let start = Start { program: &options.program, home, cache: Some(market.0) };
    let mut session = Session::start(&start);
    session.settle();
    report.note(format!("{} offers: resident {} MB", market.1, session.resident() / 1_000_000));
    for script in &SCRIPTS {
        session.press_all(script.open);
        let mut times = Vec::new();
        let mut silent = 0;
        for at in 0..options.keys {
            let key = script.keys[at % script.keys.len()];
            match session.press(key) {
                Some(time) => times.push(time),
                None => silent += 1,
            }
        }
        if silent > 0 {
            report.note(format!("{}: {silent} keys changed nothing on the screen", script.name));
        }
        report.add(Row::new(script.name.to_string(), market.1, &times));
        session.press_all(script.close);
    }
    session.settle();
    let idle = session.watch(WATCH);
    report.note(format!(
        "{} offers, idle for {} s: {} bytes written, {} wake-ups",
        market.1,
        WATCH.as_secs(),
        idle.bytes,
        idle.wake_ups
    ));
}
