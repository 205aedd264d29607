//! A setup as the plain numbers of a micro-step.

use super::step::{Divided, Kernels, Stored, Work};
use crate::model::Architecture;
use crate::setup::{
    Attention, Checkpointing, Framework, LossKernel, Method, Offload, Optimizer, Quant, Setup,
    Shard,
};

/// Bytes per second between a GPU and main memory, when parameters or states live there.
const HOST_LINK: f64 = 12e9;
/// Bytes per second that a processor's AdamW works through. Assumed.
const HOST_MEMORY: f64 = 40e9;

/// The micro-step of `setup` on each of `gpus` whole GPUs.
pub(super) fn work(setup: &Setup, arch: &Architecture, gpus: u32) -> Work {
    let full = setup.method == Method::Full;
    let bare = Work {
        tokens: f64::from(setup.micro_batch) * f64::from(setup.seq_len),
        seq: f64::from(setup.seq_len),
        backward: if full { 2.0 } else { 1.0 },
        recompute: if setup.checkpointing == Checkpointing::Off { 0.0 } else { 1.0 },
        format: match setup.quant {
            None => Stored::Sixteen,
            Some(Quant::Gptq) => Stored::Gptq,
            Some(Quant::Nf4 | Quant::Nf4Dq | Quant::Int8) => Stored::Bnb,
        },
        kernels: kernels(setup),
        accumulation: f64::from(setup.grad_accum.max(1)),
        gpus: f64::from(gpus.max(1)),
        divided: divided(setup.sharding(gpus)),
        ..Work::of(arch)
    };
    Work { host: host(setup, &bare), ..bare }
}

impl Work {
    /// One token of `arch` on one GPU, in 16 bits, nothing recomputed.
    pub(in crate::estimate) fn of(arch: &Architecture) -> Work {
        Work {
            tokens: 1.0,
            seq: 1.0,
            layers: f64::from(arch.layers),
            hidden: f64::from(arch.hidden),
            width: arch.q_width() as f64,
            active: active(arch),
            head: arch.embedding_params() as f64,
            stored: arch.linear_params() as f64,
            backward: 1.0,
            recompute: 0.0,
            format: Stored::Sixteen,
            kernels: Kernels::Flash,
            accumulation: 1.0,
            gpus: 1.0,
            divided: Divided::One,
            link: 1.0,
            fp8: false,
            tuned: false,
            host: 0.0,
        }
    }
}

/// Matmul weights that one token passes.
fn active(arch: &Architecture) -> f64 {
    let stored = arch.linear_params() as f64;
    let Some(e) = arch.experts else { return stored };
    let matrices = if arch.gated_mlp { 3.0 } else { 2.0 };
    let idle = f64::from(e.count.saturating_sub(e.per_token));
    let sparse = f64::from(arch.layers.saturating_sub(e.dense_layers));
    stored - sparse * idle * matrices * f64::from(arch.hidden) * f64::from(e.intermediate)
}

fn divided(shard: Shard) -> Divided {
    match shard {
        Shard::None => Divided::One,
        Shard::Ddp => Divided::Copies,
        Shard::Fsdp | Shard::Zero3 => Divided::Weights,
        Shard::Zero2 => Divided::States,
    }
}

/// Liger's kernels replace norms, rotary embedding and SwiGLU along with the loss, and Unsloth has
/// its own for all of them. The fused losses of Axolotl and torchtune come alone.
pub(super) fn kernels(setup: &Setup) -> Kernels {
    let alone = matches!(setup.framework, Framework::Axolotl | Framework::Torchtune);
    match (setup.attention, setup.framework, setup.loss_kernel) {
        (Attention::Eager, _, _) => Kernels::Plain,
        (_, Framework::Unsloth, _) => Kernels::Fused,
        (_, _, LossKernel::Fused | LossKernel::Fast) if !alone => Kernels::Fused,
        _ => Kernels::Flash,
    }
}

/// Seconds that a micro-step waits for main memory. No published run isolates them: an assumption.
fn host(setup: &Setup, work: &Work) -> f64 {
    let trained = if setup.method == Method::Full { work.stored + work.head } else { 0.0 };
    let states = if setup.optimizer == Optimizer::Sgd { 0.0 } else { 1.0 };
    let shard = trained / work.gpus;
    // Gradients go down and weights come up once per optimizer step.
    let step = 4.0 * shard / HOST_LINK + states * 16.0 * shard / HOST_MEMORY;
    let frozen = if setup.quant.is_some() { 0.55 } else { 2.0 };
    match setup.offload {
        Offload::None => 0.0,
        Offload::Optimizer => step / work.accumulation,
        Offload::All => {
            let passes = 2.0 + work.recompute;
            step / work.accumulation + passes * frozen * work.stored / work.gpus / HOST_LINK
        }
    }
}
