//! What was switched on at the terminal is switched off again, once, whichever way the program ends.
//!
//! What is on is kept in one static set of bits, because a panic hook and a signal have no other
//! way to it: whoever takes the bits switches off, everybody after finds nothing left to do.

use super::out::Out;
use crossterm::{cursor, event, execute, queue, style, terminal};
use std::io::{self, Write};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

static ON: AtomicU8 = AtomicU8::new(0);
/// The thread that took the terminal, and draws.
static OWNER: Mutex<Option<ThreadId>> = Mutex::new(None);

const RAW: u8 = 1;
const SCREEN: u8 = 1 << 1;
const PASTE: u8 = 1 << 2;
const MOUSE: u8 = 1 << 3;
const FOCUS: u8 = 1 << 4;
const STDERR: u8 = 1 << 7;

/// What the program wants of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Clicks and wheel.
    pub mouse: bool,
}

/// The terminal while the program draws on it. Dropping it gives the terminal back.
#[derive(Debug)]
pub struct Guard {
    out: Out,
    wants: Wants,
}

impl Guard {
    /// Takes the terminal that `out` leads to. On failure nothing stays switched on.
    pub fn enter(out: Out, wants: Wants) -> io::Result<Self> {
        // The program decides itself what NO_COLOR means; the library would drop bold as well.
        style::force_color_output(true);
        *OWNER.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current().id());
        let guard = Self { out, wants };
        guard.switch_on()?;
        Ok(guard)
    }

    fn switch_on(&self) -> io::Result<()> {
        let mut out = self.out;
        if out == Out::Stderr {
            ON.fetch_or(STDERR, Ordering::SeqCst);
        }
        terminal::enable_raw_mode()?;
        ON.fetch_or(RAW, Ordering::SeqCst);
        let result = self.modes(&mut out);
        if result.is_err() {
            restore();
        }
        result
    }

    fn modes(&self, out: &mut Out) -> io::Result<()> {
        // Noted before it is written: a signal in between then switches off what may be on.
        ON.fetch_or(SCREEN | PASTE | FOCUS, Ordering::SeqCst);
        queue!(
            out,
            terminal::EnterAlternateScreen,
            terminal::Clear(terminal::ClearType::All),
            event::EnableBracketedPaste,
            event::EnableFocusChange,
        )?;
        if self.wants.mouse {
            ON.fetch_or(MOUSE, Ordering::SeqCst);
            queue!(out, event::EnableMouseCapture)?;
        }
        out.flush()
    }

    /// Listens to the mouse, or leaves it to the terminal so that text can be selected.
    pub fn mouse(&mut self, on: bool) -> io::Result<()> {
        if on == self.wants.mouse {
            return Ok(());
        }
        self.wants.mouse = on;
        if on {
            ON.fetch_or(MOUSE, Ordering::SeqCst);
            execute!(self.out, event::EnableMouseCapture)
        } else {
            ON.fetch_and(!MOUSE, Ordering::SeqCst);
            execute!(self.out, event::DisableMouseCapture)
        }
    }

    /// Gives the terminal back, stops the process until somebody continues it, and takes the
    /// terminal again. The caller must draw everything anew.
    pub fn suspend(&mut self) -> io::Result<()> {
        restore();
        // SIGSTOP, because SIGTSTP may have a handler; it cannot be caught and returns on SIGCONT.
        signal_hook::low_level::raise(signal_hook::consts::SIGSTOP)?;
        self.switch_on()
    }

    /// Takes the terminal again after another program had it, or after a signal gave it back.
    pub fn resume(&mut self) -> io::Result<()> {
        restore();
        self.switch_on()
    }

    /// Gives the terminal back now. Dropping the guard later does nothing more.
    pub fn leave(self) {
        restore();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

/// Switches off what is on, in reverse order; the second caller finds nothing left to do. Errors
/// are passed over: on the way out there is nobody to tell them to.
pub fn restore() {
    let on = ON.swap(0, Ordering::SeqCst);
    if on == 0 {
        return;
    }
    let mut out = if on & STDERR == 0 { Out::Stdout } else { Out::Stderr };
    let mut bytes: Vec<u8> = Vec::new();
    undo(on, &mut bytes);
    let _ = out.write_all(&bytes);
    let _ = out.flush();
    if on & RAW != 0 {
        let _ = terminal::disable_raw_mode();
    }
}

/// Does another thread than this one have the terminal?
pub(super) fn is_taken_by_another() -> bool {
    let owner = *OWNER.lock().unwrap_or_else(PoisonError::into_inner);
    ON.load(Ordering::SeqCst) != 0 && owner != Some(thread::current().id())
}

/// The codes that switch off what is `on`.
fn undo(on: u8, bytes: &mut Vec<u8>) {
    // Writing into memory cannot fail.
    if on & MOUSE != 0 {
        let _ = queue!(bytes, event::DisableMouseCapture);
    }
    if on & FOCUS != 0 {
        let _ = queue!(bytes, event::DisableFocusChange);
    }
    if on & PASTE != 0 {
        let _ = queue!(bytes, event::DisableBracketedPaste);
    }
    if on & SCREEN != 0 {
        let _ = queue!(
            bytes,
            terminal::EndSynchronizedUpdate,
            style::ResetColor,
            terminal::LeaveAlternateScreen,
            cursor::Show
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_switched_on_is_switched_off() {
        let text = |on| {
            let mut bytes = Vec::new();
            undo(on, &mut bytes);
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(text(RAW), "");
        assert_eq!(text(PASTE), "\u{1b}[?2004l");
        let all = text(RAW | SCREEN | PASTE | FOCUS);
        assert!(!all.contains("?1000l"), "{all:?}");
        assert!(all.ends_with("\u{1b}[?1049l\u{1b}[?25h"), "{all:?}");
        let with_mouse = text(SCREEN | MOUSE);
        let (mouse, screen) = (with_mouse.find("?1000l"), with_mouse.find("?1049l"));
        assert!(mouse < screen && mouse.is_some());
    }

    #[test]
    fn giving_back_what_was_not_taken_does_nothing() {
        restore();
        restore();
        assert_eq!(ON.load(Ordering::SeqCst), 0);
    }
}
