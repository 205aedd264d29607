//! Language models: exact shapes and parameter counts, built in or read from a `config.json`.

mod catalogue;
mod config;
mod count;
mod find;

pub use catalogue::catalogue;
pub use config::from_config;
pub use find::{NotFound, find, find_like, is_other_training};

use serde::{Deserialize, Serialize};

/// How the layers are built, where it changes what training needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Llama, Mistral, Yi, TinyLlama, SmolLM and whoever shares their block.
    Llama,
    /// Qwen2 and Qwen2.5: biases on q, k and v.
    Qwen2,
    /// Qwen3: norms on q and k.
    Qwen3,
    /// OLMo 2: norms after the blocks, and on q and k over their whole width.
    Olmo2,
    /// Gemma: GELU, norms that add one to their weights.
    Gemma,
    /// Gemma 2: four norms a layer, soft-capped logits.
    Gemma2,
    /// Gemma 3: four norms a layer, norms on q and k, no soft cap.
    Gemma3,
    /// Phi-3: fused qkv and gate-up projections.
    Phi3,
    /// A mixture of experts over Llama-like layers.
    Moe,
    /// Anything else that has the usual dimensions; estimates for it are wider.
    Other,
}

/// Experts of a mixture-of-experts model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Experts {
    /// Experts in each sparse layer.
    pub count: u32,
    /// Experts that each token visits.
    pub per_token: u32,
    /// Hidden size of one expert's MLP.
    pub intermediate: u32,
    /// Hidden size of the shared expert's MLP, where there is one.
    pub shared_intermediate: Option<u32>,
    /// Layers with a plain MLP before the sparse ones begin.
    pub dense_layers: u32,
    /// The checkpoint holds all experts of a layer in one 3-D tensor, which bitsandbytes leaves
    /// unquantised.
    pub fused: bool,
}

/// The dimensions that memory and speed follow from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Architecture {
    /// Block type.
    pub family: Family,
    /// Hidden size, h.
    pub hidden: u32,
    /// Layers, L.
    pub layers: u32,
    /// Attention heads, a.
    pub heads: u32,
    /// Key-value heads.
    pub kv_heads: u32,
    /// Size of one head, d.
    pub head_dim: u32,
    /// MLP hidden size, f (of the dense layers).
    pub intermediate: u32,
    /// Vocabulary, v.
    pub vocab: u32,
    /// Input embedding and LM head share their weights.
    pub tied_embeddings: bool,
    /// Biases on q, k and v.
    pub qkv_bias: bool,
    /// Norms on q and k.
    pub qk_norm: bool,
    /// The MLP has a gate, up and down projection; otherwise up and down only.
    pub gated_mlp: bool,
    /// Experts, for a mixture of experts.
    pub experts: Option<Experts>,
}

/// A model that can be fine-tuned.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Model {
    /// Short name: `Meta-Llama-3-8B`.
    pub name: String,
    /// Hugging Face id, `organisation/name`; for a local file, its path.
    pub id: String,
    /// Line of models: `Llama 3`.
    pub line: String,
    /// Exact number of parameters held in memory.
    pub params: u64,
    /// Parameters that each token passes through, for a mixture of experts.
    pub active_params: Option<u64>,
    /// Longest sequence that the configuration allows, in tokens.
    pub max_context: Option<u32>,
    /// The hub wants a token (`HF_TOKEN`) for the weights.
    pub gated: bool,
    /// Dimensions; `Err` holds the reason why this model cannot be estimated.
    pub architecture: Result<Architecture, String>,
    /// Where the facts come from.
    pub source: String,
}
