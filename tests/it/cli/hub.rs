//! Models by Hugging Face id: asked for once, kept, refused with the reason.

use super::House;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const CONFIG: &str = r#"{"model_type":"llama","hidden_size":2048,"intermediate_size":5632,
"num_attention_heads":32,"num_hidden_layers":22,"num_key_value_heads":4,"vocab_size":32000,
"max_position_embeddings":2048,"tie_word_embeddings":false}"#;

/// A hub with one open model, one gated one, and one of an unknown kind.
struct Hub {
    address: String,
    requests: Arc<AtomicUsize>,
}

impl Hub {
    fn open() -> Hub {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let counter = requests.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counter.fetch_add(1, Ordering::SeqCst);
                let _ = answer(&stream);
            }
        });
        Hub { address, requests }
    }

    fn asked(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

fn answer(stream: &TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().unwrap_or(Ok(String::new()))?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut token = false;
    for line in lines {
        let line = line?.to_ascii_lowercase();
        token |= line == "authorization: bearer hf_secret_token_1234";
        if line.is_empty() {
            break;
        }
    }
    let card = r#"{"gated":"manual","safetensors":{"total":1100048384}}"#;
    let (status, body) = match path.as_str() {
        "/api/models/me/open" => (200, card),
        "/me/open/resolve/main/config.json" => (200, CONFIG),
        "/api/models/me/gated" if token => (200, card),
        "/me/gated/resolve/main/config.json" if token => (200, CONFIG),
        "/api/models/me/odd" => (200, r#"{"gated":false}"#),
        "/me/odd/resolve/main/config.json" => (200, r#"{"model_type":"mamba2"}"#),
        _ => (401, r#"{"error":"Invalid username or password."}"#),
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn estimate(house: &House, hub: &str, model: &str, more: &[&str]) -> (i32, String, String) {
    let mut words = vec!["estimate", "--gpu", "RTX 4090", "--format", "json", "--model", model];
    words.extend(more);
    let mut command = house.haggle(&words);
    command.env("HAGGLE_HF_URL", hub);
    if model == "me/gated" && more.is_empty() {
        command.env("HF_TOKEN", "hf_secret_token_1234");
    }
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_model_is_asked_for_once_and_then_remembered() {
    let (house, hub) = (House::new(), Hub::open());
    let (code, out, err) = estimate(&house, &hub.address, "me/open", &[]);
    assert_eq!(code, 0, "{err}");
    let asked = hub.asked();
    assert_eq!(asked, 2);
    let again = estimate(&house, &hub.address, "me/open", &[]);
    assert_eq!((again.0, &again.1), (0, &out));
    assert_eq!(hub.asked(), asked);
    // Gone, and still known.
    let offline = estimate(&house, "http://127.0.0.1:1", "me/open", &["--offline"]);
    assert_eq!((offline.0, &offline.1), (0, &out));
    let built_in = estimate(&house, &hub.address, "TinyLlama-1.1B", &[]);
    let needed = |json: &str| {
        serde_json::from_str::<serde_json::Value>(json).unwrap()["fit"]["needed_gib"].clone()
    };
    assert_eq!(needed(&out), needed(&built_in.1));
}

#[test]
fn a_gated_model_needs_the_token_and_never_shows_it() {
    let (house, hub) = (House::new(), Hub::open());
    let (code, _, err) = estimate(&house, &hub.address, "me/gated", &["--offline"]);
    assert_eq!(code, 2);
    assert!(err.contains("offline"), "{err}");
    let (code, _, err) = estimate(&house, &hub.address, "me/other", &[]);
    assert_eq!(code, 2);
    assert!(err.contains("HF_TOKEN") && err.lines().count() == 1, "{err}");
    let (code, out, err) = estimate(&house, &hub.address, "me/gated", &[]);
    assert_eq!(code, 0, "{err}");
    assert!(!out.contains("hf_secret") && !err.contains("hf_secret"));
}

#[test]
fn what_is_not_modelled_is_refused_with_the_reason() {
    let (house, hub) = (House::new(), Hub::open());
    let (code, out, err) = estimate(&house, &hub.address, "me/odd", &[]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("me/odd cannot be estimated: model_type `mamba2`"), "{err}");
    let (code, _, err) = estimate(&house, "http://127.0.0.1:1", "me/open", &[]);
    assert_eq!(code, 1, "{err}");
    let (code, _, err) = estimate(&house, "http://10.0.0.1", "me/open", &[]);
    assert!(code != 0 && err.contains("https"), "{err}");
}
