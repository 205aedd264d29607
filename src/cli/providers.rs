//! `haggle providers`: how each provider fares: light, rows, age, coverage, key, trouble.

use super::call::Call;
use super::failure::Failure;
use super::market::{self, Market};
use super::out::{self, Grid};
use crate::config::{find_key, key_variable};
use crate::export::document::VERSION;
use crate::session::{self, Status};
use crate::units;
use serde_json::json;

pub(super) fn run(call: &Call) -> Result<(), Failure> {
    let market = call.market()?;
    let grid = grid(call, &market);
    let documents: Vec<_> =
        market.statuses.iter().map(|s| market::provider(s, market.now)).collect();
    let document =
        json!({"schema": "haggle.providers/1", "haggle": VERSION, "providers": documents});
    out::grid(call.global.format, &document, &grid)?;
    market.strict(&call.global)
}

/// One line for each provider.
pub(super) fn grid(call: &Call, market: &Market) -> Grid {
    let mut grid =
        Grid::new(&["provider", "status", ">rows", ">age", ">seen", "key", "what happened"]);
    for status in &market.statuses {
        let report = status.report.as_ref();
        let seen = report.and_then(|r| r.coverage).map(|c| format!("{:.0}%", c * 100.0));
        grid.row(vec![
            status.provider.name().to_owned(),
            status.light.word().to_owned(),
            status.rows.to_string(),
            status.age(market.now).map(units::duration).unwrap_or_default(),
            seen.unwrap_or_default(),
            key(call, status),
            happened(status),
        ]);
    }
    grid
}

/// Which key is used, by its last characters at most.
fn key(call: &Call, status: &Status) -> String {
    match (key_variable(status.provider), find_key(status.provider, &call.env, &call.paths)) {
        (None, _) => "not needed".to_owned(),
        (Some(_), Some(key)) => format!("{} ({})", key.hint(), key.origin),
        (Some((variable, _)), None) => format!("none; {variable}"),
    }
}

fn happened(status: &Status) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(status.error.as_ref().map(ToString::to_string));
    parts.extend(status.note.clone());
    if let Some(report) = &status.report {
        parts.extend(report.coverage_note.clone());
        if !report.rejected.is_empty() {
            parts.push(format!("left out {}", session::left_out(&report.rejected)));
        }
        if !report.unknown_types.is_empty() {
            parts.push(format!("not known: {}", session::unknown(&report.unknown_types)));
        }
    }
    parts.join("; ")
}
