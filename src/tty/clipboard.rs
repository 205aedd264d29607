//! The clipboard of the terminal that the user sits at (OSC 52), which works over ssh.

use super::out::Out;
use crossterm::Command;
use crossterm::clipboard::CopyToClipboard;
use std::io::{self, Write};

/// The longest sequence, in bytes after encoding, that terminals are known to take.
pub const LONGEST: usize = 74_994;

/// Text that is too long for the clipboard sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} bytes are too much for the terminal's clipboard")]
pub struct TooLong(pub usize);

/// What stands between us and the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Nothing.
    Nothing,
    /// tmux (`TMUX` is set): the sequence is sent to tmux itself, and once more wrapped for the
    /// terminal behind it, because either may be the one that is switched off.
    Tmux,
}

/// The bytes that put `text` into the clipboard.
pub fn sequence(text: &str, between: Between) -> Result<String, TooLong> {
    let encoded = text.len().div_ceil(3) * 4;
    if encoded > LONGEST {
        return Err(TooLong(text.len()));
    }
    let mut plain = String::with_capacity(encoded + 16);
    // Writing into memory cannot fail.
    let _ = CopyToClipboard::to_clipboard_from(text).write_ansi(&mut plain);
    Ok(match between {
        Between::Nothing => plain,
        Between::Tmux => {
            let doubled = plain.replace('\u{1b}', "\u{1b}\u{1b}");
            format!("{plain}\u{1b}Ptmux;{doubled}\u{1b}\\")
        }
    })
}

/// Copies `text`; an error means that another way must be found.
pub fn copy(mut out: Out, text: &str, between: Between) -> io::Result<Result<(), TooLong>> {
    match sequence(text, between) {
        Err(too_long) => Ok(Err(too_long)),
        Ok(bytes) => {
            out.write_all(bytes.as_bytes())?;
            out.flush()?;
            Ok(Ok(()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_holds_the_text_in_base64() {
        // base64 of "haggle" by RFC 4648.
        let bytes = sequence("haggle", Between::Nothing).unwrap();
        assert_eq!(bytes, "\u{1b}]52;c;aGFnZ2xl\u{1b}\\");
    }

    #[test]
    fn tmux_gets_it_twice() {
        let bytes = sequence("haggle", Between::Tmux).unwrap();
        assert!(bytes.contains("\u{1b}Ptmux;\u{1b}\u{1b}]52;c;aGFnZ2xl\u{1b}\u{1b}\\\u{1b}\\"));
    }

    #[test]
    fn what_is_too_long_is_refused() {
        assert!(sequence(&"x".repeat(LONGEST / 4 * 3), Between::Nothing).is_ok());
        let long = "x".repeat(LONGEST / 4 * 3 + 3);
        assert_eq!(sequence(&long, Between::Nothing), Err(TooLong(long.len())));
    }
}
