//! Lists that narrow while one types, and the command line.

use super::super::action::Action;
use super::super::message::Effect;
use super::super::pick::{Pick, PickKind, Picker};
use super::super::{App, Overlay, ThemeName, Tone};
use super::{edit_line, list_step};
use crate::market::SortKey;
use crate::setup::Field;

impl App {
    pub(super) fn act_on_picker(&mut self, action: Action) -> Vec<Effect> {
        let page = self.layout.as_ref().map_or(1, |l| usize::from(l.body.height));
        let Some(Overlay::Pick(picker)) = &mut self.overlay else { return Vec::new() };
        match action {
            Action::TextCancel => self.overlay = None,
            Action::TextAccept => return self.accept_pick(),
            Action::TextComplete => complete_name(picker),
            Action::TextCompleteBack => picker.step(-1),
            _ => {
                if let Some(by) = list_step(action, page) {
                    picker.step(by);
                } else if edit_line(&mut picker.line, action) {
                    picker.narrow();
                }
            }
        }
        Vec::new()
    }

    fn accept_pick(&mut self) -> Vec<Effect> {
        let Some(Overlay::Pick(picker)) = self.overlay.take() else { return Vec::new() };
        if picker.kind == PickKind::Command && self.command(picker.line.text()) {
            return Vec::new();
        }
        match picker.picked().map(|item| item.pick.clone()) {
            Some(Pick::Action(action)) if action.is_command() => self.act(action),
            Some(Pick::Action(action)) => {
                let about = action.entry().about;
                self.say(
                    Tone::Good,
                    format!("{}: works where its keys do. {about}", action.name()),
                );
                Vec::new()
            }
            Some(Pick::View(query)) => {
                self.ask(&query);
                Vec::new()
            }
            Some(Pick::Model(name)) => {
                self.set_field(Field::Model, &name);
                Vec::new()
            }
            None => {
                let text = picker.line.text().to_string();
                self.say(Tone::Bad, format!("there is no command `{text}`; ? lists them all"));
                Vec::new()
            }
        }
    }

    /// Commands with a value: `sort total,-rel`, `query …`, `set seq-len 4096`, `theme light`.
    /// `false` when the text is none of them.
    fn command(&mut self, text: &str) -> bool {
        let Some((word, value)) = text.trim().split_once(char::is_whitespace) else {
            return false;
        };
        let value = value.trim();
        match word {
            "sort" => match SortKey::parse_list(value) {
                Ok(keys) => {
                    self.sort_by(keys);
                }
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
}

fn complete_name(picker: &mut Picker) {
    if let Some(name) = picker.picked().map(|i| i.name.clone()) {
        picker.line.set(&name);
    }
}
