//! What a fit promises, whatever the setup.

use super::{fit, need, usable};
use crate::estimate::HardwareClass;
use crate::estimate::fit::{Fit, Verdict};
use crate::gpu::{Gpu, Vendor};
use crate::model;
use crate::offer::Link;
use crate::setup::{Draft, Field, Setup};
use crate::units::Gib;
use proptest::prelude::*;

/// A card of Ampere's kind with that much memory.
pub(crate) fn card(memory: f64, usable: Option<f64>) -> Gpu {
    Gpu {
        name: "Test 80GB",
        vendor: Vendor::Nvidia,
        architecture: "Ampere",
        memory: Gib::new(memory),
        usable: usable.map(Gib::new),
        usable_assumed: false,
        peak: None,
        measured_matmul: None,
        bandwidth: None,
        nvlink: None,
        tdp: None,
        bf16: true,
        flash_attention: true,
        fp8: false,
        source: "test",
        doubt: "",
    }
}

fn class(gpus: f64) -> HardwareClass {
    HardwareClass { gpu: None, gpus: Some(gpus), vram: None, link: Link::Unknown }
}

fn setup(fields: &[(Field, &str)]) -> Setup {
    let mut draft = Draft::default();
    for (field, text) in fields {
        draft.set(*field, text).unwrap();
    }
    draft.resolve(model::find(draft.model_name()).unwrap()).unwrap()
}

fn on_a100(fields: &[(Field, &str)], gpus: f64) -> Fit {
    fit(&setup(fields), &card(80.0, Some(79.15)), &class(gpus))
}

/// The story of the loss kernel: QLoRA of Llama-3-8B, 8 × 4096 tokens, Transformers 4.45, measured
/// 45.3 GiB with the in-place kernel and 21.4 GiB with the fused one (fms-acceleration, 2025).
#[test]
fn the_loss_kernel_alone_moves_24_gib() {
    let with = |kernel| {
        let setup = setup(&[
            (Field::Framework, "hf@4.45"),
            (Field::MicroBatch, "8"),
            (Field::SeqLen, "4096"),
            (Field::Checkpointing, "on"),
            (Field::KbitPrep, "off"),
            (Field::LoraRank, "16"),
            (Field::LoraTargets, "attention"),
            (Field::LossKernel, kernel),
        ]);
        need(&setup, 1).unwrap().allocated().get()
    };
    let (fast, fused) = (with("fast"), with("fused"));
    assert!((fast / 45.3 - 1.0).abs() < 0.02, "{fast}");
    assert!((fused / 21.4 - 1.0).abs() < 0.02, "{fused}");
}

/// Llama-3-8B in full with AdamW of torch's `foreach` kind: 10 bytes a parameter, 80.3 GB.
#[test]
fn full_fine_tuning_of_8b_takes_ten_bytes_a_parameter() {
    let setup = setup(&[
        (Field::Framework, "hf@4.45"),
        (Field::Method, "full"),
        (Field::Precision, "bf16"),
        (Field::Checkpointing, "on"),
        (Field::SeqLen, "512"),
    ]);
    let bytes = need(&setup, 1).unwrap().allocated().to_bytes().get();
    assert!((bytes / 8_030_261_248.0 - 10.0).abs() < 0.01, "{bytes}");
}

#[test]
fn verdicts_follow_the_usable_memory_of_one_card() {
    let llama = |batch: &'static str| on_a100(&[(Field::MicroBatch, batch)], 1.0).verdict;
    assert_eq!(llama("1"), Verdict::Fits);
    assert_eq!(llama("64"), Verdict::No);
    // Eight cards with a copy each have no more room than one.
    let one = on_a100(&[(Field::MicroBatch, "64")], 8.0);
    assert_eq!(one.verdict, Verdict::No);
}

#[test]
fn sharding_divides_what_it_says() {
    let full = [(Field::Method, "full"), (Field::Checkpointing, "on")];
    let one = on_a100(&full, 1.0);
    let eight = on_a100(&full, 8.0);
    assert!(eight.needed.unwrap().get() < one.needed.unwrap().get() / 2.0);
    assert_eq!(eight.verdict, Verdict::Fits);
}

/// From the second pass on the gradients stay: 2 bytes a parameter beside the loss, which peaks
/// without them otherwise.
#[test]
fn accumulation_keeps_the_gradients_of_full_fine_tuning() {
    let with = |accum| {
        let setup = setup(&[
            (Field::Method, "full"),
            (Field::Checkpointing, "on"),
            (Field::MicroBatch, "8"),
            (Field::GradAccum, accum),
        ]);
        need(&setup, 1).unwrap().allocated().to_bytes().get()
    };
    let more = with("2") - with("1");
    assert!((more / 8_030_261_248.0 - 2.0).abs() < 0.3, "{more}");
    assert!((with("2") - with("64")).abs() < 1.0);
    let adapters = |accum| need(&setup(&[(Field::GradAccum, accum)]), 1).unwrap().allocated().get();
    assert!(adapters("8") - adapters("1") < 0.1);
}

#[test]
fn what_cannot_run_says_why() {
    let old = Gpu { bf16: false, ..card(16.0, None) };
    let fit = fit(&setup(&[]), &old, &class(1.0));
    assert_eq!(fit.verdict, Verdict::No);
    assert!(fit.reason.unwrap().contains("fp16"));
    let hybrid = model::catalogue().iter().find(|m| m.name == "Qwen3.5-9B").unwrap();
    let draft = Draft { method: Some(crate::setup::Method::Lora), ..Draft::default() };
    let refused =
        super::fit(&draft.resolve(hybrid.clone()).unwrap(), &card(80.0, None), &class(1.0));
    assert_eq!(refused.verdict, Verdict::Unknown);
    assert!(refused.reason.unwrap().contains("linear"));
    let wants = on_a100(&[(Field::Gpus, "4"), (Field::Shard, "ddp")], 2.0);
    assert_eq!(wants.verdict, Verdict::No);
}

#[test]
fn a_slice_and_a_variant_have_their_own_memory() {
    let a100 = card(80.0, Some(79.15));
    assert_eq!(usable(&a100, None), Some(Gib::new(79.15)));
    assert!(usable(&a100, Some(Gib::new(40.0))).unwrap().get() < 40.0);
    assert!(usable(&card(24.0, None), None).unwrap().get() <= 22.1);
}

/// Setups over the whole range of choices; some combinations are refused, and that is fine.
fn any_setup() -> impl Strategy<Value = Option<(Setup, u32)>> {
    let words = |w: &'static [&'static str]| proptest::sample::select(w);
    (
        (0usize..118, words(&["full", "lora", "qlora"]), words(crate::setup::Framework::WORDS)),
        (1u32..4097, 1u32..9, words(&["on", "off", "offload"]), words(&["flash", "sdpa", "eager"])),
        (words(crate::setup::LossKernel::WORDS), words(crate::setup::Optimizer::WORDS)),
        (words(&["none", "ddp", "fsdp", "zero2", "zero3"]), 1u32..9, words(&["on", "off"])),
        (words(crate::setup::Quant::WORDS), words(&["0", "0.1"]), words(&["4.45", "4.48", ""])),
    )
        .prop_map(
            |((m, method, framework), (s, b, gc, attn), (loss, opt), (shard, n, prep), last)| {
                let mut draft = Draft::default();
                let (quant, dropout, version) = last;
                let framework = match (framework, version) {
                    ("hf", v) if !v.is_empty() => format!("hf@{v}"),
                    _ => framework.to_owned(),
                };
                let mut set = |f, t: &str| draft.set(f, t).unwrap();
                set(Field::Method, method);
                set(Field::Framework, &framework);
                set(Field::SeqLen, &s.to_string());
                set(Field::MicroBatch, &b.to_string());
                set(Field::Checkpointing, gc);
                set(Field::Attention, attn);
                set(Field::LossKernel, loss);
                set(Field::Optimizer, opt);
                set(Field::Gpus, &n.to_string());
                if n > 1 {
                    set(Field::Shard, shard);
                }
                if method == "qlora" {
                    set(Field::Quant, quant);
                    set(Field::KbitPrep, prep);
                }
                if method != "full" {
                    set(Field::LoraDropout, dropout);
                }
                let setup = draft.resolve(model::catalogue()[m].clone()).ok()?;
                Some((setup, n))
            },
        )
}

proptest! {
    #[test]
    fn terms_sum_to_what_is_needed_and_nothing_is_negative(case in any_setup()) {
        let Some((setup, n)) = case else { return Ok(()) };
        let fit = fit(&setup, &card(80.0, Some(79.15)), &class(f64::from(n)));
        let Some(needed) = fit.needed else {
            prop_assert!(fit.reason.is_some());
            return Ok(());
        };
        let sum: f64 = fit.terms.iter().map(|t| t.gib.get()).sum();
        prop_assert!((sum - needed.get()).abs() < 1e-6 * needed.get());
        prop_assert!(fit.terms.iter().all(|t| t.gib.get().is_finite() && t.gib.get() > 0.0));
        let band = fit.band.unwrap();
        prop_assert!(band.low.get() > 0.0 && band.low <= needed && needed <= band.high);
        prop_assert!(fit.allocated.unwrap() < needed);
    }

    #[test]
    fn longer_and_larger_batches_never_need_less(case in any_setup(), more in 2u32..5) {
        let Some((setup, n)) = case else { return Ok(()) };
        let Ok(base) = need(&setup, n) else { return Ok(()) };
        let wider = Setup { micro_batch: setup.micro_batch * more, ..setup.clone() };
        let longer = Setup { seq_len: setup.seq_len * more, ..setup };
        let base = base.needed().get();
        prop_assert!(need(&wider, n).unwrap().needed().get() >= base);
        prop_assert!(need(&longer, n).unwrap().needed().get() >= base);
    }
}
