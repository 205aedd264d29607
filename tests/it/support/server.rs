//! A small HTTP server on a free loopback port, that answers as a test tells it and misbehaves on
//! demand. It keeps every request, so that a test can see what was sent and what was not.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) method: String,
    /// With the query.
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, v)| v.as_str())
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) manner: Manner,
}

/// How an answer is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Manner {
    Whole,
    /// Declares all, sends half, closes.
    Half,
    /// Sends half and then nothing, until the server goes.
    Stall,
    /// Takes the request and says nothing, until the server goes.
    Silence,
}

impl Answer {
    pub(crate) fn json(text: impl Into<String>) -> Answer {
        let headers = vec![("Content-Type".to_string(), "application/json".to_string())];
        Answer { status: 200, headers, body: text.into().into_bytes(), manner: Manner::Whole }
    }

    pub(crate) fn status(status: u16, text: &str) -> Answer {
        Answer { status, headers: Vec::new(), body: text.into(), manner: Manner::Whole }
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Answer {
        self.headers.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
        self.headers.push((name.to_string(), value.to_string()));
        self
    }

    pub(crate) fn manner(self, manner: Manner) -> Answer {
        Answer { manner, ..self }
    }

    pub(crate) fn bytes(body: Vec<u8>) -> Answer {
        Answer { status: 200, headers: Vec::new(), body, manner: Manner::Whole }
    }
}

struct Shared {
    answer: Box<dyn Fn(&Asked) -> Answer + Send + Sync>,
    asked: Mutex<Vec<Asked>>,
    gone: Mutex<bool>,
    leaves: Condvar,
    stop: AtomicBool,
}

/// The server; it goes when it is dropped.
pub(crate) struct Server {
    shared: Arc<Shared>,
    port: u16,
}

impl Server {
    /// Starts one that answers with `answer`.
    pub(crate) fn new(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            asked: Mutex::default(),
            gone: Mutex::default(),
            leaves: Condvar::new(),
            stop: AtomicBool::new(false),
        });
        let inner = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if inner.stop.load(Ordering::SeqCst) {
                    break;
                }
                let inner = Arc::clone(&inner);
                std::thread::spawn(move || {
                    // A client that goes away is a client's right.
                    let _ = inner.serve(stream);
                });
            }
        });
        Server { shared, port }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        *self.shared.gone.lock().unwrap() = true;
        self.shared.leaves.notify_all();
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Shared {
    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        while let Some(asked) = read(&mut reader)? {
            self.asked.lock().unwrap().push(asked.clone());
            let answer = (self.answer)(&asked);
            self.give(&stream, &answer)?;
            if answer.manner != Manner::Whole {
                return stream.shutdown(Shutdown::Both);
            }
        }
        Ok(())
    }

    fn give(&self, mut stream: &TcpStream, answer: &Answer) -> std::io::Result<()> {
        if answer.manner == Manner::Silence {
            self.wait();
            return Ok(());
        }
        let mut head =
            format!("HTTP/1.1 {} x\r\nContent-Length: {}\r\n", answer.status, answer.body.len());
        for (name, value) in &answer.headers {
            head += &format!("{name}: {value}\r\n");
        }
        stream.write_all((head + "\r\n").as_bytes())?;
        match answer.manner {
            Manner::Whole => stream.write_all(&answer.body)?,
            _ => stream.write_all(&answer.body[..answer.body.len() / 2])?,
        }
        stream.flush()?;
        if answer.manner == Manner::Stall {
            self.wait();
        }
        Ok(())
    }

    fn wait(&self) {
        let mut gone = self.gone.lock().unwrap();
        while !*gone {
            gone = self.leaves.wait(gone).unwrap();
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Asked>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let mut asked = Asked {
        method: words.next().unwrap_or_default().to_string(),
        path: words.next().unwrap_or_default().to_string(),
        ..Asked::default()
    };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        asked.headers.push((name.to_string(), value.trim().to_string()));
    }
    let length = asked.header("content-length").and_then(|l| l.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    asked.body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(asked))
}
