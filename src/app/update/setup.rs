//! Editing the training setup. Each change ranks the market again at once.

use super::super::action::Action;
use super::super::line::Line;
use super::super::message::Effect;
use super::super::pick::{Item, Pick, Picker};
use super::super::setup_page::{Before, Edit, SetupPage, neighbour, value};
use super::super::{App, Overlay, Tone};
use super::{edit_line, list_step};
use crate::setup::Field;

impl App {
    pub(super) fn open_setup(&mut self) {
        let before = self.detail.as_ref().map(|d| Before {
            id: d.id.clone(),
            needed: d.fit.needed,
            total: d.quote.total.map(|t| t.expected),
        });
        self.overlay = Some(Overlay::Setup(SetupPage { before, ..SetupPage::default() }));
    }

    /// The setup, with the assumptions being typed.
    pub(super) fn open_what_if(&mut self) {
        self.open_setup();
        if let Some(Overlay::Setup(page)) = &mut self.overlay {
            page.selected = Field::ALL.iter().position(|f| *f == Field::Assume).unwrap_or(0);
        }
        self.edit_field();
    }

    /// Sets a field of the setup; what is wrong is said.
    pub(super) fn set_field(&mut self, field: Field, text: &str) {
        let wrong = self.try_field(field, text).err();
        if let Some(wrong) = wrong {
            match &mut self.overlay {
                Some(Overlay::Setup(page)) => page.mistake = Some(wrong),
                _ => self.say(Tone::Bad, wrong),
            }
        }
    }

    fn try_field(&mut self, field: Field, text: &str) -> Result<(), String> {
        if field == Field::Model && !text.is_empty() && !self.desk.knows_model(text) {
            // A Hugging Face id or a file: others must look, and the answer comes later.
            if text.contains('/') {
                self.say(Tone::Good, format!("looking for {text} …"));
                self.outbox.push(Effect::FindModel(text.to_string()));
                return Ok(());
            }
        }
        let mut draft = self.desk.draft().clone();
        draft.set(field, text).map_err(|e| e.to_string())?;
        let before = self.desk.choice();
        self.desk.set_draft(draft).map_err(|e| e.to_string())?;
        if self.desk.choice() != before {
            self.history.keep(before);
            self.grid.forget_widths();
        }
        Ok(())
    }

    /// Sets a field to its next value, or the one before.
    pub(super) fn turn_field(&mut self, field: Field, up: bool) {
        let next = neighbour(self.desk.setup(), self.desk.draft(), field, up);
        match next {
            Some(text) => self.set_field(field, &text),
            None => self.edit_field(),
        }
    }

    fn edit_field(&mut self) {
        let Some(Overlay::Setup(page)) = &mut self.overlay else { return };
        page.mistake = None;
        let field = page.field();
        page.edit = Some(if field == Field::Model {
            Edit::Model(Box::new(Picker::models()))
        } else {
            let text = value(self.desk.setup(), self.desk.draft(), field).unwrap_or_default();
            Edit::Line(Line::new(text))
        });
    }

    pub(super) fn act_on_setup(&mut self, action: Action) {
        let page_height = self.layout.as_ref().map_or(1, |l| usize::from(l.body.height));
        let Some(Overlay::Setup(page)) = &mut self.overlay else { return };
        if page.edit.is_some() {
            self.act_on_edit(action, page_height);
            return;
        }
        if let Some(by) = list_step(action, page_height / 2) {
            page.step(by);
            return;
        }
        let field = page.field();
        page.mistake = None;
        match action {
            Action::Close => self.overlay = None,
            Action::Accept => self.edit_field(),
            Action::Right | Action::Toggle => self.turn_field(field, true),
            Action::Left => self.turn_field(field, false),
            Action::ClearLine => self.set_field(field, ""),
            _ => {}
        }
    }

    fn act_on_edit(&mut self, action: Action, page_height: usize) {
        let Some(Overlay::Setup(page)) = &mut self.overlay else { return };
        let field = page.field();
        match (&mut page.edit, action) {
            (_, Action::TextCancel) => page.edit = None,
            (Some(Edit::Line(line)), Action::TextAccept) => {
                let text = line.text().to_string();
                self.finish_edit(field, &text);
            }
            (Some(Edit::Model(picker)), Action::TextAccept) => {
                let typed = picker.line.text().trim().to_string();
                // A whole id means that repository, not one whose letters are like it.
                let meant = |item: &&Item| !typed.contains('/') || item.note.contains(&typed);
                let picked = picker.picked().filter(meant).map(|item| item.pick.clone());
                match picked {
                    Some(Pick::Model(name)) => self.finish_edit(field, &name),
                    _ => self.finish_edit(field, &typed),
                }
            }
            (Some(Edit::Line(line)), _) => {
                edit_line(line, action);
            }
            (Some(Edit::Model(picker)), _) => {
                if let Some(by) = list_step(action, page_height) {
                    picker.step(by);
                } else if edit_line(&mut picker.line, action) {
                    picker.narrow();
                }
            }
            (None, _) => {}
        }
    }

    /// What was typed is set; when it is wrong, the line stays open.
    fn finish_edit(&mut self, field: Field, text: &str) {
        let result = self.try_field(field, text);
        let Some(Overlay::Setup(page)) = &mut self.overlay else { return };
        match result {
            Ok(()) => {
                page.edit = None;
                page.mistake = None;
            }
            Err(wrong) => page.mistake = Some(wrong),
        }
    }

    pub(super) fn type_into_setup(&mut self, text: &str) {
        let Some(Overlay::Setup(page)) = &mut self.overlay else { return };
        page.mistake = None;
        match &mut page.edit {
            Some(Edit::Line(line)) => line.insert(text),
            Some(Edit::Model(picker)) => {
                picker.line.insert(text);
                picker.narrow();
            }
            None => {}
        }
    }
}
