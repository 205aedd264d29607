//! `haggle completions SHELL`: names of commands, options, models, GPUs, providers and words.

use super::args::Cli;
use super::failure::Failure;
use super::out;
use clap::CommandFactory;
use clap_complete::Shell;

pub(super) fn run(shell: Shell) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "haggle", &mut bytes);
    out::data(&String::from_utf8_lossy(&bytes))
}
