//! Names of sources that were read from a file: kept once, for as long as the program runs.

use super::Text;
use std::sync::{Mutex, OnceLock};

/// A snapshot names a dozen sources. A file that names thousands is not ours, and its surplus is
/// kept under one name instead of in memory for ever.
const MOST: usize = 512;
const SURPLUS: &str = "a source among too many to name";

/// The name of a source, from a text that was read: the same text gives the same name.
pub fn source_name(text: &Text) -> &'static str {
    static NAMES: OnceLock<Mutex<Vec<&'static str>>> = OnceLock::new();
    let names = NAMES.get_or_init(Mutex::default);
    let mut names = names.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(known) = names.iter().find(|name| **name == text.as_str()) {
        return known;
    }
    if names.len() >= MOST {
        return SURPLUS;
    }
    let name: &'static str = Box::leak(text.as_str().into());
    names.push(name);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let first = source_name(&Text::new("some endpoint"));
        let again = source_name(&Text::new("some endpoint"));
        assert!(std::ptr::eq(first, again));
        assert_eq!(first, "some endpoint");
    }
}
