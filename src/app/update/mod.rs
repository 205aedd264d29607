//! How the state changes: one message, one new state, and what the world is asked to do.

mod around;
mod command;
mod mouse;
mod obey;
mod order;
mod pareto;
mod pick;
mod prompt;
mod settings;
mod setup;
mod sheet;
mod table;
mod take;
mod why;

pub use command::COMMANDS;
pub use obey::Tell;

use super::action::{Action, Context};
use super::key::{Code, Key};
use super::keymap::Lookup;
use super::layout::Size;
use super::line::Line;
use super::message::{Effect, Input, Msg, Outcome};
use super::{App, Overlay, Tone};
use crate::app::desk::Desk;
use crate::config::SavedView;
use crate::market::{QueryError, SortKey, ViewRow};
use crate::session::Stock;
use crate::units::UnixSeconds;

impl App {
    /// Takes in one message at `now`.
    pub fn update(&mut self, msg: Msg, now: UnixSeconds) -> Vec<Effect> {
        self.now = now;
        if self.toast.as_ref().is_some_and(|t| t.until <= now) {
            self.toast = None;
        }
        let mut effects = match msg {
            Msg::Input(input) => self.input(input),
            Msg::Providers(updates) => {
                for update in updates {
                    self.desk.apply(update, now);
                }
                Vec::new()
            }
            Msg::Loaded(stock) => {
                self.loaded(stock);
                Vec::new()
            }
            Msg::Tick => Vec::new(),
            Msg::Done(outcome) => {
                self.done(outcome);
                Vec::new()
            }
        };
        effects.append(&mut self.outbox);
        self.settle();
        effects
    }

    fn input(&mut self, input: Input) -> Vec<Effect> {
        match input {
            Input::Key(key) => self.key(key),
            Input::Paste(text) => {
                self.paste(&text);
                Vec::new()
            }
            Input::Mouse(mouse) => self.mouse(mouse),
            Input::Resize(width, height) => {
                self.size = Size { width, height };
                self.grid.forget_widths();
                vec![Effect::Redraw]
            }
            Input::Focus(_) => Vec::new(),
        }
    }

    /// The saved market is here in whole. Selected and marked lines are those of the same offers.
    fn loaded(&mut self, stock: Result<Box<Stock>, String>) {
        match stock {
            Ok(stock) => {
                let before = self.desk.table();
                let after = stock.table();
                let same = |line: &ViewRow| {
                    let row = before.id(line.row).and_then(|id| after.find(&id))?;
                    Some(ViewRow { row, ..*line })
                };
                let cursor = self.cursor.line.as_ref().and_then(same);
                let marks = self.marks.iter().filter_map(same).collect();
                (self.cursor.line, self.marks, self.detail) = (cursor, marks, None);
                let remark = stock.remarks().first().cloned();
                self.desk.set_stock(*stock);
                self.toast = None;
                if let Some(remark) = remark {
                    self.say(Tone::Bad, remark);
                }
            }
            Err(why) => self.say(Tone::Bad, why),
        }
    }

    fn done(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Wrote(file) => self.say(Tone::Good, format!("wrote {file}")),
            Outcome::Copied(what) => {
                self.say(Tone::Good, format!("copied {what} to the terminal's clipboard"));
            }
            Outcome::CopiedToFile { why, file } => {
                self.say(Tone::Bad, format!("{why}; it lies in {file}"));
            }
            Outcome::Model { name, found: Ok(model) } => {
                self.desk.add_model(&name, model);
                self.set_field(crate::setup::Field::Model, &name);
            }
            Outcome::Model { name, found: Err(why) } => {
                self.say(Tone::Bad, format!("model {name}: {why}"));
            }
            Outcome::Settings(Ok(options)) => self.take_settings(*options),
            Outcome::Settings(Err(wrong)) => {
                self.settings.problems = vec![wrong.clone()];
                self.say(Tone::Bad, format!("{wrong}; the settings of before stay"));
            }
            Outcome::Note(text) => self.say(Tone::Good, text),
            Outcome::Failed(text) => self.say(Tone::Bad, text),
        }
    }

    fn key(&mut self, key: Key) -> Vec<Effect> {
        self.toast = None;
        let context = self.context();
        match self.keymap.lookup(context, &self.pending, key) {
            Lookup::Action(action) => {
                self.pending.clear();
                self.act(action)
            }
            Lookup::Prefix => {
                self.pending.push(key);
                Vec::new()
            }
            Lookup::Nothing if !self.pending.is_empty() => {
                self.pending.clear();
                Vec::new()
            }
            Lookup::Nothing => {
                match (context, key.typed(), key.code) {
                    (Context::Text, Some(c), _) => self.type_text(c.encode_utf8(&mut [0; 4])),
                    (Context::Table, _, Code::Char(c @ '1'..='9')) if key.typed().is_some() => {
                        self.sort_by_number(c as usize - '1' as usize);
                    }
                    _ => {}
                }
                Vec::new()
            }
        }
    }

    fn paste(&mut self, text: &str) {
        if self.context() == Context::Text {
            self.type_text(text);
        }
    }

    /// Carries out an action where the keys go now.
    fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::ForceQuit => return vec![Effect::Quit { print: None }],
            Action::Redraw => return vec![Effect::Redraw],
            _ => {}
        }
        match self.overlay {
            None => self.act_on_table(action),
            Some(Overlay::Prompt(_)) => {
                self.act_on_prompt(action);
                Vec::new()
            }
            Some(Overlay::Pick(_)) => self.act_on_picker(action),
            Some(Overlay::Setup(_)) => {
                self.act_on_setup(action);
                Vec::new()
            }
            Some(Overlay::Order(_)) => {
                self.act_on_order(action);
                Vec::new()
            }
            Some(Overlay::Export(_)) => self.act_on_export(action),
            Some(Overlay::Sheet(_)) => {
                self.act_on_sheet(action);
                Vec::new()
            }
            Some(Overlay::Why(_)) => {
                self.act_on_why(action);
                Vec::new()
            }
            Some(Overlay::Pareto(_)) => {
                self.act_on_pareto(action);
                Vec::new()
            }
            Some(Overlay::Around(_)) => {
                self.act_on_around(action);
                Vec::new()
            }
            Some(Overlay::WhyNot(_)) => {
                self.act_on_why_not(action);
                Vec::new()
            }
            Some(Overlay::Settings(_)) => self.act_on_settings(action),
        }
    }

    fn type_text(&mut self, text: &str) {
        match &mut self.overlay {
            Some(Overlay::Prompt(prompt)) => {
                prompt.line.insert(text);
                self.prompt_changed();
            }
            Some(Overlay::Pick(picker)) => {
                picker.line.insert(text);
                picker.narrow();
            }
            Some(Overlay::Setup(_)) => self.type_into_setup(text),
            Some(Overlay::Pareto(_)) => self.type_into_limit(text),
            _ => {}
        }
    }

    /// Changes query, order or setup, so that it can be undone. What went wrong is said.
    fn change<E: std::fmt::Display>(&mut self, f: impl FnOnce(&mut Desk) -> Result<(), E>) -> bool {
        let before = self.desk.choice();
        match f(&mut self.desk) {
            Ok(()) => {
                if self.desk.choice() != before {
                    self.history.keep(before);
                    self.grid.forget_widths();
                }
                true
            }
            Err(wrong) => {
                self.say(Tone::Bad, wrong.to_string());
                false
            }
        }
    }

    /// Asks something else, so that it can be undone.
    fn ask(&mut self, query: &str) -> bool {
        self.change(|desk| desk.set_query(query))
    }

    /// Shows a saved view, in its order where it has one.
    fn show_view(&mut self, view: &SavedView) {
        match view.sort().map(SortKey::parse_list).transpose() {
            Err(wrong) => self.say(Tone::Bad, format!("the view's order: {wrong}")),
            Ok(sort) => {
                self.change(|desk| {
                    desk.set_query(view.query())?;
                    if let Some(sort) = sort {
                        desk.set_sort(sort);
                    }
                    Ok::<(), QueryError>(())
                });
            }
        }
    }
}

/// The part of editing that every line of text shares. Tells whether the text has changed.
fn edit_line(line: &mut Line, action: Action) -> bool {
    match action {
        Action::TextLeft => line.left(),
        Action::TextRight => line.right(),
        Action::TextWordLeft => line.word_left(),
        Action::TextWordRight => line.word_right(),
        Action::TextHome => line.home(),
        Action::TextEnd => line.end(),
        Action::TextBackspace => line.backspace(),
        Action::TextDelete => line.delete(),
        Action::TextDeleteWord => line.delete_word(),
        Action::TextDeleteToStart => line.delete_to_start(),
        Action::TextDeleteToEnd => line.delete_to_end(),
        _ => return false,
    }
    true
}

/// By how many lines an action moves a selection in a list of which `page` lines are in view.
fn list_step(action: Action, page: usize) -> Option<isize> {
    let page = isize::try_from(page.max(1)).unwrap_or(1);
    match action {
        Action::Down | Action::TextDown => Some(1),
        Action::Up | Action::TextUp => Some(-1),
        Action::PageDown => Some(page),
        Action::PageUp => Some(-page),
        Action::HalfDown => Some((page / 2).max(1)),
        Action::HalfUp => Some(-(page / 2).max(1)),
        Action::Top => Some(isize::MIN),
        Action::Bottom => Some(isize::MAX),
        _ => None,
    }
}
