//! `haggle config`: files, folders, keys and addresses, and where each comes from.

use super::args::ConfigArgs;
use super::call::Call;
use super::failure::Failure;
use super::out::{self, Grid};
use crate::app::keymap::Keymap;
use crate::config::{find_hub_token, find_key};
use crate::export::document::VERSION;
use crate::offer::Provider;
use crate::setup::Field;
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// One setting.
#[derive(Debug, Serialize)]
pub(super) struct Setting {
    name: String,
    value: Option<String>,
    from: String,
}

impl Setting {
    fn new(name: impl Into<String>, value: Option<String>, from: impl Into<String>) -> Self {
        Self { name: name.into(), value, from: from.into() }
    }

    /// Name, value and where it comes from.
    pub(super) fn parts(&self) -> (&str, Option<&str>, &str) {
        (&self.name, self.value.as_deref(), &self.from)
    }
}

pub(super) fn run(call: &Call, args: &ConfigArgs) -> Result<(), Failure> {
    if args.defaults {
        return out::data(DEFAULTS);
    }
    let settings = settings(call);
    let keys = call.config.keys.iter().map(|(name, keys)| (name.as_str(), keys.as_slice()));
    for problem in Keymap::new(keys).1 {
        out::say(&format!("[keys] {problem}"));
    }
    let document = json!({"schema": "haggle.config/1", "haggle": VERSION, "settings": settings});
    out::grid(call.global.format, &document, &grid(&settings))
}

/// The settings, one line each.
pub(super) fn grid(settings: &[Setting]) -> Grid {
    let mut grid = Grid::new(&["setting", "value", "from"]);
    for s in settings {
        let value = s.value.clone().unwrap_or_else(|| "-".to_owned());
        grid.row(vec![s.name.clone(), value, s.from.clone()]);
    }
    grid
}

/// All settings, with where each comes from.
pub(super) fn settings(call: &Call) -> Vec<Setting> {
    let mut all = places(call);
    all.extend(Provider::ALL.into_iter().flat_map(|p| provider(call, p)));
    let token = find_hub_token(&call.env, &call.paths);
    all.push(match token {
        Some(key) => Setting::new("hf.token", Some(key.hint()), key.origin.to_string()),
        None => Setting::new("hf.token", None, "not set; HF_TOKEN"),
    });
    all.push(address(call, "hf.url", "HAGGLE_HF_URL", call.config.hub_url.clone()));
    for (name, value, from) in super::screen::view_settings(call) {
        all.push(Setting::new(format!("view.{name}"), Some(value), from));
    }
    for (name, keys) in &call.config.keys {
        all.push(Setting::new(
            format!("keys.{name}"),
            Some(keys.as_slice().join(" ")),
            file_name(call),
        ));
    }
    for (name, view) in &call.config.views {
        all.push(Setting::new(format!("views.{name}"), Some(view.to_string()), file_name(call)));
    }
    for field in Field::ALL.iter().copied() {
        if let Some(value) = call.config.setup.get(field) {
            all.push(Setting::new(format!("setup.{}", field.name()), Some(value), file_name(call)));
        }
    }
    all
}

fn places(call: &Call) -> Vec<Setting> {
    let place = |name: &str, path: Option<PathBuf>| {
        let from = match &path {
            Some(p) if p.exists() => "there",
            Some(_) => "not there yet",
            None => "no home folder",
        };
        Setting::new(name, path.map(|p| p.display().to_string()), from)
    };
    vec![
        place("file.settings", call.paths.config_file.clone()),
        place("file.keys", call.paths.keys_file()),
        place("file.market", call.paths.market_cache()),
        place("file.runs", call.paths.learnt_runs()),
        place("file.kept", crate::runtime::kept::file(&call.paths)),
        place("folder.state", call.paths.state.clone()),
    ]
}

fn provider(call: &Call, provider: Provider) -> Vec<Setting> {
    let name = provider.name();
    let own = call.config.provider(provider);
    let endpoints = crate::provider::source(provider).map_or(&[][..], |s| s.profile().endpoints);
    let variable = endpoints.first().map_or("", |endpoint| endpoint.variable);
    let mut settings = vec![address(call, &format!("{name}.url"), variable, own.url)];
    if let Some((key_variable, _)) = crate::config::key_variable(provider) {
        settings.push(match find_key(provider, &call.env, &call.paths) {
            Some(key) => {
                let warning = key.warning.as_ref().map(|w| format!("; {w}")).unwrap_or_default();
                let from = format!("{}{warning}", key.origin);
                Setting::new(format!("{name}.key"), Some(key.hint()), from)
            }
            None => Setting::new(format!("{name}.key"), None, format!("not set; {key_variable}")),
        });
    }
    if own.enabled == Some(false) {
        settings.push(Setting::new(format!("{name}.enabled"), Some("no".into()), file_name(call)));
    }
    settings
}

fn address(call: &Call, name: &str, variable: &str, file: Option<String>) -> Setting {
    match (call.env.get(variable), file) {
        (Some(url), _) => Setting::new(name, Some(url.to_owned()), variable),
        (None, Some(url)) => Setting::new(name, Some(url), file_name(call)),
        (None, None) => {
            Setting::new(name, None, format!("its own; {variable} or the settings file"))
        }
    }
}

fn file_name(call: &Call) -> String {
    call.paths.config_file.as_ref().map(|f| f.display().to_string()).unwrap_or_default()
}

/// A settings file that says what is so anyway.
const DEFAULTS: &str = "\
# Settings of haggle. Everything may be left out.

[setup]
# The job to start with; the names of job.yaml (haggle setup --print).
# model = \"Meta-Llama-3-8B\"
# method = \"qlora\"

[view]
# query = \"rel>95%\"
# sort = \"total,hours\"
# theme = \"terminal\"
# ascii = false
# mouse = true
# reduced_motion = false
# columns = [\"provider\", \"gpu\", \"price\", \"fit\", \"total\"]
# plain = false

[keys]
# quit = [\"q\", \"ctrl-q\"]

[views]
# europe = \"region:eu rel>95%\"

[providers.vast]
# enabled = true
# url = \"http://127.0.0.1:8899/vast\"
# refresh_minutes = 5
";

#[cfg(test)]
mod tests {
    use crate::config::FileConfig;

    #[test]
    fn the_printed_defaults_are_a_settings_file_with_and_without_its_comments() {
        assert!(FileConfig::parse(super::DEFAULTS, "x").is_ok());
        let all: String = super::DEFAULTS
            .lines()
            .map(|l| match l.strip_prefix("# ") {
                Some(rest) if rest.contains(" = ") => format!("{rest}\n"),
                _ => format!("{l}\n"),
            })
            .collect();
        let config = FileConfig::parse(&all, "x").unwrap();
        assert_eq!(config.view.mouse, Some(true));
        assert_eq!(config.views["europe"].query(), "region:eu rel>95%");
    }
}
