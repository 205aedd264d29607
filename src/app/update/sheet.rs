//! Pages that are read.

use super::super::action::Action;
use super::super::compare::compared;
use super::super::explain::explain;
use super::super::facts::facts;
use super::super::sheet::{Sheet, SheetKind};
use super::super::{App, Overlay, Tone};
use super::list_step;

/// Offers that can be compared at once.
const MOST_COMPARED: usize = 5;

impl App {
    pub(super) fn open_sheet(&mut self, kind: SheetKind) {
        self.overlay = Some(Overlay::Sheet(Sheet { kind, at: 0 }));
    }

    pub(super) fn note_setup(&mut self) {
        let draft = self.desk.draft().clone();
        if self.noted.contains(&draft) {
            self.say(Tone::Bad, "this setup is noted already; change it (t), then c compares");
        } else if self.noted.len() == MOST_COMPARED - 1 {
            self.say(Tone::Bad, "four setups are noted, and the present one is the fifth");
        } else {
            self.noted.push(draft);
            let words = "setup noted; change it (t), then c compares the offer under both";
            self.say(Tone::Good, words);
        }
    }

    pub(super) fn open_compare(&mut self) {
        match self.marks.len() {
            0 | 1 if !self.noted.is_empty() => self.open_sheet(SheetKind::Compare),
            0 | 1 => {
                self.say(
                    Tone::Bad,
                    "mark two to five offers first (space), or note a setup (K) and change it",
                );
            }
            n if n > MOST_COMPARED => {
                self.say(Tone::Bad, format!("{n} offers are marked; at most five can be compared"));
            }
            _ => self.open_sheet(SheetKind::Compare),
        }
    }

    /// The selected line of a page exists.
    fn keep_sheet_inside(&mut self) {
        let Some(Overlay::Sheet(Sheet { kind, .. })) = &self.overlay else { return };
        let last = self.sheet_len(*kind).saturating_sub(1);
        if let Some(Overlay::Sheet(sheet)) = &mut self.overlay {
            sheet.at = sheet.at.min(last);
        }
    }

    /// Lines that a page has.
    fn sheet_len(&self, kind: SheetKind) -> usize {
        match kind {
            SheetKind::Cell => explain(self).len(),
            SheetKind::Detail => self.detail.as_ref().map_or(0, |d| facts(d, self.now).len()),
            SheetKind::Compare => compared(self).len(),
            SheetKind::Providers => self.desk.statuses().len(),
        }
    }

    pub(super) fn act_on_sheet(&mut self, action: Action) {
        let height = self.layout.as_ref().map_or(1, |l| usize::from(l.body.height));
        let Some(Overlay::Sheet(sheet)) = &mut self.overlay else { return };
        if action == Action::Close {
            self.overlay = None;
        } else if let Some(by) = list_step(action, height) {
            sheet.at = sheet.at.saturating_add_signed(by);
            self.keep_sheet_inside();
        }
    }
}
