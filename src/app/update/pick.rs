//! Lists that narrow while one types, and the command line.

use super::super::action::Action;
use super::super::message::Effect;
use super::super::pick::{Pick, PickKind, Picker};
use super::super::{App, Overlay, Tone};
use super::{edit_line, list_step};
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
        if picker.kind == PickKind::Command
            && let Some(effects) = self.command(picker.line.text())
        {
            return effects;
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
            Some(Pick::View(view)) => {
                self.show_view(&view);
                Vec::new()
            }
            Some(Pick::Model(name)) => {
                self.set_field(Field::Model, &name);
                Vec::new()
            }
            Some(Pick::Column(field)) => {
                self.column = field;
                Vec::new()
            }
            Some(Pick::Hidden(line)) => {
                self.open_checklist(line);
                Vec::new()
            }
            Some(Pick::Command(word)) => {
                // It wants a value: the line stays open behind its name.
                let mut picker = Picker::actions(PickKind::Command, &self.keymap);
                picker.line.set(&format!("{word} "));
                picker.narrow();
                self.overlay = Some(Overlay::Pick(picker));
                Vec::new()
            }
            None if picker.kind == PickKind::Command => {
                self.no_command(picker.line.text().trim());
                Vec::new()
            }
            None => {
                let text = picker.line.text().trim();
                self.say(Tone::Bad, format!("nothing matches `{text}`"));
                Vec::new()
            }
        }
    }
}

fn complete_name(picker: &mut Picker) {
    if let Some(name) = picker.picked().map(|i| i.name.clone()) {
        picker.line.set(&name);
    }
}
