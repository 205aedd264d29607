//! The moments of a training step at which memory can peak, each as the sum of its parts. The peak
//! is the largest of them.
//!
//! Derived by hand from the traced steps (Transformers 5.24, see [`super`]); symbols as in
//! [`super::job`]. One unsharded GPU here; [`super::sharding`] corrects for several.

use super::activations::{self, Layer};
use super::job::{Code, Job};
use super::loss::Loss;
use super::sharding::Division;
use super::weights::Static;
use crate::estimate::fit::Phase;
use crate::setup::{Checkpointing, LossKernel, Method};

/// The parts of one moment, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Parts {
    /// Weights, adapters included.
    pub(crate) weights: f64,
    /// Optimizer states.
    pub(crate) states: f64,
    /// Gradients alive at this moment.
    pub(crate) gradients: f64,
    /// Kept for the backward pass: checkpoints, or all activations.
    pub(crate) saved: f64,
    /// The layer that is being worked on.
    pub(crate) layer: f64,
    /// Logits, loss and their gradients.
    pub(crate) loss: f64,
    /// Hidden states and weight copies at the head.
    pub(crate) head: f64,
    /// Position tables, labels, attention mask.
    pub(crate) tables: f64,
    /// Optimizer temporaries and dequantised weights.
    pub(crate) temporary: f64,
    /// Weights gathered from the other GPUs, and communication buckets.
    pub(crate) gathered: f64,
}

impl Parts {
    /// All of them.
    pub(crate) fn total(&self) -> f64 {
        self.standing() + self.passing()
    }

    /// What has the same size in every step, whatever its batch.
    fn standing(&self) -> f64 {
        self.weights + self.states + self.gradients + self.temporary + self.gathered
    }

    /// What is made anew for each batch, and has its length.
    fn passing(&self) -> f64 {
        self.saved + self.layer + self.loss + self.head + self.tables
    }

    /// As [`Parts::total`], with what passes counted as `stretch` says.
    fn stretched(&self, stretch: Stretch) -> f64 {
        let more = stretch.rest * (self.passing() - self.saved);
        self.standing() + stretch.saved * self.saved + more
    }
}

/// How often memory for what passes through is held.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// What is kept for the backward pass.
    saved: f64,
    /// All else.
    rest: f64,
}

impl Stretch {
    /// Once: every block serves the next batch as well.
    const NONE: Stretch = Stretch { saved: 1.0, rest: 1.0 };
}

/// The moment that decides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peak {
    /// Which.
    pub(crate) phase: Phase,
    /// What it is made of.
    pub(crate) parts: Parts,
}

/// The largest moment of a step of `job`.
pub(crate) fn peak(job: &Job) -> Peak {
    let mut step = Step::new(job);
    step.run();
    step.peak
}

/// Bytes at the largest moment when memory for what passes through is held `times` times, because
/// blocks of one length do not serve the next. What every layer keeps without checkpointing is many
/// small blocks, which do.
pub(crate) fn fragmented(job: &Job, times: f64) -> f64 {
    let saved = if job.checkpointed() { times } else { 1.0 };
    let stretch = Stretch { saved, rest: times };
    let mut step = Step { stretch, ..Step::new(job) };
    step.run();
    step.peak.parts.stretched(stretch)
}

struct Step<'a> {
    job: &'a Job,
    stat: Static,
    layer: Layer,
    division: Division,
    t: f64,
    stretch: Stretch,
    peak: Peak,
}

impl Step<'_> {
    fn run(&mut self) {
        self.head();
        self.layers();
        self.end();
    }

    fn new(job: &Job) -> Step<'_> {
        let stat = Static::of(job);
        Step {
            job,
            stat,
            layer: Layer::of(job),
            division: Division::of(job, &stat),
            t: job.tokens(),
            stretch: Stretch::NONE,
            peak: Peak { phase: Phase::Optimizer, parts: Parts::default() },
        }
    }

    fn offer(&mut self, phase: Phase, parts: Parts) {
        if parts.stretched(self.stretch) > self.peak.parts.stretched(self.stretch) {
            self.peak = Peak { phase, parts };
        }
    }

    /// Weights and states: there at every moment.
    fn base(&self) -> Parts {
        let held = self.stat.gradients * self.division.held_gradients;
        Parts {
            weights: self.stat.weights * self.division.weights,
            states: self.stat.states * self.division.states,
            gradients: held,
            tables: self.tables(),
            gathered: self.division.buckets,
            ..Parts::default()
        }
    }

    /// cos and sin of the positions, and ids, labels, positions.
    fn tables(&self) -> f64 {
        let wide = if self.job.residual_bytes() > 2.0 { 4.0 } else { 2.0 };
        2.0 * wide * self.job.d * self.job.s + 32.0 * self.t
    }

    /// The additive mask of eager attention: b·s² elements, twice for Gemma 2's two kinds of layers.
    fn mask(&self) -> f64 {
        if !self.job.eager {
            return 0.0;
        }
        let kinds = if self.job.gemma() { 2.0 } else { 1.0 };
        self.job.residual_bytes() * self.job.b * self.job.s * self.job.s * kinds
    }

    fn mask_in_backward(&self) -> f64 {
        if self.job.checkpointed() { self.mask() } else { 0.0 }
    }

    /// Autocast copies of one layer's trained fp32 weights.
    fn weight_copies(&self) -> f64 {
        if self.job.amp {
            2.0 * self.stat.linear_per_layer
        } else if self.job.autocast && self.job.method != Method::Full {
            2.0 * self.stat.adapter_per_layer
        } else {
            0.0
        }
    }

    /// Bytes that the first `layers` layers hold for the backward pass.
    fn saved(&self, layers: f64) -> f64 {
        let job = self.job;
        let input = job.residual_bytes() * job.h * self.t;
        match job.checkpointing {
            Checkpointing::On => layers * input,
            // Two layers' inputs are on the way to main memory or back.
            Checkpointing::Offload => layers.min(2.0) * input,
            Checkpointing::Off => {
                let first = if layers > 0.0 { self.layer.first_less * self.t } else { 0.0 };
                layers * (self.layer.saved * self.t + self.weight_copies()) - first
            }
        }
    }

    /// End of the forward pass and backward of the loss.
    fn head(&mut self) {
        let (job, t, h) = (self.job, self.t, self.job.h);
        let full = job.method == Method::Full;
        let loss = Loss::of(job);
        let today = job.code == Code::Today;
        let hidden = match (full, job.amp || job.gemma()) {
            (true, true) => 10.0 * h,
            (true, false) => 8.0 * h,
            (false, _) => 4.0 * h,
        };
        // Earlier runs' coefficients of the loss include the hidden states.
        let hidden = if today { hidden * t } else { 0.0 };
        let cast = if job.amp || job.fp32_unquantised() { 2.0 * job.embedding() } else { 0.0 };
        let mut at = self.base();
        at.saved = self.saved(job.l);
        at.head = hidden + cast;
        at.gathered += self.division.root;
        let logits = matches!(job.loss, LossKernel::Eager | LossKernel::Fast) && today;
        let stream = if job.residual_bytes() > 2.0 {
            4.0 * h
        } else if full {
            0.0
        } else {
            2.0 * h
        };
        let cached = if job.checkpointed() { job.l * self.weight_copies() } else { 0.0 };
        let forward = Parts {
            loss: loss.forward * t + loss.constant,
            head: at.head + if logits { stream * t } else { 0.0 },
            temporary: cached,
            tables: at.tables + self.mask(),
            ..at
        };
        self.offer(Phase::ForwardHead, forward);
        at.tables += self.mask_in_backward();
        let backward = Parts { loss: loss.backward * t + loss.constant, ..at };
        self.offer(Phase::LossBackward, backward);
        if full && logits {
            self.head_gradient(at);
        }
    }

    /// Backward of the LM head: its gradient, and for fp32 weights the casts on both sides.
    fn head_gradient(&mut self, mut at: Parts) {
        let job = self.job;
        let cap = if job.capped() { 2.0 * job.v } else { 0.0 };
        at.loss = cap * self.t + if job.amp { 0.0 } else { 2.0 * job.v * self.t };
        at.gradients += if job.amp { 6.0 } else { 2.0 } * job.embedding();
        at.head += 2.0 * job.h * self.t;
        self.offer(Phase::LossBackward, at);
    }

    /// Backward through the last and the first layer: the last has all activations of the others
    /// before it, the first all their gradients.
    fn layers(&mut self) {
        let last = self.job.l - 1.0;
        for (index, done) in [(last, 0.0), (0.0, last)] {
            self.mlp(index, done);
            self.norms(index, done);
            self.casts(index, done);
            self.dequantised(index, done);
            self.softmax(index, done);
        }
    }

    /// Layer `index` is worked on, `done` layers have been finished; `extra` gradients and `work`
    /// bytes are the layer's own.
    fn offer_layer(&mut self, index: f64, done: f64, extra: f64, work: f64) {
        let job = self.job;
        let full = job.method == Method::Full;
        let head = if full { self.stat.grad_bytes * (job.embedding() + job.h) } else { 0.0 };
        let per_layer = if full {
            self.stat.linear_per_layer + self.stat.small_per_layer
        } else {
            self.stat.adapter_per_layer
        };
        let made = head + self.stat.grad_bytes * per_layer * done;
        let mut at = self.base();
        at.gradients += made * self.division.fresh_gradients + extra * self.division.own_gradients;
        at.layer = work;
        at.saved = if job.checkpointed() {
            self.saved(index + 1.0) * self.division.checkpoint_copies
        } else {
            self.saved(index)
        };
        at.tables += self.mask_in_backward();
        at.gathered += self.division.root + self.division.layer;
        self.offer(Phase::LayerBackward, at);
    }

    /// What a layer keeps, without its own input where that is counted as checkpoint.
    fn kept(&self) -> f64 {
        let counted = self.job.checkpointed() && self.job.residual_bytes() > 2.0;
        self.layer.saved - if counted { 4.0 * self.job.h } else { 0.0 }
    }

    fn mlp_copies(&self) -> f64 {
        if self.job.amp {
            2.0 * (self.stat.linear_per_layer - self.job.f * self.job.h)
        } else {
            self.weight_copies()
        }
    }

    fn mlp(&mut self, index: f64, done: f64) {
        let job = self.job;
        let down =
            if job.method == Method::Full { self.stat.grad_bytes * job.f * job.h } else { 0.0 };
        let work = match activations::earlier_working_set(job, job.code) {
            Some(work) if job.checkpointed() => work * self.t,
            _ => (self.kept() + self.layer.mlp_extra) * self.t + self.mlp_copies(),
        };
        self.offer_layer(index, done, down, work);
    }

    /// Backward of the norms: the input norm in full fine-tuning, the norm after the MLP in Gemma 2.
    fn norms(&mut self, index: f64, done: f64) {
        let (job, h) = (self.job, self.job.h);
        let full = job.method == Method::Full;
        if job.gemma() {
            let extra = match (full, job.amp) {
                (true, false) => 18.0 * h,
                (true, true) => 20.0 * h,
                (false, _) => 22.0 * h,
            };
            let work = (self.kept() + extra) * self.t + self.weight_copies();
            self.offer_layer(index, done, 0.0, work);
        }
        if full {
            let per_layer = self.stat.linear_per_layer + self.stat.small_per_layer;
            let own = self.stat.grad_bytes * per_layer;
            let work = if job.amp { 28.0 * h } else { 26.0 * h } * self.t;
            self.offer_layer(index, done, own, work);
        }
    }

    /// fp32 weights: the 16-bit gradient of a matrix and its fp32 cast stand side by side.
    fn casts(&mut self, index: f64, done: f64) {
        if !self.job.amp {
            return;
        }
        let (job, big) = (self.job, self.job.f * self.job.h);
        let work = (self.layer.saved - 8.0 * job.f - 8.0 * job.h) * self.t
            + 2.0 * (self.stat.linear_per_layer - 2.0 * big)
            + 2.0 * big;
        self.offer_layer(index, done, 2.0 * self.stat.grad_bytes * big, work);
    }

    fn dequantised(&mut self, index: f64, done: f64) {
        if self.job.quant.is_none() {
            return;
        }
        let matrix = activations::dequantised_matrix(self.job);
        let extra = activations::dequantised_extra(self.job);
        let work = (self.kept() + extra) * self.t + self.mlp_copies();
        self.offer_layer(index, done, 0.0, work + matrix);
    }

    fn softmax(&mut self, index: f64, done: f64) {
        let job = self.job;
        if !job.eager {
            return;
        }
        let own = if job.method == Method::Full {
            self.stat.grad_bytes * (3.0 * job.f * job.h + job.q * job.h)
        } else {
            0.0
        };
        let work = activations::softmax_extra(job) * self.t + self.mlp_copies();
        self.offer_layer(index, done, own, work);
    }

    /// Gradient of the embedding, and the optimizer step.
    fn end(&mut self) {
        let job = self.job;
        let mut at = self.base();
        at.gradients = self.stat.gradients * self.division.step_gradients;
        at.tables = 16.0 * self.t;
        if job.method == Method::Full {
            let tied = if job.tied { self.stat.grad_bytes * job.embedding() } else { 0.0 };
            let embedding = Parts {
                layer: job.residual_bytes() * job.h * self.t,
                temporary: tied * self.division.own_gradients,
                ..at
            };
            self.offer(Phase::EmbeddingGradient, embedding);
        }
        let copies =
            if job.foreach { self.stat.gradients * self.division.step_gradients } else { 0.0 };
        self.offer(Phase::Optimizer, Parts { temporary: copies, ..at });
    }
}
