//! The configuration file: what may stand in it, and errors that name the line.

use crate::offer::Provider;
use crate::setup::Draft;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a configuration file says. Everything may be missing.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FileConfig {
    /// The setup to start with; the same names as in `job.yaml`.
    pub setup: Draft,
    /// What the screen shows at the start.
    pub view: ViewConfig,
    /// Keys of actions: `quit = ["q", "ctrl-c"]`.
    pub keys: BTreeMap<String, KeyList>,
    /// The saved views, by name.
    pub views: BTreeMap<String, SavedView>,
    /// Providers: address, whether it is asked at all.
    pub providers: BTreeMap<ProviderName, ProviderConfig>,
    /// Address of the Hugging Face hub.
    pub hub_url: Option<String>,
}

/// A saved view: a query, and an order where one was saved with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a view is a query, or { query = \"fit:yes\", sort = \"total\" }"
)]
pub enum SavedView {
    /// A query; the order stays as it is.
    Query(String),
    /// A query and its order.
    Ordered {
        /// The query.
        query: String,
        /// Sort keys, as `--sort` takes them.
        sort: String,
    },
}

impl SavedView {
    /// The query.
    pub fn query(&self) -> &str {
        match self {
            SavedView::Query(query) | SavedView::Ordered { query, .. } => query,
        }
    }

    /// The sort keys, where some were saved.
    pub fn sort(&self) -> Option<&str> {
        match self {
            SavedView::Query(_) => None,
            SavedView::Ordered { sort, .. } => Some(sort),
        }
    }
}

impl std::fmt::Display for SavedView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.query().is_empty() { "everything" } else { self.query() })?;
        self.sort().map_or(Ok(()), |sort| write!(f, ", by {sort}"))
    }
}

/// What the screen shows at the start.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ViewConfig {
    /// The query.
    pub query: Option<String>,
    /// Sort keys, the most important first: `total,hours` (`-` in front turns one round).
    pub sort: Option<String>,
    /// Columns, in order.
    pub columns: Option<Vec<String>>,
    /// Theme: `terminal`, `dark`, `light`, `colour-blind`, `mono`.
    pub theme: Option<String>,
    /// Draw with ASCII only.
    pub ascii: Option<bool>,
    /// React to the mouse.
    pub mouse: Option<bool>,
    /// Nothing moves by itself.
    pub reduced_motion: Option<bool>,
    /// Plain mode instead of the screen.
    pub plain: Option<bool>,
}

impl ViewConfig {
    /// These settings, and for what they leave open those of `below`.
    pub fn over(self, below: ViewConfig) -> ViewConfig {
        ViewConfig {
            query: self.query.or(below.query),
            sort: self.sort.or(below.sort),
            columns: self.columns.or(below.columns),
            theme: self.theme.or(below.theme),
            ascii: self.ascii.or(below.ascii),
            mouse: self.mouse.or(below.mouse),
            reduced_motion: self.reduced_motion.or(below.reduced_motion),
            plain: self.plain.or(below.plain),
        }
    }

    /// Is a setting of this name said here?
    pub fn says(&self, name: &str) -> bool {
        match name {
            "query" => self.query.is_some(),
            "sort" => self.sort.is_some(),
            "columns" => self.columns.is_some(),
            "theme" => self.theme.is_some(),
            "ascii" => self.ascii.is_some(),
            "mouse" => self.mouse.is_some(),
            "reduced_motion" => self.reduced_motion.is_some(),
            "plain" => self.plain.is_some(),
            _ => false,
        }
    }
}

/// One provider's settings.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderConfig {
    /// Base address, instead of the provider's own.
    pub url: Option<String>,
    /// Ask it at all (default yes).
    pub enabled: Option<bool>,
    /// Minutes between automatic refreshes (0: never).
    pub refresh_minutes: Option<u32>,
}

/// One key or several.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum KeyList {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl KeyList {
    /// The keys as a list.
    pub fn as_slice(&self) -> &[String] {
        match self {
            KeyList::One(key) => std::slice::from_ref(key),
            KeyList::Many(keys) => keys,
        }
    }
}

/// A provider, by its name in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub struct ProviderName(pub Provider);

/// A configuration file that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{file}{}: {problem}", .line.map(|l| format!(":{l}")).unwrap_or_default())]
pub struct ConfigError {
    /// The file.
    pub file: String,
    /// The line, where it can be told.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: String,
}

impl FileConfig {
    /// Reads the text of `file`.
    pub fn parse(text: &str, file: &str) -> Result<FileConfig, ConfigError> {
        toml::from_str(text).map_err(|e| {
            let line =
                e.span().map(|s| 1 + text.bytes().take(s.start).filter(|b| *b == b'\n').count());
            ConfigError { file: file.to_string(), line, problem: e.message().trim().to_string() }
        })
    }

    /// The settings of one provider.
    pub fn provider(&self, provider: Provider) -> ProviderConfig {
        self.providers.get(&ProviderName(provider)).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_file_is_understood() {
        let text = r#"
            hub_url = "http://127.0.0.1:1/hf"
            [setup]
            method = "lora"
            seq_len = 4096
            [view]
            query = "rel>95%"
            ascii = true
            [keys]
            quit = ["q", "ctrl-q"]
            help = "?"
            [views]
            cheap = "total<10$"
            fast = { query = "fit:yes", sort = "hours,-rel" }
            [providers.vast]
            url = "http://127.0.0.1:8899/vast"
            [providers.azure]
            enabled = false
        "#;
        let config = FileConfig::parse(text, "config.toml").unwrap();
        assert_eq!(config.setup.seq_len, Some(4096));
        assert_eq!(config.provider(Provider::Azure).enabled, Some(false));
        assert_eq!(config.keys["help"].as_slice(), ["?"]);
        assert_eq!(config.views["cheap"].to_string(), "total<10$");
        assert_eq!(config.views["fast"].to_string(), "fit:yes, by hours,-rel");
        let wrong = FileConfig::parse("[views]\na = { query = \"\", by = \"rel\" }", "c.toml");
        let wrong = wrong.unwrap_err().to_string();
        assert!(wrong.contains("a view is a query, or { query ="), "{wrong}");
        assert_eq!(
            config.provider(Provider::Vast).url.as_deref(),
            Some("http://127.0.0.1:8899/vast")
        );
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        let error = FileConfig::parse("[view]\nquerry = \"x\"\n", "c.toml").unwrap_err();
        assert_eq!(error.line, Some(2));
        assert!(error.to_string().starts_with("c.toml:2: unknown field `querry`"), "{error}");
    }

    #[test]
    fn an_unknown_provider_is_a_mistake() {
        assert!(FileConfig::parse("[providers.acme]\n", "c.toml").is_err());
    }
}
