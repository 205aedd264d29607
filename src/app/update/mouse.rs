//! The mouse: a click selects, on a head it sorts; the wheel moves.

use super::super::action::Action;
use super::super::message::{Effect, Mouse, MouseKind};
use super::super::{App, Overlay};

/// Lines that one notch of the wheel moves.
const NOTCH: usize = 3;

impl App {
    pub(super) fn mouse(&mut self, mouse: Mouse) -> Vec<Effect> {
        match mouse.kind {
            MouseKind::WheelDown => self.wheel(Action::Down, mouse),
            MouseKind::WheelUp => self.wheel(Action::Up, mouse),
            MouseKind::Click => {
                self.click(mouse);
                Vec::new()
            }
        }
    }

    fn wheel(&mut self, action: Action, mouse: Mouse) -> Vec<Effect> {
        let on_panel = self
            .layout
            .as_ref()
            .is_some_and(|l| l.panels.iter().any(|p| p.has(mouse.column, mouse.row)));
        let action = match (action, &self.overlay, on_panel) {
            (Action::Down, Some(Overlay::Pick(_)), _) => Action::TextDown,
            (Action::Up, Some(Overlay::Pick(_)), _) => Action::TextUp,
            (_, Some(Overlay::Prompt(_)), _) => return Vec::new(),
            (Action::Down, None, true) => Action::PanelDown,
            (Action::Up, None, true) => Action::PanelUp,
            _ => action,
        };
        for _ in 0..NOTCH {
            self.act(action);
        }
        Vec::new()
    }

    fn click(&mut self, mouse: Mouse) {
        let Some(table) = self.layout.as_ref().and_then(|l| l.table) else { return };
        if self.overlay.is_some() || !table.has(mouse.column, mouse.row) {
            return;
        }
        if let Some(column) = self.grid.column_at(usize::from(mouse.column - table.x)) {
            self.column = column.field;
        }
        let row = usize::from(mouse.row - table.y);
        if row == 0 {
            self.sort_by_column(false);
        } else if row <= self.grid.rows.len() {
            self.cursor.go(self.cursor.offset + row - 1, self.desk.shown());
        }
    }
}
