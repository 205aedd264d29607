//! The environment, read once and handed on, so that tests can hand in another.

use secrecy::zeroize::Zeroizing;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The variables that haggle looks at.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Env {
    /// Values may be keys: they are wiped when they go.
    variables: BTreeMap<String, Zeroizing<String>>,
}

impl std::fmt::Debug for Env {
    /// Names only: values may be keys.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

impl Env {
    /// The environment of this process. Variables that are not Unicode count as absent.
    pub fn of_process() -> Self {
        let pairs = std::env::vars_os();
        let variables =
            pairs.filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?.into())));
        Self { variables: variables.collect() }
    }

    /// An environment made by hand.
    pub fn of<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self {
            variables: pairs.into_iter().map(|(k, v)| (k.into(), v.to_owned().into())).collect(),
        }
    }

    /// The value of a variable; empty counts as absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(|v| v.as_str()).filter(|v| !v.is_empty())
    }

    /// The value of a variable as an absolute path. The XDG rules say to ignore relative ones.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from).filter(|p| p.is_absolute())
    }

    /// `NO_COLOR` is set to anything.
    pub fn no_color(&self) -> bool {
        self.get("NO_COLOR").is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_counts_as_absent_and_values_stay_out_of_debug_output() {
        let env = Env::of([("VAST_API_KEY", "sekret"), ("NO_COLOR", "")]);
        assert_eq!(env.get("VAST_API_KEY"), Some("sekret"));
        assert!(!env.no_color());
        assert!(!format!("{env:?}").contains("sekret"));
    }

    #[test]
    fn relative_paths_are_ignored() {
        let env = Env::of([("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "/data")]);
        assert_eq!(env.path("XDG_CACHE_HOME"), None);
        assert_eq!(env.path("XDG_DATA_HOME"), Some(PathBuf::from("/data")));
    }
}
