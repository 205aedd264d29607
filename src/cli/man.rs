//! `haggle man`: the manual page, in roff. All commands on one page.

use super::args::Cli;
use super::failure::Failure;
use super::out;
use clap::CommandFactory;
use std::io;

pub(super) fn run() -> Result<(), Failure> {
    let page =
        page().map_err(|e| Failure::failed(format!("no manual page can be written: {e}")))?;
    out::data(&String::from_utf8_lossy(&page))
}

/// The page of the program, then one section for each command.
fn page() -> io::Result<Vec<u8>> {
    let command = Cli::command();
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command.clone()).date("");
    man.render(&mut page)?;
    for sub in command.get_subcommands() {
        let sub = sub.clone().display_name(format!("haggle {}", sub.get_name()));
        let name = sub.get_name().to_uppercase();
        page.extend_from_slice(format!(".SH \"HAGGLE {name}\"\n").as_bytes());
        let man = clap_mangen::Man::new(sub);
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    Ok(page)
}
