//! What would make a setup fit, with the effect of each change, and what a card could take at most.
//!
//! Every change goes through the setup's own table of fields and checks, so that what is advised can
//! be applied as it stands.

use super::HardwareClass;
use super::fit::{Advice, Verdict};
use super::memory;
use crate::gpu::Gpu;
use crate::model::{self, Model};
use crate::setup::{
    Checkpointing, Draft, Field, Framework, LossKernel, Method, Optimizer, Precision, Setup, Shard,
};
use crate::units::Gib;
use std::sync::Arc;

/// A change must save at least this share of the need to be worth a line.
const WORTHWHILE: f64 = 0.01;
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

/// One way to need less: in words, and as fields of the setup.
struct Change {
    words: String,
    set: Vec<(Field, String)>,
    gpus: Option<u32>,
}

/// Changes that save memory, those that make it fit first, the least intrusive before the others.
/// Empty where the setup fits as it is, or memory is not modelled.
pub fn advice(setup: &Setup, gpu: &Gpu, class: &HardwareClass) -> Vec<Advice> {
    let now = memory::fit(setup, gpu, class);
    let (Some(needed), Verdict::No | Verdict::Tight) = (now.needed, now.verdict) else {
        return Vec::new();
    };
    let changes = changes(setup, class);
    let tried = changes.iter().filter_map(|change| try_out(setup, gpu, class, &[change]));
    let mut found: Vec<Advice> =
        tried.filter(|a| a.needed.get() < needed.get() * (1.0 - WORTHWHILE)).collect();
    found.sort_by_key(|a| a.verdict);
    if found.first().is_none_or(|best| best.verdict != Verdict::Fits) {
        found.splice(0..0, together(setup, gpu, class, &changes));
    }
    found
}

/// The first changes that fit when they are made together.
fn together(setup: &Setup, gpu: &Gpu, class: &HardwareClass, changes: &[Change]) -> Option<Advice> {
    let mut made: Vec<&Change> = Vec::new();
    let mut least: Option<Gib> = None;
    for change in changes {
        made.push(change);
        let Some(result) = try_out(setup, gpu, class, &made) else {
            made.pop();
            continue;
        };
        if least.is_some_and(|least| result.needed >= least) {
            made.pop();
        } else if result.verdict == Verdict::Fits {
            return Some(result);
        } else {
            least = Some(result.needed);
        }
    }
    None
}

/// The setup with `changes` made, on the hardware that they ask for.
fn try_out(setup: &Setup, gpu: &Gpu, class: &HardwareClass, changes: &[&Change]) -> Option<Advice> {
    let mut draft = setup.to_draft();
    let mut class = *class;
    for change in changes {
        for (field, value) in &change.set {
            draft.set(*field, value).ok()?;
        }
        class.gpus = change.gpus.map_or(class.gpus, f64::from);
    }
    let (changed, _) = without_contradictions(draft).resolve_beyond(setup.model.clone()).ok()?;
    let fit = memory::fit(&changed, gpu, &class);
    let words: Vec<&str> = changes.iter().map(|c| c.words.as_str()).collect();
    let set = changes.iter().flat_map(|c| &c.set);
    Some(Advice {
        change: words.join(", "),
        set: set.map(|(field, value)| (field.flag(), value.clone())).collect(),
        needed: fit.needed?,
        verdict: fit.verdict,
    })
}

/// Leaves out what belongs to a method that is no longer meant.
fn without_contradictions(mut draft: Draft) -> Draft {
    if draft.method != Some(Method::Qlora) {
        draft.quant = None;
        draft.kbit_prep = None;
    }
    draft
}

/// Everything worth trying, from what changes nothing in the result to what changes most.
fn changes(setup: &Setup, class: &HardwareClass) -> Vec<Change> {
    let mut all = Vec::new();
    let mut add = |words: String, set: Vec<(Field, String)>| {
        all.push(Change { words, set, gpus: None });
    };
    if setup.checkpointing == Checkpointing::Off {
        add("gradient checkpointing on".into(), vec![(Field::Checkpointing, "on".into())]);
    }
    if let Some(kernel) = better_loss(setup) {
        add(format!("{kernel} loss kernel"), vec![(Field::LossKernel, kernel.to_string())]);
    }
    if setup.micro_batch > 1 {
        let accumulate = setup.grad_accum.saturating_mul(setup.micro_batch);
        add(
            format!("micro-batch 1, accumulated {accumulate} times"),
            vec![(Field::MicroBatch, "1".into()), (Field::GradAccum, accumulate.to_string())],
        );
    }
    if setup.optimizer == Optimizer::Adamw && setup.method == Method::Full {
        add("8-bit AdamW".into(), vec![(Field::Optimizer, "adamw-8bit".into())]);
    }
    all.extend(sharded(setup, class));
    all.extend(adapters(setup));
    all.extend(shorter(setup));
    all
}

/// A loss kernel that the framework has and that keeps no logits.
fn better_loss(setup: &Setup) -> Option<LossKernel> {
    let wasteful = matches!(setup.loss_kernel, LossKernel::Eager | LossKernel::Fast);
    let better = if setup.framework == Framework::Torchtune {
        LossKernel::Chunked
    } else {
        LossKernel::Fused
    };
    wasteful.then_some(better)
}

/// The job over more cards, where it may use them.
fn sharded(setup: &Setup, class: &HardwareClass) -> Vec<Change> {
    let now = setup.gpus.unwrap_or_else(|| class.gpus.max(1.0) as u32);
    if setup.framework == Framework::Unsloth {
        return Vec::new();
    }
    let divided = matches!(setup.sharding(now), Shard::Fsdp | Shard::Zero2 | Shard::Zero3);
    let from = if divided { now + 1 } else { now.max(2) };
    let shard = match setup.shard {
        Some(shard @ (Shard::Zero2 | Shard::Zero3)) => shard,
        _ => Shard::Fsdp,
    };
    let counts = [2_u32, 4, 8].into_iter().filter(|n| *n >= from);
    counts
        .map(|n| Change {
            words: format!("{n} GPUs with {shard}"),
            set: vec![(Field::Gpus, n.to_string()), (Field::Shard, shard.to_string())],
            gpus: Some(n),
        })
        .collect()
}

/// Training fewer weights, and quantising the others.
fn adapters(setup: &Setup) -> Vec<Change> {
    let mut all = Vec::new();
    let precision = |set: &mut Vec<(Field, String)>| {
        if setup.precision == Precision::Fp32Master {
            set.push((Field::Precision, "bf16".into()));
        }
    };
    if setup.method == Method::Full {
        let mut set = vec![(Field::Method, "lora".into())];
        precision(&mut set);
        all.push(Change { words: "LoRA".into(), set, gpus: None });
    }
    if setup.method != Method::Qlora {
        let mut set = vec![(Field::Method, "qlora".into())];
        precision(&mut set);
        all.push(Change { words: "QLoRA".into(), set, gpus: None });
    }
    all
}

/// Half the sequence, and a quarter.
fn shorter(setup: &Setup) -> Vec<Change> {
    let lengths = [setup.seq_len / 2, setup.seq_len / 4].into_iter().filter(|s| *s >= SEQ_STEP);
    lengths
        .map(|s| Change {
            words: format!("sequences of {s} tokens"),
            set: vec![(Field::SeqLen, s.to_string())],
            gpus: None,
        })
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::memory::test_card;
    use crate::offer::Link;

    fn class(gpus: f64) -> HardwareClass {
        HardwareClass { gpu: None, gpus, vram: None, link: Link::Unknown }
    }

    fn setup(fields: &[(Field, &str)]) -> Setup {
        let mut draft = Draft::default();
        for (field, text) in fields {
            draft.set(*field, text).unwrap();
        }
        draft.resolve(model::find(draft.model_name()).unwrap()).unwrap()
    }

    #[test]
    fn what_fits_needs_no_advice() {
        assert_eq!(advice(&setup(&[]), &test_card(80.0, Some(79.15)), &class(1.0)), vec![]);
    }

    #[test]
    fn the_loss_kernel_or_the_batch_saves_a_job_that_does_not_fit() {
        let setup = setup(&[
            (Field::MicroBatch, "8"),
            (Field::SeqLen, "4096"),
            (Field::Checkpointing, "on"),
        ]);
        let card = test_card(80.0, Some(79.15));
        let found = advice(&setup, &card, &class(1.0));
        let fused = found.iter().find(|a| a.change.contains("fused")).unwrap();
        assert_eq!(fused.verdict, Verdict::Fits);
        assert_eq!(fused.set, vec![("loss-kernel", "fused".to_owned())]);
        let one = found.iter().find(|a| a.change.starts_with("micro-batch 1")).unwrap();
        assert!(one.set.contains(&("grad-accum", "8".to_owned())));
        let order: Vec<Verdict> = found.iter().map(|a| a.verdict).collect();
        assert!(order.is_sorted(), "{order:?}");
    }

    #[test]
    fn full_fine_tuning_on_a_small_card_is_led_to_adapters_or_more_cards() {
        let setup = setup(&[(Field::Method, "full"), (Field::MicroBatch, "4")]);
        let found = advice(&setup, &test_card(24.0, Some(23.6)), &class(1.0));
        assert_eq!(found[0].verdict, Verdict::Fits, "{found:?}");
        for wanted in ["QLoRA", "8 GPUs with fsdp", "8-bit AdamW"] {
            assert!(found.iter().any(|a| a.change.contains(wanted)), "{wanted}");
        }
    }

    #[test]
    fn every_advice_can_be_applied_and_does_what_it_says() {
        let setup = setup(&[(Field::Method, "full"), (Field::MicroBatch, "4")]);
        let card = test_card(24.0, Some(23.6));
        for a in advice(&setup, &card, &class(1.0)) {
            let mut draft = setup.to_draft();
            for (flag, value) in &a.set {
                draft.set(Field::from_name(flag).unwrap(), value).unwrap();
            }
            let changed = draft.resolve(setup.model.clone()).unwrap();
            let class = class(f64::from(changed.gpus.unwrap_or(1)));
            assert_eq!(memory::fit(&changed, &card, &class).needed, Some(a.needed), "{}", a.change);
        }
    }

    #[test]
    fn limits_stand_at_the_edge() {
        let setup = setup(&[(Field::Checkpointing, "on")]);
        let card = test_card(24.0, Some(23.6));
        let limits = limits(&setup, &card, &class(1.0));
        let batch = limits.micro_batch.unwrap();
        let verdict = |micro_batch| {
            memory::fit(&Setup { micro_batch, ..setup.clone() }, &card, &class(1.0)).verdict
        };
        assert_eq!(verdict(batch), Verdict::Fits);
        assert_ne!(verdict(batch + 1), Verdict::Fits);
        assert!(limits.seq_len.unwrap() >= 2048);
        assert!(limits.model.unwrap().params > setup.model.params);
        let tiny = super::limits(&setup, &test_card(4.0, None), &class(1.0));
        assert_eq!(tiny.micro_batch, None);
    }
}
