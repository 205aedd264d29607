//! Receipts: published measurements beside our predictions, and how far off they are.
//!
//! A row that lacks what a prediction needs is skipped with the reason; nothing is guessed to make
//! it count. The bands shown with each fit come from these errors (see [`super::memory`]).
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

#[cfg(test)]
mod tests;

pub use groups::{Group, groups};
pub use mapping::{CodeOf, Run};
pub use nearest::nearest;
pub use predict::{Prediction, predict};
pub use record::{Record, read};
pub use report::{Evidence, Row, Skipped, evidence, shipped};
