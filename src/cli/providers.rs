//! `haggle providers`: how each provider fares: light, rows, age, coverage, key, trouble.
//!
//! The document holds what the screen's page of providers says: `wait_seconds` in seconds, moments
//! as RFC 3339; what is not known is `null`.

use super::call::Call;
use super::failure::Failure;
use super::market::{self, Market};
use super::out::{self, Grid};
use crate::config::{Key, find_key, key_variable};
use crate::export::document::{VERSION, rfc3339};
use crate::provider::FetchError;
use crate::session::{self, RowsFrom, Status};
use crate::units;
use serde_json::{Value, json};

pub(super) fn run(call: &Call) -> Result<(), Failure> {
    let market = call.market()?;
    let grid = grid(call, &market);
    let documents: Vec<Value> =
        market.statuses.iter().map(|s| document(call, &market, s)).collect();
    let document =
        json!({"schema": "haggle.providers/1", "haggle": VERSION, "providers": documents});
    out::grid(call.global.format, &document, &grid)?;
    market.strict(&call.global)
}

/// Everything about one provider: the members that `list` has too, and the rest.
fn document(call: &Call, market: &Market, status: &Status) -> Value {
    let report = status.report.as_ref();
    let rejected = report.map(|r| r.rejected.as_slice()).unwrap_or_default();
    let unknown = report.map(|r| r.unknown_types.as_slice()).unwrap_or_default();
    let reasons = rejected.iter().map(|(why, rows)| json!({"reason": why, "rows": rows}));
    let types = unknown.iter().map(|(name, rows)| json!({"name": name.as_str(), "rows": rows}));
    let more = json!({
        "rows_from": rows_from(status.from),
        "last_success": status.as_of.map(rfc3339),
        "coverage_note": report.and_then(|r| r.coverage_note.clone()),
        "wait_seconds": status.wait(market.now).or(refused_for(status)),
        "note": status.note,
        "key": key_document(call, status),
        "rejected": reasons.collect::<Vec<_>>(),
        "unknown_types": types.collect::<Vec<_>>(),
    });
    let mut whole = json!(market::provider(status, market.now));
    if let (Value::Object(whole), Value::Object(more)) = (&mut whole, more) {
        whole.extend(more);
    }
    whole
}

/// The seconds for which the provider wants no more requests, where its refusal said so.
fn refused_for(status: &Status) -> Option<i64> {
    match status.error {
        Some(FetchError::RateLimited { retry_after_seconds }) => {
            retry_after_seconds.and_then(|seconds| i64::try_from(seconds).ok())
        }
        _ => None,
    }
}

/// Where the rows come from, in a word.
const fn rows_from(from: RowsFrom) -> Option<&'static str> {
    match from {
        RowsFrom::Nowhere => None,
        RowsFrom::Embedded => Some("built-in"),
        RowsFrom::Saved => Some("saved"),
        RowsFrom::Asked => Some("asked"),
    }
}

/// The key that is found, by its last characters at most; `null` where none can be used. `used`: the
/// last good answer came with it.
fn key_document(call: &Call, status: &Status) -> Value {
    let Some((variable, _)) = key_variable(status.provider) else { return Value::Null };
    let found = find_key(status.provider, &call.env, &call.paths);
    let used = status.report.as_ref().is_some_and(|r| r.key_hint.is_some());
    json!({
        "variable": variable,
        "hint": found.as_ref().map(Key::hint),
        "origin": found.as_ref().map(|key| key.origin.to_string()),
        "used": used,
    })
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
