//! What the trainers' files share: words for optimizers, layers and shards.

use crate::export::{Context, Unsuitable, launch};
use crate::setup::{Lora, Method, Optimizer, Precision, Quant, Shard};
use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::Value;

/// GPUs that the job runs on.
pub(super) fn gpus(c: &Context<'_>) -> u64 {
    launch::whole_gpus(c).unwrap_or(1)
}

/// How the work is divided over them.
pub(super) fn shard(c: &Context<'_>) -> Shard {
    c.setup.sharding(u32::try_from(gpus(c)).unwrap_or(u32::MAX))
}

/// The optimizer by the name that Hugging Face's Trainer knows.
pub(super) fn optimizer(c: &Context<'_>) -> &'static str {
    match c.setup.optimizer {
        Optimizer::Adamw => "adamw_torch_fused",
        Optimizer::Adamw8bit => "adamw_bnb_8bit",
        Optimizer::PagedAdamw8bit => "paged_adamw_8bit",
        Optimizer::Adafactor => "adafactor",
        Optimizer::Sgd => "sgd",
    }
}

/// A learning rate that people begin with: 2e-4 for adapters (QLoRA paper), 1e-5 for all weights.
pub(super) fn learning_rate(c: &Context<'_>) -> f64 {
    if c.setup.method == Method::Full { 1e-5 } else { 2e-4 }
}

/// The names of the layers that carry an adapter, as most models have them.
pub(super) fn layers(lora: &Lora) -> Vec<String> {
    lora.targets.iter().map(|t| format!("{}_proj", t.as_str())).collect()
}

/// Refuses what no trainer file can ask for.
pub(super) fn check(c: &Context<'_>) -> Result<(), Unsuitable> {
    if c.setup.quant == Some(Quant::Gptq) {
        return Err(Unsuitable::because(
            "a GPTQ base is a checkpoint of its own, which must be chosen by hand",
        ));
    }
    Ok(())
}

/// Optimizer steps between two checkpoints, from the training time of the quote; 100 where the
/// quote has none.
pub(super) fn save_steps(c: &Context<'_>) -> u64 {
    let tokens_per_step = f64::from(c.setup.seq_len)
        * f64::from(c.setup.micro_batch)
        * f64::from(c.setup.grad_accum)
        * gpus(c) as f64;
    let steps = c.setup.tokens.get() * c.setup.epochs / tokens_per_step;
    let training = c.quote.stages.iter().find(|s| s.name == "train").map(|s| s.hours.get());
    match training {
        Some(hours) if hours > 0.0 && steps.is_finite() => {
            let share = c.setup.checkpoint_every.get() / hours;
            ((steps * share).round().clamp(1.0, 1e6)) as u64
        }
        _ => 100,
    }
}

/// The number format of the weights, as PyTorch names it.
pub(super) fn dtype(c: &Context<'_>) -> &'static str {
    match c.setup.precision {
        Precision::Bf16 => "torch.bfloat16",
        Precision::Fp16 => "torch.float16",
        Precision::Fp32Master => "torch.float32",
    }
}

/// What fills the gaps of every Python script.
pub(super) fn values(c: &Context<'_>) -> Vec<(&'static str, String)> {
    let s = c.setup;
    vec![
        ("MODEL", literal(&s.model.id)),
        ("SECONDS", format!("{:.0}", s.checkpoint_every.seconds())),
        ("SEQ", s.seq_len.to_string()),
        ("DTYPE", dtype(c).to_owned()),
        ("PACKING", python(s.packing).to_owned()),
        ("BATCH", s.micro_batch.to_string()),
        ("ACCUM", s.grad_accum.to_string()),
        ("EPOCHS", s.epochs.to_string()),
        ("RATE", learning_rate(c).to_string()),
        ("OPTIM", optimizer(c).to_owned()),
        ("BF16", python(s.precision != Precision::Fp16).to_owned()),
    ]
}

/// Text as a literal of Python and JSON.
fn literal(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// True and False, as Python spells them.
pub(super) fn python(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// Fields of a configuration file, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    /// Adds a field.
    pub(super) fn set(&mut self, name: &'static str, value: impl Into<Value>) -> &mut Self {
        self.0.push((name, value.into()));
        self
    }

    /// The file, as YAML.
    pub(super) fn yaml(&self) -> Result<String, Unsuitable> {
        serde_saphyr::to_string(self)
            .map_err(|e| Unsuitable(format!("no YAML can be written: {e}")))
    }
}

impl Serialize for Fields {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
