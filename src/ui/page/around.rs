//! What stands beside an offer, as a table: other places, or other numbers of the same card.

use super::list;
use crate::app::around_page::AroundPage;
use crate::app::layout::Area;
use crate::market::Align;
use crate::ui::pen::{Pen, Strip};
use crate::ui::text;
use crate::ui::theme::Role;
use unicode_width::UnicodeWidthStr;

/// The widest that a column of words becomes.
const WIDEST: usize = 34;

/// Draws the table, and what it comes to.
pub(super) fn draw(pen: &mut Pen<'_>, page: &AroundPage, area: Area) {
    let width = usize::from(area.width);
    let mut top = 0;
    for line in text::wrap(&page.words(), width).into_iter().take(2) {
        let strip = pen.strip(line, Role::Strong);
        pen.put(area, top, &strip);
        top += 1;
    }
    let (heads, rows) = (page.heads(), page.rows());
    let widths = widths(heads, &rows, width);
    let head: Vec<String> = heads.iter().map(|h| h.trim_start_matches('>').to_string()).collect();
    let head = line(pen, heads, &head, &widths, Role::Head);
    pen.put(area, top, &head);
    let below = Area { y: area.y + top + 1, height: area.height.saturating_sub(top + 1), ..area };
    let lines: Vec<Strip> =
        rows.iter().map(|cells| line(pen, heads, cells, &widths, Role::Plain)).collect();
    list(pen, below, &lines, page.at);
}

/// Width of each column; columns for which there is no room have none, from the third on words go
/// before figures.
fn widths(heads: &[&str], rows: &[Vec<String>], room: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = heads
        .iter()
        .enumerate()
        .map(|(at, head)| {
            let cells = rows.iter().filter_map(|r| r.get(at)).map(|c| c.width());
            cells.max().unwrap_or(0).max(head.trim_start_matches('>').width()).min(WIDEST)
        })
        .collect();
    let used = |widths: &[usize]| widths.iter().filter(|w| **w > 0).map(|w| w + 2).sum::<usize>();
    let words = |at: &usize| heads.get(*at).is_some_and(|h| !h.starts_with('>')) && *at > 1;
    let figures = |at: &usize| heads.get(*at).is_some_and(|h| h.starts_with('>')) && *at > 0;
    let order: Vec<usize> =
        (0..heads.len()).rev().filter(words).chain((0..heads.len()).filter(figures)).collect();
    for at in order {
        if used(&widths) <= room + 2 {
            break;
        }
        if let Some(width) = widths.get_mut(at) {
            *width = 0;
        }
    }
    widths
}

fn line(pen: &Pen<'_>, heads: &[&str], cells: &[String], widths: &[usize], role: Role) -> Strip {
    let mut strip = Strip::new();
    for ((head, cell), width) in heads.iter().zip(cells).zip(widths).filter(|(_, w)| **w > 0) {
        let align = if head.starts_with('>') { Align::Right } else { Align::Left };
        strip.push(pen.cell(cell, *width, align, role));
        strip.push(pen.piece("  ", Role::Plain));
    }
    strip
}
