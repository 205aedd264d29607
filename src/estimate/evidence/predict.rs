//! What we say about a measured run: the quantity that was read, its band, and the verdict.

use super::mapping::{self, CodeOf, Run};
use super::record::Record;
use crate::estimate::fit::Verdict;
use crate::estimate::memory::{self, Band, Job, Reading};
use crate::gpu;
use crate::model::Family;
use crate::units::{Gib, Range, TokensPerSecond};

/// A row with what we make of it.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// What was published.
    pub record: Record,
    /// What it ran, in our words; `Err` says why that cannot be told.
    pub run: Result<Run, String>,
    /// What it needs on each GPU.
    pub(crate) need: Option<memory::Need>,
    /// The quantity that the row's `mem_kind` names.
    pub memory: Result<Range<Gib>, String>,
    /// Speed of all GPUs together.
    pub speed: Result<Range<TokensPerSecond>, String>,
    /// Would we have said that it fits?
    pub verdict: Option<Verdict>,
}

impl Prediction {
    /// Why nothing is predicted that the row states; `None` when something is.
    pub fn skipped(&self) -> Option<&str> {
        match (&self.memory, &self.speed) {
            (Ok(_), _) | (_, Ok(_)) => None,
            (Err(_), Err(why)) if self.record.tokens_per_second.is_some() => Some(why),
            (Err(why), _) => Some(why),
        }
    }
}

/// Predicts every row.
pub fn predict(records: Vec<Record>) -> Vec<Prediction> {
    records.into_iter().map(one).collect()
}

fn one(mut record: Record) -> Prediction {
    if record.outcome == "oom" {
        record.measured = None;
    }
    let run = mapping::run(&record);
    let need = run.as_ref().map_err(Clone::clone).and_then(need);
    let memory = need.as_ref().map_err(Clone::clone).and_then(|need| {
        let ragged = run.as_ref().is_ok_and(|run| run.ragged);
        let reading = reading(&record, ragged)?;
        Ok(need.reading(reading))
    });
    let need = need.ok();
    let verdict = need.zip(run.as_ref().ok()).and_then(|(need, run)| {
        let card = gpu::catalogue().get(run.gpu?)?;
        Some(memory::verdict(need.needed(), need.needed_band(), memory::usable(card, None)?))
    });
    let speed = super::speed::predict(&record);
    Prediction { record, run, need, memory, speed, verdict }
}

fn reading(record: &Record, ragged: bool) -> Result<Reading, String> {
    if record.outcome == "oom" {
        // The last reading before the end is no peak; the verdict is what counts.
        return Ok(Reading::Allocated);
    }
    if record.measured.is_none() {
        return Err("no peak stated".into());
    }
    match record.mem_kind.as_str() {
        "allocated" => Ok(Reading::Allocated),
        "reserved" => Ok(Reading::Reserved { ragged }),
        "nvidia-smi" => Ok(Reading::Smi),
        "minimum-required" => Err("a bound, not a peak".into()),
        _ => Err("what was read is not stated".into()),
    }
}

/// What the run needs, with the corrections for code that is none of the six frameworks'.
fn need(run: &Run) -> Result<memory::Need, String> {
    let arch = run.setup.model.architecture.as_ref().map_err(Clone::clone)?;
    let mut job = Job::new(&run.setup, arch, run.gpus);
    match run.code {
        CodeOf::Framework | CodeOf::Automodel | CodeOf::Undated => {}
        CodeOf::NoAutocast => job.fp32_shards = false,
        CodeOf::LitGpt => litgpt(&mut job),
        CodeOf::Compiled { no_gradients } => {
            job.own.saved = Some(compiled_layer(&job));
            job.own.no_gradients |= no_gradients;
        }
    }
    let need = memory::need_of(&job, &run.setup);
    Ok(match run.code {
        CodeOf::LitGpt if job.quant.is_some() => memory::Need { band: LITGPT_QUANTISED, ..need },
        CodeOf::LitGpt => memory::Need { band: LITGPT, ..need },
        CodeOf::Automodel => memory::Need { band: AUTOMODEL, ..need },
        CodeOf::Undated => memory::Need { band: need.band.with(UNDATED), ..need },
        _ => need,
    })
}

/// LitGPT on one GPU, measured over predicted: 5th and 95th percentile of 19 runs with 16-bit bases
/// and of 17 with quantised ones.
const LITGPT: Band = Band::new(0.93, 1.24);
const LITGPT_QUANTISED: Band = Band::new(0.91, 1.35);
/// Between the versions of Transformers the loss alone takes 12 to 14 bytes a logit, and models with
/// code of their own less.
const UNDATED: Band = Band::new(0.9, 1.1);
/// Four runs of NeMo Automodel: all of them, with a margin.
const AUTOMODEL: Band = Band::new(0.90, 1.47);

/// LitGPT keeps a head of its own even where the model ties it; bf16 logits, log-softmax and the
/// gradients of both (8 v); and 8 f + 24 h + 4 k a layer (slope of Llama-2-7B from one to two
/// sequences, 2023), for GPT-NeoX's parallel blocks 4 f + 14 h (slopes of Phi-1.5 and StableLM-3B).
/// Its bitsandbytes layers also keep the input of every matrix.
fn litgpt(job: &mut Job) {
    if job.tied {
        job.tied = false;
        job.params += job.embedding();
    }
    let inputs = if job.quant.is_some() { 8.0 * job.h + 2.0 * job.f } else { 0.0 };
    let block = if job.family == Family::Other {
        4.0 * job.f + 14.0 * job.h
    } else {
        8.0 * job.f + 24.0 * job.h + 4.0 * job.k
    };
    job.own.saved = Some(block + inputs);
    job.own.loss = Some(8.0 * job.v);
}

/// torch.compile fuses norms, rope and SwiGLU: 17 h instead of 29 h beside the matrices' inputs
/// (torchtune's table for Llama-3.2-3B, 60.0 against 51.0 GiB).
fn compiled_layer(job: &Job) -> f64 {
    6.0 * job.f + 10.0 * job.h + 4.0 * job.k
}
