//! Lines in order, but only as many as are looked at.
//!
//! A window of a million lines is found without sorting them: a sample tells between which two
//! lines it must lie, one pass collects what lies between these (a few thousand), and only that is
//! sorted.

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
    /// What every slot weighs under the first key, by plane; empty until it is worth knowing.
    first: Vec<Vec<u64>>,
    /// Lines in order, from a rank on.
    ready: Vec<Line>,
    ready_from: usize,
    window: Vec<ViewRow>,
}

impl Order {
    /// Asks for an order, of lines that may be others (`filtered`) or weigh differently
    /// (`priced`); tells whether it is another order.
    pub(crate) fn ask(&mut self, keys: &[SortKey], filtered: bool, priced: bool) -> bool {
        let same = self.keys == keys;
        if priced || !same {
            self.first.clear();
        }
        if filtered || priced || !same {
            self.ready.clear();
            self.ready_from = 0;
            self.keys = keys.to_vec();
        }
        !same
    }

    /// Weighs every slot under the first key, once for as long as neither prices nor keys change.
    fn weigh(&mut self, frames: &[Frame<'_>], filter: &Filter) {
        if filter.shown() <= FEW || self.first.len() == frames.len() {
            return;
        }
        self.first = frames
            .iter()
            .map(|frame| {
                let weighers = Weigher::all(&self.keys, frame);
                let mut weights = vec![0; frame.table.slots()];
                if let Some(weigher) = weighers.first() {
                    parallel::fill(&mut weights, |slot| weigher.weight(slot));
                }
                weights
            })
            .collect();
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
            self.weigh(frames, filter);
            let scale = Scale::new(frames, &self.keys, &self.first);
            self.ready = scale.in_order(&Lines::Shown(filter.planes()), from..to);
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
        if let Some(at) = self.ready.iter().position(|l| *l == wanted) {
            return self.ready_from + at;
        }
        let scale = Scale::new(frames, &self.keys, &self.first);
        scale.rank(&Lines::Shown(filter.planes()), wanted)
    }
}

/// Weighs lines by all keys.
struct Scale<'a> {
    frames: &'a [Frame<'a>],
    /// By plane, then by key.
    weighers: Vec<Vec<Weigher<'a>>>,
    /// Weights under the first key, where they are at hand.
    first: &'a [Vec<u64>],
}

impl<'a> Scale<'a> {
    fn new(frames: &'a [Frame<'a>], keys: &[SortKey], first: &'a [Vec<u64>]) -> Self {
        let of = |frame: &Frame<'a>| Weigher::all(keys, frame);
        Self { frames, weighers: frames.iter().map(of).collect(), first }
    }

    fn levels(&self) -> usize {
        self.weighers.first().map_or(0, Vec::len)
    }

    fn weight(&self, level: usize, line: Line) -> u64 {
        let ready = if level == 0 { self.first.get(plane(line)) } else { None };
        if let Some(weight) = ready.and_then(|weights| weights.get(slot(line))) {
            return *weight;
        }
        let weigher = self.weighers.get(plane(line)).and_then(|w| w.get(level));
        weigher.map_or(0, |w| w.weight(slot(line)))
    }

    /// By all keys from `level` on, then by id, then by kind of price: never equal.
    fn compare(&self, level: usize, a: Line, b: Line) -> Ordering {
        (level..self.levels())
            .map(|level| self.weight(level, a).cmp(&self.weight(level, b)))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| self.compare_ids(a, b))
    }

    fn compare_ids(&self, a: Line, b: Line) -> Ordering {
        self.id(a).cmp(&self.id(b)).then(plane(a).cmp(&plane(b)))
    }

    fn id(&self, line: Line) -> Option<(u8, &str)> {
        let table = self.frames.get(plane(line))?.table;
        Some((*table.columns().provider.get(slot(line))?, table.key(slot(line))))
    }

    /// The lines with the ranks `wanted`.
    fn in_order(&self, lines: &Lines<'_>, wanted: Range<usize>) -> Vec<Line> {
        let all = lines.len();
        if all <= FEW || wanted.len() * 4 > all {
            return self.sorted(lines.collect(all), wanted);
        }
        let (low, high) = self.guess(lines, all, &wanted);
        let (below, inside) = self.between(lines, low.as_ref(), high.as_ref());
        if below > wanted.start || below + inside.len() < wanted.end {
            // The sample was not like the rest: once in many thousand times.
            return self.sorted(lines.collect(all), wanted);
        }
        let wanted = wanted.start - below..wanted.end - below;
        if inside.len() < all / 2 {
            self.in_order(&Lines::Some(inside), wanted)
        } else {
            self.sorted(inside, wanted)
        }
    }

    /// Lines between which the wanted ranks lie, by a sample: very probably, never surely. `None`
    /// is the end of the list.
    fn guess(
        &self,
        lines: &Lines<'_>,
        all: usize,
        wanted: &Range<usize>,
    ) -> (Option<Fence>, Option<Fence>) {
        let mut sample = lines.sample(all);
        sample.sort_unstable_by(|a, b| self.compare(0, *a, *b));
        let share = sample.len() as f64 / all.max(1) as f64;
        let margin = |at: f64| 4.0 + 3.0 * at.sqrt();
        let start = wanted.start as f64 * share;
        let low = start - margin(start);
        let low = if low < 0.0 { None } else { sample.get(low as usize) };
        let end = wanted.end as f64 * share;
        let high = sample.get((end + margin(end)).ceil() as usize);
        (low.map(|l| self.fence(*l)), high.map(|l| self.fence(*l)))
    }

    fn fence(&self, line: Line) -> Fence {
        Fence { line, weights: (0..self.levels()).map(|level| self.weight(level, line)).collect() }
    }

    /// Does a line (with its weight under the first key) come before the fence?
    fn is_before(&self, line: Line, weight: u64, fence: &Fence) -> bool {
        let mut weights = fence.weights.iter().enumerate();
        if let Some((_, first)) = weights.next()
            && *first != weight
        {
            return weight < *first;
        }
        let differs = weights
            .map(|(level, fence)| self.weight(level, line).cmp(fence))
            .find(|order| order.is_ne());
        differs.unwrap_or_else(|| self.compare_ids(line, fence.line)).is_lt()
    }

    /// How many lines come before the first fence, and those up to the second.
    fn between(
        &self,
        lines: &Lines<'_>,
        low: Option<&Fence>,
        high: Option<&Fence>,
    ) -> (usize, Vec<Line>) {
        let parts = parallel::halves(lines.span(), |span| {
            let (mut below, mut inside) = (0, Vec::new());
            lines.each(span, |line| {
                let weight = self.weight(0, line);
                if high.is_some_and(|high| !self.is_before(line, weight, high)) {
                    return;
                }
                if low.is_some_and(|low| self.is_before(line, weight, low)) {
                    below += 1;
                } else {
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

    fn sorted(&self, lines: Vec<Line>, wanted: Range<usize>) -> Vec<Line> {
        let mut weighed: Vec<(u64, Line)> =
            lines.into_iter().map(|line| (self.weight(0, line), line)).collect();
        weighed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.compare(1, a.1, b.1)));
        let wanted = wanted.start..wanted.end.min(weighed.len());
        weighed.get(wanted).unwrap_or_default().iter().map(|(_, line)| *line).collect()
    }

    /// How many of the lines shown come before `wanted`.
    fn rank(&self, lines: &Lines<'_>, wanted: Line) -> usize {
        let fence = self.fence(wanted);
        let parts = parallel::halves(lines.span(), |span| {
            let mut before = 0;
            lines.each(span, |line| {
                before += usize::from(self.is_before(line, self.weight(0, line), &fence));
            });
            before
        });
        parts.into_iter().sum()
    }
}

/// A line that others are compared with, its weights at hand.
struct Fence {
    line: Line,
    weights: Vec<u64>,
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

    fn collect(&self, all: usize) -> Vec<Line> {
        let mut lines = Vec::with_capacity(all);
        self.each(self.span(), |line| lines.push(line));
        lines
    }

    /// About [`SAMPLE`] of `all` lines, evenly spread: the first of every so many, from pieces that
    /// lie apart.
    fn sample(&self, all: usize) -> Vec<Line> {
        let pieces = self.span().len();
        let stride = (pieces / (SAMPLE * 2)).max(1);
        let every = (all / stride / SAMPLE).max(1);
        let mut sample = Vec::with_capacity(SAMPLE * 2);
        let mut count = 0;
        for at in (0..pieces).step_by(stride) {
            self.each(at..at + 1, |line| {
                count += 1;
                if count % every == 0 {
                    sample.push(line);
                }
            });
        }
        sample
    }
}
