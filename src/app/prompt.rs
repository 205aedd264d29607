//! The line at the bottom in which queries are typed. What can be read takes effect at once; what
//! cannot is shown with its place, and leaves the last good query in force.

use super::cursor::Cursor;
use super::filter::{Filter, split_words};
use super::history::Choice;
use super::line::Line;
use crate::market::query::{FIELDS, remove_field, replace_field};
use crate::market::{Completion, QueryError};
use std::ops::Range;

/// What is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// The whole query.
    Query,
    /// Fuzzy words, beside the rest of the query.
    Search {
        /// The query without them.
        rest: String,
    },
    /// One condition of the query.
    Filter(Filter),
    /// The name of a view to be saved.
    SaveView,
}

/// What is wrong with what is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where, in bytes of the line, when it can be told.
    pub span: Option<Range<usize>>,
    /// What, and what was probably meant.
    pub text: String,
}

/// The line.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// What is typed.
    pub kind: PromptKind,
    /// The text.
    pub line: Line,
    /// What was in force before, to go back to.
    pub before: Choice,
    /// The selection before.
    pub cursor: Cursor,
    /// What is wrong.
    pub mistake: Option<Mistake>,
    /// What could be typed here.
    pub completion: Completion,
    /// Which completion was taken last.
    pub taken: Option<usize>,
    /// Which earlier query is shown, counted from the latest.
    pub recalled: Option<usize>,
}

impl Prompt {
    /// A prompt over the query `before`.
    pub fn new(kind: PromptKind, text: String, before: Choice, cursor: Cursor) -> Self {
        Self {
            kind,
            line: Line::new(text),
            before,
            cursor,
            mistake: None,
            completion: Completion::default(),
            taken: None,
            recalled: None,
        }
    }

    /// A prompt for the fuzzy words of `before`.
    pub fn search(before: Choice, cursor: Cursor) -> Self {
        let (words, rest) = split_words(&before.query);
        Self::new(PromptKind::Search { rest }, words, before, cursor)
    }

    /// What stands before the line.
    pub fn label(&self) -> &'static str {
        match &self.kind {
            PromptKind::Query => "query",
            PromptKind::Search { .. } => "/",
            PromptKind::Filter(filter) => filter.label(),
            PromptKind::SaveView => "save view as",
        }
    }

    /// The whole query that is meant; an error in the line says so.
    pub fn query(&self) -> Result<String, QueryError> {
        let typed = self.line.text();
        match &self.kind {
            PromptKind::Query => Ok(typed.to_string()),
            PromptKind::Search { rest } => Ok(format!("{rest} {typed}").trim().to_string()),
            PromptKind::Filter(filter) => match filter.condition(typed) {
                Some(condition) => replace_field(&self.before.query, filter.field(), &condition),
                None => remove_field(&self.before.query, filter.field()),
            },
            PromptKind::SaveView => Ok(self.before.query.clone()),
        }
    }

    /// The query to be shown while typing goes on: without a last word that may become the name of
    /// a field.
    pub fn preview(&self, query: String) -> String {
        let typed = self.line.text();
        if self.kind != PromptKind::Query || self.line.cursor() != typed.len() {
            return query;
        }
        let start = typed.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let word = typed.get(start..).unwrap_or("").trim_start_matches(['!', '(']);
        let names = FIELDS.iter().flat_map(|f| f.aliases.iter().chain([&f.name]));
        let begun = !word.is_empty() && names.copied().any(|n| n.starts_with(word));
        if begun { typed.get(..start).unwrap_or("").to_string() } else { query }
    }

    /// The query without the words that a mistake touches.
    pub fn without(&self, mistake: Range<usize>) -> String {
        let typed = self.line.text();
        let (head, tail) = (typed.get(..mistake.start), typed.get(mistake.end..));
        let head = head.unwrap_or("");
        let head = head.rfind(char::is_whitespace).map_or("", |at| head.get(..at).unwrap_or(""));
        let tail = tail.unwrap_or("");
        let tail = tail.find(char::is_whitespace).map_or("", |at| tail.get(at..).unwrap_or(""));
        let rest = format!("{head}{tail}");
        match &self.kind {
            PromptKind::Search { rest: query } => format!("{query} {rest}").trim().to_string(),
            _ => rest,
        }
    }

    /// Where in the line a mistake of the whole query stands.
    pub fn place(&self, span: Range<usize>) -> Option<Range<usize>> {
        let shift = match &self.kind {
            PromptKind::Query => 0,
            PromptKind::Search { rest } if rest.is_empty() => 0,
            PromptKind::Search { rest } => rest.len() + 1,
            PromptKind::Filter(_) | PromptKind::SaveView => return None,
        };
        let start = span.start.checked_sub(shift)?;
        Some(start..span.end.saturating_sub(shift).max(start))
    }
}
