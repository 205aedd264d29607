//! Fuzzy search. The engine (Skim's algorithm) is known only here.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

/// A word to search for.
pub(crate) struct Search {
    matcher: SkimMatcherV2,
    word: String,
    least: i64,
}

impl Search {
    /// Searches for `word`, whatever its case.
    pub(crate) fn new(word: &str) -> Self {
        // Sixteen points a letter that is found, less for gaps: below thirteen a letter, the
        // letters lie so far apart that nobody would call it a hit.
        let least = 13 * i64::try_from(word.chars().count()).unwrap_or(i64::MAX / 13);
        Self { matcher: SkimMatcherV2::default().ignore_case(), word: word.to_owned(), least }
    }

    /// Is it in `text`?
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.matcher.fuzzy_match(text, &self.word).is_some_and(|score| score >= self.least)
            && !self.positions(text).is_empty()
    }

    /// Where its letters stand in `text`, counted in characters, for highlighting.
    pub(crate) fn positions(&self, text: &str) -> Vec<usize> {
        self.matcher
            .fuzzy_indices(text, &self.word)
            .filter(|(score, at)| *score >= self.least && is_close(at))
            .map(|(_, at)| at)
            .unwrap_or_default()
    }
}

/// The letters found span no more than twice the word.
fn is_close(at: &[usize]) -> bool {
    let span = at.last().zip(at.first()).map_or(0, |(last, first)| last - first);
    span <= 2 * at.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_letters_are_a_hit_and_scattered_ones_are_not() {
        for (word, text, hit) in [
            ("4090", "RTX 4090", true),
            ("rtx490", "RTX 4090", true),
            ("frank", "Frankfurt, DE", true),
            ("a100", "A100 SXM 80GB", true),
            ("h100", "Helsinki 1, block 0, floor 0", false),
            ("4090", "RTX 3090", false),
        ] {
            assert_eq!(Search::new(word).is_in(text), hit, "{word} in {text}");
        }
        assert_eq!(Search::new("x4").positions("RTX 4090"), [2, 4]);
    }
}
