//! What is known about each provider: its light, its rows, its last word.

use crate::offer::Provider;
use crate::provider::{FetchError, Progress, Report};
use crate::units::UnixSeconds;
use std::fmt::Write as _;

/// One glance at a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Light {
    /// Not asked: offline, or switched off.
    Off,
    /// Asked; nothing has come yet.
    Waiting,
    /// Rows are coming.
    Fetching,
    /// The last fetch went well.
    Done,
    /// The last fetch failed; the rows shown are older.
    Stale,
    /// The last fetch failed and there are no rows.
    Failed,
    /// It wants a key that we do not have.
    NeedsKey,
}

impl Light {
    /// The word used in JSON and on screen.
    pub const fn word(self) -> &'static str {
        match self {
            Light::Off => "off",
            Light::Waiting => "waiting",
            Light::Fetching => "fetching",
            Light::Done => "done",
            Light::Stale => "stale",
            Light::Failed => "failed",
            Light::NeedsKey => "needs-key",
        }
    }

    /// Is a fetch under way?
    pub const fn is_busy(self) -> bool {
        matches!(self, Light::Waiting | Light::Fetching)
    }
}

/// Where the rows of a provider come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowsFrom {
    /// There are none.
    Nowhere,
    /// The snapshot inside the program.
    Embedded,
    /// A snapshot on disk: the cache, or the file that `--from` names.
    Saved,
    /// Asked in this run.
    Asked,
}

/// What is known about one provider.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// Who.
    pub provider: Provider,
    /// At a glance.
    pub light: Light,
    /// Rows in the table.
    pub rows: usize,
    /// Where those rows come from.
    pub from: RowsFrom,
    /// When they were fetched (the newest of them).
    pub as_of: Option<UnixSeconds>,
    /// How far the current fetch is.
    pub progress: Progress,
    /// What the last good fetch reported.
    pub report: Option<Report>,
    /// Why the last fetch failed.
    pub error: Option<FetchError>,
    /// What else is worth knowing: `kept 512 rows: the refresh brought only 3`.
    pub note: Option<String>,
    /// The fetch under way, or the last one.
    pub generation: u64,
}

impl Status {
    /// A provider about which nothing is known.
    pub fn new(provider: Provider) -> Self {
        Self {
            provider,
            light: Light::Off,
            rows: 0,
            from: RowsFrom::Nowhere,
            as_of: None,
            progress: Progress::default(),
            report: None,
            error: None,
            note: None,
            generation: 0,
        }
    }

    /// Age of the rows in seconds.
    pub fn age(&self, now: UnixSeconds) -> Option<i64> {
        self.as_of.map(|t| t.age_at(now))
    }

    /// One line that says it all, without the provider's name.
    pub fn line(&self, now: UnixSeconds) -> String {
        let age = || self.age(now).map(crate::units::duration).unwrap_or_default();
        let mut line = match self.light {
            Light::Off => match self.from {
                RowsFrom::Nowhere => "not asked".to_string(),
                _ => format!("{} rows, {} old; not asked", self.rows, age()),
            },
            Light::Waiting => "waiting".to_string(),
            Light::Fetching => match self.progress.total {
                Some(total) => format!("fetching, {} of {total} rows", self.progress.rows),
                None => format!("fetching, {} rows", self.progress.rows),
            },
            Light::Done => format!("{} rows, {} old", self.rows, age()),
            Light::Stale => format!("{} rows, stale since {}", self.rows, age()),
            Light::NeedsKey if self.rows > 0 => format!("{} rows, {} old", self.rows, age()),
            Light::Failed | Light::NeedsKey => "no rows".to_string(),
        };
        if let Some(until) = self.progress.waiting_until
            && self.light.is_busy()
            && until > now
        {
            let _ = write!(line, "; next request in {} s", until.0 - now.0);
        }
        if let Some(coverage) = self.report.as_ref().and_then(|r| r.coverage)
            && coverage < 0.995
            && self.light == Light::Done
        {
            let _ = write!(line, "; about {:.0} % of the market seen", coverage * 100.0);
        }
        let error = self.error.as_ref().map(ToString::to_string);
        for extra in [error, self.note.clone()].into_iter().flatten() {
            line.push_str("; ");
            line.push_str(&extra);
        }
        line
    }
}
