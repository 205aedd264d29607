//! What was asked of the providers, by all runs on this machine: their rate limits hold for everybody
//! together, so a script that calls haggle every few seconds stays within them, too.
//!
//! The record is one small file in the cache folder. Where it cannot be written, each run counts for
//! itself.

use crate::config::{Paths, store};
use crate::provider::http::{Asked, Http, HttpOptions, RateLimit, RequestLog};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer than any provider's window; what is older is forgotten.
const MEMORY: Duration = Duration::from_mins(10);
/// The most patience that a provider can ask of later runs.
const LONGEST_BLOCK: Duration = Duration::from_hours(1);

/// A client that counts its requests together with the other runs on this machine.
pub fn client(paths: &Paths) -> Http {
    let options = HttpOptions::default();
    match paths.requests() {
        Some(file) => Http::logged(options, Arc::new(FileLog::new(file, now))),
        None => Http::new(options),
    }
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

type Hosts = BTreeMap<String, Asked>;

/// The record in a file.
#[derive(Debug)]
struct FileLog {
    file: PathBuf,
    /// Milliseconds since 1970.
    now: fn() -> i64,
    /// What this run knows, for when the file cannot be used.
    own: Mutex<Own>,
}

#[derive(Debug, Default)]
struct Own {
    hosts: Hosts,
    /// The file lacks some of it.
    unsaved: bool,
}

impl FileLog {
    fn new(file: PathBuf, now: fn() -> i64) -> FileLog {
        FileLog { file, now, own: Mutex::default() }
    }

    fn change<T>(&self, whom: &str, change: impl Fn(&mut Asked, i64) -> T) -> T {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let Own { hosts, unsaved } = &mut *own;
        let mut answer = None;
        let written = store::update_loosely(&self.file, |old| {
            // A record that cannot be read is as good as none.
            let read = old.and_then(|bytes| serde_json::from_slice(&bytes).ok());
            if !*unsaved {
                *hosts = read.unwrap_or_default();
            }
            answer = Some(self.apply(hosts, whom, &change));
            serde_json::to_vec(hosts).map_err(io::Error::from)
        });
        *unsaved = written.is_err();
        if let Err(problem) = written {
            tracing::debug!("the record of requests: {}", store::problem(&problem));
        }
        answer.unwrap_or_else(|| self.apply(hosts, whom, &change))
    }

    fn apply<T>(&self, hosts: &mut Hosts, whom: &str, change: impl Fn(&mut Asked, i64) -> T) -> T {
        let now = (self.now)();
        let old = now.saturating_sub(i64::try_from(MEMORY.as_millis()).unwrap_or(i64::MAX));
        for asked in hosts.values_mut() {
            asked.mend(now, LONGEST_BLOCK);
        }
        hosts.retain(|_, asked| !asked.forget(old));
        change(hosts.entry(whom.to_owned()).or_default(), now)
    }
}

impl RequestLog for FileLog {
    fn take(&self, whom: &str, limit: RateLimit) -> Result<(), Duration> {
        self.change(whom, |asked, now| asked.take(limit, now))
    }

    fn block(&self, whom: &str, patience: Duration) {
        let patience = i64::try_from(patience.as_millis()).unwrap_or(i64::MAX);
        self.change(whom, |asked, now| asked.block(now.saturating_add(patience)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: RateLimit = RateLimit::per(2, 60);

    #[test]
    fn runs_count_together_and_hosts_apart() {
        let folder = tempfile::tempdir().unwrap();
        let run = || FileLog::new(folder.path().join("cache/requests.json"), || 1_000_000);
        assert_eq!(run().take("vast a", LIMIT), Ok(()));
        assert_eq!(run().take("vast a", LIMIT), Ok(()));
        assert_eq!(run().take("vast a", LIMIT), Err(Duration::from_mins(1)));
        assert_eq!(run().take("vast b", LIMIT), Ok(()));
        run().block("azure", Duration::from_secs(9));
        assert_eq!(run().take("azure", LIMIT), Err(Duration::from_secs(9)));
    }

    #[test]
    fn a_record_that_is_damaged_or_from_the_future_locks_nobody_out() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("requests.json");
        let records = [
            "{",
            "[]",
            r#"{"vast":{"sent":["x"]}}"#,
            r#"{"vast":{"sent":[9e18]}}"#,
            r#"{"vast":{"sent":[9000000000000000000,9000000000000000000],"blocked_until":-1}}"#,
        ];
        for record in records {
            std::fs::write(&file, record).unwrap();
            let log = FileLog::new(file.clone(), || 1_000_000);
            assert_eq!(log.take("vast", LIMIT), Ok(()), "{record}");
        }
    }

    #[test]
    fn where_nothing_can_be_written_a_run_counts_for_itself() {
        let folder = tempfile::tempdir().unwrap();
        let no_folder = folder.path().join("file");
        std::fs::write(&no_folder, "").unwrap();
        let log = FileLog::new(no_folder.join("requests.json"), || 1_000_000);
        assert_eq!(log.take("vast", LIMIT), Ok(()));
        assert_eq!(log.take("vast", LIMIT), Ok(()));
        assert_eq!(log.take("vast", LIMIT), Err(Duration::from_mins(1)));
    }

    #[test]
    fn what_is_old_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("requests.json");
        let early = FileLog::new(file.clone(), || 1_000_000);
        assert_eq!(early.take("vast old", LIMIT), Ok(()));
        let late = FileLog::new(file.clone(), || 2_000_000);
        assert_eq!(late.take("vast new", LIMIT), Ok(()));
        let kept = std::fs::read_to_string(&file).unwrap();
        assert!(kept.contains("vast new") && !kept.contains("vast old"), "{kept}");
    }
}
