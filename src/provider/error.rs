//! Why a fetch failed, in one line that a person can act upon.

use crate::offer::Text;
use thiserror::Error;

/// Why a fetch failed. The text never holds a key, and foreign text in it has been cleaned.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FetchError {
    /// The provider wants a key that we do not have.
    #[error("needs a key: set {0}")]
    NeedsKey(&'static str),
    /// The provider refuses the key that we have.
    #[error("refuses the key in {variable} (HTTP {status})")]
    BadKey {
        /// Where the key came from.
        variable: &'static str,
        /// What it answered.
        status: u16,
    },
    /// Too many requests.
    #[error("rate limit{}", .retry_after_seconds.map(|s| format!(": wait {s} s")).unwrap_or_default())]
    RateLimited {
        /// What it asked for.
        retry_after_seconds: Option<u64>,
    },
    /// Another status than success.
    #[error("answers HTTP {status}{}", if .detail.is_empty() { String::new() } else { format!(": {}", .detail) })]
    Status {
        /// The status.
        status: u16,
        /// The provider's own words, cleaned and short.
        detail: String,
    },
    /// No connection, or it broke.
    #[error("no connection: {0}")]
    Network(String),
    /// Nothing came in time.
    #[error("no answer within {0} s")]
    Timeout(u64),
    /// The answer is not what this provider sends.
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
    /// A web page where data should be: a captive portal, or maintenance.
    #[error("sent a web page instead of data (captive portal or maintenance)")]
    WebPage,
    /// The answer is larger than any true one.
    #[error("the answer is larger than {0} MB; refused")]
    TooLarge(u64),
    /// It sends us elsewhere.
    #[error("redirects to another host; refused")]
    Redirected,
    /// The base address cannot be used.
    #[error("the address {0} cannot be used: {1}")]
    BadAddress(String, &'static str),
    /// Paging does not end.
    #[error("pages without end; stopped after {0}")]
    Endless(usize),
    /// More rows than any market has.
    #[error("sends more than {0} offers; stopped there")]
    TooManyRows(usize),
    /// The answer holds no offers.
    #[error("the answer holds no offers")]
    Empty,
    /// The answer met a fault of our own, which cost this fetch and nothing else.
    #[error("haggle stumbled over the answer ({0}); please report it")]
    Fault(String),
}

impl FetchError {
    /// What a panic said, made harmless.
    pub(super) fn fault(panic: &(dyn std::any::Any + Send)) -> FetchError {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        FetchError::Fault(Text::new(said).to_string())
    }

    /// Is the fault haggle's own?
    pub fn is_our_fault(&self) -> bool {
        matches!(self, FetchError::Fault(_))
    }

    /// Nobody listens to this fetch any more; it stops.
    pub fn unheard() -> FetchError {
        FetchError::Network("the fetch was given up".to_string())
    }
}
