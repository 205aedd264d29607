//! Where files lie, by the XDG rules (on macOS too).

use super::Env;
use std::path::{Path, PathBuf};

/// The folders of haggle. Each is `None` where there is no home and no variable names one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// The home folder, for the files of other programs.
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`, for the files of other programs.
    pub config_home: Option<PathBuf>,
    /// The configuration file: `HAGGLE_CONFIG`, or `config.toml` in the configuration folder.
    pub config_file: Option<PathBuf>,
    /// Settings and keys.
    pub config: Option<PathBuf>,
    /// What can be fetched again.
    pub cache: Option<PathBuf>,
    /// What cannot: learnt runs, history.
    pub data: Option<PathBuf>,
    /// What the program remembers between starts: saved views, last query.
    pub state: Option<PathBuf>,
}

impl Paths {
    /// The folders that `env` names.
    pub fn of(env: &Env) -> Self {
        let home = env.path("HOME");
        let below = |variable: &str, inside: &str| {
            env.path(variable).or_else(|| home.as_ref().map(|h| h.join(inside)))
        };
        let config_home = below("XDG_CONFIG_HOME", ".config");
        let ours = |folder: Option<PathBuf>| folder.map(|f| f.join("haggle"));
        let config = ours(config_home.clone());
        let named = env.get("HAGGLE_CONFIG").map(PathBuf::from);
        Self {
            config_file: named.or_else(|| config.as_ref().map(|c| c.join("config.toml"))),
            config,
            config_home,
            cache: ours(below("XDG_CACHE_HOME", ".cache")),
            data: ours(below("XDG_DATA_HOME", ".local/share")),
            state: ours(below("XDG_STATE_HOME", ".local/state")),
            home,
        }
    }

    /// The cached market.
    pub fn market_cache(&self) -> Option<PathBuf> {
        self.cache.as_deref().map(|c: &Path| c.join("market.haggle"))
    }

    /// What was asked of the providers not long ago, by this run and others.
    pub fn requests(&self) -> Option<PathBuf> {
        self.cache.as_deref().map(|c: &Path| c.join("requests.json"))
    }

    /// What the Hugging Face hub said of a model.
    pub fn hub_answer(&self, id: &str) -> Option<PathBuf> {
        let name = format!("{}.json", id.replace('/', "--"));
        self.cache.as_deref().map(|c: &Path| c.join("hub").join(name))
    }

    /// The runs that the user taught us.
    pub fn learnt_runs(&self) -> Option<PathBuf> {
        self.data.as_deref().map(|d: &Path| d.join("runs.jsonl"))
    }

    /// Our own file of keys.
    pub fn keys_file(&self) -> Option<PathBuf> {
        self.config.as_deref().map(|c: &Path| c.join("keys.toml"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xdg_variables_win_over_home() {
        let paths = Paths::of(&Env::of([("HOME", "/home/a"), ("XDG_CACHE_HOME", "/fast")]));
        assert_eq!(paths.market_cache(), Some(PathBuf::from("/fast/haggle/market.haggle")));
        assert_eq!(paths.config_file, Some(PathBuf::from("/home/a/.config/haggle/config.toml")));
    }

    #[test]
    fn a_named_configuration_file_wins() {
        let paths = Paths::of(&Env::of([("HOME", "/h"), ("HAGGLE_CONFIG", "./mine.toml")]));
        assert_eq!(paths.config_file, Some(PathBuf::from("./mine.toml")));
    }

    #[test]
    fn without_a_home_there_are_no_places() {
        assert_eq!(Paths::of(&Env::default()), Paths::default());
    }
}
