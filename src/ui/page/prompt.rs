//! The line in which a query is typed, with its mistakes and completions.

use super::Caret;
use crate::app::layout::{Area, Layout};
use crate::app::prompt::{Prompt, PromptKind};
use crate::market::Align;
use crate::ui::pen::{Pen, thousands};
use crate::ui::text;
use crate::ui::theme::Role;
use unicode_width::UnicodeWidthStr;

/// Completions shown at once.
const MOST: usize = 9;

/// Draws the prompt on the last line, and what belongs to it above.
pub(super) fn draw(pen: &mut Pen<'_>, prompt: &Prompt, layout: &Layout) -> Caret {
    let area = layout.footer;
    pen.blank(area);
    let label = pen.strip(format!("{} ", prompt.label()), Role::Key);
    let start = pen.put(area, 0, &label).min(area.width / 2);
    let room = usize::from(area.width - start);
    let (shown, caret) = prompt.line.window(room.saturating_sub(1));
    let text = pen.strip(shown, Role::Plain);
    pen.put_at(area, start, 0, &text);
    underline_mistake(pen, prompt, Area { x: area.x + start, width: room as u16, ..area });
    above(pen, prompt, layout);
    (area.x + start + caret as u16, area.y)
}

/// The mistake is drawn once more over the text, in its own style.
fn underline_mistake(pen: &mut Pen<'_>, prompt: &Prompt, area: Area) {
    let Some(span) = prompt.mistake.as_ref().and_then(|m| m.span.clone()) else { return };
    let text = prompt.line.text();
    let (Some(before), Some(wrong)) = (text.get(..span.start), text.get(span)) else { return };
    if text.width() < usize::from(area.width) && !wrong.is_empty() {
        let piece = pen.piece(wrong, Role::Bad);
        let style = piece.style.add_modifier(ratatui::style::Modifier::UNDERLINED);
        pen.put_at(area, before.width() as u16, 0, &[super::super::pen::Piece { style, ..piece }]);
    }
}

fn above(pen: &mut Pen<'_>, prompt: &Prompt, layout: &Layout) {
    let mut lines: Vec<(String, String, bool)> = Vec::new();
    if let Some(mistake) = &prompt.mistake {
        let room = usize::from(layout.footer.width).saturating_sub(4).max(1);
        let wrapped = text::wrap(&mistake.text, room).into_iter().enumerate();
        lines
            .extend(wrapped.map(|(at, line)| (if at == 0 { "!" } else { "" }.into(), line, false)));
    } else if let PromptKind::Filter(filter) = &prompt.kind {
        lines.push(("as in".to_string(), filter.example().to_string(), false));
    }
    let first = prompt.taken.map_or(0, |t| (t + 1).saturating_sub(MOST));
    let candidates = prompt.completion.candidates.iter().enumerate().skip(first).take(MOST);
    for (at, candidate) in candidates {
        let count = candidate.count.map(|n| format!("{}  ", thousands(n))).unwrap_or_default();
        let note = format!("{count}{}", candidate.note);
        lines.push((candidate.text.clone(), note, prompt.taken == Some(at)));
    }
    let height = (lines.len() as u16).min(layout.footer.y.saturating_sub(layout.body.y));
    let widest = lines.iter().map(|l| l.0.width()).max().unwrap_or(0).min(28);
    let whole = Area { y: layout.footer.y - height, height, ..layout.footer };
    pen.blank(whole);
    for (row, (text, note, taken)) in lines.iter().take(usize::from(height)).enumerate() {
        // Only the lines of a mistake have no name.
        let is_mistake = text == "!" || text.is_empty();
        let role = if is_mistake { Role::Bad } else { Role::Strong };
        let strip = vec![
            pen.piece(" ", Role::Plain),
            pen.cell(text, widest, Align::Left, role),
            pen.piece(format!("  {note}"), if is_mistake { Role::Bad } else { Role::Plain }),
        ];
        pen.put(whole, row as u16, &strip);
        if *taken {
            pen.shade(whole, row as u16, Role::Cursor);
        }
    }
}
