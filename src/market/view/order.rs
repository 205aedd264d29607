//! Lines in order, but only as many as are looked at.
//!
//! A window of a million lines is found without sorting them ([`Scale`]), and what may be looked at
//! next is put in order when there is time.

use super::ViewRow;
use super::filter::Filter;
use super::lines::{Line, Lines, line, plane, slot};
use super::scale::{FEW, Scale};
use crate::market::eval::Frame;
use crate::market::sort::SortKey;
use std::ops::Range;

/// Lines that are put in order around the window at once.
const AROUND: usize = if cfg!(test) { 3 } else { 64 };
/// Lines that are put in order on either side when there is time, so that scrolling finds them.
const FAR: usize = if cfg!(test) { 12 } else { 1024 };

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
