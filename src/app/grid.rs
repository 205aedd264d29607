//! The visible part of the table: which lines, which columns, how wide.
//!
//! Whole columns go when there is no room, those with the highest priority number first; figures
//! are never cut. Widths grow with what comes into view and shrink only when the columns, the
//! query or the screen change, so that scrolling does not make them dance.

use crate::market::query::Field;
use crate::market::{Align, Cell, Column, Mark, ViewRow};
use std::collections::HashMap;
use unicode_width::UnicodeWidthStr;

/// Cells before the first column: cursor, mark, what changed.
pub const GUTTER: usize = 3;
/// Cells between columns.
pub const GAP: usize = 1;

/// A line that is in view.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Which.
    pub line: ViewRow,
    /// One cell for each visible column.
    pub cells: Vec<Cell>,
    /// Marked by the user.
    pub marked: bool,
    /// What happened to the offer.
    pub change: Mark,
    /// Its disk is too small for the job.
    pub disk_short: bool,
}

/// A column that is in view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// Which.
    pub column: &'static Column,
    /// Its width in cells.
    pub width: usize,
    /// Where it begins, counted from the left edge of the table.
    pub x: usize,
}

/// What is in view.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// The columns, in order.
    pub columns: Vec<Shown>,
    /// Columns that had to go for want of room.
    pub dropped: Vec<&'static Column>,
    /// The lines, in order.
    pub rows: Vec<Row>,
    seen: HashMap<Field, usize>,
}

/// A column and the widths that it can have.
struct Wanted {
    column: &'static Column,
    least: usize,
    best: usize,
    /// It must stay whatever happens.
    kept: bool,
}

impl Grid {
    /// Forgets the widths seen so far.
    pub fn forget_widths(&mut self) {
        self.seen.clear();
    }

    /// Chooses columns and widths for `room` cells. `cells` holds, for each column, the cells in
    /// view; `heads` the width of its head; `keep` columns never go before the others.
    pub fn lay_out(
        &mut self,
        columns: &[&'static Column],
        cells: &[Vec<Cell>],
        heads: &[usize],
        keep: &[Field],
        room: usize,
    ) {
        let mut wanted = Vec::new();
        for ((column, cells), head) in columns.iter().zip(cells).zip(heads) {
            let widest = cells.iter().map(|c| c.text.width()).max().unwrap_or(0).max(*head);
            let seen = self.seen.entry(column.field).or_insert(usize::from(column.width.0));
            *seen = (*seen).max(widest);
            let (least, best) = match column.align {
                Align::Right => (*seen, *seen),
                Align::Left => {
                    let best = (*seen).min(usize::from(column.width.1).max(*head));
                    let least = match column.field {
                        // A word that decides, and names that everybody knows.
                        Field::Fit | Field::Provider => best,
                        Field::Gpu => best.min(13),
                        // Where there is no room for a place, its country's code is shown.
                        Field::Region => best.min(6),
                        _ => best.min(usize::from(column.width.0).max(9)),
                    };
                    (least, best)
                }
            };
            let kept = keep.contains(&column.field);
            wanted.push(Wanted { column, least, best, kept });
        }
        self.dropped.clear();
        while sum(&wanted, |w| w.least) > room && wanted.len() > 1 {
            let worst = wanted
                .iter()
                .enumerate()
                .max_by_key(|(at, w)| (!w.kept, w.column.priority, *at))
                .map_or(0, |(at, _)| at);
            self.dropped.push(wanted.remove(worst).column);
        }
        Self::share_out(&mut wanted, room);
        let mut x = GUTTER;
        self.columns.clear();
        for w in wanted {
            self.columns.push(Shown { column: w.column, width: w.best, x });
            x += w.best + GAP;
        }
    }

    /// Words give way until all columns fit.
    fn share_out(wanted: &mut [Wanted], room: usize) {
        while sum(wanted, |w| w.best) > room {
            let Some(widest) =
                wanted.iter_mut().filter(|w| w.best > w.least).max_by_key(|w| w.best - w.least)
            else {
                return;
            };
            widest.best -= 1;
        }
    }

    /// The column under a cell of the screen.
    pub fn column_at(&self, x: usize) -> Option<&'static Column> {
        self.columns.iter().find(|c| (c.x..=c.x + c.width).contains(&x)).map(|c| c.column)
    }
}

fn sum(wanted: &[Wanted], width: impl Fn(&Wanted) -> usize) -> usize {
    let gaps = wanted.len().saturating_sub(1) * GAP;
    GUTTER + gaps + wanted.iter().map(width).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::market::COLUMNS;
    use crate::market::column::CellValue;
    use proptest::prelude::*;

    fn cell(text: &str) -> Cell {
        Cell { text: text.into(), value: CellValue::Unknown }
    }

    proptest! {
        #[test]
        fn figures_are_never_cut_and_rows_never_overflow(
            room in 10..200usize,
            texts in proptest::collection::vec("[0-9a-z]{0,30}", COLUMNS.len()),
        ) {
            let columns: Vec<&'static Column> = COLUMNS.iter().collect();
            let cells: Vec<Vec<Cell>> = texts.iter().map(|t| vec![cell(t)]).collect();
            let heads: Vec<usize> = columns.iter().map(|c| c.title.len()).collect();
            let mut grid = Grid::default();
            grid.lay_out(&columns, &cells, &heads, &[Field::Total], room);
            prop_assert!(!grid.columns.is_empty());
            if let [.., last, _] | [last] = grid.columns.as_slice() {
                prop_assert!(grid.columns.len() == 1 || last.x + last.width <= room);
            }
            for shown in &grid.columns {
                let at = COLUMNS.iter().position(|c| c.field == shown.column.field).unwrap();
                if shown.column.align == Align::Right {
                    prop_assert!(shown.width >= texts[at].len());
                }
            }
            prop_assert_eq!(grid.columns.len() + grid.dropped.len(), COLUMNS.len());
        }
    }

    #[test]
    fn the_least_important_column_goes_first() {
        let columns: Vec<&'static Column> = COLUMNS.iter().filter(|c| c.default).collect();
        let cells: Vec<Vec<Cell>> = columns.iter().map(|_| vec![cell("1234")]).collect();
        let heads: Vec<usize> = columns.iter().map(|c| c.title.len()).collect();
        let mut grid = Grid::default();
        grid.lay_out(&columns, &cells, &heads, &[], 60);
        let dropped: Vec<Field> = grid.dropped.iter().map(|c| c.field).collect();
        assert_eq!(dropped.first(), Some(&Field::Up));
        assert!(!dropped.contains(&Field::Total));
    }
}
