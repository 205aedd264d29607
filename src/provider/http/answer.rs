//! What an answer says about itself: its status as an error, patience that it asks for, whether it
//! is a web page.

use crate::offer::Text;
use crate::provider::FetchError;
use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;
use std::time::Duration;

/// Longest detail that is shown of a provider's own words.
const DETAIL: usize = 160;

/// Names of headers that say how long to wait, in seconds.
const PATIENCE: [&str; 3] =
    ["x-ms-ratelimit-retailprices-retry-after", "x-ratelimit-reset-after", "ratelimit-reset"];
/// Names of headers that say how many requests are left.
const REMAINING: [&str; 3] = [
    "x-ms-ratelimit-remaining-retailprices-requests",
    "x-ratelimit-remaining",
    "ratelimit-remaining",
];

/// How long the answer asks us to wait: `Retry-After` in seconds or as a date (against the answer's
/// own `Date`), or what the providers use instead of it.
pub(super) fn patience(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(wait) = text(RETRY_AFTER.as_str()) {
        if let Ok(seconds) = wait.parse::<f64>() {
            return seconds_of(seconds);
        }
        let moment = |value: &str| jiff::fmt::rfc2822::parse(value).ok().map(|z| z.timestamp());
        if let (Some(until), Some(now)) = (moment(wait), text(DATE.as_str()).and_then(moment)) {
            return seconds_of(until.duration_since(now).as_secs_f64().max(0.0));
        }
    }
    PATIENCE.iter().find_map(|name| text(name)?.parse::<f64>().ok().and_then(seconds_of))
}

/// A day at most, so that a mad header cannot block a provider for ever.
fn seconds_of(seconds: f64) -> Option<Duration> {
    (seconds.is_finite() && seconds >= 0.0).then(|| Duration::from_secs_f64(seconds.min(86_400.0)))
}

/// Does the answer say that no request is left in its window?
pub(super) fn is_used_up(headers: &HeaderMap) -> bool {
    let left = |name: &&str| headers.get(*name)?.to_str().ok()?.trim().parse::<u64>().ok();
    REMAINING.iter().find_map(left) == Some(0)
}

/// Is it a web page?
pub(super) fn is_web_page(headers: &HeaderMap, start: &[u8]) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    if kind.trim_start().to_ascii_lowercase().starts_with("text/html") {
        return true;
    }
    let start = start.trim_ascii_start();
    let begins =
        |mark: &[u8]| start.get(..mark.len()).is_some_and(|s| s.eq_ignore_ascii_case(mark));
    begins(b"<!doctype html") || begins(b"<html")
}

/// The provider's own words in an error's body, cleaned and short. JSON and XML are looked through
/// for the member that holds the message; web pages say nothing.
pub(super) fn detail(headers: &HeaderMap, body: &[u8]) -> String {
    if is_web_page(headers, body) {
        return "a web page (maintenance?)".to_string();
    }
    let text = String::from_utf8_lossy(body);
    let words = match serde_json::from_str::<Value>(&text) {
        Ok(value) => message(&value, 0).unwrap_or_default(),
        Err(_) if text.trim_start().starts_with('<') => {
            between(&text, "<Message>", "</Message>").unwrap_or_default().to_string()
        }
        Err(_) if text.chars().any(|c| c == '\u{fffd}') => String::new(),
        Err(_) => text.lines().next().unwrap_or_default().to_string(),
    };
    let clean = Text::new(&words).to_string();
    clean.chars().take(DETAIL).collect()
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let rest = &text[text.find(from)? + from.len()..];
    rest.get(..rest.find(to)?)
}

/// The first message in `value`, looked for where providers put it.
fn message(value: &Value, depth: usize) -> Option<String> {
    const MEMBERS: [&str; 7] = ["msg", "message", "detail", "error", "Error", "errors", "title"];
    match value {
        Value::String(words) if !words.is_empty() => Some(words.clone()),
        Value::Array(list) if depth < 4 => list.first().and_then(|v| message(v, depth + 1)),
        Value::Object(map) if depth < 4 => MEMBERS
            .iter()
            .chain(["Message"].iter())
            .find_map(|name| map.get(*name).and_then(|v| message(v, depth + 1))),
        _ => None,
    }
}

/// The error that a status means, before the provider's key is considered.
pub(super) fn status_error(status: u16, headers: &HeaderMap, body: &[u8]) -> FetchError {
    match status {
        429 => FetchError::RateLimited {
            retry_after_seconds: patience(headers).map(|d| d.as_secs_f64().ceil() as u64),
        },
        _ => FetchError::Status { status, detail: detail(headers, body) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(n, v)| (n.parse::<HeaderName>().unwrap(), HeaderValue::from_str(v).unwrap()))
            .collect()
    }

    #[test]
    fn patience_in_seconds_as_a_date_and_in_providers_own_headers() {
        assert_eq!(patience(&headers(&[("retry-after", "7")])), Some(Duration::from_secs(7)));
        let dated = headers(&[
            ("date", "Tue, 01 Dec 2026 10:00:00 GMT"),
            ("retry-after", "Tue, 01 Dec 2026 10:00:30 GMT"),
        ]);
        assert_eq!(patience(&dated), Some(Duration::from_secs(30)));
        let azure = headers(&[("x-ms-ratelimit-retailprices-retry-after", "60")]);
        assert_eq!(patience(&azure), Some(Duration::from_mins(1)));
        for mad in ["-3", "NaN", "inf", "soon", ""] {
            assert_eq!(patience(&headers(&[("retry-after", mad)])), None, "{mad}");
        }
        let endless = headers(&[("retry-after", "1e300")]);
        assert_eq!(patience(&endless), Some(Duration::from_hours(24)));
    }

    #[test]
    fn providers_words_are_found_and_cleaned() {
        let none = HeaderMap::new();
        for (body, words) in [
            (
                r#"{"success":false,"error":"auth_error","msg":"Invalid user key"}"#,
                "Invalid user key",
            ),
            (r#"{"error":{"code":"x","message":"API key was invalid"}}"#, "API key was invalid"),
            (r#"{"errors":[{"message":"Too many requests"}]}"#, "Too many requests"),
            (r#"{"title":"Unauthorized","detail":"missing bearer token"}"#, "missing bearer token"),
            (r#"{"Error":{"Code":"BadRequest","Message":"Invalid OData"}}"#, "Invalid OData"),
            (
                "<?xml?><Error><Code>X</Code><Message>Access Denied</Message></Error>",
                "Access Denied",
            ),
            ("API requests too frequent\nmore", "API requests too frequent"),
            ("\u{1b}[2Jred", "[2Jred"),
            ("", ""),
            ("[]", ""),
        ] {
            assert_eq!(detail(&none, body.as_bytes()), words);
        }
        assert_eq!(detail(&none, &[0xff, 0xfe, 0, 9]), "");
    }

    #[test]
    fn a_web_page_is_known_by_its_type_or_its_first_bytes() {
        assert!(is_web_page(&headers(&[("content-type", "text/html; charset=utf-8")]), b"{}"));
        assert!(is_web_page(&HeaderMap::new(), b"\n <!DOCTYPE HTML><title>"));
        assert!(!is_web_page(&headers(&[("content-type", "application/json")]), b"{}"));
    }
}
