//! The market: offers in columns, the query language, the ordered view, and why a row is not in it.
//!
//! ```text
//! provider ──► Table::insert ──► Table ─┐
//!                                       ├─► View::refresh ──► View::window, excluded, why
//! text ──► Query::parse ──► Query ──────┤
//! Setup, sort keys, now ────────────────┘
//! ```

mod bits;
pub mod column;
mod complete;
mod eval;
pub mod front;
pub mod kin;
mod parallel;
pub mod query;
mod search;
mod sort;
pub mod synthetic;
mod table;
#[cfg(test)]
mod testing;
mod view;
pub mod why;
mod words;

pub use column::{Align, COLUMNS, Cell, Column, asked_for};
pub use complete::{Candidate, Completion, complete};
pub use front::FrontPoint;
pub use query::{FIELDS, Field, FieldInfo, Query, QueryError};
pub use sort::{SortBy, SortKey};
pub use table::{Census, Mark, RowId, Table};
pub use view::{Ask, Excluded, View, ViewRow};

use crate::estimate::HardwareClass;
use crate::estimate::quote::PriceKind;
use crate::units::Gib;

/// The name of a kind of price, in queries and JSON.
pub const fn kind_name(kind: PriceKind) -> &'static str {
    match kind {
        PriceKind::OnDemand => "on-demand",
        PriceKind::Spot => "spot",
    }
}

/// Where the letters of a searched word stand in a text, counted in characters; empty where it is
/// not found. For highlighting.
pub fn highlight(word: &str, text: &str) -> Vec<usize> {
    search::Search::new(word).positions(text)
}

/// The nominal memory of a class's card: 24 for a 4090 whose driver reports 23.99 GiB. What the
/// query's `vram` and the table's column mean.
pub fn nominal_vram(class: &HardwareClass) -> Option<Gib> {
    eval::nominal(class)
}
