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

use super::{Context, Unsuitable, shell};
use crate::setup::Framework;

/// What it takes to train.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Commands that install what the image lacks.
    pub(super) install: String,
    /// The file to write, and its text.
    pub(super) file: Option<(&'static str, String)>,
    /// The command that trains.
    pub(super) run: String,
}

/// Machines that train together. How each learns its own number and the address of the first one
/// are words of the shell that runs there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nodes {
    /// How many.
    pub(super) count: u64,
    /// Number of this machine, from 0.
    pub(super) rank: &'static str,
    /// Address of the machine with number 0.
    pub(super) head: &'static str,
}

/// Where the machines meet: the port that torchrun's own documentation takes.
const PORT: u16 = 29500;

/// The plan for the framework of the setup, on one machine or on several.
pub(super) fn plan(c: &Context<'_>, nodes: Option<Nodes>) -> Result<Plan, Unsuitable> {
    if nodes.is_none() && facts::all_gpus(c) > facts::gpus(c) {
        return Err(Unsuitable::because(
            "the job wants more GPUs than the machine has; skypilot and dstack start several machines",
        ));
    }
    let mut plan = match c.setup.framework {
        Framework::Hf | Framework::Trl => trl::plan(c, nodes),
        Framework::Axolotl => axolotl::plan(c, nodes),
        Framework::Unsloth => unsloth::plan(c, nodes),
        Framework::Torchtune => torchtune::plan(c, nodes),
        Framework::LlamaFactory => llama_factory::plan(c, nodes),
    }?;
    if let Some(cards) = facts::visible(c) {
        plan.run = format!("export CUDA_VISIBLE_DEVICES={cards}\n{}", plan.run);
    }
    if let Some(project) = c.wandb {
        plan.install.push_str("\npip install --quiet wandb");
        plan.run = format!("export WANDB_PROJECT={}\n{}", shell::quote(project), plan.run);
    }
    Ok(plan)
}

/// Options of torchrun, where more than one process trains.
fn processes(c: &Context<'_>, nodes: Option<Nodes>) -> Option<String> {
    let gpus = facts::gpus(c);
    match nodes {
        Some(Nodes { count, rank, head }) => Some(format!(
            "--nnodes {count} --nproc-per-node {gpus} --node-rank {rank} --master-addr {head} --master-port {PORT}"
        )),
        None => (gpus > 1).then(|| format!("--nproc-per-node {gpus}")),
    }
}

/// A line that says so when the estimate was made for another framework's defaults, or for an older
/// version than the one that these files are for.
fn mismatch(c: &Context<'_>, ours: &[Framework]) -> String {
    if ours.contains(&c.setup.framework) {
        return c.setup.version.map_or_else(String::new, |v| {
            let estimated = format!("{}@{}.{}", c.setup.framework, v.major, v.minor);
            format!("# The estimate is for {estimated}; this file is for today's version.\n")
        });
    }
    format!(
        "# The estimate is for {}; run haggle with --framework {} for one of this trainer.\n",
        c.setup.framework, ours[0]
    )
}

#[cfg(test)]
mod tests;
