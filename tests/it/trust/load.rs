//! Many refreshes of a large market with faults at random: memory stays flat, no handle is lost, and
//! the rows are always those of each provider's last good answer.

use super::*;
use crate::reliability;
use haggle::market::{Ask, Query, View};
use haggle::provider::http::{Http, HttpOptions, RateLimit};
use haggle::provider::{Context, Sink, Update, run, source};
use haggle::session::Stock;
use haggle::setup::Draft;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// In every run of the tests; by hand `MALLOC_ARENA_MAX=1 HAGGLE_REFRESHES=200 HAGGLE_ROWS=20000`
/// (the server's threads, one for each connection, would leave the allocator an arena each).
const REFRESHES: usize = 6;
const ROWS: usize = 400;

fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

/// Resident bytes and open handles of this process.
#[cfg(target_os = "linux")]
fn footprint() -> (usize, usize) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap();
    let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    (kilobytes * 1024, std::fs::read_dir("/proc/self/fd").unwrap().count())
}

/// How a turn goes for Vast.ai: good, or one of the faults.
fn turn(number: usize) -> &'static str {
    const WAYS: [&str; 12] = [
        "good", "500", "garbage", "good", "cut", "html", "good", "empty", "429", "good", "half",
        "401",
    ];
    // Any order does, as long as it is not the same for each provider and begins well.
    if number == 0 { "good" } else { WAYS[(number * 7 + number / 12) % WAYS.len()] }
}

fn answer(way: &str, rows: usize, turn: usize) -> Answer {
    let offers: Vec<serde_json::Value> = (0..rows)
        .map(|n| {
            let mut row = vast_row(n);
            row["dph_base"] = (0.3 + turn as f64 * 0.001 + n as f64 * 1e-6).into();
            row["num_gpus"] = (1 + n % 8).into();
            row
        })
        .collect();
    let good = || serde_json::json!({ "offers": offers }).to_string();
    match way {
        "good" => Answer::json(good()),
        "cut" => {
            let whole = good();
            Answer::json(&whole[..whole.len() * 2 / 3])
        }
        "half" => Answer::json(good()).manner(crate::support::server::Manner::Half),
        "empty" => Answer::json(r#"{"offers":[]}"#),
        "garbage" => Answer::bytes(vec![0xfe; 4096]),
        "html" => Answer::status(200, "<html>").with("Content-Type", "text/html"),
        status => Answer::status(status.parse().unwrap(), "{}"),
    }
}

/// Fetches every provider once into `stock`.
async fn refresh(http: &Http, server: &Server, stock: &mut Stock, now: UnixSeconds) {
    let (channel, mut updates) = tokio::sync::mpsc::channel(64);
    for provider in Provider::ALL {
        let source = source(provider).unwrap();
        let mut context = Context::new(http.clone(), source.profile(), now);
        context.caller.limit = RateLimit::per(100_000, 1);
        for endpoint in source.profile().endpoints {
            let path = format!("/{}", provider.name());
            context.addresses.0.insert(endpoint.variable.to_owned(), server.url(&path));
        }
        if provider == Provider::Vast {
            let secret = "planted-0123456789".to_owned().into();
            context.key = Some(haggle::provider::ApiKey { secret, variable: "VAST_API_KEY" });
        }
        let generation = stock.begin(provider);
        tokio::spawn(run(source, context, Sink { provider, generation, channel: channel.clone() }));
    }
    drop(channel);
    while let Some(update) = updates.recv().await {
        let ends = matches!(update, Update::Finished { .. });
        stock.apply(update, now);
        if ends {
            tokio::task::yield_now().await;
        }
    }
}

/// A market in which Vast.ai answers as its turn is and everybody else goes wrong.
fn troubled(rows: usize, inner: Arc<AtomicUsize>) -> Server {
    Server::new(move |asked| {
        let turn_now = inner.load(Ordering::SeqCst);
        if asked.path.starts_with("/vast") {
            return answer(turn(turn_now), rows, turn_now);
        }
        // Everybody else goes wrong, each in its own way.
        let shift = asked.path.len();
        match (turn_now + shift) % 5 {
            0 => Answer::status(500, "{}"),
            1 => Answer::json("{\"plans\":[],\"data\":"),
            2 => Answer::status(200, "<html>").with("Content-Type", "text/html"),
            3 => Answer::status(404, "{}"),
            _ => Answer::json("{}").manner(crate::support::server::Manner::Half),
        }
    })
}

fn patient() -> HttpOptions {
    HttpOptions {
        connect: Duration::from_secs(30),
        grace: Duration::from_mins(2),
        total: Duration::from_mins(4),
        backoff: Duration::from_millis(1),
        patience: Duration::ZERO,
        ..HttpOptions::default()
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_rows_are_always_those_of_the_last_good_answer() {
    let (refreshes, rows) = (number("HAGGLE_REFRESHES", REFRESHES), number("HAGGLE_ROWS", ROWS));
    let round = Arc::new(AtomicUsize::new(0));
    let server = troubled(rows, Arc::clone(&round));
    let setup = {
        let draft = Draft::default();
        draft.resolve(haggle::model::find(draft.model_name()).unwrap()).unwrap()
    };
    let (mut stock, mut view) = (Stock::new(), View::new());
    let (mut last_good, mut settled, mut slowest) = (0, None, Duration::ZERO);
    for turn_now in 0..refreshes {
        round.store(turn_now, Ordering::SeqCst);
        // A client of its own each time: patience that one answer asked for is not that of the next.
        let http = Http::new(patient());
        let now = UnixSeconds(1_796_083_200 + i64::try_from(turn_now).unwrap() * 300);
        refresh(&http, &server, &mut stock, now).await;
        if turn(turn_now) == "good" {
            last_good = turn_now;
        }
        let vast = stock.statuses().iter().find(|s| s.provider == Provider::Vast).unwrap();
        assert_eq!(vast.rows, rows, "turn {turn_now} ({}): {}", turn(turn_now), vast.line(now));
        let query = Query::default();
        let began = Instant::now();
        view.refresh(stock.table(), &Ask { setup: &setup, query: &query, sort: &[], now });
        view.window(stock.table(), 0, 50);
        slowest = slowest.max(began.elapsed());
        let table = stock.table();
        let wanted = 0.3 + last_good as f64 * 0.001;
        let found =
            table.rows().filter_map(|row| table.offer(row)).find(|o| o.key.as_str() == "50-1");
        let price = found.unwrap().price.on_demand.unwrap().get();
        assert!((price - wanted).abs() < 1e-9, "turn {turn_now}: {price} is not {wanted}");
        if turn_now == refreshes / 4 {
            settled = Some((footprint(), stock.table().bytes()));
        }
    }
    let (bytes, handles) = footprint();
    let ((before, held), table) = settled.unwrap();
    let grown = bytes.saturating_sub(before);
    println!(
        "{refreshes} refreshes of {rows} rows: {:.1} MB after a quarter, {:.1} MB at the end, {held} and {handles} handles, slowest view {slowest:?}",
        before as f64 / 1e6,
        bytes as f64 / 1e6
    );
    if refreshes >= 100 {
        let now = stock.table().bytes();
        assert!(now <= table + table / 20, "the table grew from {table} to {now} bytes");
        assert!(grown < before / 5, "memory grew from {before} to {bytes}");
        assert!(handles <= held + 24, "{held} handles, then {handles}");
    }
    reliability::note("refreshes held", &format!("{rows} rows"), refreshes as u64);
}
