//! What a layer keeps for its backward pass, and what its backward pass needs besides. Bytes per
//! token, so every figure is multiplied with T.
//!
//! The coefficients were read off the tensors that autograd saved in the traced steps (Transformers
//! 5.24 with synthetic dimensions that tell every width apart), not fitted: 2 bytes for each 16-bit
//! and 4 for each fp32 element. An RMSNorm of Transformers keeps its input in fp32, one reciprocal
//! root per token and, where its weight is trained, the normed value.

use super::job::{Code, Job};
use crate::setup::{Method, Quant};

/// Bytes per token of one layer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layer {
    /// Kept between forward and backward without checkpointing; rebuilt with it.
    pub(crate) saved: f64,
    /// Needed besides at the peak of the MLP's backward.
    pub(crate) mlp_extra: f64,
    /// What layer 0 does not keep because its input needs no gradient.
    pub(crate) first_less: f64,
}

impl Layer {
    /// The figures for `job`.
    pub(crate) fn of(job: &Job) -> Layer {
        let frozen = job.method != Method::Full;
        let dropped = if job.dropout { adapted_qkv(job) } else { 0.0 };
        let counted = norms(job)
            + attention(job)
            + scores(job)
            + mlp(job)
            + adapters(job)
            + 4.0 * job.norms
            + dropout(job)
            + head_norms(job)
            + routing(job);
        Layer {
            saved: job.own.saved.unwrap_or(counted - fused_less(job)),
            mlp_extra: mlp_extra(job),
            first_less: if frozen { (4.0 + dropped) * job.h } else { 0.0 },
        }
    }
}

/// What fused norms and SwiGLU do not keep: the norms' fp32 copies (they keep their 16-bit input,
/// which the residual stream is anyway), and the activation between gate and product. With it, the
/// slope of Llama-3.1-8B under ZeRO-3 and Liger is 468 KB a token; 462 KB were measured
/// (ml-engineering, 2026, 8 × H200).
fn fused_less(job: &Job) -> f64 {
    if !job.fused_blocks {
        return 0.0;
    }
    let full = job.method == Method::Full;
    let norms = if full { 4.0 } else { 2.0 } * job.norms * job.h;
    norms + 2.0 * job.f * gates(job)
}

/// Adapted layers that read a normed hidden state.
fn adapted_from_hidden(job: &Job) -> f64 {
    job.linears.iter().filter(|x| x.adapted && x.from_hidden).map(|_| 1.0).sum()
}

/// Adapted layers among q, k and v.
pub(crate) fn adapted_qkv(job: &Job) -> f64 {
    job.linears[..3].iter().filter(|x| x.adapted).map(|_| 1.0).sum()
}

fn adapts_o(job: &Job) -> bool {
    job.linears[3].adapted
}

fn adapts_down(job: &Job) -> bool {
    job.linears[6].adapted
}

/// QLoRA whose unquantised parts stay in 16 bits.
fn raw_quantised(job: &Job) -> bool {
    job.quant.is_some() && !job.fp32_residual()
}

/// Consumers of a normed hidden state that keep a copy of their own when nothing is fp32.
fn shared_inputs(job: &Job) -> f64 {
    if job.adapts_mlp() { 2.0 } else { 1.0 }
}

/// Norms and the inputs of the linear layers that they feed.
fn norms(job: &Job) -> f64 {
    let h = job.h;
    let wide = job.norms > 2.0;
    if job.method == Method::Full {
        if job.amp {
            // Each consumer makes its own 16-bit copy of the fp32 normed input.
            let copies = if job.phi() { 2.0 } else { 5.0 };
            return (if wide { 32.0 } else { 16.0 } + 2.0 * copies) * h;
        }
        return if wide { 36.0 * h } else { 16.0 * h };
    }
    let inputs = if raw_quantised(job) { shared_inputs(job) } else { adapted_from_hidden(job) };
    4.0 * job.norms * h + 2.0 * inputs * h
}

/// Roped q, k, v, the attention output and its log-sum-exp, or what eager attention keeps of them.
fn attention(job: &Job) -> f64 {
    let (q, k, a) = (job.q, job.k, job.a);
    let o = if adapts_o(job) { 2.0 * q } else { 0.0 };
    let full = job.method == Method::Full;
    let lora = job.method == Method::Lora;
    if job.eager {
        // q, k and v expanded to all heads, and a contiguous output where o's input is kept.
        let output = if full || job.fp32_residual() { 2.0 * q } else { 0.0 };
        let output = output + if lora || raw_quantised(job) { o } else { 0.0 };
        let fused = if job.phi() && lora { 4.0 * q } else { 0.0 };
        return 6.0 * q + output + fused;
    }
    if job.phi() {
        // The fused qkv stays alive through its slice for v.
        let sliced = 2.0 * (q + 2.0 * k) + 2.0 * q + 2.0 * k + 2.0 * q + 4.0 * a;
        return match job.method {
            Method::Full => sliced + 2.0 * q,
            _ if job.fp32_residual() => 4.0 * q + 4.0 * k + 4.0 * a + o,
            _ => sliced + o,
        };
    }
    4.0 * q + 4.0 * k + 4.0 * a + if lora { o } else { 0.0 }
}

/// Eager attention's probabilities: fp32 softmax, its 16-bit copy, and Gemma 2's soft cap.
fn scores(job: &Job) -> f64 {
    if !job.eager {
        return 0.0;
    }
    (6.0 + if job.capped() { 2.0 } else { 0.0 }) * job.a * job.s
}

/// Gate, up, their activation and product.
fn mlp(job: &Job) -> f64 {
    let f = job.f * gates(job);
    let down = if adapts_down(job) { 2.0 * f } else { 0.0 };
    match job.method {
        Method::Full => 8.0 * f,
        _ if job.fp32_residual() => 12.0 * f + down,
        _ => 6.0 * f + down,
    }
}

/// A plain MLP keeps half of what a gated one does: up and its activation.
fn gates(job: &Job) -> f64 {
    if job.linears[4].copies > 0.0 { 1.0 } else { 0.5 }
}

/// The r-wide middle of each adapter.
fn adapters(job: &Job) -> f64 {
    2.0 * job.rank * job.linears.iter().filter(|x| x.adapted).map(|_| 1.0).sum::<f64>()
}

/// A mask byte for each adapted input, and the outputs that each adapter then keeps for itself.
fn dropout(job: &Job) -> f64 {
    if !job.dropout {
        return 0.0;
    }
    let masks: f64 = job.linears.iter().filter(|x| x.adapted).map(|x| x.input).sum();
    let o = if adapts_o(job) && !job.eager { 2.0 * job.q } else { 0.0 };
    if raw_quantised(job) {
        return masks + 2.0 * job.h * (adapted_from_hidden(job) - shared_inputs(job)) + o;
    }
    if job.fp32_residual() && !job.phi() { masks + o } else { masks }
}

/// Norms on q and k (Qwen 3, Gemma 3, OLMo 2): fp32 inputs, and the normed value where trained.
fn head_norms(job: &Job) -> f64 {
    if !job.qk_norm {
        return 0.0;
    }
    let width = job.q + job.k;
    4.0 * width + if job.method == Method::Full { 2.0 * width } else { 0.0 }
}

/// Copies of the hidden state for each expert that a token visits: its input, and its output.
fn routing(job: &Job) -> f64 {
    4.0 * job.visits * job.h
}

/// Needed besides the saved tensors at the peak of the MLP's backward.
fn mlp_extra(job: &Job) -> f64 {
    let (h, f) = (job.h, job.f * gates(job));
    let gc = job.checkpointed();
    let gemma = job.gemma();
    let drop = job.dropout;
    let all = job.adapts_mlp();
    if job.method == Method::Full {
        return 4.0 * f + job.residual_bytes() * h;
    }
    if job.method == Method::Lora {
        return match (all, gc) {
            (true, true) => {
                let norm = if gemma { 2.0 * h } else { 0.0 };
                let base = if drop {
                    10.0 * f + if gemma { 6.0 } else { 10.0 } * h
                } else {
                    6.0 * f + 10.0 * h
                };
                base + norm
            }
            (true, false) => (if drop { 5.0 } else { 4.0 }) * f + 2.0 * h,
            (false, _) if gemma => 4.0 * f + 2.0 * h,
            (false, _) => 6.0 * f + 2.0 * h,
        };
    }
    if job.fp32_residual() {
        // Gemma's gradient of the MLP output comes out of the norm after it.
        let residual = if gemma { 0.0 } else { 4.0 * h };
        return match (all, drop, gc) {
            (true, true, true) => 8.0 * f + if gemma { 8.0 } else { 14.0 } * h,
            (true, true, false) => 8.0 * f + 4.0 * h,
            (true, false, _) => 10.0 * f + residual,
            (false, ..) => 12.0 * f + residual,
        };
    }
    if all {
        let phi = if job.phi() && gc { 4.0 * h } else { 0.0 };
        return 4.0 * f + 2.0 * h + phi + if drop && gc { f } else { 0.0 };
    }
    6.0 * f + 2.0 * h
}

/// Working set of one layer's recompute and backward under earlier Transformers: 14 f + 13 h + 4 k,
/// and 8 h more for norms that keep fp32 copies. Read off fms-acceleration's runs (Mistral-7B,
/// Llama-3-8B, Llama-2-70B; within 0.1 %), Triton and plain norms. Experts ran one after the other:
/// each keeps what a dense MLP keeps for its tokens, but only one at a time is worked on.
pub(crate) fn earlier_working_set(job: &Job, code: Code) -> Option<f64> {
    let Code::Earlier { fused_norms, .. } = code else {
        return None;
    };
    let norms = if fused_norms { 0.0 } else { 8.0 * job.h };
    let f = job.f * gates(job);
    let mlp = if job.visits == 0.0 {
        14.0 * f
    } else {
        let kept = if job.method == Method::Full { 8.0 } else { 6.0 };
        kept * f + 6.0 * f / job.experts
    };
    Some(mlp + 13.0 * job.h + 4.0 * job.k + norms + scores(job))
}

/// Extra per token at the peak of eager attention's softmax backward.
pub(crate) fn softmax_extra(job: &Job) -> f64 {
    let (h, q) = (job.h, job.q);
    let qkv = 2.0 * h * adapted_qkv(job);
    let base = match job.method {
        Method::Full => 10.0 * h + 6.0 * q,
        _ if job.fp32_residual() => {
            if job.checkpointed() {
                4.0 * h + qkv + 8.0 * q
            } else {
                8.0 * h + qkv + 8.0 * q
            }
        }
        _ => 6.0 * h + qkv + 6.0 * q,
    };
    base + (12.0 + if job.capped() { 2.0 } else { 0.0 }) * job.a * job.s
}

/// Extra per token while a quantised matrix stands dequantised in 16 bits.
pub(crate) fn dequantised_extra(job: &Job) -> f64 {
    let (h, f) = (job.h, job.f);
    match (job.fp32_residual(), job.checkpointed(), job.adapts_mlp()) {
        (false, ..) => 2.0 * f + 2.0 * h,
        (true, false, _) => 2.0 * f + 6.0 * h,
        (true, true, true) => 4.0 * f + 12.0 * h,
        (true, true, false) => 4.0 * f + 4.0 * h,
    }
}

/// The largest matrix, dequantised to 16 bits, with its fp32 constants; GPTQ kernels read packed
/// weights.
pub(crate) fn dequantised_matrix(job: &Job) -> f64 {
    if job.quant.is_none_or(|q| q == Quant::Gptq) {
        return 0.0;
    }
    let largest = job.linears.iter().map(super::job::Linear::weights).fold(0.0, f64::max);
    2.0 * largest + 4.0 * largest / 64.0
}
