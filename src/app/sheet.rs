//! Pages that are read, not edited.

use crate::market::ViewRow;
use crate::market::why::{Checklist, Why};

/// What a page is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetKind {
    /// The current cell: what it is, who says so, when.
    Cell,
    /// Every figure of the selected offer: value, basis, source, age.
    Detail,
    /// The marked offers side by side.
    Compare,
    /// The providers.
    Providers,
}

/// A page with a selected line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// What it is about.
    pub kind: SheetKind,
    /// The selected line.
    pub at: usize,
}

/// Why lines are hidden, and what would bring them back.
#[derive(Clone, Debug, PartialEq)]
pub struct WhyPage {
    /// The answer, as of the last message.
    pub why: Why,
    /// The selected proposal.
    pub at: usize,
}

/// Why one offer is hidden, condition by condition, and what would show it.
#[derive(Clone, Debug, PartialEq)]
pub struct WhyNotPage {
    /// Which line.
    pub line: ViewRow,
    /// The offer's id.
    pub id: String,
    /// The offer in a few words.
    pub words: String,
    /// The answer, as of the last message.
    pub list: Checklist,
}
