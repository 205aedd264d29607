//! Takes the README's picture: runs the real program in a pseudo-terminal, presses keys, and writes
//! what the screen shows as an SVG.
//!
//! ```sh
//! cargo build --release
//! cargo run --example picture -- target/release/haggle assets/screen.svg 132x36 'keys to press'
//! ```
//!
//! The program runs offline with an empty home, so the picture shows the built-in snapshot.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a tool that stops where it cannot go on"
)]

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::sync::mpsc;
use std::time::Duration;

const CELL_WIDTH: f64 = 8.4;
const CELL_HEIGHT: f64 = 17.0;
const QUIET: Duration = Duration::from_millis(700);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, target, size, keys] = arguments.as_slice() else {
        eprintln!("usage: picture PROGRAM FILE.svg COLUMNSxROWS KEYS");
        return;
    };
    let (columns, rows) = size.split_once('x').unwrap();
    let (columns, rows): (u16, u16) = (columns.parse().unwrap(), rows.parse().unwrap());
    let screen = run(program, columns, rows, keys);
    std::fs::write(target, svg(&screen)).unwrap();
}

fn run(program: &str, cols: u16, rows: u16, keys: &str) -> vt100::Parser {
    let home = tempfile::tempdir().unwrap();
    let pair = native_pty_system()
        .openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 })
        .unwrap();
    let program = std::fs::canonicalize(program).unwrap();
    let mut command = CommandBuilder::new(program);
    command.arg("--offline");
    command.env_clear();
    command.env("HOME", home.path());
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).unwrap();
    let mut reader = pair.master.try_clone_reader().unwrap();
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(n @ 1..) = reader.read(&mut buffer) {
            if send.send(buffer[..n].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut writer = pair.master.take_writer().unwrap();
    let mut parser = vt100::Parser::new(rows.try_into().unwrap(), cols.try_into().unwrap(), 0);
    settle(&receive, &mut parser);
    for key in keys.chars() {
        writer.write_all(key.to_string().as_bytes()).unwrap();
        settle(&receive, &mut parser);
    }
    child.kill().ok();
    parser
}

/// Reads until the program has been quiet for a while.
fn settle(receive: &mpsc::Receiver<Vec<u8>>, parser: &mut vt100::Parser) {
    while let Ok(bytes) = receive.recv_timeout(QUIET) {
        parser.process(&bytes);
    }
}

fn svg(parser: &vt100::Parser) -> String {
    let screen = parser.screen();
    let (rows, columns) = screen.size();
    let (rows, columns) = (u16::from(rows), u16::from(columns));
    let (width, height) =
        (f64::from(columns) * CELL_WIDTH + 20.0, f64::from(rows) * CELL_HEIGHT + 20.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,monospace\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#16181d\"/>\n"
    );
    for row in 0..rows {
        for column in 0..columns {
            if let Some(cell) = screen.cell(row, column) {
                draw_cell(&mut out, cell, row, column);
            }
        }
    }
    out.push_str("</svg>\n");
    out
}

fn draw_cell(out: &mut String, cell: &vt100::Cell, row: u16, column: u16) {
    let x = f64::from(column) * CELL_WIDTH + 10.0;
    let y = f64::from(row) * CELL_HEIGHT + 10.0;
    let (mut front, mut back) = (colour(cell.fgcolor(), "#d7dae0"), colour(cell.bgcolor(), "none"));
    if cell.inverse() {
        let behind = if back == "none" { "#16181d".to_string() } else { back };
        (front, back) = (behind, front);
    }
    if back != "none" {
        let wide = CELL_WIDTH + 0.3;
        writeln!(out, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide}\" height=\"{CELL_HEIGHT}\" fill=\"{back}\"/>").ok();
    }
    let text = cell.contents();
    if text.trim().is_empty() {
        return;
    }
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let weight = if cell.bold() { " font-weight=\"bold\"" } else { "" };
    let faint = if cell.dim() { " opacity=\"0.6\"" } else { "" };
    let base = y + 13.0;
    writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{base:.1}\" fill=\"{front}\"{weight}{faint}>{escaped}</text>"
    )
    .ok();
}

fn colour(colour: vt100::Color, default: &str) -> String {
    const BASE: [&str; 16] = [
        "#3b3f4a", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0",
        "#6b7280", "#f08791", "#b3dd95", "#f2d59b", "#82c4ff", "#d99aea", "#7fd0db", "#ffffff",
    ];
    match colour {
        vt100::Color::Default => default.to_string(),
        vt100::Color::Idx(i) => {
            BASE.get(usize::from(i)).map_or_else(|| palette(i), |c| (*c).to_string())
        }
        vt100::Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
    }
}

/// The 6×6×6 cube and the greys of the 256-colour palette.
fn palette(index: u8) -> String {
    if index >= 232 {
        let grey = 8 + 10 * u16::from(index - 232);
        return format!("#{grey:02x}{grey:02x}{grey:02x}");
    }
    let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * u16::from(n) };
    let i = index - 16;
    format!("#{:02x}{:02x}{:02x}", level(i / 36), level(i / 6 % 6), level(i % 6))
}
