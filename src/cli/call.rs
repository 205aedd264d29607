//! What every command starts from: options, environment, settings file, clock.

use super::args::{Color, Global};
use super::failure::{Failure, Reason};
use super::log;
use super::market::Market;
use super::out;
use super::setup_flags::SetupFlags;
use crate::config::{Env, FileConfig, Paths, find_key};
use crate::offer::Provider;
use crate::runtime::collect::{self, Wish};
use crate::session::Stock;
use crate::setup::runs::Runs;
use crate::setup::{Draft, Setup, SetupError};
use crate::units::UnixSeconds;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long a command waits for the providers.
const PATIENCE: Duration = Duration::from_secs(45);

/// One run of the program.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Options of every command.
    pub global: Global,
    /// The environment.
    pub env: Env,
    /// Where files lie.
    pub paths: Paths,
    /// The settings file.
    pub config: FileConfig,
    base: SetupFlags,
}

impl Call {
    /// Reads the environment and the settings file. `base` are the setup flags before the command.
    pub(super) fn new(global: Global, base: SetupFlags) -> Result<Self, Failure> {
        let env = Env::of_process();
        let mut paths = Paths::of(&env);
        if let Some(file) = &global.config {
            paths.config_file = Some(file.clone());
        }
        if let Some(file) = global.log.clone().or_else(|| env.get("HAGGLE_LOG").map(PathBuf::from))
        {
            log::begin(&file, global.log_level)?;
        }
        let config = settings(&paths, global.config.is_some())?;
        Ok(Self { global, env, paths, config, base })
    }

    /// The same call with the settings file as it is now.
    pub(super) fn read_again(&self) -> Result<Self, Failure> {
        let config = settings(&self.paths, self.global.config.is_some())?;
        Ok(Self { config, ..self.clone() })
    }

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
        let model = super::hub::model(self, draft.model_name())?;
        let setup = draft.resolve(model).map_err(|e| mistake(&e))?;
        Ok(Setup { runs: self.runs(), ..setup })
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

    /// What market is wanted.
    pub(super) fn wish(&self) -> Wish<'_> {
        Wish {
            env: &self.env,
            paths: &self.paths,
            config: &self.config,
            providers: &self.global.providers,
            offline: self.global.offline,
            from: self.global.from.as_deref(),
            patience: PATIENCE,
        }
    }

    /// The market, as the options want it: saved rows, and what the providers answer now.
    pub(super) fn market(&self) -> Result<Market, Failure> {
        let now = now();
        let wish = self.wish();
        let mut line = out::ProgressLine::new();
        self.key_warnings().iter().for_each(|warning| out::say(&format!("haggle: {warning}")));
        let stock = collect::collect(&wish, now, |stock| line.show(&progress(stock)))
            .map_err(|e| Failure::usage(format!("--from {e}")))?;
        line.clear();
        stock.remarks().iter().for_each(|remark| out::say(&format!("haggle: {remark}")));
        self.save(&stock, now)?;
        let (table, mut statuses) = stock.into_parts();
        let wanted = &self.global.providers;
        statuses.retain(|s| wanted.is_empty() || wanted.contains(&s.provider));
        Ok(Market::new(table, statuses, now))
    }

    /// May tables be coloured?
    pub(super) fn colours(&self) -> bool {
        match self.global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => out::on_terminal() && !self.env.no_color(),
        }
    }

    /// Writes the market to the file of `--save`, if there is one.
    pub(super) fn save(&self, stock: &Stock, now: UnixSeconds) -> Result<(), Failure> {
        let Some(file) = &self.global.save else { return Ok(()) };
        let kept = collect::save(stock, now, file)
            .map_err(|e| Failure::file(Reason::Failed, "--save", file, &e))?;
        out::kept(file, kept.as_deref());
        Ok(())
    }

    /// What is unsafe about the places that keys were found in, of providers that are asked.
    pub(super) fn key_warnings(&self) -> Vec<String> {
        if self.global.offline || self.global.from.is_some() {
            return Vec::new();
        }
        let wanted = &self.global.providers;
        let asked = Provider::ALL.into_iter().filter(|p| wanted.is_empty() || wanted.contains(p));
        asked.filter_map(|p| find_key(p, &self.env, &self.paths)?.warning).collect()
    }

    /// The complete setup; when its only fault is a sequence beyond the model's context, that too.
    pub(super) fn setup_beyond(
        &self,
        flags: SetupFlags,
    ) -> Result<(Setup, Option<SetupError>), Failure> {
        let draft = self.draft(flags)?;
        let model = super::hub::model(self, draft.model_name())?;
        let (setup, beyond) = draft.resolve_beyond(model).map_err(|e| mistake(&e))?;
        Ok((Setup { runs: self.runs(), ..setup }, beyond))
    }
}

/// How far the providers are, in one line.
fn progress(stock: &Stock) -> String {
    let busy: Vec<&str> =
        stock.statuses().iter().filter(|s| s.light.is_busy()).map(|s| s.provider.name()).collect();
    format!("{} offers; waiting for {}", stock.table().len(), busy.join(", "))
}

/// The time on the clock.
pub(super) fn now() -> UnixSeconds {
    UnixSeconds(jiff::Timestamp::now().as_second())
}

/// A mistake in the setup, as the user sees it.
pub(super) fn mistake(error: &SetupError) -> Failure {
    Failure::usage(error.to_string())
}

fn settings(paths: &Paths, named: bool) -> Result<FileConfig, Failure> {
    let Some(file) = &paths.config_file else { return Ok(FileConfig::default()) };
    if !named && !file.exists() {
        return Ok(FileConfig::default());
    }
    let text = read(if named { "--config" } else { "" }, file)?;
    FileConfig::parse(&text, &file.display().to_string()).map_err(|e| Failure::usage(e.to_string()))
}

fn read(option: &str, file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|e| Failure::file(Reason::Usage, option, file, &e))
}
