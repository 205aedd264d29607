//! The pages about what stands beside an offer.

use super::super::action::Action;
use super::super::around_page::{AroundKind, AroundPage};
use super::super::{App, Overlay, Tone};
use super::list_step;

impl App {
    pub(super) fn open_around(&mut self, kind: AroundKind) {
        let page = self.cursor.line.and_then(|line| AroundPage::new(&self.desk, kind, line));
        match page {
            Some(page) if !page.is_empty() => self.overlay = Some(Overlay::Around(page)),
            Some(_) => self.say(Tone::Bad, "this card is not in the catalogue"),
            None => self.say(Tone::Bad, "no offer is selected"),
        }
    }

    pub(super) fn act_on_around(&mut self, action: Action) {
        let height = self.layout.as_ref().map_or(1, |l| usize::from(l.body.height));
        let Some(Overlay::Around(page)) = &mut self.overlay else { return };
        if let Some(by) = list_step(action, height) {
            page.at = page.at.saturating_add_signed(by).min(page.len().saturating_sub(1));
            return;
        }
        match (action, page.picked()) {
            (Action::Close, _) => self.overlay = None,
            (Action::Toggle, Some(line)) => self.mark(line),
            (Action::Accept, Some(line)) if self.desk.position_of(line).is_some() => {
                self.overlay = None;
                self.select(Some(line));
            }
            (Action::Accept, Some(_)) => {
                self.say(Tone::Bad, "the query hides that offer (w says why, X shows everything)");
            }
            (Action::Accept, None) => self.say(Tone::Bad, "no offer has that many"),
            _ => {}
        }
    }
}
