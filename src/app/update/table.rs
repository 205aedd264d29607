//! What keys do while the table is in front.

use super::super::action::Action;
use super::super::around_page::AroundKind;
use super::super::filter::Filter;
use super::super::history::Choice;
use super::super::layout::{Layout, PanelWish};
use super::super::message::Effect;
use super::super::order_page::{OrderPage, best_is_large};
use super::super::pareto_page::Limit;
use super::super::pick::{PickKind, Picker};
use super::super::prompt::{Prompt, PromptKind};
use super::super::sheet::SheetKind;
use super::super::{App, Overlay, Tone};
use super::list_step;
use crate::market::column::CellValue;
use crate::market::query::{self, Field, Item};
use crate::market::{Column, QueryError, SortBy, ViewRow};
use crate::setup;

impl App {
    pub(super) fn act_on_table(&mut self, action: Action) -> Vec<Effect> {
        let rows = self.layout.as_ref().map_or(1, Layout::table_rows);
        if let Some(by) = list_step(action, rows) {
            let to = self.cursor.position.saturating_add_signed(by);
            self.cursor.go(to, self.desk.shown());
            return Vec::new();
        }
        match action {
            Action::Quit => return vec![Effect::Quit { print: None }],
            Action::Suspend => return vec![Effect::Suspend],
            Action::Refresh => return self.refresh(),
            Action::MouseToggle => return self.toggle_mouse(),
            Action::Reload => return vec![Effect::Reload],
            Action::CopyCommand | Action::CopyJson | Action::CopyRow | Action::CopyCell => {
                return self.copy(action);
            }
            _ => {}
        }
        if !self.filter_action(action) && !self.open_action(action) {
            self.look_action(action);
        }
        Vec::new()
    }

    /// Actions that change the query. Tells whether it was one.
    fn filter_action(&mut self, action: Action) -> bool {
        match action {
            Action::FilterVram => self.open_filter(Filter::Vram),
            Action::FilterReliability => self.open_filter(Filter::Reliability),
            Action::FilterBandwidth => self.open_filter(Filter::Bandwidth),
            Action::FilterRegion => self.open_filter(Filter::Region),
            Action::FilterPrice => self.open_filter(Filter::Price),
            Action::FilterTotal => self.open_filter(Filter::Total),
            Action::Search => {
                self.open_prompt(Prompt::search(self.desk.choice(), self.cursor));
            }
            Action::Query => {
                let choice = self.desk.choice();
                let mut text = choice.query.clone();
                if !text.is_empty() {
                    text.push(' ');
                }
                self.open_prompt(Prompt::new(PromptKind::Query, text, choice, self.cursor));
            }
            Action::FitOnly => self.toggle_fit(),
            Action::UnknownPolicy => self.toggle_unknown(),
            Action::KeepCell => self.like_cell(true),
            Action::ExcludeCell => self.like_cell(false),
            Action::ClearQuery => {
                self.ask("");
            }
            Action::DefaultQuery => {
                let query = self.start.query.clone();
                self.ask(&query);
            }
            Action::Undo | Action::Redo => self.undo(action == Action::Undo),
            _ => return false,
        }
        true
    }

    /// Actions that open something. Tells whether it was one.
    fn open_action(&mut self, action: Action) -> bool {
        match action {
            Action::Views if self.views.is_empty() => {
                self.say(Tone::Bad, "no view is saved yet; \" saves the present one");
            }
            Action::Views => self.overlay = Some(Overlay::Pick(Picker::views(&self.views))),
            Action::SaveView => {
                let choice = self.desk.choice();
                let prompt = Prompt::new(PromptKind::SaveView, String::new(), choice, self.cursor);
                self.overlay = Some(Overlay::Prompt(Box::new(prompt)));
            }
            Action::SortMenu => {
                self.overlay = Some(Overlay::Order(OrderPage::sort(self.desk.sort())));
            }
            Action::Columns => {
                self.overlay = Some(Overlay::Order(OrderPage::columns(&self.columns, &self.held)));
            }
            Action::GoColumn => {
                self.overlay = Some(Overlay::Pick(Picker::columns(&self.columns)));
            }
            Action::Explain => self.open_sheet(SheetKind::Cell),
            Action::EditSetup => self.open_setup(),
            Action::WhatIf => self.open_what_if(),
            Action::Why => self.open_why(),
            Action::WhyNot => self.open_hidden(),
            Action::Detail => self.open_sheet(SheetKind::Detail),
            Action::Settings => self.open_settings(),
            Action::Providers => self.open_sheet(SheetKind::Providers),
            Action::Compare => self.open_compare(),
            Action::Pareto => self.open_pareto(),
            Action::Elsewhere => self.open_around(AroundKind::Elsewhere),
            Action::Counts => self.open_around(AroundKind::Counts),
            Action::Deadline => self.ask_limit(Limit::Deadline),
            Action::Budget => self.ask_limit(Limit::Budget),
            Action::Export => self.open_export(),
            Action::Help | Action::Command => {
                let help = action == Action::Help;
                let kind = if help { PickKind::Help } else { PickKind::Command };
                self.overlay = Some(Overlay::Pick(Picker::actions(kind, &self.keymap)));
            }
            _ => return false,
        }
        true
    }

    fn look_action(&mut self, action: Action) {
        match action {
            Action::Left => self.step_column(-1),
            Action::Right => self.step_column(1),
            Action::SortColumn => self.sort_by_column(false),
            Action::SortAdd => self.sort_by_column(true),
            Action::PanelDown => self.panel_scroll += 1,
            Action::PanelUp => self.panel_scroll = self.panel_scroll.saturating_sub(1),
            Action::NextPricing => self.turn_field(setup::Field::Pricing, true),
            Action::CheckpointLess => self.turn_field(setup::Field::CheckpointEvery, false),
            Action::CheckpointMore => self.turn_field(setup::Field::CheckpointEvery, true),
            Action::ApplyAdvice => self.apply_advice(),
            Action::Panel => self.toggle_panel(),
            Action::Mark => self.toggle_mark(),
            Action::ClearMarks => {
                self.marks.clear();
                self.noted.clear();
            }
            Action::NoteSetup => self.note_setup(),
            Action::Freeze => {
                let frozen = self.desk.toggle_freeze(self.now);
                let text = if frozen {
                    "the market holds still (z lets it go on)"
                } else {
                    "the market goes on"
                };
                self.say(Tone::Good, text);
            }
            Action::Back => self.back(),
            _ => {}
        }
    }

    /// To the column beside; one that had to go for want of room comes back in place of another.
    fn step_column(&mut self, by: isize) {
        let at = self.columns.iter().position(|c| c.field == self.column).unwrap_or(0);
        let to = at.saturating_add_signed(by).min(self.columns.len().saturating_sub(1));
        if let Some(column) = self.columns.get(to) {
            self.column = column.field;
        }
    }

    /// To the chosen column of this name, of these first letters, or of this number.
    pub(super) fn go_to_column(&mut self, text: &str) {
        let text = text.to_lowercase();
        let number = text.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let named = |c: &&&'static Column| {
            let title = c.title.to_lowercase();
            c.name().starts_with(&text) || title.starts_with(&text)
        };
        let found = match number {
            Some(at) => self.columns.get(at).copied(),
            None => self.columns.iter().find(named).copied(),
        };
        match (found, Column::from_name(&text)) {
            (Some(column), _) => self.column = column.field,
            (None, Some(_)) => {
                self.say(Tone::Bad, format!("{text} is not among the columns; C chooses them"));
            }
            (None, None) => self.say(Tone::Bad, format!("there is no column `{text}`")),
        }
    }

    fn toggle_panel(&mut self) {
        let seen = self.layout.as_ref().is_some_and(|l| !l.panels.is_empty());
        self.panel = if seen { PanelWish::Hidden } else { PanelWish::Shown };
        self.panel_scroll = 0;
    }

    fn toggle_mark(&mut self) {
        let Some(line) = self.cursor.line else { return };
        self.mark(line);
        self.cursor.go(self.cursor.position + 1, self.desk.shown());
    }

    /// Marks a line, or takes its mark away.
    pub(super) fn mark(&mut self, line: ViewRow) {
        if self.marks.contains(&line) {
            self.marks.retain(|m| *m != line);
        } else {
            self.marks.push(line);
        }
    }

    fn toggle_fit(&mut self) {
        let text = self.desk.query_text();
        let set = self.desk.query().condition_on(Field::Fit).is_some();
        let condition = if set { "" } else { "fit:yes,tight" };
        let edited = query::replace_field(text, Field::Fit, condition);
        self.ask_edited(edited);
    }

    /// Keeps or hides offers that state no reliability, in the condition that asks for it.
    fn toggle_unknown(&mut self) {
        let Some(condition) = self.desk.query().condition_on(Field::Rel).map(ToString::to_string)
        else {
            self.say(Tone::Bad, "the query does not ask for reliability (% does)");
            return;
        };
        let turned = match condition.strip_suffix('?') {
            Some(strict) => strict.to_string(),
            None => format!("{condition}?"),
        };
        let edited = query::replace_field(self.desk.query_text(), Field::Rel, &turned);
        self.ask_edited(edited);
    }

    fn ask_edited(&mut self, edited: Result<String, QueryError>) {
        match edited {
            Ok(text) => {
                self.ask(&text);
            }
            Err(wrong) => self.say(Tone::Bad, wrong.to_string()),
        }
    }

    /// Keeps or excludes what equals the cell under the cursor; for a figure, what is as good, or
    /// only what is better.
    fn like_cell(&mut self, keep: bool) {
        let at = self.grid.columns.iter().position(|s| s.column.field == self.column);
        let row = self.grid.rows.get(self.cursor.position - self.cursor.offset);
        let Some(cell) = row.zip(at).and_then(|(row, at)| row.cells.get(at)) else { return };
        let (field, text) = (self.column, self.desk.query_text());
        let item = match &cell.value {
            CellValue::Unknown => Item::Unknown,
            CellValue::Text(words) => query::item_of_text(words),
            CellValue::Number(value) => {
                let condition = beside(field, *value, keep);
                let edited = query::replace_field(text, field, &condition);
                self.ask_edited(edited);
                return;
            }
        };
        let edited =
            if keep { query::keep(text, field, item) } else { query::exclude(text, field, item) };
        self.ask_edited(edited);
    }

    fn undo(&mut self, back: bool) {
        let present = self.desk.choice();
        let choice = if back { self.history.undo(present) } else { self.history.redo(present) };
        match choice {
            Some(choice) => self.restore(choice),
            None if back => self.say(Tone::Bad, "nothing to undo"),
            None => self.say(Tone::Bad, "nothing to redo"),
        }
    }

    fn restore(&mut self, choice: Choice) {
        let text = choice.query.clone();
        let result = self.desk.set_query(&choice.query).map_err(|e| e.to_string());
        self.desk.set_sort(choice.sort);
        let result = result.and(self.desk.set_draft(choice.draft).map_err(|e| e.to_string()));
        self.grid.forget_widths();
        match result {
            Ok(()) => self.say(Tone::Good, format!("query is: {text}")),
            Err(wrong) => self.say(Tone::Bad, wrong),
        }
    }

    fn apply_advice(&mut self) {
        // A larger card is advice too, but nothing that could be set.
        let of =
            |d: &super::super::desk::Detail| d.advice.iter().find(|a| !a.set.is_empty()).cloned();
        let advice = self.detail.as_ref().and_then(of);
        let Some(advice) = advice else {
            self.say(Tone::Bad, "there is no advice for this offer");
            return;
        };
        let changed = self.change(|desk| {
            let mut draft = desk.draft().clone();
            for (name, value) in &advice.set {
                if let Some(field) = setup::Field::from_name(name) {
                    draft.set(field, value)?;
                }
            }
            desk.set_draft(draft)
        });
        if changed {
            self.say(Tone::Good, format!("{} (u undoes it)", advice.change));
        }
    }

    fn back(&mut self) {
        let (words, rest) = super::super::filter::split_words(self.desk.query_text());
        if self.panel == PanelWish::Shown {
            self.panel = PanelWish::Auto;
        } else if !words.is_empty() {
            self.ask(&rest);
        }
    }

    fn refresh(&mut self) -> Vec<Effect> {
        if self.desk.is_offline() {
            self.say(Tone::Bad, "offline: nobody is asked");
            return Vec::new();
        }
        vec![Effect::Fetch(Vec::new())]
    }

    pub(super) fn toggle_mouse(&mut self) -> Vec<Effect> {
        self.look.mouse = !self.look.mouse;
        let text = if self.look.mouse {
            "the mouse selects offers"
        } else {
            "the mouse selects text (m gives it back)"
        };
        self.say(Tone::Good, text);
        vec![Effect::Mouse(self.look.mouse)]
    }
}

/// The condition that keeps what is as good as `value` (or only what is better). What is counted
/// is kept as it is. The bound is rounded to the side on which the row itself still is (or is not).
fn beside(field: Field, value: f64, keep: bool) -> String {
    let name = field.name();
    if matches!(field, Field::Vram | Field::Gpus | Field::Cuda | Field::Vcpus) {
        return format!("{}{name}={value}", if keep { "" } else { "!" });
    }
    let large = best_is_large(SortBy::Field(field));
    let shown = if is_share(field) { value * 100.0 } else { value };
    let scale = 10f64.powi(4 - shown.abs().max(1e-9).log10().ceil() as i32);
    let (sign, rounded) = match (large, keep) {
        (true, true) => (">=", (shown * scale).floor()),
        (true, false) => (">", (shown * scale).ceil()),
        (false, true) => ("<=", (shown * scale).ceil()),
        (false, false) => ("<", (shown * scale).floor()),
    };
    let unit = if is_share(field) { "%" } else { "" };
    format!("{name}{sign}{}{unit}", rounded / scale)
}

/// Is it written in per cent?
fn is_share(field: Field) -> bool {
    field.info().kind == query::Kind::Number(query::UnitKind::Share)
}
