//! What a panic does: on the thread that draws, the terminal is given back first, and then the
//! message can be read. On any other thread the terminal stays as it is, since the program goes on:
//! what was said there waits until the terminal has been given back.

use super::guard::{is_taken_by_another, restore};
use crate::offer::harmless;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::Write;
use std::panic::{self, PanicHookInfo};
use std::sync::{Mutex, Once, PoisonError};

static INSTALLED: Once = Once::new();
static UNSAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// No more than this is kept of what other threads say.
const MOST: usize = 20;

/// Puts our hook in the place of the one that is there. Further calls do nothing.
pub fn install() {
    INSTALLED.call_once(|| panic::set_hook(Box::new(hook)));
}

fn hook(info: &PanicHookInfo<'_>) {
    let said = message(info);
    if is_taken_by_another() {
        let mut unsaid = UNSAID.lock().unwrap_or_else(PoisonError::into_inner);
        if unsaid.len() < MOST {
            unsaid.push(said);
        }
        return;
    }
    restore();
    say(&said);
}

/// Says what other threads had to say while the terminal was taken.
pub fn say_the_rest() {
    let unsaid = std::mem::take(&mut *UNSAID.lock().unwrap_or_else(PoisonError::into_inner));
    for said in &unsaid {
        say(said);
    }
}

fn say(said: &str) {
    // Whether anybody can read it does not matter any more.
    let _ = writeln!(std::io::stderr().lock(), "{said}");
}

/// One line, in which foreign words are harmless, and what led there if `RUST_BACKTRACE` asks for it.
fn message(info: &PanicHookInfo<'_>) -> String {
    let said = info.payload_as_str().unwrap_or("a panic");
    let place = info.location().map(|l| format!(" ({}:{})", l.file(), l.line()));
    let place = place.unwrap_or_default();
    let line = format!("haggle: a fault of its own{place}: {}; please report it", harmless(said));
    let trace = Backtrace::capture();
    match trace.status() {
        BacktraceStatus::Captured => format!("{line}\n{trace}"),
        _ => line,
    }
}
