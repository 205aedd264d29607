//! What stands over the table.

mod around;
mod cell;
mod compare;
mod detail;
mod export;
mod order;
mod pareto;
mod pick;
mod prompt;
mod providers;
mod settings;
mod setup;
mod why;
mod why_not;

pub(super) use why_not::check_word;

use super::pen::{Pen, Strip};
use super::theme::Role;
use crate::app::layout::{Area, Layout};
use crate::app::sheet::SheetKind;
use crate::app::{App, Overlay};

/// Where the terminal's cursor goes, when text is being typed.
pub(super) type Caret = (u16, u16);

/// Draws what is open.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, layout: &Layout) -> Option<Caret> {
    let overlay = app.overlay.as_ref()?;
    if let Overlay::Prompt(prompt) = overlay {
        return Some(prompt::draw(pen, prompt, layout));
    }
    let (whole, title) = place(overlay, layout);
    let area = cleared(pen, whole, &title);
    match overlay {
        Overlay::Prompt(_) => return None,
        Overlay::Pick(picker) => return Some(pick::draw(pen, picker, area)),
        Overlay::Setup(page) => return setup::draw(pen, app, page, area),
        Overlay::Order(page) => order::draw(pen, page, area),
        Overlay::Export(page) => export::draw(pen, page, area),
        Overlay::Why(page) => why::draw(pen, app, page, area),
        Overlay::Around(page) => around::draw(pen, page, area),
        Overlay::Pareto(page) => return pareto::draw(pen, app, page, area),
        Overlay::WhyNot(page) => why_not::draw(pen, page, area),
        Overlay::Settings(page) => settings::draw(pen, app, *page, area),
        Overlay::Sheet(sheet) => match sheet.kind {
            SheetKind::Cell => cell::draw(pen, app, sheet.at, area),
            SheetKind::Detail => detail::draw(pen, app, sheet.at, area),
            SheetKind::Compare => compare::draw(pen, app, sheet.at, area),
            SheetKind::Providers => providers::draw(pen, app, sheet.at, area),
        },
    }
    None
}

/// Where a page goes, and its heading. What re-ranks the table leaves it in sight.
fn place(overlay: &Overlay, layout: &Layout) -> (Area, String) {
    match overlay {
        Overlay::Prompt(_) => (layout.footer, String::new()),
        Overlay::Pick(picker) => (layout.body, picker.kind.title().to_string()),
        Overlay::Setup(_) => (beside(layout), "Training setup".to_string()),
        Overlay::Order(page) => (beside(layout), order::title(page).to_string()),
        Overlay::Export(page) => (roomy(layout), format!("Export {}", page.id)),
        Overlay::Why(_) => (layout.body, "Why rows are hidden".to_string()),
        Overlay::Around(page) => (layout.body, page.title()),
        Overlay::Pareto(page) => (layout.chart.unwrap_or(layout.body), pareto::title(page)),
        Overlay::WhyNot(page) => (layout.body, format!("Why is {} hidden?", page.id)),
        Overlay::Settings(_) => (beside(layout), "Settings, kept for the next start".to_string()),
        Overlay::Sheet(sheet) => {
            let title = match sheet.kind {
                SheetKind::Cell => "This figure: what it is, who says so, when?",
                SheetKind::Detail => "Every figure: says who, when?",
                SheetKind::Compare => "Compare (* is the best of its line)",
                SheetKind::Providers => "Providers",
            };
            (layout.body, title.to_string())
        }
    }
}

/// Cells that a list with a sentence in each line needs.
const SENTENCE: u16 = 84;

/// The side panels as one area, where there are any; otherwise everything below the counts.
fn beside(layout: &Layout) -> Area {
    match (layout.panels.as_slice(), layout.below) {
        ([one], false) => *one,
        ([first, second], false) => Area { width: second.x + second.width - first.x, ..*first },
        _ => layout.body,
    }
}

/// The side panels, or everything below the counts where they are too narrow for sentences.
fn roomy(layout: &Layout) -> Area {
    let area = beside(layout);
    if area.width < SENTENCE { layout.body } else { area }
}

/// Blanks an area and writes its heading; hands back what is below the heading.
fn cleared(pen: &mut Pen<'_>, area: Area, title: &str) -> Area {
    pen.blank(area);
    pen.rule(area, 0, title);
    Area { y: area.y + 1, height: area.height.saturating_sub(1), ..area }
}

/// Draws lines of which none is selected.
fn read_only(pen: &mut Pen<'_>, area: Area, lines: &[Strip]) {
    for (row, line) in lines.iter().enumerate().take(usize::from(area.height)) {
        pen.put(area, row as u16, line);
    }
}

/// Draws lines so that `selected` is in view; the selected line is shaded.
fn list(pen: &mut Pen<'_>, area: Area, lines: &[Strip], selected: usize) {
    let height = usize::from(area.height).max(1);
    let top = (selected + 1).saturating_sub(height * 2 / 3).min(lines.len().saturating_sub(height));
    for (row, line) in lines.iter().enumerate().skip(top).take(height) {
        let at = (row - top) as u16;
        pen.put(area, at, line);
        if row == selected {
            pen.shade(area, at, Role::Cursor);
        }
    }
}
