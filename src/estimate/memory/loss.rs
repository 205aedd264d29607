//! What the loss over the vocabulary costs: bytes per token and vocabulary entry, by kernel and by
//! the version of the code. The largest silent variable of a fine-tuning job.

use super::job::{Code, Job};
use crate::setup::{LossKernel, Method};

/// Bytes of the loss: per token, and for the whole batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Loss {
    /// Per token at the end of the forward pass.
    pub(crate) forward: f64,
    /// Per token in the backward pass of the loss.
    pub(crate) backward: f64,
    /// At once, however many tokens there are.
    pub(crate) constant: f64,
}

/// TRL's chunked loss takes 256 tokens at a time (its pull request 5575).
const TRL_CHUNK: f64 = 256.0;
/// Bytes per logit of a chunk: fp32 logits and their gradient.
const CHUNK_BYTES: f64 = 8.0;

impl Loss {
    /// The figures for `job`.
    pub(crate) fn of(job: &Job) -> Loss {
        let v = job.v;
        if let Some(per_token) = job.own.loss {
            let constant = head_gradient(job) + job.own.loss_constant;
            return Loss { forward: per_token, backward: per_token, constant };
        }
        match job.loss {
            LossKernel::Eager => eager(job),
            LossKernel::Fast => fast(job),
            LossKernel::Fused => {
                // The gradient of the hidden state replaces the logits; a trained head also gets
                // its gradient now. Chunks have the next power of two of T / ceil(v / h) rows, so
                // that a chunk is about as large as the hidden states (Liger's source).
                let rows = (job.tokens() / (v / job.h).ceil()).max(1.0).log2().ceil().exp2();
                Loss {
                    forward: 2.0 * job.h,
                    backward: 2.0 * job.h,
                    constant: rows.min(job.tokens()) * v * CHUNK_BYTES + head_gradient(job),
                }
            }
            LossKernel::Chunked if job.loss_in_eighths => {
                // Eight chunks of 16-bit logits; where the head is trained, one of them stands in
                // fp32 with its gradient. torchtune's ladder for Llama-3.2-3B: 2 v with adapters
                // (8.5 and 4.6 GiB), 3 v in full (23.1 GiB).
                let chunk = if job.method == Method::Full { CHUNK_BYTES / 8.0 } else { 0.0 };
                let per_token = (2.0 + chunk) * v;
                Loss { forward: per_token, backward: per_token, constant: head_gradient(job) }
            }
            LossKernel::Chunked => Loss {
                forward: 2.0 * job.h,
                backward: 2.0 * job.h,
                constant: TRL_CHUNK.min(job.tokens()) * v * CHUNK_BYTES + head_gradient(job),
            },
        }
    }
}

/// The gradient of a trained LM head, which these kernels make during the forward pass.
fn head_gradient(job: &Job) -> f64 {
    match job.method {
        Method::Full => job.embedding() * if job.amp { 4.0 } else { 2.0 },
        _ => 0.0,
    }
}

/// Logits in full. Today: 16-bit logits, their fp32 copy and the log-softmax at the end of the
/// forward pass (10 v), then fp32 logits, log-softmax and its gradient (12 v). Measured earlier:
/// 12 v + 6 h up to Transformers 4.45, 14 v + 6 h from 4.46 to 4.48.
fn eager(job: &Job) -> Loss {
    let v = job.v;
    match job.code {
        Code::Today => {
            let cap = if job.capped() { 2.0 * v } else { 0.0 };
            Loss { forward: 10.0 * v + cap, backward: 12.0 * v + cap, constant: 0.0 }
        }
        Code::Earlier { extra_copy, .. } => {
            let per_token = if extra_copy { 14.0 } else { 12.0 } * v + 6.0 * job.h;
            Loss { forward: per_token, backward: per_token, constant: 0.0 }
        }
    }
}

/// A Triton kernel that overwrites the logits with their gradient. Measured: 8 v + 4 h with
/// Transformers 4.45, 10 v + 4 h with 4.48; today as with 4.45 (not measured since).
fn fast(job: &Job) -> Loss {
    let copies = match job.code {
        Code::Earlier { extra_copy: true, .. } => 10.0,
        _ => 8.0,
    };
    let per_token = copies * job.v + 4.0 * job.h;
    Loss { forward: per_token, backward: per_token, constant: 0.0 }
}
