//! `haggle gpus`: the catalogue, and what the market holds beyond it.

use super::args::GpusArgs;
use super::call::Call;
use super::failure::Failure;
use super::out::{self, Grid};
use crate::export::document::VERSION;
use crate::gpu::{self, Gpu};
use crate::units::{GbPerSecond, Gib, Tflops, Watts};
use serde_json::json;
use std::collections::BTreeMap;

pub(super) fn run(call: &Call, args: &GpusArgs) -> Result<(), Failure> {
    if args.unmapped {
        return unmapped(call, &args.words);
    }
    let gpus: Vec<&Gpu> =
        gpu::catalogue().iter().map(|(_, g)| g).filter(|g| matches(g, &args.words)).collect();
    let mut grid = Grid::new(&[
        "name",
        "vendor",
        "architecture",
        ">GiB",
        ">usable",
        ">TFLOPS",
        ">GB/s",
        ">NVLink GB/s",
        ">W",
        "bf16",
        "flash",
        "fp8",
    ]);
    for g in &gpus {
        let figure = |value: Option<f64>| value.map_or_else(|| "?".to_owned(), |v| v.to_string());
        let yes = |value: bool| if value { "yes" } else { "no" }.to_owned();
        grid.row(vec![
            g.name.to_owned(),
            crate::export::document::name(&g.vendor),
            g.architecture.to_owned(),
            g.memory.get().to_string(),
            figure(g.usable.map(Gib::get)),
            figure(g.peak.map(Tflops::get)),
            figure(g.bandwidth.map(GbPerSecond::get)),
            g.nvlink.map_or_else(|| "-".to_owned(), |v| v.get().to_string()),
            figure(g.tdp.map(Watts::get)),
            yes(g.bf16),
            yes(g.flash_attention),
            yes(g.fp8),
        ]);
    }
    let document = json!({"schema": "haggle.gpus/1", "haggle": VERSION, "gpus": gpus});
    out::grid(call.global.format, &document, &grid)?;
    if gpus.is_empty() {
        out::say("no card of the catalogue matches; haggle gpus lists all of them");
    }
    Ok(())
}

/// What the market holds that the catalogue does not know: cards, and machine types of which nobody
/// says what is inside; whose, and how many offers.
fn unmapped(call: &Call, words: &[String]) -> Result<(), Failure> {
    let market = call.market()?;
    let mut found: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
    for offer in market.table.rows().filter_map(|row| market.table.offer(row)) {
        let name = offer.hardware.gpu_raw.as_str();
        let asked = words.iter().all(|w| name.to_lowercase().contains(&w.to_lowercase()));
        if asked && offer.hardware.gpu.is_none() {
            *found.entry((offer.provider.name(), name.to_owned())).or_default() += 1;
        }
    }
    let mut grid = Grid::new(&["provider", "name", ">offers"]);
    for ((provider, name), offers) in &found {
        grid.row(vec![(*provider).to_owned(), name.clone(), offers.to_string()]);
    }
    let document = json!({
        "schema": "haggle.gpus/1",
        "haggle": VERSION,
        "unmapped": found.iter().map(|((provider, name), offers)| json!({
            "provider": provider, "name": name, "offers": offers,
        })).collect::<Vec<_>>(),
    });
    out::grid(call.global.format, &document, &grid)?;
    market.strict(&call.global)
}

fn matches(gpu: &Gpu, words: &[String]) -> bool {
    let text = format!("{} {}", gpu.name, gpu.architecture).to_lowercase();
    words.iter().all(|w| text.contains(&w.to_lowercase()))
}
