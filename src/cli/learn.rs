//! `haggle learn`: records a finished run, which later estimates for the same setup on the same
//! cards use first.

use super::args::LearnArgs;
use super::call::{Call, now};
use super::estimate;
use super::failure::{Failure, Reason};
use super::out::{self, Grid};
use crate::config::store;
use crate::export::document::VERSION;
use crate::setup::runs::Run;
use serde_json::json;

pub(super) fn run(call: &Call, args: LearnArgs) -> Result<(), Failure> {
    let (_, card) = estimate::find_gpu(&args.gpu)?;
    let setup = call.setup(args.setup)?;
    let gpus = setup.gpus.unwrap_or(1);
    if let Some(peak) = args.peak_gib.filter(|peak| *peak > card.memory.get()) {
        return Err(Failure::usage(format!(
            "--peak-gib: {peak} is more than the {} GiB of one {}",
            card.memory.get(),
            card.name
        )));
    }
    let measured = (args.tokens_per_second, args.peak_gib);
    let run = Run::new(&setup, card.name, gpus, measured, now()).map_err(Failure::usage)?;
    let file = call
        .paths
        .learnt_runs()
        .ok_or_else(|| Failure::failed("there is no home folder to keep runs in"))?;
    store::append_line(&file, &run.line())
        .map_err(|e| Failure::file(Reason::Failed, "", &file, &e))?;
    let document = json!({
        "schema": "haggle.learn/1",
        "haggle": VERSION,
        "file": file.display().to_string(),
        "run": run,
    });
    let page = || {
        format!(
            "recorded: {} tokens/s on {gpus} x {}; {}\n",
            args.tokens_per_second,
            card.name,
            file.display()
        )
    };
    let grid = || {
        let mut grid = Grid::new(&["gpu", ">gpus", ">tokens_per_second", ">peak_gib", "file"]);
        grid.row(vec![
            card.name.to_owned(),
            gpus.to_string(),
            args.tokens_per_second.to_string(),
            args.peak_gib.map(|p| p.to_string()).unwrap_or_default(),
            file.display().to_string(),
        ]);
        grid
    };
    out::document(call.global.format, &document, page, grid)
}
