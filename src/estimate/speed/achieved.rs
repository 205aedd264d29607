//! The share of its peak rate that a card's best matmul reaches, and its rates as plain numbers.

use super::coefficients::Coefficients;
use crate::gpu::{Gpu, Vendor};

/// Rates of one card, in operations and bytes per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Card {
    /// Dense 16-bit rate with fp32 accumulation.
    pub(crate) peak: f64,
    /// Share of it that the best matmul reaches.
    pub(crate) reach: f64,
    /// Memory bandwidth.
    pub(crate) bandwidth: f64,
    /// How much longer attention takes per operation than a matmul.
    pub(crate) attention: f64,
    /// Measured speed over modelled speed of this card; one where nobody measured.
    pub(crate) correction: f64,
    /// Runs ROCm.
    pub(crate) rocm: bool,
}

/// Median of measured over modelled speed by card, shrunk towards one by the number of sources.
/// Leaving each source out in turn, it takes the median error of cards other than the A100 from
/// 18.9 to 13.6 %. First match counts.
const CORRECTIONS: [(&str, f64); 6] = [
    ("H100", 0.915),
    ("H200", 0.95),
    ("RTX 4090", 1.135),
    ("RTX 3090", 1.09),
    ("RTX 6000 Ada", 0.915),
    ("L40S", 1.03),
];

/// No chip has been seen above this share.
const CEILING: f64 = 0.87;
/// Watts per 10¹² operations a second of Ampere chips; assumed, between Turing and Ada.
const AMPERE_WATTS: f64 = 1.9;
/// 10¹² operations a second from which tensor cores outrun FlashAttention-2: Hopper, data-centre
/// Blackwell, CDNA3.
const FAST: f64 = 700.0;
/// A power limit to reckon with where none is stated.
const USUAL_WATTS: f64 = 300.0;

/// Best measured matmul over peak in bf16, by the start of the card's name; first match counts.
/// Source: the matmul tables of stas00/ml-engineering (August 2026). H20, MI350X and MI355X are
/// inferred from training runs.
const MEASURED: [(&str, f64); 13] = [
    ("A100", 0.869),
    ("A800", 0.869),
    ("H100", 0.803),
    ("H200", 0.803),
    ("H20", 0.95),
    ("GB200", 0.729),
    ("GB300", 0.729),
    ("B200", 0.776),
    ("B300", 0.786),
    ("MI300X", 0.514),
    ("MI325X", 0.604),
    ("MI350X", 0.65),
    ("MI355X", 0.65),
];

impl Card {
    /// The rates of `gpu`; a slice of a card has its share of them.
    ///
    /// # Errors
    /// Which fact is missing.
    pub(crate) fn new(gpu: &Gpu, slice: f64, c: &Coefficients) -> Result<Card, String> {
        let peak = gpu.peak.ok_or_else(|| format!("the peak rate of {} is not known", gpu.name))?;
        let bandwidth = gpu
            .bandwidth
            .ok_or_else(|| format!("the memory bandwidth of {} is not known", gpu.name))?;
        let share = slice.clamp(0.0, 1.0);
        if peak.get() <= 0.0 || bandwidth.get() <= 0.0 || share <= 0.0 {
            return Err(format!("the rates of {} are not known", gpu.name));
        }
        Ok(Card {
            peak: peak.get() * 1e12 * share,
            reach: reach(gpu, peak.get(), c),
            bandwidth: bandwidth.get() * 1e9 * share,
            attention: if peak.get() >= FAST { c.attention_hopper } else { c.attention },
            rocm: gpu.vendor == Vendor::Amd,
            correction: CORRECTIONS
                .iter()
                .find(|(start, _)| gpu.name.starts_with(start))
                .map_or(1.0, |(_, factor)| *factor),
        })
    }
}

/// Measured where somebody measured it; otherwise what the power limit allows.
fn reach(gpu: &Gpu, peak: f64, c: &Coefficients) -> f64 {
    if let Some((_, share)) = MEASURED.iter().find(|(start, _)| gpu.name.starts_with(start)) {
        return *share;
    }
    if let Some(measured) = gpu.measured_matmul.filter(|_| gpu.vendor == Vendor::Amd) {
        return (measured.get() / peak).min(CEILING);
    }
    let watts = match gpu.architecture {
        a if a.starts_with("Turing") || a.starts_with("Volta") => c.turing_watts,
        a if a.starts_with("Ampere") => AMPERE_WATTS,
        _ => c.ada_watts,
    };
    let limit = gpu.tdp.map_or(USUAL_WATTS, crate::units::Watts::get);
    (limit / (watts * peak)).min(CEILING)
}
