//! Every fault of the network and of servers, for each source: the right word, no key anywhere, no
//! wait without end, no memory without bound.

use super::*;
use crate::support::server::{Answer, Manner, Server};
use flate2::Compression;
use flate2::write::GzEncoder;
use rstest::rstest;
use std::io::Write;

const SOURCES: [Provider; Provider::ALL.len()] = Provider::ALL;

/// Notes that every source has met `fault` and kept its promises.
fn tried(fault: &str) {
    crate::reliability::note("faults × providers", fault, SOURCES.len() as u64);
}

/// What every source says to one way of answering.
async fn said(answer: Answer) -> Vec<FetchError> {
    said_to(&options, answer).await
}

/// The same, by clients of this patience.
async fn said_to(options: &dyn Fn() -> HttpOptions, answer: Answer) -> Vec<FetchError> {
    let server = Server::new(move |_| answer.clone());
    let mut errors = Vec::new();
    for provider in SOURCES {
        let http = Http::new(options());
        let fetched = fetch_with(&http, provider, &server, Some(KEY)).await;
        assert!(fetched.offers.is_empty());
        let words = format!("{:?} {}", fetched, fetched.error());
        assert!(!words.contains("planted") && !words.contains("SECRET"), "{words}");
        errors.push(fetched.error().clone());
    }
    errors
}

#[rstest]
#[case(400)]
#[case(404)]
#[case(410)]
#[case(500)]
#[case(503)]
#[tokio::test]
async fn a_status_is_told_with_the_providers_own_words(#[case] status: u16) {
    let body = r#"{"success":false,"msg":"not\u001b[31m today"}"#;
    for error in said(Answer::status(status, body)).await {
        assert_eq!(error, FetchError::Status { status, detail: "not[31m today".into() });
    }
    tried(&format!("HTTP {status}"));
}

#[tokio::test]
async fn a_maintenance_page_is_named_as_such() {
    let page =
        Answer::status(200, "<!doctype html><title>x</title>").with("Content-Type", "text/html");
    for error in said(page).await {
        assert_eq!(error, FetchError::WebPage);
    }
    tried("a web page");
}

#[tokio::test]
async fn a_web_page_with_an_error_status_is_no_data_either() {
    let page = Answer::status(503, "<html>busy</html>").with("Content-Type", "text/html");
    for error in said(page).await {
        assert!(matches!(error, FetchError::Status { status: 503, .. }), "{error}");
    }
    tried("a web page with an error status");
}

#[tokio::test]
async fn garbage_is_unreadable() {
    let garbage: Vec<u8> = (0..4096u32).map(|i| ((i * 7919) >> 3) as u8).collect();
    for error in said(Answer::bytes(garbage)).await {
        assert!(matches!(error, FetchError::Unreadable(_)), "{error}");
    }
    tried("garbage");
}

#[tokio::test]
async fn silence_ends_in_time() {
    for error in said_to(&hurried, Answer::json("{}").manner(Manner::Silence)).await {
        assert!(matches!(error, FetchError::Timeout(_)), "{error}");
    }
    tried("silence");
}

#[tokio::test]
async fn an_answer_that_stalls_ends_in_time() {
    for error in said_to(&hurried, Answer::json(" ".repeat(300)).manner(Manner::Stall)).await {
        assert!(matches!(error, FetchError::Timeout(_)), "{error}");
    }
    tried("an answer that stalls");
}

#[tokio::test]
async fn a_broken_connection_is_tried_again_and_then_told() {
    let server = Server::new(|_| Answer::json(" ".repeat(300)).manner(Manner::Half));
    let fetched = fetch(Provider::Azure, &server, None).await;
    assert!(matches!(fetched.error(), FetchError::Network(_)), "{}", fetched.error());
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn nobody_there_is_told_at_once() {
    let server = Server::new(|_| Answer::json("{}"));
    let context = context(&Http::new(options()), Provider::Gcp, &server, None);
    drop(server);
    let (channel, mut updates) = tokio::sync::mpsc::channel(4);
    let sink = Sink { provider: Provider::Gcp, generation: 1, channel };
    tokio::spawn(run(source(Provider::Gcp).unwrap(), context, sink));
    while let Some(update) = updates.recv().await {
        if let Update::Finished { outcome, .. } = update {
            let error = outcome.unwrap_err();
            assert!(matches!(error, FetchError::Network(_)), "{error}");
        }
    }
}

/// A gigabyte of blanks packed into one megabyte, as an answer.
fn bomb() -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..160 {
        packed.write_all(&blanks).unwrap();
    }
    packed.finish().unwrap()
}

#[tokio::test]
async fn a_gzip_bomb_is_stopped_at_the_limit() {
    for error in said(Answer::bytes(bomb()).with("Content-Encoding", "gzip")).await {
        let stopped = matches!(error, FetchError::TooLarge(_) | FetchError::Unreadable(_));
        assert!(stopped, "{error}");
    }
    tried("a gzip bomb");
}

#[tokio::test]
async fn a_redirect_to_another_host_is_refused_and_takes_no_key_along() {
    let thief = Server::new(|_| Answer::json("{}"));
    let elsewhere = thief.url("/stolen");
    let server = Server::new(move |_| Answer::status(302, "").with("Location", &elsewhere));
    for provider in SOURCES {
        let fetched = fetch(provider, &server, Some(KEY)).await;
        assert_eq!(fetched.error(), &FetchError::Redirected);
    }
    assert!(thief.asked().is_empty());
    tried("a redirect to another host");
}

#[tokio::test]
async fn a_post_that_is_redirected_would_lose_its_query_and_is_not_followed() {
    let server = Server::new(|_| Answer::status(301, "").with("Location", "/api/v0/other/"));
    let fetched = fetch(Provider::Vast, &server, None).await;
    assert!(matches!(fetched.error(), FetchError::Status { status: 301, .. }));
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn patience_that_is_asked_for_is_kept() {
    let busy = Answer::status(429, "API requests too frequent").with("Retry-After", "30");
    let server = Server::new(move |_| busy.clone());
    let http = Http::new(options());
    for _ in 0..3 {
        let fetched = fetch_with(&http, Provider::Vast, &server, None).await;
        assert!(matches!(fetched.error(), FetchError::RateLimited { .. }));
    }
    assert_eq!(server.asked().len(), 1, "nothing more is sent before the time is over");
}

#[tokio::test]
async fn a_refused_key_is_called_a_key_problem() {
    let server = Server::new(|_| Answer::status(401, r#"{"msg":"This action requires login."}"#));
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    assert_eq!(fetched.error(), &FetchError::BadKey { variable: "VAST_API_KEY", status: 401 });
    let fetched = fetch(Provider::Vast, &server, None).await;
    assert_eq!(fetched.error(), &FetchError::NeedsKey("VAST_API_KEY"));
}

#[tokio::test]
async fn the_key_travels_in_one_header_and_we_say_who_we_are() {
    let server = Server::new(|_| Answer::json(r#"{"offers":[]}"#));
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    assert_eq!(fetched.error(), &FetchError::Empty);
    for asked in server.asked() {
        assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        assert!(asked.header("user-agent").unwrap().starts_with("haggle/"));
        assert!(!asked.path.contains("planted") && !asked.body.contains("planted"));
    }
    // Providers that need no key are not told one.
    for provider in [Provider::Aws, Provider::Azure, Provider::Gcp] {
        fetch(provider, &server, Some(KEY)).await.outcome.unwrap_err();
    }
    let others = server.asked().into_iter().filter(|a| !a.path.contains("bundles"));
    assert!(others.into_iter().all(|a| a.header("authorization").is_none()));
}

#[tokio::test]
async fn plain_http_to_anywhere_but_this_machine_is_refused() {
    let server = Server::new(|_| Answer::json("{}"));
    let mut context = context(&Http::new(options()), Provider::Vast, &server, Some(KEY));
    context.addresses.0.insert("HAGGLE_VAST_URL".into(), "http://203.0.113.7/vast".into());
    let endpoint = source(Provider::Vast).unwrap().profile().endpoints[0];
    let error = context.call(endpoint, "/x").unwrap_err();
    assert!(matches!(error, FetchError::BadAddress(..)), "{error}");
}
