//! The checklist of one offer: each condition, whether it passes, and what it would pass.

use super::read_only;
use crate::app::layout::Area;
use crate::app::sheet::WhyNotPage;
use crate::market::Align;
use crate::market::why::{Check, CheckAnswer};
use crate::ui::pen::{Pen, Strip};
use crate::ui::text;
use crate::ui::theme::Role;
use unicode_width::UnicodeWidthStr;

/// Draws the checks, and what one key does.
pub(super) fn draw(pen: &mut Pen<'_>, page: &WhyNotPage, area: Area) {
    let width = usize::from(area.width);
    let mut lines: Vec<Strip> = vec![pen.strip(&page.words, Role::Strong), Vec::new()];
    let checks = &page.list.checks;
    let widest = |f: fn(&Check) -> &str, head: usize, most: usize| {
        checks.iter().map(|c| f(c).width()).max().unwrap_or(0).clamp(head, most)
    };
    let condition = widest(|c| &c.condition, 9, (width / 3).max(9));
    let value = widest(|c| c.value.as_deref().unwrap_or(""), 10, (width / 4).max(10));
    let cells = |a: &str, b: &str, c: &str, d: &str, roles: [Role; 4]| {
        vec![
            pen.cell(a, 9, Align::Left, roles[0]),
            pen.cell(b, condition, Align::Left, roles[1]),
            pen.piece("  ", Role::Plain),
            pen.cell(c, value, Align::Left, roles[2]),
            pen.piece(format!("  {d}"), roles[3]),
        ]
    };
    lines.push(cells("passes?", "condition", "this offer", "would pass", [Role::Head; 4]));
    for check in checks {
        let role = if check.passes() { Role::Good } else { Role::Bad };
        let value = check.value.as_deref().unwrap_or("");
        let needed = check.needed.as_deref().unwrap_or("");
        let roles = [role, Role::Plain, Role::Plain, Role::Accent];
        lines.push(cells(check_word(check), &check.condition, value, needed, roles));
    }
    lines.push(Vec::new());
    let words = match &page.list.query {
        Some(query) => format!("Enter shows it, u undoes; the query becomes: {query}"),
        None if page.list.shown() => "It is shown. Enter goes to it.".to_string(),
        None => "No query shows it. Enter asks for both prices.".to_string(),
    };
    lines.extend(text::wrap(&words, width).into_iter().map(|l| pen.strip(l, Role::Strong)));
    read_only(pen, area, &lines);
}

/// Does it pass, in a word?
pub(in crate::ui) fn check_word(check: &Check) -> &'static str {
    match check.answer {
        CheckAnswer::Passes => "yes",
        CheckAnswer::Fails => "no",
        CheckAnswer::Unknown => "not said",
        CheckAnswer::UnknownKept => "kept",
    }
}
