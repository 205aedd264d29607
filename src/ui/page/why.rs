//! Why rows are hidden: each condition alone and together, the nearest misses, and what would bring
//! rows back.

use super::list;
use crate::app::App;
use crate::app::layout::Area;
use crate::app::sheet::WhyPage;
use crate::market::Align;
use crate::market::why::Hidden;
use crate::ui::pen::{Pen, Strip, thousands};
use crate::ui::theme::Role;
use crate::units::usd;
use unicode_width::UnicodeWidthStr;

/// Draws the answer.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, page: &WhyPage, area: Area) {
    let why = &page.why;
    let mut lines: Vec<Strip> = Vec::new();
    let hidden = why.total - why.shown;
    let words = format!(
        "{} of {} shown, {} hidden",
        thousands(why.shown),
        thousands(why.total),
        thousands(hidden)
    );
    lines.push(pen.strip(words, Role::Strong));
    lines.push(Vec::new());
    let named = why.conditions.iter().map(|h| &h.condition);
    let named = named.chain(why.before.iter().map(|b| &b.reason));
    let widest = named.map(|name| name.width()).max().unwrap_or(0);
    let widest = widest.clamp(9, 32);
    lines.push(head(pen, widest));
    for before in &why.before {
        lines.push(vec![
            pen.cell(&before.reason, widest, Align::Left, Role::Plain),
            pen.cell(&thousands(before.count), 9, Align::Right, Role::Plain),
        ]);
    }
    lines.extend(why.conditions.iter().map(|h| condition(pen, app, h, widest)));
    lines.push(Vec::new());
    let selected = if why.relaxations.is_empty() {
        lines.push(pen.strip("Nothing would bring rows back.", Role::Plain));
        usize::MAX
    } else {
        lines.push(pen.strip("What would bring rows back (enter applies, u undoes)", Role::Strong));
        lines.len() + page.at
    };
    let longest = why.relaxations.iter().map(|r| r.change.width()).max().unwrap_or(0);
    let change = longest.min(36).min((usize::from(area.width) / 2).max(9));
    for relaxation in &why.relaxations {
        let from = if area.width < 60 { "from" } else { "the cheapest at" };
        let cheapest =
            relaxation.cheapest.map_or(String::new(), |c| format!(", {from} {}", usd(c)));
        lines.push(vec![
            pen.cell(&relaxation.change, change, Align::Left, Role::Plain),
            pen.piece(format!("  +{}{cheapest}", thousands(relaxation.brings)), Role::Accent),
        ]);
    }
    if selected == usize::MAX {
        list(pen, area, &lines, 0);
    } else {
        list(pen, area, &lines, selected);
    }
}

fn head(pen: &Pen<'_>, widest: usize) -> Strip {
    let mut strip = vec![pen.cell("condition", widest, Align::Left, Role::Head)];
    for title in ["hides", "alone", "unstated"] {
        strip.push(pen.cell(title, 9, Align::Right, Role::Head));
    }
    strip.push(pen.piece("  nearest misses", Role::Head));
    strip
}

fn condition(pen: &Pen<'_>, app: &App, hidden: &Hidden, widest: usize) -> Strip {
    let mut strip = vec![pen.cell(&hidden.condition, widest, Align::Left, Role::Plain)];
    for n in [hidden.together, hidden.alone, hidden.unknown] {
        strip.push(pen.cell(&thousands(n), 9, Align::Right, Role::Plain));
    }
    let table = app.desk.table();
    let misses = hidden.nearest.iter().take(2).map(|m| {
        let id = table.id(m.line.row).unwrap_or_default();
        format!("{} ({id})", m.value)
    });
    let misses: Vec<String> = misses.collect();
    strip.push(pen.piece(format!("  {}", misses.join(", ")), Role::Faint));
    strip
}
