//! What is wrong with a query, where, and what was probably meant.

use std::ops::Range;

/// Why a text is no query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", .suggestion.as_ref().map(|s| format!(" (did you mean `{s}`?)")).unwrap_or_default())]
pub struct QueryError {
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// What is wrong and what would be right.
    pub message: String,
    /// What could stand at `span` instead.
    pub suggestion: Option<String>,
}

impl QueryError {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), suggestion: None }
    }

    pub(crate) fn suggest(mut self, suggestion: Option<String>) -> Self {
        self.suggestion = suggestion;
        self
    }
}

/// The word of `words` that `word` was probably meant to be.
pub(crate) fn nearest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    if word.is_empty() {
        return None;
    }
    let limit = 1 + word.chars().count() / 4;
    words
        .map(|w| (distance(&word, w), w))
        .filter(|(d, w)| *d <= limit || (word.len() >= 3 && w.starts_with(&word)))
        .min_by_key(|(d, _)| *d)
        .map(|(_, w)| w)
}

/// How many letters must be changed, added, dropped or swapped with their neighbour
/// (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let cell =
                |r: usize, c: usize| rows.get(r).and_then(|x| x.get(c)).copied().unwrap_or(0);
            let differs = usize::from(a.get(i - 1) != b.get(j - 1));
            let left = row.last().copied().unwrap_or(0);
            let mut best = (cell(i - 1, j) + 1).min(left + 1).min(cell(i - 1, j - 1) + differs);
            let swapped =
                i > 1 && j > 1 && a.get(i - 1) == b.get(j - 2) && a.get(i - 2) == b.get(j - 1);
            if swapped {
                best = best.min(cell(i - 2, j - 2) + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows.last().and_then(|r| r.last()).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let words = ["vram", "region", "rel", "reliability", "provider"];
        assert_eq!(nearest("vrma", words.into_iter()), Some("vram"));
        assert_eq!(nearest("regoin", words.into_iter()), Some("region"));
        assert_eq!(nearest("relaibility", words.into_iter()), Some("reliability"));
        assert_eq!(nearest("xyzzy", words.into_iter()), None);
        assert_eq!(nearest("", words.into_iter()), None);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("", "abc"), 3);
    }
}
