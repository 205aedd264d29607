//! `--log FILE` (or `HAGGLE_LOG`): what the program does, a line each, added to the end of a file that
//! only its owner can read. Off unless a file is named. Keys, query strings and bodies never come
//! here; foreign words are made harmless. The file never grows beyond [`LARGEST`]: the older half is
//! kept beside it as `FILE.old`, and what was there before goes.

use super::args::LogLevel;
use super::failure::{Failure, Reason};
use crate::export::document::{VERSION, rfc3339};
use crate::offer::harmless;
use crate::units::UnixSeconds;
use std::fmt::{self, Write as _};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Bytes at which the file is set aside and a new one begun.
const LARGEST: u64 = 4 << 20;
/// Events of other crates may hold addresses, headers and bodies; only ours are written.
const OURS: &str = "haggle";

fn level_of(level: LogLevel) -> Level {
    match level {
        LogLevel::Error => Level::ERROR,
        LogLevel::Warn => Level::WARN,
        LogLevel::Info => Level::INFO,
        LogLevel::Debug => Level::DEBUG,
    }
}

/// Begins to write what is worth `level` to `path`.
///
/// # Errors
/// The file cannot be written.
pub(super) fn begin(path: &Path, level: LogLevel) -> Result<(), Failure> {
    let log = Log::open(path, level, LARGEST)
        .map_err(|e| Failure::file(Reason::Usage, "--log", path, &e))?;
    // Only the first log of a process counts; there is one.
    let _ = tracing::subscriber::set_global_default(log);
    tracing::info!("haggle {VERSION} begins");
    Ok(())
}

/// The file, and how much may go into it.
#[derive(Debug)]
struct Log {
    level: Level,
    largest: u64,
    path: PathBuf,
    file: Mutex<(File, u64)>,
}

impl Log {
    fn open(path: &Path, level: LogLevel, largest: u64) -> io::Result<Log> {
        let file = open(path)?;
        let length = file.metadata()?.len();
        Ok(Log {
            level: level_of(level),
            largest,
            path: path.to_path_buf(),
            file: Mutex::new((file, length)),
        })
    }

    fn write(&self, line: &str) {
        let mut held = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, length) = &mut *held;
        let bytes = line.len() as u64 + 1;
        if *length + bytes > self.largest && *length > 0 && self.is_plain() {
            let mut old = self.path.as_os_str().to_owned();
            old.push(".old");
            if std::fs::rename(&self.path, old).is_ok()
                && let Ok(fresh) = open(&self.path)
            {
                (*file, *length) = (fresh, 0);
            }
        }
        // A log that cannot be written or set aside is no reason to fail; it just does not grow.
        let full = *length + bytes > self.largest && self.is_plain() && *length > 0;
        if !full && file.write_all(format!("{line}\n").as_bytes()).is_ok() {
            *length += bytes;
        }
    }

    /// A terminal or a pipe has no size.
    fn is_plain(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|m| m.is_file())
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let ours = metadata.target().split("::").next() == Some(OURS);
        !metadata.is_span() && ours && *metadata.level() <= self.level
    }

    fn event(&self, event: &Event<'_>) {
        let now = UnixSeconds(jiff::Timestamp::now().as_second());
        let mut line = Line(format!("{} {:5}", rfc3339(now), event.metadata().level()));
        event.record(&mut line);
        self.write(&harmless(&line.0));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// An event as one line: its message, then its fields as `name=value`.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing into memory cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let _ = write!(self.0, " {}={value}", field.name());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(level: LogLevel, largest: u64) -> (tempfile::TempDir, PathBuf, Log) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = Log::open(&path, level, largest).unwrap();
        (folder, path, log)
    }

    #[test]
    fn levels_are_kept_and_foreign_words_are_harmless() {
        let (_folder, path, log) = log(LogLevel::Info, LARGEST);
        tracing::subscriber::with_default(log, || {
            tracing::debug!("not this");
            tracing::info!(provider = "vast", rows = 3, "asked");
            tracing::warn!(error = "\u{1b}]0;x\u{7}\nforged line", "failed");
            tracing::warn!(target: "hyper::proto", "authorization: Bearer planted");
        });
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.contains(" INFO  asked provider=vast rows=3\n"), "{text}");
        assert!(text.contains(" WARN  failed error=]0;xforged line\n"), "{text}");
    }

    #[test]
    fn it_never_grows_beyond_its_bound() {
        let (folder, path, log) = log(LogLevel::Debug, 1000);
        tracing::subscriber::with_default(log, || {
            for number in 0..200 {
                tracing::debug!(number, "a line like any other");
            }
        });
        let old = folder.path().join("log.old");
        for file in [&path, &old] {
            let length = std::fs::metadata(file).unwrap().len();
            assert!((100..=1000).contains(&length), "{length}");
        }
        assert!(std::fs::read_to_string(&path).unwrap().contains("number=199"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn it_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, path, _log) = log(LogLevel::Info, 1000);
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
