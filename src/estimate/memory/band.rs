//! How far off an allocated figure may be: factors from the errors against published measurements,
//! per framework and method.

use super::job::{Code, Job};
use crate::setup::{Framework, Setup};
use crate::units::{Gib, Range};

/// Factors on the expected figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Band {
    /// Few runs stay below.
    pub(crate) low: f64,
    /// Few runs go above.
    pub(crate) high: f64,
}

impl Band {
    /// The band of `job`.
    pub(crate) fn of(job: &Job, setup: &Setup) -> Band {
        let dense = job.visits == 0.0;
        match (setup.framework, job.code) {
            (Framework::Hf, Code::Earlier { .. }) if job.checkpointed() && dense => {
                Band { low: 0.95, high: 1.05 }
            }
            (Framework::Hf | Framework::Trl, Code::Today) if dense => {
                Band { low: 0.97, high: 1.05 }
            }
            _ => Band { low: 0.80, high: 1.25 },
        }
    }

    /// The band around `expected`.
    pub(crate) fn around(&self, expected: Gib) -> Range<Gib> {
        Range::new(expected * self.low, expected, expected * self.high)
    }
}
