//! What is known about each provider: its light, its rows, its last word.

use crate::offer::{Provider, Text};
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

    /// Seconds until the next request, where a rate limit or a retry holds it up.
    pub fn wait(&self, now: UnixSeconds) -> Option<i64> {
        let until = self.progress.waiting_until.filter(|_| self.light.is_busy())?;
        Some(until.0 - now.0).filter(|seconds| *seconds > 0)
    }

    /// Everything that is known, as headings with what stands under them.
    pub fn details(&self, now: UnixSeconds) -> Vec<(&'static str, String)> {
        let from = match self.from {
            RowsFrom::Nowhere => "",
            RowsFrom::Embedded => ", built in",
            RowsFrom::Saved => ", saved by an earlier run",
            RowsFrom::Asked => ", asked in this run",
        };
        let age = self.age(now).map(|a| format!("{} ago", crate::units::duration(a)));
        let mut details = vec![
            ("rows", format!("{}{from}", self.rows)),
            ("last success", age.unwrap_or_else(|| "never".to_string())),
        ];
        let report = self.report.clone().unwrap_or_default();
        let share = report.coverage.map(|c| format!("about {:.0} % of the market", c * 100.0));
        let seen: Vec<String> = share.into_iter().chain(report.coverage_note).collect();
        if !seen.is_empty() {
            details.push(("seen", seen.join("; ")));
        }
        let trouble = self.error.as_ref().map(ToString::to_string);
        let trouble: Vec<String> = trouble.into_iter().chain(self.note.clone()).collect();
        if !trouble.is_empty() {
            details.push(("trouble", trouble.join("; ")));
        }
        if let Some(seconds) = self.wait(now) {
            details.push(("rate limit", format!("next request in {seconds} s")));
        }
        if !report.rejected.is_empty() {
            details.push(("left out", left_out(&report.rejected)));
        }
        if !report.unknown_types.is_empty() {
            details.push(("not known", unknown(&report.unknown_types)));
        }
        let key = report.key_hint.unwrap_or_else(|| "none is used".to_string());
        details.push(("key", key));
        details
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
        if let Some(seconds) = self.wait(now) {
            let _ = write!(line, "; next request in {seconds} s");
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

/// Rows that are no offers: `3 rows: no price; 1 row: no GPU name`.
pub fn left_out(rejected: &[(&'static str, usize)]) -> String {
    let words = |(why, rows): &(&str, usize)| match rows {
        1 => format!("1 row: {why}"),
        n => format!("{n} rows: {why}"),
    };
    rejected.iter().map(words).collect::<Vec<_>>().join("; ")
}

/// Machine types of which nobody says what is inside: the first few, and how many more.
pub fn unknown(types: &[(Text, usize)]) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<&str> = types.iter().take(SHOWN).map(|(name, _)| name.as_str()).collect();
    match types.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_details_say_rows_success_share_trouble_and_key() {
        let mut status = Status::new(Provider::Vast);
        status.rows = 5;
        status.from = RowsFrom::Embedded;
        status.as_of = Some(UnixSeconds(100));
        status.light = Light::Fetching;
        status.progress.waiting_until = Some(UnixSeconds(172));
        status.error = Some(FetchError::Timeout(12));
        status.report = Some(Report {
            coverage: Some(0.79),
            coverage_note: Some("rate limit after 10 pages of 64".to_string()),
            rejected: vec![("a price of zero", 1), ("no GPU count", 3)],
            unknown_types: ["a", "b", "c", "d", "e"].map(|t| (Text::new(t), 1)).to_vec(),
            key_hint: Some("…cdef".to_string()),
            ..Report::default()
        });
        let details = status.details(UnixSeconds(160));
        let wanted = [
            ("rows", "5, built in"),
            ("last success", "60s ago"),
            ("seen", "about 79 % of the market; rate limit after 10 pages of 64"),
            ("trouble", "no answer within 12 s"),
            ("rate limit", "next request in 12 s"),
            ("left out", "1 row: a price of zero; 3 rows: no GPU count"),
            ("not known", "a, b, c, d and 1 more"),
            ("key", "…cdef"),
        ];
        assert_eq!(details.len(), wanted.len());
        for ((name, words), (wanted, said)) in details.iter().zip(wanted) {
            assert_eq!((*name, words.as_str()), (wanted, said));
        }
        assert_eq!(status.wait(UnixSeconds(172)), None);
    }
}
