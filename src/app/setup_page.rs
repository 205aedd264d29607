//! The editor of the training setup: every field, its value, whose choice it is.

use super::line::Line;
use super::pick::Picker;
use crate::setup::{Draft, Field, Setup};
use crate::units::{Gib, Usd};

/// How a field is being changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// By typing.
    Line(Line),
    /// By choosing a model.
    Model(Box<Picker>),
}

/// What the selected offer needed and cost when the page was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Before {
    /// Which offer.
    pub id: String,
    /// Memory needed.
    pub needed: Option<Gib>,
    /// Total.
    pub total: Option<Usd>,
}

/// The page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetupPage {
    /// Which field, as an index of [`Field::ALL`].
    pub selected: usize,
    /// The change under way.
    pub edit: Option<Edit>,
    /// What is wrong with the last change.
    pub mistake: Option<String>,
    /// What it was before.
    pub before: Option<Before>,
}

impl SetupPage {
    /// The selected field.
    pub fn field(&self) -> Field {
        Field::ALL.get(self.selected).copied().unwrap_or(Field::Model)
    }

    /// Moves by `by` fields.
    pub fn step(&mut self, by: isize) {
        self.selected = self.selected.saturating_add_signed(by).min(Field::ALL.len() - 1);
        self.mistake = None;
    }
}

/// The value of a field that is in force: the user's, or what it was filled with.
pub fn value(setup: &Setup, draft: &Draft, field: Field) -> Option<String> {
    if field == Field::Model {
        return Some(setup.model.name.clone());
    }
    draft.get(field).or_else(|| setup.to_draft().get(field))
}

/// The next value of a field, or the one before: the next word of its list, or twice or half the
/// figure.
pub fn neighbour(setup: &Setup, draft: &Draft, field: Field, up: bool) -> Option<String> {
    let present = value(setup, draft, field);
    let words = field.choices();
    if !words.is_empty() {
        let at = present.and_then(|p| words.iter().position(|w| *w == p));
        let next = match (at, up) {
            (None, _) => 0,
            (Some(at), true) => (at + 1) % words.len(),
            (Some(at), false) => (at + words.len() - 1) % words.len(),
        };
        return words.get(next).map(ToString::to_string);
    }
    let present = present?;
    let digits = present.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(present.len());
    let (number, unit) = present.split_at(digits);
    let number: f64 = number.parse().ok()?;
    let next = match (field, up) {
        (Field::Epochs, true) => number + 1.0,
        (Field::Epochs, false) => (number - 1.0).max(1.0),
        (Field::LoraDropout, true) => number + 0.05,
        (Field::LoraDropout, false) => (number - 0.05).max(0.0),
        (_, true) => number * 2.0,
        (Field::DatasetSize | Field::ImageSize | Field::Disk | Field::CheckpointEvery, false) => {
            number / 2.0
        }
        (_, false) if unit.is_empty() => (number / 2.0).floor().max(1.0),
        (_, false) => number / 2.0,
    };
    let text = format!("{next:.2}");
    Some(format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.')))
}
