//! Answers that are made up instead of fetched, so that a source can be fuzzed and replayed whole:
//! every endpoint, every page, every limit, and no socket.

use reqwest::{Response, Url};
use std::fmt;
use std::sync::Arc;

/// What the network would have said to a request: address, body of a post; status, body.
type Play = dyn Fn(&str, Option<&str>) -> (u16, Vec<u8>) + Send + Sync;

/// Stands in for the network.
#[derive(Clone)]
pub(super) struct Player(Arc<Play>);

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Player")
    }
}

impl Player {
    pub(super) fn new(
        play: impl Fn(&str, Option<&str>) -> (u16, Vec<u8>) + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(play))
    }

    /// The answer to one request.
    pub(super) fn answer(&self, url: &Url, body: Option<&str>) -> Response {
        let (status, bytes) = (self.0)(url.as_str(), body);
        let mut answer = ::http::Response::new(bytes);
        *answer.status_mut() = ::http::StatusCode::from_u16(status).unwrap_or_default();
        answer.into()
    }
}
