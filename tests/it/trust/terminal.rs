//! What reaches the terminal: our own sequences and nothing else, given back once however it ends.

use super::*;
use crate::reliability;
use crate::screen::Term;
use haggle::app::desk::Desk;
use haggle::app::layout::Size;
use haggle::app::settings::Settings;
use haggle::app::{App, Look, Options, Start, keymap::Keymap};
use haggle::market::Query;
use haggle::provider::{Context, Fetching, Profile, Sink, Source};
use haggle::runtime::screen as loops;
use haggle::runtime::watch::Watch;
use haggle::runtime::world::World;
use haggle::session::Stock;
use haggle::setup::Draft;
use haggle::tty::clipboard::Between;
use portable_pty::CommandBuilder;
use std::collections::BTreeMap;
use std::sync::Arc;
use vte::{Params, Parser, Perform};

/// Everything in a stream of bytes that is not plain text.
#[derive(Default)]
struct Seen {
    codes: BTreeMap<String, usize>,
    text: String,
}

impl Seen {
    fn note(&mut self, code: String) {
        *self.codes.entry(code).or_default() += 1;
    }

    fn of(bytes: &[u8]) -> Seen {
        let (mut parser, mut seen) = (Parser::new(), Seen::default());
        parser.advance(&mut seen, bytes);
        seen
    }
}

impl Perform for Seen {
    fn print(&mut self, c: char) {
        self.text.push(c);
    }

    fn execute(&mut self, byte: u8) {
        self.note(format!("control {byte:02x}"));
    }

    fn hook(&mut self, _: &Params, _: &[u8], _: bool, action: char) {
        self.note(format!("DCS {action}"));
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], _: bool) {
        self.note(format!("OSC {}", params.first().map(|p| text(p)).unwrap_or_default()));
    }

    fn csi_dispatch(&mut self, params: &Params, marks: &[u8], _: bool, action: char) {
        let numbers =
            params.iter().map(|p| p.iter().map(u16::to_string).collect::<Vec<_>>().join(":"));
        let numbers = numbers.collect::<Vec<_>>().join(";");
        // Places and colours may be any; modes are named.
        let shown = if marks.is_empty() { String::new() } else { numbers };
        self.note(format!("CSI {}{shown}{action}", text(marks)));
    }

    fn esc_dispatch(&mut self, marks: &[u8], _: bool, byte: u8) {
        self.note(format!("ESC {}{}", text(marks), char::from(byte)));
    }
}

/// The sequences that the program itself writes: places, colours, clearing, and its modes.
const OURS: &[&str] = &[
    "CSI H",
    "CSI m",
    "CSI J",
    "CSI K",
    "CSI ?1049h",
    "CSI ?1049l",
    "CSI ?2004h",
    "CSI ?2004l",
    "CSI ?1000h",
    "CSI ?1000l",
    "CSI ?1002h",
    "CSI ?1002l",
    "CSI ?1003h",
    "CSI ?1003l",
    "CSI ?1015h",
    "CSI ?1015l",
    "CSI ?1006h",
    "CSI ?1006l",
    "CSI ?1004h",
    "CSI ?1004l",
    "CSI ?25h",
    "CSI ?25l",
    "CSI ?2026h",
    "CSI ?2026l",
    "control 0a",
    "control 0d",
    // The end of a string sequence, and the clipboard's.
    "ESC \\",
    "OSC 52",
];

fn only_ours(bytes: &[u8]) -> usize {
    let seen = Seen::of(bytes);
    for code in seen.codes.keys() {
        assert!(OURS.contains(&code.as_str()), "{code} is not ours: {:?}", seen.codes);
    }
    crate::fuzz::targets::says_nothing_harmful(&seen.text);
    seen.codes.values().sum()
}

/// Strings that attack the terminal, the shell, the table.
const ATTACKS: &[&str] = &[
    "\u{1b}]0;owned\u{7}\u{1b}[31mRED",
    "\u{1b}[2J\u{1b}[?1049l\u{1b}c",
    "\u{9b}31m\u{9d}0;x\u{9c}",
    "\u{202e}EX4LP\u{2066}\u{2069}",
    "\u{200b}zero\u{200d}width\u{feff}",
    "$(reboot) `id` ; rm -rf / && x | y > z",
    "--help",
    "=HYPERLINK(\"http://evil\")",
    "a\r\nb\tc\u{0}d",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "\u{1b}P1;1|x\u{1b}\\\u{1b}_x\u{1b}\\\u{1b}^x\u{1b}\\",
    "🏳️‍🌈﷽",
];

fn hostile_rows() -> Vec<serde_json::Value> {
    let long = "A".repeat(300_000);
    let attacks = ATTACKS.iter().copied().chain([long.as_str()]).enumerate();
    attacks
        .map(|(number, attack)| {
            let mut row = vast_row(number);
            for member in ["gpu_name", "geolocation", "verification"] {
                row[member] = attack.into();
            }
            row
        })
        .collect()
}

fn screen_of(server: &Server, home: Home, words: &[&str], size: (u16, u16)) -> Term {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_haggle"));
    command.args(words);
    let mut env = vec![("VAST_API_KEY".to_owned(), "planted-0123456789".to_owned())];
    for name in ADDRESSES {
        env.push((format!("HAGGLE_{name}_URL"), server.url(&format!("/{}", name.to_lowercase()))));
    }
    let env: Vec<(&str, &str)> = env.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    Term::spawn(home.folder, command, size.0, size.1, &env)
}

#[test]
fn hostile_offers_leave_no_trace_in_the_terminal_and_no_file_behind() {
    let server = Server::new(vast_alone(hostile_rows()));
    let home = Home::new();
    let folder = home.folder.path().to_owned();
    let mut term = screen_of(&server, home, &["--provider", "vast"], (200, 50));
    term.until_text("? help");
    term.until_text("EX4LP");
    // Through the table, the pages of one offer, the filter, the copies.
    term.keys("f\u{15}\r");
    for _ in 0..ATTACKS.len() {
        term.keys("jyY");
    }
    term.keys("q");
    assert_eq!(term.end(), 0);
    let codes = only_ours(&term.raw);
    for file in files_below(&folder) {
        let inside = file.strip_prefix(&folder).unwrap();
        assert!(inside.starts_with(".cache/haggle"), "{} was left behind", inside.display());
    }
    reliability::note("hostile strings shown", "screen", ATTACKS.len() as u64 + 1);
    assert!(codes > 20);
}

#[test]
fn hostile_offers_are_harmless_in_every_format_and_every_export() {
    let server = Server::new(vast_alone(hostile_rows()));
    let home = Home::new();
    let list = ["list", "--provider", "vast", "--save", "m", "--format", "json"];
    let output = home.asking(&server, &list).env("VAST_API_KEY", "planted-0").output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["shown"], ATTACKS.len() + 1, "{}", json["providers"]);
    for format in ["table", "json", "csv", "yaml", "markdown"] {
        let words = ["list", "--from", "m", "--format", format, "--color", "never"];
        let output = home.haggle(&words).output().unwrap();
        crate::fuzz::targets::says_nothing_harmful(&text(&output.stdout).replace('\n', " "));
    }
    let mut written = 0;
    for offer in json["offers"].as_array().unwrap() {
        for target in haggle::export::EXPORTS {
            let id = offer["id"].as_str().unwrap();
            let words = ["export", id, "--as", target.name, "--from", "m"];
            let output = home.haggle(&words).output().unwrap();
            crate::fuzz::targets::says_nothing_harmful(&said(&output).replace('\n', " "));
            if output.status.success() {
                let text = text(&output.stdout);
                crate::fuzz::targets::is_harmless(target.name, target.purpose, &text);
                written += 1;
            }
        }
        // Every offer more would take as long again.
        if written > 40 {
            break;
        }
    }
    assert!(written > 20, "{written}");
    reliability::note("hostile strings shown", "formats and exports", written);
}

#[test]
fn a_closed_standard_output_is_no_fault() {
    let home = Home::new();
    home.write("market", market(2000, 3));
    for script in [
        "\"$0\" list --from market --limit 0 | head -1",
        "\"$0\" list --from market >&-",
        "\"$0\" list --from market --format json >&- 2>&-",
        "\"$0\" list --from market 2>&- <&- | tail -1",
    ] {
        let output = Command::new("bash")
            .args(["-c", script, env!("CARGO_BIN_EXE_haggle")])
            .env("HOME", home.folder.path())
            .current_dir(home.folder.path())
            .output()
            .unwrap();
        assert!(!said(&output).contains("fault of its own"), "{script}: {}", said(&output));
        assert!(!said(&output).contains("panicked"), "{script}: {}", said(&output));
    }
}

/// A source that goes wrong in the worst way.
struct Broken;

static PROFILE: Profile = Profile {
    provider: Provider::Vast,
    key: haggle::provider::KeyUse::None,
    key_variable: None,
    endpoints: &[],
    limit: haggle::provider::http::RateLimit::per(1, 1),
    refresh: std::time::Duration::from_mins(1),
    about: "panics",
};

impl Source for Broken {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn fetch<'a>(&'a self, _: &'a Context, _: &'a Sink) -> Fetching<'a> {
        Box::pin(async { panic!("on purpose \u{1b}[31m in a worker") })
    }
}

/// Not a test by itself: what [`a_panic_of_a_worker_costs_its_fetch_alone`] runs in a terminal: the
/// whole loop of the screen, a source that panics, and a thread that does.
#[test]
#[ignore = "needs a terminal; another test runs it in a pseudo-terminal"]
fn screen_with_a_worker_that_panics() {
    haggle::tty::install_hook();
    let draft = Draft::default();
    let model = haggle::model::find(draft.model_name()).unwrap();
    let desk = Desk::new(Stock::new(), draft.clone(), draft.resolve(model).unwrap());
    let options = Options {
        look: Look { mouse: true, ..Look::default() },
        keymap: Keymap::default(),
        start: Start::default(),
        views: Vec::new(),
        settings: Settings::default(),
    };
    let app = App::new(desk, options, Size { width: 80, height: 24 }, UnixSeconds(1_796_083_200));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let ended = runtime.block_on(async {
        let (channel, updates) = tokio::sync::mpsc::channel(8);
        let fetch = Box::new(move |stock: &mut Stock, _: &Query, _: &[Provider], now| {
            static BROKEN: Broken = Broken;
            let generation = stock.begin(Provider::Vast);
            let http =
                haggle::provider::http::Http::new(haggle::provider::http::HttpOptions::default());
            let context = Context::new(http, &PROFILE, now);
            let sink = Sink { provider: Provider::Vast, generation, channel: channel.clone() };
            tokio::spawn(haggle::provider::run(&BROKEN, context, sink));
            std::thread::spawn(|| panic!("on purpose in a thread"));
        });
        let world = World {
            updates,
            fetch,
            newly_in_view: Box::new(|_| Vec::new()),
            ask_first: Box::new(|_, _| vec![Provider::Vast]),
            load: None,
            find_model: Arc::new(|_| panic!("on purpose in a search")),
            refresh: Vec::new(),
            save_view: Box::new(|_, _| Ok(())),
            keep: Box::new(|_, _| Ok(())),
            reload: Arc::new(|| Err("there is no file".to_owned())),
            watch: Watch::new(None),
            folder: PathBuf::from("."),
            between: Between::Nothing,
        };
        loops::run(app, haggle::tty::Out::Stdout, world).await
    });
    runtime.shutdown_background();
    haggle::tty::say_the_rest();
    ended.unwrap();
}

#[test]
fn a_panic_of_a_worker_costs_its_fetch_alone() {
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", "--test-threads=1"]);
    command.arg("trust::terminal::screen_with_a_worker_that_panics");
    // The test harness runs the test on a thread of its own, which is the one that draws.
    let mut term = Term::spawn(tempfile::tempdir().unwrap(), command, 120, 30, &[]);
    term.until_text("? help");
    term.until_text("vast failed");
    term.keys("P");
    term.until_text("stumbled");
    assert!(!text(&term.raw).contains("[?1049l"), "the terminal was given back too early");
    term.keys("\u{3}");
    assert_eq!(term.end(), 0);
    term.is_clean_but_for_frames();
    let raw = text(&term.raw);
    assert_eq!(raw.matches("[?1049l").count(), 1);
    let (left, said) = (raw.find("[?1049l").unwrap(), raw.find("a fault of its own").unwrap());
    assert!(left < said, "what a worker says waits until the terminal has been given back");
    assert!(raw.contains("on purpose in a thread"), "{raw}");
    assert!(!raw[left..].contains("\u{1b}[31m in a worker"));
    reliability::note("terminals given back", "panic in a worker and in a thread", 2);
}
