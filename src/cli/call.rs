//! What every command starts from: options, environment, settings file, clock.

use super::args::{Color, Global};
use super::failure::{Failure, Reason};
use super::log::Log;
use super::market::Market;
use super::out;
use super::setup_flags::SetupFlags;
use crate::config::{Env, FileConfig, Paths};
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
        let config = settings(&paths, global.config.is_some())?;
        Ok(Self { global, env, paths, config, base })
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
        let text = self.paths.learnt_runs().and_then(|file| std::fs::read_to_string(file).ok());
        let (runs, wrong) = Runs::parse(&text.unwrap_or_default());
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
        let mut log = Log::open(self.log_file(), now)?;
        let stock = collect::collect(&wish, now, |stock| {
            line.show(&progress(stock));
            log.note(stock, self::now());
        })
        .map_err(|e| Failure::usage(format!("--from {e}")))?;
        line.clear();
        log.note(&stock, self::now());
        if let Some(file) = &self.global.save {
            collect::save(&stock, now, file)
                .map_err(|e| Failure::file(Reason::Failed, "--save", file, &e))?;
        }
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

    fn log_file(&self) -> Option<PathBuf> {
        self.global.log.clone().or_else(|| self.env.get("HAGGLE_LOG").map(PathBuf::from))
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
