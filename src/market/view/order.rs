//! Lines in order.

use super::ViewRow;
use super::filter::Filter;
use crate::market::eval::Frame;
use crate::market::sort::{SortKey, Weigher};
use std::cmp::Ordering;

/// A line: plane and slot.
type Line = (u8, u32);

/// The order of the lines shown.
#[derive(Debug, Default)]
pub(crate) struct Order {
    keys: Vec<SortKey>,
    lines: Option<Vec<Line>>,
    window: Vec<ViewRow>,
}

impl Order {
    /// Asks for an order; tells whether it is another one.
    pub(crate) fn ask(&mut self, keys: &[SortKey], stale: bool) -> bool {
        let same = self.keys == keys;
        if stale || !same {
            self.lines = None;
            self.keys = keys.to_vec();
        }
        !same
    }

    fn lines(&mut self, frames: &[Frame<'_>], filter: &Filter) -> &[Line] {
        let keys = &self.keys;
        self.lines.get_or_insert_with(|| sort(frames, filter, keys))
    }

    pub(crate) fn window(
        &mut self,
        frames: &[Frame<'_>],
        filter: &Filter,
        offset: usize,
        len: usize,
    ) -> &[ViewRow] {
        let lines: Vec<Line> =
            self.lines(frames, filter).iter().skip(offset).take(len).copied().collect();
        self.window = lines
            .iter()
            .filter_map(|(plane, slot)| {
                let frame = frames.get(usize::from(*plane))?;
                Some(ViewRow { row: frame.table.row_at(*slot as usize), kind: frame.kind })
            })
            .collect();
        &self.window
    }

    pub(crate) fn position(
        &mut self,
        frames: &[Frame<'_>],
        filter: &Filter,
        plane: usize,
        slot: usize,
    ) -> Option<usize> {
        let wanted = (plane as u8, slot as u32);
        self.lines(frames, filter).iter().position(|line| *line == wanted)
    }
}

fn sort(frames: &[Frame<'_>], filter: &Filter, keys: &[SortKey]) -> Vec<Line> {
    let weighers: Vec<Vec<Weigher<'_>>> = frames
        .iter()
        .map(|frame| keys.iter().chain(&SortKey::TIES).map(|k| Weigher::new(*k, frame)).collect())
        .collect();
    let mut lines: Vec<Line> = Vec::with_capacity(filter.shown());
    for (plane, shown) in filter.planes().iter().enumerate() {
        lines.extend(shown.iter().map(|slot| (plane as u8, slot as u32)));
    }
    lines.sort_unstable_by(|a, b| compare(frames, &weighers, *a, *b));
    lines
}

fn compare(frames: &[Frame<'_>], weighers: &[Vec<Weigher<'_>>], a: Line, b: Line) -> Ordering {
    let of = |line: Line| weighers.get(usize::from(line.0)).into_iter().flatten();
    of(a)
        .zip(of(b))
        .map(|(x, y)| x.weight(a.1 as usize).cmp(&y.weight(b.1 as usize)))
        .find(|o| o.is_ne())
        .unwrap_or_else(|| {
            let id = |line: Line| {
                frames.get(usize::from(line.0)).map(|f| {
                    let at = line.1 as usize;
                    (f.table.columns().provider.get(at).copied(), f.table.key(at))
                })
            };
            id(a).cmp(&id(b)).then(a.0.cmp(&b.0))
        })
}
