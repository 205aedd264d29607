//! What somebody wrote: the table of fields that flags, `job.yaml`, JSON and the editor share.
//!
//! A draft is read and written through this table alone, so a field has one name, one description
//! and one way to be read everywhere.

use super::value::{Scalar, Value};
use super::{
    Assumptions, Attention, Checkpointing, FrameworkChoice, Hosted, LossKernel, Method, Offload,
    Optimizer, Precision, Pricing, Quant, SetupError, Shard, Targets,
};
use crate::units::{Gb, Hours, Tokens};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

macro_rules! fields {
    ($($(#[$auto:ident])? $variant:ident $field:ident $flag:literal: $type:ty = $about:literal;)*) => {
        /// What somebody wrote; whatever is missing comes from the framework's defaults and the model.
        ///
        /// The field names are those of the command line and of `job.yaml` (with `_` for `-`).
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Draft {
            $(#[doc = $about] pub $field: Option<$type>,)*
        }

        /// A field of a draft.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Field {
            $(#[doc = $about] $variant,)*
        }

        impl Field {
            /// All fields, in the order in which they are shown and written.
            pub const ALL: &'static [Field] = &[$(Field::$variant),*];

            /// The name on the command line, without the dashes in front: `seq-len`.
            pub const fn flag(self) -> &'static str {
                match self { $(Field::$variant => $flag),* }
            }

            /// The name in `job.yaml` and JSON: `seq_len`.
            pub const fn name(self) -> &'static str {
                match self { $(Field::$variant => stringify!($field)),* }
            }

            /// One line that says what it is.
            pub const fn about(self) -> &'static str {
                match self { $(Field::$variant => $about),* }
            }

            /// The words that it can be; empty when there are too many to list.
            pub const fn choices(self) -> &'static [&'static str] {
                match self { $(Field::$variant => <$type as Value>::CHOICES),* }
            }

            /// How its value is written, for help texts: `N[k|M|B]`.
            pub const fn shape(self) -> &'static str {
                match self { $(Field::$variant => <$type as Value>::SHAPE),* }
            }

            /// `auto` is a value of its own: leave the choice to us.
            pub const fn may_be_auto(self) -> bool {
                match self { $(Field::$variant => fields!(@auto $($auto)?)),* }
            }
        }

        impl Draft {
            /// Reads `text` into `field`; `auto` and an empty text clear it.
            pub fn set(&mut self, field: Field, text: &str) -> Result<(), SetupError> {
                if text.trim().is_empty() || text.trim().eq_ignore_ascii_case("auto") {
                    self.clear(field);
                    return Ok(());
                }
                let wrong = |problem| SetupError { field: field.flag(), problem };
                match field {
                    $(Field::$variant => {
                        let value = <$type as Value>::read(text).map_err(wrong)?;
                        self.$field = Some(value.over(self.$field.take()));
                    })*
                }
                Ok(())
            }

            /// What `field` holds, as it would be typed.
            pub fn get(&self, field: Field) -> Option<String> {
                match field {
                    $(Field::$variant => self.$field.as_ref().map(Value::print),)*
                }
            }

            /// What `field` holds, as number or text.
            pub fn scalar(&self, field: Field) -> Option<Scalar> {
                match field {
                    $(Field::$variant => self.$field.as_ref().map(Value::scalar),)*
                }
            }

            /// Leaves `field` to the defaults.
            pub fn clear(&mut self, field: Field) {
                match field {
                    $(Field::$variant => self.$field = None,)*
                }
            }
        }
    };
    (@auto) => { false };
    (@auto auto) => { true };
}

fields! {
    Model model "model": String = "Model: a name, a Hugging Face id, or the path of a config.json.";
    Method method "method": Method = "Which weights are trained.";
    Framework framework "framework": FrameworkChoice = "The program that trains, whose defaults apply; hf@4.45 for an older one.";
    SeqLen seq_len "seq-len": u32 = "Longest sequence, in tokens.";
    MicroBatch micro_batch "micro-batch": u32 = "Sequences per GPU in one forward pass.";
    GradAccum grad_accum "grad-accum": u32 = "Forward passes per optimizer step.";
    Packing packing "packing": bool = "Samples are packed to full length.";
    Checkpointing checkpointing "checkpointing": Checkpointing = "Gradient checkpointing: keep each layer's input only, or move it to main memory.";
    Attention attention "attention": Attention = "Attention kernel.";
    #[auto] LossKernel loss_kernel "loss-kernel": LossKernel = "How the loss over the vocabulary is computed.";
    Precision precision "precision": Precision = "Number format of weights and computation.";
    Quant quant "quant": Quant = "Quantisation of the frozen weights, for QLoRA.";
    Optimizer optimizer "optimizer": Optimizer = "Optimizer.";
    LoraRank lora_rank "lora-rank": u32 = "Rank of the adapters.";
    LoraTargets lora_targets "lora-targets": Targets = "Linear layers that carry an adapter.";
    LoraDropout lora_dropout "lora-dropout": f64 = "Dropout on the adapters' inputs, 0 to 1.";
    KbitPrep kbit_prep "kbit-prep": bool = "PEFT's preparation for k-bit training: what is not quantised becomes fp32.";
    #[auto] Gpus gpus "gpus": u32 = "GPUs of one machine; auto takes each offer as it is.";
    #[auto] Shard shard "shard": Shard = "How work is divided over the GPUs.";
    Offload offload "offload": Offload = "What lives in main memory instead of on the GPU.";
    Tokens tokens "tokens": Tokens = "Tokens of one epoch.";
    Epochs epochs "epochs": f64 = "Epochs.";
    DatasetSize dataset_size "dataset-size": Gb = "Size of the data set to download.";
    ImageSize image_size "image-size": Gb = "Size of the container image to pull.";
    Pricing pricing "pricing": Pricing = "Which price counts.";
    CheckpointEvery checkpoint_every "checkpoint-every": Hours = "Time between checkpoints, or never.";
    #[auto] Disk disk "disk": Gb = "Disk to rent; auto takes what the job needs.";
    Hosted hosted "hosted": Hosted = "What a hosted service takes per million training tokens, to compare with: price, name, day.";
    Assume assume "assume": Assumptions = "Replaces one of our assumptions: mfu, hazard, egress, ingress, storage, hub, download, upload, idle, boot, eval.";
}

impl Field {
    /// The field of that name, whether written with `-` or with `_`.
    pub fn from_name(name: &str) -> Option<Field> {
        let name = name.trim().replace('_', "-");
        Field::ALL.iter().copied().find(|f| f.flag() == name)
    }
}

impl Draft {
    /// Takes every field that `other` states over what is here.
    pub fn overlay(&mut self, other: &Draft) {
        for field in Field::ALL.iter().copied() {
            if let Some(text) = other.get(field) {
                // What was printed reads back; a field that did not would keep its old value.
                let _ = self.set(field, &text);
            }
        }
    }

    /// Reads a `job.yaml`. Unknown fields and wrong values are errors that name the place.
    pub fn from_yaml(text: &str) -> Result<Draft, String> {
        if text.lines().all(|l| l.trim().is_empty() || l.trim_start().starts_with('#')) {
            return Ok(Draft::default());
        }
        serde_saphyr::from_str(text).map_err(|e| first_line(&e.to_string()))
    }

    /// Writes a `job.yaml` that [`Draft::from_yaml`] reads back.
    pub fn to_yaml(&self) -> Result<String, String> {
        serde_saphyr::to_string(self).map_err(|e| first_line(&e.to_string()))
    }
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().trim().to_owned()
}

impl Serialize for Draft {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for field in Field::ALL.iter().copied() {
            if let Some(scalar) = self.scalar(field) {
                map.serialize_entry(field.name(), &scalar)?;
            }
        }
        map.end()
    }
}

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Scalar::Whole(n) => serializer.serialize_u64(*n),
            Scalar::Real(x) => serializer.serialize_f64(*x),
            Scalar::Text(text) => serializer.serialize_str(text),
            Scalar::Table(pairs) => serializer.collect_map(pairs.iter().copied()),
        }
    }
}

impl<'de> Deserialize<'de> for Draft {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DraftVisitor)
    }
}

struct DraftVisitor;

impl<'de> Visitor<'de> for DraftVisitor {
    type Value = Draft;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the fields of a setup")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Draft, A::Error> {
        let mut draft = Draft::default();
        while let Some(name) = map.next_key::<String>()? {
            let field = Field::from_name(&name).ok_or_else(|| {
                let known: Vec<&str> = Field::ALL.iter().map(|f| f.name()).collect();
                de::Error::custom(format!("no field `{name}`; there are {}", known.join(", ")))
            })?;
            let text = map.next_value::<Written>()?.0;
            draft.set(field, &text).map_err(de::Error::custom)?;
        }
        Ok(draft)
    }
}

/// A scalar, a list or a table of a file, as it would be typed on the command line.
struct Written(String);

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WrittenVisitor)
    }
}

struct WrittenVisitor;

impl<'de> Visitor<'de> for WrittenVisitor {
    type Value = Written;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a word or a list of words")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Written, E> {
        Ok(Written(Value::print(&value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Written, E> {
        Ok(Written(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Written, E> {
        Ok(Written(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Written, E> {
        Ok(Written(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Written, E> {
        Ok(Written(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Written, E> {
        Ok(Written(String::new()))
    }

    fn visit_none<E>(self) -> Result<Written, E> {
        Ok(Written(String::new()))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Written, A::Error> {
        let mut words = Vec::new();
        while let Some(Written(word)) = seq.next_element()? {
            words.push(word);
        }
        Ok(Written(words.join(",")))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Written, A::Error> {
        let mut pairs = Vec::new();
        while let Some((key, Written(value))) = map.next_entry::<String, Written>()? {
            pairs.push(format!("{key}={value}"));
        }
        Ok(Written(pairs.join(",")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every field set to something.
    fn full() -> Draft {
        let mut draft = Draft::default();
        for (field, text) in [
            (Field::Model, "Meta-Llama-3-8B"),
            (Field::Method, "qlora"),
            (Field::Framework, "hf@4.45"),
            (Field::SeqLen, "4096"),
            (Field::MicroBatch, "2"),
            (Field::GradAccum, "8"),
            (Field::Packing, "on"),
            (Field::Checkpointing, "offload"),
            (Field::Attention, "flash"),
            (Field::LossKernel, "fused"),
            (Field::Precision, "bf16"),
            (Field::Quant, "nf4-dq"),
            (Field::Optimizer, "paged-adamw-8bit"),
            (Field::LoraRank, "32"),
            (Field::LoraTargets, "q,v"),
            (Field::LoraDropout, "0.05"),
            (Field::KbitPrep, "off"),
            (Field::Gpus, "2"),
            (Field::Shard, "fsdp"),
            (Field::Offload, "none"),
            (Field::Tokens, "50M"),
            (Field::Epochs, "1.5"),
            (Field::DatasetSize, "2GB"),
            (Field::ImageSize, "8GB"),
            (Field::Pricing, "spot"),
            (Field::CheckpointEvery, "20m"),
            (Field::Disk, "200GB"),
            (Field::Hosted, "0.48 Acme 2026-11-30"),
            (Field::Assume, "mfu=0.4,idle=1"),
        ] {
            draft.set(field, text).unwrap();
        }
        draft
    }

    #[test]
    fn yaml_and_json_read_back_what_was_written() {
        let draft = full();
        for field in Field::ALL {
            assert!(draft.get(*field).is_some(), "{field:?} is not covered");
        }
        let yaml = draft.to_yaml().unwrap();
        assert_eq!(Draft::from_yaml(&yaml), Ok(draft.clone()), "{yaml}");
        let json = serde_json::to_string(&draft).unwrap();
        assert_eq!(serde_json::from_str::<Draft>(&json).unwrap(), draft, "{json}");
        assert!(json.contains("\"seq_len\":4096"), "{json}");
        assert!(json.contains("\"tokens\":50000000"), "{json}");
    }

    #[test]
    fn a_file_is_read_as_people_write_it() {
        let draft = Draft::from_yaml(
            "# our job\nmodel: Qwen2.5-7B\npacking: on\ngpus: auto\nlora_targets: [q_proj, v_proj]\ntokens: 20M\nassume:\n  mfu: 0.35\n",
        )
        .unwrap();
        assert_eq!(draft.packing, Some(true));
        assert_eq!(draft.gpus, None);
        assert_eq!(draft.lora_targets, Some(Targets::QV));
        assert_eq!(draft.assume.unwrap().mfu, Some(0.35));
        assert_eq!(Draft::from_yaml("# nothing\n"), Ok(Draft::default()));
    }

    #[test]
    fn mistakes_name_the_field() {
        let error = Draft::from_yaml("model: x\nseqlen: 4\n").unwrap_err();
        assert!(error.contains("no field `seqlen`"), "{error}");
        let error = Draft::from_yaml("method: dora\n").unwrap_err();
        assert!(error.contains("method") && error.contains("one of full, lora, qlora"), "{error}");
        assert!(Draft::from_yaml("just text").is_err());
    }

    #[test]
    fn flags_win_over_the_file() {
        let mut draft = full();
        let mut flags = Draft::default();
        flags.set(Field::SeqLen, "1024").unwrap();
        flags.set(Field::Assume, "boot=0.2").unwrap();
        draft.overlay(&flags);
        assert_eq!(draft.seq_len, Some(1024));
        assert_eq!(draft.get(Field::Assume).unwrap(), "mfu=0.4,idle=1,boot=0.2");
        draft.set(Field::Gpus, "auto").unwrap();
        assert_eq!(draft.gpus, None);
    }
}
