//! What each framework does when nobody says otherwise, and who says so.
//!
//! Versions: without one, the framework of late 2026. For `hf` the version is that of
//! Transformers; the others count their own.

use super::{
    Attention, Checkpointing, Framework, FrameworkVersion, LossKernel, Method, Optimizer,
    Precision, Quant, Targets,
};
use crate::units::Gb;

/// The defaults of a framework for one method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Gradient checkpointing.
    pub checkpointing: Checkpointing,
    /// Attention kernel.
    pub attention: Attention,
    /// Loss kernel.
    pub loss_kernel: LossKernel,
    /// Number format.
    pub precision: Precision,
    /// Optimizer.
    pub optimizer: Optimizer,
    /// Quantisation, when the method wants one.
    pub quant: Quant,
    /// PEFT's preparation for k-bit training runs and keeps its fp32 casts.
    pub kbit_prep: bool,
    /// Samples are packed to full length.
    pub packing: bool,
    /// Adapter rank.
    pub lora_rank: u32,
    /// Adapter targets.
    pub lora_targets: Targets,
    /// Adapter dropout.
    pub lora_dropout: f64,
    /// Compressed size of the usual container image. An assumption: registries list 6 to 10 GB
    /// for images with CUDA, PyTorch and the framework.
    pub image: Gb,
    /// Where these defaults are written.
    pub source: &'static str,
}

impl Preset {
    /// The defaults of `framework` at `version` for `method`.
    pub fn of(framework: Framework, version: Option<FrameworkVersion>, method: Method) -> Preset {
        match framework {
            Framework::Hf => hf(version, method),
            Framework::Trl => trl(version, method),
            Framework::Axolotl => axolotl(),
            Framework::Unsloth => unsloth(version),
            Framework::Torchtune => torchtune(version, method),
            Framework::LlamaFactory => llama_factory(method),
        }
    }
}

const fn at(major: u16, minor: u16) -> FrameworkVersion {
    FrameworkVersion { major, minor }
}

/// Is `version` older than `limit`? Today's never is.
fn older(version: Option<FrameworkVersion>, limit: FrameworkVersion) -> bool {
    version.is_some_and(|v| v < limit)
}

fn hf(version: Option<FrameworkVersion>, method: Method) -> Preset {
    // Transformers 4 loaded fp32 unless told; 5 takes the checkpoint's own format. Adapter scripts
    // have always passed bf16.
    let fp32_load = method == Method::Full && older(version, at(5, 0));
    // The Trainer leaves checkpointing off, but PEFT's preparation for k-bit training turns it on
    // (`use_gradient_checkpointing=True`).
    let prepared = method == Method::Qlora;
    Preset {
        checkpointing: if prepared { Checkpointing::On } else { Checkpointing::Off },
        attention: if older(version, at(4, 36)) { Attention::Eager } else { Attention::Sdpa },
        loss_kernel: LossKernel::Eager,
        precision: if fp32_load { Precision::Fp32Master } else { Precision::Bf16 },
        optimizer: Optimizer::Adamw,
        quant: Quant::Nf4Dq,
        kbit_prep: true,
        packing: false,
        lora_rank: 8,
        lora_targets: Targets::QV,
        lora_dropout: 0.0,
        image: Gb::new(8.0),
        source: "transformers TrainingArguments and from_pretrained; peft LoraConfig (rank 8, q and v for Llama) and prepare_model_for_kbit_training (fp32 casts, checkpointing on)",
    }
}

fn trl(version: Option<FrameworkVersion>, method: Method) -> Preset {
    Preset {
        // SFTConfig turned checkpointing and bf16 on by default in 0.20 (July 2025).
        checkpointing: if older(version, at(0, 20)) {
            Checkpointing::Off
        } else {
            Checkpointing::On
        },
        attention: Attention::Sdpa,
        // `chunked_nll` became the default on 2026-06-14, in the 1.x series.
        loss_kernel: if older(version, at(1, 7)) { LossKernel::Eager } else { LossKernel::Chunked },
        precision: if method == Method::Full { Precision::Fp32Master } else { Precision::Bf16 },
        optimizer: Optimizer::Adamw,
        quant: Quant::Nf4,
        // SFTTrainer leaves the base as loaded, and casts the adapters to bf16.
        kbit_prep: false,
        packing: false,
        lora_rank: 16,
        lora_targets: Targets::QV,
        lora_dropout: 0.05,
        image: Gb::new(8.0),
        source: "trl SFTConfig, SFTTrainer and ModelConfig (2026): gradient_checkpointing, bf16, chunked_nll; full models load in fp32 unless dtype is given, adapter scripts give bf16",
    }
}

fn axolotl() -> Preset {
    Preset {
        checkpointing: Checkpointing::On,
        attention: Attention::Flash,
        loss_kernel: LossKernel::Eager,
        precision: Precision::Bf16,
        optimizer: Optimizer::Adamw8bit,
        quant: Quant::Nf4Dq,
        // It casts embeddings and norms back to the training format when FlashAttention is on.
        kbit_prep: false,
        packing: true,
        lora_rank: 32,
        lora_targets: Targets::ALL_LINEAR,
        lora_dropout: 0.05,
        image: Gb::new(10.0),
        source: "axolotl examples/llama-3 (lora-8b.yml, qlora.yml) and its loader's k-bit handling",
    }
}

fn unsloth(version: Option<FrameworkVersion>) -> Preset {
    Preset {
        checkpointing: Checkpointing::Offload,
        // FlashAttention where it is there, xformers or SDPA where not; memory is the same.
        attention: Attention::Sdpa,
        // Cut cross entropy since December 2024; its own in-place kernel before.
        loss_kernel: if older(version, at(2024, 12)) {
            LossKernel::Fast
        } else {
            LossKernel::Fused
        },
        precision: Precision::Bf16,
        optimizer: Optimizer::Adamw8bit,
        quant: Quant::Nf4Dq,
        kbit_prep: false,
        packing: false,
        lora_rank: 16,
        lora_targets: Targets::ALL_LINEAR,
        lora_dropout: 0.0,
        image: Gb::new(10.0),
        source: "unsloth notebooks and get_peft_model (use_gradient_checkpointing=\"unsloth\", rank 16, seven modules, adamw_8bit)",
    }
}

fn torchtune(version: Option<FrameworkVersion>, method: Method) -> Preset {
    Preset {
        checkpointing: Checkpointing::On,
        attention: Attention::Sdpa,
        // Chunked cross entropy since 0.4 (November 2024).
        loss_kernel: if older(version, at(0, 4)) { LossKernel::Eager } else { LossKernel::Chunked },
        precision: Precision::Bf16,
        optimizer: if method == Method::Full {
            Optimizer::PagedAdamw8bit
        } else {
            Optimizer::Adamw
        },
        quant: Quant::Nf4Dq,
        kbit_prep: false,
        packing: false,
        lora_rank: 8,
        lora_targets: Targets::ALL_LINEAR,
        lora_dropout: 0.0,
        image: Gb::new(8.0),
        source: "torchtune recipes/configs/llama3_1 (8B_full_single_device, 8B_lora_single_device, 8B_qlora_single_device)",
    }
}

fn llama_factory(method: Method) -> Preset {
    Preset {
        checkpointing: Checkpointing::On,
        attention: Attention::Sdpa,
        loss_kernel: LossKernel::Eager,
        // Full fine-tuning without pure_bf16 casts trainable weights to fp32.
        precision: if method == Method::Full { Precision::Fp32Master } else { Precision::Bf16 },
        optimizer: Optimizer::Adamw,
        quant: Quant::Nf4Dq,
        kbit_prep: false,
        packing: false,
        lora_rank: 8,
        lora_targets: Targets::ALL_LINEAR,
        lora_dropout: 0.0,
        image: Gb::new(10.0),
        source: "LLaMA-Factory hparams (double_quantization, lora_rank 8, target all) and model_utils/checkpointing",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_versions_have_older_defaults() {
        let today = Preset::of(Framework::Trl, None, Method::Lora);
        let old = Preset::of(Framework::Trl, Some(at(0, 12)), Method::Lora);
        assert_eq!(today.loss_kernel, LossKernel::Chunked);
        assert_eq!(today.checkpointing, Checkpointing::On);
        assert_eq!(old.loss_kernel, LossKernel::Eager);
        assert_eq!(old.checkpointing, Checkpointing::Off);
        let v4 = Preset::of(Framework::Hf, Some(at(4, 45)), Method::Full);
        assert_eq!(v4.precision, Precision::Fp32Master);
        assert_eq!(Preset::of(Framework::Hf, None, Method::Full).precision, Precision::Bf16);
        // PEFT's preparation turns checkpointing on; the Trainer itself does not.
        let checkpointing = |method| Preset::of(Framework::Hf, None, method).checkpointing;
        assert_eq!(checkpointing(Method::Qlora), Checkpointing::On);
        assert_eq!(checkpointing(Method::Lora), Checkpointing::Off);
        let unsloth = Preset::of(Framework::Unsloth, Some(at(2024, 8)), Method::Qlora);
        assert_eq!(unsloth.loss_kernel, LossKernel::Fast);
    }
}
