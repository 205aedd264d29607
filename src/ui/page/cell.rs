//! One figure of the table, in full.

use super::list;
use crate::app::App;
use crate::app::explain::explain;
use crate::app::layout::Area;
use crate::ui::pen::{Pen, Strip};
use crate::ui::text;
use crate::ui::theme::Role;

/// Draws the lines, broken where they are longer than the page is wide.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, selected: usize, area: Area) {
    let width = usize::from(area.width);
    let mut lines: Vec<Strip> = Vec::new();
    let mut at = 0;
    for (n, line) in explain(app).iter().enumerate() {
        if n == selected {
            at = lines.len();
        }
        let role = if n == 0 { Role::Strong } else { Role::Plain };
        lines.extend(text::wrap(line, width).into_iter().map(|l| pen.strip(l, role)));
    }
    list(pen, area, &lines, at);
}
