//! What the title says about the market: live, saved, or the snapshot inside the program.

use crate::session::{RowsFrom, Status};
use crate::units::{UnixSeconds, duration};

/// What is on the screen, in words: `built in, 2026-05-16 to 2026-09-15`, `saved, 3h old`,
/// `live`. Where the providers differ, the oldest and the newest are named.
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
    let oldest_and_newest = |from| {
        let times = || with_rows().filter(|s| s.from == from).filter_map(|s| s.as_of);
        times().min().zip(times().max())
    };
    if let Some((oldest, newest)) = oldest_and_newest(RowsFrom::Saved) {
        let age = |at: UnixSeconds| duration(at.age_at(now));
        parts.push(format!("saved, {} old", span(age(newest), &age(oldest))));
    }
    if let Some((oldest, newest)) = oldest_and_newest(RowsFrom::Embedded) {
        parts.push(format!("built in, {}", span(date(oldest), &date(newest))));
    }
    if parts.is_empty() {
        parts.push("no offers yet".to_string());
    }
    let offline = if offline { "OFFLINE · " } else { "" };
    format!("{offline}{}", parts.join(" · "))
}

/// `from to to`; once where both read the same.
fn span(from: String, to: &str) -> String {
    if from == to { from } else { format!("{from} to {to}") }
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
        assert_eq!(words(std::slice::from_ref(&embedded), false, now), "built in, 2025-11-30");
        assert_eq!(
            words(std::slice::from_ref(&embedded), true, now),
            "OFFLINE · built in, 2025-11-30"
        );
        let older = status(Provider::Gcp, RowsFrom::Embedded, day - 86_400);
        assert_eq!(
            words(&[embedded.clone(), older], false, now),
            "built in, 2025-11-29 to 2025-11-30"
        );
        let live = status(Provider::Vast, RowsFrom::Asked, now.0);
        assert_eq!(words(std::slice::from_ref(&live), false, now), "live");
        assert_eq!(words(&[live, embedded], false, now), "live: vast · built in, 2025-11-30");
        let saved = status(Provider::Vast, RowsFrom::Saved, now.0 - 10_800);
        assert_eq!(words(std::slice::from_ref(&saved), false, now), "saved, 3h old");
        let newer = status(Provider::Aws, RowsFrom::Saved, now.0 - 60);
        assert_eq!(words(&[saved, newer], false, now), "saved, 60s to 3h old");
    }
}
