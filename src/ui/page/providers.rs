//! The providers: what each last said.

use super::list;
use crate::app::App;
use crate::app::layout::Area;
use crate::market::Align;
use crate::ui::pen::{Pen, Strip};
use crate::ui::text;
use crate::ui::theme::Role;

/// Columns of a heading.
const HEADING: usize = 14;

/// Draws one line for each provider; the selected one in full below.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, selected: usize, area: Area) {
    // A line for each provider, and the rest of the page for what is known of one.
    let below = 12.min(area.height.saturating_sub(9).max(area.height / 3));
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
        let width = usize::from(area.width).saturating_sub(HEADING);
        let mut row = 1;
        for (heading, words) in status.details(app.now) {
            for (i, line) in text::wrap(&words, width).into_iter().enumerate() {
                let heading = if i == 0 { heading } else { "" };
                let heading = pen.cell(heading, HEADING, Align::Left, Role::Faint);
                pen.put(foot, row, &[heading, pen.piece(line, Role::Plain)]);
                row += 1;
            }
        }
    }
}
