//! A configuration for Axolotl, as the schema of 0.19 reads it.

use super::facts::{self, Fields};
use super::{Nodes, Plan, mismatch, processes};
use crate::export::{Context, Export, Purpose, Unsuitable, note};
use crate::offer::Provider;
use crate::setup::{
    Attention, Checkpointing, Framework, LossKernel, Method, Offload, Optimizer, Precision, Quant,
    Shard,
};
use serde_json::json;

pub(in crate::export) const EXPORT: Export = Export {
    name: "axolotl",
    about: "a YAML file for axolotl train",
    purpose: Purpose::Trainer,
    providers: &Provider::ALL,
    framework: Some(Framework::Axolotl),
    extension: "yaml",
    render,
};

/// Its own image holds it; elsewhere it is installed as its documentation says.
const INSTALL: &str = "command -v axolotl >/dev/null || {
  pip install --quiet torch torchvision packaging ninja setuptools wheel &&
  pip install --quiet --no-build-isolation 'axolotl[deepspeed]' kernels
}
axolotl fetch deepspeed_configs";

pub(super) fn plan(c: &Context<'_>, nodes: Option<Nodes>) -> Result<Plan, Unsuitable> {
    let run = match processes(c, nodes) {
        None => "axolotl train axolotl.yaml".to_owned(),
        Some(options) => format!("axolotl train axolotl.yaml --launcher torchrun -- {options}"),
    };
    Ok(Plan { install: INSTALL.to_owned(), file: Some(("axolotl.yaml", render(c)?)), run })
}

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    facts::check(c)?;
    facts::no_preparation(c, Framework::Axolotl)?;
    let s = c.setup;
    let mut fields = Fields::default();
    fields
        .set("base_model", s.model.id.as_str())
        .set(
            "datasets",
            json!([{"path": "data/train.jsonl", "ds_type": "json", "type": "chat_template"}]),
        )
        .set("output_dir", "output")
        .set("sequence_len", s.seq_len)
        .set("sample_packing", s.packing)
        .set("pad_to_sequence_len", s.packing)
        .set("micro_batch_size", s.micro_batch)
        .set("gradient_accumulation_steps", s.grad_accum)
        .set("num_epochs", s.epochs)
        .set("learning_rate", facts::learning_rate(c))
        .set("optimizer", facts::optimizer(c))
        .set("lr_scheduler", "cosine");
    adapter(c, &mut fields);
    kernels(c, &mut fields);
    sharding(c, &mut fields)?;
    fields
        .set("save_steps", facts::save_steps(c))
        .set("save_total_limit", 2)
        .set("auto_resume_from_checkpoints", true)
        .set("logging_steps", 10)
        .set("use_wandb", c.wandb.is_some());
    let remark = match c.wandb {
        Some(project) => {
            fields.set("wandb_project", project);
            ""
        }
        None => "# Set use_wandb and wandb_project to report to Weights & Biases.\n",
    };
    Ok(format!(
        "{}{}{remark}{}",
        note::comment(c, "# "),
        mismatch(c, &[Framework::Axolotl]),
        fields.yaml()?
    ))
}

fn adapter(c: &Context<'_>, fields: &mut Fields) {
    let s = c.setup;
    let four_bits = matches!(s.quant, Some(Quant::Nf4 | Quant::Nf4Dq));
    fields.set("load_in_4bit", four_bits).set("load_in_8bit", s.quant == Some(Quant::Int8));
    if matches!(s.quant, Some(Quant::Nf4)) {
        fields.set("bnb_config_kwargs", json!({"bnb_4bit_use_double_quant": false}));
    }
    if let Some(lora) = &s.lora {
        fields
            // What it calls qlora is 4 bits; over 8 bits an adapter is a LoRA.
            .set("adapter", if four_bits { "qlora" } else { "lora" })
            .set("lora_r", lora.rank)
            .set("lora_alpha", lora.rank * 2)
            .set("lora_dropout", lora.dropout)
            .set("lora_target_modules", facts::layers(c, lora))
            // Axolotl would switch its own kernels on, which the estimate does not count.
            .set("lora_mlp_kernel", false)
            .set("lora_qkv_kernel", false)
            .set("lora_o_kernel", false);
    }
}

fn kernels(c: &Context<'_>, fields: &mut Fields) {
    let s = c.setup;
    fields
        .set("bf16", s.precision != Precision::Fp16)
        .set("fp16", s.precision == Precision::Fp16)
        .set("gradient_checkpointing", s.checkpointing != Checkpointing::Off)
        .set(
            "attn_implementation",
            match s.attention {
                Attention::Flash => "flash_attention_2",
                Attention::Sdpa => "sdpa",
                Attention::Eager => "eager",
            },
        );
    if s.checkpointing == Checkpointing::Offload {
        // What `true` moves is more, and it computes nothing twice; this moves the checkpoints.
        fields.set("activation_offloading", "hidden_states");
    }
    if s.precision == Precision::Fp32Master && s.method == Method::Full {
        fields.set("float32", true);
    }
    match s.loss_kernel {
        LossKernel::Eager => {}
        LossKernel::Chunked => {
            fields.set("chunked_cross_entropy", true);
        }
        LossKernel::Fast | LossKernel::Fused => {
            fields
                .set("plugins", json!(["axolotl.integrations.liger.LigerPlugin"]))
                .set("liger_cross_entropy", s.loss_kernel == LossKernel::Fast)
                .set("liger_fused_linear_cross_entropy", s.loss_kernel == LossKernel::Fused);
        }
    }
}

fn sharding(c: &Context<'_>, fields: &mut Fields) -> Result<(), Unsuitable> {
    let offload = c.setup.offload;
    match (facts::shard(c), offload) {
        (Shard::None | Shard::Ddp, Offload::None) => {}
        (Shard::None | Shard::Ddp, _) => {
            return Err(Unsuitable::because("offloading needs FSDP or ZeRO in Axolotl"));
        }
        (Shard::Fsdp, _) if c.setup.optimizer == Optimizer::Adamw8bit => {
            return Err(Unsuitable::because(
                "Axolotl's FSDP does not take the optimizer adamw-8bit; estimate with --optimizer adamw, or with --shard zero2",
            ));
        }
        (Shard::Fsdp, _) => {
            fields.set("fsdp_version", 2).set(
                "fsdp_config",
                json!({
                    "offload_params": offload != Offload::None,
                    "auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
                    "state_dict_type": "SHARDED_STATE_DICT",
                    "reshard_after_forward": true,
                }),
            );
        }
        (Shard::Zero2, _) => {
            fields.set("deepspeed", "deepspeed_configs/zero2.json");
        }
        (Shard::Zero3, Offload::None) => {
            fields.set("deepspeed", "deepspeed_configs/zero3_bf16.json");
        }
        (Shard::Zero3, Offload::Optimizer) => {
            fields.set("deepspeed", "deepspeed_configs/zero3_bf16_cpuoffload_params.json");
        }
        (Shard::Zero3, Offload::All) => {
            fields.set("deepspeed", "deepspeed_configs/zero3_bf16_cpuoffload_all.json");
        }
    }
    Ok(())
}
