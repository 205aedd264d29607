//! What the parser of the command line does not understand, in one line: what is wrong, where, and
//! what would be right.

use super::args::Cli;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error as _;
use std::ffi::OsString;

/// One line about `error`, made by the parser from `words` (the program's name first).
pub(super) fn line(error: &clap::Error, words: &[OsString]) -> String {
    let said = said(error);
    let help = format!("see {} --help", program(words));
    match hint(error) {
        Some(hint) => format!("{said}; {hint}"),
        None if said.contains(';') || said.contains(", as ") => said,
        None => format!("{said}; {help}"),
    }
}

/// What is wrong.
fn said(error: &clap::Error) -> String {
    let argument = text(error, ContextKind::InvalidArg);
    let value = text(error, ContextKind::InvalidValue).unwrap_or_default();
    match (error.kind(), argument) {
        (ErrorKind::UnknownArgument, Some(argument)) if argument.starts_with('-') => {
            format!("there is no option `{argument}` here")
        }
        (ErrorKind::UnknownArgument, Some(argument)) => {
            format!("`{argument}` is one argument too many")
        }
        (ErrorKind::InvalidSubcommand, _) => {
            let name = text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            format!("there is no command `{name}`")
        }
        (ErrorKind::InvalidValue, Some(argument)) if value.is_empty() => {
            format!("{} wants a value", name(&argument))
        }
        (ErrorKind::InvalidValue, Some(argument)) => {
            format!("{}: there is no `{value}`", name(&argument))
        }
        (ErrorKind::ValueValidation, Some(argument)) => {
            let why = error.source().map_or_else(|| format!("`{value}`"), ToString::to_string);
            format!("{}: {why}", name(&argument))
        }
        (ErrorKind::MissingRequiredArgument, Some(argument)) => {
            format!("{argument} is missing")
        }
        _ => first_line(error),
    }
}

/// What would be right.
fn hint(error: &clap::Error) -> Option<String> {
    let near =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    let meant = near.into_iter().find_map(|kind| text(error, kind));
    let valid = text(error, ContextKind::ValidValue);
    match (meant, valid) {
        // A list of a few words says more than a guess.
        (_, Some(valid)) => Some(format!("there are {valid}")),
        (Some(meant), None) => Some(format!("did you mean {meant}?")),
        (None, None) => None,
    }
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(one) => Some(one.clone()),
        ContextValue::Strings(many) => Some(many.join(", ")),
        _ => None,
    }
}

/// `--format` of `--format <FORMAT>`.
fn name(argument: &str) -> &str {
    argument.split(' ').next().unwrap_or(argument)
}

fn first_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).trim_end().to_owned()
}

/// `haggle list`, as far as the words name a command.
fn program(words: &[OsString]) -> String {
    let command = Cli::command();
    let named = words.iter().skip(1).find_map(|word| command.find_subcommand(word));
    named.map_or_else(|| "haggle".to_owned(), |sub| format!("haggle {}", sub.get_name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn refused(words: &str) -> String {
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        line(&Cli::try_parse_from(&words).unwrap_err(), &words)
    }

    #[test]
    fn every_mistake_is_one_line_that_says_what_would_be_right() {
        for (words, said) in [
            ("haggle nope", "there is no command `nope`; see haggle --help"),
            ("haggle lst", "there is no command `lst`; did you mean best, list?"),
            (
                "haggle list --frmat json",
                "there is no option `--frmat` here; did you mean --format?",
            ),
            (
                "haggle list --format xml",
                "--format: there is no `xml`; there are table, json, csv, yaml, markdown",
            ),
            (
                "haggle list --format",
                "--format wants a value; there are table, json, csv, yaml, markdown",
            ),
            ("haggle list --limit x", "--limit: `x` is no whole number; see haggle list --help"),
            ("haggle list --limit -1", "--limit: `-1` is no whole number; see haggle list --help"),
            ("haggle quote", "<OFFER> is missing; see haggle quote --help"),
            ("haggle quote a b", "`b` is one argument too many; see haggle quote --help"),
            ("haggle estimate", "--gpu <NAME> is missing; see haggle estimate --help"),
            (
                "haggle learn",
                "--gpu <NAME>, --tokens-per-second <X> is missing; see haggle learn --help",
            ),
            ("haggle gate --max-total abc", "--max-total: `abc` is no amount, as 20 or 20$"),
            (
                "haggle list --tokens 5X",
                "--tokens: `5X` is no number of tokens, as 500k, 50M or 1.5B",
            ),
            (
                "haggle list --gpus 0",
                "--gpus: `0` is no whole number of at least 1; see haggle list --help",
            ),
        ] {
            assert_eq!(refused(words), said, "{words}");
        }
    }
}
