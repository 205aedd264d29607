//! Machines that may be taken away: what a checkpoint interval costs, and what it saves.
//!
//! Interruptions come at a constant rate λ. After one, the machine is set up again (R hours) and
//! work goes on from the last checkpoint. A stretch of τ hours of work and a save of δ hours is
//! expected to take e^(λR)·(e^(λ(τ+δ)) − 1)/λ hours (J. T. Daly, "A higher order estimate of the
//! optimum checkpoint interval for restart dumps", 2006, eq. 20). The tests play it with dice.

/// A job that takes more than this many times its work is said never to finish.
pub const HOPELESS: f64 = 10.0;

/// Hours, all of them, that a plan is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Hours of work.
    pub work: f64,
    /// Hours of work between saves; not above zero means that nothing is saved.
    pub interval: f64,
    /// Hours of one save.
    pub save: f64,
    /// Hours from an interruption until work goes on, waiting for a machine left out.
    pub restart: f64,
}

impl Plan {
    /// Are there saves before the end?
    fn saves(&self) -> bool {
        self.interval > 0.0 && self.interval < self.work
    }

    /// Hours of saving until the end; the save of the result is not among them.
    pub fn saving(&self) -> f64 {
        if self.saves() { self.work / self.interval * self.save } else { 0.0 }
    }

    /// Hours in which nothing new is done because of `rate` interruptions per hour: work done twice,
    /// and restarts. `None` when the job would take more than [`HOPELESS`] times its work.
    pub fn lost(&self, rate: f64) -> Option<f64> {
        let planned = self.work + self.saving();
        if rate <= 0.0 || planned <= 0.0 {
            return Some(0.0);
        }
        let (stretches, each) = if self.saves() {
            (self.work / self.interval, self.interval + self.save)
        } else {
            (1.0, self.work)
        };
        let restarts = 1.0 + grown(rate * self.restart);
        let expected = stretches * restarts * grown(rate * each) / rate;
        (expected <= HOPELESS * planned).then(|| (expected - planned).max(0.0))
    }

    /// Interruptions to reckon with until the end.
    pub fn interruptions(&self, rate: f64) -> Option<f64> {
        Some((self.work + self.saving() + self.lost(rate)?) * rate)
    }
}

/// e^x − 1; by its series where that is exact to thirteen digits, which is most rows of a table.
fn grown(x: f64) -> f64 {
    const EXACT_BELOW: f64 = 0.03;
    if x.abs() > EXACT_BELOW {
        return x.exp_m1();
    }
    let tail = 1.0 + x / 4.0 * (1.0 + x * 0.2 * (1.0 + x / 6.0));
    x * (1.0 + x * 0.5 * (1.0 + x / 3.0 * tail))
}

/// The interval that costs least for saves of `save` hours at `rate` interruptions per hour: Daly's
/// estimate, which is Young's √(2δ/λ) with its next terms. `None` without interruptions or saves.
pub fn best_interval(save: f64, rate: f64) -> Option<f64> {
    if !(save > 0.0 && rate > 0.0) {
        return None;
    }
    let mean = 1.0 / rate;
    if save >= 2.0 * mean {
        return Some(mean);
    }
    let ratio = (save / (2.0 * mean)).sqrt();
    let best = (2.0 * save * mean).sqrt() * (1.0 + ratio / 3.0 + ratio * ratio / 9.0) - save;
    Some(best)
}

/// The highest rate in (0, 1000] per hour at which `cheaper` still holds; `cheaper` must hold below
/// it and fail above. `None` when it holds nowhere; 1000 when it holds everywhere.
pub fn highest_rate(cheaper: impl Fn(f64) -> bool) -> Option<f64> {
    let (mut low, mut high) = (1e-6_f64, 1000.0_f64);
    if !cheaper(low) {
        return None;
    }
    if cheaper(high) {
        return Some(high);
    }
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if cheaper(middle) { low = middle } else { high = middle }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A generator of numbers that repeat (xorshift64*, Vigna 2016).
    struct Dice(u64);

    impl Dice {
        fn exponential(&mut self, rate: f64) -> f64 {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
            -(1.0 - bits as f64 / (1u64 << 53) as f64).ln() / rate
        }
    }

    /// Plays one job, interruption by interruption.
    fn play(plan: &Plan, rate: f64, dice: &mut Dice) -> f64 {
        let (mut clock, mut left) = (0.0, plan.work);
        let mut strike = dice.exponential(rate);
        let mut setting_up = 0.0;
        while left > 1e-9 {
            let saves = plan.interval > 0.0 && plan.interval < plan.work;
            let stretch = if saves { plan.interval.min(left) } else { left };
            let needs = setting_up + stretch + if saves { plan.save } else { 0.0 };
            if strike >= needs {
                clock += needs;
                strike -= needs;
                left -= stretch;
                setting_up = 0.0;
            } else {
                clock += strike;
                strike = dice.exponential(rate);
                setting_up = plan.restart;
            }
        }
        clock
    }

    #[test]
    fn the_formula_agrees_with_dice() {
        let mut dice = Dice(20_261_201);
        let minutes = |m: f64| m / 60.0;
        let cases = [
            (10.0, minutes(30.0), minutes(1.0), minutes(10.0), 0.15),
            (48.0, minutes(60.0), minutes(4.0), minutes(20.0), 0.05),
            (6.0, minutes(15.0), minutes(0.2), minutes(12.0), 0.5),
            (8.0, 0.0, minutes(1.0), minutes(10.0), 0.1),
            (12.0, minutes(120.0), minutes(4.0), minutes(30.0), 0.5),
        ];
        for (work, interval, save, restart, rate) in cases {
            let plan = Plan { work, interval, save, restart };
            let runs = 40_000;
            let mean =
                (0..runs).map(|_| play(&plan, rate, &mut dice)).sum::<f64>() / f64::from(runs);
            let said = work + plan.saving() + plan.lost(rate).unwrap();
            assert!((said / mean - 1.0).abs() < 0.01, "{plan:?}: said {said}, played {mean}");
        }
    }

    /// Without the cost of saving and restarting the form is the textbook's (T/τ)(e^λτ − 1)/λ. Its
    /// values at λ = 0.15 per hour and τ = ½ h, times a price ratio of 0.35, as published in a
    /// table of billed hours: 1.2, 3.8 and 17.6.
    #[test]
    fn a_published_table_comes_out_the_same() {
        for (work, billed) in [(3.3, 1.2), (10.5, 3.8), (48.5, 17.6)] {
            let plan = Plan { work, interval: 0.5, save: 0.0, restart: 0.0 };
            let hours = work + plan.lost(0.15).unwrap();
            assert!((hours * 0.35 - billed).abs() < 0.05, "{hours}");
        }
        // Without checkpoints 48.5 hours of work take 9,600: that is never.
        let none = Plan { work: 48.5, interval: 0.0, save: 0.0, restart: 0.0 };
        assert_eq!(none.lost(0.15), None);
        let short = Plan { work: 10.5, ..none };
        assert!((short.lost(0.15).unwrap() + 10.5 - 8.9 / 0.35).abs() < 0.15);
    }

    #[test]
    fn the_best_interval_is_the_cheapest_one() {
        for (save, rate) in [(0.05, 0.05), (0.05, 0.5), (0.003, 0.15), (0.07, 0.0044)] {
            let best = best_interval(save, rate).unwrap();
            let lost = |interval: f64| {
                let plan = Plan { work: 1000.0, interval, save, restart: 0.2 };
                plan.saving() + plan.lost(rate).unwrap()
            };
            for other in [0.8, 0.9, 1.1, 1.25] {
                assert!(lost(best) < lost(best * other), "{save} {rate} {other}");
            }
        }
        // Young's first term, 2 minutes at 0.5 per hour: about 22 minutes.
        let minutes = best_interval(2.0 / 60.0, 0.5).unwrap() * 60.0;
        assert!((20.0..23.0).contains(&minutes), "{minutes}");
        assert_eq!(best_interval(0.0, 0.5), None);
        assert_eq!(best_interval(0.1, 0.0), None);
    }

    #[test]
    fn the_series_is_the_function() {
        for x in [0.0, 1e-9, 1e-5, 0.001, 0.01, 0.03, 0.031, 0.5] {
            let exact = f64::exp_m1(x);
            assert!((grown(x) - exact).abs() <= 1e-12 * exact, "{x}");
        }
    }

    #[test]
    fn the_highest_rate_is_found() {
        let found = highest_rate(|rate| rate < 0.37).unwrap();
        assert!((found - 0.37).abs() < 1e-6);
        assert_eq!(highest_rate(|_| false), None);
        assert_eq!(highest_rate(|_| true), Some(1000.0));
    }

    proptest! {
        #[test]
        fn more_interruptions_never_cost_less(
            work in 0.1..200.0_f64, interval in 0.05..5.0_f64,
            save in 0.0..0.2_f64, restart in 0.0..1.0_f64, rate in 0.0..0.5_f64,
        ) {
            let plan = Plan { work, interval, save, restart };
            let (low, high) = (plan.lost(rate), plan.lost(rate + 0.1));
            if let (Some(low), Some(high)) = (low, high) {
                prop_assert!(low <= high + 1e-9 && low >= 0.0 && high.is_finite());
            }
            prop_assert!(low.is_some() || high.is_none());
        }
    }
}
