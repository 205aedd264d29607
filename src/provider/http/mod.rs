//! HTTP for the providers: TLS only (plain `http` to this machine alone), keys in headers of their
//! own provider's host alone, limits on time, size, pace and number of requests, and errors in words
//! that hold no key and no foreign control character.
//!
//! Redirects to other hosts are refused. Failures that may pass (no connection, 429, 5xx) are tried
//! again with doubling, jittered waits; what a provider asks for in `Retry-After` is kept.

mod address;
mod answer;
mod call;
mod client;
mod limiter;
mod memory;
mod played;
mod stream;

pub use address::Address;
pub use call::{Body, Call, Caller};
pub use client::{Http, HttpOptions};
pub use limiter::{Asked, RateLimit, RequestLog};
pub use stream::Stream;

use super::FetchError;
use crate::offer::Text;

/// What a JSON reader could not read, in words.
pub fn unreadable(error: &serde_json::Error) -> FetchError {
    FetchError::Unreadable(Text::new(&error.to_string()).to_string())
}
