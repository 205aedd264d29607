//! What can be exported, and where to.

use super::list;
use crate::app::export_page::{ExportPage, Target};
use crate::app::layout::Area;
use crate::market::Align;
use crate::ui::pen::{Pen, Strip};
use crate::ui::text;
use crate::ui::theme::Role;

/// Draws target, formats, and what is in the way of the selected one.
pub(super) fn draw(pen: &mut Pen<'_>, page: &ExportPage, area: Area) {
    let mut to = vec![pen.piece("to  ", Role::Faint)];
    for target in Target::ALL {
        let on = target == page.target;
        let words =
            if on { format!("[{}]", target.words()) } else { format!(" {} ", target.words()) };
        to.push(pen.piece(words, if on { Role::Accent } else { Role::Plain }));
    }
    pen.put(area, 0, &to);
    let below = 3.min(area.height / 3);
    let formats = Area {
        y: area.y + 2.min(area.height),
        height: area.height.saturating_sub(2 + below),
        ..area
    };
    let lines: Vec<Strip> = page
        .formats
        .iter()
        .map(|format| {
            let role = if format.problem.is_some() { Role::Faint } else { Role::Plain };
            let sign = if format.problem.is_some() { "- " } else { "  " };
            vec![
                pen.piece(sign, role),
                pen.cell(format.export.name, 13, Align::Left, role),
                pen.piece(format!(" {}", format.export.about), Role::Faint),
            ]
        })
        .collect();
    list(pen, formats, &lines, page.selected);
    let foot = Area { y: area.y + area.height - below, height: below, ..area };
    let picked = page.picked();
    let words = picked.map(|f| match &f.problem {
        Some(problem) => (problem.clone(), Role::Warn),
        None => (f.export.about.to_string(), Role::Plain),
    });
    if let Some((words, role)) = words {
        for (row, line) in text::wrap(&words, usize::from(area.width)).into_iter().enumerate() {
            let strip = pen.strip(line, role);
            pen.put(foot, row as u16, &strip);
        }
    }
}
