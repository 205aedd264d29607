//! What every command starts from: options, environment, settings file, clock.

use super::args::{Color, Global, STDIN};
use super::failure::{Failure, Reason};
use super::log;
use super::out;
use super::setup_flags::SetupFlags;
use crate::config::{Env, FileConfig, Paths, find_key};
use crate::offer::Provider;
use crate::units::UnixSeconds;
use std::path::{Path, PathBuf};

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
    /// Setup flags before the command.
    pub base: SetupFlags,
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

    /// May tables be coloured?
    pub(super) fn colours(&self) -> bool {
        match self.global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => out::on_terminal() && !self.env.no_color(),
        }
    }

    /// Refuses a market on standard input.
    pub(super) fn not_from_stdin(&self, why: &str) -> Result<(), Failure> {
        if self.global.from.as_deref() == Some(Path::new(STDIN)) {
            return Err(Failure::usage(format!("--from: standard input will not do here: {why}")));
        }
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
}

/// The time on the clock.
pub(super) fn now() -> UnixSeconds {
    UnixSeconds(jiff::Timestamp::now().as_second())
}

fn settings(paths: &Paths, named: bool) -> Result<FileConfig, Failure> {
    let Some(file) = &paths.config_file else { return Ok(FileConfig::default()) };
    if !named && !file.exists() {
        return Ok(FileConfig::default());
    }
    let text = read(if named { "--config" } else { "" }, file)?;
    FileConfig::parse(&text, &file.display().to_string()).map_err(|e| Failure::usage(e.to_string()))
}

pub(super) fn read(option: &str, file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|e| Failure::file(Reason::Usage, option, file, &e))
}
