//! The receipts as scripts get them: one object per row, and the errors by group.

use super::groups::{Group, groups};
use super::predict::{Prediction, predict};
use super::record;
use crate::estimate::fit::Verdict;
use crate::units::Gib;
use serde::Serialize;
use std::collections::BTreeMap;

const SCHEMA: &str = "haggle.evidence/1";
pub(super) const SHIPPED: &[u8] = include_bytes!("../../../assets/evidence-memory.csv");
/// Published training speeds that can be predicted, each with source and date.
pub(super) const SHIPPED_SPEEDS: &[u8] = include_bytes!("../../../assets/evidence-speed.csv");

/// Rows and groups, as `haggle evidence --format json` prints them.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// `haggle.evidence/1`.
    pub schema: &'static str,
    /// Every row of the file, in its order.
    pub rows: Vec<Row>,
    /// Errors by framework, method and reading.
    pub groups: Vec<Group>,
    /// Why rows are not predicted, the commonest reason first.
    pub skipped: Vec<Skipped>,
    /// Columns that predictions need and that the table lacks.
    pub missing_columns: Vec<&'static str>,
}

/// Rows that are not predicted for one reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Skipped {
    /// Why.
    pub reason: String,
    /// How many.
    pub n: usize,
}

/// A measurement beside our prediction. Unknown is `None`.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the row.
    pub id: String,
    /// Who published it.
    pub source: String,
    /// Trainer, as the row names it.
    pub framework: String,
    /// Method.
    pub method: String,
    /// Model.
    pub model: String,
    /// Card.
    pub gpu: Option<String>,
    /// GPUs.
    pub gpus: Option<u32>,
    /// What was read.
    pub mem_kind: Option<String>,
    /// `ok` or `oom`.
    pub outcome: String,
    /// What was read, in GiB.
    pub measured_gib: Option<f64>,
    /// What we expect to be read.
    pub predicted_gib: Option<f64>,
    /// Low end of the band.
    pub low_gib: Option<f64>,
    /// High end of the band.
    pub high_gib: Option<f64>,
    /// What we say must be free on the card.
    pub needed_gib: Option<f64>,
    /// Would we have said that it fits?
    pub verdict: Option<Verdict>,
    /// Speed, as the row states it.
    pub measured_tokens_per_second: Option<f64>,
    /// Speed that we expect.
    pub predicted_tokens_per_second: Option<f64>,
    /// Low end of its band.
    pub low_tokens_per_second: Option<f64>,
    /// High end of its band.
    pub high_tokens_per_second: Option<f64>,
    /// Why nothing is predicted.
    pub skipped: Option<String>,
}

/// Predictions for every row of a CSV table.
///
/// # Errors
/// One line, when it is no table of measurements.
pub fn evidence(csv: &[u8]) -> Result<Evidence, String> {
    let found = beside(predict(record::read(csv)?));
    Ok(Evidence { missing_columns: record::missing(csv), ..found })
}

fn beside(predictions: Vec<Prediction>) -> Evidence {
    Evidence {
        schema: SCHEMA,
        groups: groups(&predictions),
        skipped: skipped(&predictions),
        missing_columns: Vec::new(),
        rows: predictions.into_iter().map(row).collect(),
    }
}

fn skipped(predictions: &[Prediction]) -> Vec<Skipped> {
    let mut by = BTreeMap::new();
    for reason in predictions.iter().filter_map(Prediction::skipped) {
        *by.entry(reason).or_insert(0) += 1;
    }
    let mut all: Vec<Skipped> =
        by.into_iter().map(|(reason, n)| Skipped { reason: reason.to_owned(), n }).collect();
    all.sort_by_key(|s| std::cmp::Reverse(s.n));
    all
}

/// The measurements that ship with the program, of memory and of speed, beside our predictions.
pub fn shipped() -> Evidence {
    // The assets are part of the program and a test reads them whole.
    let records = [SHIPPED, SHIPPED_SPEEDS].map(|csv| record::read(csv).unwrap_or_default());
    beside(predict(records.concat()))
}

pub(super) fn row(p: Prediction) -> Row {
    let stated = |text: String| if text.is_empty() { None } else { Some(text) };
    let memory = p.memory.as_ref().ok();
    let speed = p.speed.as_ref().ok();
    let skipped = p.skipped().map(str::to_owned);
    Row {
        id: p.record.id,
        source: p.record.source,
        framework: p.record.framework,
        method: p.record.method,
        model: p.record.model,
        gpu: stated(p.record.gpu),
        gpus: p.record.gpus,
        mem_kind: stated(p.record.mem_kind),
        outcome: p.record.outcome,
        measured_gib: p.record.measured.map(Gib::get),
        predicted_gib: memory.map(|m| m.expected.get()),
        low_gib: memory.map(|m| m.low.get()),
        high_gib: memory.map(|m| m.high.get()),
        needed_gib: p.need.map(|need| need.needed().get()),
        verdict: p.verdict,
        measured_tokens_per_second: p.record.tokens_per_second,
        predicted_tokens_per_second: speed.map(|s| s.expected.get()),
        low_tokens_per_second: speed.map(|s| s.low.get()),
        high_tokens_per_second: speed.map(|s| s.high.get()),
        skipped,
    }
}
