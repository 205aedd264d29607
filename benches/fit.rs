//! How long one fit takes: it runs for every hardware class at every key press, and must stay below
//! two microseconds.

use criterion::{Criterion, criterion_group, criterion_main};
use haggle::estimate::{HardwareClass, memory};
use haggle::gpu::{Gpu, Vendor};
use haggle::model;
use haggle::offer::Link;
use haggle::setup::{Draft, Field, Setup};
use haggle::units::Gib;
use std::hint::black_box;

fn card() -> Gpu {
    Gpu {
        name: "A100 SXM 80GB",
        vendor: Vendor::Nvidia,
        architecture: "Ampere",
        memory: Gib::new(80.0),
        usable: Some(Gib::new(79.15)),
        usable_assumed: false,
        peak: None,
        measured_matmul: None,
        bandwidth: None,
        nvlink: None,
        tdp: None,
        bf16: true,
        flash_attention: true,
        fp8: false,
        source: "",
        doubt: "",
    }
}

fn setup(method: &str) -> Option<Setup> {
    let mut draft = Draft::default();
    draft.set(Field::Method, method).ok()?;
    draft.set(Field::Checkpointing, "on").ok()?;
    draft.resolve(model::find(draft.model_name()).ok()?).ok()
}

fn fit(c: &mut Criterion) {
    let gpu = card();
    for (method, gpus) in [("qlora", 1.0), ("lora", 2.0), ("full", 8.0)] {
        let Some(setup) = setup(method) else { continue };
        let class = HardwareClass { gpu: None, gpus: Some(gpus), vram: None, link: Link::Unknown };
        c.bench_function(&format!("fit/{method}/{gpus}"), |b| {
            b.iter(|| memory::fit(black_box(&setup), black_box(&gpu), black_box(&class)));
        });
    }
}

criterion_group!(benches, fit);
criterion_main!(benches);
