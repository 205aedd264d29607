//! Each trainer's file against the setup that was estimated, field by field.

use crate::estimate::quote::PriceKind;
use crate::export::tests::{context, fit, friendly, quote};
use crate::export::{Context, Unsuitable, find};
use crate::offer::Provider;
use crate::setup::{Draft, Field, Setup};
use serde_json::{Value, json};

fn setup(words: &str) -> Setup {
    let mut draft = Draft::default();
    for (field, value) in words.split_whitespace().map(|w| w.split_once('=').unwrap()) {
        draft.set(Field::from_name(field).unwrap(), value).unwrap();
    }
    let model = draft.model.clone().unwrap_or_else(|| "Meta-Llama-3-8B".into());
    draft.resolve(crate::model::find(&model).unwrap()).unwrap()
}

/// Writes `target` for `words` on an offer with `gpus` GPUs.
fn write(target: &str, words: &str, gpus: f64) -> Result<String, Unsuitable> {
    reporting(target, words, gpus, None)
}

/// The same, reporting to a project of Weights & Biases.
fn reporting(
    target: &str,
    words: &str,
    gpus: f64,
    wandb: Option<&str>,
) -> Result<String, Unsuitable> {
    let setup = setup(words);
    let (fit, quote) = (fit(), quote(PriceKind::OnDemand));
    let mut offer = friendly().into_iter().find(|o| o.provider == Provider::Gcp).unwrap();
    offer.hardware.gpus = Some(gpus);
    offer.hardware.gpu = crate::gpu::catalogue().find("A100 SXM 40GB").ok();
    let context = Context { wandb, ..context(&offer, &setup, &fit, &quote) };
    find(target).unwrap().write(&context)
}

fn yaml(target: &str, words: &str) -> Value {
    serde_saphyr::from_str(&write(target, words, 1.0).unwrap()).unwrap()
}

fn same(found: &Value, wanted: &Value) {
    for (name, value) in wanted.as_object().unwrap() {
        assert_eq!(&found[name], value, "{name} in {found}");
    }
}

const QLORA: &str = "method=qlora seq_len=4096 micro_batch=2 grad_accum=8 lora_rank=64 lora_targets=q,v lora_dropout=0.1 epochs=3 packing=off checkpointing=offload attention=sdpa quant=nf4 optimizer=paged-adamw-8bit precision=fp16 loss_kernel=fused kbit_prep=off";
const FULL: &str = "method=full seq_len=1024 micro_batch=4 grad_accum=2 epochs=2 packing=on checkpointing=on attention=flash optimizer=adafactor precision=bf16 loss_kernel=eager";

#[test]
fn axolotl_gets_every_field() {
    let qlora = yaml("axolotl", &format!("framework=axolotl {QLORA}"));
    same(
        &qlora,
        &json!({
            "base_model": "meta-llama/Meta-Llama-3-8B", "adapter": "qlora", "load_in_4bit": true,
            "load_in_8bit": false, "bnb_config_kwargs": {"bnb_4bit_use_double_quant": false},
            "sequence_len": 4096, "sample_packing": false, "micro_batch_size": 2,
            "gradient_accumulation_steps": 8, "num_epochs": 3.0, "optimizer": "paged_adamw_8bit",
            "lora_r": 64, "lora_dropout": 0.1, "lora_target_modules": ["q_proj", "v_proj"],
            "lora_mlp_kernel": false, "bf16": false, "fp16": true,
            "gradient_checkpointing": true, "activation_offloading": "hidden_states",
            "attn_implementation": "sdpa",
            "liger_fused_linear_cross_entropy": true, "liger_cross_entropy": false,
        }),
    );
    let int8 = yaml("axolotl", "framework=axolotl method=qlora quant=int8");
    same(&int8, &json!({"adapter": "lora", "load_in_8bit": true, "load_in_4bit": false}));
    let full = yaml("axolotl", &format!("framework=axolotl {FULL}"));
    same(
        &full,
        &json!({
            "load_in_4bit": false, "sequence_len": 1024, "sample_packing": true,
            "micro_batch_size": 4, "gradient_accumulation_steps": 2, "num_epochs": 2.0,
            "optimizer": "adafactor", "bf16": true, "fp16": false, "gradient_checkpointing": true,
            "attn_implementation": "flash_attention_2",
        }),
    );
    assert!(full.get("adapter").is_none() && full.get("lora_r").is_none(), "{full}");
    assert!(full.get("plugins").is_none(), "{full}");
}

#[test]
fn llama_factory_gets_every_field() {
    let qlora = yaml("llama-factory", &format!("framework=llama-factory {QLORA}"));
    same(
        &qlora,
        &json!({
            "model_name_or_path": "meta-llama/Meta-Llama-3-8B", "finetuning_type": "lora",
            "quantization_bit": 4, "double_quantization": false, "lora_rank": 64,
            "lora_dropout": 0.1, "lora_target": "q_proj,v_proj", "cutoff_len": 4096,
            "packing": false, "per_device_train_batch_size": 2, "gradient_accumulation_steps": 8,
            "num_train_epochs": 3.0, "optim": "paged_adamw_8bit", "bf16": false, "fp16": true,
            "flash_attn": "sdpa", "enable_liger_kernel": true, "use_unsloth_gc": true,
            "disable_gradient_checkpointing": false,
        }),
    );
    let full = yaml("llama-factory", &format!("framework=llama-factory {FULL}"));
    same(
        &full,
        &json!({
            "finetuning_type": "full", "pure_bf16": true, "packing": true, "optim": "adafactor",
            "flash_attn": "fa2", "enable_liger_kernel": false, "use_unsloth_gc": false,
        }),
    );
}

fn holds(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
}

#[test]
fn trl_gets_every_field() {
    let text = write("trl", &format!("framework=trl {QLORA}"), 1.0).unwrap();
    holds(
        &text,
        &[
            "MODEL = \"meta-llama/Meta-Llama-3-8B\"",
            "load_in_4bit=True",
            "bnb_4bit_use_double_quant=False",
            "bnb_4bit_compute_dtype=torch.float16",
            "dtype=torch.float16",
            "attn_implementation=\"sdpa\"",
            "r=64",
            "lora_dropout=0.1",
            "target_modules=[\"q_proj\",\"v_proj\"]",
            "max_length=4096",
            "packing=False",
            "per_device_train_batch_size=2",
            "gradient_accumulation_steps=8",
            "num_train_epochs=3",
            "optim=\"paged_adamw_8bit\"",
            "bf16=False",
            "fp16=True",
            "gradient_checkpointing=True",
            "activation_offloading=True",
            "\"fused_linear_cross_entropy\": True",
            "CHECKPOINT_SECONDS = 1800",
            "report_to=\"wandb\" if os.environ.get(\"WANDB_API_KEY\") else \"none\"",
            "Version(\"1.15\")",
        ],
    );
    assert!(!text.contains("prepare_model_for_kbit_training"), "{text}");
    let full = write("trl", &format!("framework=hf {FULL}"), 1.0).unwrap();
    holds(&full, &["peft_config=None", "loss_type=\"nll\"", "flash_attention_2", "packing=True"]);
    assert!(!full.contains("LoraConfig") && !full.contains("BitsAndBytes"), "{full}");
}

#[test]
fn unsloth_and_torchtune_get_every_field_or_refuse() {
    let words =
        "framework=unsloth method=qlora seq_len=4096 micro_batch=2 grad_accum=4 lora_rank=8";
    let text = write("unsloth", words, 1.0).unwrap();
    holds(
        &text,
        &[
            "max_seq_length=4096",
            "load_in_4bit=True",
            "load_in_8bit=False",
            "full_finetuning=False",
            "r=8",
            "use_gradient_checkpointing=\"unsloth\"",
            "per_device_train_batch_size=2",
            "gradient_accumulation_steps=4",
            "optim=\"adamw_bnb_8bit\"",
        ],
    );
    let eager = write("unsloth", &format!("{words} loss_kernel=eager"), 1.0).unwrap_err();
    assert!(eager.0.contains("--loss-kernel fused"), "{eager}");
    let eager = write("unsloth", &format!("{words} attention=eager"), 1.0).unwrap_err();
    assert!(eager.0.contains("--attention flash"), "{eager}");
    assert!(write("unsloth", words, 2.0).unwrap_err().0.contains("--gpus 1"));
    let words =
        "framework=torchtune method=lora seq_len=2048 micro_batch=2 lora_targets=q,v epochs=2";
    let text = write("torchtune", words, 1.0).unwrap();
    holds(
        &text,
        &[
            "tune run lora_finetune_single_device",
            "--config llama3/8B_lora_single_device",
            "tokenizer.max_seq_len=2048",
            "batch_size=2",
            "epochs=2",
            "dtype=bf16",
            "'model.lora_attn_modules=[q_proj,v_proj]'",
            "model.apply_lora_to_mlp=False",
        ],
    );
    for odd in ["epochs=1.5", "lora_targets=q,up", "precision=fp32-master", "attention=eager"] {
        let words = format!("framework=torchtune method=lora epochs=2 {odd}");
        assert!(write("torchtune", &words, 1.0).is_err(), "{odd}");
    }
    let ddp = write("torchtune", "framework=torchtune method=lora", 2.0).unwrap_err();
    assert!(ddp.0.contains("--shard fsdp"), "{ddp}");
}

#[test]
fn layers_go_by_the_names_that_the_model_gives_them() {
    let phi =
        write("trl", "framework=trl model=Phi-3-mini-4k method=lora lora_targets=all-linear", 1.0);
    let phi = phi.or_else(|_| {
        let name = crate::model::catalogue().iter().find(|m| {
            m.architecture.as_ref().is_ok_and(|a| a.family == crate::model::Family::Phi3)
        });
        let words = format!(
            "framework=trl method=lora lora_targets=all-linear model={}",
            name.unwrap().name
        );
        write("trl", &words, 1.0)
    });
    holds(
        &phi.unwrap(),
        &["target_modules=[\"qkv_proj\",\"o_proj\",\"gate_up_proj\",\"down_proj\"]"],
    );
}

#[test]
fn a_job_takes_no_more_gpus_than_were_estimated() {
    let script = write("run-script", "framework=trl gpus=2 method=lora", 8.0).unwrap();
    holds(&script, &["export CUDA_VISIBLE_DEVICES=0,1\n", "torchrun --nproc-per-node 2 train.py"]);
    let one = write("run-script", "framework=trl gpus=1 method=lora", 8.0).unwrap();
    holds(&one, &["export CUDA_VISIBLE_DEVICES=0\n", "python3 train.py"]);
    let all = write("run-script", "framework=trl method=lora", 8.0).unwrap();
    holds(&all, &["torchrun --nproc-per-node 8 train.py"]);
    assert!(!all.contains("CUDA_VISIBLE_DEVICES"), "{all}");
    let few = write("run-script", "framework=trl gpus=16 method=lora", 8.0).unwrap_err();
    assert!(few.0.contains("start several machines"), "{few}");
}

#[test]
fn machines_that_train_together_find_each_other() {
    for (target, rank, head) in [
        ("skypilot", "SKYPILOT_NODE_RANK", "SKYPILOT_NODE_IPS"),
        ("dstack", "DSTACK_NODE_RANK", "DSTACK_MASTER_NODE_IP"),
    ] {
        for framework in ["trl", "axolotl", "llama-factory"] {
            let words = format!("framework={framework} method=lora gpus=16");
            let text = write(target, &words, 8.0).unwrap();
            let yaml: Value = serde_saphyr::from_str(&text).unwrap();
            let nodes = if target == "dstack" { "nodes" } else { "num_nodes" };
            assert_eq!(yaml[nodes], 2, "{text}");
            assert!(text.contains(rank) && text.contains(head), "{text}");
        }
        let tune = "framework=torchtune method=full gpus=16";
        holds(&write(target, tune, 8.0).unwrap(), &["--nnodes 2 --nproc-per-node 8", rank]);
        let alone = write(target, "framework=trl method=lora", 8.0).unwrap();
        assert!(!alone.contains(rank), "{alone}");
        assert!(write(target, "framework=trl gpus=12", 8.0).is_err(), "1.5 machines");
    }
}

#[test]
fn a_job_reports_to_weights_and_biases_when_asked_to() {
    for (target, framework, wanted) in [
        ("axolotl", "axolotl", &["use_wandb: true", "wandb_project: my-runs"][..]),
        ("trl", "trl", &["report_to=\"wandb\",", "(\"WANDB_PROJECT\", \"my-runs\")"]),
        ("unsloth", "unsloth", &["report_to=\"wandb\",", "(\"WANDB_PROJECT\", \"my-runs\")"]),
        ("torchtune", "torchtune", &["WandBLogger", "metric_logger.project=my-runs"]),
        ("llama-factory", "llama-factory", &["report_to: wandb"]),
        (
            "skypilot",
            "trl",
            &["WANDB_API_KEY: null", "--secret WANDB_API_KEY", "install --quiet wandb"],
        ),
        ("dstack", "axolotl", &["- WANDB_API_KEY\n", "export WANDB_PROJECT=my-runs"]),
        ("run-script", "llama-factory", &["${WANDB_API_KEY:?", "export WANDB_PROJECT=my-runs"]),
    ] {
        let shard = if framework == "torchtune" { "fsdp" } else { "none" };
        let words = format!("framework={framework} method=lora shard={shard}");
        holds(&reporting(target, &words, 1.0, Some("my-runs")).unwrap(), wanted);
        let silent = write(target, &words, 1.0).unwrap();
        assert!(!silent.contains("my-runs"), "{silent}");
    }
}

#[test]
fn what_a_setup_needs_is_installed_and_configured() {
    let zero = "framework=trl method=full shard=zero3 offload=all attention=flash";
    let script = write("run-script", zero, 2.0).unwrap();
    holds(
        &script,
        &[
            " datasets kernels deepspeed\n",
            "\"stage\": 3",
            "\"stage3_gather_16bit_weights_on_model_save\": True",
            "\"offload_param\": {\n",
        ],
    );
    let plain = write("run-script", "framework=trl method=lora attention=sdpa", 1.0).unwrap();
    holds(&plain, &[" liger-kernel datasets\n"]);
    let words = "framework=llama-factory method=full shard=zero2 offload=optimizer attention=flash";
    let factory = write("llama-factory", words, 2.0).unwrap();
    let yaml: Value = serde_saphyr::from_str(&factory).unwrap();
    assert_eq!(yaml["deepspeed"]["zero_optimization"]["stage"], 2);
    assert_eq!(yaml["deepspeed"]["zero_optimization"]["offload_optimizer"]["device"], "cpu");
    let script = write("run-script", words, 2.0).unwrap();
    holds(&script, &["liger-kernel deepspeed\n", "--no-build-isolation flash-attn\n"]);
    let fsdp = "framework=axolotl method=lora shard=fsdp optimizer=";
    let refused = write("axolotl", &format!("{fsdp}adamw-8bit"), 2.0).unwrap_err();
    assert!(refused.0.contains("--optimizer adamw"), "{refused}");
    assert!(write("axolotl", &format!("{fsdp}adamw"), 2.0).is_ok());
    let bare = write("run-script", "framework=axolotl method=lora", 1.0).unwrap();
    holds(&bare, &["command -v axolotl >/dev/null ||", "'axolotl[deepspeed]'"]);
}
