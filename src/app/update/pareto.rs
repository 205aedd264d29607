//! Cost against hours: the cursor walks along the front, and the table follows.

use super::super::action::Action;
use super::super::line::Line;
use super::super::pareto_page::{Limit, ParetoPage};
use super::super::{App, Overlay, Tone};
use super::{edit_line, list_step};
use crate::market::ViewRow;

impl App {
    pub(super) fn open_pareto(&mut self) {
        let page = ParetoPage::new(&mut self.desk, self.cursor.line);
        let line = page.here().map(|p| p.line);
        self.overlay = Some(Overlay::Pareto(page));
        self.select(line);
    }

    /// Asks for a line of the chart; opens the chart first where it is not open.
    pub(super) fn ask_limit(&mut self, limit: Limit) {
        if !matches!(self.overlay, Some(Overlay::Pareto(_))) {
            self.open_pareto();
        }
        let own = match limit {
            Limit::Deadline => self.limits().deadline,
            Limit::Budget => self.limits().budget,
        };
        let typed = own.map(|v| (v * 100.0).round() / 100.0).map(|v| v.to_string());
        let typed = typed.unwrap_or_default();
        if let Some(Overlay::Pareto(page)) = &mut self.overlay {
            page.asked = Some((limit, Line::new(typed)));
            page.mistake = None;
        }
    }

    /// Selects a line of the table.
    pub(super) fn select(&mut self, line: Option<ViewRow>) {
        if let Some(at) = line.and_then(|line| self.desk.position_of(line)) {
            self.cursor.go(at, self.desk.shown());
        }
    }

    pub(super) fn act_on_pareto(&mut self, action: Action) {
        let Some(Overlay::Pareto(page)) = &mut self.overlay else { return };
        if page.asked.is_some() {
            self.act_on_limit(action);
            return;
        }
        // Up and to the left is what costs more and takes less time: on along the front.
        let along = match action {
            Action::Left => Some(1),
            Action::Right => Some(-1),
            _ => list_step(action, 5).map(isize::saturating_neg),
        };
        if let Some(by) = along {
            page.at = page.at.saturating_add_signed(by).min(page.front.len().saturating_sub(1));
            let line = page.here().map(|p| p.line);
            self.select(line);
            return;
        }
        match action {
            Action::Close | Action::Accept | Action::Pareto => self.overlay = None,
            Action::Deadline => self.ask_limit(Limit::Deadline),
            Action::Budget => self.ask_limit(Limit::Budget),
            Action::Toggle => {
                if let Some(line) = page.here().map(|p| p.line) {
                    self.mark(line);
                }
            }
            _ => {}
        }
    }

    fn act_on_limit(&mut self, action: Action) {
        let Some(Overlay::Pareto(page)) = &mut self.overlay else { return };
        let Some((limit, line)) = &mut page.asked else { return };
        let limit = *limit;
        match action {
            Action::TextCancel => page.asked = None,
            Action::TextAccept => match limit.parse(line.text()) {
                Ok(value) => {
                    page.asked = None;
                    page.mistake = None;
                    self.set_limit(limit, value);
                }
                Err(wrong) => page.mistake = Some(wrong),
            },
            _ => {
                edit_line(line, action);
            }
        }
    }

    fn set_limit(&mut self, limit: Limit, value: Option<f64>) {
        match limit {
            Limit::Deadline => self.limits.deadline = value,
            Limit::Budget => self.limits.budget = value,
        }
        if value.is_none() && limit.of_query(self.desk.query()).is_some() {
            let words = format!("the query has a {}; f edits it", limit.name());
            self.say(Tone::Good, words);
        }
    }

    pub(super) fn type_into_limit(&mut self, text: &str) {
        if let Some(Overlay::Pareto(page)) = &mut self.overlay
            && let Some((_, line)) = &mut page.asked
        {
            page.mistake = None;
            line.insert(text);
        }
    }
}
