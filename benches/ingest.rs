//! Vast.ai's answer of 20,000 offers, about 50 MB, from bytes to offers in pieces of 64 KiB; beside it
//! `serde_json` that parses the same typed structs out of the whole body and does nothing with them.
//!
//! ```text
//! cargo bench --bench ingest
//! ```

#![recursion_limit = "256"]
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up should stop")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use haggle::provider::vast;
use haggle::units::UnixSeconds;
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Duration;

const OFFERS: u64 = 20_000;
const CARDS: [&str; 4] = ["RTX 4090", "H100 SXM", "RTX 5090", "A100 SXM4"];

/// A row with the members of a real one, used by us or not (2,500 bytes).
fn row(i: u64) -> Value {
    let price = 0.1 + (i % 977) as f64 * 0.013_37;
    let mut row = json!({
        "id": 20_000_000 + i * 3, "ask_contract_id": 20_000_000 + i * 3, "machine_id": 10_000 + i / 3,
        "host_id": 1000 + i % 4000, "num_gpus": 1 + i % 3, "gpu_ids": [i, i + 1, i + 2, i + 3],
        "gpu_name": CARDS[(i % 4) as usize], "gpu_ram": 24564,
        "gpu_total_ram": 24564 * (1 + i % 3), "gpu_lanes": 16, "pci_gen": 4.0, "pcie_bw": 23.713_9,
        "bw_nvlink": 0, "cuda_max_good": 12.8, "cpu_cores": 64, "cpu_cores_effective": 16.0,
        "cpu_ram": 257_878, "cpu_name": "AMD EPYC 7763 64-Core Processor", "disk_space": 1533.7,
        "disk_name": "SAMSUNG MZQL27T6HBLA-00A07", "inet_up": 812.4, "inet_down": 934.1,
        "inet_up_cost": 0.003_906_25, "inet_down_cost": 0.002_604_166_7, "dph_base": price,
        "dph_total": price + 0.002, "storage_cost": 0.2, "storage_total_cost": 0.002_222_222,
        "min_bid": price * 0.55, "reliability": 0.993_412_8, "reliability2": 0.993_412_8,
        "verification": "verified", "geolocation": "Quebec, CA", "rentable": true, "rented": false,
        "duration": 2_345_678.123_4, "start_date": 1_787_000_123.4, "end_date": 1_790_000_123.4,
        "public_ipaddr": "203.0.113.7", "driver_version": "580.105.08", "score": 123.456_789,
        "search": {"gpuCostPerHour": price, "diskHour": 0.002, "totalHour": price + 0.002},
        "instance": {"gpuCostPerHour": 0, "diskHour": 0.002, "totalHour": 0.002},
    });
    let rest = (0..55).map(|n| (format!("another_member_{n}"), json!(price * f64::from(n))));
    row.as_object_mut().expect("an object").extend(rest);
    row
}

fn ingest(c: &mut Criterion) {
    let rows: Vec<Value> = (0..OFFERS).map(row).collect();
    let answer = json!({"offers": rows}).to_string().into_bytes();
    drop(rows);
    let mut group = c.benchmark_group("ingest");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    group.throughput(Throughput::Bytes(answer.len() as u64));
    group.bench_function("vast", |b| {
        b.iter(|| {
            let mut offers = 0u64;
            let rejected = vast::read(answer.chunks(64 << 10), UnixSeconds(0), |offer| {
                black_box(offer);
                offers += 1;
            });
            assert!(rejected.expect("a whole answer").is_empty());
            assert_eq!(offers, OFFERS);
        });
    });
    group.bench_function("limit/serde_json", |b| {
        b.iter(|| black_box(vast::parse_only(&answer).expect("JSON")));
    });
    group.finish();
}

criterion_group!(benches, ingest);
criterion_main!(benches);
