//! One request: built, sent when the rate limit allows, tried again where that makes sense.

use super::address::{is_loopback, same_origin};
use super::answer::{is_used_up, patience, status_error};
use super::client::{Http, network};
use super::limiter::RateLimit;
use super::memory::Kept;
use super::stream::Stream;
use crate::provider::{ApiKey, FetchError, Progress, Sink};
use crate::units::UnixSeconds;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, LAST_MODIFIED, LOCATION,
};
use reqwest::{Response, StatusCode, Url};
use secrecy::ExposeSecret;
use secrecy::zeroize::Zeroizing;
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::bytes::Bytes;

/// Redirects within one host that are followed.
const HOPS: usize = 3;
/// Time that the words of an error may take.
const ERROR_TIME: Duration = Duration::from_secs(3);
/// Bytes of an error's body that are looked at.
const ERROR_BYTES: u64 = 16 << 10;
/// Megabytes that an answer may hold unless the source says otherwise.
const MOST_MB: u64 = 32;

/// Who calls: for limits, for errors, and to say that we wait.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Who is asked, as the log of requests names it.
    pub name: &'static str,
    /// What it allows.
    pub limit: RateLimit,
    /// Where a key would come from.
    pub key_variable: Option<&'static str>,
    /// Who is told about waiting, and what time it was when.
    pub listener: Option<(Sink, UnixSeconds, Instant)>,
}

/// A request to be sent.
#[derive(Debug)]
pub struct Call<'a> {
    http: &'a Http,
    caller: &'a Caller,
    url: Url,
    body: Option<String>,
    key: Option<&'a ApiKey>,
    most_mb: u64,
    patience: Duration,
    grace: Duration,
    rows_so_far: usize,
    remembered: bool,
}

/// A whole answer.
#[derive(Clone, Debug)]
pub struct Body {
    /// The decompressed bytes.
    pub bytes: Bytes,
    /// Not the same as last time, as far as the provider says.
    pub fresh: bool,
    /// The provider's `Last-Modified`.
    pub last_modified: Option<String>,
}

/// What one attempt brought.
enum Attempt {
    Answer(Box<Response>),
    Unchanged,
}

impl<'a> Call<'a> {
    pub(crate) fn new(http: &'a Http, caller: &'a Caller, url: Url) -> Self {
        Self {
            http,
            caller,
            url,
            body: None,
            key: None,
            most_mb: MOST_MB,
            patience: http.inner.options.patience,
            grace: http.inner.options.grace,
            rows_so_far: 0,
            remembered: false,
        }
    }

    /// Adds to the query part of the address.
    pub fn query(mut self, pairs: &[(&str, &str)]) -> Self {
        self.url.query_pairs_mut().extend_pairs(pairs);
        self
    }

    /// Posts JSON instead of getting. Only for requests that change nothing, as they are repeated.
    pub fn post(mut self, json: String) -> Self {
        self.body = Some(json);
        self
    }

    /// Sends the key along, as a bearer token in a header.
    pub fn key(mut self, key: Option<&'a ApiKey>) -> Self {
        self.key = key;
        self
    }

    /// Megabytes (decompressed) that the answer may hold.
    pub fn most_mb(mut self, most: u64) -> Self {
        self.most_mb = most;
        self
    }

    /// Longest wait for the rate limit; where more is needed, [`FetchError::RateLimited`].
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Time for the answer to begin, in multiples of the usual: for answers that take long to make.
    pub fn slow(mut self, factor: u32) -> Self {
        self.grace = self.http.inner.options.grace * factor;
        self
    }

    /// Rows that the fetch has brought so far, for the status line while this request waits.
    pub fn rows_so_far(mut self, rows: usize) -> Self {
        self.rows_so_far = rows;
        self
    }

    /// Keeps the answer with its validators and asks for changes only, next time.
    pub fn remembered(mut self) -> Self {
        self.remembered = true;
        self
    }

    /// Sends it and hands over the answer as it comes.
    pub async fn open(mut self) -> Result<Stream, FetchError> {
        let mut tried = 1;
        loop {
            let error = match self.attempt(None).await {
                Ok(Attempt::Answer(response)) => {
                    return Stream::open(*response, self.limits()).await;
                }
                Ok(Attempt::Unchanged) => return Err(unasked_304()),
                Err(error) => error,
            };
            self.back_off(error, &mut tried).await?;
        }
    }

    /// The answer that was kept the last time ([`Call::remembered`]).
    pub fn kept(&self) -> Option<Body> {
        let Kept { body, last_modified, .. } = self.http.inner.memory.get(self.url.as_str())?;
        Some(Body { bytes: body, fresh: false, last_modified })
    }

    /// Sends it and reads the whole answer.
    pub async fn body(mut self) -> Result<Body, FetchError> {
        let address = self.url.to_string();
        let kept = if self.remembered { self.http.inner.memory.get(&address) } else { None };
        let mut tried = 1;
        loop {
            let error = match self.attempt(kept.as_ref()).await {
                Ok(Attempt::Unchanged) => {
                    let Kept { body, last_modified, .. } = kept.ok_or_else(unasked_304)?;
                    return Ok(Body { bytes: body, fresh: false, last_modified });
                }
                Ok(Attempt::Answer(response)) => match self.read(*response, &address).await {
                    Ok(body) => return Ok(body),
                    Err(error) => error,
                },
                Err(error) => error,
            };
            self.back_off(error, &mut tried).await?;
        }
    }

    /// Sends it and reads the whole answer as JSON.
    pub async fn json<T: DeserializeOwned>(self) -> Result<T, FetchError> {
        let body = self.body().await?;
        serde_json::from_slice(&body.bytes).map_err(|e| super::unreadable(&e))
    }

    /// Sends it and reads the whole answer as text.
    pub async fn text(self) -> Result<String, FetchError> {
        let body = self.body().await?;
        String::from_utf8(body.bytes.to_vec())
            .map_err(|_| FetchError::Unreadable("it is not UTF-8 text".to_string()))
    }

    async fn read(&self, response: Response, address: &str) -> Result<Body, FetchError> {
        let etag = header(response.headers(), ETAG.as_str());
        let last_modified = header(response.headers(), LAST_MODIFIED.as_str());
        let bytes = Stream::open(response, self.limits()).await?.rest().await?;
        if self.remembered {
            let kept = Kept { etag, last_modified: last_modified.clone(), body: bytes.clone() };
            self.http.inner.memory.put(address, kept);
        }
        Ok(Body { bytes, fresh: true, last_modified })
    }

    fn limits(&self) -> super::stream::Limits {
        let options = &self.http.inner.options;
        super::stream::Limits {
            most: self.most_mb * 1_000_000,
            grace: self.grace,
            total: options.total,
        }
    }

    /// One attempt, with redirects inside the host followed.
    async fn attempt(&mut self, kept: Option<&Kept>) -> Result<Attempt, FetchError> {
        let mut url = self.url.clone();
        for _ in 0..=HOPS {
            self.take_place().await?;
            let sent = Instant::now();
            let response = self.send(url.clone(), kept).await;
            self.tell(&url, &response, sent);
            let response = response?;
            let status = response.status();
            if is_used_up(response.headers()) {
                let wait = patience(response.headers()).unwrap_or(self.caller.limit.window);
                self.block(wait).await;
            }
            if status == StatusCode::NOT_MODIFIED {
                return Ok(Attempt::Unchanged);
            }
            if status.is_success() {
                return Ok(Attempt::Answer(Box::new(response)));
            }
            if !status.is_redirection() {
                return Err(self.refusal(response).await);
            }
            url = self.next_hop(&url, &response)?;
        }
        Err(FetchError::Redirected)
    }

    /// One line for the log: where to and how it went; neither query nor key nor body.
    fn tell(&self, url: &Url, response: &Result<Response, FetchError>, sent: Instant) {
        let method = if self.body.is_some() { "POST" } else { "GET" };
        let (host, path) = (url.host_str().unwrap_or_default(), url.path());
        let milliseconds = sent.elapsed().as_millis();
        match response {
            Ok(response) => {
                let status = response.status().as_u16();
                tracing::debug!("{method} {host}{path}: {status}, {milliseconds} ms");
            }
            Err(e) => tracing::debug!("{method} {host}{path}: {e}, {milliseconds} ms"),
        }
    }

    /// Where a redirect leads, if it may be followed: to the same host, and without a body to lose.
    fn next_hop(&self, from: &Url, response: &Response) -> Result<Url, FetchError> {
        let to = header(response.headers(), LOCATION.as_str()).and_then(|l| from.join(&l).ok());
        match to {
            Some(to) if !same_origin(from, &to) => Err(FetchError::Redirected),
            Some(to) if self.body.is_none() => Ok(to),
            _ => Err(FetchError::Status {
                status: response.status().as_u16(),
                detail: "redirects to another path; is the base address right?".to_string(),
            }),
        }
    }

    async fn send(&self, url: Url, kept: Option<&Kept>) -> Result<Response, FetchError> {
        let inner = &self.http.inner;
        if let Some(player) = &inner.player {
            return Ok(player.answer(&url, self.body.as_deref()));
        }
        let plain_loopback = url.scheme() == "http" && is_loopback(&url);
        let client = inner.client(plain_loopback)?;
        let mut request = match &self.body {
            Some(body) => {
                client.post(url).header(CONTENT_TYPE, "application/json").body(body.clone())
            }
            None => client.get(url),
        };
        request = request.header(ACCEPT, "*/*");
        if let Some(key) = self.key {
            let text = Zeroizing::new(format!("Bearer {}", key.secret.expose_secret()));
            let mut value = HeaderValue::from_str(&text)
                .map_err(|_| FetchError::BadKey { variable: key.variable, status: 0 })?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        if let Some(kept) = kept {
            if let Some(etag) = &kept.etag {
                request = request.header(IF_NONE_MATCH, etag);
            }
            if let Some(date) = &kept.last_modified {
                request = request.header(IF_MODIFIED_SINCE, date);
            }
        }
        match timeout(self.grace, request.send()).await {
            Err(_) => Err(FetchError::Timeout(whole_seconds(self.grace))),
            Ok(Err(e)) if e.is_timeout() => {
                Err(FetchError::Timeout(whole_seconds(inner.options.connect)))
            }
            Ok(result) => result.map_err(|e| network(&e)),
        }
    }

    /// The error that a refusal means, with the provider's own words.
    async fn refusal(&self, response: Response) -> FetchError {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let limits =
            super::stream::Limits { most: ERROR_BYTES, grace: ERROR_TIME, total: ERROR_TIME };
        let body = Stream::raw(response, limits).at_most().await;
        // Before anything is cut short: half a key would not be recognised.
        let body = self.hidden(&String::from_utf8_lossy(&body));
        if status == 429 {
            self.block(patience(&headers).unwrap_or(Duration::from_secs(1))).await;
        }
        match (status, self.key, self.caller.key_variable) {
            (401 | 403, Some(key), _) => FetchError::BadKey { variable: key.variable, status },
            (401, None, Some(variable)) => FetchError::NeedsKey(variable),
            _ => status_error(status, &headers, body.as_bytes()),
        }
    }

    /// Whose limit counts: the provider's, at the host that is asked.
    fn whom(&self) -> String {
        let (host, port) = (self.url.host_str().unwrap_or_default(), self.url.port());
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        format!("{} {host}{port}", self.caller.name)
    }

    async fn block(&self, wait: Duration) {
        self.http.inner.limiter.block(&self.whom(), wait).await;
    }

    /// Waits until the rate limit has a place, as long as patience lasts.
    async fn take_place(&self) -> Result<(), FetchError> {
        let (mut waited, whom) = (Duration::ZERO, self.whom());
        loop {
            let Err(wait) = self.http.inner.limiter.take(&whom, self.caller.limit).await else {
                return Ok(());
            };
            waited += wait;
            if waited > self.patience {
                return Err(FetchError::RateLimited {
                    retry_after_seconds: Some(whole_seconds(wait)),
                });
            }
            self.pause(wait).await;
        }
    }

    /// Waits before the next try, or gives `error` back when there shall be none.
    async fn back_off(&self, error: FetchError, tried: &mut u32) -> Result<(), FetchError> {
        let options = &self.http.inner.options;
        let error = self.without_key(error);
        let again = match &error {
            FetchError::Network(_) => true,
            FetchError::RateLimited { retry_after_seconds } => {
                retry_after_seconds.is_none_or(|s| Duration::from_secs(s) <= self.patience)
            }
            FetchError::Status { status, .. } => matches!(status, 500 | 502 | 503 | 504),
            _ => false,
        };
        if !again || *tried >= options.tries {
            return Err(error);
        }
        let step = options.backoff * 2u32.saturating_pow(*tried - 1);
        *tried += 1;
        self.pause(step.mul_f64(0.5 + 0.5 * (options.random)().clamp(0.0, 1.0))).await;
        Ok(())
    }

    /// Some services repeat the key in what they say about it; we do not.
    fn without_key(&self, error: FetchError) -> FetchError {
        match error {
            FetchError::Status { status, detail } => {
                FetchError::Status { status, detail: self.hidden(&detail) }
            }
            FetchError::Unreadable(words) => FetchError::Unreadable(self.hidden(&words)),
            FetchError::Network(words) => FetchError::Network(self.hidden(&words)),
            other => other,
        }
    }

    fn hidden(&self, words: &str) -> String {
        match self.key {
            Some(key) => words.replace(key.secret.expose_secret(), "(the key)"),
            None => words.to_owned(),
        }
    }

    async fn pause(&self, wait: Duration) {
        if let Some((sink, began, at)) = &self.caller.listener {
            let until = began.0 + whole_seconds(at.elapsed() + wait).cast_signed();
            let progress = Progress {
                rows: self.rows_so_far,
                total: None,
                waiting_until: Some(UnixSeconds(until)),
            };
            sink.progress(progress).await;
        }
        sleep(wait).await;
    }
}

fn unasked_304() -> FetchError {
    FetchError::Status { status: 304, detail: "unchanged, though nothing was kept".to_string() }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_string())
}

/// Seconds, rounded up.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs_f64().ceil() as u64
}
