//! Sort keys or columns: what is chosen, in its order, then the rest.

use super::list;
use crate::app::layout::Area;
use crate::app::order_page::{OrderItem, OrderKind, OrderPage};
use crate::market::Align;
use crate::ui::pen::{Pen, Strip};
use crate::ui::text;
use crate::ui::theme::Role;

/// The heading.
pub(super) fn title(page: &OrderPage) -> &'static str {
    match page.kind {
        OrderKind::Sort => "Sort keys, the first decides",
        OrderKind::Columns => "Columns, from left to right",
    }
}

/// Draws the list.
pub(super) fn draw(pen: &mut Pen<'_>, page: &OrderPage, area: Area) {
    let lines: Vec<Strip> =
        page.items.iter().enumerate().map(|(at, item)| line(pen, page.kind, at, *item)).collect();
    let about = page.items.get(page.selected).map_or("", |item| item.about());
    let about = text::wrap(about, usize::from(area.width));
    let below = (about.len() as u16 + 1).min(area.height / 3);
    let top = Area { height: area.height - below, ..area };
    list(pen, top, &lines, page.selected);
    let foot = Area { y: area.y + top.height, height: below, ..area };
    pen.rule(foot, 0, "");
    for (row, line) in about.into_iter().enumerate() {
        let strip = pen.strip(line, Role::Plain);
        pen.put(foot, row as u16 + 1, &strip);
    }
}

fn line(pen: &Pen<'_>, kind: OrderKind, at: usize, item: OrderItem) -> Strip {
    let chosen = if item.on { format!("{:>2}", at + 1) } else { "  ".to_string() };
    let way = match (kind, item.descending) {
        (OrderKind::Columns, _) => "",
        (OrderKind::Sort, true) => "largest first",
        (OrderKind::Sort, false) => "smallest first",
    };
    let role = if item.on { Role::Strong } else { Role::Plain };
    let width = if kind == OrderKind::Sort { 15 } else { 0 };
    vec![
        pen.piece(format!("{chosen} "), role),
        pen.cell(item.name(), 12, Align::Left, role),
        pen.piece(if item.held { "held " } else { "" }, Role::Accent),
        pen.cell(way, width, Align::Left, Role::Plain),
        pen.piece(item.about(), Role::Faint),
    ]
}
