//! How a command ends: exit codes that scripts rely on, and one clear line for people.

use super::args::Format;
use crate::config::store;
use crate::export::document::VERSION;
use serde_json::json;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Why a command did not end with yes. The numbers are promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Something failed.
    Failed = 1,
    /// The command line, a file or a query cannot be understood.
    Usage = 2,
    /// Nothing matches, or the offer is gone.
    Nothing = 3,
    /// A provider is missing, under `--strict`.
    Partial = 4,
    /// The condition did not come true in time.
    Timeout = 5,
    /// The plan costs more than the gate allows.
    Gate = 6,
}

/// A command that did not end with yes.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Which exit code.
    pub reason: Reason,
    /// One line for a person; empty when everything was said already.
    pub message: String,
    /// Another exit code than the reason's.
    code: Option<u8>,
}

impl Failure {
    /// With exit code and message.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), code: None }
    }

    /// The command line, a file or a query cannot be understood.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Reason::Usage, message)
    }

    /// Something failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Reason::Failed, message)
    }

    /// Nothing matches.
    pub fn nothing(message: impl Into<String>) -> Self {
        Self::new(Reason::Nothing, message)
    }

    /// A file that was named cannot be read or written: `--from m.haggle: there is no such file`.
    pub fn file(reason: Reason, option: &str, path: &Path, error: &io::Error) -> Self {
        let gap = if option.is_empty() { "" } else { " " };
        Self::new(reason, format!("{option}{gap}{}: {}", path.display(), store::problem(error)))
    }

    /// Ended by a signal: 128 and its number, as shells count.
    pub fn signal(number: i32) -> Self {
        let code = u8::try_from(128 + number).ok();
        Self { code, ..Self::new(Reason::Failed, "") }
    }

    /// The code for the shell.
    pub fn code(&self) -> ExitCode {
        ExitCode::from(self.code.unwrap_or(self.reason as u8))
    }

    /// What is printed on standard error.
    pub fn text(&self, format: Format) -> String {
        if format == Format::Json {
            json!({
                "schema": "haggle.error/1",
                "haggle": VERSION,
                "error": {"code": self.reason as u8, "message": self.message},
            })
            .to_string()
        } else {
            format!("haggle: {}", self.message)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_json_when_json_is_asked_for() {
        let failure = Failure::nothing("no offer matches");
        let json: serde_json::Value = serde_json::from_str(&failure.text(Format::Json)).unwrap();
        assert_eq!(json["error"]["code"], 3);
        assert_eq!(failure.text(Format::Table), "haggle: no offer matches");
    }
}
