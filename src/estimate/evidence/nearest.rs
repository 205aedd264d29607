//! The published measurements that come closest to a setup.

use super::mapping::Run;
use super::predict::{Prediction, predict};
use super::record;
use super::report::{Row, SHIPPED, row};
use crate::setup::Setup;

/// The `count` measured runs closest to `setup` on `gpus` GPUs, nearest first. Runs that ran out of
/// memory count too; those of another method do not.
pub fn nearest(setup: &Setup, gpus: u32, count: usize) -> Vec<Row> {
    let rows = predict(record::read(SHIPPED).unwrap_or_default());
    let mut found: Vec<(f64, Prediction)> = rows
        .into_iter()
        .filter_map(|p| {
            let run = p.run.as_ref().ok()?;
            let alike = run.setup.method == setup.method;
            let distance = distance(setup, gpus, run);
            alike.then_some((distance, p))
        })
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().take(count).map(|(_, p)| row(p)).collect()
}

/// Doublings of model size and of tokens, and one for each choice that differs and moves memory.
fn distance(setup: &Setup, gpus: u32, run: &Run) -> f64 {
    let ratio = |a: f64, b: f64| (a / b).log2().abs();
    let tokens = |s: &Setup| f64::from(s.micro_batch) * f64::from(s.seq_len);
    let other = &run.setup;
    let differs = [
        setup.framework != other.framework,
        setup.checkpointing != other.checkpointing,
        setup.loss_kernel != other.loss_kernel,
        setup.quant != other.quant,
        setup.sharding(gpus) != other.sharding(run.gpus),
    ];
    2.0 * ratio(setup.model.params as f64, other.model.params as f64)
        + ratio(tokens(setup), tokens(other))
        + ratio(f64::from(gpus.max(1)), f64::from(run.gpus))
        + differs.iter().filter(|d| **d).map(|_| 1.0).sum::<f64>()
}
