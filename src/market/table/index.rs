//! From provider and key to the slot: four bytes an entry, the keys stay in the arena.

use std::hash::{BuildHasher, RandomState};

const FREE: u32 = u32::MAX;
const TAKEN_OUT: u32 = u32::MAX - 1;

/// An open-addressed index of slots by the hash of what they hold.
#[derive(Debug, Default)]
pub(crate) struct Index {
    places: Vec<u32>,
    used: usize,
    hasher: RandomState,
}

impl Index {
    /// The hash of a row's identity.
    pub(crate) fn hash(&self, provider: u8, key: &str) -> u64 {
        self.hasher.hash_one((provider, key))
    }

    /// The slot with this hash for which `same` holds.
    pub(crate) fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mut at = self.start(hash)?;
        loop {
            match *self.places.get(at)? {
                FREE => return None,
                TAKEN_OUT => {}
                slot if same(slot) => return Some(slot),
                _ => {}
            }
            at = (at + 1) & (self.places.len() - 1);
        }
    }

    /// Enters a slot that is not in it. `hash_of` tells the hash of any slot, for when room is made.
    pub(crate) fn insert(&mut self, hash: u64, slot: u32, hash_of: impl Fn(&Self, u32) -> u64) {
        if (self.used + 1) * 5 > self.places.len() * 4 {
            self.widen(hash_of);
        }
        self.place(hash, slot);
    }

    /// Takes a slot out.
    pub(crate) fn remove(&mut self, hash: u64, slot: u32) {
        let Some(mut at) = self.start(hash) else { return };
        while let Some(place) = self.places.get_mut(at) {
            if *place == FREE {
                return;
            }
            if *place == slot {
                *place = TAKEN_OUT;
                return;
            }
            at = (at + 1) & (self.places.len() - 1);
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.places.capacity() * 4
    }

    fn start(&self, hash: u64) -> Option<usize> {
        (!self.places.is_empty()).then(|| hash as usize & (self.places.len() - 1))
    }

    fn place(&mut self, hash: u64, slot: u32) {
        let Some(mut at) = self.start(hash) else { return };
        while self.places.get(at).is_some_and(|p| *p < TAKEN_OUT) {
            at = (at + 1) & (self.places.len() - 1);
        }
        if let Some(place) = self.places.get_mut(at) {
            self.used += usize::from(*place == FREE);
            *place = slot;
        }
    }

    fn widen(&mut self, hash_of: impl Fn(&Self, u32) -> u64) {
        let kept: Vec<u32> = self.places.iter().copied().filter(|p| *p < TAKEN_OUT).collect();
        let wanted = ((kept.len() + 1) * 5 / 4 + 1).next_power_of_two().max(16);
        // A load above 0.8 even after the tombstones went needs the next power of two.
        let wanted = if (kept.len() + 1) * 5 > wanted * 4 { wanted * 2 } else { wanted };
        self.places = vec![FREE; wanted];
        self.used = 0;
        for slot in kept {
            let hash = hash_of(self, slot);
            self.place(hash, slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn it_finds_what_is_in_it_and_nothing_else(steps in proptest::collection::vec((0u32..60, any::<bool>()), 0..400)) {
            let mut index = Index::default();
            let mut model: HashSet<u32> = HashSet::new();
            let name = |slot: u32| format!("key {slot}");
            for (slot, put) in steps {
                let hash = index.hash(0, &name(slot));
                if put && !model.contains(&slot) {
                    index.insert(hash, slot, |i, s| i.hash(0, &name(s)));
                    model.insert(slot);
                } else if !put {
                    index.remove(hash, slot);
                    model.remove(&slot);
                }
                for probe in 0..60 {
                    let found = index.find(index.hash(0, &name(probe)), |s| s == probe);
                    prop_assert_eq!(found.is_some(), model.contains(&probe));
                }
            }
        }
    }
}
