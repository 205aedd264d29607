//! A script for Unsloth, which trains on one GPU.

use super::facts::{self, python};
use super::{Nodes, Plan, mismatch};
use crate::export::{Context, Export, Purpose, Unsuitable, note, template};
use crate::offer::Provider;
use crate::setup::{
    Attention, Checkpointing, Framework, LossKernel, Method, Offload, Precision, Quant,
};

pub(in crate::export) const EXPORT: Export = Export {
    name: "unsloth",
    about: "a Python script for Unsloth",
    purpose: Purpose::Trainer,
    providers: &Provider::ALL,
    framework: Some(Framework::Unsloth),
    extension: "py",
    render,
};

pub(super) fn plan(c: &Context<'_>, nodes: Option<Nodes>) -> Result<Plan, Unsuitable> {
    if nodes.is_some() {
        return Err(Unsuitable::because("Unsloth trains on one GPU of one machine"));
    }
    Ok(Plan {
        install: "pip install --quiet unsloth".to_owned(),
        file: Some(("train.py", render(c)?)),
        run: "python3 train.py".to_owned(),
    })
}

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    facts::check(c)?;
    let s = c.setup;
    facts::no_preparation(c, Framework::Unsloth)?;
    if facts::gpus(c) > 1 {
        return Err(Unsuitable::because(
            "the Unsloth script is for one GPU, the offer has more; estimate with --gpus 1",
        ));
    }
    if s.framework == Framework::Unsloth && s.loss_kernel != LossKernel::Fused {
        return Err(Unsuitable::because(
            "Unsloth computes the loss in its own fused kernel; estimate with --loss-kernel fused",
        ));
    }
    if s.attention == Attention::Eager {
        return Err(Unsuitable::because(
            "Unsloth computes attention in kernels of its own; estimate with --attention flash or sdpa",
        ));
    }
    if s.offload != Offload::None {
        return Err(Unsuitable::because("Unsloth does not move optimizer states to main memory"));
    }
    let mut values = facts::values(c);
    values.extend([
        ("HEADER", note::comment(c, "# ") + &mismatch(c, &[Framework::Unsloth])),
        ("FOUR", python(matches!(s.quant, Some(Quant::Nf4 | Quant::Nf4Dq))).to_owned()),
        ("EIGHT", python(s.quant == Some(Quant::Int8)).to_owned()),
        ("FULL", python(s.method == Method::Full).to_owned()),
        ("ADAPTER", adapter(c)),
        ("FP16", python(s.precision == Precision::Fp16).to_owned()),
    ]);
    Ok(template::fill(include_str!("../templates/unsloth.py.txt"), &values))
}

fn adapter(c: &Context<'_>) -> String {
    let Some(lora) = &c.setup.lora else { return String::new() };
    let checkpointing = match c.setup.checkpointing {
        Checkpointing::Offload => "\"unsloth\"",
        Checkpointing::On => "True",
        Checkpointing::Off => "False",
    };
    format!(
        "model = FastLanguageModel.get_peft_model(\n    model,\n    r={rank},\n    lora_alpha={rank},\n    lora_dropout={dropout},\n    target_modules={layers},\n    use_gradient_checkpointing={checkpointing},\n)\n",
        rank = lora.rank,
        dropout = lora.dropout,
        layers = serde_json::json!(facts::layers(c, lora)),
    )
}
