//! All integration tests, in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    missing_docs,
    reason = "a test that cannot go on should say so and stop"
)]

mod architecture;
mod cli;
mod keys;
mod providers;
mod screen;
mod support;
