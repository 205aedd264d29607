//! Rate limits: never more requests in any window than a provider documents.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

/// What a provider allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// So many requests …
    pub requests: usize,
    /// … in any span of this length.
    pub window: Duration,
    /// Shortest time between two requests.
    pub gap: Duration,
}

impl RateLimit {
    /// `requests` in any `seconds`.
    pub const fn per(requests: usize, seconds: u64) -> Self {
        Self { requests, window: Duration::from_secs(seconds), gap: Duration::ZERO }
    }

    /// The same, with `milliseconds` between two requests.
    pub const fn gap(self, milliseconds: u64) -> Self {
        Self { gap: Duration::from_millis(milliseconds), ..self }
    }
}

/// What was asked of one host, and when: milliseconds on any one clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// When requests went out, the oldest first.
    #[serde(default)]
    sent: VecDeque<i64>,
    /// Until when the provider itself asked for patience.
    #[serde(default)]
    blocked_until: Option<i64>,
}

impl Asked {
    /// Takes a place if there is one at `now`; otherwise how long until there may be one.
    ///
    /// # Errors
    /// The wait.
    pub fn take(&mut self, limit: RateLimit, now: i64) -> Result<(), Duration> {
        if let Some(until) = self.blocked_until {
            if until > now {
                return Err(span(until - now));
            }
            self.blocked_until = None;
        }
        let (window, gap) = (milliseconds(limit.window), milliseconds(limit.gap));
        self.forget(now.saturating_sub(window));
        let full = if self.sent.len() >= limit.requests { self.sent.front() } else { None };
        let full = full.map(|oldest| oldest.saturating_add(window));
        let close = self.sent.back().map(|latest| latest.saturating_add(gap));
        match full.max(close) {
            Some(free) if free > now => Err(span(free - now)),
            _ => {
                self.sent.push_back(now);
                Ok(())
            }
        }
    }

    /// The provider itself asked for patience.
    pub fn block(&mut self, until: i64) {
        self.blocked_until = self.blocked_until.max(Some(until));
    }

    /// Forgets the requests of `until` and before. True if nothing is left to remember.
    pub fn forget(&mut self, until: i64) -> bool {
        while self.sent.front().is_some_and(|t| *t <= until) {
            self.sent.pop_front();
        }
        self.sent.is_empty() && self.blocked_until.is_none_or(|b| b <= until)
    }

    /// Forgets what a clock that has been set back since would hold for the future, and more patience
    /// than `longest`.
    pub fn mend(&mut self, now: i64, longest: Duration) {
        self.sent.retain(|t| *t <= now);
        self.sent.make_contiguous().sort_unstable();
        let most = now.saturating_add(milliseconds(longest));
        self.blocked_until = self.blocked_until.map(|until| until.min(most));
    }
}

/// Whole milliseconds, rounded up.
fn milliseconds(span: Duration) -> i64 {
    i64::try_from(span.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX)
}

fn span(milliseconds: i64) -> Duration {
    Duration::from_millis(milliseconds.max(0).unsigned_abs())
}

/// Keeps count of requests beyond this run, and together with other runs on this machine.
pub trait RequestLog: fmt::Debug + Send + Sync {
    /// As [`Asked::take`], now, for the host `whom`. May wait for a file.
    ///
    /// # Errors
    /// The wait.
    fn take(&self, whom: &str, limit: RateLimit) -> Result<(), Duration>;

    /// As [`Asked::block`]: `whom` asked for patience of so long.
    fn block(&self, whom: &str, patience: Duration);
}

/// Counts requests for each host, over all fetches of this run, or of all runs where there is a log.
#[derive(Debug)]
pub(super) struct Limiter {
    begun: Instant,
    asked: Mutex<BTreeMap<String, Asked>>,
    log: Option<Arc<dyn RequestLog>>,
}

impl Limiter {
    pub(super) fn new(log: Option<Arc<dyn RequestLog>>) -> Limiter {
        Limiter { begun: Instant::now(), asked: Mutex::default(), log }
    }

    /// Takes a place if there is one now; otherwise how long until there may be one.
    pub(super) async fn take(&self, whom: &str, limit: RateLimit) -> Result<(), Duration> {
        let Some(log) = &self.log else {
            return self.change(whom, |asked, now| asked.take(limit, now));
        };
        let (log, name) = (Arc::clone(log), whom.to_owned());
        let taken = spawn_blocking(move || log.take(&name, limit)).await;
        taken.unwrap_or_else(|_| self.change(whom, |asked, now| asked.take(limit, now)))
    }

    /// The provider itself asked for patience.
    pub(super) async fn block(&self, whom: &str, patience: Duration) {
        match &self.log {
            None => self.change(whom, |asked, now| {
                asked.block(now.saturating_add(milliseconds(patience)));
            }),
            Some(log) => {
                let (log, whom) = (Arc::clone(log), whom.to_owned());
                // What cannot be noted is asked again by the provider.
                let _ = spawn_blocking(move || log.block(&whom, patience)).await;
            }
        }
    }

    fn change<T>(&self, whom: &str, change: impl FnOnce(&mut Asked, i64) -> T) -> T {
        let now = i64::try_from(self.begun.elapsed().as_millis()).unwrap_or(i64::MAX);
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        change(asked.entry(whom.to_owned()).or_default(), now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMIT: RateLimit = RateLimit::per(10, 60);

    #[test]
    fn the_eleventh_waits_for_the_first_to_age() {
        let mut asked = Asked::default();
        for second in 0..10 {
            assert_eq!(asked.take(LIMIT, second * 1000), Ok(()));
        }
        assert_eq!(asked.take(LIMIT, 15_000), Err(Duration::from_secs(45)));
        assert_eq!(asked.take(LIMIT, 60_000), Ok(()));
    }

    #[test]
    fn a_provider_that_asks_for_patience_gets_it() {
        let mut asked = Asked::default();
        asked.block(60_000);
        asked.block(2000);
        assert_eq!(asked.take(LIMIT, 0), Err(Duration::from_mins(1)));
        assert_eq!(asked.take(LIMIT, 60_000), Ok(()));
    }

    #[test]
    fn a_clock_that_was_set_back_locks_nobody_out() {
        let mut asked = Asked::default();
        for second in 0..10 {
            assert_eq!(asked.take(LIMIT, 9_000_000 + second), Ok(()));
        }
        asked.block(i64::MAX);
        asked.mend(1000, Duration::from_mins(5));
        assert_eq!(asked.take(LIMIT, 1000), Err(Duration::from_mins(5)));
        assert_eq!(asked.take(LIMIT, 301_000), Ok(()));
    }

    #[tokio::test]
    async fn hosts_are_counted_apart() {
        let limiter = Limiter::new(None);
        for _ in 0..10 {
            assert_eq!(limiter.take("vast a", LIMIT).await, Ok(()));
        }
        assert!(limiter.take("vast a", LIMIT).await.is_err());
        assert_eq!(limiter.take("vast b", LIMIT).await, Ok(()));
        limiter.block("vast b", Duration::from_hours(1)).await;
        assert!(limiter.take("vast b", LIMIT).await.is_err());
    }

    proptest! {
        #[test]
        fn no_window_ever_holds_more_than_allowed(
            steps in prop::collection::vec(0i64..9000, 1..200),
            requests in 1usize..12,
            gap in 0u64..3000,
        ) {
            let (mut asked, mut now) = (Asked::default(), 0);
            let limit = RateLimit::per(requests, 60).gap(gap);
            let mut sent = Vec::new();
            for step in steps {
                now += step;
                if let Err(wait) = asked.take(limit, now) {
                    now += milliseconds(wait);
                    prop_assert!(asked.take(limit, now).is_ok());
                }
                sent.push(now);
            }
            for (i, first) in sent.iter().enumerate() {
                let inside = sent[i..].iter().take_while(|t| **t - *first < 60_000).count();
                prop_assert!(inside <= requests);
                if let Some(next) = sent.get(i + 1) {
                    prop_assert!(next - first >= gap.cast_signed());
                }
            }
        }
    }
}
