//! `haggle doctor`: what is found where, what each provider answers, what the terminal can do, and
//! what to do next.

use super::args::Format;
use super::call::Call;
use super::failure::Failure;
use super::market::{self, Market};
use super::out::Grid;
use super::{config, out, providers, screen};
use crate::app::ThemeName;
use crate::config::{find_key, key_problems, key_variable, keys_file_problem};
use crate::export::document::VERSION;
use crate::offer::Provider;
use crate::session::Light;
use crate::tty;
use serde_json::json;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::IsTerminal;

pub(super) fn run(call: &Call) -> Result<(), Failure> {
    let settings = config::settings(call);
    let market = call.market()?;
    let terminal = terminal(call);
    let next = next(call, &market);
    let document = json!({
        "schema": "haggle.doctor/1",
        "haggle": VERSION,
        "settings": settings,
        "providers": market.statuses.iter().map(|s| market::provider(s, market.now)).collect::<Vec<_>>(),
        "terminal": terminal.iter().map(|(k, v)| ((*k).to_owned(), json!(v))).collect::<serde_json::Map<_, _>>(),
        "next": next,
    });
    let page = || {
        let mut text = config::grid(&settings).table();
        text.push('\n');
        text.push_str(&providers::grid(call, &market).table());
        text.push('\n');
        for (what, value) in &terminal {
            let _ = writeln!(text, "{what:<16}  {value}");
        }
        text.push('\n');
        for (number, step) in next.iter().enumerate() {
            let _ = writeln!(text, "{}. {step}", number + 1);
        }
        text
    };
    let rows = || grid(&settings, &market, &terminal, &next);
    out::document(call.global.format, &document, page, rows)?;
    if call.global.format == Format::Table {
        out::say(&format!("haggle {VERSION}"));
    }
    market.strict(&call.global)
}

/// Everything as rows: what it is about, name, value, remark.
fn grid(
    settings: &[config::Setting],
    market: &Market,
    terminal: &[(&'static str, String)],
    next: &[String],
) -> Grid {
    let mut grid = Grid::new(&["about", "name", "value", "remark"]);
    let mut row = |about: &str, name: &str, value: String, remark: String| {
        grid.row(vec![about.to_owned(), name.to_owned(), value, remark]);
    };
    for setting in settings {
        let (name, value, from) = setting.parts();
        row("setting", name, value.unwrap_or_default().to_owned(), from.to_owned());
    }
    for status in &market.statuses {
        let name = status.provider.name();
        row("provider", name, status.light.word().to_owned(), status.line(market.now));
    }
    for (name, value) in terminal {
        row("terminal", name, value.clone(), String::new());
    }
    for (number, step) in next.iter().enumerate() {
        row("next", &(number + 1).to_string(), step.clone(), String::new());
    }
    grid
}

/// What is known about the terminal without asking it.
fn terminal(call: &Call) -> Vec<(&'static str, String)> {
    let variable = |name: &str| call.env.get(name).unwrap_or("not set").to_owned();
    let yes = |value: bool| if value { "yes" } else { "no" }.to_owned();
    let (look, _) = screen::look_and_problems(call);
    let colours = match (look.theme == ThemeName::Mono, call.env.get("COLORTERM")) {
        (true, _) if call.env.no_color() => "none: NO_COLOR is set".to_owned(),
        (true, _) => "none".to_owned(),
        (false, Some("truecolor" | "24bit")) => "16 million".to_owned(),
        (false, _) if variable("TERM").contains("256color") => "256".to_owned(),
        (false, _) => "16".to_owned(),
    };
    let size = tty::size().map_or_else(
        || "unknown".to_owned(),
        |(columns, rows)| format!("{columns} columns, {rows} rows"),
    );
    let clipboard = if call.env.get("TMUX").is_some() {
        "OSC 52 through tmux, which needs set-clipboard on and allow-passthrough on"
    } else {
        "OSC 52, where the terminal allows it"
    };
    vec![
        ("terminal", yes(std::io::stdout().is_terminal())),
        ("size", size),
        ("TERM", variable("TERM")),
        ("colours", colours),
        ("drawing", if look.ascii { "ASCII" } else { "Unicode" }.to_owned()),
        ("mouse", yes(look.mouse)),
        ("clipboard", clipboard.to_owned()),
        ("tmux", yes(call.env.get("TMUX").is_some())),
        ("ssh", yes(call.env.get("SSH_CONNECTION").is_some())),
    ]
}

/// What would better things, most useful first.
fn next(call: &Call, market: &Market) -> Vec<String> {
    let mut steps = Vec::new();
    let failed = |light: Light| matches!(light, Light::Failed | Light::Stale);
    let asked: Vec<_> = market.statuses.iter().filter(|s| s.light != Light::Off).collect();
    if !asked.is_empty() && asked.iter().all(|s| failed(s.light)) {
        steps.push(
            "nobody answered: is there a network, or does it need HTTPS_PROXY? haggle list --offline shows what was saved"
                .to_owned(),
        );
    }
    for status in asked.iter().filter(|s| failed(s.light)) {
        steps.extend(status.error.as_ref().map(|e| format!("{} {e}", status.provider.name())));
    }
    steps.extend(keys_file_problem(&call.paths));
    steps.extend(Provider::ALL.iter().flat_map(|p| key_problems(*p, &call.env, &call.paths)));
    steps.extend(screen::look_and_problems(call).1);
    steps.extend(market.statuses.iter().filter_map(|s| key_wanted(call, s.provider, s.light)));
    if call.env.get("TERM").is_none_or(|t| t == "dumb") && std::io::stdout().is_terminal() {
        steps.push(
            "TERM names no terminal that can be drawn on; haggle list works all the same".into(),
        );
    }
    // One file may hold the keys of several providers.
    let mut said = HashSet::new();
    steps.retain(|step| said.insert(step.clone()));
    if steps.is_empty() {
        steps.push("nothing; haggle opens the screen, haggle list prints the market".to_owned());
    }
    steps
}

/// What a key that is not there would be good for.
fn key_wanted(call: &Call, provider: Provider, light: Light) -> Option<String> {
    let (variable, _) = key_variable(provider)?;
    if find_key(provider, &call.env, &call.paths).is_some() {
        return None;
    }
    let good = match provider {
        _ if light == Light::NeedsKey => "it does not answer without one",
        Provider::Vast => "for the whole market; without one it answers 64 rows a page",
        Provider::Lambda => "for live prices and capacity; without one there are dated list prices",
        _ => return None,
    };
    let own = call.paths.keys_file().map_or_else(String::new, |f| {
        format!(" (or a line {} = \"KEY\" in {}, mode 600)", provider.name(), f.display())
    });
    Some(format!("{}: set {variable}{own} {good}", provider.name()))
}
