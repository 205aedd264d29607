//! Drawing: from the state to the screen, and nothing else. The only room that names the drawing
//! library.

mod edges;
mod page;
mod panel;
mod pen;
mod table;
mod text;
mod theme;

use crate::app::App;
use crate::app::layout::Area;
use pen::Pen;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use std::io::{self, Write};

/// The terminal's screen, of which only what has changed is written.
pub struct Screen<W: Write> {
    terminal: Terminal<CrosstermBackend<W>>,
}

impl<W: Write> Screen<W> {
    /// A screen that is written to `out`.
    pub fn new(out: W) -> io::Result<Self> {
        Ok(Self { terminal: Terminal::new(CrosstermBackend::new(out))? })
    }

    /// Its size: columns, rows.
    pub fn size(&self) -> io::Result<(u16, u16)> {
        let size = self.terminal.size()?;
        Ok((size.width, size.height))
    }

    /// Draws the state.
    pub fn draw(&mut self, app: &App) -> io::Result<()> {
        self.terminal.draw(|frame| draw(frame, app))?;
        Ok(())
    }

    /// Forgets what is on the screen, so that the next drawing writes everything.
    pub fn forget(&mut self) -> io::Result<()> {
        self.terminal.clear()
    }
}

/// Draws the state into a frame.
pub fn draw(frame: &mut ratatui::Frame<'_>, app: &App) {
    if let Some((x, y)) = paint(frame.buffer_mut(), app) {
        frame.set_cursor_position((x, y));
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
