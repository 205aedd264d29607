//! A configuration for LLaMA-Factory (0.9.4 and later).

use super::facts::{self, Fields};
use super::{Nodes, PORT, Plan, mismatch};
use crate::export::{Context, Export, Purpose, Unsuitable, note};
use crate::offer::Provider;
use crate::setup::{
    Attention, Checkpointing, Framework, LossKernel, Method, Offload, Precision, Quant, Shard,
};

pub(in crate::export) const EXPORT: Export = Export {
    name: "llama-factory",
    about: "a YAML file for llamafactory-cli train",
    purpose: Purpose::Trainer,
    providers: &Provider::ALL,
    framework: Some(Framework::LlamaFactory),
    extension: "yaml",
    render,
};

pub(super) fn plan(c: &Context<'_>, nodes: Option<Nodes>) -> Result<Plan, Unsuitable> {
    let place = nodes.map_or_else(String::new, |Nodes { count, rank, head }| {
        format!("NNODES={count} NODE_RANK={rank} MASTER_ADDR={head} MASTER_PORT={PORT} ")
    });
    let gpus = facts::gpus(c);
    Ok(Plan {
        install: install(c),
        file: Some(("llama_factory.yaml", render(c)?)),
        run: format!(
            "{place}NPROC_PER_NODE={gpus} FORCE_TORCHRUN=1 llamafactory-cli train llama_factory.yaml"
        ),
    })
}

/// It takes FlashAttention from flash-attn only, which is built beside PyTorch.
fn install(c: &Context<'_>) -> String {
    let deepspeed = if facts::deepspeed(c).is_some() { " deepspeed" } else { "" };
    let flash = if c.setup.attention == Attention::Flash {
        "\npip install --quiet --no-build-isolation flash-attn"
    } else {
        ""
    };
    format!("pip install --quiet llamafactory bitsandbytes liger-kernel{deepspeed}{flash}")
}

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    facts::check(c)?;
    facts::no_preparation(c, Framework::LlamaFactory)?;
    let s = c.setup;
    if s.loss_kernel == LossKernel::Chunked || s.loss_kernel == LossKernel::Fast {
        return Err(Unsuitable::because("LLaMA-Factory knows the loss kernels eager and fused"));
    }
    let deepspeed = facts::deepspeed(c);
    if facts::shard(c) == Shard::Fsdp || s.offload != Offload::None && deepspeed.is_none() {
        return Err(Unsuitable::because(
            "LLaMA-Factory takes FSDP from a file of its own, and offloads by ZeRO; estimate with --shard zero2 or zero3",
        ));
    }
    let mut fields = Fields::default();
    fields
        .set("model_name_or_path", s.model.id.as_str())
        .set("stage", "sft")
        .set("do_train", true)
        .set("finetuning_type", if s.method == Method::Full { "full" } else { "lora" });
    adapter(c, &mut fields);
    fields
        .set("dataset_dir", "data")
        .set("dataset", "train")
        .set("template", "default")
        .set("cutoff_len", s.seq_len)
        .set("packing", s.packing)
        .set("output_dir", "output")
        .set("per_device_train_batch_size", s.micro_batch)
        .set("gradient_accumulation_steps", s.grad_accum)
        .set("num_train_epochs", s.epochs)
        .set("learning_rate", facts::learning_rate(c))
        .set("optim", facts::optimizer(c));
    kernels(c, &mut fields);
    if let Some(config) = deepspeed {
        fields.set("deepspeed", config);
    }
    fields
        .set("save_steps", facts::save_steps(c))
        .set("save_total_limit", 2)
        .set("logging_steps", 10)
        .set("report_to", if c.wandb.is_some() { "wandb" } else { "none" });
    let remark = match c.wandb {
        Some(project) => {
            format!("# WANDB_PROJECT={project} names the project that it reports to.\n")
        }
        None => "# Set report_to to wandb to report to Weights & Biases.\n".to_owned(),
    };
    Ok(format!(
        "{}{}# The data set is named in data/dataset_info.json; choose the template of the model's chats.\n{remark}{}",
        note::comment(c, "# "),
        mismatch(c, &[Framework::LlamaFactory]),
        fields.yaml()?
    ))
}

fn adapter(c: &Context<'_>, fields: &mut Fields) {
    if let Some(quant) = c.setup.quant {
        fields
            .set("quantization_method", "bnb")
            .set("quantization_bit", if quant == Quant::Int8 { 8 } else { 4 })
            .set("double_quantization", quant == Quant::Nf4Dq);
    }
    if let Some(lora) = &c.setup.lora {
        fields
            .set("lora_rank", lora.rank)
            .set("lora_alpha", lora.rank * 2)
            .set("lora_dropout", lora.dropout)
            .set("lora_target", facts::layers(c, lora).join(","));
    }
}

fn kernels(c: &Context<'_>, fields: &mut Fields) {
    let s = c.setup;
    fields
        .set("bf16", s.precision != Precision::Fp16)
        .set("fp16", s.precision == Precision::Fp16)
        .set("pure_bf16", s.precision == Precision::Bf16 && s.method == Method::Full)
        .set(
            "flash_attn",
            match s.attention {
                Attention::Flash => "fa2",
                Attention::Sdpa => "sdpa",
                Attention::Eager => "disabled",
            },
        )
        .set("enable_liger_kernel", s.loss_kernel == LossKernel::Fused)
        .set("disable_gradient_checkpointing", s.checkpointing == Checkpointing::Off)
        .set("use_unsloth_gc", s.checkpointing == Checkpointing::Offload);
}
