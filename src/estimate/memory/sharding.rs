//! How weights, gradients and states are divided over the GPUs of one machine, and what must be
//! gathered for the computation all the same.
//!
//! Sources: FSDP under accelerate as read off fms-acceleration's runs on 2 and 4 GPUs (states / n,
//! plus the unsharded root unit, plus the gathered layer; within 0.1 % for Mistral-7B and
//! Llama-3-8B); DDP as in PyTorch's reducer; DeepSpeed as in its memory documentation and defaults.

use super::job::Job;
use super::weights::Static;
use crate::setup::{Method, Offload, Shard};

/// Weights that DeepSpeed lets live gathered at most (`stage3_max_live_parameters`, default 10⁹).
const DEEPSPEED_LIVE: f64 = 1e9;
/// Elements of DeepSpeed's reduce and gather buckets (`reduce_bucket_size`, default 5·10⁸).
const DEEPSPEED_BUCKET: f64 = 5e8;

/// Factors on the unsharded figures, and what comes on top in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Division {
    /// Share of the weights on each GPU.
    pub(crate) weights: f64,
    /// Share of the optimizer states.
    pub(crate) states: f64,
    /// Share of the gradients that is alive at every moment.
    pub(crate) held_gradients: f64,
    /// Share of the gradients made by the backward pass that stays.
    pub(crate) fresh_gradients: f64,
    /// Share of the gradients of the layer at work.
    pub(crate) own_gradients: f64,
    /// Share of the gradients at the optimizer step.
    pub(crate) step_gradients: f64,
    /// The gathered root unit: embeddings and LM head.
    pub(crate) root: f64,
    /// The gathered layer, with its gradient in full fine-tuning.
    pub(crate) layer: f64,
    /// Buckets that are always there.
    pub(crate) buckets: f64,
    /// How often checkpoints count while a layer is worked on.
    pub(crate) checkpoint_copies: f64,
}

impl Division {
    /// The division of `job`.
    pub(crate) fn of(job: &Job, stat: &Static) -> Division {
        let whole = Division {
            weights: 1.0,
            states: 1.0,
            held_gradients: 0.0,
            fresh_gradients: 1.0,
            own_gradients: 1.0,
            step_gradients: 1.0,
            root: 0.0,
            layer: 0.0,
            buckets: 0.0,
            checkpoint_copies: 1.0,
        };
        let division = match job.shard {
            Shard::None => whole,
            // The reducer's buckets hold every trained gradient once more.
            Shard::Ddp => Division { buckets: stat.gradients, ..whole },
            Shard::Fsdp => fsdp(job, stat, whole),
            Shard::Zero2 => zero2(job, stat, whole),
            Shard::Zero3 => zero3(job, stat, whole),
        };
        let division = if job.offload == Offload::All && job.divides_weights() {
            // Shards live in main memory; what is gathered is all that is here.
            Division { weights: 0.0, states: 0.0, step_gradients: 0.0, ..division }
        } else {
            division
        };
        let division = if job.own.no_gradients || (job.deepspeed() && job.offload != Offload::None)
        {
            Division { fresh_gradients: 0.0, step_gradients: 0.0, ..division }
        } else {
            division
        };
        if job.accumulates { division.accumulating(job, stat) } else { division }
    }

    /// From the second pass on, the gradients of the first are there at every moment (inferred from
    /// the traced steps, not run). FSDP under accelerate does not synchronise before the last pass
    /// and keeps them whole, in 16 bits (its documentation on gradient synchronisation).
    fn accumulating(self, job: &Job, stat: &Static) -> Division {
        let held = match job.shard {
            Shard::Fsdp if !job.loss_in_eighths => 2.0 / stat.grad_bytes,
            Shard::Zero2 | Shard::Zero3 => self.own_gradients,
            _ => self.step_gradients,
        };
        Division { held_gradients: held, fresh_gradients: 0.0, ..self }
    }
}

/// Bytes of a gathered 16-bit root unit.
fn root(job: &Job) -> f64 {
    2.0 * job.embedding() * if job.tied { 1.0 } else { 2.0 }
}

fn fsdp(job: &Job, stat: &Static, whole: Division) -> Division {
    let full = job.method == Method::Full;
    let layer16 = 2.0 * (stat.linear_per_layer + stat.small_per_layer);
    // Full fine-tuning gathers the next layer while this one's gradient is still whole.
    let layer = if full { 4.0 * layer16 } else { stat.layer_stored };
    Division {
        weights: 1.0 / job.n,
        states: 1.0 / job.n,
        fresh_gradients: 0.0,
        own_gradients: 0.0,
        step_gradients: 1.0 / job.n,
        root: root(job),
        layer,
        // Adapters under accelerate's FSDP hold the checkpoints twice; measured, cause not known.
        checkpoint_copies: if full || job.loss_in_eighths { 1.0 } else { 2.0 },
        ..whole
    }
}

/// DeepSpeed's optimizer step works on an fp32 copy of the 16-bit gradients, which it lets go: with
/// weights, fp32 weights and two states, 2 P + 16 P / n under stage 2 and 18 P / n under stage 3 (its
/// memory documentation). Adapters' gradients are fp32 as they are.
fn step_copy(job: &Job) -> f64 {
    let copy = if job.method == Method::Full { 2.0 } else { 1.0 };
    copy / job.n
}

/// Stage 2: weights whole, gradients and fp32 states divided. DeepSpeed keeps its own fp32 weights,
/// counted with the states.
fn zero2(job: &Job, stat: &Static, whole: Division) -> Division {
    Division {
        states: 1.0 / job.n,
        fresh_gradients: 1.0 / job.n,
        own_gradients: 1.0 / job.n,
        step_gradients: step_copy(job),
        buckets: 2.0 * 2.0 * DEEPSPEED_BUCKET.min(stat.gradients / stat.grad_bytes),
        ..whole
    }
}

/// Stage 3: everything divided; the live weights are at most the prefetch bucket and a layer.
fn zero3(job: &Job, stat: &Static, whole: Division) -> Division {
    let layer16 = 2.0 * (stat.linear_per_layer + stat.small_per_layer);
    Division {
        weights: 1.0 / job.n,
        states: 1.0 / job.n,
        fresh_gradients: 1.0 / job.n,
        own_gradients: 1.0 / job.n,
        step_gradients: step_copy(job),
        root: root(job),
        layer: (2.0 * DEEPSPEED_LIVE.min(job.params)).max(2.0 * layer16),
        buckets: 2.0 * 2.0 * DEEPSPEED_BUCKET.min(stat.gradients / stat.grad_bytes),
        ..whole
    }
}
