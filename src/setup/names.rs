//! The words for each value of the setup: one list for the command line, `job.yaml`, JSON and the editor.

use super::{
    Attention, Checkpointing, Framework, LossKernel, Method, Offload, Optimizer, Precision,
    Pricing, Quant, Shard,
};
use std::fmt;
use std::str::FromStr;

macro_rules! words {
    ($($type:ident, $what:literal { $($variant:ident = $word:literal),* $(,)? })*) => {$(
        impl $type {
            /// All values, in the order in which they are offered.
            pub const ALL: &'static [$type] = &[$($type::$variant),*];
            /// The words for them, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// The word for this value.
            pub const fn as_str(self) -> &'static str {
                match self { $($type::$variant => $word),* }
            }
        }

        impl FromStr for $type {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                let word = word.trim();
                $type::ALL
                    .iter()
                    .copied()
                    .find(|v| v.as_str().eq_ignore_ascii_case(word))
                    .ok_or_else(|| {
                        format!("`{word}` is no {}; one of {}", $what, $type::WORDS.join(", "))
                    })
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )*};
}

words! {
    Method, "method" { Full = "full", Lora = "lora", Qlora = "qlora" }
    Framework, "framework" {
        Hf = "hf", Trl = "trl", Axolotl = "axolotl", Unsloth = "unsloth",
        Torchtune = "torchtune", LlamaFactory = "llama-factory",
    }
    Checkpointing, "checkpointing" { On = "on", Off = "off", Offload = "offload" }
    Attention, "attention kernel" { Flash = "flash", Sdpa = "sdpa", Eager = "eager" }
    LossKernel, "loss kernel" {
        Eager = "eager", Fast = "fast", Fused = "fused", Chunked = "chunked",
    }
    Precision, "precision" { Bf16 = "bf16", Fp16 = "fp16", Fp32Master = "fp32-master" }
    Quant, "quantisation" { Nf4 = "nf4", Nf4Dq = "nf4-dq", Gptq = "gptq", Int8 = "int8" }
    Optimizer, "optimizer" {
        Adamw = "adamw", Adamw8bit = "adamw-8bit", PagedAdamw8bit = "paged-adamw-8bit",
        Adafactor = "adafactor", Sgd = "sgd",
    }
    Shard, "sharding" {
        None = "none", Ddp = "ddp", Fsdp = "fsdp", Zero2 = "zero2", Zero3 = "zero3",
    }
    Offload, "offload" { None = "none", Optimizer = "optimizer", All = "all" }
    Pricing, "pricing" { OnDemand = "on-demand", Spot = "spot", Both = "both" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back_and_match_what_serde_writes() {
        fn check<T>(all: &[T])
        where
            T: Copy + PartialEq + fmt::Debug + fmt::Display + FromStr<Err = String>,
            T: serde::Serialize + serde::de::DeserializeOwned,
        {
            for value in all {
                let word = value.to_string();
                assert_eq!(word.parse::<T>().as_ref(), Ok(value));
                assert_eq!(serde_json::to_string(value).unwrap(), format!("\"{word}\""));
            }
        }
        check(Method::ALL);
        check(Framework::ALL);
        check(Checkpointing::ALL);
        check(Attention::ALL);
        check(LossKernel::ALL);
        check(Precision::ALL);
        check(Quant::ALL);
        check(Optimizer::ALL);
        check(Shard::ALL);
        check(Offload::ALL);
        check(Pricing::ALL);
    }

    #[test]
    fn a_wrong_word_is_told_the_right_ones() {
        let error = "dora".parse::<Method>().unwrap_err();
        assert_eq!(error, "`dora` is no method; one of full, lora, qlora");
    }
}
