//! The `haggle` program: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    haggle::cli::main()
}
