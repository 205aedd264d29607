//! From a draft to a setup: gaps are filled from the framework's preset, then everything is checked.

use super::{Draft, Framework, FrameworkChoice, Lora, Method, Offload, Preset, Pricing, Setup};
use super::{SetupError, Shard, check};
use crate::model::Model;
use crate::units::{Gb, Hours, Tokens};
use std::sync::Arc;

/// The model of a draft that names none.
pub const DEFAULT_MODEL: &str = "Meta-Llama-3-8B";
const DEFAULT_METHOD: Method = Method::Qlora;
const DEFAULT_FRAMEWORK: Framework = Framework::Hf;
const DEFAULT_SEQ_LEN: u32 = 2048;
/// Ten million tokens: a few ten thousand conversations.
const DEFAULT_TOKENS: Tokens = Tokens::new(10e6);
/// Text of one token on disk, as JSON with its markup: about 5 bytes.
const BYTES_PER_TOKEN: f64 = 5.0;
const DEFAULT_CHECKPOINT_EVERY: Hours = Hours::from_minutes(30.0);

impl Draft {
    /// The model that is meant.
    pub fn model_name(&self) -> &str {
        self.model.as_deref().unwrap_or(DEFAULT_MODEL)
    }

    /// What the framework does where the draft says nothing.
    pub fn preset(&self) -> Preset {
        let choice = self.framework_choice();
        Preset::of(choice.framework, choice.version, self.method.unwrap_or(DEFAULT_METHOD))
    }

    fn framework_choice(&self) -> FrameworkChoice {
        self.framework.unwrap_or(FrameworkChoice { framework: DEFAULT_FRAMEWORK, version: None })
    }

    /// Fills the gaps and checks the whole. `model` is what [`Draft::model_name`] stands for.
    pub fn resolve(&self, model: Arc<Model>) -> Result<Setup, SetupError> {
        let (setup, beyond) = self.resolve_beyond(model)?;
        beyond.map_or(Ok(setup), Err)
    }

    /// As [`Draft::resolve`], but hands out the setup also when its only fault is a sequence beyond
    /// the model's context, together with that fault: memory can still be told, for those who
    /// stretch the context themselves (RoPE scaling).
    pub fn resolve_beyond(
        &self,
        model: Arc<Model>,
    ) -> Result<(Setup, Option<SetupError>), SetupError> {
        let setup = self.fill(model)?;
        check::setup(&setup)?;
        let beyond = check::context(&setup).err();
        Ok((setup, beyond))
    }

    fn fill(&self, model: Arc<Model>) -> Result<Setup, SetupError> {
        check::draft(self)?;
        let choice = self.framework_choice();
        let method = self.method.unwrap_or(DEFAULT_METHOD);
        let preset = self.preset();
        let tokens = self.tokens.unwrap_or(DEFAULT_TOKENS);
        let shortest = model.max_context.map_or(DEFAULT_SEQ_LEN, |c| c.min(DEFAULT_SEQ_LEN));
        Ok(Setup {
            model,
            method,
            framework: choice.framework,
            version: choice.version,
            seq_len: self.seq_len.unwrap_or(shortest),
            micro_batch: self.micro_batch.unwrap_or(1),
            grad_accum: self.grad_accum.unwrap_or(1),
            packing: self.packing.unwrap_or(preset.packing),
            checkpointing: self.checkpointing.unwrap_or(preset.checkpointing),
            attention: self.attention.unwrap_or(preset.attention),
            loss_kernel: self.loss_kernel.unwrap_or(preset.loss_kernel),
            precision: self.precision.unwrap_or(preset.precision),
            quant: (method == Method::Qlora).then(|| self.quant.unwrap_or(preset.quant)),
            optimizer: self.optimizer.unwrap_or(preset.optimizer),
            lora: self.lora(method, &preset),
            kbit_prep: method == Method::Qlora && self.kbit_prep.unwrap_or(preset.kbit_prep),
            gpus: self.gpus,
            shard: self.shard,
            offload: self.offload.unwrap_or(Offload::None),
            tokens,
            epochs: self.epochs.unwrap_or(1.0),
            dataset: self
                .dataset_size
                .unwrap_or_else(|| Gb::new(tokens.get() * BYTES_PER_TOKEN / 1e9)),
            image: self.image_size.unwrap_or(preset.image),
            pricing: self.pricing.unwrap_or(Pricing::OnDemand),
            checkpoint_every: self.checkpoint_every.unwrap_or(DEFAULT_CHECKPOINT_EVERY),
            disk: self.disk,
            hosted: self.hosted.clone(),
            assume: self.assume.unwrap_or_default(),
            runs: Arc::default(),
        })
    }

    fn lora(&self, method: Method, preset: &Preset) -> Option<Lora> {
        (method != Method::Full).then(|| Lora {
            rank: self.lora_rank.unwrap_or(preset.lora_rank),
            targets: self.lora_targets.unwrap_or(preset.lora_targets),
            dropout: self.lora_dropout.unwrap_or(preset.lora_dropout),
        })
    }
}

impl Setup {
    /// Every field spelled out, as a draft: what `setup --print` and JSON show.
    pub fn to_draft(&self) -> Draft {
        Draft {
            model: Some(self.model.id.clone()),
            method: Some(self.method),
            framework: Some(FrameworkChoice { framework: self.framework, version: self.version }),
            seq_len: Some(self.seq_len),
            micro_batch: Some(self.micro_batch),
            grad_accum: Some(self.grad_accum),
            packing: Some(self.packing),
            checkpointing: Some(self.checkpointing),
            attention: Some(self.attention),
            loss_kernel: Some(self.loss_kernel),
            precision: Some(self.precision),
            quant: self.quant,
            optimizer: Some(self.optimizer),
            lora_rank: self.lora.map(|l| l.rank),
            lora_targets: self.lora.map(|l| l.targets),
            lora_dropout: self.lora.map(|l| l.dropout),
            kbit_prep: (self.method == Method::Qlora).then_some(self.kbit_prep),
            gpus: self.gpus,
            shard: self.shard,
            offload: Some(self.offload),
            tokens: Some(self.tokens),
            epochs: Some(self.epochs),
            dataset_size: Some(self.dataset),
            image_size: Some(self.image),
            pricing: Some(self.pricing),
            checkpoint_every: Some(self.checkpoint_every),
            disk: self.disk,
            hosted: self.hosted.clone(),
            assume: (self.assume.pairs().next().is_some()).then_some(self.assume),
        }
    }

    /// How work is divided over `gpus` GPUs: what was asked for, otherwise what people do by
    /// default: full fine-tuning shards (FSDP) unless the framework cannot (Unsloth), adapters are
    /// copied to each GPU (DDP).
    pub fn sharding(&self, gpus: u32) -> Shard {
        let shards = self.method == Method::Full && self.framework != Framework::Unsloth;
        match self.shard {
            _ if gpus <= 1 => Shard::None,
            Some(Shard::None) | None if shards => Shard::Fsdp,
            Some(Shard::None) | None => Shard::Ddp,
            Some(shard) => shard,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_model;
    use super::super::*;

    fn resolve(fields: &[(Field, &str)]) -> Result<Setup, SetupError> {
        let mut draft = Draft::default();
        for (field, text) in fields {
            draft.set(*field, text).unwrap();
        }
        draft.resolve(test_model())
    }

    #[test]
    fn full_fine_tuning_shards_where_the_framework_can() {
        let shard = |framework| {
            let fields = [(Field::Method, "full"), (Field::Framework, framework)];
            resolve(&fields).unwrap().sharding(4)
        };
        assert_eq!((shard("hf"), shard("torchtune")), (Shard::Fsdp, Shard::Fsdp));
        // A whole copy on each GPU: the need does not fall with their number.
        assert_eq!(shard("unsloth"), Shard::Ddp);
    }

    #[test]
    fn nothing_said_is_a_job_that_people_run() {
        let setup = resolve(&[]).unwrap();
        assert_eq!(setup.method, Method::Qlora);
        assert_eq!(setup.framework, Framework::Hf);
        assert_eq!((setup.seq_len, setup.micro_batch), (2048, 1));
        assert_eq!(setup.quant, Some(Quant::Nf4Dq));
        assert_eq!(setup.tokens, Tokens::new(10e6));
    }

    #[test]
    fn a_setup_spelled_out_resolves_to_itself() {
        for method in ["full", "lora", "qlora"] {
            for framework in Framework::WORDS {
                let setup =
                    resolve(&[(Field::Method, method), (Field::Framework, framework)]).unwrap();
                assert_eq!(setup.to_draft().resolve(test_model()), Ok(setup));
            }
        }
    }

    #[test]
    fn what_is_said_wins_over_the_preset() {
        let setup =
            resolve(&[(Field::Framework, "unsloth"), (Field::LossKernel, "eager")]).unwrap();
        assert_eq!(setup.loss_kernel, LossKernel::Eager);
        assert_eq!(setup.checkpointing, Checkpointing::Offload);
    }

    #[test]
    fn the_impossible_is_refused_with_what_would_work() {
        type Case = (&'static [(Field, &'static str)], &'static str, &'static str);
        let cases: &[Case] = &[
            (&[(Field::SeqLen, "9000")], "seq-len", "8192"),
            (&[(Field::LoraRank, "5000")], "lora-rank", "4096"),
            (&[(Field::Gpus, "1"), (Field::Shard, "fsdp")], "shard", "2 or more"),
            (&[(Field::Gpus, "2"), (Field::Shard, "none")], "shard", "ddp"),
            (&[(Field::Method, "full"), (Field::LoraRank, "8")], "lora-rank", "lora"),
            (&[(Field::Method, "lora"), (Field::Quant, "nf4")], "quant", "qlora"),
            (&[(Field::Method, "full"), (Field::Precision, "fp16")], "precision", "fp32-master"),
            (&[(Field::LoraDropout, "1")], "lora-dropout", "below 1"),
            (&[(Field::Epochs, "0")], "epochs", "above 0"),
            (&[(Field::Offload, "all"), (Field::Gpus, "1")], "offload", "fsdp"),
        ];
        for (fields, field, hint) in cases {
            let error = resolve(fields).unwrap_err();
            assert_eq!(error.field, *field, "{error}");
            assert!(error.problem.contains(hint), "{error}");
            assert!(!error.to_string().contains('\n'));
        }
        let mut draft = Draft::default();
        assert_eq!(draft.set(Field::LoraRank, "0").unwrap_err().field, "lora-rank");
    }
}
