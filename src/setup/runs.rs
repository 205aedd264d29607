//! Runs that the user has finished: what was measured, kept as lines of JSON, one run a line.
//!
//! A run counts for setups that agree in everything that speed and memory depend on, on the same
//! number of the same cards. Lines that cannot be read are handed back, not dropped in silence.

use super::{Field, Setup};
use crate::units::{Gib, Range, TokensPerSecond, UnixSeconds};
use serde::{Deserialize, Serialize};

/// What speed and memory depend on.
const DECISIVE: [Field; 19] = [
    Field::Model,
    Field::Method,
    Field::Framework,
    Field::SeqLen,
    Field::MicroBatch,
    Field::GradAccum,
    Field::Packing,
    Field::Checkpointing,
    Field::Attention,
    Field::LossKernel,
    Field::Precision,
    Field::Quant,
    Field::Optimizer,
    Field::LoraRank,
    Field::LoraTargets,
    Field::LoraDropout,
    Field::KbitPrep,
    Field::Shard,
    Field::Offload,
];

/// A finished run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// When it was recorded.
    pub at: UnixSeconds,
    /// Catalogue name of the card.
    pub gpu: String,
    /// How many.
    pub gpus: u32,
    /// The setup, as [`key`] writes it.
    pub setup: String,
    /// All GPUs together.
    pub tokens_per_second: TokensPerSecond,
    /// Peak of what PyTorch allocated on one GPU, where it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak: Option<Gib>,
}

/// Finished runs, in the order in which they were recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs(Vec<Run>);

/// What finished runs say about a setup on some cards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Learnt {
    /// How many runs.
    pub runs: usize,
    /// Slowest, median, fastest.
    pub tokens_per_second: Range<TokensPerSecond>,
    /// The highest peak.
    pub peak: Option<Gib>,
}

/// Everything of `setup` that speed and memory depend on, as one line: `model=…;method=lora;…`.
pub fn key(setup: &Setup) -> String {
    let draft = setup.to_draft();
    let stated = |field: &Field| Some(format!("{}={}", field.flag(), draft.get(*field)?));
    DECISIVE.iter().filter_map(stated).collect::<Vec<_>>().join(";")
}

impl Run {
    /// A run of `setup`, just recorded.
    ///
    /// # Errors
    /// Which figure is wrong, and what would be right.
    pub fn new(
        setup: &Setup,
        gpu: &str,
        gpus: u32,
        measured: (f64, Option<f64>),
        at: UnixSeconds,
    ) -> Result<Run, String> {
        let positive = |name: &str, value: f64| {
            if value.is_finite() && value > 0.0 {
                Ok(value)
            } else {
                Err(format!("{name}: {value} is no measurement; it must be above 0"))
            }
        };
        let (speed, peak) = measured;
        Ok(Run {
            at,
            gpu: gpu.to_owned(),
            gpus,
            setup: key(setup),
            tokens_per_second: TokensPerSecond::new(positive("tokens-per-second", speed)?),
            peak: peak.map(|p| positive("peak-gib", p)).transpose()?.map(Gib::new),
        })
    }

    /// Are its figures measurements? A file may say anything.
    fn is_sound(&self) -> bool {
        let above_zero = |figure: f64| figure.is_finite() && figure > 0.0;
        let speed = above_zero(self.tokens_per_second.get());
        speed && self.gpus > 0 && self.peak.is_none_or(|peak| above_zero(peak.get()))
    }

    /// The run as a line of the file, without its end.
    pub fn line(&self) -> String {
        // Numbers are finite and keys are text: this cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Runs {
    /// Reads a file of runs. The second part names lines that are none, by number and reason.
    pub fn parse(text: &str) -> (Runs, Vec<String>) {
        let mut runs = Vec::new();
        let mut wrong = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            match serde_json::from_str::<Run>(line) {
                Ok(run) if run.is_sound() => runs.push(run),
                Ok(_) => wrong.push(format!("line {}: no speed, no GPU, or no peak", index + 1)),
                Err(error) => wrong.push(format!("line {}: {error}", index + 1)),
            }
        }
        (Runs(runs), wrong)
    }

    /// Adds a run.
    pub fn push(&mut self, run: Run) {
        self.0.push(run);
    }

    /// All runs, oldest first.
    pub fn iter(&self) -> std::slice::Iter<'_, Run> {
        self.0.iter()
    }

    /// Nothing recorded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What runs of `setup` on `gpus` cards named `gpu` say; `None` when there are none.
    pub fn of(&self, setup: &Setup, gpu: &str, gpus: u32) -> Option<Learnt> {
        if self.0.is_empty() {
            return None;
        }
        let key = key(setup);
        let same = |r: &&Run| r.gpus == gpus && r.gpu == gpu && r.setup == key;
        let runs: Vec<&Run> = self.0.iter().filter(same).collect();
        let mut speeds: Vec<f64> = runs.iter().map(|r| r.tokens_per_second.get()).collect();
        speeds.sort_by(f64::total_cmp);
        let (low, high) = (*speeds.first()?, *speeds.last()?);
        let (a, b) = (speeds.get((speeds.len() - 1) / 2)?, speeds.get(speeds.len() / 2)?);
        Some(Learnt {
            runs: speeds.len(),
            tokens_per_second: Range::new(low, f64::midpoint(*a, *b), high)
                .map(TokensPerSecond::new),
            peak: runs.iter().filter_map(|r| r.peak).reduce(Gib::max),
        })
    }
}

impl<'a> IntoIterator for &'a Runs {
    type Item = &'a Run;
    type IntoIter = std::slice::Iter<'a, Run>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Draft, test_model};
    use super::*;

    fn setup(fields: &[(Field, &str)]) -> Setup {
        let mut draft = Draft::default();
        for (field, text) in fields {
            draft.set(*field, text).unwrap();
        }
        draft.resolve(test_model()).unwrap()
    }

    fn run(speed: f64, peak: Option<f64>) -> Run {
        Run::new(&setup(&[]), "RTX 4090", 1, (speed, peak), UnixSeconds(5)).unwrap()
    }

    #[test]
    fn a_file_of_runs_reads_back_equal_and_names_bad_lines() {
        let all = [run(1000.0, Some(20.5)), run(1200.0, None)];
        let text: String = all.iter().map(|r| r.line() + "\n").collect();
        let (runs, wrong) = Runs::parse(&(text + "\nnonsense\n"));
        assert!(runs.iter().eq(all.iter()));
        assert_eq!(wrong.len(), 1);
        assert!(wrong[0].starts_with("line 4: "), "{wrong:?}");
    }

    #[test]
    fn runs_count_for_the_same_settings_on_the_same_cards_only() {
        let mut runs = Runs::default();
        assert!(runs.is_empty());
        for (speed, peak) in [(1000.0, Some(20.0)), (1300.0, Some(21.0)), (1100.0, None)] {
            runs.push(run(speed, peak));
        }
        let learnt = runs.of(&setup(&[]), "RTX 4090", 1).unwrap();
        let speed = learnt.tokens_per_second.map(TokensPerSecond::get);
        assert_eq!((speed.low, speed.expected, speed.high), (1000.0, 1100.0, 1300.0));
        assert_eq!((learnt.runs, learnt.peak), (3, Some(Gib::new(21.0))));
        // More tokens or another disk make no difference; another length does.
        assert!(runs.of(&setup(&[(Field::Tokens, "50M")]), "RTX 4090", 1).is_some());
        assert!(runs.of(&setup(&[(Field::SeqLen, "1024")]), "RTX 4090", 1).is_none());
        assert!(runs.of(&setup(&[]), "RTX 4090", 2).is_none());
        assert!(runs.of(&setup(&[]), "RTX 3090", 1).is_none());
    }

    #[test]
    fn figures_that_are_none_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Run::new(&setup(&[]), "L4", 1, (bad, None), UnixSeconds(0)).is_err());
            assert!(Run::new(&setup(&[]), "L4", 1, (1.0, Some(bad)), UnixSeconds(0)).is_err());
        }
    }
}
