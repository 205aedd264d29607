//! `haggle doctor`: what is found where, what each provider answers, what the terminal can do, and
//! what to do next.

use super::args::Format;
use super::call::Call;
use super::failure::Failure;
use super::market::{self, Market};
use super::{config, out, providers};
use crate::config::find_key;
use crate::export::document::VERSION;
use crate::offer::Provider;
use crate::session::Light;
use serde_json::json;
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
    out::document("doctor", call.global.format, &document, || {
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
    })?;
    if call.global.format == Format::Table {
        out::say(&format!("haggle {VERSION}"));
    }
    market.strict(call)
}

/// What is known about the terminal without asking it.
fn terminal(call: &Call) -> Vec<(&'static str, String)> {
    let variable = |name: &str| call.env.get(name).unwrap_or("not set").to_owned();
    let yes = |value: bool| if value { "yes" } else { "no" }.to_owned();
    let colours = match (call.env.no_color(), call.env.get("COLORTERM")) {
        (true, _) => "none, NO_COLOR is set".to_owned(),
        (false, Some("truecolor" | "24bit")) => "16 million".to_owned(),
        (false, _) if variable("TERM").contains("256color") => "256".to_owned(),
        (false, _) => "16".to_owned(),
    };
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|v| call.env.get(v));
    vec![
        ("terminal", yes(std::io::stdout().is_terminal())),
        ("TERM", variable("TERM")),
        ("colours", colours),
        ("UTF-8", yes(locale.is_some_and(|l| l.to_lowercase().replace('-', "").contains("utf8")))),
        ("tmux", yes(call.env.get("TMUX").is_some())),
        ("ssh", yes(call.env.get("SSH_CONNECTION").is_some())),
    ]
}

/// What would better things, most useful first.
fn next(call: &Call, market: &Market) -> Vec<String> {
    let mut steps = Vec::new();
    for status in &market.statuses {
        let name = status.provider.name();
        match (status.light, &status.error) {
            (Light::NeedsKey, _) => {
                if let Some((variable, _)) = crate::config::key_variable(status.provider) {
                    steps.push(format!(
                        "{name} shows list prices only; set {variable} for live ones"
                    ));
                }
            }
            (Light::Failed | Light::Stale, Some(error)) => steps.push(format!("{name} {error}")),
            _ => {}
        }
    }
    if find_key(Provider::Vast, &call.env, &call.paths).is_none() {
        steps.push(
            "vast answers 64 rows a page without a key; set VAST_API_KEY for the whole market"
                .into(),
        );
    }
    let warnings =
        Provider::ALL.iter().filter_map(|p| find_key(*p, &call.env, &call.paths)?.warning);
    steps.extend(warnings);
    if steps.is_empty() {
        steps.push("nothing; haggle list shows the market".to_owned());
    }
    steps
}
