//! Files for the trainers, with exactly the setup that was estimated, and the plan that engines and
//! scripts follow: what to install, which file to write, what to run.
//!
//! Two things are not part of an estimate and stand in the files as plain values to change: the
//! learning rate, and the data (`data/train.jsonl` in chat form, unless the `DATASET` variable says
//! otherwise).

pub(super) mod axolotl;
mod facts;
pub(super) mod llama_factory;
pub(super) mod torchtune;
pub(super) mod trl;
pub(super) mod unsloth;

use super::{Context, Unsuitable};
use crate::setup::Framework;

/// What it takes to train.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Commands that install what the image lacks.
    pub(super) install: &'static str,
    /// The file to write, and its text.
    pub(super) file: Option<(&'static str, String)>,
    /// The command that trains.
    pub(super) run: String,
}

/// The plan for the framework of the setup.
pub(super) fn plan(c: &Context<'_>) -> Result<Plan, Unsuitable> {
    match c.setup.framework {
        Framework::Hf | Framework::Trl => trl::plan(c),
        Framework::Axolotl => axolotl::plan(c),
        Framework::Unsloth => unsloth::plan(c),
        Framework::Torchtune => torchtune::plan(c),
        Framework::LlamaFactory => llama_factory::plan(c),
    }
}

/// A line that says so when the estimate was made for another framework's defaults.
fn mismatch(c: &Context<'_>, ours: &[Framework]) -> String {
    if ours.contains(&c.setup.framework) {
        return String::new();
    }
    format!(
        "# The estimate is for {}; run haggle with --framework {} for one of this trainer.\n",
        c.setup.framework, ours[0]
    )
}
