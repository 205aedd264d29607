//! From gibibytes to a verdict, against what one card can really give.

use crate::estimate::fit::Verdict;
use crate::gpu::Gpu;
use crate::offer::Basis;
use crate::units::{Gib, Range};

/// Share of the nominal memory that is usable where nothing better is known: cards that keep ECC
/// bits in their memory, as L4 (22.0 of 24) and L40S (44.5 of 48), are the worst.
const USABLE_OF_NOMINAL: f64 = 0.92;
/// Share of what nvidia-smi calls total that PyTorch sees: T4 14.56 of 15.0, RTX 4090 23.6 of 24.0,
/// A100 79.15 of 80.0 (out-of-memory messages).
const USABLE_OF_TOTAL: f64 = 0.975;
/// Two variants of a card differ by more than this in what an offer states.
const SAME_VARIANT: f64 = 0.15;

/// Below this share of the usable memory the expected need is safe: of 100 published runs that ran
/// out of memory on 80 GB, none was predicted below 0.83.
const FITS: f64 = 0.84;
/// And below this share the high end of the band must stay.
const FITS_HIGH: f64 = 0.97;
/// Above this share the expected need does not fit: of 228 successful runs the fullest, 74.8 GiB
/// allocated on two cards of 79.15, comes to 0.966.
const NO: f64 = 0.98;
/// And above this share, that of the fullest run, the low end of the band must be.
const NO_LOW: f64 = 0.966;

/// What a framework can use of `gpu`, of which an offer says that it has `stated`; and what that
/// rests on: measured, when frameworks have reported it; modelled, when it is a share of what the
/// offer states; assumed otherwise.
pub(crate) fn room(gpu: &Gpu, stated: Option<Gib>) -> Option<(Gib, Basis)> {
    let nominal = gpu.memory.get();
    let of_stated = |s: f64| (Gib::new(s * USABLE_OF_TOTAL), Basis::Modelled);
    let stated = stated.map(Gib::get).filter(|s| *s > 0.0);
    if nominal <= 0.0 {
        return stated.map(of_stated);
    }
    Some(match (stated, gpu.usable) {
        // Another variant, or a slice of the card.
        (Some(s), _) if (s / nominal - 1.0).abs() > SAME_VARIANT => of_stated(s),
        (_, Some(known)) if gpu.usable_assumed => (known, Basis::Assumed),
        (_, Some(known)) => (known, Basis::Measured),
        // Less than nominal is what nvidia-smi says; the nominal figure itself says nothing.
        (Some(s), None) if s < nominal => of_stated(s),
        (_, None) => (Gib::new(nominal * USABLE_OF_NOMINAL), Basis::Assumed),
    })
}

/// As [`room`], without what it rests on.
pub(crate) fn usable(gpu: &Gpu, stated: Option<Gib>) -> Option<Gib> {
    room(gpu, stated).map(|(usable, _)| usable)
}

/// Does `needed`, which may be anywhere in `band`, go into `usable`?
pub(crate) fn verdict(needed: Gib, band: Range<Gib>, usable: Gib) -> Verdict {
    let share = |x: Gib| x / usable;
    if share(needed) <= FITS && share(band.high) <= FITS_HIGH {
        Verdict::Fits
    } else if share(needed) > NO && share(band.low) > NO_LOW {
        Verdict::No
    } else {
        Verdict::Tight
    }
}
