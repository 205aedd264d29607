//! The network as it really is: proxies, IPv6, portals, services that repeat what must stay secret.

use super::*;
use crate::reliability;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A proxy that refuses everything and tells what it was asked.
fn proxy() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (send, asked) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut head = String::new();
            let mut reader = BufReader::new(&stream);
            while reader.read_line(&mut head).is_ok_and(|n| n > 2) {}
            if send.send(head).is_err() {
                break;
            }
            // Whoever asks may have gone already.
            let _ = (&stream).write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
        }
    });
    (address, asked)
}

const ONE: &[&str] = &["list", "--provider", "vast", "--limit", "1"];

#[test]
fn proxies_of_the_environment_are_used_and_see_no_key() {
    for variable in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        let (address, asked) = proxy();
        let home = Home::new();
        let output = home
            .haggle(ONE)
            .env("HAGGLE_VAST_URL", "https://market.invalid")
            .env("VAST_API_KEY", "planted-0123456789-SECRET")
            .env(variable, &address)
            .output()
            .unwrap();
        let heads: Vec<String> = asked.try_iter().collect();
        assert!(!heads.is_empty(), "{variable}: nobody asked; {}", said(&output));
        for head in &heads {
            assert!(head.starts_with("CONNECT market.invalid:443 "), "{head}");
            assert!(!head.contains("planted"), "{head}");
        }
        reliability::note("ways through the network", variable, heads.len() as u64);
    }
}

#[test]
fn no_proxy_is_obeyed_and_this_machine_is_never_behind_one() {
    let (address, asked) = proxy();
    let home = Home::new();
    let output = home
        .haggle(ONE)
        .env("HAGGLE_VAST_URL", "https://localhost:9")
        .env("NO_PROXY", "localhost,127.0.0.1")
        .env("HTTPS_PROXY", &address)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(asked.try_iter().count(), 0);
    // Plain http to this machine carries the key openly: no proxy may see it.
    let server = Server::new(vast_alone(vec![vast_row(1)]));
    let mut command = home.asking(&server, ONE);
    command.env("HTTP_PROXY", &address).env("http_proxy", &address).env("ALL_PROXY", &address);
    assert!(command.output().unwrap().status.success());
    assert_eq!(asked.try_iter().count(), 0);
    assert!(!server.asked().is_empty());
    reliability::note("ways through the network", "NO_PROXY and loopback", 2);
}

#[test]
fn ipv6_is_spoken() {
    let Ok(listener) = TcpListener::bind("[::1]:0") else {
        eprintln!("skipped: this machine has no IPv6");
        return;
    };
    let address = format!("http://{}", listener.local_addr().unwrap());
    let body = serde_json::json!({"offers": [vast_row(3)]}).to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(&stream);
            let mut head = String::new();
            while reader.read_line(&mut head).is_ok_and(|n| n > 2) {}
            let answer = format!(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            let _ = (&stream).write_all(answer.as_bytes());
        }
    });
    let home = Home::new();
    let output = home
        .haggle(&["list", "--provider", "vast", "--format", "json"])
        .env("HAGGLE_VAST_URL", address)
        .output();
    let output = output.unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["offers"][0]["id"], "vast:53-1", "{json}");
    reliability::note("ways through the network", "IPv6", 1);
}

#[test]
fn a_portal_is_called_one_and_the_rows_stay() {
    let home = Home::new();
    let server = Server::new(vast_alone((0..5).map(vast_row).collect()));
    assert!(home.asking(&server, &["list"]).output().unwrap().status.success());
    let portal = Server::new(|_| {
        Answer::status(200, "<!doctype html><title>Welcome to the hotel</title>")
            .with("Content-Type", "text/html")
    });
    let output = home.asking(&portal, &["list", "--format", "json"]).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let vast = &json["providers"][0];
    assert_eq!((&vast["name"], &vast["rows"]), (&"vast".into(), &5.into()));
    assert!(vast["error"].as_str().unwrap().contains("captive portal"), "{vast}");
    let ours = json["offers"].as_array().unwrap().iter().filter(|o| o["provider"] == "vast");
    assert!(ours.count() >= 5, "rows of the last good answer");
    reliability::note("ways through the network", "captive portal", 8);
}

#[test]
fn headers_without_end_are_refused() {
    let server = Server::new(|_| {
        (0..3000)
            .fold(Answer::json("{}"), |answer, n| answer.with(&format!("X-{n}"), &"v".repeat(400)))
    });
    let home = Home::new();
    let output = home.asking(&server, ONE).output().unwrap();
    assert!(!text(&output.stdout).contains("fault of its own"));
    let json =
        home.asking(&server, &["list", "--provider", "vast", "--format", "json"]).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert!(json["providers"][0]["error"].as_str().unwrap().contains("connection"), "{json}");
}

/// Vast.ai documents ten requests a minute (2026); a market of full pages asks for more.
#[test]
fn a_documented_rate_limit_is_never_exceeded_however_large_the_market() {
    let server = Server::new(|asked| {
        // Every page is full: the walk would go on for ever.
        let body: serde_json::Value = serde_json::from_str(&asked.body).unwrap_or_default();
        let from = body["dph_total"]["gte"].as_f64().unwrap_or(0.01);
        let row = |n: usize| {
            let mut row = vast_row((from * 1e6) as usize + n);
            row["dph_total"] = (from + n as f64 * 1e-4).into();
            row
        };
        let rows: Vec<serde_json::Value> = (0..64).map(row).collect();
        Answer::json(serde_json::json!({ "offers": rows }).to_string())
    });
    let home = Home::new();
    let output = home.asking(&server, ONE).output();
    assert!(output.unwrap().status.success());
    let asked = server.asked().len();
    assert!((5..=10).contains(&asked), "{asked} requests at once");
    reliability::note("requests under a limit of ten a minute", "vast", asked as u64);
}

#[test]
fn several_runs_keep_a_rate_limit_together() {
    let times = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&times);
    let one = vast_alone(vec![vast_row(1)]);
    let server = Server::new(move |asked| {
        noted.lock().unwrap().push(Instant::now());
        one(asked)
    });
    let home = Home::new();
    let run = || {
        let mut command = home.asking(&server, ONE);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut refused = 0;
    for _ in 0..8 {
        // Two at a time: they share one record.
        let pair = [run(), run()];
        for run in pair {
            let output = run.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", said(&output));
            refused += usize::from(text(&output.stderr).contains("rate limit: wait "));
        }
    }
    let times = times.lock().unwrap();
    let minute = Duration::from_mins(1);
    for (first, at) in times.iter().enumerate() {
        let within = times[first..].iter().filter(|t| **t - *at < minute).count();
        assert!(within <= 10, "{within} requests in a minute");
    }
    assert!(times.len() + refused >= 16, "{} sent, {refused} refused", times.len());
    reliability::note("runs under one limit of ten a minute", "vast", 16);
}

#[test]
fn the_document_of_providers_says_what_the_screens_page_says() {
    const KEY: &str = "a-long-key-that-ends-in-wxyz";
    let home = Home::new();
    let mut rows: Vec<_> = (0..5).map(vast_row).collect();
    rows.push(serde_json::json!("no object"));
    let server = Server::new(vast_alone(rows));
    let run = |server: &Server| {
        let words = ["providers", "--provider", "vast", "--format", "json"];
        let output = home.asking(server, &words).env("VAST_API_KEY", KEY).output().unwrap();
        let all = text(&output.stdout);
        assert!(!all.contains(KEY), "{all}");
        serde_json::from_str::<serde_json::Value>(&all).unwrap()["providers"][0].clone()
    };
    let good = run(&server);
    assert_eq!((&good["rows"], &good["rows_from"]), (&5.into(), &"asked".into()), "{good}");
    assert!(good["last_success"].as_str().is_some_and(|t| t.ends_with('Z')), "{good}");
    let key = &good["key"];
    assert_eq!((&key["variable"], &key["hint"]), (&"VAST_API_KEY".into(), &"…wxyz".into()));
    assert_eq!((&key["origin"], &key["used"]), (&"VAST_API_KEY".into(), &true.into()), "{good}");
    assert_eq!(good["rejected"][0]["rows"], 1, "{good}");
    assert!(good["rejected"][0]["reason"].as_str().unwrap().contains("no object"), "{good}");
    assert!(good["wait_seconds"].is_null() && good["error"].is_null(), "{good}");
    let busy = Server::new(|_| Answer::status(429, "slow down").with("Retry-After", "7200"));
    let refused = run(&busy);
    let wait = refused["wait_seconds"].as_i64().unwrap();
    assert!((7000..=7200).contains(&wait), "{refused}");
    assert!(refused["error"].as_str().unwrap().contains("rate limit"), "{refused}");
}
