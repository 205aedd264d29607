//! What is made of offers once they are found: a frame of 160 by 45, documents, and the room that a
//! table of them takes; beside each the same bytes or documents in the barest loop (`limit/…`).
//!
//! ```text
//! cargo bench --bench show
//! ```

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up should stop")]
#![expect(clippy::print_stdout, reason = "what the benchmark finds is what it prints")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use haggle::app::desk::Desk;
use haggle::app::keymap::Keymap;
use haggle::app::layout::Size;
use haggle::app::settings::Settings;
use haggle::app::{App, Input, Key, Look, Msg, Options, Start};
use haggle::estimate::HardwareClass;
use haggle::estimate::{bill, class};
use haggle::export::document::{ListDocument, OfferDocument};
use haggle::export::{Context, EXPORTS};
use haggle::market::{Ask, Query, Table, View, synthetic};
use haggle::session::{RowsFrom, Stock};
use haggle::setup::{Draft, Setup};
use haggle::snapshot::{Decoder, Head, Packing, Snapshot, encode};
use haggle::ui::Screen;
use haggle::units::UnixSeconds;
use std::cell::RefCell;
use std::hint::black_box;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

const NOW: UnixSeconds = UnixSeconds(synthetic::MADE_AT + 3600);
/// Offers on the screen's market, in the list, and in the table that is weighed.
const MARKET: usize = 60_000;
const LISTED: usize = 20_000;
const WEIGHED: usize = 1_000_000;

/// Counts and keeps what is written, as a terminal that takes everything at once.
#[derive(Clone, Default)]
struct Sink(Rc<RefCell<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn setup() -> (Draft, Setup) {
    let draft = Draft::default();
    let model = haggle::model::find(draft.model_name()).expect("a model");
    let setup = draft.resolve(model).expect("a setup");
    (draft, setup)
}

fn app() -> App {
    let mut stock = Stock::new();
    let market = Snapshot { head: Head::default(), offers: synthetic::market(MARKET, 1) };
    stock.load(&market, RowsFrom::Saved);
    let (draft, setup) = setup();
    let options = Options {
        look: Look::default(),
        keymap: Keymap::default(),
        start: Start::default(),
        views: Vec::new(),
        settings: Settings::default(),
    };
    App::new(Desk::new(stock, draft, setup), options, Size { width: 160, height: 45 }, NOW)
}

fn draw(c: &mut Criterion) {
    let mut app = app();
    let sink = Sink::default();
    let mut screen = Screen::new(sink.clone());
    screen.draw(&app).expect("a frame");
    let whole = sink.0.take();
    let mut group = c.benchmark_group("draw");
    group.throughput(Throughput::Bytes(whole.len() as u64));
    group.bench_function("whole", |b| {
        b.iter(|| {
            screen.forget();
            screen.draw(&app).expect("a frame");
            sink.0.take()
        });
    });
    group.bench_function("nothing new", |b| {
        b.iter(|| {
            screen.draw(&app).expect("a frame");
            sink.0.take()
        });
    });
    let mut down = false;
    group.bench_function("cursor, with the key", |b| {
        b.iter(|| {
            down = !down;
            let key = Key::char(if down { 'j' } else { 'k' });
            app.update(Msg::Input(Input::Key(key)), NOW);
            screen.draw(&app).expect("a frame");
            sink.0.take()
        });
    });
    group.bench_function("limit/copy the bytes of a whole frame", |b| {
        b.iter(|| black_box(&whole).clone());
    });
    group.finish();
}

/// The documents of the first lines of a market.
fn documents(setup: &Setup, count: usize) -> Vec<OfferDocument> {
    let mut table = Table::new();
    table.insert(1, &synthetic::market(MARKET, 1));
    let (mut view, query) = (View::new(), Query::default());
    view.refresh(&table, &Ask { setup, query: &query, sort: &[], now: NOW });
    let lines = view.window(&table, 0, count).to_vec();
    let document = |line: &haggle::market::ViewRow| {
        let offer = table.offer(line.row)?;
        let class = class::estimate(setup, &HardwareClass::from(&offer.hardware));
        let quote = bill::explain(setup, &offer, &class, line.kind, NOW);
        Some(OfferDocument::new(&offer, &class.fit, &[], &quote))
    };
    lines.iter().filter_map(document).collect()
}

fn export(c: &mut Criterion) {
    let (_, setup) = setup();
    let mut group = c.benchmark_group("export/list as JSON");
    group.sample_size(10);
    for count in [0, LISTED] {
        group.throughput(Throughput::Elements(count.max(1) as u64));
        let mut list = ListDocument::new(NOW, String::new(), &setup);
        list.offers = documents(&setup, count);
        group.bench_function(BenchmarkId::new("write", count), |b| {
            b.iter_with_large_drop(|| serde_json::to_vec(&list).expect("JSON"));
        });
        let bytes = serde_json::to_vec(&list).expect("JSON");
        group.bench_function(BenchmarkId::new("limit/copy", count), |b| {
            b.iter_with_large_drop(|| black_box(&bytes).clone());
        });
    }
    group.finish();
    one(c, &setup);
}

/// One offer in every form.
fn one(c: &mut Criterion, setup: &Setup) {
    let offers = synthetic::market(100, 1);
    let offer = offers.iter().find(|o| o.price.on_demand.is_some()).expect("an offer with a price");
    let class = class::estimate(setup, &HardwareClass::from(&offer.hardware));
    let kind = haggle::estimate::quote::PriceKind::OnDemand;
    let quote = bill::explain(setup, offer, &class, kind, NOW);
    let context =
        Context { offer, setup, fit: &class.fit, advice: &[], quote: &quote, at: NOW, wandb: None };
    let mut group = c.benchmark_group("export/one offer");
    for target in EXPORTS {
        // What a provider has no form for is refused, and that is not measured.
        if target.write(&context).is_ok() {
            group.bench_function(target.name, |b| b.iter(|| target.write(&context)));
        }
    }
    group.finish();
}

/// Resident memory of this process in bytes, where the system tells (Linux).
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS"))?;
    Some(line.split_whitespace().nth(1)?.parse::<usize>().ok()? * 1024)
}

/// What a table of a million takes for each offer, all columns, dictionaries and indices counted: by
/// how much the process grows while it is filled piece by piece.
fn weigh(_: &mut Criterion) {
    let market = Snapshot { head: Head::default(), offers: synthetic::market(WEIGHED, 1) };
    let bytes = encode(&market, Packing::Stored);
    let mut chunks = Decoder::new(&bytes).expect("a snapshot");
    let mut table = Table::new();
    // The first piece finds the room that reading takes.
    let first = chunks.next_chunk().expect("a chunk").expect("offers");
    table.insert(1, &first);
    let (rows, before) = (table.len(), resident());
    while let Some(offers) = chunks.next_chunk().expect("a chunk") {
        table.insert(1, &offers);
    }
    let after = resident();
    // Room that had been given back before would be filled unseen.
    drop(market);
    let grown = before.zip(after).map(|(before, after)| after.saturating_sub(before));
    match grown {
        Some(grown) => println!(
            "table/memory: {:.0} bytes for each of {} offers (wanted: at most 160)",
            grown as f64 / (table.len() - rows) as f64,
            table.len(),
        ),
        None => println!("table/memory: this system does not tell"),
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500));
    targets = weigh, draw, export
}
criterion_main!(benches);
