//! What stands in memory for the whole run: weights, gradients, optimizer states. Bytes of one
//! unsharded copy; [`super::sharding`] divides them.
//!
//! Source: the traced steps (Transformers 5.24, PEFT 0.21, bitsandbytes 0.50, torch 2.15) and the
//! layouts in the sources of bitsandbytes (blocks of 64 weights, 256 constants, 8-bit states in
//! blocks of 256) and PEFT (adapters in fp32).

use super::job::{Job, Linear};
use crate::model::Family;
use crate::setup::{Method, Offload, Optimizer, Quant};

/// The allocator rounds each tensor up to 512 bytes: on average this much is lost on the scalar
/// `step` that AdamW keeps beside each pair of states.
const STEP_BYTES: f64 = 512.0;
/// Lookup tables that bitsandbytes keeps with each 4-bit matrix.
const NF4_TABLES: f64 = 2048.0;
/// Tensors below this many elements keep 32-bit states under 8-bit optimizers.
const SMALLEST_8BIT: f64 = 4096.0;
/// Two 8-bit states and their fp32 constants, per weight.
const STATES_8BIT: f64 = 2.0 + 8.0 / 256.0;

/// Static memory of one unsharded copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Static {
    /// Weights, adapters included.
    pub(crate) weights: f64,
    /// All gradients together.
    pub(crate) gradients: f64,
    /// Optimizer states on the GPU.
    pub(crate) states: f64,
    /// Adapter weights of one layer, in number.
    pub(crate) adapter_per_layer: f64,
    /// Weights of one layer's linear layers, in number.
    pub(crate) linear_per_layer: f64,
    /// Norms and biases of one layer, in number.
    pub(crate) small_per_layer: f64,
    /// Bytes of a gradient element.
    pub(crate) grad_bytes: f64,
    /// Bytes of the base weights of one layer, as they are stored.
    pub(crate) layer_stored: f64,
}

impl Static {
    /// Adds it up for `job`.
    pub(crate) fn of(job: &Job) -> Static {
        let adapter_per_layer = adapters(job);
        let linear_per_layer = job.linear_params / job.l;
        let adapters = job.l * adapter_per_layer;
        let base = base_weights(job);
        let (weights, grad_bytes, trained) = match job.method {
            Method::Full => (base, full_bytes(job), job.params),
            _ => (base + job.adapter_bytes * adapters, job.adapter_bytes, adapters),
        };
        let gradients = grad_bytes * trained;
        let biases = if job.qkv_bias { job.q + 2.0 * job.k } else { 0.0 };
        let qk = if job.qk_norm { 2.0 * job.d } else { 0.0 };
        let unquantised = job.params - job.linear_params;
        Static {
            weights,
            gradients,
            states: if job.offload == Offload::None { states(job, gradients) } else { 0.0 },
            adapter_per_layer,
            linear_per_layer,
            small_per_layer: job.norms * job.h + biases + qk,
            grad_bytes,
            layer_stored: (base - unquantised * unquantised_bytes(job)) / job.l,
        }
    }
}

fn unquantised_bytes(job: &Job) -> f64 {
    if job.amp || job.fp32_unquantised() { 4.0 } else { 2.0 }
}

/// Bytes of a weight that is not quantised, and of its gradient.
fn full_bytes(job: &Job) -> f64 {
    if job.amp || job.fp32_shards { 4.0 } else { 2.0 }
}

/// Weights without adapters.
fn base_weights(job: &Job) -> f64 {
    let Some(quant) = job.quant else {
        return job.params * full_bytes(job);
    };
    let per_layer: f64 = job.linears.iter().map(|x| x.copies * quantised(quant, x)).sum();
    // Shared experts and dense first layers are not among the seven; they quantise alike.
    let listed: f64 = job.linears.iter().map(|x| x.copies * x.weights()).sum();
    let rest = job.linear_params / (job.l * listed).max(1.0);
    job.l * per_layer * rest + (job.params - job.linear_params) * unquantised_bytes(job)
}

fn quantised(quant: Quant, linear: &Linear) -> f64 {
    let n = linear.weights();
    match quant {
        Quant::Nf4 => n / 2.0 + n / 64.0 * 4.0,
        Quant::Nf4Dq => n / 2.0 + n / 64.0 + 4.0 * (n / 64.0 / 256.0).ceil() + NF4_TABLES,
        // Four bits, and per 128 weights an fp16 scale and a 4-bit zero.
        Quant::Gptq => n * (0.5 + 2.5 / 128.0),
        // One byte, and an fp32 scale for each row.
        Quant::Int8 => n + 4.0 * linear.output,
    }
}

/// Adapter weights of one layer, in number.
fn adapters(job: &Job) -> f64 {
    let adapted = job.linears.iter().filter(|x| x.adapted);
    adapted.map(|x| x.copies * job.rank * (x.input + x.output)).sum()
}

fn states(job: &Job, gradients: f64) -> f64 {
    if job.deepspeed() && job.method == Method::Full {
        // fp32 weights, and two states in the optimizer's format (ZeRO paper: 4 + 4 + 4).
        let states = match job.optimizer {
            Optimizer::Adamw => 8.0,
            Optimizer::Adamw8bit => STATES_8BIT,
            Optimizer::PagedAdamw8bit | Optimizer::Sgd | Optimizer::Adafactor => 0.0,
        };
        return (4.0 + states) * job.params;
    }
    match job.optimizer {
        Optimizer::Adamw => 2.0 * gradients + STEP_BYTES * state_pairs(job),
        Optimizer::Adamw8bit => states_8bit(job),
        // Paged states are managed memory outside PyTorch's allocator and leave under pressure.
        Optimizer::PagedAdamw8bit | Optimizer::Sgd => 0.0,
        Optimizer::Adafactor => factored(job),
    }
}

/// Trained tensors, each of which has a pair of states.
fn state_pairs(job: &Job) -> f64 {
    let listed = |f: fn(&Linear) -> bool| -> f64 {
        job.linears.iter().filter(|x| x.copies > 0.0 && f(x)).map(|x| x.copies).sum()
    };
    match job.method {
        Method::Full => {
            let biases = if job.qkv_bias { 3.0 } else { 0.0 };
            job.l * (listed(|_| true) + job.norms + biases) + 2.0
        }
        _ => 2.0 * job.l * listed(|x| x.adapted),
    }
}

/// 8-bit AdamW; the Trainer keeps the states of embeddings in 32 bits, and bitsandbytes those of
/// small tensors: norms and biases.
fn states_8bit(job: &Job) -> f64 {
    let of = |n: f64| n * if n < SMALLEST_8BIT { 8.0 } else { STATES_8BIT };
    if job.method == Method::Full {
        let embedding = job.embedding();
        let more = |n: f64| of(n) - n * STATES_8BIT;
        let biases = if job.qkv_bias { more(job.q) + 2.0 * more(job.k) } else { 0.0 };
        let heads = if job.qk_norm { 2.0 * more(job.d) } else { 0.0 };
        let small = job.l * (job.norms * more(job.h) + biases + heads) + more(job.h);
        return (job.params - embedding) * STATES_8BIT + 8.0 * embedding + small;
    }
    let adapted = job.linears.iter().filter(|x| x.adapted);
    job.l
        * adapted
            .map(|x| x.copies * (of(job.rank * x.input) + of(job.rank * x.output)))
            .sum::<f64>()
}

/// Adafactor keeps one fp32 number per row and per column (Transformers' implementation, without
/// first moment).
fn factored(job: &Job) -> f64 {
    let edges = |x: &Linear| match job.method {
        Method::Full => x.input + x.output,
        _ if x.adapted => x.input + x.output + 2.0 * job.rank,
        _ => 0.0,
    };
    let layers = job.l * job.linears.iter().map(|x| x.copies * edges(x)).sum::<f64>();
    let embeddings = if job.method == Method::Full { 2.0 * (job.v + job.h) } else { 0.0 };
    4.0 * (layers + embeddings)
}

impl Job {
    /// Is it Phi-3's block, with fused projections?
    pub(crate) fn phi(&self) -> bool {
        self.family == Family::Phi3
    }

    /// Is it Gemma 2's or 3's block, with norms after the sub-blocks?
    pub(crate) fn gemma(&self) -> bool {
        matches!(self.family, Family::Gemma2 | Family::Gemma3)
    }

    /// Are scores and logits soft-capped?
    pub(crate) fn capped(&self) -> bool {
        self.family == Family::Gemma2
    }
}
