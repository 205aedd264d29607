//! The job of one command: settings, then `-f`, then flags; its model; the runs on record.

use super::call::{Call, read};
use super::failure::Failure;
use super::hub;
use super::out;
use super::setup_flags::SetupFlags;
use crate::model::{self, Model};
use crate::setup::runs::Runs;
use crate::setup::{Draft, Setup, SetupError};
use std::sync::Arc;

impl Call {
    /// What was written about the job: settings, then `-f`, then flags.
    pub(super) fn draft(&self, flags: SetupFlags) -> Result<Draft, Failure> {
        let flags = self.base.clone().with(flags);
        let mut draft = self.config.setup.clone();
        if let Some(file) = &flags.file {
            let text = read("-f", file)?;
            let job = Draft::from_yaml(&text).map_err(|e| {
                let hint =
                    "; it holds lines of `field: value`, as haggle setup --print writes them";
                let hint = if e.contains("expected") { hint } else { "" };
                let problem = e.strip_prefix("error: ").unwrap_or(&e);
                Failure::usage(format!("-f {}: {problem}{hint}", file.display()))
            })?;
            draft.overlay(&job);
        }
        draft.overlay(&flags.draft);
        Ok(draft)
    }

    /// The complete setup.
    pub(super) fn setup(&self, flags: SetupFlags) -> Result<Setup, Failure> {
        let draft = self.draft(flags)?;
        let model = self.model(draft.model_name())?;
        let setup = draft.resolve(model).map_err(|e| mistake(&e))?;
        Ok(Setup { runs: self.runs(), ..setup })
    }

    /// The complete setup; when its only fault is a sequence beyond the model's context, that too.
    pub(super) fn setup_beyond(
        &self,
        flags: SetupFlags,
    ) -> Result<(Setup, Option<SetupError>), Failure> {
        let draft = self.draft(flags)?;
        let model = self.model(draft.model_name())?;
        let (setup, beyond) = draft.resolve_beyond(model).map_err(|e| mistake(&e))?;
        Ok((Setup { runs: self.runs(), ..setup }, beyond))
    }

    /// The model that is meant. Another training of the same shape than the one named is not taken
    /// without a word: an export would train other weights.
    fn model(&self, name: &str) -> Result<Arc<Model>, Failure> {
        let model = hub::model(self, name)?;
        if model::is_other_training(name, &model) {
            out::say(&format!(
                "haggle: model: `{name}` is counted as {}, which has the same shape; to train other \
                 weights, give their Hugging Face id",
                model.id
            ));
        }
        Ok(model)
    }

    /// The runs that the user has recorded. Lines that cannot be read are named.
    fn runs(&self) -> Arc<Runs> {
        let bytes = self.paths.learnt_runs().and_then(|file| std::fs::read(file).ok());
        let (runs, wrong) = Runs::parse(&String::from_utf8_lossy(&bytes.unwrap_or_default()));
        for line in wrong {
            out::say(&format!("haggle: your runs: {line}"));
        }
        Arc::new(runs)
    }
}

/// A mistake in the setup, as the user sees it.
pub(super) fn mistake(error: &SetupError) -> Failure {
    Failure::usage(error.to_string())
}
