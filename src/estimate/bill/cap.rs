//! The most that a month of a machine costs, where its provider caps it.
//!
//! Vultr bills a machine by the hour until the calendar month's bill reaches the plan's price of a
//! month; the rest of that month is free (docs.vultr.com, billing, 2025-09-15). Which day a job will
//! begin on is not known here: a month of 730 hours is counted from the launch. A job that begins
//! in the middle of a month may be cut in two by its end and pay more, so the high total takes no cap.

use crate::offer::Fees;
use crate::units::{HOURS_PER_TWELFTH, Hours};

/// Hours that are paid for out of `hours` since the launch, when each month stops at `cap`.
pub(crate) fn paid(hours: f64, cap: Option<Hours>) -> f64 {
    let Some(cap) = cap.filter(|cap| *cap >= Fees::SHORTEST_CAP) else { return hours };
    let cap = cap.get().min(HOURS_PER_TWELFTH);
    if hours <= cap {
        return hours;
    }
    let months = (hours / HOURS_PER_TWELFTH).floor();
    months * cap + (hours - months * HOURS_PER_TWELFTH).min(cap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn capped(hours: f64, cap: f64) -> f64 {
        paid(hours, Some(Hours::new(cap)))
    }

    /// 672 hours of each 730: 1,000 h are 672 and the 270 of the second month.
    #[test]
    fn the_rest_of_a_month_is_free_and_the_next_one_is_not() {
        for (hours, by_hand) in
            [(100.0, 100.0), (672.0, 672.0), (700.0, 672.0), (730.0, 672.0), (1000.0, 942.0)]
        {
            assert!((capped(hours, 672.0) - by_hand).abs() < 1e-9, "{hours}");
        }
        assert!((capped(3000.0, 672.0) - (4.0 * 672.0 + 80.0)).abs() < 1e-9);
        assert_eq!(paid(3000.0, None), 3000.0);
    }

    #[test]
    fn a_cap_that_cannot_be_makes_nothing_cheaper() {
        assert_eq!(capped(1000.0, 1.0), 1000.0);
        assert_eq!(capped(1000.0, 744.0), 1000.0);
    }

    proptest! {
        #[test]
        fn more_hours_never_cost_less_and_a_later_cap_never_either(
            hours in 0.0f64..20_000.0, more in 0.0f64..2000.0, cap in 500.0f64..744.0, later in 0.0f64..100.0,
        ) {
            prop_assert!(capped(hours + more, cap) >= capped(hours, cap) - 1e-9);
            prop_assert!(capped(hours, cap + later) >= capped(hours, cap) - 1e-9);
            prop_assert!(capped(hours, cap) <= hours);
            prop_assert!(capped(hours, cap) >= hours * (Fees::SHORTEST_CAP.get() / HOURS_PER_TWELFTH) - 1e-9);
        }
    }
}
