//! From what a row states to the setup that it ran, or why it cannot be told.

use super::record::Record;
use super::spelling;
use crate::gpu::{self, GpuId};
use crate::model;
use crate::setup::{
    Checkpointing, Draft, Field, Framework, FrameworkChoice, FrameworkVersion, LossKernel, Method,
    Offload, Optimizer, Precision, Quant, Setup, Shard, Targets,
};
use crate::units::Gib;

/// A measured run in our words.
#[derive(Clone, Debug)]
pub struct Run {
    /// What was run.
    pub setup: Setup,
    /// On how many GPUs.
    pub gpus: u32,
    /// On which card, where the catalogue has it.
    pub gpu: Option<GpuId>,
    /// How its code differs from what the setup implies.
    pub code: CodeOf,
    /// Lengths vary within the run, so that the allocator fragments.
    pub ragged: bool,
}

/// Whose code ran, where it is none of the six frameworks or is not run as they do by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CodeOf {
    /// As the setup says.
    Framework,
    /// Mixed precision was off: no fp32 copies under FSDP.
    NoAutocast,
    /// LitGPT: its own blocks, everything in bf16.
    LitGpt {
        /// Copies of its input that a quantised matrix keeps.
        copies: f64,
    },
    /// NVIDIA's NeMo Automodel.
    Automodel,
    /// Hugging Face's, or a model's own code, of a version that is not stated.
    Undated,
    /// torchtune with torch.compile, with the optimizer in the backward pass or not.
    Compiled {
        /// Gradients are used up as they are made.
        no_gradients: bool,
    },
}

/// The run of `record`.
///
/// # Errors
/// Why nothing can be predicted for it.
pub(super) fn run(record: &Record) -> Result<Run, String> {
    let method = method(&record.method)?;
    let model = model(&record.model)?;
    let shard = shard(&record.parallelism)?;
    let gpus = record.gpus.ok_or("number of GPUs not stated")?;
    let shard = match (gpus, shard) {
        (1, _) => Shard::None,
        (_, Shard::None) => return Err(format!("{gpus} GPUs, and how is not stated")),
        (_, shard) => shard,
    };
    modelled(record, &model)?;
    if is(record, "litgpt") {
        litgpt(record, gpus, method)?;
    }
    if is(record, "trl-") && transformers(&record.version).is_none() {
        return Err("TRL's version is not stated, and its defaults have changed".into());
    }
    let ragged = lengths(record)?;
    let mut draft = Draft {
        method: Some(method),
        framework: Some(framework(record)),
        seq_len: Some(record.seq_len.ok_or("sequence length not stated")?),
        micro_batch: Some(record.micro_batch.ok_or("batch size not stated")?),
        grad_accum: record.grad_accum,
        packing: Some(!ragged),
        checkpointing: Some(checkpointing(record)?),
        loss_kernel: loss_kernel(record)?,
        precision: Some(precision(record, method)),
        gpus: Some(gpus),
        shard: (gpus > 1).then_some(shard),
        offload: Some(offload(record)),
        ..Draft::default()
    };
    draft.optimizer = optimizer(record, method)?;
    set_attention(&mut draft, record)?;
    set_adapters(&mut draft, record, method)?;
    let (setup, _) = draft.resolve_beyond(model).map_err(|e| e.to_string())?;
    Ok(Run { setup, gpus, gpu: card(&record.gpu), code: code(record), ragged })
}

/// Trainers whose memory is modelled, by the start of their name: the six frameworks, what else runs
/// Hugging Face's code, and those with measurements of their own.
const MODELLED: [&str; 15] = [
    "hf",
    "hugging",
    "transformers",
    "accelerate",
    "peft",
    "trl",
    "axolotl",
    "unsloth",
    "torchtune",
    "llama-factory",
    "ms-swift",
    "fsdp-qlora",
    "litgpt",
    "nemo-automodel",
    "qwen",
];

/// Another trainer's blocks, precision and buffers would be guessed.
fn modelled(record: &Record, model: &model::Model) -> Result<(), String> {
    let name = trainer(record);
    let megatron = name.contains("megatron");
    if megatron || !MODELLED.iter().any(|start| name.starts_with(start)) {
        return Err(format!("the memory of {} is not modelled", record.framework));
    }
    // It tiles them, and quantises what others cannot.
    let experts = model.architecture.as_ref().is_ok_and(|a| a.experts.is_some());
    if name.contains("unsloth") && experts {
        return Err("how Unsloth runs a mixture of experts is not modelled".into());
    }
    Ok(())
}

/// What of LitGPT is modelled: adapters over 16-bit or quantised weights on one GPU. Sharded runs
/// peak at 1.65 to 1.75 times the whole weights, however long the batch: while they load. Full runs
/// stay below weights, gradients and AdamW's states (8.1 GiB for 1.2 billion parameters), so some
/// other optimizer ran.
fn litgpt(record: &Record, gpus: u32, method: Method) -> Result<(), String> {
    if gpus > 1 {
        return Err("LitGPT loads the whole model before it shards, and that is the peak".into());
    }
    if method == Method::Full {
        return Err("below what AdamW takes; LitGPT's optimizer is not stated".into());
    }
    if record.dtype.starts_with("fp32") {
        return Err("adapters over fp32 weights are not modelled".into());
    }
    Ok(())
}

/// The model, as far as we know its shape.
fn model(name: &str) -> Result<std::sync::Arc<model::Model>, String> {
    // One shared key-value head, learned positions, dropout in the block: not Llama's kind.
    if name.contains("gpt_bigcode") {
        return Err("GPT-BigCode's block is not modelled".into());
    }
    match name {
        "" => Err("model not stated".into()),
        name => find_model(name).ok_or_else(|| format!("model {name} is not known")),
    }
}

/// `llama2-7b` is how tables shorten `Llama-2-7b-hf`.
pub(super) fn find_model(name: &str) -> Option<std::sync::Arc<model::Model>> {
    const SHORT: [(&str, &str); 7] = [
        ("llama2-", "Llama-2-"),
        ("llama3-", "Meta-Llama-3-"),
        ("llama3.", "Llama-3."),
        ("mistral-7b", "Mistral-7B-v0.1"),
        ("mixtral-8x7b", "Mixtral-8x7B-v0.1"),
        ("gemma2-", "gemma-2-"),
        ("qwen-1.8b", "Qwen-1_8B"),
    ];
    model::find_like(name).or_else(|| {
        let name = name.to_ascii_lowercase();
        let (short, long) = SHORT.iter().find(|(short, _)| name.starts_with(short))?;
        model::find_like(&name.replacen(short, long, 1))
    })
}

fn method(text: &str) -> Result<Method, String> {
    text.parse().map_err(|_| match text {
        "" => "method not stated".to_owned(),
        other => format!("method {other} is not modelled"),
    })
}

fn shard(text: &str) -> Result<Shard, String> {
    match spelling::sharding(text).as_str() {
        "" => Ok(Shard::None),
        "ddp" | "ddp(fsdpnoshard)" => Ok(Shard::Ddp),
        "fsdp" | "fsdp2" | "fsdp+cpuoffload" | "fsdp2+cpuoffload" => Ok(Shard::Fsdp),
        "zero2" | "zero2cpu" => Ok(Shard::Zero2),
        "zero3" | "zero3cpuoffload" => Ok(Shard::Zero3),
        _ => Err(format!("parallelism {text} is not modelled")),
    }
}

/// Do lengths vary? A length that is a cap only tells nothing about the peak.
fn lengths(record: &Record) -> Result<bool, String> {
    let notes = record.notes.to_ascii_lowercase();
    match record.packing.as_str() {
        "dynamic-padding" if notes.contains("longest") => Ok(true),
        "dynamic-padding" if is(record, "litgpt") => Ok(true),
        "dynamic-padding" | "bucketed-by-length" => {
            Err("padded to the longest sample, whose length is not stated".into())
        }
        "max-length-truncated" => Ok(true),
        _ => Ok(false),
    }
}

fn is(record: &Record, framework: &str) -> bool {
    trainer(record).starts_with(framework)
}

/// The trainer's name in one spelling: `LLaMA Factory` and `llamafactory` are `llama-factory`.
pub(super) fn trainer(record: &Record) -> String {
    let name = spelling::plain(&record.framework);
    for (start, known) in
        [("llamafactory", "llama-factory"), ("msswift", "ms-swift"), ("lit-gpt", "litgpt")]
    {
        if let Some(rest) = name.strip_prefix(start) {
            return format!("{known}{rest}");
        }
    }
    name
}

/// The framework whose code ran, or comes closest.
fn framework(record: &Record) -> FrameworkChoice {
    let of = |framework| FrameworkChoice { framework, version: None };
    let name = trainer(record);
    let name = name.as_str();
    if let Ok(framework) = name.parse::<Framework>() {
        return of(framework);
    }
    if ["litgpt", "torchtune", "nemo-automodel"].iter().any(|n| name.starts_with(n)) {
        return of(Framework::Torchtune);
    }
    let version = transformers(&record.version);
    match name {
        n if n.starts_with("axolotl") => of(Framework::Axolotl),
        n if n.starts_with("unsloth") || n.contains("+unsloth") => of(Framework::Unsloth),
        n if n.starts_with("llama-factory") => of(Framework::LlamaFactory),
        // Early 2024 and before.
        n if ["ms-swift", "fsdp-qlora"].iter().any(|o| n.starts_with(o))
            || n.contains("qwen-finetune") =>
        {
            FrameworkChoice { framework: Framework::Hf, version: version.or(Some(OLD)) }
        }
        _ => FrameworkChoice { framework: Framework::Hf, version },
    }
}

/// What measurements of early 2024 ran, where they do not say.
const OLD: FrameworkVersion = FrameworkVersion { major: 4, minor: 38 };

/// The version of Transformers in `torch2.4.1/transformers4.45.2/peft0.13.2`.
fn transformers(text: &str) -> Option<FrameworkVersion> {
    let at = text.find("transformers")? + "transformers".len();
    let digits = text[at..].trim_start_matches([' ', '=', '-']);
    let mut parts = digits.split(|c: char| !c.is_ascii_digit());
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next().and_then(|p| p.parse().ok()).unwrap_or(0);
    Some(FrameworkVersion { major, minor })
}

fn checkpointing(record: &Record) -> Result<Checkpointing, String> {
    let offloaded = record.offload.starts_with("activations");
    match record.checkpointing.as_str() {
        s if s.starts_with("selective") => Err("selective checkpointing is not modelled".into()),
        "no" => Ok(Checkpointing::Off),
        "unsloth" => Ok(Checkpointing::Offload),
        "" | "yes" if offloaded => Ok(Checkpointing::Offload),
        "" => Err("checkpointing not stated".into()),
        "yes" => Ok(Checkpointing::On),
        other => Err(format!("checkpointing {other} is not modelled")),
    }
}

fn loss_kernel(record: &Record) -> Result<Option<LossKernel>, String> {
    Ok(Some(match record.loss_kernel.as_str() {
        "" => return Ok(kernel_of_name(&trainer(record))),
        "hf-eager-ce" | "hf-eager" | "plain-ce" | "plain" | "hf" | "eager" => LossKernel::Eager,
        k if k.starts_with("fast") => LossKernel::Fast,
        k if k.starts_with("chunked") => LossKernel::Chunked,
        k if k.contains("liger")
            || k.contains("cut")
            || k.contains("unsloth")
            || k.contains("fused") =>
        {
            LossKernel::Fused
        }
        other => return Err(format!("loss kernel {other} is not modelled")),
    }))
}

/// Tables of speed name the kernels with the trainer: `HF SFTTrainer + FA2 + fused kernels (foak)`.
fn kernel_of_name(trainer: &str) -> Option<LossKernel> {
    if trainer.contains("liger") {
        Some(LossKernel::Fused)
    } else if trainer.contains("foak") {
        Some(LossKernel::Fast)
    } else {
        None
    }
}

fn precision(record: &Record, method: Method) -> Precision {
    let dtype = record.dtype.to_ascii_lowercase();
    if method == Method::Full && (dtype.starts_with("fp32") || dtype.starts_with("float16")) {
        Precision::Fp32Master
    } else if dtype.starts_with("fp16") || dtype.starts_with("float16") {
        Precision::Fp16
    } else {
        Precision::Bf16
    }
}

fn offload(record: &Record) -> Offload {
    match record.offload.as_str() {
        o if o.starts_with("optimizer+params") || o == "fsdp-cpu" || o == "zero3-cpu-offload" => {
            Offload::All
        }
        o if o.starts_with("optimizer") || o == "zero2-cpu" => Offload::Optimizer,
        // Tables without such a column say it beside the sharding.
        "" if spelling::sharding(&record.parallelism).ends_with("cpuoffload") => Offload::All,
        _ => Offload::None,
    }
}

fn optimizer(record: &Record, method: Method) -> Result<Option<Optimizer>, String> {
    let name = spelling::plain(&record.optimizer).replace('-', "");
    Ok(Some(match name.as_str() {
        // torchtune's table names the optimizer only where it departs from AdamW.
        "" if record.notes.contains("step \"+8-bit") => Optimizer::Adamw8bit,
        "" if record.notes.contains("step \"") => Optimizer::Adamw,
        "" if method == Method::Full && is(record, "torchtune") => {
            return Err("optimizer not stated".into());
        }
        "" => return Ok(None),
        n if n.contains("paged") => Optimizer::PagedAdamw8bit,
        n if n.contains("8bit") => Optimizer::Adamw8bit,
        n if n.starts_with("adam") && !n.contains("4bit") => Optimizer::Adamw,
        n if n.starts_with("adafactor") => Optimizer::Adafactor,
        n if n.starts_with("sgd") => Optimizer::Sgd,
        other => return Err(format!("optimizer {other} is not modelled")),
    }))
}

fn set_attention(draft: &mut Draft, record: &Record) -> Result<(), String> {
    let word = match record.attention.as_str() {
        "" => return Ok(()),
        "no" | "eager" => "eager",
        a if a.contains("sdpa") => "sdpa",
        _ => "flash",
    };
    draft.set(Field::Attention, word).map_err(|e| e.to_string())
}

fn set_adapters(draft: &mut Draft, record: &Record, method: Method) -> Result<(), String> {
    if method == Method::Full {
        return Ok(());
    }
    draft.lora_rank = record.rank;
    draft.lora_dropout = Some(record.dropout.unwrap_or(0.0));
    draft.lora_targets = targets(&record.targets)?;
    if method == Method::Qlora {
        draft.quant = quant(record)?;
        let baseline = record.notes.contains("framework_config=baseline-peft-bnb");
        draft.kbit_prep = match record.kbit_prep.as_str() {
            "yes" => Some(true),
            "no" => Some(false),
            _ if is(record, "hf-trainer(fms") => Some(baseline),
            // fms-acceleration's plugin leaves the preparation out.
            _ if trainer(record).contains("accelerated-peft") => Some(false),
            _ => None,
        };
    }
    Ok(())
}

fn targets(text: &str) -> Result<Option<Targets>, String> {
    let mut found = Vec::new();
    for word in text.split(',').filter(|w| !w.is_empty()) {
        match word {
            "query" => found.push("q"),
            "key" => found.push("k"),
            "value" => found.push("v"),
            "projection" | "output_proj" => found.push("o"),
            "all" | "linear" | "linear(all)" | "all_linear" => found.push("all-linear"),
            "self_attn" => found.push("attention"),
            "c_attn" | "default(c_attn/qkv)" | "default" => found.push("qkv"),
            "c_proj" => found.push("o,down"),
            "w1" => found.push("gate"),
            "w2" => found.push("up"),
            "head" | "lm_head" | "(all" | "linear)" => {}
            other => found.push(other),
        }
    }
    if found.is_empty() {
        return Ok(None);
    }
    found.join(",").parse().map(Some).map_err(|_| format!("adapters on {text} are not modelled"))
}

fn quant(record: &Record) -> Result<Option<Quant>, String> {
    Ok(Some(match record.quant.as_str() {
        "" | "nf4-dq" | "nf4(torchao)" | "bnb-4bit" | "4bit" | "4-bit" => Quant::Nf4Dq,
        // The benchmark's 4-bit runs quantise their constants as well.
        "nf4" if is(record, "hf-trainer(fms") => Quant::Nf4Dq,
        "nf4" | "fp4" => Quant::Nf4,
        "gptq-4bit" => Quant::Gptq,
        "int8" => Quant::Int8,
        other => return Err(format!("quantisation {other} is not modelled")),
    }))
}

fn code(record: &Record) -> CodeOf {
    if is(record, "litgpt") {
        CodeOf::LitGpt { copies: if record.date.starts_with("2023") { 1.0 } else { 2.0 } }
    } else if is(record, "nemo-automodel") {
        CodeOf::Automodel
    } else if is(record, "torchtune") && compiled(&record.notes) {
        CodeOf::Compiled { no_gradients: steps_from(&record.notes, "+optimizer in") }
    } else if record.notes.contains("compute=no-autocast") {
        CodeOf::NoAutocast
    } else if undated(record) {
        CodeOf::Undated
    } else {
        CodeOf::Framework
    }
}

/// Trainers over Transformers whose version decides what the loss costs, and is not stated.
fn undated(record: &Record) -> bool {
    let over = ["hf-trainer", "ms-swift", "fsdp-qlora", "peft", "llama-factory"];
    over.iter().any(|name| is(record, name)) && transformers(&record.version).is_none()
}

/// The steps of torchtune's table, each of which includes those before it.
const LADDER: [&str; 8] = [
    "Baseline",
    "+packed",
    "+compile",
    "+chunked CE",
    "+activation checkpointing",
    "+optimizer in",
    "+activation offloading",
    "+8-bit AdamW",
];

/// Is the step that `notes` name at or after `first`?
fn steps_from(notes: &str, first: &str) -> bool {
    let at = LADDER.iter().position(|step| notes.contains(&format!("step \"{step}")));
    let from = LADDER.iter().position(|step| step.starts_with(first));
    at.zip(from).is_some_and(|(at, from)| at >= from)
}

pub(super) fn compiled(notes: &str) -> bool {
    notes.contains("torch.compile on") || steps_from(notes, "+compile")
}

/// The card: `A100-80GB`, `RTX 4090`.
pub(super) fn card(text: &str) -> Option<GpuId> {
    // `4090` is how people call an RTX 4090.
    identify(text).or_else(|| {
        let bare = text.starts_with(|c: char| c.is_ascii_digit());
        bare.then(|| identify(&format!("RTX {text}")))?
    })
}

fn identify(text: &str) -> Option<GpuId> {
    let catalogue = gpu::catalogue();
    let (name, memory) = match text.rsplit_once(['-', ' ']) {
        Some((name, size)) if size.ends_with("GB") => {
            (name, size.trim_end_matches("GB").parse::<f64>().ok().map(Gib::new))
        }
        _ => (text, None),
    };
    catalogue.identify(text, memory).or_else(|| catalogue.identify(name, memory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_targets_are_read_as_people_write_them() {
        let version = transformers("torch2.4.1/transformers4.45.2/peft0.13.2").unwrap();
        assert_eq!((version.major, version.minor), (4, 45));
        assert_eq!(transformers("torch 2.13"), None);
        let targets = |text: &str| targets(&spelling::targets(text));
        assert_eq!(targets("query,value"), Ok(Some(Targets::QV)));
        assert_eq!(targets("q_proj,k_proj,v_proj,o_proj"), Ok(Some(Targets::ATTENTION)));
        assert_eq!(targets("all linear"), Ok(Some(Targets::ALL_LINEAR)));
        assert_eq!(targets("C_attn c_proj w1 w2"), Ok(Some(Targets::ALL_LINEAR)));
        assert_eq!(targets(""), Ok(None));
        assert!(targets("embed_tokens").is_err());
    }

    #[test]
    fn what_cannot_be_told_is_skipped_with_the_reason() {
        let row = Record {
            framework: "hf-trainer".into(),
            model: "Meta-Llama-3-8B".into(),
            method: "lora".into(),
            gpus: Some(1),
            micro_batch: Some(1),
            seq_len: Some(512),
            checkpointing: "yes".into(),
            ..Record::default()
        };
        assert!(run(&row).is_ok());
        let why = |change: fn(&mut Record)| {
            let mut row = row.clone();
            change(&mut row);
            run(&row).unwrap_err()
        };
        assert_eq!(why(|r| r.method = "dora".into()), "method dora is not modelled");
        assert_eq!(why(|r| r.seq_len = None), "sequence length not stated");
        assert_eq!(why(|r| r.gpus = None), "number of GPUs not stated");
        assert_eq!(why(|r| r.model = "Novel-1B".into()), "model Novel-1B is not known");
        assert!(why(|r| r.packing = "dynamic-padding".into()).contains("longest"));
        assert!(why(|r| r.parallelism = "megatron tp=2".into()).contains("megatron"));
    }
}
