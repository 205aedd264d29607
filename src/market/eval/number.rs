//! Figures: where each field's figures lie, and on which side of a threshold they are.

use super::{Answer, Figure, Frame, Priced, Truth};
use crate::gpu;
use crate::market::query::{Comparison, Field, Item, Quantity, Test};
use crate::offer::Fees;
use crate::units::{Gib, Hours, UsdPerGb, UsdPerGbMonth};

/// Where the figures of a field lie; NaN is "not stated".
pub(crate) enum Source<'a> {
    /// One for each slot.
    Column(&'a [f64]),
    /// By code.
    Coded(&'a [u32], Vec<f64>),
    /// Worked out from the setup.
    Priced(Priced<'a>, Figure),
    /// A column divided by a coded figure.
    Per(&'a [f64], &'a [u32], Vec<f64>),
    /// Hours since a moment.
    Age(&'a [u32], i64),
}

impl Source<'_> {
    /// The figure of a slot.
    pub(crate) fn get(&self, slot: usize) -> f64 {
        let at = |column: &[f64]| column.get(slot).copied().unwrap_or(f64::NAN);
        let coded = |codes: &[u32], values: &[f64]| {
            codes.get(slot).and_then(|c| values.get(*c as usize)).copied().unwrap_or(f64::NAN)
        };
        match self {
            Source::Column(column) => at(column),
            Source::Coded(codes, values) => coded(codes, values),
            Source::Priced(priced, figure) => priced.get(*figure, slot),
            Source::Per(column, codes, values) => at(column) / coded(codes, values),
            Source::Age(fetched, now) => fetched
                .get(slot)
                .map_or(f64::NAN, |f| now.saturating_sub(i64::from(*f)).max(0) as f64 / 3600.0),
        }
    }

    /// The figures of the slots from `first` on.
    pub(crate) fn fill(&self, first: usize, cells: &mut [f64; 64]) {
        fn copy(column: &[f64], first: usize, cells: &mut [f64; 64]) {
            let column = column.get(first..).unwrap_or_default();
            cells.iter_mut().zip(column).for_each(|(cell, v)| *cell = *v);
        }
        let coded = |codes: &'_ [u32], values: &[f64], cells: &mut [f64; 64]| {
            let codes = codes.get(first..).unwrap_or_default();
            for (cell, code) in cells.iter_mut().zip(codes) {
                *cell = values.get(*code as usize).copied().unwrap_or(f64::NAN);
            }
        };
        match self {
            Source::Column(column) => copy(column, first, cells),
            Source::Coded(codes, values) => coded(codes, values, cells),
            Source::Priced(priced, figure) => match priced.column(*figure) {
                Some(column) => copy(column, first, cells),
                None => {
                    cells.iter_mut().zip(first..).for_each(|(c, slot)| *c = self.get(slot));
                }
            },
            Source::Per(column, codes, values) => {
                coded(codes, values, cells);
                let column = column.get(first..).unwrap_or_default();
                cells.iter_mut().zip(column).for_each(|(cell, v)| *cell = v / *cell);
            }
            Source::Age(..) => {
                cells.iter_mut().zip(first..).for_each(|(c, slot)| *c = self.get(slot));
            }
        }
    }

    /// Which slots meet the threshold.
    pub(super) fn test(&self, threshold: &Threshold, slots: usize) -> Truth {
        match self {
            Source::Coded(codes, values) => {
                // One answer for each code; the rows only look it up.
                let answers: Vec<Answer> = values.iter().map(|v| threshold.answer(*v)).collect();
                Truth::ask_codes(codes, slots, &answers)
            }
            Source::Column(column) => threshold.test_column(column, slots),
            Source::Priced(priced, figure) if priced.column(*figure).is_some() => {
                threshold.test_column(priced.column(*figure).unwrap_or_default(), slots)
            }
            _ => Truth::ask(slots, |slot| threshold.answer(self.get(slot))),
        }
    }
}

/// What is asked of a figure, in base units.
#[derive(Clone, Debug)]
pub(crate) struct Threshold {
    /// Closed intervals, or an open one for `<` and `>`.
    parts: Vec<Part>,
    unknown_meets: bool,
    anything: bool,
}

#[derive(Clone, Copy, Debug)]
enum Part {
    Less(f64),
    AtMost(f64),
    More(f64),
    AtLeast(f64),
    Between(f64, f64),
}

impl Part {
    fn holds(self, v: f64) -> bool {
        match self {
            Part::Less(t) => v < t,
            Part::AtMost(t) => v <= t,
            Part::More(t) => v > t,
            Part::AtLeast(t) => v >= t,
            Part::Between(a, b) => v >= a && v <= b,
        }
    }
}

impl Threshold {
    pub(crate) fn new(test: &Test) -> Self {
        let mut threshold = Self { parts: Vec::new(), unknown_meets: false, anything: false };
        match test {
            Test::Compare(side, figure) => {
                let t = figure.value();
                threshold.parts.push(match side {
                    Comparison::Less => Part::Less(t),
                    Comparison::AtMost => Part::AtMost(t),
                    Comparison::More => Part::More(t),
                    Comparison::AtLeast => Part::AtLeast(t),
                });
            }
            Test::OneOf { items, .. } => items.iter().for_each(|item| threshold.add(item)),
        }
        threshold
    }

    fn add(&mut self, item: &Item) {
        match item {
            // Equal means equal but for the last digit of the arithmetic.
            Item::Is(figure) => {
                let v = figure.value();
                self.parts.push(Part::Between(v - v.abs() * 1e-9, v + v.abs() * 1e-9));
            }
            Item::Between(low, high) => self.parts.push(Part::Between(
                low.map_or(f64::NEG_INFINITY, Quantity::value),
                high.map_or(f64::INFINITY, Quantity::value),
            )),
            Item::Unknown => self.unknown_meets = true,
            Item::Anything => self.anything = true,
            Item::Matches(_) => {}
        }
    }

    /// What a figure says to it; NaN is "not stated".
    pub(crate) fn answer(&self, v: f64) -> Answer {
        if self.anything || (v.is_nan() && self.unknown_meets) {
            Answer::Yes
        } else if v.is_nan() && !self.parts.is_empty() {
            Answer::Unknown
        } else {
            Answer::from_bool(self.parts.iter().any(|p| p.holds(v)))
        }
    }

    fn test_column(&self, column: &[f64], slots: usize) -> Truth {
        if let ([part], false, false) = (self.parts.as_slice(), self.anything, self.unknown_meets) {
            return match *part {
                Part::Less(t) => Truth::ask_column(column, slots, move |v| v < t),
                Part::AtMost(t) => Truth::ask_column(column, slots, move |v| v <= t),
                Part::More(t) => Truth::ask_column(column, slots, move |v| v > t),
                Part::AtLeast(t) => Truth::ask_column(column, slots, move |v| v >= t),
                Part::Between(a, b) => Truth::ask_column(column, slots, move |v| v >= a && v <= b),
            };
        }
        let at = |slot: usize| column.get(slot).copied().unwrap_or(f64::NAN);
        Truth::ask(slots, |slot| self.answer(at(slot)))
    }
}

/// Where the figures of `field` lie; `None` for a field whose values are words.
pub(crate) fn source<'a>(field: Field, frame: &Frame<'a>) -> Option<Source<'a>> {
    let columns = frame.table.columns();
    let price = frame.priced.prices();
    Some(match field {
        Field::Price => Source::Column(price),
        Field::OnDemand => Source::Column(&columns.on_demand),
        Field::Spot => Source::Column(&columns.spot),
        Field::Each => Source::Per(price, &columns.class, by_class(Field::Gpus, frame)),
        Field::Gpus | Field::Vram | Field::Headroom | Field::Need | Field::Speed => {
            Source::Coded(&columns.class, by_class(field, frame))
        }
        Field::Rel => Source::Column(&columns.reliability),
        Field::Down => Source::Column(&columns.download),
        Field::Up => Source::Column(&columns.upload),
        Field::Disk => Source::Column(&columns.disk),
        Field::Ram => Source::Column(&columns.ram),
        Field::Rental => Source::Column(&columns.rental),
        Field::Total => Source::Priced(frame.priced, Figure::Total),
        Field::Hours => Source::Priced(frame.priced, Figure::Hours),
        Field::FetchTime => Source::Priced(frame.priced, Figure::Fetch),
        Field::Fetch => Source::Priced(frame.priced, Figure::FetchShare),
        Field::Age => Source::Age(&columns.fetched, frame.now.0),
        Field::Vcpus | Field::Cuda => Source::Coded(&columns.shape, shaped(field, frame)),
        Field::Storage
        | Field::StorageStopped
        | Field::Egress
        | Field::Ingress
        | Field::Minimum => {
            let all = frame.table.dictionaries().fees_from(0);
            Source::Coded(&columns.fees, all.map(|fees| fee(field, &fees)).collect())
        }
        _ => return None,
    })
}

/// The figure of one slot; `None` for a field whose values are words. The same as [`source`]
/// tells, without preparing the answers of all other slots.
pub(crate) fn figure(field: Field, frame: &Frame<'_>, slot: usize) -> Option<f64> {
    let columns = frame.table.columns();
    let dictionaries = frame.table.dictionaries();
    let code = |codes: &[u32]| codes.get(slot).copied().unwrap_or(u32::MAX);
    Some(match field {
        Field::Gpus | Field::Vram | Field::Headroom | Field::Need | Field::Speed => {
            class(field, frame, code(&columns.class) as usize)
        }
        Field::Each => {
            let price = figure(Field::Price, frame, slot)?;
            price / class(Field::Gpus, frame, code(&columns.class) as usize)
        }
        Field::Storage
        | Field::StorageStopped
        | Field::Egress
        | Field::Ingress
        | Field::Minimum => fee(field, &dictionaries.fees_of(code(&columns.fees))),
        _ => source(field, frame)?.get(slot),
    })
}

fn by_class(field: Field, frame: &Frame<'_>) -> Vec<f64> {
    (0..frame.table.classes().len()).map(|code| class(field, frame, code)).collect()
}

/// A figure that a hardware class has, or that was estimated for it.
fn class(field: Field, frame: &Frame<'_>, code: usize) -> f64 {
    let hardware = || frame.table.classes().get(code);
    let estimate = || frame.classes.get(code);
    let figure = match field {
        Field::Gpus => hardware().and_then(|c| c.gpus),
        Field::Vram => hardware().and_then(nominal).map(Gib::get),
        Field::Headroom => estimate().and_then(|c| c.fit.headroom_gib()),
        Field::Need => estimate().and_then(|c| c.fit.needed).map(Gib::get),
        _ => estimate().and_then(|c| c.speed.tokens_per_second).map(|s| s.expected.get()),
    };
    figure.unwrap_or(f64::NAN)
}

fn fee(field: Field, fees: &Fees) -> f64 {
    let figure = match field {
        Field::Storage => fees.storage.map(UsdPerGbMonth::get),
        Field::StorageStopped => fees.storage_stopped.map(UsdPerGbMonth::get),
        Field::Egress => fees.egress.map(UsdPerGb::get),
        Field::Ingress => fees.ingress.map(UsdPerGb::get),
        _ => fees.minimum.map(Hours::get),
    };
    figure.unwrap_or(f64::NAN)
}

fn shaped(field: Field, frame: &Frame<'_>) -> Vec<f64> {
    let at = usize::from(field == Field::Cuda);
    let dictionaries = frame.table.dictionaries();
    let shapes = (0..dictionaries.shapes()).map(|code| dictionaries.shape(code as u32));
    shapes.map(|pair| pair.get(at).copied().unwrap_or(f64::NAN)).collect()
}

/// The nominal memory of a class's card: what the card is sold as (24 for a 4090 whose driver
/// reports 23.99 GiB), because that is what people ask for. A slice, or a card that is not in the
/// catalogue, has what the offer states, raised to the customary size when it is within 7 % of it.
pub(crate) fn nominal(class: &crate::estimate::HardwareClass) -> Option<Gib> {
    const CUSTOMARY: [f64; 24] = [
        2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 11.0, 12.0, 16.0, 20.0, 24.0, 32.0, 40.0, 48.0, 64.0,
        80.0, 94.0, 96.0, 128.0, 141.0, 192.0, 256.0, 288.0,
    ];
    let card = class.gpu.and_then(|id| gpu::catalogue().get(id)).map(|g| g.memory);
    let whole = class.gpus.is_some_and(|gpus| gpus >= 1.0);
    let Some(stated) = class.vram else { return card.filter(|_| whole) };
    let near = |size: f64| (0.93..=1.005).contains(&(stated.get() / size));
    if let Some(card) = card.filter(|m| whole && (0.88..=1.12).contains(&(stated / *m))) {
        return Some(card);
    }
    let size = CUSTOMARY.into_iter().filter(|size| near(*size));
    let closest = size.min_by(|a, b| (a - stated.get()).abs().total_cmp(&(b - stated.get()).abs()));
    Some(closest.map_or(stated, Gib::new))
}
