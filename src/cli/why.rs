//! `haggle why`: what hides what, and what would bring it back; or a checklist for one offer.

use super::args::{Format, WhyArgs};
use super::call::Call;
use super::failure::Failure;
use super::market::{self, Market};
use super::out::{self, Grid};
use crate::export::document::VERSION;
use crate::market::why::{self, Check, CheckAnswer, Why};
use crate::market::{Query, ViewRow};
use crate::offer::Provider;
use crate::setup::Setup;
use crate::units;
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(super) fn run(call: &Call, args: WhyArgs) -> Result<(), Failure> {
    let (words, offer) = split(args.words);
    let query = market::query(&call.global, &words)?;
    let setup = call.setup(args.setup)?;
    let mut market = match &offer {
        Some(id) => call.market_with(id, Some(&query))?,
        None => call.market_of(&query)?,
    };
    market.ask(&setup, &query, &[]);
    match offer {
        Some(id) => one(call, &mut market, (&setup, &query), &id)?,
        None => all(call, &mut market, &query)?,
    }
    market.strict(&call.global)
}

/// The offer's id at the end of the words, if there is one: a provider's name, a colon, more.
fn split(mut words: Vec<String>) -> (Vec<String>, Option<String>) {
    let is_id = |word: &String| {
        word.split_once(':')
            .is_some_and(|(p, key)| Provider::from_name(p).is_some() && !key.is_empty())
    };
    let offer = if words.last().is_some_and(is_id) { words.pop() } else { None };
    (words, offer)
}

fn all(call: &Call, market: &mut Market, query: &Query) -> Result<(), Failure> {
    let (view, table) = market.view();
    let why = why::market(view, table);
    let document = json!({
        "schema": "haggle.why/1",
        "haggle": VERSION,
        "query": query.to_string(),
        "shown": why.shown,
        "total": why.total,
        "before": why.before.iter().map(|e| json!({"reason": e.reason, "count": e.count})).collect::<Vec<_>>(),
        "conditions": why.conditions.iter().map(|c| json!({
            "condition": c.condition,
            "hidden_together": c.together,
            "hidden_alone": c.alone,
            "hidden_first": c.first,
            "unknown": c.unknown,
            "nearest": c.nearest.iter().map(|n| json!({
                "offer": table.id(n.line.row), "value": n.value,
            })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "relaxations": relaxations(market, &why),
    });
    let grid = conditions(market, &why);
    match call.global.format {
        Format::Table => out::data(&page(market, &why, &grid)),
        format => out::grid(format, &document, &grid),
    }
}

fn relaxations(market: &Market, why: &Why) -> Vec<Value> {
    let id = |line: ViewRow| market.table.id(line.row);
    let document = |r: &why::Relaxation| {
        json!({
            "change": r.change,
            "query": r.query,
            "brings": r.brings,
            "cheapest_usd": r.cheapest.map(crate::units::Usd::get),
            "offer": r.best.and_then(id),
        })
    };
    why.relaxations.iter().map(document).collect()
}

fn conditions(market: &Market, why: &Why) -> Grid {
    let mut grid = Grid::new(&["condition", ">hides", ">alone", ">unknown", "nearest misses"]);
    for c in &why.conditions {
        let misses: Vec<String> = c
            .nearest
            .iter()
            .filter_map(|n| Some(format!("{} ({})", market.table.id(n.line.row)?, n.value)))
            .collect();
        grid.row(vec![
            c.condition.clone(),
            c.together.to_string(),
            c.alone.to_string(),
            c.unknown.to_string(),
            misses.join(", "),
        ]);
    }
    grid
}

fn page(market: &Market, why: &Why, grid: &Grid) -> String {
    let mut text = format!("{} of {} offers shown\n", why.shown, why.total);
    for hidden in &why.before {
        let _ = writeln!(text, "{}: {}", hidden.reason, hidden.count);
    }
    if !why.conditions.is_empty() {
        text.push('\n');
        text.push_str(&grid.table());
    }
    for r in &why.relaxations {
        let cheapest = r.cheapest.map(|c| format!(", the cheapest at {}", units::usd(c)));
        let which = r.best.and_then(|line| market.table.id(line.row));
        let _ = writeln!(
            text,
            "\n{} brings {}{}{}\n  {}",
            r.change,
            r.brings,
            cheapest.unwrap_or_default(),
            which.map(|id| format!(" ({id})")).unwrap_or_default(),
            r.query
        );
    }
    text
}

/// A checklist for one offer.
fn one(
    call: &Call,
    market: &mut Market,
    (setup, query): (&Setup, &Query),
    id: &str,
) -> Result<(), Failure> {
    let (quoted, line) = market::find(market, setup, id)?;
    let (view, table) = market.view();
    let list = why::offer(view, table, line.row, line.kind);
    let mut grid = Grid::new(&["passes", "condition", "this offer", "needed"]);
    for check in &list.checks {
        let value = check.value.clone().unwrap_or_else(|| "-".to_owned());
        let needed = check.needed.clone().unwrap_or_default();
        grid.row(vec![word(check).to_owned(), check.condition.clone(), value, needed]);
    }
    let document = json!({
        "schema": "haggle.why/1",
        "haggle": VERSION,
        "query": query.to_string(),
        "offer": quoted.document(),
        "shown": list.shown(),
        "checks": list.checks.iter().map(|c| json!({
            "condition": c.condition, "answer": word(c), "value": c.value, "needed": c.needed,
        })).collect::<Vec<_>>(),
        "relaxed_query": list.query,
    });
    match (call.global.format, &list.query) {
        (Format::Table, Some(query)) => {
            let shown_by = format!("{id} is hidden; this query shows it:\n  {query}\n");
            out::data(&format!("{}\n{shown_by}", grid.table()))
        }
        (Format::Table, None) if list.shown() => {
            out::data(&format!("{}\n{id} is shown\n", grid.table()))
        }
        (format, _) => out::grid(format, &document, &grid),
    }
}

fn word(check: &Check) -> &'static str {
    match check.answer {
        CheckAnswer::Passes => "yes",
        CheckAnswer::Fails => "no",
        CheckAnswer::Unknown => "unknown",
        CheckAnswer::UnknownKept => "unknown-kept",
    }
}
