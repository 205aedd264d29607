//! Undo and redo of what the user chose: query, order, setup.

use crate::market::SortKey;
use crate::setup::Draft;

/// What the user chose.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The query, as it was typed.
    pub query: String,
    /// The sort keys.
    pub sort: Vec<SortKey>,
    /// The setup.
    pub draft: Draft,
}

/// How many changes are kept.
const DEPTH: usize = 200;

/// Choices before and after the present one.
#[derive(Clone, Debug, Default)]
pub struct History {
    before: Vec<Choice>,
    after: Vec<Choice>,
}

impl History {
    /// `choice` is about to be replaced.
    pub fn keep(&mut self, choice: Choice) {
        if self.before.last() != Some(&choice) {
            self.before.push(choice);
        }
        if self.before.len() > DEPTH {
            self.before.remove(0);
        }
        self.after.clear();
    }

    /// The choice before `present`.
    pub fn undo(&mut self, present: Choice) -> Option<Choice> {
        let choice = self.before.pop()?;
        self.after.push(present);
        Some(choice)
    }

    /// The choice after `present`, if it was undone.
    pub fn redo(&mut self, present: Choice) -> Option<Choice> {
        let choice = self.after.pop()?;
        self.before.push(present);
        Some(choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(query: &str) -> Choice {
        Choice { query: query.into(), sort: Vec::new(), draft: Draft::default() }
    }

    #[test]
    fn undone_changes_come_back_until_something_else_is_chosen() {
        let mut history = History::default();
        history.keep(choice("a"));
        history.keep(choice("b"));
        assert_eq!(history.undo(choice("c")), Some(choice("b")));
        assert_eq!(history.undo(choice("b")), Some(choice("a")));
        assert_eq!(history.undo(choice("a")), None);
        assert_eq!(history.redo(choice("a")), Some(choice("b")));
        history.keep(choice("b"));
        assert_eq!(history.redo(choice("x")), None);
    }
}
