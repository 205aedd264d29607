//! What a card could take at most, with the rest of the setup as it is.

use crate::estimate::HardwareClass;
use crate::estimate::fit::Verdict;
use crate::estimate::memory;
use crate::gpu::Gpu;
use crate::model::{self, Model};
use crate::setup::Setup;
use std::sync::Arc;

/// Sequences are tried in steps of this many tokens.
const SEQ_STEP: u32 = 256;
/// Nobody trains longer ones on one machine.
const LONGEST: u32 = 1 << 20;
const LARGEST_BATCH: u32 = 4096;

/// What a card takes at most with the rest of the setup as it is; `None` where not even the least
/// fits, or where memory is not modelled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Largest micro-batch.
    pub micro_batch: Option<u32>,
    /// Longest sequence, in tokens, within the model's context.
    pub seq_len: Option<u32>,
    /// Largest model of the catalogue.
    pub model: Option<Arc<Model>>,
}

/// The largest batch, sequence and model that fit with room.
pub fn limits(setup: &Setup, gpu: &Gpu, class: &HardwareClass) -> Limits {
    let fits = |s: &Setup| memory::fit(s, gpu, class).verdict == Verdict::Fits;
    let with_batch = |micro_batch| fits(&Setup { micro_batch, ..setup.clone() });
    let context = setup.model.max_context.unwrap_or(LONGEST).min(LONGEST);
    let with_seq = |steps: u32| {
        let seq_len = (steps * SEQ_STEP).min(context);
        fits(&Setup { seq_len, ..setup.clone() })
    };
    let longest = largest(context.div_ceil(SEQ_STEP), with_seq);
    Limits {
        micro_batch: largest(LARGEST_BATCH, with_batch),
        seq_len: longest.map(|steps| (steps * SEQ_STEP).min(context)),
        model: largest_model(setup, fits),
    }
}

fn largest_model(setup: &Setup, fits: impl Fn(&Setup) -> bool) -> Option<Arc<Model>> {
    let mut models: Vec<&Arc<Model>> = model::catalogue().iter().collect();
    models.sort_by_key(|m| std::cmp::Reverse(m.params));
    let draft = setup.to_draft();
    let able = |m: &&&Arc<Model>| draft.resolve((**m).clone()).is_ok_and(|s| fits(&s));
    models.iter().find(able).map(|m| (*m).clone())
}

/// The largest number of 1 to `most` for which `fits` holds; it must hold for all smaller ones then.
fn largest(most: u32, fits: impl Fn(u32) -> bool) -> Option<u32> {
    if most == 0 || !fits(1) {
        return None;
    }
    let (mut good, mut bad) = (1, most.saturating_add(1));
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(good)
}
