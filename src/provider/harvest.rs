//! What a fetch has brought together: offers, and the rows that were none, each with its reason.
//!
//! For sources whose whole answer is read at once. Rows with one key that say the same are one row;
//! where they differ, the first stays and is flagged, so that no order of rows changes a price.

use super::rows::whole;
use super::{FetchError, Progress, Report, Sink, price_flags};
use crate::gpu::catalogue;
use crate::offer::{Flags, Hardware, Offer, Price, Text};
use crate::units::UsdPerHour;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Dollars per GPU-hour above which a price is no price.
pub(super) const DEAREST: f64 = 1000.0;
/// Difference above which a stated memory is not that of the card.
const SAME_MEMORY: f64 = 0.15;
/// Offers handed over at a time.
const BATCH: usize = 512;

/// Dollars an hour, to the millionth: a product or a sum of prices without the noise of its digits.
pub(super) fn dollars(value: f64) -> UsdPerHour {
    UsdPerHour::new((value * 1e6).round() / 1e6)
}

/// Why a row is no offer.
pub(super) type Reason = &'static str;

/// Offers and rejected rows.
#[derive(Debug, Default)]
pub(super) struct Harvest {
    offers: Vec<Offer>,
    at: HashMap<Text, usize>,
    rejected: BTreeMap<Reason, usize>,
}

impl Harvest {
    /// Counts a row that is none.
    pub(super) fn reject(&mut self, why: Reason) {
        *self.rejected.entry(why).or_default() += 1;
    }

    /// Takes an offer, or counts why it is none.
    pub(super) fn take(&mut self, offer: Result<Offer, Reason>) {
        match offer {
            Ok(offer) => self.put(offer),
            Err(why) => self.reject(why),
        }
    }

    fn put(&mut self, offer: Offer) {
        if let Some(known) = self.at.get(&offer.key).and_then(|i| self.offers.get_mut(*i)) {
            let alike = Offer { flags: known.flags, ..offer } == *known;
            if !alike {
                known.flags = known.flags.with(Flags::CONFLICTING);
            }
            return;
        }
        self.at.insert(offer.key.clone(), self.offers.len());
        self.offers.push(offer);
    }

    /// The offers so far.
    pub(super) fn offers(&self) -> &[Offer] {
        &self.offers
    }

    /// Rows that were none, by reason.
    pub(super) fn rejected(&self) -> Vec<(Reason, usize)> {
        self.rejected.iter().map(|(why, n)| (*why, *n)).collect()
    }

    /// Hands everything over and tells how it went. `notes` say why the market is not whole.
    pub(super) async fn deliver(
        self,
        sink: &Sink,
        notes: Vec<String>,
    ) -> Result<Report, FetchError> {
        let rejected = self.rejected();
        let rows = self.offers.len();
        if rows == 0 {
            let bad: usize = rejected.iter().map(|(_, n)| n).sum();
            return Err(match bad {
                0 => FetchError::Empty,
                n => FetchError::Unreadable(format!("none of its {n} rows can be used")),
            });
        }
        let mut offers = self.offers.into_iter();
        let mut done = 0;
        while done < rows {
            let batch: Vec<Offer> = offers.by_ref().take(BATCH).collect();
            done += batch.len();
            let progress = Progress { rows: done, total: Some(rows), waiting_until: None };
            if !(sink.rows(batch).await && sink.progress(progress).await) {
                return Err(FetchError::unheard());
            }
        }
        let coverage_note = (!notes.is_empty()).then(|| notes.join("; "));
        Ok(Report { rows, coverage_note, rejected, ..Report::default() })
    }
}

/// The whole answer as a tree.
pub(super) fn tree(bytes: &[u8]) -> Result<Value, FetchError> {
    whole(bytes)
}

/// The rows of the list (or the object) that is the member `name` of `tree`; the tree itself when it
/// is a bare list. `None` when there is neither.
pub(super) fn list<'a>(tree: &'a Value, name: &str) -> Option<Vec<(&'a str, &'a Value)>> {
    match tree.get(name).unwrap_or(tree) {
        Value::Array(rows) => Some(rows.iter().map(|row| ("", row)).collect()),
        Value::Object(rows) if tree.get(name).is_some() => {
            Some(rows.iter().map(|(key, row)| (key.as_str(), row)).collect())
        }
        _ => None,
    }
}

/// What looks wrong about the figures of an offer.
pub(super) fn flags(hardware: &Hardware, price: &Price, cleaned: bool) -> Flags {
    let mut flags = price_flags(price, hardware.gpus);
    let mut set = |when: bool, flag: Flags| {
        if when {
            flags = flags.with(flag);
        }
    };
    let card = hardware.gpu.and_then(|id| catalogue().get(id)).map(|c| c.memory.get());
    let whole = hardware.gpus >= 1.0;
    let odd_memory = hardware.vram.zip(card).is_some_and(|(stated, nominal)| {
        whole && (stated.get() / nominal - 1.0).abs() > SAME_MEMORY
    });
    set(odd_memory, Flags::ODD_MEMORY);
    set(cleaned, Flags::CLEANED);
    flags
}

/// Numbers of GPUs to offer where up to `most` can be had: the powers of two, and all of them.
pub(super) fn counts(most: u64) -> Vec<u64> {
    let mut counts: Vec<u64> =
        [1, 2, 4, 8, 16].into_iter().chain([most]).filter(|n| *n <= most).collect();
    counts.sort_unstable();
    counts.dedup();
    counts.retain(|n| *n > 0);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_bare_wrapped_or_as_objects() {
        let bare = tree(b"[1,2]").unwrap();
        assert_eq!(list(&bare, "rows").unwrap().len(), 2);
        let wrapped = tree(br#"{"rows":[1]}"#).unwrap();
        assert_eq!(list(&wrapped, "rows").unwrap().len(), 1);
        let keyed = tree(br#"{"rows":{"a":1,"b":2}}"#).unwrap();
        let names: Vec<&str> = list(&keyed, "rows").unwrap().iter().map(|(k, _)| *k).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(list(&tree(br#"{"error":"no"}"#).unwrap(), "rows").is_none());
        assert!(list(&tree(br#"{"rows":null}"#).unwrap(), "rows").is_none());
    }

    #[test]
    fn words_that_are_no_json_cost_one_figure() {
        let tree = tree(br#"{"rows":[{"a":NaN,"b":1e999,"c":2}]}"#).unwrap();
        assert_eq!(tree["rows"][0]["c"], 2);
        assert!(tree["rows"][0]["a"].is_null());
    }

    #[test]
    fn counts_are_powers_of_two_and_all() {
        assert_eq!(counts(0), [] as [u64; 0]);
        assert_eq!(counts(1), [1]);
        assert_eq!(counts(6), [1, 2, 4, 6]);
        assert_eq!(counts(10), [1, 2, 4, 8, 10]);
    }
}
