//! `haggle gpus`: the catalogue, and what the market holds beyond it.

use super::args::GpusArgs;
use super::call::Call;
use super::failure::Failure;
use super::out::{self, Grid};
use crate::export::document::VERSION;
use crate::gpu::{self, Gpu};
use crate::units::{GbPerSecond, Gib, Tflops, Watts};
use serde_json::json;

pub(super) fn run(call: &Call, args: &GpusArgs) -> Result<(), Failure> {
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
    out::grid(call.global.format, &document, &grid)
}

fn matches(gpu: &Gpu, words: &[String]) -> bool {
    let text = format!("{} {}", gpu.name, gpu.architecture).to_lowercase();
    words.iter().all(|w| text.contains(&w.to_lowercase()))
}
