//! The flags of a setup, made from the one table of fields, so that the command line, `job.yaml`
//! and the editor never disagree.

use crate::model;
use crate::setup::{Draft, Field, SetupError};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::ffi::OsStr;
use std::path::PathBuf;

/// The heading of these flags in the help.
pub const HEADING: &str = "Setup";

/// What the flags say about the setup.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetupFlags {
    /// The file of `-f`.
    pub file: Option<PathBuf>,
    /// What the flags themselves say, over the file.
    pub draft: Draft,
}

impl SetupFlags {
    /// These flags, and `other` over them.
    #[must_use]
    pub fn with(mut self, other: SetupFlags) -> Self {
        self.draft.overlay(&other.draft);
        self.file = other.file.or(self.file);
        self
    }
}

impl Args for SetupFlags {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new("job")
            .short('f')
            .long("job")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help("Read the setup from a job.yaml; flags win over it")
            .help_heading(HEADING);
        Field::ALL.iter().fold(command.arg(file), |command, field| command.arg(flag(*field)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn flag(field: Field) -> Arg {
    let mut words: Vec<&'static str> = field.choices().to_vec();
    if field == Field::Model {
        words = model::catalogue().iter().map(|m| m.name.as_str()).collect();
    } else if field.may_be_auto() {
        words.push("auto");
    }
    // A few words are worth listing; numbers and 118 models are not.
    let listed = field != Field::Model && words.len() > 1;
    Arg::new(field.flag())
        .long(field.flag())
        .value_name(field.shape())
        .value_parser(Hinted(words))
        .hide_possible_values(!listed)
        .allow_negative_numbers(true)
        .action(if field == Field::Assume { ArgAction::Append } else { ArgAction::Set })
        .help(field.about().trim_end_matches('.'))
        .help_heading(HEADING)
}

impl FromArgMatches for SetupFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = SetupFlags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        if let Some(file) = matches.get_one::<PathBuf>("job") {
            self.file = Some(file.clone());
        }
        for field in Field::ALL.iter().copied() {
            for text in matches.get_many::<String>(field.flag()).into_iter().flatten() {
                self.draft.set(field, text).map_err(|e| refuse(&e))?;
            }
        }
        Ok(())
    }
}

fn refuse(error: &SetupError) -> clap::Error {
    clap::Error::raw(ErrorKind::InvalidValue, format!("--{}: {}\n", error.field, error.problem))
}

/// Takes any text; the words are for completion. The setup itself judges what is right.
#[derive(Clone)]
pub struct Hinted(pub Vec<&'static str>);

impl TypedValueParser for Hinted {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        _arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        value
            .to_str()
            .map(str::to_owned)
            .ok_or_else(|| clap::Error::new(ErrorKind::InvalidUtf8).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        (!self.0.is_empty()).then(|| {
            Box::new(self.0.iter().map(|w| PossibleValue::new(*w)))
                as Box<dyn Iterator<Item = PossibleValue>>
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<SetupFlags, clap::Error> {
        let command = SetupFlags::augment_args(Command::new("t").no_binary_name(true));
        SetupFlags::from_arg_matches(&command.try_get_matches_from(words)?)
    }

    #[test]
    fn every_field_has_its_flag() {
        let flags = parse(&[
            "--model",
            "Qwen2.5-7B",
            "--tokens=50M",
            "--packing",
            "on",
            "--assume",
            "mfu=0.4",
            "--assume",
            "idle=1",
        ])
        .unwrap();
        assert_eq!(flags.draft.model.as_deref(), Some("Qwen2.5-7B"));
        assert_eq!(flags.draft.packing, Some(true));
        assert_eq!(flags.draft.get(Field::Assume).as_deref(), Some("mfu=0.4,idle=1"));
    }

    #[test]
    fn mistakes_name_the_flag() {
        let error = parse(&["--method", "dora"]).unwrap_err().to_string();
        assert!(
            error.contains("--method: `dora` is no method; one of full, lora, qlora"),
            "{error}"
        );
        assert!(parse(&["--seq-length", "2"]).is_err());
    }

    #[test]
    fn later_flags_win() {
        let first = parse(&["--seq-len", "1024", "--epochs", "2", "-f", "a.yaml"]).unwrap();
        let both = first.with(parse(&["--seq-len", "4096"]).unwrap());
        assert_eq!((both.draft.seq_len, both.draft.epochs), (Some(4096), Some(2.0)));
        assert_eq!(both.file, Some(PathBuf::from("a.yaml")));
    }
}
