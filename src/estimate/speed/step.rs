//! Seconds of one micro-step on one GPU: the formulas.
//!
//! Operations are counted as 2 per multiply-add, attention as causal. The parts overlap
//! imperfectly, which the norms of order 3 and 4 stand for. Form of the model: fit to published
//! runs, see [`super::coefficients`].

use super::achieved::Card;
use super::coefficients::{
    COPIES, Coefficients, DEQUANT_BYTES, EAGER_ROCM, OPTIMIZER_BYTES, PACKED_BYTES,
};

/// How much of a layer's elementwise work is fused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernels {
    /// Fused kernels for norms, rotary embedding, MLP and loss, or `torch.compile`.
    Fused,
    /// Module by module, with FlashAttention or SDPA.
    Flash,
    /// Module by module, with the score matrix.
    Plain,
}

/// How frozen weights are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// 16 bits.
    Sixteen,
    /// bitsandbytes, 4 bits or 8.
    Bnb,
    /// GPTQ.
    Gptq,
}

/// How work is divided over GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Divided {
    /// One GPU.
    One,
    /// A copy on each GPU.
    Copies,
    /// Weights sharded (FSDP, ZeRO-3).
    Weights,
    /// Gradients and states sharded (ZeRO-1, ZeRO-2).
    States,
}

/// One micro-step of one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Work {
    /// Tokens, T.
    pub(crate) tokens: f64,
    /// Tokens that see each other, s.
    pub(crate) seq: f64,
    /// Layers, L.
    pub(crate) layers: f64,
    /// Hidden size.
    pub(crate) hidden: f64,
    /// Heads × head size.
    pub(crate) width: f64,
    /// Matmul weights that a token passes, N.
    pub(crate) active: f64,
    /// Weights of the LM head, H.
    pub(crate) head: f64,
    /// Matmul weights that are stored, W; more than `active` with experts.
    pub(crate) stored: f64,
    /// Passes of the backward: 2 when weights are trained, 1 for adapters.
    pub(crate) backward: f64,
    /// Share of the forward pass that is computed again.
    pub(crate) recompute: f64,
    /// Storage of frozen weights.
    pub(crate) format: Stored,
    /// Fusion.
    pub(crate) kernels: Kernels,
    /// Micro-steps per optimizer step.
    pub(crate) accumulation: f64,
    /// GPUs.
    pub(crate) gpus: f64,
    /// Division.
    pub(crate) divided: Divided,
    /// Bytes per second between GPUs.
    pub(crate) link: f64,
    /// Matmuls in fp8.
    pub(crate) fp8: bool,
    /// Attention by kernels made for the chip (cuDNN, Transformer Engine).
    pub(crate) tuned: bool,
    /// Seconds of a micro-step that main memory is busy with what is offloaded.
    pub(crate) host: f64,
}

/// Where the seconds of a micro-step go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Times {
    /// Matmuls and attention.
    pub(crate) matmul: f64,
    /// Reading the weights.
    pub(crate) weights: f64,
    /// Elementwise work.
    pub(crate) elementwise: f64,
    /// Dequantisation.
    pub(crate) dequant: f64,
    /// Optimizer step, spread over the micro-steps.
    pub(crate) optimizer: f64,
    /// Launching kernels.
    pub(crate) launch: f64,
    /// Exchange between GPUs.
    pub(crate) link: f64,
    /// Exchange with main memory.
    pub(crate) host: f64,
}

impl Work {
    /// Operations of a micro-step that recomputes the share r: T·(2N(1+r+b) + 2H(1+b)) in matmuls
    /// with weights.
    fn dense(&self, r: f64) -> f64 {
        let b = self.backward;
        self.tokens * (2.0 * self.active * (1.0 + r + b) + 2.0 * self.head * (1.0 + b))
    }

    /// The same in attention: 2·T·L·d·s·(3+r).
    fn attention(&self, r: f64) -> f64 {
        2.0 * self.tokens * self.layers * self.width * self.seq * (3.0 + r)
    }

    /// All operations of a micro-step without recomputed work.
    pub(crate) fn useful(&self) -> f64 {
        self.dense(0.0) + self.attention(0.0)
    }

    /// Share of the operations that attention has.
    pub(crate) fn attention_share(&self) -> f64 {
        self.attention(self.recompute)
            / (self.dense(self.recompute) + self.attention(self.recompute))
    }

    fn trains_weights(&self) -> bool {
        self.backward > 1.5
    }

    fn weight_bytes(&self) -> f64 {
        if self.format == Stored::Sixteen { 2.0 } else { PACKED_BYTES }
    }

    /// The parts of a micro-step on `card`.
    pub(crate) fn times(&self, card: &Card, c: &Coefficients) -> Times {
        let rate = c.layer * card.reach * card.peak;
        let dense = rate * if self.fp8 { c.fp8 } else { 1.0 };
        let slower = if self.tuned { c.attention } else { card.attention };
        let adapters = if self.trains_weights() { 1.0 } else { c.adapters };
        let passes = match self.kernels {
            Kernels::Fused => c.fused,
            Kernels::Flash => c.flash,
            Kernels::Plain => c.plain,
        };
        let r = self.recompute;
        let activation = self.tokens * self.layers * self.hidden * 2.0;
        let dequant = match self.format {
            Stored::Sixteen => 0.0,
            Stored::Bnb => c.nf4,
            Stored::Gptq => c.gptq,
        };
        Times {
            matmul: adapters * self.dense(r) / dense + adapters * slower * self.attention(r) / rate,
            weights: self.weight_bytes() * self.stored * (2.0 + r) / card.bandwidth,
            elementwise: activation * passes * (3.0 + r) / card.bandwidth,
            dequant: dequant * DEQUANT_BYTES * self.stored * (2.0 + r) / card.bandwidth,
            optimizer: self.optimizer(card),
            launch: self.launch(c),
            link: self.exchanged() / self.link,
            host: self.host,
        }
    }

    fn optimizer(&self, card: &Card) -> f64 {
        if !self.trains_weights() {
            return 0.0;
        }
        let shards = if self.sharded() { self.gpus } else { 1.0 };
        let bytes = OPTIMIZER_BYTES * (self.stored + self.head);
        bytes / (shards * card.bandwidth * self.accumulation)
    }

    fn sharded(&self) -> bool {
        matches!(self.divided, Divided::Weights | Divided::States)
    }

    fn launch(&self, c: &Coefficients) -> f64 {
        let slower = if self.sharded() { c.launch_sharded } else { 1.0 };
        c.launch * slower * self.layers * (2.0 + self.recompute)
    }

    /// Bytes that each GPU sends in a micro-step. Sharded weights are gathered twice, and their
    /// gradients scattered once; sharded states need gradients and weights once per optimizer step;
    /// copies need the ring's two passes over the gradients, which are small for adapters.
    fn exchanged(&self) -> f64 {
        let others = (self.gpus - 1.0).max(0.0) / self.gpus.max(1.0);
        let full = self.trains_weights();
        let per_weight = match self.divided {
            Divided::Copies if full => 4.0 / self.accumulation,
            Divided::One | Divided::Copies => 0.0,
            Divided::Weights if full => 6.0,
            Divided::States if full => 3.0 / self.accumulation,
            Divided::Weights | Divided::States => 2.0 * self.weight_bytes(),
        };
        per_weight * self.stored * others
    }

    /// Tokens per second of all GPUs together.
    pub(crate) fn tokens_per_second(&self, card: &Card, c: &Coefficients) -> f64 {
        let copies =
            if self.divided == Divided::Copies && !self.trains_weights() { COPIES } else { 1.0 };
        let eager_rocm = if card.rocm && self.kernels != Kernels::Fused { EAGER_ROCM } else { 1.0 };
        let known = copies * card.correction * eager_rocm;
        self.gpus * known * self.tokens / self.times(card, c).total()
    }
}

impl Times {
    /// All parts together.
    pub(crate) fn total(&self) -> f64 {
        let busy = (self.matmul.powi(4) + self.weights.powi(4)).sqrt().sqrt()
            + self.elementwise
            + self.dequant
            + self.optimizer;
        let waits = self.launch.powi(3) + self.link.powi(3) + self.host.powi(3);
        (busy.powi(3) + waits).cbrt()
    }
}

#[cfg(test)]
mod tests {
    use super::super::coefficients::TEXT;
    use super::*;

    /// Shapes and card facts as the analysis states them (N and H in 10⁹).
    fn work(model: (f64, f64, f64, f64), full: bool, quantised: bool, batch: (f64, f64)) -> Work {
        let (n, h, layers, width) = model;
        Work {
            tokens: batch.0 * batch.1,
            seq: batch.1,
            layers,
            hidden: width,
            width,
            active: n * 1e9,
            head: h * 1e9,
            stored: n * 1e9,
            backward: if full { 2.0 } else { 1.0 },
            recompute: 1.0,
            format: if quantised { Stored::Bnb } else { Stored::Sixteen },
            kernels: Kernels::Fused,
            accumulation: 1.0,
            gpus: 1.0,
            divided: Divided::One,
            link: 1.0,
            fp8: false,
            tuned: false,
            host: 0.0,
        }
    }

    const fn card(peak: f64, reach: f64, bandwidth: f64) -> Card {
        Card { peak, reach, bandwidth, attention: 1.0, correction: 1.0, rocm: false }
    }

    const LLAMA3_8B: (f64, f64, f64, f64) = (6.979, 0.525, 32.0, 4096.0);
    const MISTRAL_7B: (f64, f64, f64, f64) = (6.979, 0.131, 32.0, 4096.0);
    const LLAMA3_70B: (f64, f64, f64, f64) = (68.452, 1.051, 80.0, 8192.0);
    const A100: Card = card(312e12, 0.869, 2040e9);
    const RTX_4090: Card = card(165.2e12, 0.87, 1010e9);
    const RTX_3090: Card = card(71.2e12, 0.87, 936e9);

    /// Six worked examples of the published analysis of training speed, with its coefficients:
    /// tokens per second and GPU, then the seconds of its columns.
    #[test]
    fn six_published_vectors_come_out_the_same() {
        let l4 = card(121e12, 72.0 / (TEXT.ada_watts * 121.0), 300e9);
        let sharded = |w: Work, gpus: f64, link: f64, accumulation: f64| Work {
            gpus,
            divided: Divided::Weights,
            link,
            accumulation,
            ..w
        };
        let four = work(LLAMA3_8B, false, false, (4.0, 2048.0));
        let two = work(LLAMA3_8B, false, true, (2.0, 2048.0));
        let short = work(MISTRAL_7B, false, true, (1.0, 512.0));
        let full = sharded(work(LLAMA3_8B, true, false, (2.0, 4096.0)), 8.0, 230e9, 8.0);
        let large = sharded(work(LLAMA3_70B, false, true, (1.0, 2048.0)), 2.0, 12e9, 1.0);
        let poor = sharded(work(LLAMA3_8B, false, false, (2.0, 2048.0)), 4.0, 2.7e9, 1.0);
        let cases = [
            (four, A100, 3821.2, [1.7265, 0.4169, 0.0, 0.1727, 0.0]),
            (two, RTX_4090, 1718.5, [1.6285, 0.4211, 0.3337, 0.1727, 0.0]),
            (short, l4, 278.0, [0.5410, 0.1772, 1.1233, 0.1727, 0.0]),
            (full, A100, 3128.9, [2.1731, 0.4169, 0.0, 0.8105, 0.1593]),
            (large, RTX_3090, 92.5, [17.4358, 1.1359, 3.5314, 2.0261, 3.1374]),
            (poor, RTX_4090, 524.8, [1.6285, 0.4211, 0.0, 0.8105, 7.7544]),
        ];
        for (work, card, speed, seconds) in cases {
            let t = work.times(&card, &TEXT);
            let got = [t.matmul, t.elementwise, t.dequant, t.launch, t.link];
            for (got, wanted) in got.into_iter().zip(seconds) {
                assert!((got - wanted).abs() < 6e-5 * (1.0 + wanted), "{got} {wanted}");
            }
            let per_gpu = work.tokens_per_second(&card, &TEXT) / work.gpus;
            // As printed there, to a tenth.
            assert!((per_gpu - speed).abs() < 0.0501, "{per_gpu} {speed}");
        }
    }
}
