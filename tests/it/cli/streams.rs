//! The same bytes for everybody: on a terminal, in a pipe, on the screen.

use super::{House, sample};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::io::Read;
use std::path::Path;

/// What the program writes when its standard output is a terminal of this width.
fn on_terminal(house: &House, words: &[&str], columns: u16) -> String {
    let size = PtySize { rows: 50, cols: columns, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_haggle"));
    command.args(words);
    command.cwd(house.folder.path());
    command.env_clear();
    command.env("HOME", house.folder.path());
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 65_536];
    // The end of a terminal is an error on Linux.
    while let Ok(n) = reader.read(&mut buffer) {
        if n == 0 {
            break;
        }
        bytes.extend_from_slice(&buffer[..n]);
    }
    child.wait().unwrap();
    // The terminal driver itself turns a line feed into two characters.
    String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
}

/// Times and ages change from second to second, also within rows of CSV, so figures are left out.
fn without_figures(text: &str) -> String {
    text.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty()).collect()
}

fn market(house: &House) -> String {
    house.market(sample());
    "market.haggle".to_owned()
}

#[test]
fn programs_read_the_same_bytes_on_a_terminal_and_in_a_pipe() {
    let house = House::new();
    let file = market(&house);
    for words in [
        vec!["list"],
        vec!["list", "rel>95%", "--limit", "7"],
        vec!["quote", "vast:own-0"],
        vec!["estimate", "--gpu", "RTX 4090"],
        vec!["why", "rel>99%"],
    ] {
        for format in ["json", "csv", "yaml", "markdown"] {
            let words = [&words[..], &["--format", format, "--from", &file]].concat();
            let output = house.haggle(&words).current_dir(house.folder.path()).output().unwrap();
            let piped = String::from_utf8(output.stdout).unwrap();
            let shown = on_terminal(&house, &words, 80);
            assert!(!piped.is_empty(), "{words:?}");
            assert_eq!(without_figures(&shown), without_figures(&piped), "{words:?}");
        }
    }
}

/// The real screen, as it stands when the market is on it.
fn on_the_screen(house: &House, file: &Path, wanted: impl Fn(&str) -> Result<(), String>) {
    use std::time::{Duration, Instant};
    let size = PtySize { rows: 40, cols: 200, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_haggle"));
    command.args(["--from", file.to_str().unwrap()]);
    command.env_clear();
    command.env("HOME", house.folder.path());
    command.env("TERM", "xterm-256color");
    command.env("LANG", "C.UTF-8");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let (send, bytes) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 65_536];
        while let Ok(n) = reader.read(&mut buffer) {
            if n == 0 || send.send(buffer[..n].to_vec()).is_err() {
                break;
            }
        }
    });
    let cells = |n| std::num::NonZero::new(n).unwrap();
    let mut parser = vt100::Parser::new(cells(40), cells(200), 0);
    let end = Instant::now() + Duration::from_mins(1);
    // A frame comes in pieces: what is not there yet may still come.
    loop {
        let shown = parser.screen().contents();
        let Err(missing) = wanted(&shown) else { break };
        let left = end.saturating_duration_since(Instant::now());
        let some = bytes.recv_timeout(left).unwrap_or_else(|_| panic!("{missing}"));
        parser.process(&some);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Do the figures of a printed list's lines stand on the screen, one below the other?
fn stands_there(listed: &str, shown: &str) -> Result<(), String> {
    let mut lines = listed.lines();
    let head: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    assert!(head.contains(&"TOTAL") && head.contains(&"HOURS"), "{head:?}");
    let mut rest = shown;
    for line in lines {
        // Price, fit, hours and total stand side by side at the end, before the id.
        let words: Vec<&str> = line.split_whitespace().collect();
        let figures = &words[words.len() - 4..words.len() - 1];
        let row = rest.lines().position(|row| {
            let cells: Vec<&str> = row.split_whitespace().collect();
            cells.windows(figures.len()).any(|w| w == figures)
        });
        let Some(row) = row else {
            return Err(format!("{figures:?} of\n{line}\nis not next on\n{rest}"));
        };
        // The next one stands below it.
        let at = rest.lines().take(row + 1).map(|l| l.len() + 1).sum::<usize>();
        rest = rest.get(at..).unwrap_or_default();
    }
    Ok(())
}

#[test]
fn the_screen_shows_the_figures_that_list_prints() {
    let house = House::new();
    let file = house.market(sample());
    // The screen starts with this query; see `Query::START`.
    let listed = house.on(&file, &["list", "rel>95%?", "--limit", "10"]).out;
    assert!(listed.lines().count() > 3, "{listed}");
    on_the_screen(&house, &file, |shown| stands_there(&listed, shown));
}
