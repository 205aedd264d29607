//! Texts kept once: a dictionary whose letters lie in one arena, so that a distinct name costs its
//! letters and a dozen bytes.

use std::hash::{BuildHasher, RandomState};

const FREE: u32 = u32::MAX;

/// A dictionary of texts; each distinct text has a code, counted from zero.
#[derive(Debug, Default)]
pub(crate) struct Names {
    letters: String,
    /// Where each text ends in `letters`.
    ends: Vec<u32>,
    /// Codes by hash, open addressing; a power of two long, or empty.
    places: Vec<u32>,
    hasher: RandomState,
}

impl Names {
    /// The code of `text`, which enters the dictionary when it is new.
    pub(crate) fn code(&mut self, text: &str) -> u32 {
        if (self.ends.len() + 1) * 4 > self.places.len() * 3 {
            self.widen();
        }
        let mut at = self.start(text);
        loop {
            match self.places.get(at).copied() {
                Some(FREE) | None => break,
                Some(code) if self.get(code) == text => return code,
                Some(_) => at = (at + 1) & (self.places.len() - 1),
            }
        }
        let code = self.ends.len() as u32;
        self.letters.push_str(text);
        self.ends.push(self.letters.len() as u32);
        if let Some(place) = self.places.get_mut(at) {
            *place = code;
        }
        code
    }

    /// The code of `text`, when it is in the dictionary.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        if self.places.is_empty() {
            return None;
        }
        let mut at = self.start(text);
        loop {
            match self.places.get(at).copied()? {
                FREE => return None,
                code if self.get(code) == text => return Some(code),
                _ => at = (at + 1) & (self.places.len() - 1),
            }
        }
    }

    /// The text of a code; empty for a code that was never given out.
    pub(crate) fn get(&self, code: u32) -> &str {
        let at = code as usize;
        let from = if at == 0 { 0 } else { self.ends.get(at - 1).map_or(0, |e| *e as usize) };
        self.ends.get(at).and_then(|to| self.letters.get(from..*to as usize)).unwrap_or("")
    }

    /// How many texts there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.letters.capacity() + (self.ends.capacity() + self.places.capacity()) * 4
    }

    /// Gives back what was reserved and is not used.
    pub(crate) fn shrink(&mut self) {
        self.letters.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    fn start(&self, text: &str) -> usize {
        self.hasher.hash_one(text) as usize & (self.places.len().wrapping_sub(1))
    }

    fn widen(&mut self) {
        let wanted = (self.places.len() * 2).max(16);
        self.places = vec![FREE; wanted];
        for code in 0..self.ends.len() as u32 {
            let mut at = self.start(self.get(code));
            while self.places.get(at).is_some_and(|p| *p != FREE) {
                at = (at + 1) & (wanted - 1);
            }
            if let Some(place) = self.places.get_mut(at) {
                *place = code;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_code_leads_back_to_its_text(texts in proptest::collection::vec(".{0,12}", 0..200)) {
            let mut names = Names::default();
            let codes: Vec<u32> = texts.iter().map(|t| names.code(t)).collect();
            for (text, code) in texts.iter().zip(&codes) {
                prop_assert_eq!(names.get(*code), text.as_str());
                prop_assert_eq!(names.find(text), Some(*code));
            }
            let distinct: std::collections::HashSet<&String> = texts.iter().collect();
            prop_assert_eq!(names.len(), distinct.len());
            prop_assert_eq!(names.find("this one is not in it"), None);
        }
    }
}
