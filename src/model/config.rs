//! A model from the `config.json` of a Hugging Face repository.
//!
//! What the fields mean is what the configuration classes of Transformers say; where a field is
//! left out, their default counts. Anything that changes the block in a way that we do not model is
//! refused with the reason, never guessed.

use super::{Architecture, Experts, Family, Model};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Config {
    model_type: Option<String>,
    hidden_size: Option<u32>,
    num_hidden_layers: Option<u32>,
    num_attention_heads: Option<u32>,
    num_key_value_heads: Option<u32>,
    head_dim: Option<u32>,
    intermediate_size: Option<u32>,
    vocab_size: Option<u32>,
    tie_word_embeddings: Option<bool>,
    max_position_embeddings: Option<u32>,
    attention_bias: Option<bool>,
    num_local_experts: Option<u32>,
    num_experts: Option<u32>,
    num_experts_per_tok: Option<u32>,
    moe_intermediate_size: Option<u32>,
    shared_expert_intermediate_size: Option<u32>,
    decoder_sparse_step: Option<u32>,
    mlp_only_layers: Option<Vec<u32>>,
    layer_types: Option<Vec<String>>,
    #[serde(rename = "vision_config")]
    vision: Option<Value>,
    #[serde(rename = "text_config")]
    text: Option<Value>,
    #[serde(rename = "audio_config")]
    audio: Option<Value>,
    #[serde(rename = "quantization_config")]
    quantization: Option<Value>,
}

/// What a `model_type` of Transformers stands for.
struct Block {
    family: Family,
    /// `tie_word_embeddings` when the file leaves it out.
    tied: bool,
    qkv_bias: bool,
    qk_norm: bool,
    /// `head_dim` when the file leaves it out and it is not hidden / heads.
    head_dim: Option<u32>,
}

const LLAMA: Block =
    Block { family: Family::Llama, tied: false, qkv_bias: false, qk_norm: false, head_dim: None };

fn block(model_type: &str) -> Option<Block> {
    let gemma =
        |family, qk_norm| Block { family, tied: true, qk_norm, head_dim: Some(256), ..LLAMA };
    Some(match model_type {
        "llama" | "mistral" | "granite" | "smollm3" | "ministral" => {
            Block { tied: model_type == "smollm3", ..LLAMA }
        }
        "qwen2" => Block { family: Family::Qwen2, qkv_bias: true, ..LLAMA },
        "qwen3" => Block { family: Family::Qwen3, qk_norm: true, head_dim: Some(128), ..LLAMA },
        "olmo2" => Block { family: Family::Olmo2, qk_norm: true, ..LLAMA },
        "phi3" => Block { family: Family::Phi3, ..LLAMA },
        "gemma" => gemma(Family::Gemma, false),
        "gemma2" => gemma(Family::Gemma2, false),
        "gemma3_text" => gemma(Family::Gemma3, true),
        "mixtral" | "phimoe" => Block { family: Family::Moe, ..LLAMA },
        "qwen2_moe" => Block { family: Family::Moe, qkv_bias: true, ..LLAMA },
        "qwen3_moe" => Block { family: Family::Moe, qk_norm: true, ..LLAMA },
        _ => return None,
    })
}

/// Reads `config.json`. `id` is the repository or path; `checkpoint` the number of parameters that
/// the safetensors index states, with which the shapes are compared.
///
/// # Errors
/// One line: the file is no configuration, or why this architecture cannot be estimated.
pub fn from_config(id: &str, json: &[u8], checkpoint: Option<u64>) -> Result<Model, String> {
    let config: Config = serde_json::from_slice(json)
        .map_err(|e| format!("config.json of {id} cannot be read: {e}"))?;
    let refuse = |why: String| Err(format!("{id} cannot be estimated: {why}"));
    let architecture = match architecture(&config) {
        Ok(architecture) => architecture,
        Err(why) => return refuse(why),
    };
    let counted = architecture.count();
    // A quantised checkpoint packs several weights into one element.
    let checkpoint = checkpoint.filter(|_| config.quantization.is_none());
    let params = match (counted, checkpoint) {
        (Some(counted), Some(stated)) if !agrees(&architecture, counted, stated) => {
            return refuse(format!(
                "its configuration counts to {counted} parameters, its checkpoint holds {stated}"
            ));
        }
        (Some(counted), _) => counted,
        (None, Some(stated)) => stated,
        (None, None) => architecture.linear_params() + architecture.embeddings_params(),
    };
    Ok(Model {
        name: id.rsplit('/').next().unwrap_or(id).to_owned(),
        id: id.to_owned(),
        line: config.model_type.unwrap_or_default(),
        params,
        active_params: architecture.experts.map(|e| active(&architecture, e, params)),
        max_context: config.max_position_embeddings.filter(|n| *n > 0),
        gated: false,
        architecture: Ok(architecture),
        source: format!("config.json of {id}"),
    })
}

fn architecture(config: &Config) -> Result<Architecture, String> {
    let kind = config.model_type.as_deref().unwrap_or("none");
    if config.vision.is_some() || config.audio.is_some() {
        return Err("it has a vision or audio tower".into());
    }
    if config.text.is_some() {
        return Err("it wraps a text model in a larger one".into());
    }
    let full = ["full_attention", "sliding_attention", "chunked_attention"];
    let types = config.layer_types.iter().flatten();
    if let Some(other) = types.map(String::as_str).find(|t| !full.contains(t)) {
        return Err(format!("its layers mix attention with `{other}`"));
    }
    let block = block(kind).ok_or_else(|| format!("model_type `{kind}` is not modelled"))?;
    let hidden = dimension(config.hidden_size, "hidden_size", 1 << 20)?;
    let heads = dimension(config.num_attention_heads, "num_attention_heads", 1 << 12)?;
    let kv_heads = config.num_key_value_heads.unwrap_or(heads);
    let head_dim = config.head_dim.or(block.head_dim).unwrap_or(hidden / heads);
    if head_dim == 0 || head_dim > 4096 || kv_heads == 0 || heads % kv_heads != 0 {
        return Err("its attention heads do not divide evenly".into());
    }
    Ok(Architecture {
        family: block.family,
        hidden,
        layers: dimension(config.num_hidden_layers, "num_hidden_layers", 1 << 12)?,
        heads,
        kv_heads,
        head_dim,
        intermediate: dimension(config.intermediate_size, "intermediate_size", 1 << 22)?,
        vocab: dimension(config.vocab_size, "vocab_size", 1 << 24)?,
        tied_embeddings: config.tie_word_embeddings.unwrap_or(block.tied),
        qkv_bias: block.qkv_bias || config.attention_bias.unwrap_or(false),
        qk_norm: block.qk_norm,
        gated_mlp: true,
        experts: experts(config, block.family)?,
    })
}

fn dimension(value: Option<u32>, name: &str, most: u32) -> Result<u32, String> {
    match value {
        Some(n) if n > 0 && n <= most => Ok(n),
        Some(n) => Err(format!("its {name} is {n}")),
        None => Err(format!("its configuration has no {name}")),
    }
}

fn experts(config: &Config, family: Family) -> Result<Option<Experts>, String> {
    if family != Family::Moe {
        return Ok(None);
    }
    let count = dimension(config.num_local_experts.or(config.num_experts), "num_experts", 1 << 14)?;
    let sparse_everywhere = config.decoder_sparse_step.unwrap_or(1) == 1
        && config.mlp_only_layers.as_ref().is_none_or(Vec::is_empty);
    if !sparse_everywhere {
        return Err("only some of its layers have experts".into());
    }
    let intermediate = config.moe_intermediate_size.or(config.intermediate_size);
    Ok(Some(Experts {
        count,
        per_token: dimension(config.num_experts_per_tok, "num_experts_per_tok", count)?,
        intermediate: dimension(intermediate, "moe_intermediate_size", 1 << 22)?,
        shared_intermediate: config.shared_expert_intermediate_size.filter(|w| *w > 0),
        dense_layers: 0,
        fused: false,
    }))
}

/// Do shapes and checkpoint mean the same tensors? A checkpoint may also store a tied head, or
/// buffers; both are small against the whole or known.
fn agrees(architecture: &Architecture, counted: u64, stated: u64) -> bool {
    let close = |a: u64, b: u64| a.abs_diff(b) as f64 <= 0.005 * b as f64;
    close(stated, counted)
        || (architecture.tied_embeddings
            && close(stated, counted + architecture.embedding_params()))
}

/// Parameters that one token passes.
fn active(architecture: &Architecture, experts: Experts, params: u64) -> u64 {
    let expert = 3 * u64::from(architecture.hidden) * u64::from(experts.intermediate);
    let idle = u64::from(experts.count - experts.per_token) * expert;
    params.saturating_sub(u64::from(architecture.layers) * idle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::find;

    const QWEN: &str = r#"{"architectures":["Qwen2ForCausalLM"],"hidden_size":3584,
        "intermediate_size":18944,"max_position_embeddings":131072,"model_type":"qwen2",
        "num_attention_heads":28,"num_hidden_layers":28,"num_key_value_heads":4,
        "tie_word_embeddings":false,"vocab_size":152064,"use_sliding_window":false}"#;

    #[test]
    fn a_config_gives_the_shape_that_is_built_in() {
        let read = from_config("me/mine", QWEN.as_bytes(), Some(7_615_616_512)).unwrap();
        let ours = find("Qwen2.5-7B").unwrap();
        assert_eq!(read.architecture, ours.architecture);
        assert_eq!(read.params, ours.params);
        assert_eq!(read.name, "mine");
    }

    #[test]
    fn a_mixture_counts_its_active_parameters() {
        let json = r#"{"model_type":"mixtral","hidden_size":4096,"intermediate_size":14336,
            "num_attention_heads":32,"num_key_value_heads":8,"num_hidden_layers":32,
            "vocab_size":32000,"num_local_experts":8,"num_experts_per_tok":2,
            "max_position_embeddings":32768}"#;
        let read = from_config("x/y", json.as_bytes(), Some(46_702_792_704)).unwrap();
        let ours = find("Mixtral-8x7B-Instruct-v0.1").unwrap();
        assert_eq!(read.architecture, ours.architecture);
        assert_eq!(read.active_params, ours.active_params);
    }

    #[test]
    fn what_is_not_modelled_is_refused_with_the_reason() {
        for (json, why) in [
            (r#"{"model_type":"mamba2"}"#, "model_type `mamba2` is not modelled"),
            (r#"{"model_type":"llava","vision_config":{},"text_config":{}}"#, "vision"),
            (
                r#"{"model_type":"qwen3_next","layer_types":["linear_attention"]}"#,
                "linear_attention",
            ),
            (r#"{"model_type":"llama","hidden_size":0}"#, "hidden_size is 0"),
            (r#"{"model_type":"llama"}"#, "no hidden_size"),
            ("{}", "model_type `none`"),
            ("[1,2", "cannot be read"),
            (r#"{"hidden_size":-1}"#, "cannot be read"),
        ] {
            let error = from_config("x/y", json.as_bytes(), None).unwrap_err();
            assert!(error.contains(why) && !error.contains('\n'), "{error}");
        }
        let error = from_config("x/y", QWEN.as_bytes(), Some(9_000_000_000)).unwrap_err();
        assert!(error.contains("9000000000"), "{error}");
    }
}
