//! All integration tests, in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    missing_docs,
    clippy::unreadable_literal,
    clippy::needless_pass_by_value,
    clippy::redundant_closure_for_method_calls,
    clippy::format_push_string,
    reason = "a test that cannot go on stops; figures stand as providers write them"
)]

mod architecture;
mod cli;
mod documents;
mod fuzz;
mod gpu_names;
mod keys;
mod providers;
mod reliability;
mod screen;
mod support;
mod trust;

/// A file of the reference material; says so when it is absent.
fn shared(path: &str) -> Option<std::path::PathBuf> {
    let root = std::env::var_os("HAGGLE_SHARED").map(std::path::PathBuf::from);
    let file = root.map(|root| root.join(path)).filter(|file| file.exists());
    if file.is_some() {
        return file;
    }
    eprintln!("skipped: {path} of the reference material is not here (HAGGLE_SHARED)");
    None
}
