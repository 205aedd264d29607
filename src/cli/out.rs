//! What is printed: data on standard output, narration on standard error.

use super::args::Format;
use super::failure::Failure;
use crate::offer::harmless;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// `--plain` was asked for: nothing is written over, and tables are read line by line.
static PLAIN: AtomicBool = AtomicBool::new(false);

/// Sets that once, at the start.
pub(super) fn set_plain(plain: bool) {
    PLAIN.store(plain, Ordering::Relaxed);
}

/// Was it asked for?
pub(super) fn is_plain() -> bool {
    PLAIN.load(Ordering::Relaxed)
}

/// Prints `text` on standard output. A reader who has gone away is no failure.
pub(super) fn data(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(e) => Err(Failure::failed(format!("cannot write to standard output: {e}"))),
    }
}

/// Says something on standard error; whether anybody reads it does not matter. Words of files and
/// providers may stand in it, so each of its lines is made harmless.
pub(super) fn say(text: &str) {
    let lines: Vec<_> = text.split('\n').map(harmless).collect();
    let _ = writeln!(io::stderr().lock(), "{}", lines.join("\n"));
}

/// Says that a file was there before, and where it is now.
pub(super) fn kept(file: &Path, old: Option<&Path>) {
    if let Some(old) = old {
        let (file, old) = (file.display(), old.display());
        say(&format!("haggle: {file} was there before; what it held is kept as {old}"));
    }
}

/// Is standard output a terminal?
pub(super) fn on_terminal() -> bool {
    io::stdout().is_terminal()
}

/// A line on standard error that is written over and over, on a terminal only.
#[derive(Debug)]
pub(super) struct ProgressLine {
    wanted: bool,
    shown: Option<Instant>,
}

impl ProgressLine {
    /// Shown at most this often.
    const PACE: Duration = Duration::from_millis(100);

    /// Nothing yet.
    pub(super) fn new() -> Self {
        Self { wanted: io::stderr().is_terminal() && !is_plain(), shown: None }
    }

    /// Shows `text`, unless something was shown just now.
    pub(super) fn show(&mut self, text: &str) {
        let now = Instant::now();
        if !self.wanted || self.shown.is_some_and(|then| now - then < Self::PACE) {
            return;
        }
        let text: String = harmless(text).chars().take(100).collect();
        // Back to the first column, and clear to the end of the line (ECMA-48).
        let _ = write!(io::stderr().lock(), "\r{text}\x1b[K");
        self.shown = Some(now);
    }

    /// Takes it away.
    pub(super) fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

/// `document` as JSON or YAML.
pub(super) fn structured(format: Format, document: &impl Serialize) -> Result<String, Failure> {
    if format == Format::Yaml {
        return serde_saphyr::to_string(document)
            .map_err(|e| Failure::failed(format!("no YAML can be written: {e}")));
    }
    let mut text = serde_json::to_string_pretty(document)
        .map_err(|e| Failure::failed(format!("no JSON can be written: {e}")))?;
    text.push('\n');
    Ok(text)
}

/// Prints `document` as JSON or YAML, `page` as text, or `grid` as CSV or Markdown.
pub(super) fn document(
    format: Format,
    document: &impl Serialize,
    page: impl FnOnce() -> String,
    grid: impl FnOnce() -> Grid,
) -> Result<(), Failure> {
    match format {
        Format::Table => data(&page()),
        Format::Json | Format::Yaml => data(&structured(format, document)?),
        Format::Csv => data(&grid().csv()?),
        Format::Markdown => data(&grid().markdown()),
    }
}

/// Prints `document` as JSON or YAML, or `grid` as the other formats.
pub(super) fn grid(format: Format, document: &impl Serialize, grid: &Grid) -> Result<(), Failure> {
    match format {
        Format::Json | Format::Yaml => data(&structured(format, document)?),
        Format::Table => data(&grid.table()),
        Format::Csv => data(&grid.csv()?),
        Format::Markdown => data(&grid.markdown()),
    }
}

/// Rows of text below headers. A header that begins with `>` heads a column of figures.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    headers: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A grid without rows.
    pub(super) fn new(headers: &[&'static str]) -> Self {
        Self { headers: headers.to_vec(), rows: Vec::new() }
    }

    /// Adds a row, as wide as the headers.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.into_iter().map(|cell| harmless(&cell).into_owned()).collect());
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.headers.iter().map(|h| h.trim_start_matches('>'))
    }

    /// Aligned columns, two spaces apart; under `--plain` a line for each row, with the name of its
    /// column before each cell.
    pub(super) fn table(&self) -> String {
        if is_plain() { self.spoken() } else { self.aligned() }
    }

    fn spoken(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let cells = self.names().zip(row).filter(|(_, cell)| !cell.is_empty());
            let cells =
                cells.map(
                    |(name, cell)| {
                        if name.is_empty() { cell.clone() } else { format!("{name} {cell}") }
                    },
                );
            text.push_str(&cells.collect::<Vec<_>>().join(", "));
            text.push('\n');
        }
        text
    }

    fn aligned(&self) -> String {
        use unicode_width::UnicodeWidthStr;
        let widths: Vec<usize> = self
            .names()
            .enumerate()
            .map(|(i, name)| {
                self.rows.iter().map(|r| r[i].width()).chain([name.width()]).max().unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        let names: Vec<String> = self.names().map(str::to_owned).collect();
        for cells in std::iter::once(&names).chain(&self.rows) {
            let mut line = String::new();
            for (i, cell) in cells.iter().enumerate() {
                let gap = " ".repeat(widths[i].saturating_sub(cell.width()));
                if self.headers[i].starts_with('>') {
                    line.push_str(&gap);
                    line.push_str(cell);
                } else {
                    line.push_str(cell);
                    line.push_str(&gap);
                }
                line.push_str("  ");
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// RFC 4180, formulas made harmless.
    pub(super) fn csv(&self) -> Result<String, Failure> {
        let names: Vec<String> = self.names().map(|n| n.replace([' ', '-'], "_")).collect();
        crate::export::csv_of_rows(&names, &self.rows).map_err(|e| Failure::failed(e.to_string()))
    }

    /// A table of Markdown.
    pub(super) fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.names().map(str::to_owned).collect());
        let rule = |h: &&str| if h.starts_with('>') { "---:" } else { "---" }.to_owned();
        text.push_str(&line(self.headers.iter().map(rule).collect()));
        for row in &self.rows {
            text.push_str(&line(row.iter().map(|c| crate::export::markdown_text(c)).collect()));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let mut grid = Grid::new(&["name", ">size"]);
        grid.row(vec!["東京|x".into(), "9".into()]);
        grid.row(vec!["=1+1".into(), "10.5".into()]);
        grid
    }

    #[test]
    fn wide_letters_keep_the_columns() {
        assert_eq!(grid().spoken(), "name 東京|x, size 9\nname =1+1, size 10.5\n");
        assert_eq!(grid().aligned(), "name    size\n東京|x     9\n=1+1    10.5\n");
    }

    #[test]
    fn cells_never_break_their_table() {
        assert_eq!(grid().csv().unwrap(), "name,size\n東京|x,9\n'=1+1,10.5\n");
        assert_eq!(grid().markdown().lines().nth(2), Some("| 東京\\|x | 9 |"));
    }
}
