//! Every figure of the selected offer: value, what it rests on, who says so, how old it is.

use super::list;
use crate::app::App;
use crate::app::facts::{Fact, age_words, basis_word, facts};
use crate::app::layout::Area;
use crate::market::Align;
use crate::ui::pen::{Pen, Strip};
use crate::ui::text;
use crate::ui::theme::Role;
use unicode_width::UnicodeWidthStr;

/// Draws the figures; the selected one is written out in full below.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, selected: usize, area: Area) {
    let Some(detail) = &app.detail else { return };
    let all = facts(detail, app.now);
    let below = 4.min(area.height / 3);
    let top = Area { height: area.height - below, ..area };
    let widths = Widths::of(&all, usize::from(area.width));
    let mut lines: Vec<Strip> = Vec::new();
    let mut section = "";
    let mut at = 0;
    for (n, fact) in all.iter().enumerate() {
        if fact.section != section {
            section = fact.section;
            lines.push(pen.strip(section, Role::Strong));
        }
        if n == selected {
            at = lines.len();
        }
        lines.push(line(pen, fact, &widths));
    }
    list(pen, top, &lines, at);
    if let Some(fact) = all.get(selected) {
        let foot = Area { y: area.y + top.height, height: below, ..area };
        in_full(pen, fact, foot);
    }
}

struct Widths {
    name: usize,
    value: usize,
}

impl Widths {
    fn of(facts: &[Fact], room: usize) -> Self {
        let widest = |f: fn(&Fact) -> &str| facts.iter().map(|x| f(x).width()).max().unwrap_or(0);
        Self { name: widest(|f| &f.name).min(room / 4), value: widest(|f| &f.value).min(room / 3) }
    }
}

fn line(pen: &Pen<'_>, fact: &Fact, widths: &Widths) -> Strip {
    let age = age_words(fact.age_seconds);
    let said = [age.as_str(), fact.source.as_str()];
    let said: Vec<&str> = said.into_iter().filter(|s| !s.is_empty()).collect();
    vec![
        pen.piece("  ", Role::Plain),
        pen.cell(&fact.name, widths.name, Align::Left, Role::Plain),
        pen.piece("  ", Role::Plain),
        pen.cell(&fact.value, widths.value, Align::Left, Role::Accent),
        pen.piece("  ", Role::Plain),
        pen.cell(basis_word(fact.basis), 9, Align::Left, Role::Plain),
        pen.piece(format!(" {}", said.join(", ")), Role::Faint),
    ]
}

fn in_full(pen: &mut Pen<'_>, fact: &Fact, area: Area) {
    let width = usize::from(area.width);
    pen.rule(area, 0, "");
    let age = age_words(fact.age_seconds);
    let words = format!(
        "{}: {} — {}{}{}{}{}",
        fact.name,
        fact.value,
        basis_word(fact.basis),
        if fact.source.is_empty() { "" } else { "; " },
        fact.source,
        if age.is_empty() { "" } else { "; " },
        age
    );
    for (row, line) in text::wrap(&words, width).into_iter().enumerate() {
        let strip = pen.strip(line, Role::Plain);
        pen.put(area, row as u16 + 1, &strip);
    }
}
