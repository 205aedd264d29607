//! Lines in order, but only as many as are looked at.
//!
//! A window of a million lines is found without sorting them: a sample tells between which weights
//! its lines must lie, one pass collects those (a few thousand), and only these are sorted. Where
//! many lines weigh the same under the first key, the next key decides among them in the same way.

use super::ViewRow;
use super::filter::Filter;
use crate::market::bits::Bits;
use crate::market::eval::Frame;
use crate::market::parallel;
use crate::market::sort::{SortKey, Weigher};
use std::cmp::Ordering;
use std::ops::Range;

/// A line: slot and plane in one number.
type Line = u32;

/// So few lines are sorted without further thought. (Tests have small markets and small limits.)
const FEW: usize = if cfg!(test) { 48 } else { 4096 };
/// Lines that are weighed to guess where the others lie.
const SAMPLE: usize = if cfg!(test) { 64 } else { 2048 };
/// Lines that are put in order around the window, so that scrolling finds them ready.
const AROUND: usize = if cfg!(test) { 3 } else { 256 };

const fn line(slot: usize, plane: usize) -> Line {
    (slot as u32) << 1 | plane as u32
}

const fn slot(line: Line) -> usize {
    (line >> 1) as usize
}

const fn plane(line: Line) -> usize {
    (line & 1) as usize
}

/// The order of the lines shown.
#[derive(Debug, Default)]
pub(crate) struct Order {
    keys: Vec<SortKey>,
    /// Lines in order, from a rank on.
    ready: Vec<Line>,
    ready_from: usize,
    window: Vec<ViewRow>,
}

impl Order {
    /// Asks for an order; tells whether it is another one.
    pub(crate) fn ask(&mut self, keys: &[SortKey], stale: bool) -> bool {
        let same = self.keys == keys;
        if stale || !same {
            self.ready.clear();
            self.ready_from = 0;
            self.keys = keys.to_vec();
        }
        !same
    }

    /// The lines from `offset`, at most `len`, in order.
    pub(crate) fn window(
        &mut self,
        frames: &[Frame<'_>],
        filter: &Filter,
        offset: usize,
        len: usize,
    ) -> &[ViewRow] {
        let end = offset.saturating_add(len).min(filter.shown());
        self.window.clear();
        if offset >= end {
            return &self.window;
        }
        let ready_to = self.ready_from + self.ready.len();
        if offset < self.ready_from || end > ready_to {
            let from = offset.saturating_sub(AROUND);
            let to = (end + AROUND).min(filter.shown());
            self.ready = Scale::new(frames, &self.keys).in_order(filter.planes(), from..to);
            self.ready_from = from;
        }
        let wanted = self.ready.iter().skip(offset - self.ready_from).take(end - offset);
        self.window.extend(wanted.filter_map(|line| {
            let frame = frames.get(plane(*line))?;
            Some(ViewRow { row: frame.table.row_at(slot(*line)), kind: frame.kind })
        }));
        &self.window
    }

    /// The rank of a line that is shown.
    pub(crate) fn position(
        &self,
        frames: &[Frame<'_>],
        filter: &Filter,
        at_plane: usize,
        at_slot: usize,
    ) -> usize {
        let wanted = line(at_slot, at_plane);
        match self.ready.iter().position(|l| *l == wanted) {
            Some(at) => self.ready_from + at,
            None => Scale::new(frames, &self.keys).rank(filter.planes(), wanted),
        }
    }
}

/// Weighs lines by all keys.
struct Scale<'a> {
    frames: &'a [Frame<'a>],
    /// By plane, then by key.
    weighers: Vec<Vec<Weigher<'a>>>,
}

impl<'a> Scale<'a> {
    fn new(frames: &'a [Frame<'a>], keys: &[SortKey]) -> Self {
        let of = |frame: &Frame<'a>| Weigher::all(keys, frame);
        Self { frames, weighers: frames.iter().map(of).collect() }
    }

    fn levels(&self) -> usize {
        self.weighers.first().map_or(0, Vec::len)
    }

    fn weight(&self, level: usize, line: Line) -> u64 {
        let weigher = self.weighers.get(plane(line)).and_then(|w| w.get(level));
        weigher.map_or(0, |w| w.weight(slot(line)))
    }

    /// By all keys from `level` on, then by id, then by kind of price: never equal.
    fn compare(&self, level: usize, a: Line, b: Line) -> Ordering {
        (level..self.levels())
            .map(|level| self.weight(level, a).cmp(&self.weight(level, b)))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| self.id(a).cmp(&self.id(b)).then(plane(a).cmp(&plane(b))))
    }

    fn id(&self, line: Line) -> Option<(u8, &str)> {
        let table = self.frames.get(plane(line))?.table;
        Some((*table.columns().provider.get(slot(line))?, table.key(slot(line))))
    }

    /// The lines with the ranks `wanted` among those in `shown`.
    fn in_order(&self, shown: &[Bits], wanted: Range<usize>) -> Vec<Line> {
        self.select(&Lines::Shown(shown), 0, wanted)
    }

    /// The lines with the ranks `wanted` among `lines`, which are equal in all keys before `level`.
    fn select(&self, lines: &Lines<'_>, level: usize, wanted: Range<usize>) -> Vec<Line> {
        let all = lines.len();
        if all <= FEW || level >= self.levels() || wanted.len() * 4 > all {
            return self.sorted(lines.collect(), level, wanted);
        }
        let mut bracket = self.guess(lines, level, &wanted);
        let (mut below, mut inside) = self.between(lines, level, bracket);
        if below > wanted.start || below + inside.len() < wanted.end {
            bracket = (0, u64::MAX);
            (below, inside) = self.between(lines, level, bracket);
        }
        let wanted = wanted.start - below..wanted.end - below;
        if inside.len() <= FEW {
            self.sorted(inside, level, wanted)
        } else if bracket.0 == bracket.1 {
            self.select(&Lines::Some(inside), level + 1, wanted)
        } else if inside.len() < all / 2 {
            self.select(&Lines::Some(inside), level, wanted)
        } else {
            self.split(&inside, level, wanted)
        }
    }

    /// Weights between which the wanted ranks lie, by a sample: very probably, never surely.
    fn guess(&self, lines: &Lines<'_>, level: usize, wanted: &Range<usize>) -> (u64, u64) {
        let mut sample = lines.sample();
        let mut weights: Vec<u64> = sample.drain(..).map(|l| self.weight(level, l)).collect();
        weights.sort_unstable();
        let share = weights.len() as f64 / lines.len().max(1) as f64;
        let margin = |at: f64| 4.0 + 3.0 * at.sqrt();
        let start = wanted.start as f64 * share;
        let low = start - margin(start);
        let low = if low < 0.0 { None } else { weights.get(low as usize) };
        let end = wanted.end as f64 * share;
        let high = weights.get((end + margin(end)).ceil() as usize);
        (low.copied().unwrap_or(0), high.copied().unwrap_or(u64::MAX))
    }

    /// How many lines weigh less than the bracket, and those that lie within.
    fn between(
        &self,
        lines: &Lines<'_>,
        level: usize,
        (low, high): (u64, u64),
    ) -> (usize, Vec<Line>) {
        let parts = parallel::halves(lines.span(), |span| {
            let (mut below, mut inside) = (0, Vec::new());
            lines.each(span, |line| {
                let weight = self.weight(level, line);
                below += usize::from(weight < low);
                if weight >= low && weight <= high {
                    inside.push(line);
                }
            });
            (below, inside)
        });
        let mut below = 0;
        let mut inside = Vec::new();
        for (less, mut some) in parts {
            below += less;
            inside.append(&mut some);
        }
        (below, inside)
    }

    /// Splits lines at the weights of the first and the last wanted one; equal weights are told
    /// apart by the next key.
    fn split(&self, lines: &[Line], level: usize, wanted: Range<usize>) -> Vec<Line> {
        let weights: Vec<u64> = lines.iter().map(|l| self.weight(level, *l)).collect();
        let nth = |at: usize| {
            let mut weights = weights.clone();
            let at = at.min(weights.len().saturating_sub(1));
            *weights.select_nth_unstable(at).1
        };
        let (first, last) = (nth(wanted.start), nth(wanted.end - 1));
        let with = |test: &dyn Fn(u64) -> bool| -> Vec<Line> {
            lines.iter().zip(&weights).filter(|(_, w)| test(**w)).map(|(l, _)| *l).collect()
        };
        let below = weights.iter().filter(|w| **w < first).count();
        let head = with(&|w| w == first);
        let start = wanted.start - below;
        if first == last {
            return self.select(&Lines::Some(head), level + 1, start..wanted.end - below);
        }
        let middle = with(&|w| w > first && w < last);
        let rest = wanted.end - below - head.len() - middle.len();
        let (head_len, middle_len) = (head.len(), middle.len());
        let mut found = self.select(&Lines::Some(head), level + 1, start..head_len);
        found.extend(self.sorted(middle, level, 0..middle_len));
        found.extend(self.select(&Lines::Some(with(&|w| w == last)), level + 1, 0..rest));
        found
    }

    fn sorted(&self, lines: Vec<Line>, level: usize, wanted: Range<usize>) -> Vec<Line> {
        let mut weighed: Vec<(u64, Line)> =
            lines.into_iter().map(|line| (self.weight(level, line), line)).collect();
        weighed
            .sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.compare(level + 1, a.1, b.1)));
        let wanted = wanted.start..wanted.end.min(weighed.len());
        weighed.get(wanted).unwrap_or_default().iter().map(|(_, line)| *line).collect()
    }

    /// How many of the lines shown come before `wanted`.
    fn rank(&self, shown: &[Bits], wanted: Line) -> usize {
        let lines = Lines::Shown(shown);
        let weight = self.weight(0, wanted);
        let parts = parallel::halves(lines.span(), |span| {
            let mut before = 0;
            lines.each(span, |line| {
                let order = self.weight(0, line).cmp(&weight);
                let order = order.then_with(|| self.compare(1, line, wanted));
                before += usize::from(order.is_lt());
            });
            before
        });
        parts.into_iter().sum()
    }
}

/// Lines to choose from.
enum Lines<'a> {
    /// All that are shown, by plane.
    Shown(&'a [Bits]),
    /// Some that were collected.
    Some(Vec<Line>),
}

impl Lines<'_> {
    fn len(&self) -> usize {
        match self {
            Lines::Shown(planes) => planes.iter().map(Bits::count).sum(),
            Lines::Some(list) => list.len(),
        }
    }

    /// What can be divided among threads: words of bits, or lines.
    fn span(&self) -> Range<usize> {
        match self {
            Lines::Shown(planes) => 0..planes.first().map_or(0, |b| b.words().len()),
            Lines::Some(list) => 0..list.len(),
        }
    }

    fn each(&self, span: Range<usize>, mut f: impl FnMut(Line)) {
        match self {
            Lines::Shown(planes) => {
                for (plane, bits) in planes.iter().enumerate() {
                    bits.each(span.clone(), |slot| f(line(slot, plane)));
                }
            }
            Lines::Some(list) => list.get(span).unwrap_or_default().iter().for_each(|l| f(*l)),
        }
    }

    fn collect(&self) -> Vec<Line> {
        let mut all = Vec::with_capacity(self.len());
        self.each(self.span(), |line| all.push(line));
        all
    }

    /// About [`SAMPLE`] of them, evenly spread.
    fn sample(&self) -> Vec<Line> {
        let mut sample = Vec::with_capacity(SAMPLE * 2);
        match self {
            Lines::Some(list) => {
                sample.extend(list.iter().step_by((list.len() / SAMPLE).max(1)));
            }
            // Whole words, some words apart: neighbours are alike, so more of them are taken.
            Lines::Shown(planes) => {
                let words = self.span().len();
                let step = (self.len() / SAMPLE).max(1);
                let mut count = 0;
                let stride = (words / (SAMPLE * 4)).max(1);
                for at in (0..words).step_by(stride) {
                    self.each(at..at + 1, |line| {
                        count += 1;
                        if count % (step / stride).max(1) == 0 {
                            sample.push(line);
                        }
                    });
                }
                debug_assert!(planes.len() <= 2);
            }
        }
        sample
    }
}
