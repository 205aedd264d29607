//! Setups that cannot run: one line each, with what is wrong, why, and what would work.

use super::{
    Attention, Draft, Field, Framework, Method, Offload, Precision, Quant, Setup, SetupError, Shard,
};
use crate::gpu::Gpu;

fn wrong(field: Field, problem: impl Into<String>) -> SetupError {
    SetupError { field: field.flag(), problem: problem.into() }
}

/// Fields that contradict the method; a resolved setup no longer holds them.
pub(super) fn draft(draft: &Draft) -> Result<(), SetupError> {
    let method = draft.method.unwrap_or(Method::Qlora);
    if method == Method::Full {
        for field in [Field::LoraRank, Field::LoraTargets, Field::LoraDropout] {
            if draft.get(field).is_some() {
                return Err(wrong(
                    field,
                    "full fine-tuning has no adapters; use method lora or qlora, or leave it out",
                ));
            }
        }
    }
    if method != Method::Qlora && draft.quant.is_some() {
        return Err(wrong(
            Field::Quant,
            format!("{method} keeps 16-bit weights; quantised weights need method qlora"),
        ));
    }
    Ok(())
}

/// Everything that can be told without a GPU.
pub(super) fn setup(s: &Setup) -> Result<(), SetupError> {
    numbers(s)?;
    rank(s)?;
    formats(s)?;
    sharding(s)?;
    experts(s)
}

fn numbers(s: &Setup) -> Result<(), SetupError> {
    if !(s.epochs > 0.0 && s.epochs <= 10_000.0) {
        return Err(wrong(Field::Epochs, "must be above 0 and at most 10000"));
    }
    if s.lora.is_some_and(|l| l.dropout >= 1.0) {
        return Err(wrong(Field::LoraDropout, "must be below 1, as 0.05"));
    }
    if s.micro_batch > 65_536 {
        return Err(wrong(Field::MicroBatch, "must be at most 65536"));
    }
    if s.gpus.is_some_and(|n| n > 1024) {
        return Err(wrong(Field::Gpus, "must be at most 1024"));
    }
    Ok(())
}

/// The sequence against the model's context.
pub(super) fn context(s: &Setup) -> Result<(), SetupError> {
    match s.model.max_context.filter(|limit| s.seq_len > *limit) {
        None => Ok(()),
        Some(limit) => Err(wrong(
            Field::SeqLen,
            format!(
                "{} is beyond the context of {}; its configuration allows {limit}",
                s.seq_len, s.model.name
            ),
        )),
    }
}

fn rank(s: &Setup) -> Result<(), SetupError> {
    match (s.lora, &s.model.architecture) {
        (Some(lora), Ok(arch)) if lora.rank > arch.hidden => Err(wrong(
            Field::LoraRank,
            format!(
                "{} is more than the model's hidden size; at most {}, usually 8 to 128",
                lora.rank, arch.hidden
            ),
        )),
        _ => Ok(()),
    }
}

fn formats(s: &Setup) -> Result<(), SetupError> {
    match (s.method, s.precision) {
        (Method::Full, Precision::Fp16) => Err(wrong(
            Field::Precision,
            "full fine-tuning of fp16 weights does not converge and trainers refuse it; use fp32-master, or bf16 on a GPU that has it",
        )),
        (Method::Qlora, Precision::Fp32Master) => Err(wrong(
            Field::Precision,
            "QLoRA's frozen weights are quantised, there is no fp32 copy; use bf16 or fp16",
        )),
        _ => Ok(()),
    }
}

fn sharding(s: &Setup) -> Result<(), SetupError> {
    let shard = s.shard.unwrap_or(Shard::Ddp);
    let shards = matches!(shard, Shard::Fsdp | Shard::Zero2 | Shard::Zero3);
    if let Some(gpus) = s.gpus {
        s.check_count(gpus)?;
    }
    if s.gpus.is_some_and(|n| n > 1) && s.shard == Some(Shard::None) {
        return Err(wrong(Field::Shard, "several GPUs need ddp, fsdp, zero2 or zero3"));
    }
    if s.offload == Offload::All && !matches!(s.shard, Some(Shard::Fsdp | Shard::Zero3)) {
        return Err(wrong(
            Field::Offload,
            "parameters can be offloaded by fsdp or zero3 only; choose one of them, or offload optimizer",
        ));
    }
    if s.framework == Framework::Unsloth && s.shard.is_some() && shards {
        return Err(wrong(Field::Shard, "Unsloth does not shard; use ddp, or another framework"));
    }
    if s.framework == Framework::Torchtune && matches!(shard, Shard::Zero2 | Shard::Zero3) {
        return Err(wrong(Field::Shard, "torchtune has no DeepSpeed; use fsdp"));
    }
    Ok(())
}

/// bitsandbytes quantises linear layers; experts stored as one 3-D tensor are none. Transformers 5
/// stores the experts of every model so, earlier versions those of a few. Axolotl and Unsloth
/// quantise such experts themselves.
fn experts(s: &Setup) -> Result<(), SetupError> {
    let bnb = matches!(s.quant, Some(Quant::Nf4 | Quant::Nf4Dq | Quant::Int8));
    let experts = s.model.architecture.as_ref().ok().and_then(|a| a.experts);
    let (true, Some(experts)) = (bnb, experts) else {
        return Ok(());
    };
    let splits = matches!(s.framework, Framework::Axolotl | Framework::Unsloth);
    let old = s.framework == Framework::Hf && s.version.is_some_and(|v| v.major < 5);
    if splits || (old && !experts.fused) {
        return Ok(());
    }
    Err(wrong(
        Field::Quant,
        format!(
            "the experts of {} are one fused tensor, which bitsandbytes leaves in 16 bits; use method lora, or framework axolotl, which quantises experts",
            s.model.name
        ),
    ))
}

impl Setup {
    /// Can work be divided over `gpus` GPUs as the setup says?
    pub fn check_count(&self, gpus: u32) -> Result<(), SetupError> {
        match self.shard {
            Some(shard) if gpus == 1 && shard != Shard::None => Err(wrong(
                Field::Shard,
                format!(
                    "{shard} divides over several GPUs, and there is one; use 2 or more GPUs, or none"
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Can it run on this card at all, memory aside?
    pub fn check_on(&self, gpu: &Gpu) -> Result<(), SetupError> {
        if !gpu.bf16 && self.precision == Precision::Bf16 {
            return Err(wrong(
                Field::Precision,
                format!(
                    "{} ({}) has no bf16; use {}",
                    gpu.name,
                    gpu.architecture,
                    if self.method == Method::Full { "fp32-master" } else { "fp16" }
                ),
            ));
        }
        if !gpu.flash_attention && self.attention == Attention::Flash {
            return Err(wrong(
                Field::Attention,
                format!("FlashAttention-2 does not run on {}; use sdpa", gpu.name),
            ));
        }
        Ok(())
    }
}
