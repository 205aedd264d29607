//! The command line: one file per command, one contract with scripts.
//!
//! Standard output holds data, standard error holds narration. Exit codes are those of
//! [`failure::Reason`]. The same engine as the screen's makes every figure.

pub mod args;
mod call;
mod completions;
mod config;
mod doctor;
mod estimate;
mod evidence;
mod export;
mod failure;
mod gate;
mod gather;
mod gpus;
mod hub;
mod job;
mod learn;
mod list;
pub mod log;
mod man;
mod market;
mod mistake;
mod models;
mod out;
mod pareto;
mod providers;
mod quote;
mod screen;
mod setup;
pub mod setup_flags;
mod watch;
mod why;

pub use args::{Cli, Command, Format, Global};
pub use failure::{Failure, Reason};

use call::Call;
use clap::Parser;
use clap::error::ErrorKind;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with the arguments and the environment of this process.
pub fn main() -> ExitCode {
    crate::tty::install_hook();
    crate::runtime::no_core_files();
    let words: Vec<OsString> = std::env::args_os().collect();
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, &words),
    };
    let format = cli.global.format;
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.message.is_empty() {
                out::say(&failure.text(format));
            }
            failure.code()
        }
    }
}

/// Help and version are answers; everything else that the parser says is a mistake.
fn refuse(error: &clap::Error, words: &[OsString]) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let written = out::data(&error.render().to_string());
        return written.map_or_else(|f| f.code(), |()| ExitCode::SUCCESS);
    }
    let failure = Failure::usage(mistake::line(error, words));
    let format = if json_wanted(words) { Format::Json } else { Format::Table };
    out::say(&failure.text(format));
    failure.code()
}

/// Was `--format json` among words that could not be parsed?
fn json_wanted(words: &[OsString]) -> bool {
    let words: Vec<_> = words.iter().map(|w| w.to_string_lossy()).collect();
    words.windows(2).any(|w| w[0] == "--format" && w[1] == "json")
        || words.iter().any(|w| w == "--format=json")
}

fn run(cli: Cli) -> Result<(), Failure> {
    let Cli { global, setup, command } = cli;
    out::set_plain(global.plain);
    let call = Call::new(global, setup)?;
    let Some(command) = command else {
        return screen::run(&call);
    };
    match command {
        Command::List(args) => list::list(&call, args),
        Command::Best(args) => list::best(&call, args),
        Command::Quote(args) => quote::run(&call, args),
        Command::Why(args) => why::run(&call, args),
        Command::Pareto(args) => pareto::run(&call, args),
        Command::Export(args) => export::run(&call, args),
        Command::Watch(args) => watch::run(&call, args),
        Command::Gate(args) => gate::run(&call, args),
        Command::Estimate(args) => estimate::run(&call, args),
        Command::Evidence(args) => evidence::run(&call, args),
        Command::Setup(args) => setup::run(&call, args),
        Command::Models(args) => models::run(&call, &args),
        Command::Gpus(args) => gpus::run(&call, &args),
        Command::Config(args) => config::run(&call, &args),
        Command::Providers => providers::run(&call),
        Command::Doctor => doctor::run(&call),
        Command::Schema => out::data(crate::export::document::SCHEMA),
        Command::Completions { shell } => completions::run(shell),
        Command::Man => man::run(),
        Command::Learn(args) => learn::run(&call, args),
    }
}
