//! A script for TRL's SFT trainer (1.x), which is Hugging Face's Trainer underneath.

use super::facts::{self, python};
use super::{Nodes, Plan, mismatch, processes};
use crate::export::{Context, Export, Purpose, Unsuitable, note, template};
use crate::offer::Provider;
use crate::setup::{
    Attention, Checkpointing, Framework, LossKernel, Method, Offload, Precision, Quant, Shard,
};
use std::fmt::Write as _;

pub(in crate::export) const EXPORT: Export = Export {
    name: "trl",
    about: "a Python script for TRL's SFT trainer",
    purpose: Purpose::Trainer,
    providers: &Provider::ALL,
    framework: Some(Framework::Trl),
    extension: "py",
    render,
};

pub(super) fn plan(c: &Context<'_>, nodes: Option<Nodes>) -> Result<Plan, Unsuitable> {
    let run = match processes(c, nodes) {
        None => "python3 train.py".to_owned(),
        Some(options) => format!("torchrun {options} train.py"),
    };
    Ok(Plan {
        install: format!(
            "pip install --quiet 'trl>=1.6,<1.15' peft bitsandbytes liger-kernel datasets{}",
            facts::packages(c)
        ),
        file: Some(("train.py", render(c)?)),
        run,
    })
}

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    facts::check(c)?;
    let s = c.setup;
    let adapter = if s.lora.is_some() && !prepared(c) { "adapter" } else { "None" };
    let full_fp16 = s.precision == Precision::Fp16 && s.method == Method::Full;
    let mut values = facts::values(c);
    values.extend([
        ("HEADER", note::comment(c, "# ") + &mismatch(c, &[Framework::Trl, Framework::Hf])),
        ("IMPORTS", imports(c)),
        ("LOAD", load(c)),
        ("ADAPTER", adapter.to_owned()),
        // Without a scaler, which refuses gradients in fp16.
        ("FP16", python(s.precision == Precision::Fp16 && !full_fp16).to_owned()),
        ("EXTRA", extra(c)?),
    ]);
    Ok(template::fill(include_str!("../templates/trl.py.txt"), &values))
}

/// PEFT's own preparation is to run, instead of what TRL does by itself.
fn prepared(c: &Context<'_>) -> bool {
    c.setup.kbit_prep && c.setup.quant.is_some() && c.setup.lora.is_some()
}

fn imports(c: &Context<'_>) -> String {
    let mut text = String::new();
    if c.setup.lora.is_some() {
        text.push_str(if prepared(c) {
            "from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training\n"
        } else {
            "from peft import LoraConfig\n"
        });
    }
    if c.setup.quant.is_some() {
        text.push_str("from transformers import BitsAndBytesConfig\n");
    }
    text
}

fn load(c: &Context<'_>) -> String {
    let s = c.setup;
    let attention = match s.attention {
        Attention::Flash => "flash_attention_2",
        Attention::Sdpa => "sdpa",
        Attention::Eager => "eager",
    };
    let mut text = String::new();
    if let Some(quant) = s.quant {
        let _ = writeln!(text, "quantisation = BitsAndBytesConfig({})", quantisation(c, quant));
    }
    let _ = writeln!(text, "model = AutoModelForCausalLM.from_pretrained(");
    let _ = writeln!(text, "    MODEL,");
    let _ = writeln!(text, "    dtype={},", facts::dtype(c));
    let _ = writeln!(text, "    attn_implementation=\"{attention}\",");
    if s.quant.is_some() {
        let _ = writeln!(text, "    quantization_config=quantisation,");
    }
    let _ = writeln!(text, ")");
    if let Some(lora) = &s.lora {
        let layers = serde_json::json!(facts::layers(c, lora));
        let _ = writeln!(
            text,
            "adapter = LoraConfig(\n    task_type=\"CAUSAL_LM\",\n    r={},\n    lora_alpha={},\n    lora_dropout={},\n    target_modules={layers},\n)",
            lora.rank,
            lora.rank * 2,
            lora.dropout,
        );
    }
    if prepared(c) {
        let on = python(s.checkpointing != Checkpointing::Off);
        let _ = writeln!(
            text,
            "model = prepare_model_for_kbit_training(model, use_gradient_checkpointing={on})\nmodel = get_peft_model(model, adapter)"
        );
    }
    text
}

fn quantisation(c: &Context<'_>, quant: Quant) -> String {
    if quant == Quant::Int8 {
        return "load_in_8bit=True".to_owned();
    }
    let dtype = facts::dtype(c);
    // FSDP divides 4-bit weights only when they are stored in the format of the others.
    let storage = if facts::shard(c) == Shard::Fsdp {
        format!(", bnb_4bit_quant_storage={dtype}")
    } else {
        String::new()
    };
    format!(
        "load_in_4bit=True, bnb_4bit_quant_type=\"nf4\", bnb_4bit_use_double_quant={}, bnb_4bit_compute_dtype={dtype}{storage}",
        python(quant == Quant::Nf4Dq)
    )
}

/// Arguments that only some setups need.
fn extra(c: &Context<'_>) -> Result<String, Unsuitable> {
    let s = c.setup;
    let mut lines = vec![match s.checkpointing {
        Checkpointing::Off => "gradient_checkpointing=False,",
        Checkpointing::On | Checkpointing::Offload => {
            "gradient_checkpointing=True,\n    gradient_checkpointing_kwargs={\"use_reentrant\": False},"
        }
    }
    .to_owned()];
    if s.checkpointing == Checkpointing::Offload {
        lines.push("activation_offloading=True,".into());
    }
    match s.loss_kernel {
        LossKernel::Eager => lines.push("loss_type=\"nll\",".into()),
        LossKernel::Chunked => lines.push("loss_type=\"chunked_nll\",".into()),
        LossKernel::Fast | LossKernel::Fused => lines.push(format!(
            "loss_type=\"nll\",\n    use_liger_kernel=True,\n    liger_kernel_config={{\"cross_entropy\": {}, \"fused_linear_cross_entropy\": {}, \"rope\": False, \"rms_norm\": False, \"swiglu\": False}},",
            python(s.loss_kernel == LossKernel::Fast),
            python(s.loss_kernel == LossKernel::Fused)
        )),
    }
    if let Some(line) = sharding(c)? {
        lines.push(line);
    }
    Ok(lines.join("\n    "))
}

fn sharding(c: &Context<'_>) -> Result<Option<String>, Unsuitable> {
    if let Some(config) = facts::deepspeed(c) {
        // The only words of JSON that Python spells otherwise are true, false and null.
        let text = format!("{config:#}").replace(": true", ": True").replace('\n', "\n    ");
        return Ok(Some(format!("deepspeed={text},")));
    }
    let offloads = c.setup.offload != Offload::None;
    match (facts::shard(c), offloads) {
        (Shard::Fsdp, _) => {
            let offload = if offloads { " offload" } else { "" };
            Ok(Some(format!(
                "fsdp=\"full_shard auto_wrap{offload}\",\n    fsdp_config={{\"use_orig_params\": True, \"state_dict_type\": \"SHARDED_STATE_DICT\"}},"
            )))
        }
        (_, true) => Err(Unsuitable::because("offloading needs FSDP or ZeRO in TRL")),
        (_, false) => Ok(None),
    }
}
