//! What a GPU must hold besides PyTorch's allocations, and how far its cache grows beyond them.
//!
//! Sources: the smallest difference of nvidia-smi and allocated over 308 paired runs on A100-80GB
//! (fms-acceleration, torch 2.4 to 2.6) is 0.92 GiB, of which 0.3 to 0.45 GiB are context and
//! kernels; NCCL's communicators take 544 to 688 MB (issue 964 of its repository, 4 × A100).

use super::job::Job;
use crate::estimate::fit::Term;
use crate::offer::Basis;
use crate::setup::{LossKernel, Setup};
use crate::units::{Gib, Range};

/// Context, kernels, library workspaces, and what the allocator cannot give back.
const CONTEXT: Gib = Gib::new(1.0);
/// Communication buffers, once there are several GPUs.
const NCCL: Gib = Gib::new(0.7);

/// What comes on top of the allocated peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Overhead {
    /// Context and the like.
    pub(crate) context: Gib,
    /// Communication buffers.
    pub(crate) nccl: Gib,
    /// What nvidia-smi shows over what is allocated, where the card has room for it. Medians of the
    /// paired runs: 1.11 with a fused loss at fixed length, 1.26 with PyTorch's, 1.37 with the
    /// in-place kernel, 1.33 sharded, 1.72 for batches padded to their longest sample.
    pub(crate) smi_ratio: f64,
}

impl Overhead {
    /// The overhead of `job`.
    pub(crate) fn of(job: &Job, setup: &Setup) -> Overhead {
        let several = job.n > 1.0;
        let kernel = match job.loss {
            LossKernel::Fused | LossKernel::Chunked => 1.11,
            LossKernel::Eager => 1.26,
            LossKernel::Fast => 1.37,
        };
        let smi_ratio = if several {
            1.33
        } else if setup.packing || job.b <= 1.0 {
            kernel
        } else {
            1.72_f64.min(kernel * 1.3)
        };
        Overhead { context: CONTEXT, nccl: if several { NCCL } else { Gib::ZERO }, smi_ratio }
    }

    /// The part that must be free.
    pub(crate) fn fixed(&self) -> Gib {
        self.context + self.nccl
    }

    /// What nvidia-smi shows at an allocated peak in `band`, on a card with room enough. Between
    /// the context alone and the 90th percentile of the paired runs, 1.69.
    pub(crate) fn smi(&self, band: Range<Gib>) -> Range<Gib> {
        Range::new(band.low + CONTEXT, band.expected * self.smi_ratio, band.high * 1.69)
    }

    /// As terms of the sum.
    pub(super) fn terms(&self) -> impl Iterator<Item = Term> {
        [("CUDA context", self.context), ("NCCL", self.nccl)]
            .into_iter()
            .filter(|(_, gib)| gib.get() > 0.0)
            .map(|(name, gib)| Term { name, gib, basis: Basis::Measured })
    }
}

/// What the allocator has reserved at the peak of `job`, all batches of one length: our allocated
/// figure with a share of split blocks and a few blocks that nobody reuses. Between the allocated
/// figure itself and 1.25 of it and 3.2 GiB; of 25 runs (fsdp_qlora 2024, ml-engineering 2026) all
/// lie within, the median is 1.12 and 0.8 GiB.
pub(crate) fn reserved_fixed(allocated: Gib) -> Range<Gib> {
    let x = allocated.get();
    Range::new(Gib::new(0.96 * x), Gib::new(1.12 * x + 0.8), Gib::new(1.25 * x + 3.2))
}

/// What the allocator has reserved when lengths vary within the run: blocks made for one length do
/// not serve the next, so that activations are held several times; weights and states stand, and
/// are not. Over 57 runs (ms-swift, early 2024) the factor's median is 3.3; all but two
/// lie between 1.15 and 5.1, and those two have samples of 8,192 tokens (7 and 7.5).
pub(crate) fn reserved_ragged(job: &Job) -> Range<Gib> {
    let held = |times: f64| super::gib(super::phases::fragmented(job, times));
    Range::new(held(1.3) * 0.97, held(3.3) * 1.02, held(5.2) * 1.06)
}
