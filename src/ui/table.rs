//! The table: only the lines in view, in the columns that have room.

use super::pen::{Pen, Piece, Strip};
use super::theme::Role;
use crate::app::App;
use crate::app::grid::{GAP, GUTTER, Row, Shown};
use crate::app::layout::Area;
use crate::market::query::Field;
use crate::market::{Align, Cell, Mark};

/// Draws head and lines.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, area: Area) {
    head(pen, app, area);
    if app.grid.rows.is_empty() {
        nothing(pen, app, area);
        return;
    }
    let selected = app.cursor.position - app.cursor.offset;
    for (at, row) in app.grid.rows.iter().enumerate() {
        let screen_row = at as u16 + 1;
        let on = at == selected;
        let strip = line(pen, app, row, on);
        if on {
            pen.shade(area, screen_row, Role::Cursor);
        }
        pen.put(area, screen_row, &strip);
    }
}

fn head(pen: &mut Pen<'_>, app: &App, area: Area) {
    pen.shade(area, 0, Role::Head);
    for shown in &app.grid.columns {
        let text = app.head(shown.column);
        let role = if shown.column.field == app.column { Role::Accent } else { Role::Head };
        let piece = pen.cell(&text, shown.width, shown.column.align, role);
        let mut piece = piece;
        piece.style = piece.style.patch(pen.style(Role::Head));
        pen.put_at(area, shown.x as u16, 0, &[piece]);
    }
}

fn line(pen: &Pen<'_>, app: &App, row: &Row, on: bool) -> Strip {
    let mut strip = vec![gutter(pen, row, on)];
    for (shown, cell) in app.grid.columns.iter().zip(&row.cells) {
        if strip.len() > 1 {
            strip.push(blank(pen, on));
        }
        strip.push(draw_cell(pen, app, shown, cell, on));
    }
    strip
}

fn blank(pen: &Pen<'_>, on: bool) -> Piece {
    pen.piece(" ".repeat(GAP), if on { Role::Cursor } else { Role::Plain })
}

/// Cursor, mark, and what happened to the offer (or that its disk is too small, which the panel
/// explains): three signs, so that none needs a colour.
fn gutter(pen: &Pen<'_>, row: &Row, on: bool) -> Piece {
    let change = match row.change {
        Mark::Same if row.disk_short => '!',
        Mark::Same => ' ',
        Mark::New => '+',
        Mark::Cheaper => '▼',
        Mark::Dearer => '▲',
        Mark::Gone => 'x',
    };
    let text =
        format!("{}{}{change}", if on { '>' } else { ' ' }, if row.marked { '*' } else { ' ' });
    debug_assert_eq!(text.chars().count(), GUTTER);
    pen.piece(text, if on { Role::Cursor } else { Role::Strong })
}

fn draw_cell(pen: &Pen<'_>, app: &App, shown: &Shown, cell: &Cell, on: bool) -> Piece {
    let role = match (on, shown.column.field == app.column) {
        (true, true) => Role::Cell,
        (true, false) => Role::Cursor,
        (false, _) if cell.is_unknown() => Role::Faint,
        (false, _) => cell_role(shown.column.field, &cell.text),
    };
    pen.cell(&cell.text, shown.width, shown.column.align, role)
}

fn cell_role(field: Field, text: &str) -> Role {
    match (field, text) {
        (Field::Fit, "fits") => Role::Good,
        (Field::Fit, "tight") => Role::Warn,
        (Field::Fit, "no") => Role::Bad,
        (Field::Total, _) => Role::Accent,
        _ => Role::Plain,
    }
}

/// What stands in place of the lines when there are none.
fn nothing(pen: &mut Pen<'_>, app: &App, area: Area) {
    let lines = if app.desk.total() == 0 {
        vec!["No offers yet.".to_string(), "P shows how far the providers are.".to_string()]
    } else {
        let key = |a| app.keymap.hint(a).unwrap_or_default();
        let mut lines = vec!["Nothing matches the query.".to_string()];
        if let Some(words) = app.one_price() {
            lines.push(words);
        }
        lines.push(format!(
            "{} says why, and what would bring offers back. {} undoes, {} shows everything.",
            key(crate::app::Action::Why),
            key(crate::app::Action::Undo),
            key(crate::app::Action::ClearQuery)
        ));
        lines
    };
    let width = usize::from(area.width.saturating_sub(4));
    let wrapped = lines.iter().flat_map(|l| super::text::wrap(l, width));
    for (at, text) in wrapped.enumerate() {
        let piece = pen.cell(&text, width, Align::Left, Role::Plain);
        pen.put_at(area, 3, at as u16 + 2, &[piece]);
    }
}
