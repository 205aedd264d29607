//! `haggle man`: the manual page, in roff. All commands on one page.

use super::args::Cli;
use super::failure::Failure;
use super::out;
use clap::CommandFactory;
use std::io;

pub(super) fn run() -> Result<(), Failure> {
    let page =
        page().map_err(|e| Failure::failed(format!("no manual page can be written: {e}")))?;
    // The generator writes two breaks around an empty line, where one space is meant.
    out::data(&String::from_utf8_lossy(&page).replace(".br\n\n.br\n", ".sp\n"))
}

/// When the commands last changed.
const DATE: &str = "2026-12-01";

/// The page of the program, then one section for each command.
fn page() -> io::Result<Vec<u8>> {
    let command = Cli::command();
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command.clone()).date(DATE);
    man.render(&mut page)?;
    for sub in command.get_subcommands() {
        let is_setup = |a: &clap::Arg| a.get_help_heading() == Some(super::setup_flags::HEADING);
        let takes_setup = sub.get_arguments().any(is_setup);
        let named = sub.clone().display_name(format!("haggle {}", sub.get_name()));
        // They stand above, once.
        let sub = named.mut_args(|a| if is_setup(&a) { a.hide(true) } else { a });
        let name = sub.get_name().to_uppercase();
        page.extend_from_slice(format!(".SH \"HAGGLE {name}\"\n").as_bytes());
        let man = clap_mangen::Man::new(sub);
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
        if takes_setup {
            page.extend_from_slice(b".PP\nThe options of SETUP apply, too.\n");
        }
    }
    Ok(page)
}
