//! What an offer is called, so that a refresh finds it again.
//!
//! Ask ids are issued anew whenever an offer is relisted, and prices move; the machine, the number of
//! its GPUs and the ids of those GPUs stay. So an offer is called after its machine and its number of
//! GPUs. Where a machine offers several slices of one size, one of them has that name and the others
//! have their first GPU's id (or, where two share even that, the ask's) after it; who had which name
//! is remembered from one refresh to the next, because rows come in the order of their prices.

use crate::offer::Text;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// What identifies a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) machine: u64,
    pub(super) gpus: u64,
    /// The id of its first GPU.
    pub(super) first: Option<u64>,
    pub(super) ask: u64,
}

impl Slice {
    fn plain(&self) -> String {
        format!("{}-{}", self.machine, self.gpus)
    }
}

/// The names of one refresh, and those of the one before.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: HashMap<Text, u64>,
    given: Vec<(Slice, Text)>,
    by_ask: HashMap<u64, Text>,
    by_gpu: HashMap<(u64, u64, u64), Text>,
    reserved: HashSet<Text>,
}

impl Names {
    /// Begins a refresh with what the one before has noted ([`Names::note`]).
    pub(super) fn after(note: &str) -> Names {
        let mut names = Names::default();
        let mut shared = HashSet::new();
        for line in note.lines() {
            let mut words = line.splitn(5, ' ');
            let mut figure = || words.next()?.parse::<u64>().ok();
            let (Some(machine), Some(gpus), Some(ask), first) =
                (figure(), figure(), figure(), figure())
            else {
                continue;
            };
            let Some(name) = words.next().map(Text::new) else { continue };
            names.by_ask.insert(ask, name.clone());
            let gpu = first.map(|first| (machine, gpus, first));
            if let Some(gpu) = gpu
                && names.by_gpu.insert(gpu, name.clone()).is_some()
            {
                shared.insert(gpu);
            }
            names.reserved.insert(name);
        }
        names.by_gpu.retain(|gpu, _| !shared.contains(gpu));
        names
    }

    /// The name of a row: the one it had, or one that nobody has.
    pub(super) fn of(&mut self, slice: Slice) -> Text {
        let gpu = slice.first.and_then(|f| self.by_gpu.get(&(slice.machine, slice.gpus, f)));
        let had = [gpu, self.by_ask.get(&slice.ask)];
        let had = had.into_iter().flatten().find(|name| self.is_free(name, slice.ask)).cloned();
        let name = had.unwrap_or_else(|| self.new_name(&slice));
        if self.taken.insert(name.clone(), slice.ask).is_none() {
            self.given.push((slice, name.clone()));
        }
        name
    }

    fn new_name(&self, slice: &Slice) -> Text {
        let plain = slice.plain();
        let numbered = slice.first.map(|first| format!("{plain}-g{first}"));
        let names = [Some(plain.clone()), numbered].into_iter().flatten().map(|n| Text::new(&n));
        let free = |name: &Text| {
            let own = self.taken.get(name) == Some(&slice.ask);
            own || (self.is_free(name, slice.ask) && !self.reserved.contains(name))
        };
        names
            .into_iter()
            .find(free)
            .unwrap_or_else(|| Text::new(&format!("{plain}-a{}", slice.ask)))
    }

    fn is_free(&self, name: &Text, ask: u64) -> bool {
        self.taken.get(name).is_none_or(|owner| *owner == ask)
    }

    /// What the next refresh must know: the names of machines that offer several slices of a size.
    pub(super) fn note(mut self) -> String {
        self.given.sort_by_key(|(s, _)| (s.machine, s.gpus));
        let mut note = String::new();
        let same = |a: &(Slice, Text), b: &(Slice, Text)| a.0.plain() == b.0.plain();
        for group in self.given.chunk_by(same).filter(|group| group.len() > 1) {
            for (s, name) in group {
                let first = s.first.map_or_else(|| "-".to_string(), |f| f.to_string());
                let _ = writeln!(note, "{} {} {} {first} {name}", s.machine, s.gpus, s.ask);
            }
        }
        note
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slice(first: u64, ask: u64) -> Slice {
        Slice { machine: 7, gpus: 2, first: Some(first), ask }
    }

    fn names(before: &str, rows: &[Slice]) -> (Vec<String>, String) {
        let mut names = Names::after(before);
        let given = rows.iter().map(|s| names.of(*s).to_string()).collect();
        (given, names.note())
    }

    #[test]
    fn the_only_slice_of_a_size_keeps_its_name_when_its_id_is_issued_anew() {
        let (given, note) = names("", &[slice(10, 1)]);
        assert_eq!((given[0].as_str(), note.as_str()), ("7-2", ""));
        // Another ask, and another pair of the machine's GPUs.
        assert_eq!(names(&note, &[slice(12, 99)]).0, ["7-2"]);
    }

    #[test]
    fn two_slices_keep_their_names_when_the_order_of_their_prices_turns() {
        let (given, note) = names("", &[slice(10, 1), slice(12, 2)]);
        assert_eq!(given, ["7-2", "7-2-g12"]);
        let (given, note) = names(&note, &[slice(12, 2), slice(10, 1)]);
        assert_eq!(given, ["7-2-g12", "7-2"]);
        // And with new ids, in either order, by their GPUs.
        let (given, _) = names(&note, &[slice(12, 55), slice(10, 56)]);
        assert_eq!(given, ["7-2-g12", "7-2"]);
    }

    #[test]
    fn two_slices_without_ids_of_gpus_are_told_apart_by_their_asks() {
        let bare = |ask| Slice { first: None, ..slice(0, ask) };
        let (given, note) = names("", &[bare(1), bare(2)]);
        assert_eq!(given, ["7-2", "7-2-a2"]);
        assert_eq!(names(&note, &[bare(2), bare(1)]).0, ["7-2-a2", "7-2"]);
        // One that is new does not take a name that another is known by.
        assert_eq!(names(&note, &[bare(3), bare(1)]).0, ["7-2-a3", "7-2"]);
    }

    #[test]
    fn the_same_ask_again_is_the_same_offer() {
        assert_eq!(names("", &[slice(10, 1), slice(10, 1)]).0, ["7-2", "7-2"]);
    }

    proptest! {
        #[test]
        fn names_are_unique_and_survive_any_order(
            rows in prop::collection::vec((0u64..4, 0u64..3), 1..12),
            turn in any::<u64>(),
        ) {
            let rows: Vec<Slice> = rows
                .iter()
                .zip(1..)
                .map(|((first, machine), ask)| Slice { machine: *machine, ..slice(*first, ask) })
                .collect();
            let (first, note) = names("", &rows);
            let unique: HashSet<&String> = first.iter().collect();
            prop_assert_eq!(unique.len(), rows.len());
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by_key(|i| (*i as u64 + 1).wrapping_mul(turn | 1) >> 7);
            let turned: Vec<Slice> = order.iter().map(|i| rows[*i]).collect();
            let (second, _) = names(&note, &turned);
            for (name, i) in second.iter().zip(&order) {
                prop_assert_eq!(name, &first[*i]);
            }
        }

        #[test]
        fn no_note_makes_it_panic(note in "[0-9 a-z\n-]{0,80}") {
            names(&note, &[slice(1, 1)]);
        }
    }
}
