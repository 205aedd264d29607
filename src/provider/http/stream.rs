//! An answer's body as it comes: never more bytes than allowed, never slower than allowed.

use super::answer::is_web_page;
use super::client::network;
use crate::provider::FetchError;
use reqwest::Response;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tokio_util::bytes::{Bytes, BytesMut};

/// What a body may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes, decompressed.
    pub(super) most: u64,
    /// Time before its pace is looked at.
    pub(super) grace: Duration,
    /// Time in all.
    pub(super) total: Duration,
}

/// A body that is being read. Compressed bodies are unfolded piece by piece, so that one which
/// unfolds without end is noticed at the limit and not held in memory.
#[derive(Debug)]
pub struct Stream {
    response: Response,
    limits: Limits,
    first: Option<Bytes>,
    seen: u64,
    waited: Duration,
}

impl Stream {
    /// Begins to read, and refuses a web page where data should be.
    pub(super) async fn open(response: Response, limits: Limits) -> Result<Stream, FetchError> {
        let mut stream = Stream::raw(response, limits);
        let first = stream.chunk().await?;
        let start = first.as_deref().unwrap_or_default();
        if is_web_page(stream.response.headers(), start) {
            return Err(FetchError::WebPage);
        }
        stream.first = first;
        Ok(stream)
    }

    /// A body of which nothing is expected.
    pub(super) fn raw(response: Response, limits: Limits) -> Stream {
        Stream { response, limits, first: None, seen: 0, waited: Duration::ZERO }
    }

    /// The next piece; `None` at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let earned = Duration::from_secs_f64(self.seen as f64 / super::HttpOptions::PACE);
        let allowed = (self.limits.grace + earned).min(self.limits.total);
        let began = Instant::now();
        let next = timeout(allowed.saturating_sub(self.waited), self.response.chunk()).await;
        self.waited += began.elapsed();
        let Ok(next) = next else {
            return Err(FetchError::Timeout(allowed.as_secs_f64().ceil() as u64));
        };
        let chunk = next.map_err(|e| network(&e))?;
        self.seen += chunk.as_ref().map_or(0, |c| c.len() as u64);
        if self.seen > self.limits.most {
            return Err(FetchError::TooLarge(self.limits.most.div_ceil(1_000_000)));
        }
        Ok(chunk)
    }

    /// All that is left.
    pub(super) async fn rest(mut self) -> Result<Bytes, FetchError> {
        let mut whole = BytesMut::new();
        while let Some(chunk) = self.chunk().await? {
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.freeze())
    }

    /// As much as the limits allow, and no error.
    pub(super) async fn at_most(mut self) -> Bytes {
        let mut whole = BytesMut::new();
        while let Ok(Some(chunk)) = self.chunk().await {
            whole.extend_from_slice(&chunk);
        }
        whole.freeze()
    }
}
