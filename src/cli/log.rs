//! `--log FILE` (or `HAGGLE_LOG`): a line whenever something changes with a provider. Keys and query
//! strings never come here.

use super::failure::{Failure, Reason};
use crate::export::document::{VERSION, rfc3339};
use crate::session::{Light, Stock};
use crate::units::UnixSeconds;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

/// The log of a run.
#[derive(Debug)]
pub(super) struct Log {
    file: Option<File>,
    lights: Vec<Light>,
}

impl Log {
    /// The log in `file`, added to at its end; without a file, nothing is written.
    pub(super) fn open(file: Option<PathBuf>, now: UnixSeconds) -> Result<Self, Failure> {
        let Some(path) = file else { return Ok(Self { file: None, lights: Vec::new() }) };
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(|e| Failure::file(Reason::Usage, "--log", &path, &e))?;
        let mut log = Self { file: Some(file), lights: Vec::new() };
        log.line(now, &format!("haggle {VERSION}"));
        Ok(log)
    }

    /// Writes what has changed.
    pub(super) fn note(&mut self, stock: &Stock, now: UnixSeconds) {
        if self.file.is_none() {
            return;
        }
        let lights: Vec<Light> = stock.statuses().iter().map(|s| s.light).collect();
        let before = std::mem::replace(&mut self.lights, lights);
        for (i, status) in stock.statuses().iter().enumerate() {
            if before.get(i) != Some(&status.light) {
                let word = status.light.word();
                let line = status.line(now);
                self.line(now, &format!("{} {word}: {line}", status.provider.name()));
            }
        }
    }

    fn line(&mut self, now: UnixSeconds, text: &str) {
        if let Some(file) = &mut self.file {
            // A log that cannot be written is no reason to fail.
            let _ = writeln!(file, "{} {text}", rfc3339(now));
        }
    }
}
