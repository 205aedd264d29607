//! Texts to look for: plain, or with `*` and `?` as wildcards.

use std::fmt;

/// A text to compare with; letters' case, and the difference between space, `_` and `-`, never
/// matter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    text: String,
    literal: bool,
}

impl Pattern {
    /// As written without quotes: `*` and `?` are wildcards.
    pub(crate) fn bare(text: &str) -> Self {
        Self { text: text.to_owned(), literal: needs_quotes(text) }
    }

    /// As written in quotes: nothing is a wildcard.
    pub(crate) fn quoted(text: &str) -> Self {
        Self { text: text.to_owned(), literal: true }
    }

    /// A text as it is, in quotes only where it needs them.
    pub(crate) fn quoted_if_needed(text: &str) -> Self {
        let literal = needs_quotes(text) || text.contains(['*', '?']);
        Self { text: text.to_owned(), literal }
    }

    /// What was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Has it wildcards?
    pub(crate) fn is_glob(&self) -> bool {
        !self.literal && self.text.contains(['*', '?'])
    }

    /// Is `text` this, wildcards obeyed?
    pub(crate) fn is(&self, text: &str) -> bool {
        if self.is_glob() {
            matches(&squeeze(&self.text), &squeeze(text))
        } else {
            squeeze(&self.text) == squeeze(text)
        }
    }

    /// Does `text` hold it, as whole words? (`a10` is not in `A100`; `80` is in `80GB`.) A glob
    /// covers the text from the beginning of a word to its end (`4090*` finds `RTX 4090 D`).
    pub(crate) fn is_in(&self, text: &str) -> bool {
        if self.is_glob() {
            let (squeezed, spaced) = (squeeze(&self.text), spaced(&self.text));
            return word_starts(text).any(|from| {
                let rest = text.get(from..).unwrap_or("");
                matches(&squeezed, &squeeze(rest)) || matches(&spaced, &self::spaced(rest))
            });
        }
        let words = words(text);
        let wanted = self::words(&self.text);
        self.is_beside_in(text)
            || (wanted.len() > 1 && wanted.iter().all(|w| words.iter().any(|t| same_word(w, t))))
    }

    /// As [`Pattern::is_in`], but its words stand beside each other, as in a code of a place:
    /// `us-east-1` is not in `us-gov-east-1`.
    pub(crate) fn is_beside_in(&self, text: &str) -> bool {
        if self.is_glob() {
            return self.is_in(text);
        }
        let words = words(text);
        let squeezed = squeeze(&self.text);
        if squeezed.is_empty() {
            return false;
        }
        (0..words.len()).any(|from| {
            let mut so_far = String::new();
            words.iter().skip(from).any(|word| {
                let amount =
                    word.strip_suffix("gb").filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
                let short = amount.is_some_and(|n| format!("{so_far}{n}") == squeezed);
                so_far.push_str(word);
                short || so_far == squeezed
            })
        })
    }
}

fn same_word(wanted: &str, word: &str) -> bool {
    word == wanted || word.strip_suffix("gb") == Some(wanted)
}

/// The words of a text, in lower case.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '*' && c != '?' && c != '.')
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// A text without case and without what separates its words.
pub(crate) fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// A text without case, and with a space for whatever separates its words.
fn spaced(text: &str) -> String {
    text.chars()
        .map(|c| if matches!(c, '_' | '-') { ' ' } else { c })
        .flat_map(char::to_lowercase)
        .collect()
}

/// Where the words of a text begin; the beginning of the text is always one.
fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut was_word = false;
    text.char_indices()
        .filter_map(move |(at, c)| {
            let begins = c.is_alphanumeric() && !was_word;
            was_word = c.is_alphanumeric();
            (begins && at > 0).then_some(at)
        })
        .chain([0])
}

/// Does `glob` cover `text`? Linear in both (the last star is the only one that is retried).
fn matches(glob: &str, text: &str) -> bool {
    let glob: Vec<char> = glob.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut g, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match glob.get(g) {
            Some('*') => {
                star = Some((g, t));
                g += 1;
            }
            Some(c) if *c == '?' || Some(c) == text.get(t) => {
                g += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    g = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    glob.iter().skip(g).all(|c| *c == '*')
}

/// Must a value be quoted to be read back as one piece?
pub(crate) fn needs_quotes(text: &str) -> bool {
    text.is_empty()
        || text.starts_with('=')
        || ["unknown", "any"].contains(&text.to_ascii_lowercase().as_str())
        || text.contains(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | '|' | ',' | '(' | ')' | '[' | ']')
        })
}

/// Writes `text` in quotes.
pub(crate) fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.literal { write_quoted(f, &self.text) } else { f.write_str(&self.text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_words_are_found_and_parts_are_not() {
        let cases = [
            ("4090", "RTX 4090", true),
            ("rtx4090", "RTX 4090", true),
            ("RTX_4090", "RTX 4090", true),
            ("a10", "A100 PCIe 40GB", false),
            ("l40", "L40S", false),
            ("a100-80", "A100 PCIe 80GB", true),
            ("a100 80gb", "A100 SXM 80GB", true),
            ("h100", "H100 SXM", true),
            ("us-east-1", "us-east-1", true),
            ("us-east", "us-east-1", true),
            ("3060", "RTX 3060 Ti", true),
            ("", "RTX 3060 Ti", false),
        ];
        for (pattern, text, found) in cases {
            assert_eq!(Pattern::bare(pattern).is_in(text), found, "{pattern} in {text}");
        }
        assert!(!Pattern::bare("RTX_3060").is("RTX 3060 Ti"));
        assert!(Pattern::bare("rtx_3060").is("RTX 3060"));
    }

    #[test]
    fn wildcards_cover_the_whole_text() {
        for (glob, text, found) in [
            ("rtx*", "RTX 4090", true),
            ("*90", "RTX 4090", true),
            ("*90", "RTX 4090 D", false),
            ("rtx?090", "RTX 4090", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*", "", true),
            ("A100*", "NVIDIA A100-SXM4-80GB", true),
            ("4090*", "RTX 4090 D", true),
            ("4090", "RTX 4090 D", true),
            ("090*", "RTX 4090", false),
            ("H100?SXM", "H100 SXM", true),
            ("h100??sxm", "H100 SXM", false),
        ] {
            assert_eq!(Pattern::bare(glob).is_in(text), found, "{glob} over {text}");
        }
        assert!(!Pattern::quoted("rtx*").is_in("RTX 4090"));
    }

    proptest! {
        #[test]
        fn a_text_matches_itself(text in "[a-zA-Z0-9 ]{1,20}") {
            prop_assert!(Pattern::bare(&text).is(&text));
            prop_assert!(Pattern::bare("*").is(&text));
        }

        #[test]
        fn many_stars_do_not_hang(stars in "[*a]{0,60}", text in "a{0,200}") {
            let _ = Pattern::bare(&stars).is(&text);
        }
    }
}
