//! Lines in order, but only as many as are looked at.
//!
//! A window of a million lines is found without sorting them: a sample tells between which two
//! lines it must lie, one pass collects what lies between these (a few thousand), and only that is
//! sorted.

use super::ViewRow;
use super::filter::Filter;
use crate::market::bits::Bits;
use crate::market::eval::{Frame, pack};
use crate::market::parallel;
use crate::market::sort::{SortKey, Weigher};
use std::cmp::Ordering;
use std::ops::Range;

/// A line: slot and plane in one number.
type Line = u32;

/// So few lines are sorted without further thought. (Tests have small markets and small limits.)
const FEW: usize = if cfg!(test) { 48 } else { 4096 };
/// Lines that are put in order around the window at once.
const AROUND: usize = if cfg!(test) { 3 } else { 64 };
/// Lines that are put in order on either side when there is time, so that scrolling finds them.
const FAR: usize = if cfg!(test) { 12 } else { 1024 };

/// Lines that are weighed to guess where the others lie: about as many again then lie between the
/// fences.
fn sample_of(all: usize) -> usize {
    (all.isqrt() * 2).max(64)
}

const fn line(slot: usize, plane: usize) -> Line {
    (slot as u32) << 1 | plane as u32
}

const fn slot(line: Line) -> usize {
    (line >> 1) as usize
}

const fn plane(line: Line) -> usize {
    (line & 1) as usize
}

/// Lines in order, from a rank on.
#[derive(Debug)]
struct Ready {
    from: usize,
    lines: Vec<Line>,
}

impl Ready {
    fn covers(&self, wanted: &Range<usize>) -> bool {
        self.from <= wanted.start && wanted.end <= self.from + self.lines.len()
    }

    fn rank(&self, line: Line) -> Option<usize> {
        self.lines.iter().position(|l| *l == line).map(|at| self.from + at)
    }
}

/// The order of the lines shown.
#[derive(Debug, Default)]
pub(crate) struct Order {
    keys: Vec<SortKey>,
    /// What was looked at last, and much around it.
    around: Option<Ready>,
    /// The first lines and the last ones: people go there at once.
    first: Option<Ready>,
    last: Option<Ready>,
    /// The ranks that were looked at last.
    seen: Range<usize>,
    window: Vec<ViewRow>,
}

impl Order {
    /// Asks for an order, of lines that may be others (`filtered`) or weigh differently
    /// (`priced`); tells whether it is another order.
    pub(crate) fn ask(&mut self, keys: &[SortKey], filtered: bool, priced: bool) -> bool {
        let same = self.keys == keys;
        if filtered || priced || !same {
            (self.around, self.first, self.last) = (None, None, None);
            self.keys = keys.to_vec();
        }
        !same
    }

    fn ready(&self, wanted: &Range<usize>) -> Option<&Ready> {
        let lists = [&self.around, &self.first, &self.last];
        lists.into_iter().flatten().find(|ready| ready.covers(wanted))
    }

    /// The lines from `offset`, at most `len`, in order.
    pub(crate) fn window(
        &mut self,
        frames: &[Frame<'_>],
        filter: &Filter,
        offset: usize,
        len: usize,
    ) -> &[ViewRow] {
        let all = filter.shown();
        let wanted = offset.min(all)..offset.saturating_add(len).min(all);
        self.window.clear();
        if wanted.is_empty() {
            return &self.window;
        }
        if self.ready(&wanted).is_none() {
            self.around = Some(find(frames, filter, &self.keys, &wanted, AROUND));
        }
        let lines = self
            .ready(&wanted)
            .and_then(|ready| ready.lines.get(wanted.start - ready.from..wanted.end - ready.from));
        let rows = lines.unwrap_or_default().iter().filter_map(|line| {
            let frame = frames.get(plane(*line))?;
            Some(ViewRow { row: frame.table.row_at(slot(*line)), kind: frame.kind })
        });
        self.window = rows.collect();
        self.seen = wanted;
        &self.window
    }

    /// Puts in order what will be looked at next: far around the last window, the first lines, the
    /// last ones; one of these at a time. Tells whether there was anything to do.
    pub(crate) fn prepare(&mut self, frames: &[Frame<'_>], filter: &Filter) -> bool {
        let all = filter.shown();
        let near = self.seen.start.min(all).saturating_sub(FAR / 2)
            ..self.seen.end.min(all).saturating_add(FAR / 2).min(all);
        if near.is_empty() {
            return false;
        }
        let (first, last) = (0..all.min(FAR / 2), all.saturating_sub(FAR / 2)..all);
        let find = |wanted: &Range<usize>| find(frames, filter, &self.keys, wanted, FAR / 2);
        if self.ready(&near).is_none() {
            self.around = Some(find(&near));
        } else if self.ready(&first).is_none() {
            self.first = Some(find(&first));
        } else if self.ready(&last).is_none() {
            self.last = Some(find(&last));
        } else {
            return false;
        }
        true
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
        let lists = [&self.around, &self.first, &self.last];
        if let Some(rank) = lists.into_iter().flatten().find_map(|ready| ready.rank(wanted)) {
            return rank;
        }
        let scale = Scale::new(frames, &self.keys);
        scale.rank(&Lines::Shown(filter.planes()), wanted)
    }
}

/// The lines of the ranks `wanted` and `more` on either side; of a short list, all.
fn find(
    frames: &[Frame<'_>],
    filter: &Filter,
    keys: &[SortKey],
    wanted: &Range<usize>,
    more: usize,
) -> Ready {
    let all = filter.shown();
    let few = all <= FEW;
    let from = if few { 0 } else { wanted.start.saturating_sub(more) };
    let to = if few { all } else { wanted.end.saturating_add(more).min(all) };
    let scale = Scale::new(frames, keys);
    Ready { from, lines: scale.in_order(&Lines::Shown(filter.planes()), from..to) }
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
            return self.sorted(self.weights(lines.collect(all)), wanted);
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

    /// Lines between which the wanted ranks lie, by a sample: very probably, never surely. `None`
    /// is the end of the list.
    fn guess(
        &self,
        lines: &Lines<'_>,
        all: usize,
        wanted: &Range<usize>,
    ) -> (Option<Fence>, Option<Fence>) {
        let mut sample = self.weights(lines.sample(all));
        self.sort(&mut sample);
        let share = sample.len() as f64 / all.max(1) as f64;
        let margin = |at: f64| 4.0 + 3.0 * at.sqrt();
        let start = wanted.start as f64 * share;
        let low = start - margin(start);
        let low = if low < 0.0 { None } else { sample.get(low as usize) };
        let end = wanted.end as f64 * share;
        let high = sample.get((end + margin(end)).ceil() as usize);
        (low.map(|l| self.fence(l.1)), high.map(|l| self.fence(l.1)))
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

    fn sort(&self, lines: &mut [(u64, Line)]) {
        lines.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.compare(1, a.1, b.1)));
    }

    fn sorted(&self, mut lines: Vec<(u64, Line)>, wanted: Range<usize>) -> Vec<Line> {
        self.sort(&mut lines);
        let wanted = wanted.start..wanted.end.min(lines.len());
        lines.get(wanted).unwrap_or_default().iter().map(|(_, line)| *line).collect()
    }

    /// How many of the lines shown come before `wanted`.
    fn rank(&self, lines: &Lines<'_>, wanted: Line) -> usize {
        let fence = self.fence(wanted);
        self.between(lines, Some(&fence), Some(&fence)).0
    }
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

/// Lines to choose from.
enum Lines<'a> {
    /// All that are shown, by plane.
    Shown(&'a [Bits]),
    /// Some that were collected, with their weights under the first key.
    Some(Vec<(u64, Line)>),
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
            Lines::Some(list) => {
                list.get(span).unwrap_or_default().iter().for_each(|(_, line)| f(*line));
            }
        }
    }

    fn collect(&self, all: usize) -> Vec<Line> {
        let mut lines = Vec::with_capacity(all);
        self.each(self.span(), |line| lines.push(line));
        lines
    }

    /// About [`sample_of`] `all` lines, evenly spread: the first of every so many, from pieces that
    /// lie apart.
    fn sample(&self, all: usize) -> Vec<Line> {
        let (pieces, wanted) = (self.span().len(), sample_of(all));
        let stride = (pieces / (wanted * 2)).max(1);
        let every = (all / stride / wanted).max(1);
        let mut sample = Vec::with_capacity(wanted * 2);
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
