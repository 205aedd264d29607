//! The changes that are worth trying, from what changes nothing in the result to what changes most.

use super::Change;
use crate::estimate::HardwareClass;
use crate::gpu::Gpu;
use crate::setup::{
    Attention, Checkpointing, Field, Framework, LossKernel, Method, Optimizer, Precision, Setup,
    Shard,
};

/// Shorter sequences than this are not advised.
const SHORTEST: u32 = 256;

/// What the card cannot run at all, and what it can instead.
pub(super) fn able(setup: &Setup, gpu: &Gpu) -> Vec<Change> {
    let mut all = Vec::new();
    let mut add = |field: Field, word: &str| {
        let (words, set) = (word.to_owned(), vec![(field, word.to_owned())]);
        all.push(Change { words, set, gpus: None });
    };
    if !gpu.bf16 && setup.precision == Precision::Bf16 {
        let master = setup.method == Method::Full;
        add(Field::Precision, if master { "fp32-master" } else { "fp16" });
    }
    if !gpu.flash_attention && setup.attention == Attention::Flash {
        add(Field::Attention, "sdpa");
    }
    all
}

/// Everything worth trying, from what changes nothing in the result to what changes most.
pub(super) fn changes(setup: &Setup, class: &HardwareClass) -> Vec<Change> {
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
    let now = setup.gpus.unwrap_or_else(|| class.gpus.unwrap_or(1.0).max(1.0) as u32);
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
    let lengths = [setup.seq_len / 2, setup.seq_len / 4].into_iter().filter(|s| *s >= SHORTEST);
    lengths
        .map(|s| Change {
            words: format!("sequences of {s} tokens"),
            set: vec![(Field::SeqLen, s.to_string())],
            gpus: None,
        })
        .collect()
}
