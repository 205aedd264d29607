//! Plain mode: each line that is typed is a command, a key, a number, or the answer to what was
//! asked for; the same actions as everywhere, reached without a screen.

use super::super::action::{Action, Context};
use super::super::key::Key;
use super::super::keymap::Lookup;
use super::super::message::Effect;
use super::super::pick::{PickKind, Picker};
use super::super::{App, Overlay};
use crate::units::UnixSeconds;

/// What a line of plain mode asks to hear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tell {
    /// What has changed.
    Changes,
    /// What is in front: the rows of the table, or the page that is open.
    Front,
    /// Everything about the selected offer.
    Offer,
    /// What can be said in plain mode.
    Help,
}

impl App {
    /// Obeys a line of plain mode. Tells what is to be heard, and what the world is asked to do.
    pub fn obey(&mut self, line: &str, now: UnixSeconds) -> (Tell, Vec<Effect>) {
        self.now = now;
        self.toast = None;
        let (tell, mut effects) = match self.context() {
            Context::Text => (Tell::Changes, self.obey_text(line)),
            _ => self.obey_words(line.trim()),
        };
        effects.append(&mut self.outbox);
        self.settle();
        (tell, effects)
    }

    /// The answer to a line of text: what is typed replaces what stands there. Nothing takes what
    /// stands there, `esc` leaves, a tab at the end asks what could follow.
    fn obey_text(&mut self, line: &str) -> Vec<Effect> {
        let words = line.trim();
        if matches!(words, "esc" | "cancel") {
            return self.act(Action::TextCancel);
        }
        if let Some(Overlay::Pick(picker)) = &mut self.overlay {
            if !choose(picker, words) {
                return Vec::new();
            }
            return self.act(Action::TextAccept);
        }
        if !words.is_empty() {
            self.clear_text();
            self.type_text(line.trim_end_matches('\t'));
        }
        if line.ends_with('\t') { Vec::new() } else { self.act(Action::TextAccept) }
    }

    fn obey_words(&mut self, words: &str) -> (Tell, Vec<Effect>) {
        if words.is_empty() {
            return (Tell::Front, Vec::new());
        }
        if let Ok(number) = words.parse::<usize>() {
            self.go_to_line(number.saturating_sub(1));
            return (Tell::Changes, Vec::new());
        }
        if let Some(action) = self.key_action(words) {
            return self.obey_action(action);
        }
        let words = words.strip_prefix(':').unwrap_or(words).trim();
        match words {
            "rows" | "read" => return (Tell::Front, Vec::new()),
            "offer" => return (Tell::Offer, Vec::new()),
            _ => {}
        }
        if let Some(action) = Action::from_name(words) {
            let here = action.entry().contexts.contains(&self.context());
            let said = matches!(action, Action::Help | Action::Panel);
            if here || said || !action.is_command() {
                return self.obey_action(action);
            }
        }
        // What belongs to the table is done there, whatever is open.
        let open = self.overlay.take();
        if let Some(effects) = self.command(words) {
            (Tell::Changes, effects)
        } else {
            self.overlay = open;
            self.no_command(words);
            (Tell::Changes, Vec::new())
        }
    }

    fn obey_action(&mut self, action: Action) -> (Tell, Vec<Effect>) {
        match action {
            Action::Panel => (Tell::Offer, Vec::new()),
            Action::Help => (Tell::Help, Vec::new()),
            Action::PageDown | Action::PageUp | Action::HalfDown | Action::HalfUp
                if self.overlay.is_none() =>
            {
                self.act(action);
                (Tell::Front, Vec::new())
            }
            _ => (Tell::Changes, self.act(action)),
        }
    }

    /// The action that these keys ask for where we are, pressed one after the other.
    fn key_action(&self, words: &str) -> Option<Action> {
        let keys = Key::parse_sequence(words).ok()?;
        let (last, before) = keys.split_last()?;
        match self.keymap.lookup(self.context(), before, *last) {
            Lookup::Action(action) => Some(action),
            _ => None,
        }
    }

    fn go_to_line(&mut self, at: usize) {
        match self.page_line() {
            None => self.cursor.go(at, self.desk.shown()),
            Some(line) => {
                let by = isize::try_from(at).unwrap_or(isize::MAX);
                let here = isize::try_from(line).unwrap_or(0);
                self.step_page(by.saturating_sub(here));
            }
        }
    }

    /// The selected line of the page that is open.
    pub fn page_line(&self) -> Option<usize> {
        Some(match self.overlay.as_ref()? {
            Overlay::Setup(page) => page.selected,
            Overlay::Order(page) => page.selected,
            Overlay::Export(page) => page.selected,
            Overlay::Settings(page) => page.selected,
            Overlay::Pick(picker) => picker.selected,
            Overlay::Sheet(sheet) => sheet.at,
            Overlay::Why(page) => page.at,
            Overlay::Pareto(page) => page.at,
            Overlay::Around(page) => page.at,
            Overlay::WhyNot(_) | Overlay::Prompt(_) => 0,
        })
    }

    fn step_page(&mut self, by: isize) {
        let action = if by < 0 { Action::Up } else { Action::Down };
        for _ in 0..by.unsigned_abs().min(10_000) {
            self.act(action);
        }
    }
}

/// Words narrow a list, a number chooses from it, nothing takes what is selected. Tells whether a
/// line is chosen.
fn choose(picker: &mut Picker, words: &str) -> bool {
    if words.is_empty() {
        return true;
    }
    if let Ok(number) = words.parse::<usize>()
        && number <= picker.matches.len()
    {
        picker.selected = number.saturating_sub(1);
        return true;
    }
    picker.line.set(words);
    picker.narrow();
    let exact = picker.matches.iter().position(|at| picker.items[*at].name == words);
    picker.selected = exact.unwrap_or(0);
    exact.is_some() || picker.matches.len() == 1 || picker.kind == PickKind::Command
}
