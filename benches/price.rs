//! How long a row takes given its class: what the table ranks by, and the quote with its range.
//! The quote must stay below 100 nanoseconds.

use criterion::{Criterion, criterion_group, criterion_main};
use haggle::estimate::HardwareClass;
use haggle::estimate::bill::{Job, RowFacts};
use haggle::estimate::class;
use haggle::estimate::quote::PriceKind;
use haggle::gpu;
use haggle::market::synthetic;
use haggle::model;
use haggle::offer::{Link, Provider};
use haggle::setup::Draft;
use haggle::units::{PerHour, Range, UsdPerHour};
use std::hint::black_box;

fn price(c: &mut Criterion) {
    let draft = Draft::default();
    let Ok(setup) = model::find(draft.model_name()).map(|m| draft.resolve(m)) else { return };
    let Ok(setup) = setup else { return };
    let gpu = gpu::catalogue().identify("A100 SXM 80GB", None);
    let hardware = HardwareClass { gpu, gpus: Some(1.0), vram: None, link: Link::Unknown };
    let class = class::estimate(&setup, &hardware);
    let job = Job::new(&setup);
    let row = RowFacts {
        spot: Some(UsdPerHour::new(0.2)),
        hazard: Some(Range::exact(PerHour::new(0.05))),
        ..RowFacts::from(&synthetic::offer(Provider::Vast, "1-1"))
    };
    for (name, kind) in [("on demand", PriceKind::OnDemand), ("spot", PriceKind::Spot)] {
        c.bench_function(&format!("row/expected/{name}"), |b| {
            b.iter(|| job.expected(black_box(&class), black_box(&row), kind));
        });
        c.bench_function(&format!("row/quote/{name}"), |b| {
            b.iter(|| job.price(black_box(&class), black_box(&row), kind));
        });
    }
    c.bench_function("class/speed and fit", |b| {
        b.iter(|| class::estimate(black_box(&setup), black_box(&hardware)));
    });
}

criterion_group!(benches, price);
criterion_main!(benches);
