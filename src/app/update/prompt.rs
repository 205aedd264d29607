//! Typing a query: it takes effect with every key, and can be left without a trace.

use super::super::action::Action;
use super::super::filter::Filter;
use super::super::prompt::{Mistake, Prompt, PromptKind};
use super::super::{App, Overlay, Tone};
use super::edit_line;
use crate::config::SavedView;
use crate::market::{Completion, complete};

impl App {
    pub(super) fn open_prompt(&mut self, prompt: Prompt) {
        self.overlay = Some(Overlay::Prompt(Box::new(prompt)));
        self.prompt_completion();
    }

    pub(super) fn open_filter(&mut self, filter: Filter) {
        let typed = filter.typed(self.desk.query());
        let choice = self.desk.choice();
        self.open_prompt(Prompt::new(PromptKind::Filter(filter), typed, choice, self.cursor));
    }

    pub(super) fn act_on_prompt(&mut self, action: Action) {
        let Some(Overlay::Prompt(prompt)) = &mut self.overlay else { return };
        match action {
            Action::TextAccept => self.accept_prompt(),
            Action::TextCancel => self.cancel_prompt(),
            Action::TextComplete => self.take_completion(true),
            Action::TextCompleteBack => self.take_completion(false),
            Action::TextUp => self.recall(true),
            Action::TextDown => self.recall(false),
            _ => {
                if edit_line(&mut prompt.line, action) {
                    self.prompt_changed();
                }
            }
        }
    }

    /// The text has changed: what can be read takes effect, what cannot is marked.
    pub(super) fn prompt_changed(&mut self) {
        let Some(Overlay::Prompt(prompt)) = &mut self.overlay else { return };
        prompt.taken = None;
        self.try_prompt();
        self.prompt_completion();
    }

    fn try_prompt(&mut self) {
        let Some(Overlay::Prompt(prompt)) = &mut self.overlay else { return };
        if prompt.kind == PromptKind::SaveView {
            return;
        }
        let result = prompt.query().and_then(|query| self.desk.set_query(&prompt.preview(query)));
        prompt.mistake = result.err().map(|wrong| Mistake {
            span: prompt.place(wrong.span.clone()),
            text: wrong.to_string(),
        });
        if let Some(span) = prompt.mistake.as_ref().and_then(|m| m.span.clone()) {
            // What stands beside the mistake stays in force; failing that, what was before.
            let rest = prompt.without(span);
            if self.desk.set_query(&rest).is_err() {
                // What was in force before could be read then and can be read now.
                let _ = self.desk.set_query(&prompt.before.query);
            }
        }
        self.grid.forget_widths();
    }

    fn prompt_completion(&mut self) {
        let Some(Overlay::Prompt(prompt)) = &mut self.overlay else { return };
        let (text, cursor) = (prompt.line.text(), prompt.line.cursor());
        prompt.completion = match &prompt.kind {
            PromptKind::Query => complete(text, cursor, self.desk.table()),
            PromptKind::Filter(filter) => {
                let head = format!("{}:", filter.field().name());
                let mut found =
                    complete(&format!("{head}{text}"), head.len() + cursor, self.desk.table());
                let shift = |at: usize| at.saturating_sub(head.len());
                found.span = shift(found.span.start)..shift(found.span.end);
                found
            }
            PromptKind::Search { .. } | PromptKind::SaveView => Completion::default(),
        };
    }

    fn take_completion(&mut self, forward: bool) {
        let Some(Overlay::Prompt(prompt)) = &mut self.overlay else { return };
        let count = prompt.completion.candidates.len();
        if count == 0 {
            return;
        }
        let next = match prompt.taken {
            None if forward => 0,
            Some(at) if forward => (at + 1) % count,
            None => count - 1,
            Some(at) => (at + count - 1) % count,
        };
        let span = prompt.completion.span.clone();
        if let Some(candidate) = prompt.completion.candidates.get(next) {
            prompt.line.replace(span.clone(), &candidate.text);
            prompt.completion.span = span.start..span.start + candidate.text.len();
            prompt.taken = Some(next);
            self.try_prompt();
        }
    }

    /// An earlier query, or a later one.
    fn recall(&mut self, earlier: bool) {
        let Some(Overlay::Prompt(prompt)) = &mut self.overlay else { return };
        if prompt.kind != PromptKind::Query {
            return;
        }
        let next = match (prompt.recalled, earlier) {
            (None, true) => Some(0),
            (None | Some(0), false) => None,
            (Some(at), true) => Some((at + 1).min(self.queries.len().saturating_sub(1))),
            (Some(at), false) => Some(at - 1),
        };
        let text = match next {
            Some(at) => self.queries.iter().rev().nth(at).cloned(),
            None => Some(prompt.before.query.clone()),
        };
        if let Some(text) = text {
            prompt.recalled = next;
            prompt.line.set(&text);
            self.prompt_changed();
        }
    }

    fn accept_prompt(&mut self) {
        let Some(Overlay::Prompt(prompt)) = &self.overlay else { return };
        if prompt.kind == PromptKind::SaveView {
            self.save_view();
            return;
        }
        // A query that cannot be read is not dropped: the line stays open with its mistake.
        if prompt.mistake.is_some() {
            return;
        }
        let before = prompt.before.clone();
        if let Ok(query) = prompt.query() {
            // It was read without a mistake when it was typed.
            let _ = self.desk.set_query(&query);
        }
        self.overlay = None;
        if self.desk.choice() != before {
            self.history.keep(before);
        }
        let query = self.desk.query_text().to_string();
        self.queries.retain(|q| *q != query);
        if !query.is_empty() {
            self.queries.push(query);
        }
    }

    fn cancel_prompt(&mut self) {
        let Some(Overlay::Prompt(prompt)) = self.overlay.take() else { return };
        // What was in force before could be read then and can be read now.
        if self.desk.set_query(&prompt.before.query).is_ok() {
            self.desk_restored(prompt.cursor);
        }
    }

    /// The query of before is back: so is the selection of before.
    fn desk_restored(&mut self, cursor: super::super::cursor::Cursor) {
        self.grid.forget_widths();
        self.desk.refresh(self.now);
        self.cursor = cursor;
        // Rows may have come meanwhile.
        let found = self.cursor.line.and_then(|line| self.desk.position_of(line));
        let height = self.layout.as_ref().map_or(0, super::super::layout::Layout::table_rows);
        self.cursor.follow(found, self.desk.shown(), height);
        if found != Some(self.cursor.position) {
            self.cursor.line = None;
        }
    }

    fn save_view(&mut self) {
        let Some(Overlay::Prompt(prompt)) = &self.overlay else { return };
        let name = prompt.line.text().trim().to_string();
        if name.is_empty() {
            self.say(Tone::Bad, "a view needs a name");
            return;
        }
        let keys: Vec<String> = self.sort_keys().iter().map(ToString::to_string).collect();
        let (query, sort) = (self.desk.query_text().to_string(), keys.join(","));
        let view = SavedView::Ordered { query, sort };
        self.overlay = None;
        self.views.retain(|(n, _)| *n != name);
        self.views.push((name.clone(), view.clone()));
        self.say(Tone::Good, format!("view {name} holds: {view}"));
        self.outbox.push(super::super::Effect::SaveView { name, view });
    }
}
