//! A setup as the plain numbers that the memory formulas read. No allocation; built in well under
//! a microsecond.
//!
//! Symbols follow the usual ones: b sequences, s tokens each, T = b·s; h hidden, l layers, a heads,
//! d head size, q = a·d, k = kv heads·d, f MLP width, v vocabulary, r rank.

use crate::model::{Architecture, Family};
use crate::setup::{
    Attention, Checkpointing, Framework, Lora, LossKernel, Method, Offload, Optimizer, Precision,
    Quant, Setup, Shard, Target,
};

/// Which code runs, where generations of it differ in what they keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// Transformers 5, PEFT 0.21, bitsandbytes 0.50: traced tensor by tensor.
    Today,
    /// Transformers 4 with torch 2.4 to 2.6: read off the published fms-acceleration runs.
    Earlier {
        /// Logits are copied once more before the loss (4.46 to 4.48).
        extra_copy: bool,
        /// Norms run as one fused kernel and keep no fp32 copies.
        fused_norms: bool,
    },
}

/// What other code keeps, instead of our count. `None` leaves the count as it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Own {
    /// Bytes per token that a layer keeps without checkpointing.
    pub(crate) saved: Option<f64>,
    /// Bytes per token of the loss.
    pub(crate) loss: Option<f64>,
    /// Bytes of the loss beside those per token.
    pub(crate) loss_constant: f64,
    /// Gradients are used up as they are made (optimizer in the backward pass).
    pub(crate) no_gradients: bool,
}

/// A linear layer of the block: inputs, outputs, and how many of it one block has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Linear {
    /// Input width.
    pub(crate) input: f64,
    /// Output width.
    pub(crate) output: f64,
    /// Copies in one block: the number of experts, or one.
    pub(crate) copies: f64,
    /// Carries an adapter.
    pub(crate) adapted: bool,
    /// Is fed by a normed hidden state (q, k, v, gate, up).
    pub(crate) from_hidden: bool,
}

impl Linear {
    /// Its weights, without copies.
    pub(crate) fn weights(&self) -> f64 {
        self.input * self.output
    }
}

/// The numbers of one training job on one GPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    /// Sequences per forward pass.
    pub(crate) b: f64,
    /// Tokens of a sequence.
    pub(crate) s: f64,
    /// Hidden size.
    pub(crate) h: f64,
    /// Layers.
    pub(crate) l: f64,
    /// Heads.
    pub(crate) a: f64,
    /// Head size.
    pub(crate) d: f64,
    /// Query width.
    pub(crate) q: f64,
    /// Key width, value width.
    pub(crate) k: f64,
    /// MLP width that one token passes: that of its experts together.
    pub(crate) f: f64,
    /// Vocabulary.
    pub(crate) v: f64,
    /// Norms of a layer.
    pub(crate) norms: f64,
    /// Block type.
    pub(crate) family: Family,
    /// Input embedding is the LM head.
    pub(crate) tied: bool,
    /// Norms on q and k.
    pub(crate) qk_norm: bool,
    /// Biases on q, k, v.
    pub(crate) qkv_bias: bool,
    /// Experts that a token visits; zero for a dense model.
    pub(crate) visits: f64,
    /// Experts of a layer; one for a dense model.
    pub(crate) experts: f64,
    /// All parameters.
    pub(crate) params: f64,
    /// Those in linear layers of blocks.
    pub(crate) linear_params: f64,
    /// The linear layers of one block; unused places have no copies.
    pub(crate) linears: [Linear; 7],
    /// Which weights are trained.
    pub(crate) method: Method,
    /// fp32 weights under 16-bit autocast.
    pub(crate) amp: bool,
    /// Shards are kept in fp32 (weights, gradients, states), computation gathers them in 16 bits.
    pub(crate) fp32_shards: bool,
    /// Quantisation of the base.
    pub(crate) quant: Option<Quant>,
    /// What is not quantised is fp32, and so is the residual stream.
    pub(crate) kbit_prep: bool,
    /// Adapter rank; zero without adapters.
    pub(crate) rank: f64,
    /// Adapter dropout is on.
    pub(crate) dropout: bool,
    /// Bytes of an adapter weight: 4 under PEFT, 2 where adapters follow the model.
    pub(crate) adapter_bytes: f64,
    /// Checkpointing.
    pub(crate) checkpointing: Checkpointing,
    /// Plain attention with its score matrix.
    pub(crate) eager: bool,
    /// Loss kernel.
    pub(crate) loss: LossKernel,
    /// `chunked` cuts the batch into eighths (torchtune) instead of 256 tokens (TRL).
    pub(crate) loss_in_eighths: bool,
    /// Optimizer.
    pub(crate) optimizer: Optimizer,
    /// The optimizer works on all tensors at once and needs a copy of one state (`foreach`).
    pub(crate) foreach: bool,
    /// Gradients of earlier passes are there while the next one runs.
    pub(crate) accumulates: bool,
    /// Which code runs.
    pub(crate) code: Code,
    /// Liger's or Unsloth's kernels also replace norms and MLP activation, and keep less.
    pub(crate) fused_blocks: bool,
    /// Figures of code that is not Hugging Face's, where we have them.
    pub(crate) own: Own,
    /// Autocast copies of adapter weights live until the forward pass ends.
    pub(crate) autocast: bool,
    /// GPUs.
    pub(crate) n: f64,
    /// How work is divided; [`Shard::None`] for one GPU.
    pub(crate) shard: Shard,
    /// What lives in main memory.
    pub(crate) offload: Offload,
}

impl Job {
    /// The job of `setup` on `gpus` GPUs of one machine.
    pub(crate) fn new(setup: &Setup, arch: &Architecture, gpus: u32) -> Job {
        let shard = setup.sharding(gpus);
        let lora = setup.lora;
        let width = |n: u64| n as f64;
        let master = setup.method == Method::Full && setup.precision == Precision::Fp32Master;
        let sharded = matches!(shard, Shard::Fsdp | Shard::Zero2 | Shard::Zero3);
        // torchtune's follow the model; TRL casts them over 4- and 8-bit bases.
        let adapters_in_16_bits = setup.framework == Framework::Torchtune
            || (setup.framework == Framework::Trl && setup.method == Method::Qlora);
        Job {
            b: f64::from(setup.micro_batch),
            s: f64::from(setup.seq_len),
            h: f64::from(arch.hidden),
            l: f64::from(arch.layers),
            a: f64::from(arch.heads),
            d: f64::from(arch.head_dim),
            q: width(arch.q_width()),
            k: width(arch.kv_width()),
            f: passed_width(arch),
            v: f64::from(arch.vocab),
            norms: width(arch.norms_per_layer()),
            family: arch.family,
            tied: arch.tied_embeddings,
            qk_norm: arch.qk_norm,
            qkv_bias: arch.qkv_bias,
            visits: arch.experts.map_or(0.0, |e| f64::from(e.per_token)),
            experts: arch.experts.map_or(1.0, |e| f64::from(e.count)),
            params: setup.model.params as f64,
            linear_params: width(arch.linear_params()).min(setup.model.params as f64),
            linears: linears(arch, lora.as_ref()),
            method: setup.method,
            amp: master && !sharded,
            fp32_shards: setup.method == Method::Full
                && shard == Shard::Fsdp
                && (master || upcasts(setup.framework)),
            quant: setup.quant,
            kbit_prep: setup.kbit_prep,
            rank: lora.map_or(0.0, |l| f64::from(l.rank)),
            dropout: lora.is_some_and(|l| l.dropout > 0.0),
            adapter_bytes: if adapters_in_16_bits { 2.0 } else { 4.0 },
            checkpointing: setup.checkpointing,
            eager: setup.attention == Attention::Eager,
            loss: setup.loss_kernel,
            loss_in_eighths: setup.framework == Framework::Torchtune,
            optimizer: setup.optimizer,
            foreach: foreach(setup),
            accumulates: setup.grad_accum > 1,
            code: code(setup),
            fused_blocks: fused_blocks(setup),
            own: Own { no_gradients: optimizer_in_backward(setup, gpus), ..Own::default() },
            autocast: true,
            n: f64::from(gpus.max(1)),
            shard,
            offload: setup.offload,
        }
    }

    /// Tokens of one forward pass, T.
    pub(crate) fn tokens(&self) -> f64 {
        self.b * self.s
    }

    /// Is only each layer's input kept?
    pub(crate) fn checkpointed(&self) -> bool {
        self.checkpointing != Checkpointing::Off
    }

    /// Bytes of an element of the residual stream.
    pub(crate) fn residual_bytes(&self) -> f64 {
        if self.amp || self.fp32_residual() { 4.0 } else { 2.0 }
    }

    /// QLoRA after PEFT's preparation, which leaves GPTQ models alone; FSDP's mixed precision casts
    /// the stream back to 16 bits.
    pub(crate) fn fp32_residual(&self) -> bool {
        self.quant.is_some_and(|q| q != Quant::Gptq) && self.kbit_prep && self.shard != Shard::Fsdp
    }

    /// What is not quantised is kept in fp32. Earlier code left it in 16 bits, and yet had an fp32
    /// stream (fms-acceleration's plain bitsandbytes runs).
    pub(crate) fn fp32_unquantised(&self) -> bool {
        self.fp32_residual() && self.code == Code::Today
    }

    /// All layers carry adapters, MLP included.
    pub(crate) fn adapts_mlp(&self) -> bool {
        self.linears[4..].iter().any(|x| x.adapted)
    }

    /// Are the weights divided over the GPUs?
    pub(crate) fn divides_weights(&self) -> bool {
        matches!(self.shard, Shard::Fsdp | Shard::Zero3)
    }

    /// DeepSpeed keeps fp32 weights of its own beside the 16-bit ones.
    pub(crate) fn deepspeed(&self) -> bool {
        matches!(self.shard, Shard::Zero2 | Shard::Zero3)
    }

    /// Weights of one embedding.
    pub(crate) fn embedding(&self) -> f64 {
        self.v * self.h
    }
}

/// torchtune's full recipe for one device steps the paged optimizer inside the backward pass, which
/// gradient accumulation rules out.
fn optimizer_in_backward(setup: &Setup, gpus: u32) -> bool {
    setup.framework == Framework::Torchtune
        && setup.method == Method::Full
        && setup.optimizer == Optimizer::PagedAdamw8bit
        && gpus <= 1
        && setup.grad_accum <= 1
}

/// accelerate turns 16-bit weights into fp32 when it shards with mixed precision; torchtune and
/// Unsloth do not use it. DeepSpeed keeps its own fp32 copy, counted with its states.
fn upcasts(framework: Framework) -> bool {
    !matches!(framework, Framework::Torchtune | Framework::Unsloth)
}

/// `adamw_torch` was the Trainer's default until Transformers 5 chose the fused kernel; torchtune's
/// full recipes and all that is 8-bit, fused or paged work tensor by tensor.
fn foreach(setup: &Setup) -> bool {
    setup.optimizer == Optimizer::Adamw
        && matches!(setup.framework, Framework::Hf)
        && setup.version.is_some_and(|v| v.major < 5)
}

/// `use_liger_kernel` of the Trainer swaps norms, rope and SwiGLU along with the loss; Unsloth has its
/// own for all of them. Axolotl's and torchtune's fused losses come alone.
fn fused_blocks(setup: &Setup) -> bool {
    setup.loss_kernel == LossKernel::Fused
        && code(setup) == Code::Today
        && !matches!(setup.framework, Framework::Axolotl | Framework::Torchtune)
}

fn code(setup: &Setup) -> Code {
    match setup.version {
        Some(v) if setup.framework == Framework::Hf && v.major < 5 => Code::Earlier {
            extra_copy: v.major == 4 && (46..49).contains(&v.minor),
            fused_norms: matches!(setup.loss_kernel, LossKernel::Fast | LossKernel::Fused),
        },
        _ => Code::Today,
    }
}

fn passed_width(arch: &Architecture) -> f64 {
    match arch.experts {
        None => f64::from(arch.intermediate),
        Some(e) => {
            f64::from(e.per_token) * f64::from(e.intermediate)
                + e.shared_intermediate.map_or(0.0, f64::from)
        }
    }
}

fn linears(arch: &Architecture, lora: Option<&Lora>) -> [Linear; 7] {
    let has = |t: Target| lora.is_some_and(|l| l.targets.has(t));
    let (h, q, k) = (f64::from(arch.hidden), arch.q_width() as f64, arch.kv_width() as f64);
    let (f, copies) = match arch.experts {
        Some(e) => (f64::from(e.intermediate), f64::from(e.count)),
        None => (f64::from(arch.intermediate), 1.0),
    };
    let one = |input, output, adapted, from_hidden| Linear {
        input,
        output,
        copies: 1.0,
        adapted,
        from_hidden,
    };
    let mlp = |input, output, adapted, from_hidden| Linear {
        copies,
        ..one(input, output, adapted, from_hidden)
    };
    let gone = Linear::default();
    if arch.family == Family::Phi3 {
        let qkv = has(Target::Q) || has(Target::K) || has(Target::V);
        let gate_up = has(Target::Gate) || has(Target::Up);
        return [
            one(h, q + 2.0 * k, qkv, true),
            gone,
            gone,
            one(q, h, has(Target::O), false),
            mlp(h, 2.0 * f, gate_up, true),
            gone,
            mlp(f, h, has(Target::Down), false),
        ];
    }
    [
        one(h, q, has(Target::Q), true),
        one(h, k, has(Target::K), true),
        one(h, k, has(Target::V), true),
        one(q, h, has(Target::O), false),
        if arch.gated_mlp { mlp(h, f, has(Target::Gate), true) } else { gone },
        mlp(h, f, has(Target::Up), true),
        mlp(f, h, has(Target::Down), false),
    ]
}
