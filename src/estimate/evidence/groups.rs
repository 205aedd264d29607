//! Errors by framework, method and reading.

use super::predict::Prediction;
use crate::units::{Gib, Range, TokensPerSecond};
use serde::Serialize;
use std::collections::BTreeMap;

/// The errors of one framework and method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// Framework, as the rows name it.
    pub framework: String,
    /// Method.
    pub method: String,
    /// What was read: `allocated`, `reserved`, `nvidia-smi`; `tokens/s` for speeds.
    pub mem_kind: String,
    /// Rows with a prediction.
    pub n: usize,
    /// Median of the absolute relative errors.
    pub median_error: f64,
    /// 95th percentile of them.
    pub p95_error: f64,
    /// Share of rows inside the band that is shown.
    pub inside_band: f64,
}

/// Groups the rows that have both a measurement and a prediction.
pub fn groups(rows: &[Prediction]) -> Vec<Group> {
    let mut by: BTreeMap<[&str; 3], Vec<Hit>> = BTreeMap::new();
    for row in rows {
        let record = &row.record;
        let mut add = |kind, hit| {
            let key = [record.framework.as_str(), record.method.as_str(), kind];
            by.entry(key).or_default().push(hit);
        };
        if let (Ok(predicted), Some(measured)) = (&row.memory, record.measured) {
            add(&record.mem_kind, hit(predicted.map(Gib::get), measured.get()));
        }
        if let (Ok(predicted), Some(measured)) = (&row.speed, record.tokens_per_second) {
            add("tokens/s", hit(predicted.map(TokensPerSecond::get), measured));
        }
    }
    by.into_iter().map(|(key, hits)| group(key, hits)).collect()
}

/// Error of a row, and whether it lies inside the band.
type Hit = (f64, bool);

fn hit(predicted: Range<f64>, measured: f64) -> Hit {
    let error = (predicted.expected / measured - 1.0).abs();
    (error, predicted.low <= measured && measured <= predicted.high)
}

fn group([framework, method, kind]: [&str; 3], rows: Vec<Hit>) -> Group {
    let n = rows.len();
    let inside = rows.iter().filter(|(_, inside)| *inside).count();
    let mut errors: Vec<f64> = rows.into_iter().map(|(error, _)| error).collect();
    errors.sort_by(f64::total_cmp);
    Group {
        framework: framework.to_owned(),
        method: method.to_owned(),
        mem_kind: kind.to_owned(),
        n,
        median_error: quantile(&errors, 0.5),
        p95_error: quantile(&errors, 0.95),
        inside_band: inside as f64 / n.max(1) as f64,
    }
}

/// The value below which a share `p` of the sorted values lies, interpolated.
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let at = p * last as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.5), 3.0);
        assert!((quantile(&[0.0, 1.0], 0.95) - 0.95).abs() < 1e-12);
        assert_eq!(quantile(&[], 0.5), 0.0);
    }
}
