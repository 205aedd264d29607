//! A list that narrows while one types.

use super::{Caret, list};
use crate::app::layout::Area;
use crate::app::pick::{Pick, Picker};
use crate::market::Align;
use crate::ui::pen::{Pen, Strip};
use crate::ui::theme::Role;
use unicode_width::UnicodeWidthStr;

/// Draws the typed text and the list below it.
pub(super) fn draw(pen: &mut Pen<'_>, picker: &Picker, area: Area) -> Caret {
    let (shown, caret) = picker.line.window(usize::from(area.width).saturating_sub(3));
    let line = vec![pen.piece("> ", Role::Key), pen.piece(shown, Role::Plain)];
    pen.put(area, 0, &line);
    let count = format!("{} of {}", picker.matches.len(), picker.items.len());
    let count = pen.strip(count, Role::Faint);
    pen.put_right(area, 0, caret as u16 + 4, &count);
    let below = Area { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let (lines, selected) = lines(pen, picker);
    list(pen, below, &lines, selected);
    (area.x + 2 + caret as u16, area.y)
}

/// The lines, with headings of groups while nothing is typed, and which of them is selected.
fn lines(pen: &Pen<'_>, picker: &Picker) -> (Vec<Strip>, usize) {
    let items = || picker.matches.iter().filter_map(|at| picker.items.get(*at));
    let width = |f: fn(&crate::app::pick::Item) -> &str, most: usize| {
        items().map(|i| f(i).width()).max().unwrap_or(0).min(most)
    };
    let name = width(|i| &i.name, 34);
    let aside = width(|i| &i.aside, 22);
    let mut lines = Vec::new();
    let mut selected = 0;
    let mut group = None;
    for (at, item) in items().enumerate() {
        if let (Pick::Action(action), true) = (&item.pick, picker.line.is_empty()) {
            let own = action.entry().group;
            if group != Some(own) {
                lines.push(pen.strip(own.title(), Role::Strong));
                group = Some(own);
            }
        }
        if at == picker.selected {
            selected = lines.len();
        }
        lines.push(vec![
            pen.piece("  ", Role::Plain),
            pen.cell(&item.aside, aside, Align::Left, Role::Key),
            pen.piece("  ", Role::Plain),
            pen.cell(&item.name, name, Align::Left, Role::Plain),
            pen.piece(format!("  {}", item.note), Role::Plain),
        ]);
    }
    (lines, selected)
}
