//! After every message: the market is brought up to date, and everything that is in view is
//! computed once, so that drawing only draws.

use super::action::Action;
use super::grid::Row;
use super::layout::Layout;
use super::{App, Overlay};
use crate::market::column::LineCells;
use crate::market::query::Field;
use crate::market::{Cell, Column, SortBy, SortKey, ViewRow, asked_for};
use crate::setup::Pricing;
use unicode_width::UnicodeWidthStr;

/// How a column takes part in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortMark {
    /// Largest first.
    pub descending: bool,
    /// Which of several keys it is, from 1; `None` when it is the only column among them.
    pub rank: Option<usize>,
}

impl App {
    /// Brings everything up to date. The last step of every update.
    pub(super) fn settle(&mut self) {
        let changed = self.desk.refresh(self.now);
        self.layout = Layout::new(self.size, self.panel);
        if let Some(Overlay::Pareto(page)) = &mut self.overlay {
            self.layout = self.layout.take().map(Layout::with_chart);
            if changed {
                page.renew(&mut self.desk);
            }
        }
        let height = self.layout.as_ref().map_or(0, Layout::table_rows);
        let shown = self.desk.shown();
        let before = self.cursor.line;
        if changed {
            // The rank of a line among a million is worth finding only where it is followed.
            let line = before.filter(|_| self.cursor.chosen);
            let found = line.and_then(|line| self.desk.position_of(line));
            if found.is_none() {
                self.cursor.line = None;
            }
            self.cursor.follow(found, shown, height);
        } else {
            self.cursor.scroll(shown, height);
        }
        if !self.cursor.chosen || self.cursor.line.is_none() {
            self.cursor.line = self.desk.window(self.cursor.position, 1).first().copied();
        }
        if self.cursor.line != before {
            self.panel_scroll = 0;
        }
        let table = self.desk.table();
        self.marks.retain(|line| table.exists(line.row));
        self.fill_grid(height);
        if changed || self.cursor.line != self.detail.as_ref().map(|d| d.line) {
            self.detail = self.cursor.line.and_then(|line| self.desk.detail(line, self.now));
        }
        if changed && let Some(Overlay::Around(page)) = &mut self.overlay {
            page.renew(&self.desk);
        }
        if changed && let Some(Overlay::Why(page)) = &mut self.overlay {
            page.why = self.desk.why();
            page.at = page.at.min(page.why.relaxations.len().saturating_sub(1));
        }
        if changed && let Some(Overlay::WhyNot(page)) = &self.overlay {
            let line = page.line;
            self.overlay = self.checklist_page(line).map(Overlay::WhyNot);
        }
        self.dirty = true;
    }

    fn fill_grid(&mut self, height: usize) {
        let lines = self.desk.window(self.cursor.offset, height);
        let (view, table) = (self.desk.view(), self.desk.table());
        let found: Vec<LineCells<'_>> = lines.iter().map(|line| view.line(table, *line)).collect();
        let desk = &self.desk;
        let columns = asked_for(&self.columns, desk.setup(), desk.query(), desk.sort());
        let cells: Vec<Vec<Cell>> = columns
            .iter()
            .map(|column| found.iter().map(|line| line.seen(column)).collect())
            .collect();
        let heads: Vec<usize> = columns.iter().map(|c| self.head(c).width()).collect();
        let room = self.layout.as_ref().and_then(|l| l.table).map_or(0, |t| usize::from(t.width));
        let held = self.held.iter().copied();
        let asked = columns.iter().filter(|c| !self.columns.contains(c)).map(|c| c.field);
        let keep: Vec<Field> = self
            .sort_fields()
            .into_iter()
            .chain([Field::Gpu, self.column])
            .chain(asked)
            .chain(held)
            .collect();
        self.grid.lay_out(&columns, &cells, &heads, &keep, room);
        let visible: Vec<usize> = self
            .grid
            .columns
            .iter()
            .filter_map(|s| columns.iter().position(|c| c.field == s.column.field))
            .collect();
        let mut cells: Vec<_> = cells.into_iter().map(Vec::into_iter).map(Some).collect();
        let mut shown: Vec<_> = visible.iter().filter_map(|c| cells.get_mut(*c)?.take()).collect();
        let row = |(line, found): (&ViewRow, &LineCells<'_>)| Row {
            line: *line,
            cells: shown.iter_mut().filter_map(Iterator::next).collect(),
            marked: self.marks.contains(line),
            change: table.mark(line.row),
            disk_short: found.is_disk_short(),
        };
        self.grid.rows = lines.iter().zip(&found).map(row).collect();
        self.say_what_is_cut();
        let stays = self.columns.iter().any(|c| c.field == self.column);
        if !stays && let Some(last) = self.columns.last() {
            self.column = last.field;
        }
    }

    /// A place that has no room is given by its country's code.
    fn say_what_is_cut(&mut self) {
        let at = self.grid.columns.iter().position(|s| s.column.field == Field::Region);
        let country = Column::of(Field::Country);
        let (Some(at), Some(country)) = (at, country) else { return };
        let width = self.grid.columns[at].width;
        let (view, table) = (self.desk.view(), self.desk.table());
        for row in &mut self.grid.rows {
            let Some(cell) = row.cells.get_mut(at).filter(|c| c.text.width() > width) else {
                continue;
            };
            let code = view.cell(table, row.line, country);
            if !code.is_unknown() {
                cell.text = code.text;
            }
        }
    }

    /// The whole text of a cell of the selected line.
    pub fn cell_text(&self, field: Field) -> Option<String> {
        let (line, column) = (self.cursor.line?, Column::of(field)?);
        Some(self.desk.view().line(self.desk.table(), line).seen(column).text)
    }

    /// The sort keys in force.
    pub fn sort_keys(&self) -> &[SortKey] {
        if self.desk.sort().is_empty() { &SortKey::DEFAULT } else { self.desk.sort() }
    }

    fn sort_fields(&self) -> Vec<Field> {
        let fields = self.sort_keys().iter().filter_map(|k| match k.by {
            SortBy::Field(field) => Some(field),
            SortBy::Runs => None,
        });
        fields.collect()
    }

    /// Why rows may be missing: only one of the two prices is shown.
    pub fn one_price(&self) -> Option<String> {
        let (shown, other) = match self.desk.setup().pricing {
            Pricing::OnDemand => ("on-demand", "spot"),
            Pricing::Spot => ("spot", "on-demand"),
            Pricing::Both => return None,
        };
        let key = self.keymap.hint(Action::NextPricing)?;
        Some(format!("Only {shown} prices are shown; {key} shows {other} prices, or both."))
    }

    /// How `field` takes part in the order, if it does.
    pub fn sort_mark(&self, field: Field) -> Option<SortMark> {
        let fields = self.sort_fields();
        let at = fields.iter().position(|f| *f == field)?;
        let key = self.sort_keys().iter().find(|k| k.by == SortBy::Field(field))?;
        let rank = (fields.len() > 1).then_some(at + 1);
        Some(SortMark { descending: key.descending, rank })
    }

    /// The head of a column, with the mark of its sort key.
    pub fn head(&self, column: &Column) -> String {
        let Some(mark) = self.sort_mark(column.field) else { return column.title.to_string() };
        let arrow = match (mark.descending, self.look.ascii) {
            (false, false) => '▲',
            (true, false) => '▼',
            (false, true) => '^',
            (true, true) => 'v',
        };
        let rank = mark.rank.map(|r| r.to_string()).unwrap_or_default();
        format!("{}{arrow}{rank}", column.title)
    }
}
