//! Words for a POSIX shell: the one place where text is quoted, and where a word from a market is
//! judged before it may stand in a command at all.

use super::Unsuitable;
use std::fmt::Write as _;

/// `text` as exactly one word of a POSIX shell, whatever it holds.
///
/// Plain words stay as they are; everything else stands in single quotes, in which nothing is
/// special but the single quote itself (POSIX.1-2017, 2.2.2).
pub fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A word from a market, if it is nothing but ASCII letters, digits and the characters in
/// `also`, and does not begin like an option.
///
/// # Errors
/// [`Unsuitable`], naming `what`, when it is anything else.
pub fn word<'a>(what: &str, text: &'a str, also: &str) -> Result<&'a str, Unsuitable> {
    let good = |c: char| c.is_ascii_alphanumeric() || also.contains(c);
    if text.is_empty() {
        return Err(Unsuitable(format!("the offer names no {what}")));
    }
    if text.starts_with(['-', ' ']) || !text.chars().all(good) {
        return Err(Unsuitable(format!("the {what} of the offer is no plain word")));
    }
    Ok(text)
}

/// `text` as a name that every provider takes: small letters, digits and single dashes, a letter
/// in front, at most 60 characters.
pub fn label(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for c in text.chars().map(|c| c.to_ascii_lowercase()) {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.ends_with('-') && !name.is_empty() {
            name.push('-');
        }
        if name.len() == 60 {
            break;
        }
    }
    name.trim_end_matches('-').to_owned()
}

/// A command with its options, one option a line.
#[derive(Debug)]
pub struct Command {
    head: String,
    options: Vec<String>,
}

impl Command {
    /// A command that begins with `head`, which must be our own text.
    pub fn new(head: &str) -> Self {
        Self { head: head.to_owned(), options: Vec::new() }
    }

    /// An argument behind the head.
    #[must_use]
    pub fn argument(mut self, text: &str) -> Self {
        self.head.push(' ');
        self.head.push_str(&quote(text));
        self
    }

    /// An option without a value.
    #[must_use]
    pub fn switch(mut self, name: &str) -> Self {
        self.options.push(name.to_owned());
        self
    }

    /// An option with a value that is quoted here.
    #[must_use]
    pub fn option(mut self, name: &str, value: &str) -> Self {
        self.options.push(format!("{name} {}", quote(value)));
        self
    }

    /// An option whose value is a variable of the user's shell.
    #[must_use]
    pub fn variable(mut self, name: &str, variable: &str) -> Self {
        self.options.push(format!("{name} \"${variable}\""));
        self
    }

    /// The command, ended by a line break.
    pub fn finish(self) -> String {
        let mut text = self.head;
        for option in self.options {
            text.push_str(" \\\n  ");
            text.push_str(&option);
        }
        text.push('\n');
        text
    }
}

/// Lines that stop a script when a variable is not set, saying what belongs there.
pub fn require(variables: &[(&str, &str)]) -> String {
    variables.iter().fold(String::new(), |mut text, (name, what)| {
        let _ = writeln!(text, ": \"${{{name}:?set it to {what}}}\"");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_words_stay_and_others_are_quoted() {
        assert_eq!(quote("pytorch/pytorch:2.4.0"), "pytorch/pytorch:2.4.0");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote("$(reboot)"), "'$(reboot)'");
        assert_eq!(quote("~root"), "'~root'");
    }

    #[test]
    fn a_word_is_nothing_but_a_word() {
        assert_eq!(word("id", "p4d.24xlarge", ".-"), Ok("p4d.24xlarge"));
        for bad in ["", "-rf", "a b", "a;b", "$(x)", "a\nb", "ä"] {
            assert!(word("id", bad, ".-").is_err(), "{bad:?}");
        }
    }

    #[test]
    fn labels_suit_the_strictest_provider() {
        assert_eq!(label("haggle Meta-Llama-3-8B (QLoRA)"), "haggle-meta-llama-3-8b-qlora");
        assert_eq!(label(&"x".repeat(100)).len(), 60);
        assert_eq!(label("--a__b--"), "a-b");
    }

    proptest! {
        #[test]
        fn a_shell_reads_back_what_was_quoted(text in "[^\\x00]{0,60}") {
            // The grammar of what `quote` writes: plain runs, quoted runs, and \' between them.
            let quoted = quote(&text);
            let mut read = String::new();
            let mut chars = quoted.chars();
            let mut inside = false;
            while let Some(c) = chars.next() {
                match (inside, c) {
                    (_, '\'') => inside = !inside,
                    (false, '\\') => read.extend(chars.next()),
                    (false, c) => {
                        prop_assert!(c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c));
                        read.push(c);
                    }
                    (true, c) => read.push(c),
                }
            }
            prop_assert!(!inside);
            prop_assert_eq!(read, text);
        }
    }
}
