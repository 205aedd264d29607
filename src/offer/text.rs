//! Foreign text made harmless once, at the door.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The longest foreign text that is kept, in characters.
const LONGEST: usize = 96;

/// Text that came from outside and can be drawn, logged and exported: no control characters, no
/// escape codes, no bidirectional overrides, no invisible characters, at most 96 characters long.
///
/// It may still hold what a shell, a spreadsheet or a YAML reader would act upon; each export has
/// its own way to quote.
///
/// Copies share their letters, since a market repeats its names by the thousand.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Arc<str>);

impl Text {
    /// Cleans `raw`; tells in the second part whether anything dangerous had to go.
    pub fn clean(raw: &str) -> (Text, bool) {
        let plain = raw.len() <= LONGEST && raw.bytes().all(|b| (0x20..0x7f).contains(&b));
        if plain {
            let trimmed = raw.trim();
            return (Text(trimmed.into()), false);
        }
        let (kept, changed) = sift(raw, LONGEST);
        (Text(kept.trim().into()), changed)
    }

    /// Cleans `raw` and forgets whether it was dangerous.
    pub fn new(raw: &str) -> Text {
        Text::clean(raw).0
    }

    /// The harmless text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Is nothing left?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Longer than any line that says something; what is beyond it is an attack or a mistake.
const LONGEST_LINE: usize = 4000;

/// One line of somebody else's words, made as harmless as a [`Text`] but left as long as it is (4,000
/// characters at most): for messages that quote a file, and for cells of its tables.
pub fn harmless(raw: &str) -> Cow<'_, str> {
    let plain = raw.len() <= LONGEST_LINE && raw.bytes().all(|b| (0x20..0x7f).contains(&b));
    if plain { Cow::Borrowed(raw) } else { Cow::Owned(sift(raw, LONGEST_LINE).0) }
}

/// The harmless among the first `longest` characters, and whether anything dangerous had to go.
fn sift(raw: &str, longest: usize) -> (String, bool) {
    let mut kept = String::with_capacity(raw.len().min(longest * 4));
    let mut changed = false;
    let mut marks = 0;
    for (count, c) in raw.chars().enumerate() {
        if count >= longest {
            kept.push('…');
            return (kept, true);
        }
        match kind(c) {
            Kind::Plain => marks = 0,
            Kind::Mark => marks += 1,
            Kind::Space => {
                kept.push(' ');
                continue;
            }
            Kind::Harmful => {
                changed = true;
                continue;
            }
        }
        if marks > 2 {
            changed = true;
        } else {
            kept.push(c);
        }
    }
    (kept, changed)
}

enum Kind {
    Plain,
    Space,
    Mark,
    Harmful,
}

/// Ranges as in Unicode 16: general category Cc, Cf, Zl, Zp, private use and the combining marks
/// that stack upon one cell.
fn kind(c: char) -> Kind {
    match c {
        '\t' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            Kind::Space
        }
        '\u{0}'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{e000}'..='\u{f8ff}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{ffff}'
        | '\u{e0000}'..='\u{10ffff}' => Kind::Harmful,
        '\u{300}'..='\u{36f}'
        | '\u{483}'..='\u{489}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' => Kind::Mark,
        _ => Kind::Plain,
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|raw| Text::new(&raw))
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for Text {
    fn from(raw: &str) -> Self {
        Text::new(raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escape_codes_lose_their_teeth() {
        let (text, changed) = Text::clean("\u{1b}]0;owned\u{7}\u{1b}[31mRED");
        assert_eq!(text.as_str(), "]0;owned[31mRED");
        assert!(changed);
    }

    #[test]
    fn bidi_overrides_and_zero_width_go() {
        assert_eq!(Text::new("\u{202e}EX\u{200b}4LP").as_str(), "EX4LP");
    }

    #[test]
    fn stacked_marks_are_cut_to_two() {
        let tower = format!("e{}", "\u{301}".repeat(40));
        assert_eq!(Text::new(&tower).as_str().chars().count(), 3);
    }

    #[test]
    fn ordinary_names_stay_as_they_are() {
        for name in ["NVIDIA GeForce RTX 4090", "Xeon® Platinum", "Île-de-France, FR", "東京"] {
            let (text, changed) = Text::clean(name);
            assert_eq!(text.as_str(), name);
            assert!(!changed);
        }
    }

    proptest! {
        #[test]
        fn nothing_a_terminal_obeys_is_left(raw in "\\PC*|.{0,300}") {
            let (text, _) = Text::clean(&raw);
            prop_assert!(text.as_str().chars().count() <= LONGEST + 1);
            let clean = text.as_str().chars().all(|c| !c.is_control() && !matches!(kind(c), Kind::Harmful));
            prop_assert!(clean);
            let again = Text::clean(text.as_str()).0;
            prop_assert!(again == text || text.as_str().ends_with('…'));
        }
    }
}
