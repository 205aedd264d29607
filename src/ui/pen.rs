//! Writing on the screen: everything that is drawn goes through here, so that ASCII-only, widths
//! and themes are dealt with once.

use super::text;
use super::theme::{Role, Theme};
use crate::app::App;
use crate::app::layout::Area;
use crate::market::Align;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Context};
use std::borrow::Cow;
use unicode_width::UnicodeWidthStr;

/// A piece of text with its style.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    /// The text.
    pub(super) text: String,
    /// How it looks.
    pub(super) style: Style,
}

/// A line, made of pieces.
pub(super) type Strip = Vec<Piece>;

/// What everything is drawn with.
pub(super) struct Pen<'a> {
    buffer: &'a mut Buffer,
    theme: Theme,
    /// ASCII only.
    pub(super) ascii: bool,
}

impl<'a> Pen<'a> {
    /// A pen for the look of `app`.
    pub(super) fn new(buffer: &'a mut Buffer, app: &App) -> Self {
        Self { buffer, theme: Theme::new(app.look.theme), ascii: app.look.ascii }
    }

    /// The style of a role.
    pub(super) fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// The style of the n-th part of a bar.
    pub(super) fn part(&self, n: usize) -> Style {
        self.theme.part(n)
    }

    /// Text in the characters that may be used.
    pub(super) fn clean<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.ascii { Cow::Owned(text::to_ascii(text)) } else { Cow::Borrowed(text) }
    }

    /// A piece in the style of a role.
    pub(super) fn piece(&self, text: impl AsRef<str>, role: Role) -> Piece {
        Piece { text: self.clean(text.as_ref()).into_owned(), style: self.style(role) }
    }

    /// A line of one piece.
    pub(super) fn strip(&self, text: impl AsRef<str>, role: Role) -> Strip {
        vec![self.piece(text, role)]
    }

    /// Text in exactly `width` cells, in the style of a role.
    pub(super) fn cell(&self, text: &str, width: usize, align: Align, role: Role) -> Piece {
        let text = text::fit(&self.clean(text), width, align, self.ascii);
        Piece { text, style: self.style(role) }
    }

    /// Writes a line into row `row` of `area`, cut at its right edge. Returns the cells used.
    pub(super) fn put(&mut self, area: Area, row: u16, strip: &[Piece]) -> u16 {
        self.put_at(area, 0, row, strip)
    }

    /// Writes a line from column `x` of `area` on.
    pub(super) fn put_at(&mut self, area: Area, x: u16, row: u16, strip: &[Piece]) -> u16 {
        if row >= area.height {
            return 0;
        }
        let mut used = x;
        for piece in strip {
            let room = usize::from(area.width.saturating_sub(used));
            if room == 0 {
                break;
            }
            let text = text::cut(&piece.text, room, self.ascii);
            used += self.write(area.x + used, area.y + row, &text, room, piece.style);
        }
        used
    }

    /// Writes text that is known to fit into `room` cells, from a cell on. Returns the cells used.
    fn write(&mut self, x: u16, y: u16, text: &str, room: usize, style: Style) -> u16 {
        if !text::is_plain(text) {
            self.buffer.set_stringn(x, y, text, room, style);
            return text.width() as u16;
        }
        for (at, letter) in (x..).zip(text.chars()) {
            if let Some(cell) = self.buffer.cell_mut((at, y)) {
                cell.set_char(letter).set_style(style);
            }
        }
        text.len() as u16
    }

    /// Writes a line at the right edge of a row, if `left` cells at its left stay free.
    pub(super) fn put_right(&mut self, area: Area, row: u16, left: u16, strip: &[Piece]) {
        let width: usize = strip.iter().map(|p| text::width(&p.text)).sum();
        let width = width as u16;
        if left + width < area.width {
            self.put_at(area, area.width - width, row, strip);
        }
    }

    /// Lays a style over a whole row, in one colour.
    pub(super) fn shade(&mut self, area: Area, row: u16, role: Role) {
        if row < area.height {
            let style = self.style(role);
            let style = style.fg(style.fg.unwrap_or_default());
            self.buffer.set_style(rect(Area { y: area.y + row, height: 1, ..area }), style);
        }
    }

    /// Blanks an area.
    pub(super) fn blank(&mut self, area: Area) {
        for y in area.y..area.y + area.height {
            for x in area.x..area.x + area.width {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                }
            }
        }
    }

    /// Draws shapes in dots: braille, or `likeness` for each cell that is touched where only ASCII
    /// may be used. Cells that are not touched stay as they are.
    pub(super) fn dots(
        &mut self,
        area: Area,
        (across, up): ([f64; 2], [f64; 2]),
        likeness: char,
        style: Style,
        shapes: impl Fn(&mut Context<'_>),
    ) {
        let marker = if self.ascii { Marker::Custom(likeness) } else { Marker::Braille };
        let mut drawn = Buffer::empty(rect(area));
        Canvas::default()
            .marker(marker)
            .x_bounds(across)
            .y_bounds(up)
            .paint(shapes)
            .render(rect(area), &mut drawn);
        for y in area.y..area.y + area.height {
            for x in area.x..area.x + area.width {
                let symbol = drawn.cell((x, y)).map_or(" ", |c| c.symbol());
                if !matches!(symbol, " " | "\u{2800}")
                    && let Some(cell) = self.buffer.cell_mut((x, y))
                {
                    cell.set_symbol(symbol).set_style(style);
                }
            }
        }
    }

    /// A line from top to bottom, left of `area`.
    pub(super) fn rule_left(&mut self, area: Area) {
        let bar = self.strip("│", Role::Frame);
        if area.x > 0 {
            let column = Area { x: area.x - 1, width: 1, ..area };
            (0..area.height).for_each(|row| {
                self.put(column, row, &bar);
            });
        }
    }

    /// A line from left to right in row `row`, with a heading in it.
    pub(super) fn rule(&mut self, area: Area, row: u16, heading: &str) {
        let line = "─".repeat(usize::from(area.width));
        let line = self.strip(line, Role::Frame);
        self.put(area, row, &line);
        if !heading.is_empty() {
            let heading = self.strip(format!(" {heading} "), Role::Strong);
            self.put_at(area, 1, row, &heading);
        }
    }
}

/// An area as the drawing library has it.
pub(super) fn rect(area: Area) -> Rect {
    Rect { x: area.x, y: area.y, width: area.width, height: area.height }
}

/// A number with its thousands apart: `18,000`.
pub(super) fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, c) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(18_000), "18,000");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }
}
