//! Why lines are hidden, why one of them is, and what brings them back.

use super::super::action::Action;
use super::super::pick::{Item, Pick, PickKind, Picker};
use super::super::sheet::{WhyNotPage, WhyPage};
use super::super::{App, Overlay, Tone};
use super::list_step;
use crate::market::{RowId, ViewRow, why};
use crate::setup::Field;

/// Hidden offers that can be searched: the cheapest jobs.
const MOST_HIDDEN: usize = 5_000;

impl App {
    pub(super) fn open_why(&mut self) {
        self.overlay = Some(Overlay::Why(WhyPage { why: self.desk.why(), at: 0 }));
    }

    pub(super) fn act_on_why(&mut self, action: Action) {
        let height = self.layout.as_ref().map_or(1, |l| usize::from(l.body.height));
        let Some(Overlay::Why(page)) = &mut self.overlay else { return };
        let last = page.why.relaxations.len().saturating_sub(1);
        if let Some(by) = list_step(action, height) {
            page.at = page.at.saturating_add_signed(by).min(last);
            return;
        }
        let chosen = page.why.relaxations.get(page.at).cloned();
        match (action, chosen) {
            (Action::Close, _) => self.overlay = None,
            (Action::WhyNot, _) => self.open_hidden(),
            (Action::Accept, Some(relaxation)) => {
                self.overlay = None;
                if self.ask(&relaxation.query) {
                    self.say(Tone::Good, format!("{} (u undoes it)", relaxation.change));
                }
            }
            _ => {}
        }
    }

    /// The hidden offers, to choose the one whose checklist is wanted.
    pub(super) fn open_hidden(&mut self) {
        let (view, table) = (self.desk.view(), self.desk.table());
        let lines = why::hidden(view, table, MOST_HIDDEN);
        if lines.is_empty() {
            self.say(Tone::Good, "nothing is hidden");
            return;
        }
        let items = lines.iter().filter_map(|line| self.hidden_item(*line)).collect();
        self.overlay = Some(Overlay::Pick(Picker::new(PickKind::Hidden, items)));
    }

    fn hidden_item(&self, line: ViewRow) -> Option<Item> {
        use crate::market::{Column, Field};
        let (view, table) = (self.desk.view(), self.desk.table());
        let cell =
            |field| Column::of(field).map(|c| view.cell(table, line, c).text).unwrap_or_default();
        let card = format!("{}× {}", cell(Field::Gpus), cell(Field::Gpu));
        let note =
            format!("{}, {} $/h, {}", cell(Field::Region), cell(Field::Price), table.id(line.row)?);
        Some(Item { name: card, aside: cell(Field::Total), note, pick: Pick::Hidden(line) })
    }

    /// The checklist of one offer, by its id; at the price that is asked for, where it has one.
    pub(super) fn open_why_not(&mut self, id: &str) {
        match self.desk.table().find(id).and_then(|row| self.line_of(row)) {
            Some(line) => self.open_checklist(line),
            None => {
                self.say(Tone::Bad, format!("there is no offer `{id}`; H searches what is hidden"));
            }
        }
    }

    fn line_of(&self, row: RowId) -> Option<ViewRow> {
        let kinds: Vec<_> = self.desk.view().kinds().collect();
        let lines = kinds.iter().map(|kind| ViewRow { row, kind: *kind });
        let priced = |line: &ViewRow| {
            self.desk.detail(*line, self.now).is_some_and(|d| d.quote.total.is_some())
        };
        lines.clone().find(priced).or_else(|| lines.clone().next())
    }

    pub(super) fn open_checklist(&mut self, line: ViewRow) {
        let page = self.checklist_page(line);
        self.overlay = page.map(Overlay::WhyNot);
    }

    /// The checklist of `line`, as things stand.
    pub(in crate::app) fn checklist_page(&self, line: ViewRow) -> Option<WhyNotPage> {
        let (view, table) = (self.desk.view(), self.desk.table());
        let id = table.id(line.row)?;
        let item = self.hidden_item(line)?;
        let list = why::offer(view, table, line.row, line.kind);
        Some(WhyNotPage { line, id, words: format!("{}, {}", item.name, item.note), list })
    }

    pub(super) fn act_on_why_not(&mut self, action: Action) {
        let Some(Overlay::WhyNot(page)) = &self.overlay else { return };
        let page = page.clone();
        match action {
            Action::Close => self.overlay = None,
            Action::WhyNot => self.open_hidden(),
            Action::Accept => self.show_hidden(&page),
            _ => {}
        }
    }

    /// Changes as little as shows the offer, and goes to it.
    fn show_hidden(&mut self, page: &WhyNotPage) {
        match &page.list.query {
            Some(query) => {
                self.overlay = None;
                if self.ask(query) {
                    self.say(Tone::Good, format!("query is: {query} (u undoes it)"));
                    self.go_to_offer(page.line);
                }
            }
            None if page.list.shown() => {
                self.overlay = None;
                self.go_to_offer(page.line);
            }
            None if self.desk.table().exists(page.line.row) => {
                self.set_field(Field::Pricing, "both");
            }
            None => self.say(Tone::Bad, "the offer is gone"),
        }
    }

    fn go_to_offer(&mut self, line: ViewRow) {
        self.desk.refresh(self.now);
        if let Some(at) = self.desk.position_of(line) {
            self.cursor.go(at, self.desk.shown());
        }
    }
}
