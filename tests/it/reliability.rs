//! What the tests counted, for `docs/reliability.md`: with `HAGGLE_RELIABILITY=FILE` each test that
//! proves a promise adds a line of what was tried, in which variety, and how often. A line is only
//! written after its test has held.

use std::io::Write;

/// Notes that `what` was tried `count` times in the variety `kind`, and that nothing was lost.
pub(crate) fn note(what: &str, kind: &str, count: u64) {
    let Some(file) = std::env::var_os("HAGGLE_RELIABILITY") else { return };
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file).unwrap();
    file.write_all(format!("{what}\t{kind}\t{count}\n").as_bytes()).unwrap();
}
