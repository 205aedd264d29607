//! What the user wants to train, and how.
//!
//! A [`Draft`] is what somebody wrote (flags, `job.yaml`, the editor): everything may be missing.
//! [`Draft::resolve`] fills the gaps from the framework's own defaults and from the model, checks
//! the whole, and yields a [`Setup`], which the estimators read.

mod check;
mod draft;
mod hosted;
mod names;
mod preset;
mod resolve;
pub mod runs;
mod targets;
mod value;

pub use draft::{Draft, Field};
pub use hosted::Hosted;
pub use preset::Preset;
pub use resolve::DEFAULT_MODEL;
pub use value::{NEVER, Scalar, Value};

use crate::model::Model;
use crate::units::{Gb, Hours, Tokens, Usd};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Which weights are trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// All of them.
    Full,
    /// Low-rank adapters over 16-bit weights.
    Lora,
    /// Low-rank adapters over quantised weights.
    Qlora,
}

/// The program that trains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Framework {
    /// Hugging Face Trainer with PEFT.
    Hf,
    /// TRL's SFT trainer.
    Trl,
    /// Axolotl.
    Axolotl,
    /// Unsloth.
    Unsloth,
    /// torchtune.
    Torchtune,
    /// LLaMA-Factory.
    LlamaFactory,
}

/// Gradient (activation) checkpointing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Checkpointing {
    /// Each layer's input is kept, the rest computed again.
    On,
    /// Everything is kept.
    Off,
    /// Each layer's input is kept in main memory.
    Offload,
}

/// Attention kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attention {
    /// FlashAttention-2.
    Flash,
    /// PyTorch's scaled dot product attention.
    Sdpa,
    /// Plain matrix products; keeps the score matrix.
    Eager,
}

/// How the loss over the vocabulary is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LossKernel {
    /// Logits in full, cross entropy of PyTorch.
    Eager,
    /// Triton cross entropy that works in place.
    Fast,
    /// Linear layer and loss in one kernel (Liger, cut cross entropy); logits never exist.
    Fused,
    /// Logits in chunks.
    Chunked,
}

/// Number format of weights and computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// Weights, gradients and states in bf16.
    Bf16,
    /// Weights and computation in fp16.
    Fp16,
    /// Weights in fp32, computation in 16 bits (autocast).
    Fp32Master,
}

/// Quantisation of the frozen weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quant {
    /// 4-bit NormalFloat.
    Nf4,
    /// 4-bit NormalFloat with quantised constants.
    Nf4Dq,
    /// GPTQ, 4 bits, groups of 128.
    Gptq,
    /// LLM.int8.
    Int8,
}

/// Optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimizer {
    /// AdamW (fused where the framework's default is).
    Adamw,
    /// AdamW with 8-bit states.
    #[serde(rename = "adamw-8bit")]
    Adamw8bit,
    /// AdamW with 8-bit states that may leave the GPU.
    #[serde(rename = "paged-adamw-8bit")]
    PagedAdamw8bit,
    /// Adafactor.
    Adafactor,
    /// Stochastic gradient descent without momentum.
    Sgd,
}

/// How work and states are divided over the GPUs of one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shard {
    /// One GPU.
    None,
    /// A full copy on each GPU.
    Ddp,
    /// PyTorch FSDP, full shard.
    Fsdp,
    /// DeepSpeed ZeRO stage 2.
    Zero2,
    /// DeepSpeed ZeRO stage 3.
    Zero3,
}

/// What lives in main memory instead of on the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Offload {
    /// Nothing.
    None,
    /// Optimizer states.
    Optimizer,
    /// Optimizer states and parameters.
    All,
}

/// Which price counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pricing {
    /// Guaranteed machines.
    OnDemand,
    /// Machines that may be taken away.
    Spot,
    /// Each offer twice.
    Both,
}

/// A linear layer that can carry an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// Query projection.
    Q,
    /// Key projection.
    K,
    /// Value projection.
    V,
    /// Attention output projection.
    O,
    /// MLP gate projection.
    Gate,
    /// MLP up projection.
    Up,
    /// MLP down projection.
    Down,
}

/// A set of adapter targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Targets(pub(crate) u8);

/// Low-rank adapters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lora {
    /// Rank, r.
    pub rank: u32,
    /// Which linear layers carry one.
    pub targets: Targets,
    /// Dropout on the adapters' inputs.
    pub dropout: f64,
}

/// A version of a framework: `hf@4.45`. `None` means today's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameworkVersion {
    /// Major number.
    pub major: u16,
    /// Minor number.
    pub minor: u16,
}

/// A complete, checked description of a training job.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The model.
    pub model: Arc<Model>,
    /// Which weights are trained.
    pub method: Method,
    /// The program that trains.
    pub framework: Framework,
    /// Its version, when an older one is meant.
    pub version: Option<FrameworkVersion>,
    /// Sequence length in tokens.
    pub seq_len: u32,
    /// Sequences per GPU in one forward pass.
    pub micro_batch: u32,
    /// Forward passes per optimizer step.
    pub grad_accum: u32,
    /// Samples are packed to full length.
    pub packing: bool,
    /// Gradient checkpointing.
    pub checkpointing: Checkpointing,
    /// Attention kernel.
    pub attention: Attention,
    /// Loss kernel.
    pub loss_kernel: LossKernel,
    /// Number format.
    pub precision: Precision,
    /// Quantisation, for QLoRA.
    pub quant: Option<Quant>,
    /// Optimizer.
    pub optimizer: Optimizer,
    /// Adapters, for LoRA and QLoRA.
    pub lora: Option<Lora>,
    /// `prepare_model_for_kbit_training` ran: unquantised parameters and the residual stream are fp32.
    pub kbit_prep: bool,
    /// GPUs of one machine; `None` takes each offer as it is.
    pub gpus: Option<u32>,
    /// How work is divided; `None` chooses by method and number of GPUs.
    pub shard: Option<Shard>,
    /// What lives in main memory.
    pub offload: Offload,
    /// Tokens of one epoch.
    pub tokens: Tokens,
    /// Epochs.
    pub epochs: f64,
    /// Size of the data set to download.
    pub dataset: Gb,
    /// Size of the container image.
    pub image: Gb,
    /// Which price counts.
    pub pricing: Pricing,
    /// Time between checkpoints.
    pub checkpoint_every: Hours,
    /// Disk to rent; `None` takes what the job needs.
    pub disk: Option<Gb>,
    /// What a hosted service would take, to compare with; `None` compares with nothing.
    pub hosted: Option<Hosted>,
    /// Assumptions that the user replaced.
    pub assume: Assumptions,
    /// Runs that the user has finished; estimates use them first.
    pub runs: Arc<runs::Runs>,
}

impl Setup {
    /// Which of our assumptions the user has replaced, in words: `mfu=0.4, idle=1`.
    pub fn what_if(&self) -> Option<String> {
        let pairs: Vec<String> =
            self.assume.pairs().map(|(key, value)| format!("{key}={value}")).collect();
        (!pairs.is_empty()).then(|| pairs.join(", "))
    }

    /// What a hosted service would take for the same tokens, where its price was given.
    pub fn hosted(&self) -> Option<(Hosted, Usd)> {
        let hosted = self.hosted.clone()?;
        let usd = hosted.of(self.tokens.get() * self.epochs);
        Some((hosted, usd))
    }
}

/// Assumptions that the user may replace (`--assume KEY=VALUE`); `None` means ours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Assumptions {
    /// Share of the peak rate that is reached, instead of the speed model (`mfu`).
    pub mfu: Option<f64>,
    /// Interruptions per hour of a spot machine (`hazard`).
    pub hazard_per_hour: Option<f64>,
    /// Dollars per GB out of the machine (`egress`).
    pub egress_usd_per_gb: Option<f64>,
    /// Speed in Mbit/s that the model hub delivers at most (`hub`).
    pub hub_mbps: Option<f64>,
    /// Hours that the machine idles before somebody ends it (`idle`).
    pub idle_hours: Option<f64>,
    /// Hours to boot, without the image pull (`boot`).
    pub boot_hours: Option<f64>,
    /// Share of the training time that evaluation adds (`eval`).
    pub eval_share: Option<f64>,
    /// Dollars per GB into the machine (`ingress`).
    pub ingress_usd_per_gb: Option<f64>,
    /// Dollars per GB and month of disk while the machine runs (`storage`).
    pub storage_usd_per_gb_month: Option<f64>,
    /// Speed in Mbit/s of every machine's network, inwards (`download`).
    pub download_mbps: Option<f64>,
    /// The same outwards (`upload`).
    pub upload_mbps: Option<f64>,
}

/// The program that trains, and its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameworkChoice {
    /// Which.
    pub framework: Framework,
    /// Its version, when an older one is meant.
    pub version: Option<FrameworkVersion>,
}

/// Why a draft is no setup: what is wrong, where, and what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct SetupError {
    /// The field, as on the command line: `seq-len`.
    pub field: &'static str,
    /// What is wrong and what would be right.
    pub problem: String,
}

/// Llama-3-8B, typed from its published configuration, for tests.
#[cfg(test)]
pub(crate) fn test_model() -> Arc<Model> {
    use crate::model::{Architecture, Family};
    Arc::new(Model {
        name: "Meta-Llama-3-8B".into(),
        id: "meta-llama/Meta-Llama-3-8B".into(),
        line: "Llama 3".into(),
        params: 8_030_261_248,
        active_params: None,
        max_context: Some(8192),
        gated: true,
        architecture: Ok(Architecture {
            family: Family::Llama,
            hidden: 4096,
            layers: 32,
            heads: 32,
            kv_heads: 8,
            head_dim: 128,
            intermediate: 14336,
            vocab: 128_256,
            tied_embeddings: false,
            qkv_bias: false,
            qk_norm: false,
            gated_mlp: true,
            experts: None,
        }),
        source: "test".into(),
    })
}
