//! Receipts: published measurements beside our predictions, and how far off they are.
//!
//! A row that lacks what a prediction needs is skipped with the reason; nothing is guessed to make
//! it count. The bands shown with each fit come from these errors (see [`super::memory`]).
//!
//! How the bands were set: first what varies was put into the formula (what fragments, how many
//! inputs a quantised layer keeps), so that the rest is small; then each group got the range of its
//! errors between the 5th and the 95th percentile of n + 1 (conformal, so that few runs widen it), or
//! all of them with a margin of 3 % where there are fewer than 20. Checked by leaving out: bands set
//! without a model (ms-swift, LitGPT), a publication (LitGPT, torchtune) or a framework (fsdp_qlora
//! against ml-engineering) hold 157 of the 162 figures left out (94 to 100 % in each group).
//!
//! What is not modelled although it is measured: GPT-BigCode (one key-value head, learned positions);
//! LitGPT over several GPUs (the peak is that of loading) and in full (the optimizer that is stated
//! would not fit); TRL of May 2023 (the version is not stated, and int8 ran out of memory at half of
//! what the figures add up to); everything padded to lengths that nobody states.
//!
//! `assets/evidence-memory.csv` and `assets/evidence-speed.csv` ship the measurements that can be
//! predicted: figures as published, each with its source and date, collected until 2026-11-30.

mod groups;
mod mapping;
mod nearest;
mod predict;
mod record;
mod report;
mod speed;
mod spelling;

#[cfg(test)]
mod tests;

pub use groups::{Group, groups};
pub use mapping::{CodeOf, Run};
pub use nearest::nearest;
pub use predict::{Prediction, predict};
pub use record::{Record, read};
pub use report::{Evidence, Row, Skipped, evidence, shipped};
