//! Combinations of values that many rows share (place, fees, card, terms), kept once.

use std::hash::{BuildHasher, Hash, RandomState};

const FREE: u32 = u32::MAX;

/// A dictionary of values; each distinct value has a code, counted from zero.
#[derive(Debug)]
pub(crate) struct Distinct<T> {
    values: Vec<T>,
    /// Codes by hash, open addressing; a power of two long, or empty.
    places: Vec<u32>,
    hasher: RandomState,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self { values: Vec::new(), places: Vec::new(), hasher: RandomState::new() }
    }
}

impl<T: Hash + Eq> Distinct<T> {
    /// The code of `value`, which enters the dictionary when it is new.
    pub(crate) fn code(&mut self, value: T) -> u32 {
        if (self.values.len() + 1) * 4 > self.places.len() * 3 {
            self.widen();
        }
        let mut at = self.start(&value);
        while let Some(code) = self.places.get(at).copied().filter(|p| *p != FREE) {
            if self.values.get(code as usize) == Some(&value) {
                return code;
            }
            at = (at + 1) & (self.places.len() - 1);
        }
        let code = self.values.len() as u32;
        self.values.push(value);
        if let Some(place) = self.places.get_mut(at) {
            *place = code;
        }
        code
    }

    fn start(&self, value: &T) -> usize {
        self.hasher.hash_one(value) as usize & self.places.len().wrapping_sub(1)
    }

    fn widen(&mut self) {
        let wanted = (self.places.len() * 2).max(16);
        self.places = vec![FREE; wanted];
        for (code, value) in self.values.iter().enumerate() {
            let mut at = self.start(value);
            while self.places.get(at).is_some_and(|p| *p != FREE) {
                at = (at + 1) & (wanted - 1);
            }
            if let Some(place) = self.places.get_mut(at) {
                *place = code as u32;
            }
        }
    }
}

impl<T> Distinct<T> {
    /// The value of a code.
    pub(crate) fn get(&self, code: u32) -> Option<&T> {
        self.values.get(code as usize)
    }

    /// All values, in the order of their codes.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// Bytes held, without what the values themselves point to.
    pub(crate) fn bytes(&self) -> usize {
        self.values.capacity() * std::mem::size_of::<T>() + self.places.capacity() * 4
    }

    /// Gives back what was reserved and is not used.
    pub(crate) fn shrink(&mut self) {
        self.values.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_a_code() {
        let mut places = Distinct::default();
        assert_eq!([places.code("a"), places.code("b"), places.code("a")], [0, 1, 0]);
        assert_eq!(places.get(1), Some(&"b"));
        assert_eq!(places.get(2), None);
        assert_eq!(places.values(), ["a", "b"]);
    }
}
