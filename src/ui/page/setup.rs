//! The editor of the training setup.

use super::{Caret, list, pick};
use crate::app::App;
use crate::app::facts::verdict_word;
use crate::app::layout::Area;
use crate::app::setup_page::{Edit, SetupPage, value};
use crate::market::Align;
use crate::setup::Field;
use crate::ui::pen::{Pen, Strip};
use crate::ui::text;
use crate::ui::theme::Role;
use crate::units::{gib, usd};
use unicode_width::UnicodeWidthStr;

/// Lines below the list of fields.
const BELOW: u16 = 6;
const NAME: usize = 18;
/// Behind what is not the user's own choice (which is marked `*`).
const DEFAULT: &str = "  (default)";

/// Draws the fields, what the selected one is, and what the changes did.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, page: &SetupPage, area: Area) -> Option<Caret> {
    if let Some(Edit::Model(picker)) = &page.edit {
        return Some(pick::draw(pen, picker, area));
    }
    let below = BELOW.min(area.height / 2);
    let fields = Area { height: area.height - below, ..area };
    let lines: Vec<Strip> = Field::ALL.iter().map(|f| line(pen, app, *f, area.width)).collect();
    list(pen, fields, &lines, page.selected);
    let foot = Area { y: area.y + fields.height, height: below, ..area };
    foot_lines(pen, app, page, foot);
    match &page.edit {
        Some(Edit::Line(line)) => {
            let (shown, caret) = line.window(usize::from(area.width).saturating_sub(NAME + 4));
            let label = format!("{} = ", page.field().flag());
            let strip = vec![pen.piece(&label, Role::Key), pen.piece(shown, Role::Plain)];
            pen.blank(Area { height: 1, ..foot });
            pen.put(foot, 0, &strip);
            Some((foot.x + (label.len() + caret) as u16, foot.y))
        }
        _ => None,
    }
}

fn line(pen: &Pen<'_>, app: &App, field: Field, width: u16) -> Strip {
    let (setup, draft) = (app.desk.setup(), app.desk.draft());
    let own = draft.get(field).is_some();
    let text = value(setup, draft, field);
    let text = text.unwrap_or_else(|| if field.may_be_auto() { "auto" } else { "-" }.to_string());
    let fits = NAME + 2 + text.width() + DEFAULT.width() <= usize::from(width);
    vec![
        pen.piece(if own { "* " } else { "  " }, Role::Strong),
        pen.cell(field.flag(), NAME, Align::Left, Role::Plain),
        pen.piece(text, if own { Role::Accent } else { Role::Plain }),
        pen.piece(if own || !fits { "" } else { DEFAULT }, Role::Faint),
    ]
}

fn foot_lines(pen: &mut Pen<'_>, app: &App, page: &SetupPage, area: Area) {
    let width = usize::from(area.width);
    let field = page.field();
    let mut lines: Vec<(String, Role)> = vec![("─".repeat(width), Role::Frame)];
    if let Some(mistake) = &page.mistake {
        lines.extend(text::wrap(mistake, width).into_iter().take(3).map(|l| (l, Role::Bad)));
    } else {
        let words = field.choices();
        let shape = if words.is_empty() { field.shape().to_string() } else { words.join(" ") };
        let about = text::wrap(&format!("{} {shape}", field.about()), width);
        lines.extend(about.into_iter().take(3).map(|l| (l, Role::Faint)));
    }
    if let Some(words) = effect(app, page) {
        lines.extend(text::wrap(&words, width).into_iter().map(|l| (l, Role::Strong)));
    }
    for (row, (text, role)) in lines.into_iter().enumerate() {
        let strip = pen.strip(text, role);
        pen.put(area, row as u16, &strip);
    }
}

/// What the changes did to the selected offer: `vast:12-1: fits, 9.1 → 14.2 GiB, 4.10$ → 3.20$`.
fn effect(app: &App, page: &SetupPage) -> Option<String> {
    let detail = app.detail.as_ref()?;
    let needed = detail.fit.needed.map(gib);
    let total = detail.quote.total.map(|t| usd(t.expected));
    let (mut memory, mut money) = (needed.clone(), total.clone());
    if let Some(before) = page.before.as_ref().filter(|b| b.id == detail.id) {
        let arrow = |old: Option<String>, new: Option<String>| match (old, new) {
            (Some(old), Some(new)) if old != new => Some(format!("{old} → {new}")),
            (_, new) => new,
        };
        memory = arrow(before.needed.map(gib), needed);
        money = arrow(before.total.map(usd), total);
    }
    let verdict = verdict_word(detail.fit.verdict);
    let memory = memory.unwrap_or_else(|| "?".to_string());
    let money = money.unwrap_or_else(|| "?".to_string());
    Some(format!("{}: {verdict}, {memory} GiB, {money}", detail.id))
}
