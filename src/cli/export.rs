//! `haggle export OFFER --as FORMAT`: hands an offer over to another program.

use super::args::ExportArgs;
use super::call::Call;
use super::failure::{Failure, Reason};
use super::market;
use super::{out, quote};
use crate::config::store;
use crate::export::{self, Context, Export, Purpose, shell};
use crate::setup::FrameworkChoice;

pub(super) fn run(call: &Call, args: ExportArgs) -> Result<(), Failure> {
    let target = export::find(&args.target)
        .ok_or_else(|| Failure::usage(format!("no export `{}`", args.target)))?;
    let mut flags = args.setup;
    // A trainer's file is for that trainer, unless somebody says otherwise.
    if let Some(framework) = target.framework
        && call.draft(flags.clone())?.framework.is_none()
    {
        flags.draft.framework = Some(FrameworkChoice { framework, version: None });
    }
    let wandb = args.wandb.as_deref();
    check_project(wandb, target)?;
    let setup = call.setup(flags)?;
    let market = call.market_with(&args.offer, None)?;
    let (quoted, _) = market::find(&market, &setup, &args.offer)
        .or_else(|gone| market.strict(&call.global).and(Err(gone)))?;
    let context = Context { wandb, ..quote::context(&quoted, &setup, market.now) };
    let text = target.write(&context).map_err(|e| Failure::usage(e.to_string()))?;
    match &args.output {
        None => out::data(&text)?,
        Some(file) => {
            let kept = store::replace(file, text.as_bytes())
                .map_err(|e| Failure::file(Reason::Failed, "-o", file, &e))?;
            out::kept(file, kept.as_deref());
        }
    }
    market.strict(&call.global)
}

/// A project is a plain word, and only a file that trains can report to one.
fn check_project(project: Option<&str>, target: &Export) -> Result<(), Failure> {
    let Some(project) = project else { return Ok(()) };
    if shell::word("project", project, "-_.").is_err() {
        return Err(Failure::usage(format!(
            "--wandb: `{project}` is no project; write letters, digits, `-`, `_` and `.`"
        )));
    }
    if !matches!(target.purpose, Purpose::Engine | Purpose::Trainer) {
        return Err(Failure::usage(format!(
            "--wandb: {} does not train; an engine, a trainer or run-script does",
            target.name
        )));
    }
    Ok(())
}
