//! Who is asked region by region is asked for the regions that the query may show.

use super::House;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

/// A server that knows no price list, and the lists that it is asked for.
fn without_lists() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let paths = Arc::new(Mutex::new(Vec::new()));
    let kept = paths.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let first = lines.next().unwrap_or(Ok(String::new())).unwrap_or_default();
            // The head of the request is read to its end.
            lines.map_while(Result::ok).find(String::is_empty);
            let path = first.split(' ').nth(1).unwrap_or_default();
            if let Some((_, list)) = path.split_once("without-sec-sel/") {
                kept.lock()
                    .unwrap()
                    .push(list.replace("/Linux/index.json", "").replace("%20", " "));
            }
            let _ = stream
                .write_all(b"HTTP/1.1 404 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    (address, paths)
}

/// The regional price lists that a query makes the program ask Amazon for.
fn lists_asked_for(query: &[&str]) -> Vec<String> {
    let (address, paths) = without_lists();
    let house = House::new();
    let words = [&["list", "--provider", "aws"], query].concat();
    house.haggle(&words).env("HAGGLE_AWS_URL", address).output().unwrap();
    let mut asked = paths.lock().unwrap().clone();
    asked.sort();
    asked.dedup();
    asked
}

#[test]
fn price_lists_of_the_regions_in_view_are_fetched() {
    assert_eq!(lists_asked_for(&["region:sa-east-1"]), ["South America %28Sao Paulo%29"]);
    assert_eq!(lists_asked_for(&["region:br vram>=24"]), ["South America %28Sao Paulo%29"]);
    let usual = lists_asked_for(&["vram>=24"]);
    assert_eq!(usual.len(), 8, "{usual:?}");
    let europe = lists_asked_for(&["region:eu"]);
    assert!(europe.len() > 5 && europe.iter().all(|r| !r.starts_with("US ")), "{europe:?}");
}

#[test]
fn what_a_query_newly_shows_is_asked_for_while_the_program_runs() {
    let (address, paths) = without_lists();
    let house = House::new();
    let mut haggle = house.haggle(&["--plain", "--provider", "aws"]);
    haggle.env("HAGGLE_AWS_URL", address).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut running = haggle.spawn().unwrap();
    let mut input = running.stdin.take().unwrap();
    input.write_all(b"wait\nquery region:sa-east-1\nwait\nquit\n").unwrap();
    drop(input);
    assert!(running.wait().unwrap().success());
    let asked = paths.lock().unwrap().clone();
    let brazil = asked.iter().filter(|list| *list == "South America %28Sao Paulo%29").count();
    assert!(brazil > 0, "{asked:?}");
}

#[test]
fn an_offer_that_is_named_is_looked_for_where_it_is() {
    for words in [
        &["quote", "aws:g6e.xlarge/sa-east-1"][..],
        &["export", "aws:g6e.xlarge/sa-east-1", "--as", "json"],
        &["why", "region:eu", "aws:g6e.xlarge/sa-east-1"],
    ] {
        let (address, paths) = without_lists();
        House::new()
            .haggle(&[words, &["--provider", "aws"]].concat())
            .env("HAGGLE_AWS_URL", address)
            .output()
            .unwrap();
        let asked = paths.lock().unwrap().clone();
        assert!(asked.iter().any(|list| list.contains("Sao Paulo")), "{words:?}: {asked:?}");
        assert!(asked.len() > 1, "its like elsewhere is asked for, too: {asked:?}");
    }
}
