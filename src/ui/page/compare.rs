//! The marked offers side by side.

use super::list;
use crate::app::App;
use crate::app::compare::{Compared, compared, heads};
use crate::app::layout::Area;
use crate::market::Align;
use crate::ui::pen::{Pen, Strip};
use crate::ui::theme::Role;

/// Draws one column for each marked offer.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, selected: usize, area: Area) {
    let lines = compared(app);
    let name = 18.min(usize::from(area.width) / 4);
    let names = heads(app);
    let each = (usize::from(area.width) - name) / names.len().max(1);
    let each = each.min(32);
    let mut head = vec![pen.cell("", name, Align::Left, Role::Head)];
    for name in &names {
        head.push(pen.cell(name, each, Align::Right, Role::Head));
    }
    pen.put(area, 0, &head);
    let below = Area { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let strips: Vec<Strip> = lines.iter().map(|l| line(pen, l, name, each)).collect();
    list(pen, below, &strips, selected);
}

fn line(pen: &Pen<'_>, compared: &Compared, name: usize, each: usize) -> Strip {
    let mut strip = vec![pen.cell(&compared.name, name, Align::Left, Role::Plain)];
    for (at, value) in compared.values.iter().enumerate() {
        let best = compared.best.get(at).copied().unwrap_or(false);
        let role = if best { Role::Good } else { Role::Plain };
        strip.push(pen.cell(value, each.saturating_sub(2), Align::Right, role));
        strip.push(pen.piece(if best { " *" } else { "  " }, role));
    }
    strip
}
