//! Where frames are written to, and how: each as one write, inside a synchronised update.

use std::io::{self, IsTerminal, Write};

/// The stream that leads to the terminal. Standard output stays free for data when it is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Out {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Out {
    /// The first of standard output and standard error that is a terminal, when standard input is
    /// one too; otherwise there is nobody to talk to.
    pub fn to_terminal() -> Option<Out> {
        if !io::stdin().is_terminal() {
            return None;
        }
        if io::stdout().is_terminal() {
            Some(Out::Stdout)
        } else if io::stderr().is_terminal() {
            Some(Out::Stderr)
        } else {
            None
        }
    }
}

/// Columns and rows of the terminal that standard output leads to, if it is one that tells.
pub fn size() -> Option<(u16, u16)> {
    let known = io::stdout().is_terminal().then(crossterm::terminal::size)?.ok()?;
    (known.0 > 0 && known.1 > 0).then_some(known)
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Stdout => io::stdout().write(bytes),
            Out::Stderr => io::stderr().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Stdout => io::stdout().flush(),
            Out::Stderr => io::stderr().flush(),
        }
    }
}

/// Collects what is drawn and writes it at once on flush, so that no half frame is ever seen. When
/// nothing was drawn, nothing is written.
#[derive(Debug)]
pub struct Frames<W: Write> {
    inner: W,
    frame: Vec<u8>,
}

const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

impl<W: Write> Frames<W> {
    /// Frames for `inner`.
    pub fn new(inner: W) -> Self {
        Self { inner, frame: Vec::with_capacity(16 * 1024) }
    }
}

impl<W: Write> Write for Frames<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.frame.is_empty() {
            self.frame.extend_from_slice(BEGIN);
        }
        self.frame.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.frame.is_empty() {
            return Ok(());
        }
        self.frame.extend_from_slice(END);
        let result = self.inner.write_all(&self.frame).and_then(|()| self.inner.flush());
        self.frame.clear();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_written_whole_and_nothing_else() {
        let mut seen = Vec::new();
        {
            let mut frames = Frames::new(&mut seen);
            frames.flush().unwrap();
            frames.write_all(b"a").unwrap();
            frames.write_all(b"b").unwrap();
            frames.flush().unwrap();
            frames.flush().unwrap();
        }
        assert_eq!(seen, b"\x1b[?2026hab\x1b[?2026l");
    }
}
