//! What the tests of this room share.

use crate::setup::{Draft, Field, Setup};
use crate::units::UnixSeconds;

/// The present of the tests: shortly after the synthetic market was fetched.
pub(crate) fn now() -> UnixSeconds {
    UnixSeconds(1_790_003_600 + 60)
}

/// A small job, at `on-demand`, `spot` or `both` prices.
pub(crate) fn setup(pricing: &str) -> Setup {
    setup_on(pricing, "100gb")
}

/// The same with a disk of the given size.
pub(crate) fn setup_on(pricing: &str, disk: &str) -> Setup {
    let mut draft = Draft::default();
    draft.set(Field::Disk, disk).unwrap();
    draft.set(Field::Pricing, pricing).unwrap();
    let model = crate::model::catalogue().first().cloned().unwrap();
    draft.resolve(model).unwrap()
}
