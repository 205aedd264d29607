//! Taking an offer away: files, the clipboard, standard output.

use super::super::action::Action;
use super::super::export_page::{ExportPage, Target, file_name, launch, write};
use super::super::message::Effect;
use super::super::{App, Overlay, Tone};
use super::list_step;
use crate::export::{self, Export, Purpose};

impl App {
    pub(super) fn open_export(&mut self) {
        match &self.detail {
            Some(detail) => {
                let page = ExportPage::new(detail, self.desk.setup(), self.now);
                self.overlay = Some(Overlay::Export(page));
            }
            None => self.say(Tone::Bad, "no offer is selected"),
        }
    }

    pub(super) fn act_on_export(&mut self, action: Action) -> Vec<Effect> {
        let Some(Overlay::Export(page)) = &mut self.overlay else { return Vec::new() };
        if let Some(by) = list_step(action, page.formats.len()) {
            page.step(by);
            return Vec::new();
        }
        match action {
            Action::Close => self.overlay = None,
            Action::Right | Action::Toggle => page.target = page.target.neighbour(true),
            Action::Left => page.target = page.target.neighbour(false),
            Action::Accept => {
                let (target, picked) = (page.target, page.picked().cloned());
                match picked {
                    Some(format) if format.problem.is_none() => {
                        self.overlay = None;
                        return self.take(format.export, target);
                    }
                    Some(format) => {
                        self.say(Tone::Bad, format.problem.unwrap_or_default());
                    }
                    None => {}
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn take(&mut self, export: &'static Export, target: Target) -> Vec<Effect> {
        let Some(detail) = &self.detail else { return Vec::new() };
        let file = file_name(&detail.id, export);
        let what = format!("{} of {}", export.name, detail.id);
        match write(export, detail, self.desk.setup(), self.now) {
            Ok(text) => vec![match target {
                Target::File => {
                    let executable = export.extension == "sh" || export.purpose == Purpose::Launch;
                    Effect::Write { name: file, text, executable }
                }
                Target::Clipboard => Effect::Copy { text, what, file },
                Target::Print => Effect::Quit { print: Some(text) },
            }],
            Err(wrong) => {
                self.say(Tone::Bad, wrong.to_string());
                Vec::new()
            }
        }
    }

    pub(super) fn copy(&mut self, action: Action) -> Vec<Effect> {
        let Some(detail) = &self.detail else {
            self.say(Tone::Bad, "no offer is selected");
            return Vec::new();
        };
        match action {
            Action::CopyJson => match export::find("json") {
                Some(json) => self.take(json, Target::Clipboard),
                None => Vec::new(),
            },
            Action::CopyCommand => {
                if let Some(command) = launch(detail) {
                    return self.take(command, Target::Clipboard);
                }
                let provider = detail.offer.provider.name();
                let words =
                    format!("there is no launch command for {provider}; e lists what there is");
                self.say(Tone::Bad, words);
                Vec::new()
            }
            _ => self.copy_cells(action == Action::CopyCell),
        }
    }

    /// The row, tab separated, as its source has it; or one cell of it.
    fn copy_cells(&mut self, one: bool) -> Vec<Effect> {
        let Some(line) = self.cursor.line else { return Vec::new() };
        let (view, table) = (self.desk.view(), self.desk.table());
        let chosen = self.columns.iter().filter(|c| !one || c.field == self.column);
        let cells: Vec<String> = chosen.map(|c| view.cell(table, line, c).text).collect();
        let what = if one { "the cell" } else { "the row" }.to_string();
        vec![Effect::Copy { text: cells.join("\t"), what, file: "haggle-copy.txt".to_string() }]
    }
}
