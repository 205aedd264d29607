//! The speed half: what a published run would have done by the speed model.
//!
//! A run is taken as its row states it. Vendors' recipes that tune every part (MLPerf, NeMo,
//! Megatron) hide their communication and recompute nothing; whatever spans several machines or
//! splits layers and sequences is not modelled.

use super::mapping;
use super::record::Record;
use crate::estimate::speed::{self, Divided, Kernels, Link, Stored, Work};
use crate::gpu::{self, Gpu};
use crate::model::Architecture;
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
    let model =
        mapping::find_model(&record.model).ok_or_else(|| unknown("model", &record.model))?;
    let arch = model.architecture.as_ref().map_err(Clone::clone)?;
    let gpus = record.gpus.ok_or("number of GPUs not stated")?;
    machine(record, gpus)?;
    let card = card(&record.gpu)?;
    let work = work(record, method, arch, gpus)?;
    speed::of_work(&work, &card, link(record, &work), rare(record))
}

fn unknown(what: &str, name: &str) -> String {
    if name.is_empty() {
        format!("{what} not stated")
    } else {
        format!("{what} {name} is not known")
    }
}

/// What of the run no other isolates. The seconds that offloading takes are not in its prediction.
fn rare(record: &Record) -> Option<&'static str> {
    if record.parallelism.to_ascii_lowercase().contains("offload") {
        Some("no published run isolates the cost of offloading")
    } else if record.micro_batch.is_none() {
        Some("the batch size is not stated")
    } else if record.framework.trim().is_empty() {
        // Taken for Hugging Face's code with FlashAttention; fused code is up to twice as fast.
        Some("the framework is not stated")
    } else {
        None
    }
}

/// One machine, divided in a way that is modelled.
fn machine(record: &Record, gpus: u32) -> Result<(), String> {
    let how = record.parallelism.to_ascii_lowercase();
    if gpus > 8 || how.contains("nodes") {
        return Err("more than one machine".into());
    }
    let splits = |w: &str| {
        let size = ["tp", "pp", "cp", "ep"].iter().find_map(|s| w.strip_prefix(s));
        // `TP`, `CP8`; but not `CPU`.
        size.is_some_and(|n| n.is_empty() || n.parse::<u32>().is_ok_and(|n| n != 1))
    };
    let split = how.split([' ', '/', '+']).any(splits) && !recipe(record);
    if split || how.contains("seq") || how.contains("device_map") {
        return Err(format!("parallelism {} is not modelled", record.parallelism));
    }
    if record.dtype.starts_with("fp32") {
        return Err("training in fp32 is not modelled".into());
    }
    Ok(())
}

/// Does every part of the code come tuned by a vendor?
fn recipe(record: &Record) -> bool {
    let name = record.framework.to_ascii_lowercase();
    ["nemo", "megatron"].iter().any(|n| name.starts_with(n)) && !name.contains("automodel")
}

fn work(record: &Record, method: Method, arch: &Architecture, gpus: u32) -> Result<Work, String> {
    let (batch, seq) = batch(record, arch.experts.is_none())?;
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
        tuned: recipe(record),
        fp8: ["fp8", "mxfp8", "fp4", "amp-fp8"].iter().any(|p| record.dtype.starts_with(p)),
        ..Work::of(arch)
    })
}

/// Sequences of a micro-step, and tokens of one.
fn batch(record: &Record, dense: bool) -> Result<(f64, f64), String> {
    let batch = record.micro_batch.map(f64::from);
    let seq = record.seq_len.map(f64::from);
    let unknown = record.packing == "no" && record.notes.contains("unknown");
    if unknown || record.packing == "dynamic-padding" {
        return Err("not packed, and the real lengths are not stated".into());
    }
    match (batch, seq) {
        (Some(batch), Some(seq)) => Ok((batch, seq)),
        (None, Some(seq)) if seq >= LONG => Ok((1.0, seq)),
        (None, _) => Err("batch size not stated".into()),
        // Padded to the longest of the batch: the mean grows with its logarithm.
        (Some(batch), None) if dense && record.dataset.to_ascii_lowercase().contains("alpaca") => {
            Ok((batch, ALPACA * (1.0 + 0.25 * batch.ln())))
        }
        (_, None) => Err("sequence length not stated".into()),
    }
}

fn recompute(record: &Record) -> Result<f64, String> {
    if recipe(record) {
        return Ok(0.0);
    }
    match record.checkpointing.as_str() {
        "no" => Ok(0.0),
        // Trainers of language models recompute unless told otherwise.
        "yes" | "unsloth" | "" => Ok(1.0),
        s if s.starts_with("selective") => Ok(1.0 / 3.0),
        other => Err(unknown("checkpointing", other)),
    }
}

fn stored(record: &Record, method: Method) -> Stored {
    if method != Method::Qlora {
        Stored::Sixteen
    } else if record.quant.starts_with("gptq")
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
    // Tables of memory say so in their notes.
    let noted = ["foak", "liger", "torch.compile on"].iter().any(|n| record.notes.contains(n))
        || mapping::trainer(record) == "torchtune" && mapping::compiled(&record.notes);
    if record.attention == "no" {
        Kernels::Plain
    } else if noted || fused.iter().any(|f| name.contains(f)) {
        Kernels::Fused
    } else {
        Kernels::Flash
    }
}

fn divided(record: &Record, gpus: u32) -> Divided {
    let how = record.parallelism.to_ascii_lowercase().replace('-', "");
    if gpus == 1 {
        Divided::One
    } else if how.contains("ddp") || record.framework.to_ascii_lowercase().starts_with("nemo/") {
        Divided::Copies
    } else if how.contains("zero1") || how.contains("zero2") {
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

/// The card that a row names. A board that is sold to clouds only runs slower memory.
fn card(name: &str) -> Result<Gpu, String> {
    let slower = name.starts_with("H100 SXM ");
    let wanted = if slower { "H100 SXM" } else { name };
    let catalogue = gpu::catalogue();
    let id = mapping::card(wanted).ok_or_else(|| unknown("GPU", name))?;
    let found = catalogue.get(id).ok_or_else(|| unknown("GPU", name))?;
    let bandwidth =
        if slower { Some(crate::units::GbPerSecond::new(2400.0)) } else { found.bandwidth };
    Ok(Gpu { bandwidth, ..found.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Record {
        Record {
            framework: "unsloth".into(),
            model: "llama3-8b".into(),
            method: "qlora".into(),
            quant: "nf4".into(),
            micro_batch: Some(2),
            seq_len: Some(2048),
            gpus: Some(1),
            gpu: "RTX 4090".into(),
            tokens_per_second: Some(2000.0),
            ..Record::default()
        }
    }

    #[test]
    fn what_cannot_be_told_is_skipped_with_the_reason() {
        let why = |change: fn(&mut Record)| {
            let mut row = row();
            change(&mut row);
            predict(&row).unwrap_err()
        };
        assert_eq!(why(|r| r.tokens_per_second = None), "no speed stated");
        assert_eq!(why(|r| r.gpus = Some(64)), "more than one machine");
        assert_eq!(why(|r| r.gpu = "Gaudi2".into()), "GPU Gaudi2 is not known");
        assert_eq!(why(|r| r.model = "novel-1b".into()), "model novel-1b is not known");
        assert_eq!(why(|r| r.method = "lora/qlora".into()), "method lora/qlora is not known");
    }

    #[test]
    fn a_model_is_the_same_however_its_name_is_written() {
        for name in ["mistral-7b", "Mistral-7B", "MISTRAL-7B"] {
            let speed = predict(&Record { model: name.into(), ..row() });
            assert!(speed.is_ok(), "{name}: {speed:?}");
        }
    }

    #[test]
    fn settings_are_read_as_tables_write_them() {
        let kernels_of = |name: &str| kernels(&Record { framework: name.into(), ..row() });
        assert_eq!(kernels_of("torchtune (no compile)"), Kernels::Flash);
        assert_eq!(kernels_of("torchtune (compile)"), Kernels::Fused);
        assert_eq!(kernels_of("HF SFTTrainer + FA2 + fused kernels (liger)"), Kernels::Fused);
        let divided_as = |how: &str| divided(&Record { parallelism: how.into(), ..row() }, 4);
        assert_eq!(divided_as("FSDP FULL_SHARD"), Divided::Weights);
        assert_eq!(divided_as("ZeRO-1 (8)"), Divided::States);
        assert_eq!(divided_as("zero3"), Divided::Weights);
        assert_eq!(divided_as("DDP"), Divided::Copies);
        let split = |how: &str| machine(&Record { parallelism: how.into(), ..row() }, 8);
        assert!(split("FSDP2 + CP8").is_err() && split("TP2 PP4").is_err());
        assert!(split("FSDP2 + CP1").is_ok() && split("FSDP + CPU offload").is_ok());
        let offloaded = Record { parallelism: "FSDP + CPU offload".into(), ..row() };
        assert!(rare(&offloaded).is_some() && rare(&row()).is_none());
        assert!(rare(&Record { micro_batch: None, ..row() }).is_some());
        let unnamed = Record { framework: String::new(), ..row() };
        assert_eq!(rare(&unnamed), Some("the framework is not stated"));
        let noted = Record { notes: "framework_config=foak-fast-kernels-liger".into(), ..row() };
        assert_eq!(kernels(&noted), Kernels::Fused);
        // Alpaca's mean length, padded to the longest of eight: 194 (1 + ln 8 / 4) = 294.
        let alpaca = Record {
            seq_len: None,
            micro_batch: Some(8),
            dataset: "alpaca-cleaned".into(),
            ..row()
        };
        assert!((batch(&alpaca, true).unwrap().1 - 294.5).abs() < 0.5);
        assert!(batch(&alpaca, false).is_err());
    }
}
