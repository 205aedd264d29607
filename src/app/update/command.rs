//! Commands by name, with or without a value: the line after `:`, and the lines of plain mode.

use super::super::action::{ACTIONS, Action, Context};
use super::super::message::Effect;
use super::super::{App, ThemeName, Tone};
use crate::market::query::nearest;
use crate::market::{Column, SortKey};
use crate::setup::Field;

/// Commands that are no actions: name, value, what they do.
pub const COMMANDS: &[(&str, &str, &str)] = &[
    ("sort", "KEY,-KEY…", "Sort by these keys; - turns one round."),
    ("query", "TEXT", "Ask this query."),
    ("set", "FIELD VALUE", "Set a field of the training setup; without a value, its default."),
    ("columns", "NAME,…", "Show these columns, in this order."),
    ("go", "COLUMN", "Go to a column by its name, its first letters, or its number."),
    ("view", "NAME", "Ask the saved view of this name."),
    ("why", "OFFER", "Why this offer is hidden: a checklist."),
    ("theme", "NAME", "Choose a theme: terminal, dark, light, colour-blind, mono."),
];

impl App {
    /// Carries out `text`: one of [`COMMANDS`], or the name of an action, after which the rest is
    /// typed where the action asks for something: `filter-vram 24`. `None` when it is neither.
    pub(super) fn command(&mut self, text: &str) -> Option<Vec<Effect>> {
        let text = text.trim();
        let (word, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let value = value.trim();
        if !value.is_empty() && self.command_with_value(word, value) {
            return Some(std::mem::take(&mut self.outbox));
        }
        let action = Action::from_name(word).filter(|a| a.is_command())?;
        let mut effects = self.act(action);
        if !value.is_empty() {
            effects.extend(self.answer(value));
        }
        Some(effects)
    }

    /// Types `value` into the line that an action has opened, and takes it.
    fn answer(&mut self, value: &str) -> Vec<Effect> {
        if self.context() != Context::Text {
            self.say(Tone::Bad, format!("it takes no value, so `{value}` is left out"));
            return Vec::new();
        }
        self.clear_text();
        self.type_text(value);
        self.act(Action::TextAccept)
    }

    /// Empties the line of text that is open.
    pub(super) fn clear_text(&mut self) {
        self.act(Action::TextEnd);
        self.act(Action::TextDeleteToStart);
    }

    fn command_with_value(&mut self, word: &str, value: &str) -> bool {
        match word {
            "sort" => match SortKey::parse_list(value) {
                Ok(keys) => self.sort_by(keys),
                Err(wrong) => self.say(Tone::Bad, wrong),
            },
            "query" => {
                self.ask(value);
            }
            "set" => {
                let (name, value) = value.split_once(char::is_whitespace).unwrap_or((value, ""));
                match Field::from_name(name) {
                    Some(field) => self.set_field(field, value.trim()),
                    None => self.say(Tone::Bad, format!("the setup has no field `{name}`")),
                }
            }
            "columns" => self.choose_columns(value),
            "go" => self.go_to_column(value),
            "view" => match self.views.iter().find(|(name, _)| name == value).cloned() {
                Some((_, view)) => self.show_view(&view),
                None => self.say(Tone::Bad, format!("there is no view `{value}`")),
            },
            "why" => self.open_why_not(value),
            "theme" => {
                if let Some(theme) = ThemeName::from_name(value) {
                    self.look.theme = theme;
                } else {
                    let names = ThemeName::ALL.map(ThemeName::name).join(", ");
                    self.say(Tone::Bad, format!("there is no theme `{value}`; there are {names}"));
                }
            }
            _ => return false,
        }
        true
    }

    fn choose_columns(&mut self, value: &str) {
        let names = value.split([',', ' ']).filter(|n| !n.is_empty());
        let found: Result<Vec<&'static Column>, &str> =
            names.map(|n| Column::from_name(n).ok_or(n)).collect();
        match found {
            Ok(columns) => {
                self.columns = columns;
                self.columns.dedup();
                self.grid.forget_widths();
            }
            Err(name) => self.say(Tone::Bad, format!("there is no column `{name}`; C lists them")),
        }
    }

    /// Says that there is no such command, and which may have been meant.
    pub(super) fn no_command(&mut self, text: &str) {
        let word = text.split_whitespace().next().unwrap_or("");
        let actions = ACTIONS.iter().filter(|e| e.action.is_command()).map(|e| e.name);
        let names = actions.chain(COMMANDS.iter().map(|c| c.0));
        let near = nearest(word, names);
        let near = near.map_or_else(|| ";".to_string(), |n| format!("; did you mean `{n}`?"));
        let help = self.keymap.hint(Action::Help).unwrap_or_default();
        self.say(Tone::Bad, format!("there is no command `{text}`{near} {help} lists them all"));
    }
}
