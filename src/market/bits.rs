//! Sets of rows as bits: one bit a row, so that a condition over a million rows is 125 kB, and
//! joining two conditions is one pass over sixteen thousand words.

/// A set of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// The empty set over `len` rows.
    pub(crate) fn none(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// The set of the rows below `len` for which `test` holds.
    pub(crate) fn from_fn(len: usize, test: impl Fn(usize) -> bool) -> Self {
        let mut set = Self::none(len);
        for (at, word) in set.words.iter_mut().enumerate() {
            *word = gather(at * 64, len, &test);
        }
        set
    }

    /// Rows that the set ranges over.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The words, lowest rows first; bits beyond `len` are zero.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Ranges over `len` rows from now on; the new ones are outside.
    pub(crate) fn resize(&mut self, len: usize) {
        self.words.resize(len.div_ceil(64), 0);
        self.len = len;
        let rest = len % 64;
        if rest != 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << rest) - 1;
        }
    }

    /// Is the row in it?
    pub(crate) fn has(&self, row: usize) -> bool {
        self.words.get(row / 64).is_some_and(|w| w >> (row % 64) & 1 == 1)
    }

    /// Puts the row in, or takes it out.
    pub(crate) fn set(&mut self, row: usize, inside: bool) {
        if let Some(word) = self.words.get_mut(row / 64) {
            let bit = 1 << (row % 64);
            if inside {
                *word |= bit;
            } else {
                *word &= !bit;
            }
        }
    }

    /// How many rows are in it.
    pub(crate) fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Combines with `other`, word by word. `f` must keep zero bits zero: `f(0, 0) == 0`.
    pub(crate) fn zip(&mut self, other: &Bits, f: impl Fn(u64, u64) -> u64) {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a = f(*a, *b);
        }
    }

    /// How many rows are in both.
    #[cfg(test)]
    pub(crate) fn count_both(&self, other: &Bits) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// Calls `f` with the rows in it that lie in the words `span`.
    pub(crate) fn each(&self, span: std::ops::Range<usize>, mut f: impl FnMut(usize)) {
        let start = span.start;
        for (at, word) in self.words.get(span).unwrap_or_default().iter().enumerate() {
            let first = (start + at) * 64;
            let mut rest = *word;
            while rest != 0 {
                f(first + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }

    /// The words, to be written; bits beyond `len` must stay zero.
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// The rows in it, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    at * 64 + bit
                })
            })
        })
    }
}

/// One word: the rows from `first` for which `test` holds, none at or beyond `len`.
fn gather(first: usize, len: usize, test: &impl Fn(usize) -> bool) -> u64 {
    let end = len.min(first + 64);
    let mut word = 0;
    for row in first..end {
        word |= u64::from(test(row)) << (row - first);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_set_holds_what_the_test_says(len in 0usize..300, step in 1usize..9) {
            let set = Bits::from_fn(len, |row| row % step == 0);
            let rows: Vec<usize> = (0..len).filter(|r| r % step == 0).collect();
            prop_assert_eq!(set.count(), rows.len());
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), rows);
            prop_assert!(!set.has(len));
        }

        #[test]
        fn shrinking_forgets_what_lay_beyond(len in 1usize..300, cut in 0usize..300) {
            let mut set = Bits::from_fn(len, |_| true);
            let cut = cut.min(len);
            set.resize(cut);
            set.resize(len);
            prop_assert_eq!(set.count(), cut);
        }
    }

    #[test]
    fn rows_can_be_put_in_and_taken_out() {
        let mut set = Bits::none(70);
        set.set(69, true);
        set.set(3, true);
        set.set(3, false);
        assert_eq!(set.iter().collect::<Vec<_>>(), [69]);
        let all = Bits::from_fn(70, |_| true);
        assert_eq!(set.count_both(&all), 1);
    }
}
