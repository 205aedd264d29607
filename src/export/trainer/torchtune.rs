//! A `tune run` command for torchtune (0.6): recipe, the configuration that torchtune ships for
//! the model, and what differs from it.

use super::facts::python;
use super::{Nodes, Plan, facts, mismatch, processes};
use crate::export::{Context, Export, Purpose, Unsuitable, note, shell};
use crate::offer::Provider;
use crate::setup::{
    Attention, Checkpointing, Framework, LossKernel, Method, Offload, Optimizer, Precision, Quant,
    Shard, Target,
};

pub(in crate::export) const EXPORT: Export = Export {
    name: "torchtune",
    about: "the tune run command of torchtune",
    purpose: Purpose::Trainer,
    providers: &Provider::ALL,
    framework: Some(Framework::Torchtune),
    extension: "sh",
    render,
};

/// What torchtune 0.6.1 ships: Hugging Face id, folder, size, and the kinds of configuration.
const CONFIGS: &[(&str, &str, &str, &[&str])] = &[
    ("meta-llama/Llama-2-7b-hf", "llama2", "7B", LLAMA2_7B),
    ("meta-llama/Llama-2-13b-hf", "llama2", "13B", &["full", "lora", "qlora_single_device"]),
    ("meta-llama/Meta-Llama-3-8B", "llama3", "8B", ALL_BUT_QLORA_ON_MANY),
    ("meta-llama/Llama-3.1-8B", "llama3_1", "8B", ALL_BUT_QLORA_ON_MANY),
    ("meta-llama/Llama-3.1-70B", "llama3_1", "70B", &["full", "lora"]),
    ("meta-llama/Llama-3.2-1B", "llama3_2", "1B", ALL_BUT_QLORA_ON_MANY),
    ("meta-llama/Llama-3.2-3B", "llama3_2", "3B", ALL_BUT_QLORA_ON_MANY),
    ("meta-llama/Llama-3.3-70B-Instruct", "llama3_3", "70B", &["full", "lora", "qlora"]),
    ("mistralai/Mistral-7B-v0.1", "mistral", "7B", MISTRAL),
    ("Qwen/Qwen2-0.5B", "qwen2", "0.5B", NO_QLORA),
    ("Qwen/Qwen2-1.5B", "qwen2", "1.5B", NO_QLORA),
    ("Qwen/Qwen2-7B", "qwen2", "7B", NO_QLORA),
    ("Qwen/Qwen2.5-0.5B", "qwen2_5", "0.5B", NO_QLORA),
    ("Qwen/Qwen2.5-1.5B", "qwen2_5", "1.5B", NO_QLORA),
    ("Qwen/Qwen2.5-3B", "qwen2_5", "3B", NO_QLORA),
    ("Qwen/Qwen2.5-7B", "qwen2_5", "7B", NO_QLORA),
    ("Qwen/Qwen2.5-32B", "qwen2_5", "32B", &["lora"]),
    ("Qwen/Qwen2.5-72B", "qwen2_5", "72B", &["lora"]),
];

const LLAMA2_7B: &[&str] = &["full", "lora", "lora_single_device", "qlora", "qlora_single_device"];
const MISTRAL: &[&str] = &["full", "lora", "lora_single_device", "qlora_single_device"];
const NO_QLORA: &[&str] = &["full", "full_single_device", "lora", "lora_single_device"];
const ALL_BUT_QLORA_ON_MANY: &[&str] =
    &["full", "full_single_device", "lora", "lora_single_device", "qlora_single_device"];

pub(super) fn plan(c: &Context<'_>, nodes: Option<Nodes>) -> Result<Plan, Unsuitable> {
    Ok(Plan {
        install: "pip install --quiet torchtune==0.6.1 torchao bitsandbytes".to_owned(),
        file: None,
        run: commands(c, nodes)?.trim_end().to_owned(),
    })
}

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    let note = note::comment(c, "# ") + &mismatch(c, &[Framework::Torchtune]);
    let wandb = if c.wandb.is_some() { "" } else { WANDB };
    Ok(note + EPOCHS + wandb + &commands(c, None)?)
}

const EPOCHS: &str = "# torchtune saves at the end of each epoch, not by the clock: a machine that is taken away loses more than was estimated.\n";
const WANDB: &str = "# haggle export --wandb PROJECT adds what reports to Weights & Biases.\n";

fn commands(c: &Context<'_>, nodes: Option<Nodes>) -> Result<String, Unsuitable> {
    facts::check(c)?;
    facts::no_preparation(c, Framework::Torchtune)?;
    refuse(c)?;
    let (recipe, folder, config) = recipe(c)?;
    let head = processes(c, nodes).map_or_else(String::new, |options| format!(" {options}"));
    let mut command = shell::Command::new(&format!("tune run{head}"));
    command = command.argument(recipe).option("--config", &config);
    for setting in settings(c, folder) {
        command = command.switch(&shell::quote(&setting));
    }
    let model = shell::quote(&c.setup.model.id);
    // Without this, torchtune leaves the safetensors files out, which these configurations read.
    let wanted = match folder {
        "llama2" | "llama3" | "mistral" => "",
        _ => " --ignore-patterns 'original/consolidated*'",
    };
    Ok(format!("tune download {model} --output-dir model{wanted} &&\n{}", command.finish()))
}

fn refuse(c: &Context<'_>) -> Result<(), Unsuitable> {
    let s = c.setup;
    if s.precision == Precision::Fp16 || s.quant == Some(Quant::Int8) {
        return Err(Unsuitable::because("torchtune trains in bf16, and quantises to NF4"));
    }
    if s.offload != Offload::None || matches!(facts::shard(c), Shard::Zero2 | Shard::Zero3) {
        return Err(Unsuitable::because("torchtune divides work by FSDP only, without offloading"));
    }
    if matches!(s.loss_kernel, LossKernel::Fast | LossKernel::Fused) {
        return Err(Unsuitable::because("torchtune knows the loss kernels eager and chunked"));
    }
    if s.precision == Precision::Fp32Master {
        return Err(Unsuitable::because(
            "torchtune computes in the format of the weights; estimate with --precision bf16",
        ));
    }
    if facts::shard(c) == Shard::Ddp {
        return Err(Unsuitable::because(
            "torchtune divides the weights over the GPUs; estimate with --shard fsdp",
        ));
    }
    if s.attention == Attention::Eager || s.quant == Some(Quant::Nf4) || s.epochs.fract() != 0.0 {
        return Err(Unsuitable::because(
            "torchtune knows attention sdpa and flash, quantisation nf4-dq, and whole epochs",
        ));
    }
    let mlp = [Target::Gate, Target::Up, Target::Down];
    let adapted = s.lora.map_or(0, |l| mlp.iter().filter(|t| l.targets.has(**t)).count());
    if adapted != 0 && adapted != mlp.len() {
        return Err(Unsuitable::because("torchtune adapts all of gate, up and down, or none"));
    }
    Ok(())
}

/// Recipe, folder of the configuration, and its name.
fn recipe(c: &Context<'_>) -> Result<(&'static str, &'static str, String), Unsuitable> {
    let s = c.setup;
    let one = facts::all_gpus(c) == 1;
    let (recipe, method) = match s.method {
        Method::Full if one => ("full_finetune_single_device", "full"),
        Method::Full => ("full_finetune_distributed", "full"),
        Method::Lora if one => ("lora_finetune_single_device", "lora"),
        Method::Lora => ("lora_finetune_distributed", "lora"),
        Method::Qlora if one => ("lora_finetune_single_device", "qlora"),
        Method::Qlora => ("lora_finetune_distributed", "qlora"),
    };
    let kind = if one { format!("{method}_single_device") } else { method.to_owned() };
    let found = CONFIGS
        .iter()
        .find(|(id, _, _, kinds)| *id == s.model.id && kinds.contains(&kind.as_str()));
    let (_, folder, size, _) = found.ok_or_else(|| {
        Unsuitable(format!("torchtune ships no configuration {kind} for {}", s.model.name))
    })?;
    Ok((recipe, folder, format!("{folder}/{size}_{kind}")))
}

fn settings(c: &Context<'_>, folder: &str) -> Vec<String> {
    let s = c.setup;
    let mut settings = match folder {
        "llama2" | "mistral" => vec!["tokenizer.path=model/tokenizer.model".to_owned()],
        "qwen2" | "qwen2_5" => vec![
            "tokenizer.path=model/vocab.json".to_owned(),
            "tokenizer.merges_file=model/merges.txt".to_owned(),
        ],
        _ => vec!["tokenizer.path=model/original/tokenizer.model".to_owned()],
    };
    let weights = if folder == "llama3" { "model/original" } else { "model" };
    settings.extend([
        format!("checkpointer.checkpoint_dir={weights}"),
        "output_dir=output".to_owned(),
        format!("tokenizer.max_seq_len={}", s.seq_len),
        "dataset._component_=torchtune.datasets.chat_dataset".to_owned(),
        "dataset.source=json".to_owned(),
        "dataset.data_files=data/train.jsonl".to_owned(),
        "dataset.conversation_column=messages".to_owned(),
        "dataset.conversation_style=openai".to_owned(),
        format!("dataset.packed={}", python(s.packing)),
        format!("batch_size={}", s.micro_batch),
        format!("gradient_accumulation_steps={}", s.grad_accum),
        format!("epochs={}", s.epochs),
        "dtype=bf16".to_owned(),
        format!(
            "enable_activation_checkpointing={}",
            python(s.checkpointing != Checkpointing::Off)
        ),
        format!(
            "enable_activation_offloading={}",
            python(s.checkpointing == Checkpointing::Offload)
        ),
        format!("loss._component_={}", loss(c)),
    ]);
    settings.extend(optimizer(c));
    settings.extend(adapter(c));
    if let Some(project) = c.wandb {
        let logger = "torchtune.training.metric_logging.WandBLogger";
        settings.push(format!("metric_logger._component_={logger}"));
        settings.push(format!("metric_logger.project={project}"));
    }
    settings
}

/// All configurations but those for all weights on one GPU state `fused`, which only PyTorch's own
/// AdamW takes; those step inside the backward pass unless told otherwise.
fn optimizer(c: &Context<'_>) -> Vec<String> {
    let name = match c.setup.optimizer {
        Optimizer::Adamw => "torch.optim.AdamW",
        Optimizer::Adamw8bit => "bitsandbytes.optim.AdamW8bit",
        Optimizer::PagedAdamw8bit => "bitsandbytes.optim.PagedAdamW8bit",
        Optimizer::Adafactor => "torch.optim.Adafactor",
        Optimizer::Sgd => "torch.optim.SGD",
    };
    let mut settings = vec![
        format!("optimizer._component_={name}"),
        format!("optimizer.lr={}", facts::learning_rate(c)),
    ];
    if c.setup.method == Method::Full {
        settings.push("optimizer_in_bwd=False".to_owned());
    }
    let stated = c.setup.method != Method::Full || facts::all_gpus(c) > 1;
    match (stated, c.setup.optimizer == Optimizer::Adamw) {
        (true, false) => settings.push("~optimizer.fused".to_owned()),
        (false, true) => settings.push("optimizer.fused=True".to_owned()),
        (true, true) | (false, false) => {}
    }
    settings
}

fn loss(c: &Context<'_>) -> &'static str {
    if c.setup.loss_kernel == LossKernel::Eager {
        "torch.nn.CrossEntropyLoss"
    } else {
        "torchtune.modules.loss.CEWithChunkedOutputLoss"
    }
}

fn adapter(c: &Context<'_>) -> Vec<String> {
    let Some(lora) = &c.setup.lora else { return Vec::new() };
    let attention: Vec<&str> = [
        (Target::Q, "q_proj"),
        (Target::K, "k_proj"),
        (Target::V, "v_proj"),
        (Target::O, "output_proj"),
    ]
    .into_iter()
    .filter(|(t, _)| lora.targets.has(*t))
    .map(|(_, name)| name)
    .collect();
    let mlp = [Target::Gate, Target::Up, Target::Down].iter().all(|t| lora.targets.has(*t));
    vec![
        format!("model.lora_attn_modules=[{}]", attention.join(",")),
        format!("model.apply_lora_to_mlp={}", python(mlp)),
        format!("model.lora_rank={}", lora.rank),
        format!("model.lora_alpha={}", lora.rank * 2),
        format!("model.lora_dropout={}", lora.dropout),
    ]
}
