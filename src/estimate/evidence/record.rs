//! One published measurement, as a CSV file states it. Columns are found by name; two headings for
//! the same thing are accepted, ours and that of the tables which others keep.

use super::spelling;
use crate::offer::harmless;
use crate::units::Gib;

/// What a row states, spelled in one way (see `spelling`); empty means not stated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Name of the row.
    pub id: String,
    /// Who published it.
    pub source: String,
    /// When: `2023-10-20`, `2024-04..08`.
    pub date: String,
    /// Trainer, as written: `hf-trainer(fms-hf-tuning)`, `torchtune`, …
    pub framework: String,
    /// Versions: `torch2.4.1/transformers4.45.2`.
    pub version: String,
    /// Model name or id.
    pub model: String,
    /// `full`, `lora`, `qlora`, or something that is not modelled.
    pub method: String,
    /// `bfloat16`, `fp16`, `fp32-amp`, …
    pub dtype: String,
    /// `nf4`, `gptq-4bit`, …
    pub quant: String,
    /// `adamw_torch`, `AdamW8bit`, …
    pub optimizer: String,
    /// Adapter rank.
    pub rank: Option<u32>,
    /// Adapter targets.
    pub targets: String,
    /// Adapter dropout.
    pub dropout: Option<f64>,
    /// Sequences per GPU and pass.
    pub micro_batch: Option<u32>,
    /// Tokens of a sequence.
    pub seq_len: Option<u32>,
    /// `packed`, `padded-to-max`, `dynamic-padding`, …
    pub packing: String,
    /// Passes per step.
    pub grad_accum: Option<u32>,
    /// `yes`, `no`, …
    pub checkpointing: String,
    /// `fa2`, `sdpa`, `eager`, …
    pub attention: String,
    /// GPUs.
    pub gpus: Option<u32>,
    /// `none`, `fsdp`, `zero3`, …
    pub parallelism: String,
    /// `no`, `optimizer cpu`, …
    pub offload: String,
    /// Card.
    pub gpu: String,
    /// Peak.
    pub measured: Option<Gib>,
    /// `allocated`, `reserved`, `nvidia-smi`, or something vaguer.
    pub mem_kind: String,
    /// `ok` or `oom`.
    pub outcome: String,
    /// `hf-eager-ce`, `liger`, …
    pub loss_kernel: String,
    /// Adapters' preparation for k-bit training: `1`, `0` or not stated.
    pub kbit_prep: String,
    /// Whatever else is said; some settings hide here.
    pub notes: String,
    /// Tokens per second of all GPUs together.
    pub tokens_per_second: Option<f64>,
    /// How the GPUs are joined.
    pub interconnect: String,
    /// Data set.
    pub dataset: String,
}

const GIB: f64 = 1_073_741_824.0;

/// Columns without which nothing is predicted, each with the names that it goes by.
const NEEDED: [&[&str]; 5] = [
    &["micro_batch", "batch"],
    &["seq_len", "length"],
    &["n_gpus", "gpus", "peak_bytes"],
    &["gradient_checkpointing", "checkpointing"],
    &[
        "peak_mem_gib",
        "gib",
        "peak_bytes",
        "tokens_per_s",
        "tokens_per_s_total",
        "tokens_per_s_per_gpu",
    ],
];

/// A reader that takes commas, or the semicolons and tabs that spreadsheets write.
fn reader(csv: &[u8]) -> csv::Reader<&[u8]> {
    let first = csv.split(|b| *b == b'\n').next().unwrap_or_default();
    let count = |mark: u8| first.split(|b| *b == mark).count();
    // The last of equals wins.
    let delimiter = [b'\t', b';', b','].into_iter().max_by_key(|mark| count(*mark));
    csv::ReaderBuilder::new().flexible(true).delimiter(delimiter.unwrap_or(b',')).from_reader(csv)
}

/// Where a column of one of these names stands.
fn column(headers: &csv::StringRecord, names: &[&str]) -> Option<usize> {
    headers.iter().position(|h| names.iter().any(|name| h.trim().eq_ignore_ascii_case(name)))
}

/// The columns that predictions need and that the table lacks, by their first name.
pub(super) fn missing(csv: &[u8]) -> Vec<&'static str> {
    let mut reader = reader(csv);
    let Ok(headers) = reader.headers() else { return Vec::new() };
    let lacks = |names: &&&[&'static str]| column(headers, names).is_none();
    NEEDED.iter().filter(lacks).map(|names| names[0]).collect()
}

/// Reads a table of measurements. Columns are found by name, in either case.
///
/// # Errors
/// One line: it is no CSV, or which columns are missing.
pub fn read(csv: &[u8]) -> Result<Vec<Record>, String> {
    let mut reader = reader(csv);
    let headers = reader.headers().map_err(|e| format!("not a CSV table: {e}"))?.clone();
    let column = |names: &[&str]| column(&headers, names);
    for needed in ["model", "method"] {
        if column(&[needed]).is_none() {
            return Err(format!(
                "no column `{needed}`; a table of measurements has model, method, micro_batch, seq_len, n_gpus, peak_mem_gib, mem_kind, …"
            ));
        }
    }
    let mut records = Vec::new();
    for (index, row) in reader.records().enumerate() {
        let row = row.map_err(|e| format!("row {}: {e}", index + 2))?;
        // A stranger's table: whatever is shown of it must be harmless.
        let get = |names: &[&str]| {
            harmless(column(names).and_then(|i| row.get(i)).map_or("", str::trim)).into_owned()
        };
        records.push(record(index, &get));
    }
    Ok(records)
}

fn record(index: usize, get: &impl Fn(&[&str]) -> String) -> Record {
    let traced = get(&["peak_bytes"]);
    let or = |text: String, other: &str| if text.is_empty() { other.to_owned() } else { text };
    let id = or(get(&["id", "run"]), &format!("row {}", index + 2));
    let parallelism = get(&["parallelism", "sharding"]);
    let alone = !parallelism.is_empty() && spelling::sharding(&parallelism).is_empty();
    let peak = get(&["peak_mem_gib", "gib"]);
    let peak_word = if positive(&peak).is_none() { peak.clone() } else { String::new() };
    Record {
        id,
        source: get(&["source", "src_key"]),
        date: get(&["source_date", "date"]),
        framework: or(get(&["framework", "trainer"]), "hf"),
        version: get(&["framework_version", "version", "versions"]),
        model: get(&["model"]),
        method: spelling::method(&get(&["method"])),
        dtype: spelling::dtype(&get(&["weight_dtype", "dtype", "precision"])),
        quant: spelling::quant(&get(&["quant"])),
        optimizer: get(&["optimizer"]),
        rank: number(&get(&["lora_rank", "rank"])),
        targets: spelling::targets(&get(&["lora_targets", "targets"])),
        dropout: spelling::number(&get(&["lora_dropout"])),
        micro_batch: number(&get(&["micro_batch", "batch"])),
        seq_len: whole(spelling::length(&get(&["seq_len", "length"]))),
        packing: spelling::packing(&get(&["packing"])),
        grad_accum: number(&get(&["grad_accum"])),
        checkpointing: spelling::checkpointing(&get(&["gradient_checkpointing", "checkpointing"])),
        attention: spelling::attention(&get(&["flash_attention", "attention"])),
        gpus: number(&get(&["n_gpus", "gpus"])).or((alone || !traced.is_empty()).then_some(1)),
        parallelism,
        offload: spelling::offload(&get(&["offload"])),
        gpu: get(&["gpu"]),
        measured: positive(&peak)
            .or_else(|| positive(&traced).map(|bytes| bytes / GIB))
            .map(Gib::new),
        mem_kind: or(
            spelling::reading(&get(&["mem_kind", "reading"])),
            if traced.is_empty() { "" } else { "allocated" },
        ),
        // Some write it where the peak would stand.
        outcome: spelling::outcome(&or(get(&["outcome"]), &peak_word)),
        loss_kernel: spelling::plain(&get(&["loss_kernel", "kernel"])),
        kbit_prep: spelling::checkpointing(&get(&["kbit_prep"])),
        notes: get(&["notes", "code"]),
        tokens_per_second: tokens_per_second(get),
        interconnect: get(&["interconnect", "joined"]),
        dataset: get(&["dataset"]),
    }
}

/// Tokens per second of all GPUs together. Transformers' trainer counts those of one process, and
/// fms-acceleration's tables of memory keep them so.
fn tokens_per_second(get: &impl Fn(&[&str]) -> String) -> Option<f64> {
    let gpus = positive(&get(&["n_gpus", "gpus"]));
    let local = spelling::plain(&get(&["framework", "trainer"])).starts_with("hf-trainer(fms");
    if let Some(stated) = positive(&get(&["tokens_per_s"])) {
        return if local { Some(gpus? * stated) } else { Some(stated) };
    }
    positive(&get(&["tokens_per_s_total"]))
        .or_else(|| Some(gpus? * positive(&get(&["tokens_per_s_per_gpu"]))?))
}

/// A whole number, also when written as `16.0`.
fn number(text: &str) -> Option<u32> {
    whole(spelling::number(text))
}

fn whole(value: Option<f64>) -> Option<u32> {
    let value = value?;
    (value >= 1.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0).then_some(value as u32)
}

/// No measurement of ours, in bytes, GiB or tokens a second, is larger.
const MOST: f64 = 1e15;

fn positive(text: &str) -> Option<f64> {
    spelling::number(text).filter(|x| *x > 0.0 && *x < MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let table = "model,method,n_gpus,peak_mem_gib,mem_kind,lora_rank\nA,lora,2,10.5,allocated,16.0\nB,full,,-1,,x\n";
        let rows = read(table.as_bytes()).unwrap();
        assert_eq!(rows[0].measured, Some(Gib::new(10.5)));
        assert_eq!((rows[0].gpus, rows[0].rank), (Some(2), Some(16)));
        assert_eq!((rows[1].measured, rows[1].rank, rows[1].gpus), (None, None, None));
        assert_eq!(rows[1].id, "row 3");
    }

    #[test]
    fn columns_that_predictions_need_are_named_when_they_lack() {
        assert_eq!(
            missing(b"model,method,Seq_Len,tokens_per_s\n"),
            ["micro_batch", "n_gpus", "gradient_checkpointing"]
        );
        assert!(missing(b"model,method,batch,length,checkpointing,peak_bytes\n").is_empty());
        let rows = read(b"Model,METHOD,n_gpus,peak_mem_gib,outcome\nA,lora,2,1e300,OOM\n").unwrap();
        assert_eq!((rows[0].gpus, rows[0].measured), (Some(2), None));
        assert_eq!(rows[0].outcome, "oom");
    }

    #[test]
    fn speeds_are_of_all_gpus_together() {
        let table = "model,method,framework,n_gpus,tokens_per_s,tokens_per_s_total,tokens_per_s_per_gpu\n\
                     A,lora,hf-trainer(fms-hf-tuning),4,100,,\nA,lora,torchtune,4,100,,\n\
                     A,lora,HF,4,,500,\nA,lora,HF,4,,,50\nA,lora,HF,,,,50\n";
        let speeds: Vec<_> =
            read(table.as_bytes()).unwrap().iter().map(|r| r.tokens_per_second).collect();
        assert_eq!(speeds, [Some(400.0), Some(100.0), Some(500.0), Some(200.0), None]);
    }

    #[test]
    fn a_file_that_is_none_is_refused_in_one_line() {
        for bad in ["", "a,b\n1,2\n", "model\nx\n"] {
            let error = read(bad.as_bytes()).unwrap_err();
            assert!(error.contains("column") && !error.contains('\n'), "{error}");
        }
        assert!(read(&[0xff, 0xfe, 0x00, b'\n', 0xff]).is_err());
    }
}
