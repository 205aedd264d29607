//! Rate limits: never more requests in any window than a provider documents.

use crate::offer::Provider;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
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

/// Counts requests for each provider, over all fetches of this run.
#[derive(Debug, Default)]
pub(super) struct Limiter {
    used: Mutex<BTreeMap<Provider, Used>>,
}

#[derive(Debug, Default)]
struct Used {
    sent: VecDeque<Instant>,
    blocked_until: Option<Instant>,
}

impl Limiter {
    /// Takes a place if there is one at `now`; otherwise how long until there may be one.
    pub(super) fn take(
        &self,
        provider: Provider,
        limit: RateLimit,
        now: Instant,
    ) -> Result<(), Duration> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let used = used.entry(provider).or_default();
        if let Some(until) = used.blocked_until {
            if until > now {
                return Err(until - now);
            }
            used.blocked_until = None;
        }
        while used.sent.front().is_some_and(|t| *t + limit.window <= now) {
            used.sent.pop_front();
        }
        let full = if used.sent.len() >= limit.requests { used.sent.front() } else { None };
        let full = full.map(|oldest| *oldest + limit.window);
        let close = used.sent.back().map(|latest| *latest + limit.gap);
        match full.max(close) {
            Some(free) if free > now => Err(free - now),
            _ => {
                used.sent.push_back(now);
                Ok(())
            }
        }
    }

    /// The provider itself asked for patience.
    pub(super) fn block(&self, provider: Provider, until: Instant) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let used = used.entry(provider).or_default();
        used.blocked_until = used.blocked_until.max(Some(until));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_eleventh_waits_for_the_first_to_age() {
        let (limiter, start) = (Limiter::default(), Instant::now());
        let limit = RateLimit::per(10, 60);
        for i in 0..10 {
            let now = start + Duration::from_secs(i);
            assert_eq!(limiter.take(Provider::Vast, limit, now), Ok(()));
        }
        let now = start + Duration::from_secs(15);
        assert_eq!(limiter.take(Provider::Vast, limit, now), Err(Duration::from_secs(45)));
        assert_eq!(limiter.take(Provider::Azure, limit, now), Ok(()), "limits are per provider");
        let now = start + Duration::from_mins(1);
        assert_eq!(limiter.take(Provider::Vast, limit, now), Ok(()));
    }

    #[test]
    fn a_provider_that_asks_for_patience_gets_it() {
        let (limiter, start) = (Limiter::default(), Instant::now());
        let limit = RateLimit::per(10, 60);
        limiter.block(Provider::Azure, start + Duration::from_mins(1));
        limiter.block(Provider::Azure, start + Duration::from_secs(2));
        assert_eq!(limiter.take(Provider::Azure, limit, start), Err(Duration::from_mins(1)));
    }

    proptest! {
        #[test]
        fn no_window_ever_holds_more_than_allowed(
            steps in prop::collection::vec(0u64..9000, 1..200),
            requests in 1usize..12,
            gap in 0u64..3000,
        ) {
            let (limiter, mut now) = (Limiter::default(), Instant::now());
            let limit = RateLimit::per(requests, 60).gap(gap);
            let mut sent = Vec::new();
            for step in steps {
                now += Duration::from_millis(step);
                match limiter.take(Provider::Vast, limit, now) {
                    Ok(()) => sent.push(now),
                    Err(wait) => {
                        let later = now + wait;
                        prop_assert!(limiter.take(Provider::Vast, limit, later).is_ok());
                        now = later;
                        sent.push(later);
                    }
                }
            }
            for (i, first) in sent.iter().enumerate() {
                let inside = sent[i..].iter().take_while(|t| **t - *first < limit.window).count();
                prop_assert!(inside <= requests);
                if let Some(next) = sent.get(i + 1) {
                    prop_assert!(*next - *first >= limit.gap);
                }
            }
        }
    }
}
