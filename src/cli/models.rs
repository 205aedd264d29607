//! `haggle models`: what is built in.

use super::args::SearchArgs;
use super::call::Call;
use super::failure::Failure;
use super::out::{self, Grid};
use crate::export::document::VERSION;
use crate::model::{self, Model};
use serde_json::json;
use std::sync::Arc;

pub(super) fn run(call: &Call, args: &SearchArgs) -> Result<(), Failure> {
    let models: Vec<&Model> =
        model::catalogue().iter().map(Arc::as_ref).filter(|m| matches(m, &args.words)).collect();
    let mut grid = Grid::new(&[
        "name",
        "id",
        ">params",
        ">layers",
        ">hidden",
        ">vocabulary",
        ">context",
        "gated",
    ]);
    for model in &models {
        let shape = |pick: fn(&model::Architecture) -> u32| {
            model.architecture.as_ref().map_or_else(|_| "?".to_owned(), |a| pick(a).to_string())
        };
        grid.row(vec![
            model.name.clone(),
            model.id.clone(),
            format!("{:.2}B", model.params as f64 / 1e9),
            shape(|a| a.layers),
            shape(|a| a.hidden),
            shape(|a| a.vocab),
            model.max_context.map_or_else(|| "?".to_owned(), |c| c.to_string()),
            if model.gated { "yes" } else { "no" }.to_owned(),
        ]);
    }
    let document = json!({"schema": "haggle.models/1", "haggle": VERSION, "models": models});
    out::grid(call.global.format, &document, &grid)?;
    if models.is_empty() {
        out::say(
            "no built-in model matches; any other goes by its Hugging Face id: --model org/name",
        );
    }
    Ok(())
}

/// Every word stands somewhere in name, id or line.
fn matches(model: &Model, words: &[String]) -> bool {
    let text = format!("{} {} {}", model.name, model.id, model.line).to_lowercase();
    words.iter().all(|w| text.contains(&w.to_lowercase()))
}
