//! Pages that are read, not edited.

use crate::market::why::Why;

/// What a page is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetKind {
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
