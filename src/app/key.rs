//! Keys as the program means them, whatever library read them; and how they are written.
//!
//! A key is written `j`, `ctrl-r`, `alt-x`, `space`, `pgdn`; a sequence is keys with blanks between
//! them (`g g`), or printable characters side by side (`gg`).

use std::fmt;

/// Which key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// A character, already shifted.
    Char(char),
    /// Return.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift and tab.
    BackTab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Insert.
    Insert,
    /// Arrow.
    Left,
    /// Arrow.
    Right,
    /// Arrow.
    Up,
    /// Arrow.
    Down,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// A function key.
    F(u8),
}

/// A key press.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Which key.
    pub code: Code,
    /// With control.
    pub ctrl: bool,
    /// With alt (or escape before it).
    pub alt: bool,
    /// With shift; never set for characters, which are shifted already.
    pub shift: bool,
}

const NAMES: &[(&str, Code)] = &[
    ("enter", Code::Enter),
    ("ret", Code::Enter),
    ("return", Code::Enter),
    ("esc", Code::Esc),
    ("escape", Code::Esc),
    ("tab", Code::Tab),
    ("backtab", Code::BackTab),
    ("backspace", Code::Backspace),
    ("del", Code::Delete),
    ("delete", Code::Delete),
    ("ins", Code::Insert),
    ("insert", Code::Insert),
    ("left", Code::Left),
    ("right", Code::Right),
    ("up", Code::Up),
    ("down", Code::Down),
    ("home", Code::Home),
    ("end", Code::End),
    ("pgup", Code::PageUp),
    ("pageup", Code::PageUp),
    ("pgdn", Code::PageDown),
    ("pagedown", Code::PageDown),
    ("space", Code::Char(' ')),
    ("minus", Code::Char('-')),
    ("lt", Code::Char('<')),
];

impl Key {
    /// A key without modifiers.
    pub const fn plain(code: Code) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    /// A character.
    pub const fn char(c: char) -> Self {
        Self::plain(Code::Char(c))
    }

    /// A character with control.
    pub const fn ctrl(c: char) -> Self {
        Self { code: Code::Char(c), ctrl: true, alt: false, shift: false }
    }

    /// The character that this key types into a text field, if it types one.
    pub fn typed(self) -> Option<char> {
        match self.code {
            Code::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }

    /// Reads one key: `ctrl-r`.
    pub fn parse(text: &str) -> Result<Key, KeyError> {
        let wrong = || KeyError(text.to_string());
        let mut key = Key::plain(Code::Esc);
        let mut rest = text;
        while let Some((modifier, after)) = rest.split_once('-') {
            if after.is_empty() {
                break;
            }
            match modifier.to_ascii_lowercase().as_str() {
                "ctrl" | "c" => key.ctrl = true,
                "alt" | "a" | "meta" => key.alt = true,
                "shift" | "s" => key.shift = true,
                _ => return Err(wrong()),
            }
            rest = after;
        }
        key.code = code(rest).ok_or_else(wrong)?;
        Ok(key.settled())
    }

    /// Reads a sequence: `g g`, `gg`, `ctrl-x s`.
    pub fn parse_sequence(text: &str) -> Result<Vec<Key>, KeyError> {
        let mut keys = Vec::new();
        for word in text.split_whitespace() {
            match Key::parse(word) {
                Ok(key) => keys.push(key),
                Err(wrong) if word.contains('-') && word.len() > 2 => return Err(wrong),
                Err(_) if word.chars().count() == 2 => keys.extend(word.chars().map(Key::char)),
                Err(wrong) => return Err(wrong),
            }
        }
        if keys.is_empty() { Err(KeyError(text.to_string())) } else { Ok(keys) }
    }

    /// One spelling for each key: control folds case, shift is part of a character.
    pub(crate) fn settled(mut self) -> Self {
        if let Code::Char(c) = self.code {
            if self.ctrl {
                self.code = Code::Char(c.to_ascii_lowercase());
            } else if self.shift {
                self.code = Code::Char(c.to_uppercase().next().unwrap_or(c));
            }
            self.shift = false;
        }
        if self.code == Code::Tab && self.shift {
            self.code = Code::BackTab;
        }
        if self.code == Code::BackTab {
            self.shift = false;
        }
        self
    }
}

fn code(name: &str) -> Option<Code> {
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return (!c.is_control()).then_some(Code::Char(c));
    }
    let lower = name.to_ascii_lowercase();
    if let Some(number) = lower.strip_prefix('f').and_then(|n| n.parse::<u8>().ok()) {
        return (1..=24).contains(&number).then_some(Code::F(number));
    }
    NAMES.iter().find(|(n, _)| *n == lower).map(|(_, code)| *code)
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for (set, name) in [(self.ctrl, "ctrl-"), (self.alt, "alt-"), (self.shift, "shift-")] {
            if set {
                text.push_str(name);
            }
        }
        match self.code {
            Code::F(n) => {
                text.push('f');
                text.push_str(&n.to_string());
            }
            Code::Char('<') => text.push('<'),
            Code::Char('-') if !text.is_empty() => text.push_str("minus"),
            Code::Char(c) if c != ' ' => text.push(c),
            code => {
                text.push_str(NAMES.iter().find(|(_, c)| *c == code).map_or("?", |(n, _)| n));
            }
        }
        f.pad(&text)
    }
}

/// Writes a sequence: characters side by side, names with blanks.
pub fn sequence(keys: &[Key]) -> String {
    let plain = keys.iter().all(|k| k.typed().is_some_and(|c| c != ' '));
    let words: Vec<String> = keys.iter().map(ToString::to_string).collect();
    words.join(if plain { "" } else { " " })
}

/// A text that names no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no key; keys are written j, ctrl-r, alt-x, space, enter, pgdn, f5, or `g g` for two"
)]
pub struct KeyError(String);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_are_read_as_people_write_them() {
        assert_eq!(Key::parse("j"), Ok(Key::char('j')));
        assert_eq!(Key::parse("ctrl-R"), Ok(Key::ctrl('r')));
        assert_eq!(Key::parse("shift-j"), Ok(Key::char('J')));
        assert_eq!(Key::parse("C-x"), Ok(Key::ctrl('x')));
        assert_eq!(Key::parse("-"), Ok(Key::char('-')));
        assert_eq!(Key::parse("F5"), Ok(Key::plain(Code::F(5))));
        assert_eq!(Key::parse("f"), Ok(Key::char('f')));
        assert_eq!(Key::parse("shift-tab"), Ok(Key::plain(Code::BackTab)));
        assert_eq!(Key::parse_sequence("gg"), Ok(vec![Key::char('g'); 2]));
        assert_eq!(Key::parse_sequence("g g"), Ok(vec![Key::char('g'); 2]));
        assert_eq!(Key::parse_sequence("tab"), Ok(vec![Key::plain(Code::Tab)]));
        for wrong in ["hyper-x", "", "ctrl-", "banana", "f99", "ctrl-banana"] {
            assert!(Key::parse_sequence(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(c in "[!-~ ]", ctrl: bool, alt: bool, named in 0..NAMES.len(), use_name: bool) {
            let code = if use_name { NAMES[named].1 } else { Code::Char(c.chars().next().unwrap()) };
            let key = Key { code, ctrl, alt, shift: false }.settled();
            prop_assert_eq!(Key::parse(&key.to_string()), Ok(key));
        }
    }
}
