//! Percentiles, as a table and as JSON.

use serde_json::json;
use std::fmt;
use std::time::Duration;

/// What was measured of one kind of key.
pub(crate) struct Row {
    name: String,
    offers: usize,
    /// Milliseconds, smallest first.
    times: Vec<f64>,
}

impl Row {
    pub(crate) fn new(name: String, offers: usize, times: &[Duration]) -> Self {
        let mut times: Vec<f64> = times.iter().map(|t| t.as_secs_f64() * 1e3).collect();
        times.sort_by(f64::total_cmp);
        Self { name, offers, times }
    }

    /// The smallest time that `share` of all do not exceed.
    fn percentile(&self, share: f64) -> f64 {
        let at = (self.times.len() as f64 * share).ceil() as usize;
        self.times.get(at.saturating_sub(1)).copied().unwrap_or(f64::NAN)
    }
}

/// Everything that was measured.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
    notes: Vec<String>,
}

impl Report {
    pub(crate) fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    pub(crate) fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    pub(crate) fn json(&self) -> String {
        let row = |r: &Row| {
            json!({
                "name": r.name, "offers": r.offers, "keys": r.times.len(),
                "median_ms": r.percentile(0.5), "p90_ms": r.percentile(0.9),
                "p99_ms": r.percentile(0.99), "max_ms": r.percentile(1.0),
            })
        };
        let rows: Vec<_> = self.rows.iter().map(row).collect();
        json!({"rows": rows, "notes": self.notes}).to_string()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<36} {:>9} {:>5} {:>8} {:>8} {:>8} {:>8}",
            "milliseconds", "offers", "n", "median", "p90", "p99", "max"
        )?;
        for row in &self.rows {
            let [median, p90, p99, max] = [0.5, 0.9, 0.99, 1.0].map(|s| row.percentile(s));
            let (name, offers, keys) = (&row.name, row.offers, row.times.len());
            writeln!(
                f,
                "{name:<36} {offers:>9} {keys:>5} {median:>8.2} {p90:>8.2} {p99:>8.2} {max:>8.2}"
            )?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}
