//! What a key press costs, at 1,000, 20,000 and 1,000,000 offers; beside each, the same data in the
//! barest loop that could answer (`limit/…`), measured in the same run.
//!
//! ```text
//! cargo bench --bench market            # everything
//! cargo bench --bench market -- 1000000 # one size
//! ```

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up should stop")]
#![expect(clippy::print_stdout, reason = "what the benchmark finds is what it prints")]

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use haggle::market::{Ask, Query, SortKey, Table, View, complete, synthetic, why};
use haggle::offer::{Offer, Provider};
use haggle::setup::{Draft, Field, Setup};
use haggle::snapshot::{Decoder, Head, Packing, Snapshot, encode};
use haggle::units::{Gib, Mbps, Share, UnixSeconds, UsdPerHour};
use std::hint::black_box;
use std::time::Duration;

const SIZES: [usize; 3] = [1_000, 20_000, 1_000_000];
const NOW: UnixSeconds = UnixSeconds(synthetic::MADE_AT + 3600);
/// Lines on a screen.
const SCREEN: usize = 60;

fn setup(sequence: &str) -> Setup {
    let mut draft = Draft::default();
    let model = haggle::model::catalogue().iter().find(|m| m.name.contains("Llama-3-8B"));
    draft.set(Field::Method, "qlora").expect("a method");
    draft.set(Field::SeqLen, sequence).expect("a length");
    draft.resolve(model.cloned().expect("a model")).expect("a setup")
}

fn table(offers: &[Offer]) -> Table {
    let mut table = Table::new();
    table.insert(1, offers);
    for provider in Provider::ALL {
        table.finish(provider, 1);
    }
    table.look();
    table
}

struct Bench {
    size: usize,
    table: Table,
    view: View,
    setups: [Setup; 2],
}

impl Bench {
    /// Two asks in turn, each bringing the view up to date and the window into order.
    fn turn(&mut self, c: &mut Criterion, name: &str, asks: &[(&str, &str, usize); 2]) {
        let asks = asks.map(|(query, sort, setup)| {
            let query = Query::parse(query).expect("a query");
            (query, SortKey::parse_list(sort).expect("sort keys"), setup)
        });
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements(self.size as u64));
        let mut turn = 0;
        group.bench_function(BenchmarkId::from_parameter(self.size), |b| {
            b.iter(|| {
                turn ^= 1;
                let (query, sort, setup) = &asks[turn];
                let setup = &self.setups[*setup];
                self.view.refresh(&self.table, &Ask { setup, query, sort, now: NOW });
                black_box(self.view.window(&self.table, 0, SCREEN).len())
            });
        });
        group.finish();
    }
}

fn keys(c: &mut Criterion) {
    for size in SIZES {
        let offers = synthetic::market(size, 1);
        let table = table(&offers);
        println!("{size} offers: {:.1} bytes each", table.bytes() as f64 / size as f64);
        let mut bench =
            Bench { size, table, view: View::new(), setups: [setup("2048"), setup("4096")] };
        bench.turn(c, "filter/threshold", &[("rel>95%", "", 0), ("rel>96%", "", 0)]);
        let three = ["vram>=24 rel>95% down>=500mbps", "vram>=24 rel>95% down>=600mbps"];
        bench.turn(c, "filter/third of three", &[(three[0], "", 0), (three[1], "", 0)]);
        bench.turn(c, "filter/none left", &[("price<0", "", 0), ("", "", 0)]);
        bench.turn(c, "filter/total", &[("total<20$", "", 0), ("total<21$", "", 0)]);
        bench.turn(c, "filter/region", &[("region:eu", "", 0), ("region:us", "", 0)]);
        bench.turn(c, "search/one more letter", &[("409", "", 0), ("4090", "", 0)]);
        bench.turn(c, "search/no hit", &[("xqzz", "", 0), ("xqzzy", "", 0)]);
        bench.turn(c, "sort/figure", &[("", "price", 0), ("", "-down", 0)]);
        bench.turn(c, "sort/word", &[("", "gpu", 0), ("", "region,total", 0)]);
        bench.turn(c, "setup/sequence length", &[("", "", 0), ("", "", 1)]);
        scroll(c, &mut bench);
        explain(c, &mut bench);
        limits(c, size, &offers);
    }
}

fn scroll(c: &mut Criterion, bench: &mut Bench) {
    let query = Query::parse("rel>95%?").expect("a query");
    let (table, view) = (&bench.table, &mut bench.view);
    view.refresh(table, &Ask { setup: &bench.setups[0], query: &query, sort: &[], now: NOW });
    let shown = view.shown();
    let mut at = 0;
    c.bench_function(&format!("scroll/line/{}", bench.size), |b| {
        b.iter(|| {
            at = (at + 1) % shown.saturating_sub(SCREEN).max(1);
            black_box(view.window(table, at, SCREEN).len())
        });
    });
    c.bench_function(&format!("scroll/jump/{}", bench.size), |b| {
        b.iter(|| {
            at = (at + shown / 3 + 977) % shown.saturating_sub(SCREEN).max(1);
            black_box(view.window(table, at, SCREEN).len())
        });
    });
}

fn explain(c: &mut Criterion, bench: &mut Bench) {
    let query = Query::parse("vram>=24 rel>99% down>=500mbps region:eu").expect("a query");
    let (table, view) = (&bench.table, &mut bench.view);
    view.refresh(table, &Ask { setup: &bench.setups[0], query: &query, sort: &[], now: NOW });
    c.bench_function(&format!("why/{}", bench.size), |b| {
        b.iter(|| black_box(why::market(view, table).relaxations.len()));
    });
    c.bench_function(&format!("complete/{}", bench.size), |b| {
        b.iter(|| black_box(complete("gpu:", 4, table).candidates.len()));
    });
}

/// The same data in plain vectors and plain loops: nothing that answers can be faster.
fn limits(c: &mut Criterion, size: usize, offers: &[Offer]) {
    let column = |f: fn(&Offer) -> f64| offers.iter().map(f).collect::<Vec<f64>>();
    let rel = column(|o| o.reliability.map_or(f64::NAN, Share::get));
    let vram = column(|o| o.hardware.vram.map_or(f64::NAN, Gib::get));
    let down = column(|o| o.download.map_or(f64::NAN, Mbps::get));
    let price = column(|o| o.price.on_demand.map_or(f64::NAN, UsdPerHour::get));
    c.bench_function(&format!("limit/filter/threshold/{size}"), |b| {
        b.iter(|| rel.iter().filter(|v| **v > black_box(0.95)).count());
    });
    c.bench_function(&format!("limit/filter/three/{size}"), |b| {
        b.iter(|| {
            let rows = rel.iter().zip(&vram).zip(&down);
            rows.filter(|((r, v), d)| **r > 0.95 && **v >= black_box(22.0) && **d >= 500.0).count()
        });
    });
    c.bench_function(&format!("limit/first of order/{size}"), |b| {
        b.iter_batched_ref(
            || price.iter().map(|p| p.to_bits()).collect::<Vec<u64>>(),
            |keys| *keys.select_nth_unstable(SCREEN).1,
            BatchSize::LargeInput,
        );
    });
    c.bench_function(&format!("limit/price/{size}"), |b| {
        b.iter(|| {
            let rows = price.iter().zip(&down).zip(&vram);
            rows.map(|((p, d), v)| p * (12.5 + 60.0 / d) + 0.15 * v).sum::<f64>()
        });
    });
}

fn fill(c: &mut Criterion) {
    for size in SIZES {
        let offers = synthetic::market(size, 1);
        let mut group = c.benchmark_group("insert");
        group.throughput(Throughput::Elements(size as u64));
        group.bench_function(BenchmarkId::new("new", size), |b| {
            b.iter_with_large_drop(|| {
                let mut table = Table::new();
                table.insert(1, &offers);
                table
            });
        });
        let mut refreshed = table(&offers);
        let mut generation = 1;
        group.bench_function(BenchmarkId::new("refresh", size), |b| {
            b.iter(|| {
                generation += 1;
                refreshed.insert(generation, &offers);
                Provider::ALL.into_iter().map(|p| refreshed.finish(p, generation)).sum::<usize>()
            });
        });
        group.bench_function(BenchmarkId::new("limit: copy", size), |b| {
            b.iter_with_large_drop(|| offers.clone());
        });
        group.finish();
        snapshots(c, size, offers);
    }
}

fn snapshots(c: &mut Criterion, size: usize, offers: Vec<Offer>) {
    let market = Snapshot { head: Head::default(), offers };
    for packing in [Packing::Stored, Packing::Deflated] {
        // Deflating a million offers takes longer than all other benchmarks together.
        if packing == Packing::Deflated && size > 100_000 {
            continue;
        }
        let bytes = encode(&market, packing);
        let mut group = c.benchmark_group(format!("snapshot/{packing:?}").to_lowercase());
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(BenchmarkId::new("read", size), |b| {
            b.iter(|| {
                let mut decoder = Decoder::new(&bytes).expect("a snapshot");
                let mut rows = 0;
                while let Some(chunk) = decoder.next_chunk().expect("a chunk") {
                    rows += chunk.len();
                }
                rows
            });
        });
        group.bench_function(BenchmarkId::new("limit: checksum", size), |b| {
            b.iter(|| {
                let mut crc = flate2::Crc::new();
                crc.update(&bytes);
                crc.sum()
            });
        });
        group.finish();
    }
}

fn parse(c: &mut Criterion) {
    let text = "vram>=24 rel>95% down>=500mbps region:eu,uk gpu:4090|3090 !host:12345 total<20$ \
                done<8h fit:yes age<10m";
    c.bench_function("query/parse", |b| b.iter(|| Query::parse(black_box(text)).is_ok()));
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500));
    targets = parse, keys, fill
}
criterion_main!(benches);
