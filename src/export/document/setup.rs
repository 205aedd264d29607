//! `setup`: every field of the job by its name in `job.yaml`, so that it can be fed back with `-f`.

use crate::setup::{Field, Setup};
use serde_json::Value;

/// All fields of `setup`, the defaults that were filled in included. What is left to each offer is
/// `auto`; what does not exist for this setup, as the rank of a full fine-tuning, is absent.
pub fn setup(setup: &Setup) -> Value {
    let mut value = serde_json::to_value(setup.to_draft()).unwrap_or(Value::Null);
    if let Value::Object(fields) = &mut value {
        for field in Field::ALL.iter().filter(|f| f.may_be_auto()) {
            fields.entry(field.name()).or_insert_with(|| "auto".into());
        }
    }
    value
}
