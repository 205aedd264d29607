//! The client that all providers share: encryption, proxies, deadlines, limits.

use super::limiter::{Limiter, RequestLog};
use super::memory::Memory;
use super::played::Player;
use crate::offer::Text;
use crate::provider::FetchError;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use std::error::Error as _;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How haggle names itself to providers.
const USER_AGENT: &str = concat!("haggle/", env!("CARGO_PKG_VERSION"));

/// Patience and its limits.
#[derive(Clone, Copy, Debug)]
pub struct HttpOptions {
    /// For a connection to stand.
    pub connect: Duration,
    /// For an answer to begin, and for it to get going: a body may then take as long as it comes at
    /// [`HttpOptions::PACE`] or faster.
    pub grace: Duration,
    /// For one request as a whole.
    pub total: Duration,
    /// How often a request is tried, the first time included.
    pub tries: u32,
    /// Wait before the second try; doubled before each further one, and spread at random between
    /// half and the whole of it.
    pub backoff: Duration,
    /// Longest wait for a rate limit or a retry; where more is asked, the request fails.
    pub patience: Duration,
    /// Random numbers from 0 to 1.
    pub random: fn() -> f64,
}

impl HttpOptions {
    /// Bytes per second below which an answer counts as stuck.
    pub const PACE: f64 = 2000.0;
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(6),
            grace: Duration::from_secs(12),
            total: Duration::from_mins(2),
            tries: 3,
            backoff: Duration::from_secs(1),
            patience: Duration::from_secs(5),
            random: random_share,
        }
    }
}

/// A number from 0 to 1 out of the standard library's random hash keys.
fn random_share() -> f64 {
    let bits = RandomState::new().build_hasher().finish();
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// The shared client. Cloning it is cheap; clones share connections, rate limits and kept answers.
#[derive(Clone, Debug)]
pub struct Http {
    pub(super) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(super) struct Inner {
    /// Made when the first request needs it: reading this machine's root certificates takes longer
    /// than a first frame.
    outer: OnceLock<Result<Client, FetchError>>,
    local: OnceLock<Result<Client, FetchError>>,
    pub(super) options: HttpOptions,
    pub(super) limiter: Limiter,
    pub(super) memory: Memory,
    pub(super) player: Option<Player>,
}

impl Http {
    /// A client. What cannot be set up (no root certificates on this machine) is said by each
    /// request that needs it.
    pub fn new(options: HttpOptions) -> Http {
        Http::with(options, None, None)
    }

    /// A client whose requests are counted in `log`, together with those of other runs.
    pub fn logged(options: HttpOptions, log: Arc<dyn RequestLog>) -> Http {
        Http::with(options, Some(log), None)
    }

    fn with(
        options: HttpOptions,
        log: Option<Arc<dyn RequestLog>>,
        player: Option<Player>,
    ) -> Http {
        let inner = Inner {
            outer: OnceLock::new(),
            local: OnceLock::new(),
            options,
            limiter: Limiter::new(log),
            memory: Memory::default(),
            player,
        };
        Http { inner: Arc::new(inner) }
    }

    /// A client to whom `play` answers instead of the network: to an address and the body of a post
    /// with a status and a body. For fuzzing and replays.
    pub fn played(
        options: HttpOptions,
        play: impl Fn(&str, Option<&str>) -> (u16, Vec<u8>) + Send + Sync + 'static,
    ) -> Http {
        Http::with(options, None, Some(Player::new(play)))
    }

    /// Is `version` the one of `what` that was taken last in this run?
    pub fn is_known(&self, what: &str, version: &str) -> bool {
        self.inner.memory.is_known(what, version)
    }

    /// What was noted about `what` in this run.
    pub fn known(&self, what: &str) -> Option<String> {
        self.inner.memory.known(what)
    }

    /// Notes that `version` of `what` was taken.
    pub fn know(&self, what: &str, version: &str) {
        self.inner.memory.know(what, version);
    }
}

impl Inner {
    pub(super) fn client(&self, loopback_plain: bool) -> Result<&Client, FetchError> {
        let client = if loopback_plain {
            // Requests to this machine itself never go through a proxy: it would see the keys.
            self.local.get_or_init(|| built(self.builder().no_proxy().tls_certs_only([])))
        } else {
            self.outer.get_or_init(|| built(self.builder().https_only(true)))
        };
        client.as_ref().map_err(Clone::clone)
    }

    fn builder(&self) -> ClientBuilder {
        // The first to come installs it; a second attempt fails and changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        ClientBuilder::new()
            .user_agent(USER_AGENT)
            .connect_timeout(self.options.connect)
            .redirect(Policy::none())
            .referer(false)
            .pool_idle_timeout(Duration::from_secs(30))
    }
}

fn built(builder: ClientBuilder) -> Result<Client, FetchError> {
    builder.build().map_err(|e| network(&e))
}

/// A failure below HTTP, in words without the address (which might hold what is not ours to show).
pub(super) fn network(error: &reqwest::Error) -> FetchError {
    let mut words = String::new();
    let mut cause: Option<&dyn std::error::Error> = error.source();
    while let Some(inner) = cause {
        words = inner.to_string();
        cause = inner.source();
    }
    let what = if error.is_connect() {
        "cannot connect"
    } else if error.is_builder() {
        "cannot be set up"
    } else if error.is_body() || error.is_decode() {
        "the answer broke off"
    } else {
        "the connection broke"
    };
    let words = Text::new(&words);
    let line = if words.is_empty() { what.to_string() } else { format!("{what} ({words})") };
    FetchError::Network(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_shares_lie_between_nought_and_one_and_differ() {
        let shares: Vec<f64> = (0..100).map(|_| random_share()).collect();
        assert!(shares.iter().all(|s| (0.0..1.0).contains(s)));
        assert!(shares.iter().any(|s| *s != shares[0]));
    }
}
