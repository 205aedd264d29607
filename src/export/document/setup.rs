//! `setup`: every field of the job by its name in `job.yaml`, so that it can be fed back with `-f`.

use crate::setup::Setup;
use serde_json::Value;

/// All fields of `setup`, the defaults that were filled in included.
pub fn setup(setup: &Setup) -> Value {
    serde_json::to_value(setup.to_draft()).unwrap_or(Value::Null)
}
