//! What a fit says: memory of one GPU, by term, against what is usable.

use crate::offer::Basis;
use crate::units;
use crate::units::{Gib, Hours, Range, Usd};
use serde::Serialize;

/// Does it fit?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Yes, with room.
    Fits,
    /// Perhaps: fragmentation decides.
    Tight,
    /// No.
    No,
    /// Not modelled; the fit says why.
    Unknown,
}

/// The moment of a training step in which memory peaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// End of the forward pass: logits and loss.
    ForwardHead,
    /// Backward of the loss.
    LossBackward,
    /// Backward through a layer.
    LayerBackward,
    /// Gradient of the embedding.
    EmbeddingGradient,
    /// Optimizer step.
    Optimizer,
}

/// One part of the peak.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Term {
    /// What it is: `weights`, `gradients`, `optimizer states`, `checkpoints`, `logits and loss`, …
    pub name: &'static str,
    /// How much.
    pub gib: Gib,
    /// What the figure rests on.
    pub basis: Basis,
}

/// A change that makes it fit, or fit better.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// In words: `gradient checkpointing on`.
    pub change: String,
    /// The same as setup fields: `[("checkpointing", "on")]`, in the names of the command line.
    pub set: Vec<(&'static str, String)>,
    /// What would be needed then.
    pub needed: Gib,
    /// How much less that is than now.
    pub saved: Gib,
    /// The verdict then.
    pub verdict: Verdict,
    /// What it does to hours and dollars.
    pub effect: Effect,
}

/// What a change adds to a job; below zero when it saves. `None` is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effect {
    /// Hours until the end of the job.
    pub hours: Option<Hours>,
    /// Dollars in all.
    pub usd: Option<Usd>,
}

impl Advice {
    /// Its effects in words: `-23.9 GiB, +24m, +0.31$`.
    pub fn effects(&self) -> String {
        let mut parts = Vec::with_capacity(3);
        if self.saved.get() != 0.0 {
            parts.push(format!("{:+.1} GiB", -self.saved.get()));
        }
        if let Some(hours) = self.effect.hours {
            parts.push(signed(hours.get(), |h| units::hours(Hours::new(h))));
        }
        if let Some(usd) = self.effect.usd {
            parts.push(signed(usd.get(), |u| units::usd(Usd::new(u))));
        }
        parts.join(", ")
    }
}

fn signed(value: f64, words: impl Fn(f64) -> String) -> String {
    let words = words(value.abs());
    let nothing = !words.contains(|c: char| c.is_ascii_digit() && c != '0');
    match (nothing, value < 0.0) {
        (true, _) => words,
        (false, true) => format!("-{words}"),
        (false, false) => format!("+{words}"),
    }
}

/// Memory that a setup needs on one GPU of a hardware class.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Does it fit?
    pub verdict: Verdict,
    /// Peak of what PyTorch allocates.
    pub allocated: Option<Gib>,
    /// What must be free: allocated, context, and communication buffers.
    pub needed: Option<Gib>,
    /// What nvidia-smi will probably show.
    pub smi: Option<Gib>,
    /// What the card offers to a framework.
    pub usable: Option<Gib>,
    /// What that rests on.
    pub usable_basis: Option<Basis>,
    /// The moment that decides.
    pub phase: Option<Phase>,
    /// The parts of `needed`; they sum up to it.
    pub terms: Vec<Term>,
    /// How far off the figure may be, from the measured errors of this framework and method.
    pub band: Option<Range<Gib>>,
    /// Why the verdict is unknown (or why the setup cannot run at all).
    pub reason: Option<String>,
}

impl Fit {
    /// A fit that cannot be computed, and why.
    pub fn unknown(reason: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Unknown,
            allocated: None,
            needed: None,
            smi: None,
            usable: None,
            usable_basis: None,
            phase: None,
            terms: Vec::new(),
            band: None,
            reason: Some(reason.into()),
        }
    }

    /// Usable minus needed, in GiB; negative when it does not fit.
    pub fn headroom_gib(&self) -> Option<f64> {
        Some(self.usable?.get() - self.needed?.get())
    }

    /// The largest part of `needed`.
    pub fn deciding_term(&self) -> Option<&Term> {
        self.terms.iter().max_by(|a, b| a.gib.get().total_cmp(&b.gib.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_carry_their_sign_and_nothing_has_none() {
        let advice = |saved: f64, hours: f64, usd: Option<f64>| {
            let effect = Effect { hours: Some(Hours::new(hours)), usd: usd.map(Usd::new) };
            Advice {
                change: String::new(),
                set: Vec::new(),
                needed: Gib::new(1.0),
                saved: Gib::new(saved),
                verdict: Verdict::Fits,
                effect,
            }
            .effects()
        };
        assert_eq!(advice(23.94, 0.4, Some(0.31)), "-23.9 GiB, +24m, +0.31$");
        assert_eq!(advice(-1.0, -2.5, None), "+1.0 GiB, -2.5h");
        assert_eq!(advice(5.0, -0.001, Some(-0.001)), "-5.0 GiB, 0m, 0.00$");
    }
}
