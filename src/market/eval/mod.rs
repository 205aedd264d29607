//! A query over the columns: each condition becomes two sets of rows, those that meet it and those
//! that do not state what it asks about.

mod number;
mod place;
mod priced;
mod region;
mod text;

pub(crate) use number::{Source, Threshold, figure, nominal, source};
pub(crate) use priced::{Figure, Figures, Priced, PricedColumns};

use super::bits::Bits;
use super::parallel::fill_words;
use super::query::{Condition, Expr, Field, Kind};
use super::table::Table;
use crate::estimate::class::ClassEstimate;
use crate::estimate::quote::PriceKind;
use crate::units::UnixSeconds;

/// Everything that a condition can ask about: the table, and what was computed from the setup.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) table: &'a Table,
    pub(crate) classes: &'a [ClassEstimate],
    /// Which price the rows are made of.
    pub(crate) kind: PriceKind,
    /// Totals and hours of the rows.
    pub(crate) priced: Priced<'a>,
    /// Disk that the job needs or that was asked for, GB.
    pub(crate) disk: f64,
    pub(crate) now: UnixSeconds,
}

/// Which rows meet a condition, and which do not state what it asks about; no row is in both.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Truth {
    pub(crate) yes: Bits,
    pub(crate) unknown: Bits,
}

impl Frame<'_> {
    /// Is the largest disk of the offer smaller than the job's?
    pub(crate) fn is_disk_short(&self, slot: usize) -> bool {
        self.table.columns().disk.get(slot).is_some_and(|disk| *disk < self.disk)
    }
}

/// What one row says to a condition. Its number has the bits that [`pack`] gathers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Answer {
    No = 0,
    Yes = YES,
    Unknown = UNKNOWN,
}

const YES: u8 = 1;
const UNKNOWN: u8 = 2;

/// Gathers bit `bit` of 64 bytes into a word, the first byte lowest: eight bytes at a time are
/// multiplied so that their bits meet in the top byte.
pub(crate) fn pack(answers: &[u8; 64], bit: u32) -> u64 {
    let mut word = 0;
    for (at, eight) in answers.as_chunks::<8>().0.iter().enumerate() {
        let bits = u64::from_le_bytes(*eight) >> bit & 0x0101_0101_0101_0101;
        word |= (bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (at * 8);
    }
    word
}

impl Answer {
    fn from_bool(yes: bool) -> Answer {
        if yes { Answer::Yes } else { Answer::No }
    }
}

impl Truth {
    /// Asks every slot, on two threads where there are many.
    pub(crate) fn ask(slots: usize, answer: impl Fn(usize) -> Answer + Sync) -> Truth {
        Truth::ask_by_64(slots, |first, answers| {
            for (at, cell) in answers.iter_mut().enumerate().take(slots - first) {
                *cell = answer(first + at) as u8;
            }
        })
    }

    /// Asks a column of figures, NaN being unknown.
    pub(crate) fn ask_column(
        column: &[f64],
        slots: usize,
        meets: impl Fn(f64) -> bool + Sync,
    ) -> Truth {
        Truth::ask_by_64(slots, |first, answers| {
            let figures = column.get(first..column.len().min(slots)).unwrap_or_default();
            for (cell, v) in answers.iter_mut().zip(figures) {
                *cell = (u8::from(meets(*v)) * YES) | (u8::from(v.is_nan()) * UNKNOWN);
            }
        })
    }

    /// Asks a column of codes, each of which has its answer.
    pub(crate) fn ask_codes(codes: &[u32], slots: usize, answers: &[Answer]) -> Truth {
        Truth::ask_by_64(slots, |first, cells| {
            let codes = codes.get(first..codes.len().min(slots)).unwrap_or_default();
            for (cell, code) in cells.iter_mut().zip(codes) {
                *cell = answers.get(*code as usize).map_or(0, |a| *a as u8);
            }
        })
    }

    fn ask_by_64(slots: usize, fill: impl Fn(usize, &mut [u8; 64]) + Sync) -> Truth {
        let mut truth = Truth { yes: Bits::none(slots), unknown: Bits::none(slots) };
        fill_words(truth.yes.words_mut(), truth.unknown.words_mut(), |at| {
            let mut answers = [0; 64];
            fill(at * 64, &mut answers);
            (pack(&answers, 0), pack(&answers, 1))
        });
        truth
    }

    fn constant(slots: usize, yes: bool) -> Truth {
        Truth { yes: Bits::from_fn(slots, |_| yes), unknown: Bits::none(slots) }
    }

    fn negate(&mut self) {
        let len = self.yes.len();
        let all = Bits::from_fn(len, |_| true);
        self.yes.zip(&self.unknown, |yes, unknown| !(yes | unknown));
        self.yes.zip(&all, |yes, all| yes & all);
    }

    /// Rows that do not state it count as meeting it.
    fn keep_unknown(&mut self) {
        self.yes.zip(&self.unknown, |yes, unknown| yes | unknown);
        self.unknown = Bits::none(self.yes.len());
    }

    fn and(&mut self, other: &Truth) {
        let mut possible = self.possible();
        possible.zip(&other.possible(), |a, b| a & b);
        self.yes.zip(&other.yes, |a, b| a & b);
        possible.zip(&self.yes, |possible, yes| possible & !yes);
        self.unknown = possible;
    }

    fn or(&mut self, other: &Truth) {
        self.yes.zip(&other.yes, |a, b| a | b);
        self.unknown.zip(&other.unknown, |a, b| a | b);
        self.unknown.zip(&self.yes, |unknown, yes| unknown & !yes);
    }

    /// Rows that meet it, or (where unknown is as good) may meet it.
    pub(crate) fn yes_or(&self, keep_unknown: bool) -> Bits {
        if keep_unknown { self.possible() } else { self.yes.clone() }
    }

    fn possible(&self) -> Bits {
        let mut possible = self.yes.clone();
        possible.zip(&self.unknown, |a, b| a | b);
        possible
    }
}

/// Asks all slots of the frame's table.
pub(crate) fn evaluate(expr: &Expr, frame: &Frame<'_>) -> Truth {
    match expr {
        Expr::And(list) => fold(list, frame, Truth::and),
        Expr::Or(list) => fold(list, frame, Truth::or),
        Expr::Not(inner) => {
            let (mut truth, keep) = match &**inner {
                Expr::Test(c) => (test(c, frame), c.keep_unknown),
                other => (evaluate(other, frame), false),
            };
            truth.negate();
            if keep {
                truth.keep_unknown();
            }
            truth
        }
        Expr::Test(condition) => {
            let mut truth = test(condition, frame);
            if condition.keep_unknown {
                truth.keep_unknown();
            }
            truth
        }
        Expr::Word { text, exact } => text::word(text, *exact, frame),
    }
}

fn fold(list: &[Expr], frame: &Frame<'_>, join: impl Fn(&mut Truth, &Truth)) -> Truth {
    let mut truths = list.iter().map(|e| evaluate(e, frame));
    let mut first = truths.next().unwrap_or_else(|| Truth::constant(frame.table.slots(), true));
    truths.for_each(|t| join(&mut first, &t));
    first
}

fn test(condition: &Condition, frame: &Frame<'_>) -> Truth {
    match condition.field.info().kind {
        Kind::Number(_) => {
            let threshold = Threshold::new(&condition.test);
            source(condition.field, frame).map_or_else(
                || Truth::constant(frame.table.slots(), false),
                |source| source.test(&threshold, frame.table.slots()),
            )
        }
        Kind::Text | Kind::Choice(_) => text::test(condition.field, &condition.test, frame),
    }
}

/// Does the field change with the setup, or with the price that counts?
pub(crate) fn depends_on_setup(field: Field) -> bool {
    matches!(
        field,
        Field::Total
            | Field::Hours
            | Field::Fetch
            | Field::FetchTime
            | Field::Fit
            | Field::Headroom
            | Field::Need
            | Field::Speed
            | Field::Flag
    )
}

/// Is the field's figure worked out row by row from the setup?
pub(crate) fn is_priced(field: Field) -> bool {
    matches!(field, Field::Total | Field::Hours | Field::Fetch | Field::FetchTime)
}

/// Does the field change with the price that the row is made of?
pub(crate) fn depends_on_kind(field: Field) -> bool {
    matches!(
        field,
        Field::Price
            | Field::Each
            | Field::Pricing
            | Field::Total
            | Field::Hours
            | Field::Fetch
            | Field::FetchTime
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packed_bits_are_the_bytes(bytes in proptest::collection::vec(0u8..4, 64)) {
            let array: [u8; 64] = bytes.clone().try_into().unwrap();
            for bit in 0..2 {
                let word = pack(&array, bit);
                for (at, byte) in bytes.iter().enumerate() {
                    prop_assert_eq!(word >> at & 1, u64::from(byte >> bit & 1));
                }
            }
        }
    }
}
