//! What the title says about the market: live, saved, or the snapshot inside the program.

use crate::session::{RowsFrom, Status};
use crate::units::{UnixSeconds, duration};

/// What is on the screen, in words: `snapshot of 2026-11-30`, `saved, 3h old`, `live`.
pub fn words(statuses: &[Status], offline: bool, now: UnixSeconds) -> String {
    let with_rows = || statuses.iter().filter(|s| s.rows > 0);
    let mut parts = Vec::new();
    let live: Vec<&str> =
        with_rows().filter(|s| s.from == RowsFrom::Asked).map(|s| s.provider.name()).collect();
    let others = with_rows().count() - live.len();
    if !live.is_empty() {
        let names = if others == 0 { String::new() } else { format!(": {}", live.join(", ")) };
        parts.push(format!("live{names}"));
    }
    let newest = |from| with_rows().filter(|s| s.from == from).filter_map(|s| s.as_of).max();
    if let Some(at) = newest(RowsFrom::Saved) {
        parts.push(format!("saved, {} old", duration(at.age_at(now))));
    }
    if let Some(at) = newest(RowsFrom::Embedded) {
        parts.push(format!("snapshot of {}", date(at)));
    }
    if parts.is_empty() {
        parts.push("no offers yet".to_string());
    }
    let offline = if offline { "OFFLINE · " } else { "" };
    format!("{offline}{}", parts.join(" · "))
}

/// The day in UTC: `2026-11-30`.
pub fn date(at: UnixSeconds) -> String {
    match jiff::Timestamp::from_second(at.0) {
        Ok(time) => time.strftime("%Y-%m-%d").to_string(),
        Err(_) => "an unknown day".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::Provider;

    fn status(provider: Provider, from: RowsFrom, as_of: i64) -> Status {
        Status { rows: 5, from, as_of: Some(UnixSeconds(as_of)), ..Status::new(provider) }
    }

    #[test]
    fn a_snapshot_is_never_taken_for_a_live_market() {
        let now = UnixSeconds(1_764_547_200);
        let day = 1_764_460_800;
        assert_eq!(words(&[], false, now), "no offers yet");
        let embedded = status(Provider::Aws, RowsFrom::Embedded, day);
        assert_eq!(words(std::slice::from_ref(&embedded), false, now), "snapshot of 2025-11-30");
        assert_eq!(
            words(std::slice::from_ref(&embedded), true, now),
            "OFFLINE · snapshot of 2025-11-30"
        );
        let live = status(Provider::Vast, RowsFrom::Asked, now.0);
        assert_eq!(words(std::slice::from_ref(&live), false, now), "live");
        assert_eq!(words(&[live, embedded], false, now), "live: vast · snapshot of 2025-11-30");
        let saved = status(Provider::Vast, RowsFrom::Saved, now.0 - 10_800);
        assert_eq!(words(&[saved], false, now), "saved, 3h old");
    }
}
