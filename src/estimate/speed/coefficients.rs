//! The figures that the speed of a training step rests on, in one place.
//!
//! All are physical: shares of a rate, bytes per element, seconds per kernel launch. They were
//! fitted on published runs (`assets/evidence-speed.csv`) with each source weighted by one over the
//! root of its rows; `haggle evidence` shows what they are worth.

/// The coefficients of the step model; the formulas that use them are in [`super::step`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Coefficients {
    /// Share of the best matmul rate that a real layer reaches.
    pub(crate) layer: f64,
    /// Passes over the activations in fused or compiled code, in reads of one activation per layer.
    pub(crate) fused: f64,
    /// The same for eager code with FlashAttention or SDPA.
    pub(crate) flash: f64,
    /// The same for plain attention.
    pub(crate) plain: f64,
    /// Matmul work of adapters, as a factor.
    pub(crate) adapters: f64,
    /// Traffic of dequantising NF4, in units of 2.6 bytes per weight.
    pub(crate) nf4: f64,
    /// The same for GPTQ kernels.
    pub(crate) gptq: f64,
    /// Seconds to launch the kernels of one pass through one layer.
    pub(crate) launch: f64,
    /// How many times longer that takes when weights are sharded.
    pub(crate) launch_sharded: f64,
    /// Watts per 10¹² operations a second of Ada and later consumer chips at full matmul load.
    pub(crate) ada_watts: f64,
    /// The same for Turing and Volta.
    pub(crate) turing_watts: f64,
    /// How much longer attention takes per operation than a matmul.
    pub(crate) attention: f64,
    /// The same on Hopper and faster chips, whose tensor cores FlashAttention-2 does not fill.
    pub(crate) attention_hopper: f64,
    /// Matmul rate of fp8 over 16 bits; from few rows, poorly determined.
    pub(crate) fp8: f64,
}

/// The shipped coefficients: 337 runs of up to 8 GPUs with known settings, refitted from the
/// published analysis' start values with attention on its own; fp8 from 74 runs afterwards.
///
/// Each source left out in turn and predicted: median error 10.1 %, 90th percentile 34 %; A100 alone
/// 9.6 %, all other cards 13.6 % and 36 %.
pub(crate) const OURS: Coefficients = Coefficients {
    layer: 0.8262,
    fused: 60.99,
    flash: 122.08,
    plain: 332.5,
    adapters: 1.0885,
    nf4: 6.495,
    gptq: 10.52,
    launch: 0.001_799_5,
    launch_sharded: 4.598,
    ada_watts: 1.5774,
    turing_watts: 2.4513,
    attention: 1.4044,
    attention_hopper: 3.0,
    fp8: 1.9,
};

/// The fit of the published analysis whose test vectors the arithmetic is checked against.
#[cfg(test)]
pub(crate) const TEXT: Coefficients = Coefficients {
    layer: 0.879_783_029_196_991_6,
    fused: 99.017_559_685_075_41,
    flash: 169.987_713_198_263_03,
    plain: 390.258_058_356_108_73,
    adapters: 1.090_010_615_992_711_4,
    nf4: 6.190_667_185_072_532,
    gptq: 10.348_540_239_963_15,
    launch: 0.001_798_883_740_579_518_8,
    launch_sharded: 4.693_031_446_760_636,
    ada_watts: 1.430_189_659_472_072_9,
    turing_watts: 2.593_377_441_911_046_7,
    attention: 1.0,
    attention_hopper: 1.0,
    fp8: 1.757_524_600_630_501_6,
};

/// Bytes moved per weight and pass that dequantisation is counted in: a 4-bit weight with its
/// constants, read and written as 16 bits.
pub(crate) const DEQUANT_BYTES: f64 = 2.6;
/// Bytes of a 4-bit weight with its constants.
pub(crate) const PACKED_BYTES: f64 = 0.55;
/// Bytes that an AdamW step moves per trained weight: weight, gradient and two states, read and
/// written.
pub(crate) const OPTIMIZER_BYTES: f64 = 30.0;
/// What each copy of a model keeps of its speed when adapters train on 2 to 8 GPUs side by side:
/// Exxact 2026 measured 0.965, fms-acceleration 0.88 to 0.96.
pub(crate) const COPIES: f64 = 0.95;
/// What AMD cards keep of the modelled speed without fused kernels: torchtune on MI325X (milabench,
/// 2025) reached 0.56 of it, shrunk for being one source.
pub(crate) const EAGER_ROCM: f64 = 0.6;
