//! Lines weighed by all sort keys, and those with certain ranks found without sorting them all: a
//! sample tells between which two lines they must lie, one pass collects what lies between these (a
//! few thousand), and only that is sorted. Where weighing is dear and has a bound, the first lines are
//! found among those with the lightest bounds.

use super::lines::{Line, Lines, line, plane, slot};
use crate::market::eval::{Frame, pack};
use crate::market::parallel;
use crate::market::sort::{SortKey, Weigher};
use std::cmp::Ordering;
use std::ops::Range;

/// So few lines are sorted without further thought. (Tests have small markets and small limits.)
pub(super) const FEW: usize = if cfg!(test) { 48 } else { 4096 };
/// So many first lines are found by the bounds of their weights.
const FIRST: usize = if cfg!(test) { 24 } else { 1024 };

/// Weighs lines by all keys.
pub(super) struct Scale<'a> {
    frames: &'a [Frame<'a>],
    /// By plane, then by key.
    weighers: Vec<Vec<Weigher<'a>>>,
}

impl<'a> Scale<'a> {
    pub(super) fn new(frames: &'a [Frame<'a>], keys: &[SortKey]) -> Self {
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

    /// By id, then by kind of price: never equal.
    fn compare_ids(&self, a: Line, b: Line) -> Ordering {
        self.id(a).cmp(&self.id(b)).then(plane(a).cmp(&plane(b)))
    }

    fn id(&self, line: Line) -> Option<(u8, &str)> {
        let table = self.frames.get(plane(line))?.table;
        Some((*table.columns().provider.get(slot(line))?, table.key(slot(line))))
    }

    /// The lines with the ranks `wanted`.
    pub(super) fn in_order(&self, lines: &Lines<'_>, wanted: Range<usize>) -> Vec<Line> {
        let all = lines.len();
        if all <= FEW || wanted.len() * 4 > all {
            return self.sorted(self.weights(lines.collect(all)), wanted);
        }
        if let Some(first) = self.first(lines, all, wanted.end) {
            return first.get(wanted).unwrap_or_default().to_vec();
        }
        let (low, high) = self.guess(lines, all, &wanted);
        let (below, inside) = self.between(lines, low.as_ref(), high.as_ref());
        if below > wanted.start || below + inside.len() < wanted.end {
            // The sample was not like the rest: once in many thousand times.
            return self.sorted(self.weights(lines.collect(all)), wanted);
        }
        let wanted = wanted.start - below..wanted.end - below;
        if inside.len() < all / 2 {
            self.in_order(&Lines::Some(inside), wanted)
        } else {
            self.sorted(inside, wanted)
        }
    }

    /// The first `count` lines in order, where weights are dear and have bounds: the lines with the
    /// lightest bounds are weighed, and where that makes `count` of them lighter than all other
    /// bounds, nothing else can come before these. `None` where it does not, or nothing is bounded.
    fn first(&self, lines: &Lines<'_>, all: usize, count: usize) -> Option<Vec<Line>> {
        /// More lines than are wanted have bounds as light as theirs.
        const CANDIDATES: usize = 6;
        let bounded = self.weighers.iter().all(|w| w.first().is_some_and(Weigher::has_bound));
        if !bounded || count > FIRST {
            return None;
        }
        let few = count * CANDIDATES;
        let ceiling = self.ceiling(lines, all, few);
        let mut near = self.bounded_by(lines, ceiling);
        let few = few.min(near.len());
        near.select_nth_unstable(few.checked_sub(1)?);
        let (some, rest) = near.split_at(few);
        let mut weighed = self.weights(some.iter().map(|(_, line)| *line).collect());
        weighed.sort_unstable_by_key(|(weight, _)| *weight);
        let fence = weighed.get(count.checked_sub(1)?)?.0;
        if fence > ceiling {
            return None;
        }
        let more = rest.iter().filter(|(bound, _)| *bound <= fence).map(|(_, line)| *line);
        weighed.extend(self.weights(more.collect()));
        self.sort(&mut weighed, 0..count);
        Some(weighed.into_iter().take(count).map(|(_, line)| line).collect())
    }

    /// A bound that at least `count` of all lines lie below, very probably.
    fn ceiling(&self, lines: &Lines<'_>, all: usize, count: usize) -> u64 {
        let bound = |line: Line| {
            let weigher = self.weighers.get(plane(line)).and_then(|w| w.first());
            weigher.map_or(0, |w| w.at_least(slot(line)))
        };
        let mut sample: Vec<u64> = lines.sample(all).into_iter().map(bound).collect();
        sample.sort_unstable();
        let at = count as f64 * sample.len() as f64 / all.max(1) as f64;
        sample.get((at + margin(at)).ceil() as usize).copied().unwrap_or(u64::MAX)
    }

    /// The lines whose bounds are `ceiling` or less, with these bounds.
    fn bounded_by(&self, lines: &Lines<'_>, ceiling: u64) -> Vec<(u64, Line)> {
        let Lines::Shown(planes) = lines else { return Vec::new() };
        let parts = parallel::halves(lines.span(), |span| {
            let mut near = Vec::new();
            for (plane, (bits, weighers)) in planes.iter().zip(&self.weighers).enumerate() {
                let Some(weigher) = weighers.first() else { continue };
                let words = bits.words().get(span.clone()).unwrap_or_default();
                let mut bounds = [0; 64];
                for (at, word) in words.iter().enumerate().filter(|(_, word)| **word != 0) {
                    let first = (span.start + at) * 64;
                    weigher.fill(first, &mut bounds);
                    let mut rest = word & mask(&bounds, |b| b <= ceiling);
                    while rest != 0 {
                        let bit = rest.trailing_zeros() as usize;
                        rest &= rest - 1;
                        near.extend(bounds.get(bit).map(|b| (*b, line(first + bit, plane))));
                    }
                }
            }
            near
        });
        parts.into_iter().flatten().collect()
    }

    /// Lines between which the wanted ranks lie, by a sample: very probably, never surely. `None`
    /// is the end of the list.
    fn guess(
        &self,
        lines: &Lines<'_>,
        all: usize,
        wanted: &Range<usize>,
    ) -> (Option<Fence>, Option<Fence>) {
        let mut sample = self.weights(lines.sample(all));
        sample.sort_unstable_by_key(|(weight, _)| *weight);
        let share = sample.len() as f64 / all.max(1) as f64;
        let start = wanted.start as f64 * share;
        let low = start - margin(start);
        let end = wanted.end as f64 * share;
        let mut fence = |at: f64| {
            let at = at as usize;
            self.sort(&mut sample, at..at + 1);
            sample.get(at).map(|(_, line)| self.fence(*line))
        };
        let low = if low < 0.0 { None } else { fence(low) };
        (low, fence((end + margin(end)).ceil()))
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
    ) -> (usize, Vec<(u64, Line)>) {
        let fences = (low, high);
        let parts = parallel::halves(lines.span(), |span| {
            let (mut below, mut inside) = (0, Vec::new());
            self.near(lines, span, fences, |near| match near {
                Near::Below(count) => below += count,
                Near::Line(line, weight) => {
                    if high.is_some_and(|high| !self.is_before(line, weight, high)) {
                        return;
                    }
                    if low.is_some_and(|low| self.is_before(line, weight, low)) {
                        below += 1;
                    } else {
                        inside.push((weight, line));
                    }
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

    /// Lines that may lie between the fences by their first two keys, and how many lie below; those
    /// above are passed over. Weights are compared 64 at a time, and where one has a bound, it is
    /// worked out only for lines whose bound is within.
    fn near(
        &self,
        lines: &Lines<'_>,
        span: Range<usize>,
        fences: (Option<&Fence>, Option<&Fence>),
        mut found: impl FnMut(Near),
    ) {
        let planes = match lines {
            Lines::Shown(planes) => *planes,
            Lines::Some(list) => {
                for (weight, line) in list.get(span).unwrap_or_default() {
                    found(Near::Line(*line, *weight));
                }
                return;
            }
        };
        for (plane, (bits, weighers)) in planes.iter().zip(&self.weighers).enumerate() {
            let Some(weigher) = weighers.first() else { continue };
            let bounded = weigher.has_bound();
            let words = bits.words().get(span.clone()).unwrap_or_default();
            let mut weights = [0; 64];
            for (at, word) in words.iter().enumerate().filter(|(_, word)| **word != 0) {
                let first = (span.start + at) * 64;
                weigher.fill(first, &mut weights);
                let within = Within::of(weighers, first, &weights, *word, fences);
                if within.below > 0 {
                    found(Near::Below(within.below));
                }
                let mut rest = within.lines;
                while rest != 0 {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    let line = line(first + bit, plane);
                    let weight = match weights.get(bit) {
                        Some(weight) if !bounded => *weight,
                        _ => weigher.weight(first + bit),
                    };
                    found(Near::Line(line, weight));
                }
            }
        }
    }

    /// Lines with their weights under the first key.
    fn weights(&self, lines: Vec<Line>) -> Vec<(u64, Line)> {
        lines.into_iter().map(|line| (self.weight(0, line), line)).collect()
    }

    /// Sorts lines so far that those with the ranks `wanted` are in their places.
    fn sort(&self, lines: &mut [(u64, Line)], wanted: Range<usize>) {
        self.sort_from(0, lines, &wanted);
    }

    /// Sorts lines that are equal under the keys before `level` and carry their weights under that
    /// one. What is equal there, too, is weighed by the next key: each line once, and only where
    /// ranks that are wanted lie.
    fn sort_from(&self, level: usize, lines: &mut [(u64, Line)], wanted: &Range<usize>) {
        lines.sort_unstable_by_key(|(weight, _)| *weight);
        let mut from = 0;
        for equal in lines.chunk_by_mut(|a, b| a.0 == b.0) {
            let inside = wanted.start.saturating_sub(from)..wanted.end.saturating_sub(from);
            from += equal.len();
            if equal.len() < 2 || inside.is_empty() || inside.start >= equal.len() {
                continue;
            }
            if level + 1 >= self.levels() {
                equal.sort_unstable_by(|a, b| self.compare_ids(a.1, b.1));
                continue;
            }
            let before = equal.first().map_or(0, |first| first.0);
            for (weight, line) in equal.iter_mut() {
                *weight = self.weight(level + 1, *line);
            }
            self.sort_from(level + 1, equal, &inside);
            for (weight, _) in equal.iter_mut() {
                *weight = before;
            }
        }
    }

    fn sorted(&self, mut lines: Vec<(u64, Line)>, wanted: Range<usize>) -> Vec<Line> {
        let wanted = wanted.start..wanted.end.min(lines.len());
        self.sort(&mut lines, wanted.clone());
        lines.get(wanted).unwrap_or_default().iter().map(|(_, line)| *line).collect()
    }

    /// How many of the lines shown come before `wanted`.
    pub(super) fn rank(&self, lines: &Lines<'_>, wanted: Line) -> usize {
        let fence = self.fence(wanted);
        self.between(lines, Some(&fence), Some(&fence)).0
    }
}

/// How far beyond its place in a sample a rank may lie: three standard deviations and a little.
fn margin(at: f64) -> f64 {
    4.0 + 3.0 * at.sqrt()
}

/// Of 64 lines, those that may lie between two fences.
struct Within {
    lines: u64,
    /// How many surely lie below the first fence.
    below: usize,
}

impl Within {
    /// So many lines of one weight are compared by their second weight at once.
    const MANY: u32 = 8;

    /// `weights` are those of the 64 lines from slot `first` on under the first key, or bounds of
    /// them.
    fn of(
        weighers: &[Weigher<'_>],
        first: usize,
        weights: &[u64; 64],
        shown: u64,
        (low, high): (Option<&Fence>, Option<&Fence>),
    ) -> Within {
        let ceiling = high.map_or(u64::MAX, Fence::first);
        let mut lines = shown & mask(weights, |w| w <= ceiling);
        let mut below = 0;
        if lines == 0 || weighers.first().is_none_or(Weigher::has_bound) {
            return Within { lines, below };
        }
        let floor = low.map_or(0, Fence::first);
        if floor > 0 {
            let within = mask(weights, |w| w >= floor);
            below += (lines & !within).count_ones() as usize;
            lines &= within;
        }
        let Some(second) = weighers.get(1) else { return Within { lines, below } };
        let mut seconds = None;
        let mut second_mask = |test: &dyn Fn(u64) -> bool| {
            let seconds = seconds.get_or_insert_with(|| {
                let mut cells = [0; 64];
                second.fill(first, &mut cells);
                cells
            });
            mask(seconds, test)
        };
        if let Some(limit) = high.and_then(|fence| fence.weights.get(1)) {
            let tied = lines & mask(weights, |w| w == ceiling);
            if tied.count_ones() > Self::MANY {
                lines &= !tied | second_mask(&|w| w <= *limit);
            }
        }
        if let Some(limit) =
            low.and_then(|fence| fence.weights.get(1)).filter(|_| !second.has_bound())
        {
            let tied = lines & mask(weights, |w| w == floor);
            if tied.count_ones() > Self::MANY {
                let less = tied & second_mask(&|w| w < *limit);
                below += less.count_ones() as usize;
                lines &= !less;
            }
        }
        Within { lines, below }
    }
}

/// What [`Scale::near`] finds.
enum Near {
    /// So many lines that weigh less.
    Below(usize),
    /// A line, and its weight under the first key.
    Line(Line, u64),
}

/// The bits of the weights for which `test` holds.
fn mask(weights: &[u64; 64], test: impl Fn(u64) -> bool) -> u64 {
    let mut answers = [0; 64];
    for (answer, weight) in answers.iter_mut().zip(weights) {
        *answer = u8::from(test(*weight));
    }
    pack(&answers, 0)
}

/// A line that others are compared with, its weights at hand.
struct Fence {
    line: Line,
    weights: Vec<u64>,
}

impl Fence {
    /// The weight under the first key.
    fn first(&self) -> u64 {
        self.weights.first().copied().unwrap_or(0)
    }
}
