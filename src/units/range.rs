//! A figure that we are unsure of: low, expected, high.

use serde::{Deserialize, Serialize};

/// Low, expected and high value of one figure. `low <= expected <= high`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Range<T> {
    /// The value that few runs will stay below.
    pub low: T,
    /// The value to plan with.
    pub expected: T,
    /// The value that few runs will exceed.
    pub high: T,
}

impl<T: Copy> Range<T> {
    /// A range around `expected`.
    pub const fn new(low: T, expected: T, high: T) -> Self {
        Self { low, expected, high }
    }

    /// A figure without doubt.
    pub const fn exact(value: T) -> Self {
        Self { low: value, expected: value, high: value }
    }

    /// The same range in another unit or scale. `f` must not decrease.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Range<U> {
        Range { low: f(self.low), expected: f(self.expected), high: f(self.high) }
    }
}
