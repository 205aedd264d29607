//! Drawing: from the state to the screen, and nothing else. The only room that names the drawing
//! library.

mod edges;
mod page;
mod panel;
mod pen;
pub mod plain;
mod table;
mod text;
mod theme;

use crate::app::App;
use crate::app::layout::{Area, Size};
use pen::{Pen, rect};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use std::io::{self, Write};

/// The terminal's screen, of which only what has changed is written.
///
/// The drawing library's own terminal asks the real one where its cursor is whenever the size
/// changes, and waits for the answer; this one never asks anything.
pub struct Screen<W: Write> {
    backend: CrosstermBackend<W>,
    /// What the terminal shows.
    shown: Buffer,
    /// What it is to show.
    next: Buffer,
    /// Nothing is known of what the terminal shows.
    forgotten: bool,
}

impl<W: Write> Screen<W> {
    /// A screen that is written to `out`.
    pub fn new(out: W) -> Self {
        let (shown, next) = (Buffer::default(), Buffer::default());
        Self { backend: CrosstermBackend::new(out), shown, next, forgotten: true }
    }

    /// The size of the terminal.
    pub fn size(&self) -> io::Result<Size> {
        let size = self.backend.size()?;
        Ok(Size { width: size.width, height: size.height })
    }

    /// Draws the state.
    pub fn draw(&mut self, app: &App) -> io::Result<()> {
        let whole = rect(Area { x: 0, y: 0, width: app.size.width, height: app.size.height });
        if self.shown.area != whole {
            self.shown.resize(whole);
            self.next.resize(whole);
            self.forgotten = true;
        }
        if std::mem::take(&mut self.forgotten) {
            // Unlike anything that is drawn, so that every cell is written; no flash of blankness.
            self.shown.content.iter_mut().for_each(|cell| {
                cell.set_symbol("\u{fffd}");
            });
        }
        self.next.reset();
        let caret = paint(&mut self.next, app);
        self.backend.draw(self.shown.diff(&self.next).into_iter())?;
        match caret {
            Some((x, y)) => {
                self.backend.set_cursor_position(Position { x, y })?;
                self.backend.show_cursor()?;
            }
            None => self.backend.hide_cursor()?,
        }
        Backend::flush(&mut self.backend)?;
        std::mem::swap(&mut self.shown, &mut self.next);
        Ok(())
    }

    /// Forgets what is on the screen, so that the next drawing writes everything.
    pub fn forget(&mut self) {
        self.forgotten = true;
    }
}

/// Draws the state; tells where the terminal's cursor goes.
fn paint(buffer: &mut Buffer, app: &App) -> Option<(u16, u16)> {
    let whole = buffer.area;
    let mut pen = Pen::new(buffer, app);
    // A frame may be drawn between a change of the screen and the message that tells of it.
    let fits = whole.width >= app.size.width && whole.height >= app.size.height;
    let layout = app.layout.as_ref().filter(|_| fits);
    let Some(layout) = layout else {
        let area = Area { x: 0, y: 0, width: whole.width, height: whole.height };
        edges::too_small(&mut pen, area);
        return None;
    };
    edges::title(&mut pen, app, layout.title);
    edges::query(&mut pen, app, layout);
    if let Some(area) = layout.table {
        table::draw(&mut pen, app, area);
    }
    if layout.below {
        if let Some(panel) = layout.panels.first() {
            pen.rule(Area { y: panel.y - 1, height: 1, ..*panel }, 0, "");
        }
    } else if layout.table.is_some() {
        layout.panels.iter().for_each(|panel| pen.rule_left(*panel));
    }
    panel::draw(&mut pen, app, &layout.panels);
    if let Some(area) = layout.status {
        edges::status(&mut pen, app, area);
    }
    edges::footer(&mut pen, app, layout.footer);
    page::draw(&mut pen, app, layout)
}

#[cfg(test)]
mod tests;
