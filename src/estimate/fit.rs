//! What a fit says: memory of one GPU, by term, against what is usable.

use crate::offer::Basis;
use crate::units::{Gib, Range};
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
    /// The verdict then.
    pub verdict: Verdict,
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
