//! What a fetch has brought together: offers, and the rows that were none, each with its reason.
//!
//! For sources whose whole answer is read at once. Rows with one key that say the same are one row;
//! where they differ, the dearer stays and is flagged, so that no order of rows changes a price.

use super::rows::whole;
use super::{FetchError, Progress, Report, Sink, figures};
use crate::offer::{Flags, Offer, Text};
use crate::units::UsdPerHour;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Offers handed over at a time.
const BATCH: usize = 512;

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
            let price = |o: &Offer| o.price.on_demand.or(o.price.spot).map(UsdPerHour::get);
            let alike = Offer { flags: known.flags, ..offer.clone() } == *known;
            if !alike {
                let dearer = price(&offer) > price(known);
                let flags = known.flags.with(offer.flags).with(Flags::CONFLICTING);
                *known = Offer { flags, ..if dearer { offer } else { known.clone() } };
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
        mut self,
        sink: &Sink,
        notes: Vec<String>,
    ) -> Result<Report, FetchError> {
        let rejected = self.rejected();
        let rows = self.offers.len();
        figures::mark_bargains(&mut self.offers);
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
