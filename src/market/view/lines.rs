//! Lines of the view, and which of them there are to choose from.

use crate::market::bits::Bits;
use std::ops::Range;

/// A line: slot and plane in one number.
pub(super) type Line = u32;

/// Lines that are weighed to guess where the others lie: about as many again then lie between the
/// fences.
fn sample_of(all: usize) -> usize {
    (all.isqrt() * 2).max(64)
}

pub(super) const fn line(slot: usize, plane: usize) -> Line {
    (slot as u32) << 1 | plane as u32
}

pub(super) const fn slot(line: Line) -> usize {
    (line >> 1) as usize
}

pub(super) const fn plane(line: Line) -> usize {
    (line & 1) as usize
}

/// Lines to choose from.
pub(super) enum Lines<'a> {
    /// All that are shown, by plane.
    Shown(&'a [Bits]),
    /// Some that were collected, with their weights under the first key.
    Some(Vec<(u64, Line)>),
}

impl Lines<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Lines::Shown(planes) => planes.iter().map(Bits::count).sum(),
            Lines::Some(list) => list.len(),
        }
    }

    /// What can be divided among threads: words of bits, or lines.
    pub(super) fn span(&self) -> Range<usize> {
        match self {
            Lines::Shown(planes) => 0..planes.first().map_or(0, |b| b.words().len()),
            Lines::Some(list) => 0..list.len(),
        }
    }

    pub(super) fn each(&self, span: Range<usize>, mut f: impl FnMut(Line)) {
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

    pub(super) fn collect(&self, all: usize) -> Vec<Line> {
        let mut lines = Vec::with_capacity(all);
        self.each(self.span(), |line| lines.push(line));
        lines
    }

    /// About [`sample_of`] `all` lines, evenly spread: the first of every so many, from pieces that
    /// lie apart.
    pub(super) fn sample(&self, all: usize) -> Vec<Line> {
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
