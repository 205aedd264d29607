//! What the trainers' files share: words for optimizers, layers and shards.

use crate::export::{Context, Unsuitable, launch};
use crate::model::Family;
use crate::setup::{
    Attention, Framework, Lora, Method, Offload, Optimizer, Precision, Quant, Shard, Target,
};
use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::{Value, json};

/// GPUs of one machine that the job runs on: those that the estimate counts.
pub(super) fn gpus(c: &Context<'_>) -> u64 {
    let offered = launch::whole_gpus(c).unwrap_or(1);
    c.setup.gpus.map_or(offered, |wanted| offered.min(u64::from(wanted)))
}

/// GPUs of all machines together.
pub(super) fn all_gpus(c: &Context<'_>) -> u64 {
    c.setup.gpus.map_or_else(|| gpus(c), |wanted| gpus(c).max(u64::from(wanted)))
}

/// The cards to show to the trainer, where it is to leave some alone.
pub(super) fn visible(c: &Context<'_>) -> Option<String> {
    let offered = launch::whole_gpus(c).unwrap_or(1);
    let used = gpus(c);
    let list = || (0..used).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    (used < offered).then(list)
}

/// How the work is divided over all of them.
pub(super) fn shard(c: &Context<'_>) -> Shard {
    c.setup.sharding(u32::try_from(all_gpus(c)).unwrap_or(u32::MAX))
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

/// The names of the layers that carry an adapter. Phi-3 joins q, k and v in one layer, gate and up
/// in another; all other models that are estimated have seven layers a block.
pub(super) fn layers(c: &Context<'_>, lora: &Lora) -> Vec<String> {
    let family = c.setup.model.architecture.as_ref().map(|a| a.family);
    let joined = family == Ok(Family::Phi3);
    let name = |target: Target| match target {
        Target::Q | Target::K | Target::V if joined => "qkv_proj".to_owned(),
        Target::Gate | Target::Up if joined => "gate_up_proj".to_owned(),
        other => format!("{}_proj", other.as_str()),
    };
    let mut names: Vec<String> = lora.targets.iter().map(name).collect();
    names.dedup();
    names
}

/// Refuses what no trainer file can ask for.
pub(super) fn check(c: &Context<'_>) -> Result<(), Unsuitable> {
    if c.setup.quant == Some(Quant::Gptq) {
        return Err(Unsuitable::because(
            "a GPTQ base is a checkpoint of its own, which must be chosen by hand",
        ));
    }
    let named = c.setup.model.architecture.as_ref().is_ok_and(|a| a.gated_mlp);
    if c.setup.lora.is_some() && !named {
        return Err(Unsuitable(format!(
            "the layers of {} go by names that we do not know, so adapters cannot be put on them",
            c.setup.model.name
        )));
    }
    Ok(())
}

/// Refuses a preparation of quantised models that `ours` does not make.
pub(super) fn no_preparation(c: &Context<'_>, ours: Framework) -> Result<(), Unsuitable> {
    let s = c.setup;
    if s.framework == ours && s.quant.is_some() && s.kbit_prep {
        return Err(Unsuitable(format!(
            "{ours} does not cast a quantised model to fp32; estimate with --kbit-prep off"
        )));
    }
    Ok(())
}

/// Optimizer steps between two checkpoints, from the training time of the quote; 100 where the
/// quote has none.
pub(super) fn save_steps(c: &Context<'_>) -> u64 {
    let tokens_per_step = f64::from(c.setup.seq_len)
        * f64::from(c.setup.micro_batch)
        * f64::from(c.setup.grad_accum)
        * all_gpus(c) as f64;
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

/// What Hugging Face's Trainer needs for this setup, and does not bring along: the kernels of
/// FlashAttention, which Transformers takes from there where flash-attn is missing, and DeepSpeed.
pub(super) fn packages(c: &Context<'_>) -> String {
    let mut packages = String::new();
    if c.setup.attention == Attention::Flash {
        packages.push_str(" kernels");
    }
    if deepspeed(c).is_some() {
        packages.push_str(" deepspeed");
    }
    packages
}

/// The configuration of DeepSpeed, where it divides the work.
pub(super) fn deepspeed(c: &Context<'_>) -> Option<Value> {
    let stage = match shard(c) {
        Shard::Zero2 => 2,
        Shard::Zero3 => 3,
        Shard::None | Shard::Ddp | Shard::Fsdp => return None,
    };
    let device = |parts: bool| json!({"device": if parts { "cpu" } else { "none" }});
    let mut zero = json!({
        "stage": stage,
        "offload_optimizer": device(c.setup.offload != Offload::None),
    });
    if stage == 3 {
        zero["offload_param"] = device(c.setup.offload == Offload::All);
        zero["stage3_gather_16bit_weights_on_model_save"] = json!(true);
    }
    Some(json!({
        "train_micro_batch_size_per_gpu": "auto",
        "gradient_accumulation_steps": "auto",
        "gradient_clipping": "auto",
        "bf16": {"enabled": "auto"},
        "fp16": {"enabled": "auto"},
        "zero_optimization": zero,
    }))
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
        ("PROJECT", project(c)),
        ("REPORT", report(c).to_owned()),
    ]
}

/// The line of a Python script that names the project to report to.
fn project(c: &Context<'_>) -> String {
    c.wandb.map_or_else(String::new, |project| {
        format!("os.environ.setdefault(\"WANDB_PROJECT\", {})\n", literal(project))
    })
}

/// Who is told how the training goes: on request Weights & Biases, else whoever has its key set.
fn report(c: &Context<'_>) -> &'static str {
    if c.wandb.is_some() {
        "\"wandb\""
    } else {
        "\"wandb\" if os.environ.get(\"WANDB_API_KEY\") else \"none\""
    }
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
