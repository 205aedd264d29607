//! Quantities that carry their unit in the type.
//!
//! Everything here is a finite, plain `f64` behind a name. A quantity that is not known is
//! `Option<…>`, never zero. GB is 10⁹ bytes and GiB is 2³⁰ bytes throughout the crate.

mod format;
mod range;

pub use format::{
    duration, gib, hours, mbps, per_hour, percent, tokens, trimmed, usd, usd_per_hour,
};
pub use range::Range;

use serde::{Deserialize, Serialize};

macro_rules! quantity {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(f64);

        impl $name {
            /// Nothing of it.
            pub const ZERO: Self = Self(0.0);

            /// Wraps a number that the program itself computed or wrote down.
            pub const fn new(value: f64) -> Self {
                Self(value)
            }

            /// Wraps a number from outside: `None` unless it is finite and not negative.
            pub fn checked(value: f64) -> Option<Self> {
                (value.is_finite() && value >= 0.0).then_some(Self(value))
            }

            /// The bare number, in the unit that the type names.
            pub const fn get(self) -> f64 {
                self.0
            }

            /// The larger of two.
            pub fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }

            /// The smaller of two.
            pub fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }
        }

        impl std::ops::Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl std::ops::AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl std::ops::Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl std::ops::Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }

        impl std::ops::Div<f64> for $name {
            type Output = Self;
            fn div(self, divisor: f64) -> Self {
                Self(self.0 / divisor)
            }
        }

        impl std::ops::Div for $name {
            type Output = f64;
            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }

        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(Self::ZERO, |a, b| a + b)
            }
        }
    )*};
}

quantity! {
    /// Bytes.
    Bytes
    /// Gibibytes, 2³⁰ bytes: how GPU memory is counted.
    Gib
    /// Gigabytes, 10⁹ bytes: how disks, files and traffic are counted and sold.
    Gb
    /// Megabits (10⁶ bits) per second: network speed.
    Mbps
    /// Gigabytes (10⁹) per second: memory bandwidth and GPU links.
    GbPerSecond
    /// 10¹² floating-point operations per second.
    Tflops
    /// Watts.
    Watts
    /// United States dollars.
    Usd
    /// Dollars per hour.
    UsdPerHour
    /// Dollars per gigabyte (10⁹ bytes) moved.
    UsdPerGb
    /// Dollars per gigabyte (10⁹ bytes) kept for a month.
    UsdPerGbMonth
    /// Hours.
    Hours
    /// Tokens, as the trainer counts them.
    Tokens
    /// Tokens per second.
    TokensPerSecond
    /// A share between 0 and 1.
    Share
    /// Events per hour, for interruptions.
    PerHour
}

/// Hours in the month that Vast.ai bills storage by: its own arithmetic is exact with 720 (checked
/// on 14 real offers, 2024-07 to 2026-08).
pub const HOURS_PER_MONTH: f64 = 720.0;
/// Hours in a twelfth of a year, which the large clouds' price lists and `TensorDock`'s convert
/// storage by.
pub const HOURS_PER_TWELFTH: f64 = 730.0;

const BYTES_PER_GIB: f64 = 1_073_741_824.0;
const BYTES_PER_GB: f64 = 1e9;

impl Bytes {
    /// The same amount in GiB.
    pub fn to_gib(self) -> Gib {
        Gib(self.0 / BYTES_PER_GIB)
    }

    /// The same amount in GB.
    pub fn to_gb(self) -> Gb {
        Gb(self.0 / BYTES_PER_GB)
    }
}

impl Gib {
    /// The same amount in bytes.
    pub fn to_bytes(self) -> Bytes {
        Bytes(self.0 * BYTES_PER_GIB)
    }

    /// From MiB, as Vast.ai counts GPU memory.
    pub fn from_mib(mib: f64) -> Self {
        Self(mib / 1024.0)
    }
}

impl Gb {
    /// The same amount in bytes.
    pub fn to_bytes(self) -> Bytes {
        Bytes(self.0 * BYTES_PER_GB)
    }

    /// How long this much takes at `speed`. `None` when the speed is zero.
    pub fn at(self, speed: Mbps) -> Option<Hours> {
        (speed.0 > 0.0).then(|| Hours(self.0 * (8000.0 / 3600.0) / speed.0))
    }
}

impl UsdPerHour {
    /// What `hours` of it cost.
    pub fn over(self, hours: Hours) -> Usd {
        Usd(self.0 * hours.0)
    }
}

impl UsdPerGb {
    /// What moving `amount` costs.
    pub fn of(self, amount: Gb) -> Usd {
        Usd(self.0 * amount.0)
    }
}

impl UsdPerGbMonth {
    /// What keeping `amount` for an hour costs, when a month is billed as so many hours.
    pub fn hourly(self, amount: Gb, month: Hours) -> UsdPerHour {
        UsdPerHour(self.0 * amount.0 / month.0)
    }

    /// What keeping `amount` for a month costs.
    pub fn of(self, amount: Gb) -> Usd {
        Usd(self.0 * amount.0)
    }
}

impl Hours {
    /// From seconds.
    pub fn from_seconds(seconds: f64) -> Self {
        Self(seconds / 3600.0)
    }

    /// From minutes.
    pub const fn from_minutes(minutes: f64) -> Self {
        Self(minutes / 60.0)
    }

    /// In seconds.
    pub fn seconds(self) -> f64 {
        self.0 * 3600.0
    }
}

/// A moment: whole seconds since 1970-01-01 UTC. The clock is read at the edges only.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct UnixSeconds(pub i64);

impl UnixSeconds {
    /// Seconds from `self` until `now`, not below zero.
    pub fn age_at(self, now: UnixSeconds) -> i64 {
        now.0.saturating_sub(self.0).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_numbers_must_be_finite_and_not_negative() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1] {
            assert_eq!(Gb::checked(bad), None);
        }
        assert_eq!(Gb::checked(0.0), Some(Gb::ZERO));
    }

    #[test]
    fn gb_and_gib_differ_by_seven_percent() {
        assert!((Gib::new(1.0).to_bytes().to_gb().get() - 1.073_741_824).abs() < 1e-12);
    }

    #[test]
    fn a_hundred_gb_at_800_mbps_take_1000_seconds() {
        let hours = Gb::new(100.0).at(Mbps::new(800.0)).unwrap();
        assert!((hours.seconds() - 1000.0).abs() < 1e-9);
        assert_eq!(Gb::new(1.0).at(Mbps::ZERO), None);
    }

    #[test]
    fn storage_is_billed_by_a_month_of_720_hours() {
        let hourly = UsdPerGbMonth::new(0.15).hourly(Gb::new(8.0), Hours::new(HOURS_PER_MONTH));
        assert!((hourly.get() - 8.0 * 0.15 / 720.0).abs() < 1e-15);
    }
}
