//! `haggle evidence`: our predictions beside measurements, published ones or the user's own.

use super::args::{EvidenceArgs, Format};
use super::call::Call;
use super::failure::{Failure, Reason};
use super::out::{self, Grid};
use crate::estimate::evidence::{self, Evidence, Group, Row, Skipped};
use crate::export::document::{VERSION, name};
use serde_json::json;
use std::fmt::Write as _;

/// Rows shown for one setup.
const NEAREST: usize = 12;

pub(super) fn run(call: &Call, args: EvidenceArgs) -> Result<(), Failure> {
    let asks_for_setup = args.setup != super::setup_flags::SetupFlags::default();
    let (found, by_row) = match &args.file {
        Some(file) => {
            let csv =
                std::fs::read(file).map_err(|e| Failure::file(Reason::Usage, "", file, &e))?;
            let found = evidence::evidence(&csv)
                .map_err(|e| Failure::usage(format!("{}: {e}", file.display())))?;
            (found, true)
        }
        None if asks_for_setup => {
            let setup = call.setup(args.setup)?;
            let rows = evidence::nearest(&setup, setup.gpus.unwrap_or(1), NEAREST);
            (
                Evidence { rows, groups: Vec::new(), skipped: Vec::new(), ..evidence::shipped() },
                true,
            )
        }
        None => (evidence::shipped(), false),
    };
    let document = json!({
        "schema": "haggle.evidence/1",
        "haggle": VERSION,
        "rows": found.rows,
        "groups": found.groups,
        "skipped": found.skipped,
        "missing_columns": found.missing_columns,
    });
    match call.global.format {
        Format::Table => {
            let mut text = String::new();
            if by_row {
                text.push_str(&rows(&found.rows).table());
            }
            if !found.groups.is_empty() {
                let gap = if by_row { "\n" } else { "" };
                text.push_str(gap);
                text.push_str(&groups(&found.groups).table());
            }
            out::data(&text)?;
            out::data(&unpredicted(&found))
        }
        Format::Markdown if !by_row => out::data(&groups(&found.groups).markdown()),
        format => out::grid(format, &document, &rows(&found.rows)),
    }
}

/// How many rows are not predicted, and why.
fn unpredicted(found: &Evidence) -> String {
    let (rows, skipped) = (found.rows.len(), &found.skipped);
    let without: usize = skipped.iter().map(|s| s.n).sum();
    let colon = if skipped.is_empty() { "" } else { ":" };
    let mut text = format!("\n{rows} rows, {without} not predicted{colon}\n");
    for Skipped { reason, n } in skipped {
        let _ = writeln!(text, "{n:>6}  {reason}");
    }
    if !found.missing_columns.is_empty() {
        let missing = found.missing_columns.join(", ");
        let _ = writeln!(text, "columns that the table lacks: {missing}");
    }
    text
}

fn figure(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(String::new, |v| format!("{v:.digits$}"))
}

/// How far `predicted` is off, in per cent.
fn error(predicted: Option<f64>, measured: Option<f64>) -> String {
    match (predicted, measured) {
        (Some(p), Some(m)) if m > 0.0 => format!("{:+.1}%", (p / m - 1.0) * 100.0),
        _ => String::new(),
    }
}

fn rows(rows: &[Row]) -> Grid {
    let mut grid = Grid::new(&[
        "id",
        "framework",
        "method",
        "model",
        "gpu",
        ">n",
        "outcome",
        ">measured GiB",
        ">predicted",
        ">low",
        ">high",
        ">error",
        "verdict",
        ">tokens/s",
        ">predicted t/s",
        ">error t/s",
        "skipped",
    ]);
    for r in rows {
        grid.row(vec![
            r.id.clone(),
            r.framework.clone(),
            r.method.clone(),
            r.model.clone(),
            r.gpu.clone().unwrap_or_default(),
            r.gpus.map(|n| n.to_string()).unwrap_or_default(),
            r.outcome.clone(),
            figure(r.measured_gib, 2),
            figure(r.predicted_gib, 2),
            figure(r.low_gib, 2),
            figure(r.high_gib, 2),
            error(r.predicted_gib, r.measured_gib),
            r.verdict.map(|v| name(&v)).unwrap_or_default(),
            figure(r.measured_tokens_per_second, 0),
            figure(r.predicted_tokens_per_second, 0),
            error(r.predicted_tokens_per_second, r.measured_tokens_per_second),
            r.skipped.clone().unwrap_or_default(),
        ]);
    }
    grid
}

fn groups(groups: &[Group]) -> Grid {
    let mut grid = Grid::new(&[
        "framework",
        "method",
        "reading",
        ">n",
        ">median error",
        ">95th percentile",
        ">inside the band",
    ]);
    for g in groups {
        let percent = |share: f64| format!("{:.1}%", share * 100.0);
        grid.row(vec![
            g.framework.clone(),
            g.method.clone(),
            g.mem_kind.clone(),
            g.n.to_string(),
            percent(g.median_error),
            percent(g.p95_error),
            percent(g.inside_band),
        ]);
    }
    grid
}
