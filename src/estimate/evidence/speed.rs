//! The speed half: what a published run would have done by the speed model.
//!
//! A run is taken as its row states it. Vendors' recipes that tune every part (MLPerf, NeMo,
//! Megatron) hide their communication and recompute nothing; whatever spans several machines or
//! splits layers and sequences is not modelled.

use super::record::Record;
use crate::estimate::speed::{self, Divided, Kernels, Link, Stored, Work};
use crate::gpu::{self, Gpu};
use crate::model::{self, Architecture};
use crate::setup::Method;
use crate::units::{Range, TokensPerSecond};

/// Mean tokens of a sample of the Alpaca data set. From its published statistics.
const ALPACA: f64 = 193.75;
/// Micro-steps of this many tokens keep a card busy however many of them there are.
const LONG: f64 = 4096.0;

/// Speed of all GPUs of the run together.
///
/// # Errors
/// Why it cannot be told.
pub(super) fn predict(record: &Record) -> Result<Range<TokensPerSecond>, String> {
    if record.tokens_per_second.is_none() {
        return Err("no speed stated".into());
    }
    let method: Method = record.method.parse().map_err(|_| unknown("method", &record.method))?;
    let model = find_model(&record.model).ok_or_else(|| unknown("model", &record.model))?;
    let arch = model.architecture.as_ref().map_err(Clone::clone)?;
    let card = card(&record.gpu)?;
    let gpus = record.gpus.ok_or("number of GPUs not stated")?;
    machine(record, gpus)?;
    let work = work(record, method, arch, gpus)?;
    speed::of_work(&work, &card, link(record, &work))
}

fn unknown(what: &str, name: &str) -> String {
    if name.is_empty() {
        format!("{what} not stated")
    } else {
        format!("{what} {name} is not known")
    }
}

/// One machine, divided in a way that is modelled.
fn machine(record: &Record, gpus: u32) -> Result<(), String> {
    let how = record.parallelism.as_str();
    if gpus > 8 || how.contains("nodes") {
        return Err("more than one machine".into());
    }
    let words: Vec<&str> = how.split([' ', '/', '+']).collect();
    let splits = |w: &&str| {
        ["TP", "PP", "CP", "EP"]
            .iter()
            .any(|s| w.to_ascii_uppercase().strip_prefix(s).is_some_and(|rest| rest != "1"))
    };
    if words.iter().any(splits) && !recipe(record) || how.contains("seq") {
        return Err(format!("parallelism {how} is not modelled"));
    }
    if how.contains("device_map") {
        return Err("layers one after the other on several cards are not modelled".into());
    }
    if record.dtype.starts_with("fp32") {
        return Err("training in fp32 is not modelled".into());
    }
    Ok(())
}

/// Does every part of the code come tuned by a vendor?
fn recipe(record: &Record) -> bool {
    let name = record.framework.to_ascii_lowercase();
    ["nemo/megatron", "megatron", "nemo", "hf + deepspeed"].iter().any(|n| name.starts_with(n))
        && !name.contains("automodel")
}

fn work(record: &Record, method: Method, arch: &Architecture, gpus: u32) -> Result<Work, String> {
    let (batch, seq) = batch(record)?;
    let divided = divided(record, gpus);
    Ok(Work {
        tokens: batch * seq,
        seq,
        recompute: recompute(record)?,
        backward: if method == Method::Full { 2.0 } else { 1.0 },
        format: stored(record, method),
        kernels: kernels(record),
        accumulation: f64::from(record.grad_accum.unwrap_or(1)),
        gpus: f64::from(gpus),
        divided,
        fp8: ["fp8", "mxfp8", "fp4", "amp_fp8"].iter().any(|p| record.dtype.starts_with(p)),
        ..Work::of(arch)
    })
}

/// Sequences of a micro-step, and tokens of one.
fn batch(record: &Record) -> Result<(f64, f64), String> {
    let batch = record.micro_batch.map(f64::from);
    let seq = record.seq_len.map(f64::from);
    match (batch, seq) {
        (Some(batch), Some(seq)) => Ok((batch, seq)),
        (None, Some(seq)) if seq >= LONG => Ok((1.0, seq)),
        (None, _) => Err("batch size not stated".into()),
        // Padded to the longest of the batch: the mean grows with its logarithm.
        (Some(batch), None) if record.dataset.to_ascii_lowercase().contains("alpaca") => {
            Ok((batch, ALPACA * (1.0 + 0.25 * batch.ln())))
        }
        (_, None) => Err("sequence length not stated".into()),
    }
}

fn recompute(record: &Record) -> Result<f64, String> {
    if recipe(record) {
        return Ok(0.0);
    }
    match record.checkpointing.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "unsloth" | "full" => Ok(1.0),
        "false" | "no" | "off" => Ok(0.0),
        // Trainers of language models recompute unless told otherwise.
        "" => Ok(1.0),
        s if s.starts_with("selective") => Ok(1.0 / 3.0),
        other => Err(unknown("checkpointing", other)),
    }
}

fn stored(record: &Record, method: Method) -> Stored {
    if method != Method::Qlora {
        Stored::Sixteen
    } else if record.quant.to_ascii_lowercase().contains("gptq")
        && record.framework.to_ascii_lowercase().contains("qwen")
    {
        // AutoGPTQ's own kernels; later code runs GPTQ at the speed of bitsandbytes.
        Stored::Gptq
    } else {
        Stored::Bnb
    }
}

fn kernels(record: &Record) -> Kernels {
    let name = record.framework.to_ascii_lowercase().replace("no compile", "");
    let fused =
        ["unsloth", "compile", "foak", "liger", "nemo", "megatron", "llm-foundry", "internevo"];
    if record.attention == "no" || record.attention == "eager" {
        Kernels::Plain
    } else if fused.iter().any(|f| name.contains(f)) {
        Kernels::Fused
    } else {
        Kernels::Flash
    }
}

fn divided(record: &Record, gpus: u32) -> Divided {
    let how = record.parallelism.as_str();
    if gpus == 1
        || how.to_ascii_uppercase().contains("DDP")
        || record.framework.starts_with("NeMo/")
    {
        if gpus == 1 { Divided::One } else { Divided::Copies }
    } else if how.contains("ZeRO-1") || how.contains("ZeRO-2") {
        Divided::States
    } else {
        Divided::Weights
    }
}

/// How the cards were joined, as far as the row says.
fn link(record: &Record, work: &Work) -> Link {
    let words = record.interconnect.to_ascii_lowercase();
    if work.divided == Divided::Copies && work.backward < 1.5 {
        // Adapters' gradients are small; the link does not matter.
        Link::Cards(crate::offer::Link::Nvlink)
    } else if words.contains("old board") {
        Link::Bytes(2.7e9)
    } else if words.contains("x16") {
        Link::Cards(crate::offer::Link::PcieFull)
    } else if words.contains("nvlink") {
        Link::Cards(crate::offer::Link::Nvlink)
    } else {
        Link::Cards(crate::offer::Link::Unknown)
    }
}

/// `llama2-7b` is how tables shorten `Llama-2-7b-hf`.
fn find_model(name: &str) -> Option<std::sync::Arc<model::Model>> {
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
        let (short, long) = SHORT.iter().find(|(short, _)| name.starts_with(short))?;
        model::find_like(&name.replacen(short, long, 1))
    })
}

/// The card that a row names. A board that is sold to clouds only runs slower memory.
fn card(name: &str) -> Result<Gpu, String> {
    let slower = name.starts_with("H100 SXM ");
    let wanted = if slower { "H100 SXM" } else { name };
    let catalogue = gpu::catalogue();
    let id = catalogue.identify(wanted, None).ok_or_else(|| unknown("GPU", name))?;
    let found = catalogue.get(id).ok_or_else(|| unknown("GPU", name))?;
    let bandwidth =
        if slower { Some(crate::units::GbPerSecond::new(2400.0)) } else { found.bandwidth };
    Ok(Gpu { bandwidth, ..found.clone() })
}
