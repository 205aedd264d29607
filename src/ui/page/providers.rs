//! The providers: what each last said.

use super::list;
use crate::app::App;
use crate::app::layout::Area;
use crate::market::Align;
use crate::ui::pen::{Pen, Strip};
use crate::ui::text;
use crate::ui::theme::Role;

/// Draws one line for each provider; the selected one in full below.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, selected: usize, area: Area) {
    let below = 5.min(area.height / 3);
    let top = Area { height: area.height - below, ..area };
    let statuses = app.desk.statuses();
    let lines: Vec<Strip> = statuses
        .iter()
        .map(|s| {
            vec![
                pen.cell(s.provider.name(), 11, Align::Left, Role::Strong),
                pen.cell(s.light.word(), 10, Align::Left, Role::Plain),
                pen.piece(s.line(app.now), Role::Plain),
            ]
        })
        .collect();
    list(pen, top, &lines, selected);
    if let Some(status) = statuses.get(selected) {
        let foot = Area { y: area.y + top.height, height: below, ..area };
        pen.rule(foot, 0, status.provider.name());
        let mut words = status.line(app.now);
        if let Some(hint) = status.report.as_ref().and_then(|r| r.key_hint.as_ref()) {
            words = format!("{words}; key …{hint}");
        }
        for (row, line) in text::wrap(&words, usize::from(area.width)).into_iter().enumerate() {
            let strip = pen.strip(line, Role::Plain);
            pen.put(foot, row as u16 + 1, &strip);
        }
    }
}
