//! From text to [`Query`], by recursive descent over the characters.
//!
//! `or` binds loosest, side by side (or `and`) tighter, `not` and `!` tightest. Whatever cannot be
//! read is an error at its place; nothing is dropped.

use super::error::nearest;
use super::field::{Kind, VAST_ONLY, VAST_OTHERWISE};
use super::value::{self, Raw};
use super::{
    Comparison, Condition, Expr, FIELDS, Field, Item, Query, QueryError, Test, UnknownPolicy,
};
use std::ops::Range;

/// Parentheses and nots may be nested this deep.
const DEEPEST: usize = 64;
/// A query may be this long, in bytes.
const LONGEST: usize = 8192;
/// What joins conditions, and is no text to search for unless quoted.
const AND: &[&str] = &["and", "&&", "&"];
const OR: &[&str] = &["or", "||", "|"];

/// Reads a query.
pub(super) fn parse(text: &str) -> Result<Query, QueryError> {
    if text.len() > LONGEST {
        return Err(QueryError::new(0..0, format!("the query is longer than {LONGEST} bytes")));
    }
    let mut parser = Parser { text, at: 0, depth: 0, query: Query::default() };
    let (expr, spans) = parser.alternatives()?;
    parser.space();
    if parser.at < text.len() {
        let span = parser.at..parser.at + 1;
        return Err(QueryError::new(span, "this `)` closes nothing"));
    }
    let mut query = parser.query;
    match expr {
        Some(Expr::And(list)) => (query.conditions, query.spans) = (list, spans),
        Some(other) => {
            let start = spans.first().map_or(0, |s| s.start);
            let end = spans.last().map_or(0, |s| s.end);
            query.spans.push(start..end);
            query.conditions = vec![other];
        }
        None => {}
    }
    Ok(query)
}

/// An expression (or nothing, where only the policy stood) and where its parts stand.
type Found = (Option<Expr>, Vec<Range<usize>>);

/// What the signs of a condition ask for.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Holds,
    Is,
    IsNot,
    Compare(Comparison),
    In,
    NotIn,
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    depth: usize,
    query: Query,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Skips `word` when it stands here by itself.
    fn keyword(&mut self, words: &[&str]) -> bool {
        let word =
            self.rest().split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '['));
        let word = word.into_iter().next().unwrap_or("");
        let found = words.iter().any(|w| w.eq_ignore_ascii_case(word));
        if found {
            self.at += word.len();
        }
        found
    }

    fn alternatives(&mut self) -> Result<Found, QueryError> {
        let mut list = Vec::new();
        let (first, mut spans) = self.side_by_side()?;
        list.extend(first);
        loop {
            self.space();
            let sign = self.at;
            if !self.keyword(OR) {
                break;
            }
            let lonely = QueryError::new(sign..self.at, "`or` needs a condition on both sides");
            let (next, more) = self.side_by_side()?;
            let Some(next) = next.filter(|_| !list.is_empty()) else { return Err(lonely) };
            list.push(next);
            spans.extend(more);
        }
        if list.len() > 1 {
            let all = spans.first().map_or(0, |s| s.start)..self.at;
            return Ok((Some(Expr::any(list)), vec![all]));
        }
        Ok((list.pop(), spans))
    }

    fn side_by_side(&mut self) -> Result<Found, QueryError> {
        let mut list: Vec<Expr> = Vec::new();
        let mut spans: Vec<Range<usize>> = Vec::new();
        loop {
            self.space();
            let joined = self.at;
            let wants_more = self.keyword(AND);
            if wants_more && list.is_empty() && self.query.unknown.is_none() {
                return Err(QueryError::new(joined..self.at, "`and` needs a condition before it"));
            }
            self.space();
            let start = self.at;
            let ends = self.peek().is_none_or(|c| c == ')') || {
                let ends = self.keyword(OR);
                self.at = start;
                ends
            };
            if ends {
                if wants_more {
                    return Err(QueryError::new(joined..start, "`and` needs a condition after it"));
                }
                break;
            }
            match self.negatable()? {
                Some(Expr::And(inner)) => {
                    spans.extend(inner.iter().map(|_| start..self.at));
                    list.extend(inner);
                }
                Some(expr) => {
                    list.push(expr);
                    spans.push(start..self.at);
                }
                None => {}
            }
        }
        Ok((if list.is_empty() { None } else { Some(Expr::all(list)) }, spans))
    }

    fn negatable(&mut self) -> Result<Option<Expr>, QueryError> {
        let start = self.at;
        if self.depth >= DEEPEST {
            return Err(QueryError::new(start..start + 1, "nested too deeply"));
        }
        self.depth += 1;
        let found = if self.rest().starts_with('!') {
            self.at += 1;
            self.negated(start)
        } else if self.keyword(&["not"]) {
            self.negated(start)
        } else if self.rest().starts_with('(') {
            self.parenthesis().map(Some)
        } else {
            self.term()
        };
        self.depth -= 1;
        found
    }

    fn negated(&mut self, start: usize) -> Result<Option<Expr>, QueryError> {
        self.space();
        let sign = start..self.at;
        if self.peek().is_none_or(|c| c == ')') {
            return Err(QueryError::new(sign, "what must not hold is missing"));
        }
        match self.negatable()? {
            Some(inner) => Ok(Some(Expr::Not(Box::new(inner)))),
            None => Err(QueryError::new(sign, "`unknown:` cannot be negated; use keep or hide")),
        }
    }

    fn parenthesis(&mut self) -> Result<Expr, QueryError> {
        let open = self.at;
        self.at += 1;
        let (inner, _) = self.alternatives()?;
        self.space();
        if !self.rest().starts_with(')') {
            return Err(QueryError::new(open..open + 1, "this `(` is never closed"));
        }
        self.at += 1;
        inner.ok_or_else(|| QueryError::new(open..self.at, "nothing stands in these parentheses"))
    }

    fn term(&mut self) -> Result<Option<Expr>, QueryError> {
        if matches!(self.peek(), Some('"' | '\'')) {
            let text = self.quoted()?;
            return Ok(Some(Expr::Word { text, exact: true }));
        }
        let start = self.at;
        let name_end = self
            .rest()
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '/')));
        let name_end = start + name_end.unwrap_or(self.rest().len());
        let name = self.text.get(start..name_end).unwrap_or("").to_owned();
        self.at = name_end;
        if let Some(sign) = self.sign(!name.is_empty() && Field::from_name(&name).is_some()) {
            return self.condition(&name, start..name_end, sign);
        }
        self.at = start;
        self.word().map(Some)
    }

    /// A word without a field.
    fn word(&mut self) -> Result<Expr, QueryError> {
        let start = self.at;
        let rest = self.rest();
        let len = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"'));
        let word = rest.get(..len.unwrap_or(rest.len())).unwrap_or("").to_owned();
        let span = start..start + word.len();
        if let Some(sign) = word.find(['<', '>', '=', ':', '[', ']', '|', ',', '≤', '≥', '≠', '~'])
        {
            let at = start + sign;
            let message = "a condition begins with a field: vram>=24, region:eu; \
                           put text with such signs in quotes";
            let width = word.get(sign..).and_then(|w| w.chars().next()).map_or(1, char::len_utf8);
            return Err(QueryError::new(at..at + width, message));
        }
        if AND.iter().chain(OR).any(|joiner| joiner.eq_ignore_ascii_case(&word)) {
            let message = format!("`{word}` needs a condition on both sides, or quotes around it");
            return Err(QueryError::new(span, message));
        }
        if word.is_empty() {
            return Err(QueryError::new(start..start + 1, "this cannot be read"));
        }
        if let Some((field, _)) = Field::from_name(&word) {
            let (name, example) = (field.name(), value::example(field));
            let message = format!("`{word}` is a field: write {name}:{example}, or quote the word");
            return Err(QueryError::new(span, message));
        }
        self.at = span.end;
        Ok(Expr::Word { text: word, exact: false })
    }

    /// The text of a quotation that begins here.
    pub(super) fn quoted(&mut self) -> Result<String, QueryError> {
        let open = self.at;
        let quote = self.peek().unwrap_or('"');
        let mut text = String::new();
        let mut escaped = false;
        for (at, c) in self.rest().char_indices().skip(1) {
            match c {
                _ if escaped => {
                    text.push(c);
                    escaped = false;
                }
                '\\' => escaped = true,
                _ if c == quote => {
                    self.at += at + c.len_utf8();
                    return Ok(text);
                }
                _ => text.push(c),
            }
        }
        Err(QueryError::new(open..open + 1, "this quotation is never closed"))
    }

    /// The sign of a condition, which may stand apart from the name when that is a field's.
    fn sign(&mut self, known: bool) -> Option<Sign> {
        const SIGNS: [(&str, Sign); 12] = [
            ("≤", Sign::Compare(Comparison::AtMost)),
            ("≥", Sign::Compare(Comparison::AtLeast)),
            ("≠", Sign::IsNot),
            ("!=", Sign::IsNot),
            ("<>", Sign::IsNot),
            ("<=", Sign::Compare(Comparison::AtMost)),
            (">=", Sign::Compare(Comparison::AtLeast)),
            ("==", Sign::Is),
            ("=", Sign::Is),
            ("<", Sign::Compare(Comparison::Less)),
            (">", Sign::Compare(Comparison::More)),
            (":", Sign::Holds),
        ];
        let start = self.at;
        if known {
            self.space();
            if self.at > start {
                if self.keyword(&["in"]) {
                    return Some(Sign::In);
                }
                if self.keyword(&["notin"]) {
                    return Some(Sign::NotIn);
                }
                let not = self.at;
                if self.keyword(&["not"]) {
                    self.space();
                    if self.keyword(&["in"]) {
                        return Some(Sign::NotIn);
                    }
                    self.at = not;
                }
            }
        }
        let found = SIGNS.iter().find(|(sign, _)| self.rest().starts_with(sign));
        let Some((text, sign)) = found else {
            self.at = start;
            return None;
        };
        self.at += text.len();
        Some(*sign)
    }

    fn condition(
        &mut self,
        name: &str,
        span: Range<usize>,
        sign: Sign,
    ) -> Result<Option<Expr>, QueryError> {
        if name.eq_ignore_ascii_case("unknown") {
            return self.policy(span).map(|()| None);
        }
        let rented = name.eq_ignore_ascii_case("rented");
        let known = if rented { Some((Field::Avail, true)) } else { Field::from_name(name) };
        let Some((field, is_vast)) = known else {
            return Err(unknown_field(name, span));
        };
        let mut values = self.values(field, &span, matches!(sign, Sign::In | Sign::NotIn))?;
        let field = value::settle_field(field, &values);
        let mut negated = matches!(sign, Sign::IsNot | Sign::NotIn);
        let keep_unknown = value::take_question_mark(field, &mut values);
        let context = value::Context { field, is_vast, vast_name: name };
        let test = if let Sign::Compare(side) = sign {
            Test::Compare(side, value::one_figure(&context, &values, &(span.start..self.at))?)
        } else {
            let items = value::items(&context, &values)?;
            // Vast.ai's `rented=false` is our `avail`, turned round.
            negated ^= rented && !items.contains(&Item::Anything);
            let is_number = matches!(field.info().kind, Kind::Number(_));
            let exact = is_number || (!matches!(sign, Sign::Holds) && !context.is_loose());
            Test::OneOf { items, exact }
        };
        let expr = value::vast_meaning(&context, Condition { field, test, keep_unknown });
        Ok(Some(if negated { Expr::Not(Box::new(expr)) } else { expr }))
    }

    fn policy(&mut self, span: Range<usize>) -> Result<(), QueryError> {
        let start = self.at;
        let (policy, word) = if self.keyword(&["keep"]) {
            (UnknownPolicy::Keep, "keep")
        } else if self.keyword(&["hide"]) {
            (UnknownPolicy::Hide, "hide")
        } else {
            let end = self.text.len().min(start + 1).max(start);
            let error = QueryError::new(start..end, "unknown: takes keep or hide");
            return Err(error.suggest(None));
        };
        if self.depth > 1 {
            let message = format!("unknown:{word} is for the whole query, not inside parentheses");
            return Err(QueryError::new(span.start..self.at, message));
        }
        if self.query.unknown.is_some() {
            return Err(QueryError::new(span.start..self.at, "unknown: is said twice"));
        }
        self.query.unknown = Some(policy);
        self.query.policy_span = Some(span.start..self.at);
        Ok(())
    }

    /// The values after a sign: a bracketed list, or values joined by `,` or `|` without spaces.
    fn values(
        &mut self,
        field: Field,
        span: &Range<usize>,
        is_list: bool,
    ) -> Result<Vec<Raw>, QueryError> {
        self.space();
        let open = self.at;
        if matches!(self.peek(), Some('[')) || (is_list && matches!(self.peek(), Some('('))) {
            self.at += 1;
            return self.bracketed(open);
        }
        let mut values = Vec::new();
        loop {
            let start = self.at;
            let value = self.value(&[',', '|'])?;
            if value.text.is_empty() && !value.quoted {
                let example = value::example(field);
                let name = field.name();
                let message = format!("{name} needs a value here, like {example}");
                return Err(QueryError::new(span.start..start, message));
            }
            values.push(self.with_unit(field, value));
            if !self.rest().starts_with([',', '|']) {
                return Ok(values);
            }
            self.at += 1;
        }
    }

    /// A figure and its unit, which people also write apart: `vram>=24 gb`.
    fn with_unit(&mut self, field: Field, mut value: Raw) -> Raw {
        let Kind::Number(kind) = field.info().kind else { return value };
        let rest = self.rest();
        let word = rest.trim_start().split(|c: char| c.is_whitespace() || c == ')').next();
        let word = word.unwrap_or("").to_owned();
        let is_apart = rest.starts_with(char::is_whitespace)
            && !value.quoted
            && value.text.ends_with(|c: char| c.is_ascii_digit());
        if is_apart && !word.is_empty() && kind.has(&word) {
            self.space();
            self.at += word.len();
            value.text.push_str(&word);
            value.span.end = self.at;
        }
        value
    }

    fn bracketed(&mut self, open: usize) -> Result<Vec<Raw>, QueryError> {
        let mut values = Vec::new();
        loop {
            self.space();
            match self.peek() {
                None => return Err(QueryError::new(open..open + 1, "this list is never closed")),
                Some(']' | ')') => {
                    self.at += 1;
                    break;
                }
                Some(',' | '|') => self.at += 1,
                Some(sign) => {
                    let start = self.at;
                    values.push(self.value(&[',', '|', ']', ')'])?);
                    if self.at == start {
                        // Nothing was taken: asked again, it would be for ever.
                        let span = start..start + sign.len_utf8();
                        return Err(QueryError::new(span, format!("a list holds no `{sign}`")));
                    }
                }
            }
        }
        if values.is_empty() {
            return Err(QueryError::new(open..self.at, "this list is empty"));
        }
        Ok(values)
    }

    fn value(&mut self, ends: &[char]) -> Result<Raw, QueryError> {
        let start = self.at;
        if matches!(self.peek(), Some('"' | '\'')) {
            let text = self.quoted()?;
            return Ok(Raw { text, quoted: true, span: start..self.at });
        }
        let in_list = ends.contains(&']');
        let rest = self.rest();
        let stops = |c: char| {
            ends.contains(&c) || matches!(c, '(' | ')' | '"') || (c.is_whitespace() && !in_list)
        };
        let len = rest.find(stops).unwrap_or(rest.len());
        let text = rest.get(..len).unwrap_or("").trim_end().to_owned();
        self.at += len;
        Ok(Raw { span: start..start + text.len(), text, quoted: false })
    }
}

fn unknown_field(name: &str, span: Range<usize>) -> QueryError {
    if name.is_empty() {
        return QueryError::new(span.start..span.end + 1, "a field must stand before this sign");
    }
    if VAST_ONLY.contains(&name.to_ascii_lowercase().as_str()) {
        let message = format!("haggle does not carry Vast.ai's `{name}`; leave it out");
        return QueryError::new(span, message);
    }
    let lower = name.to_ascii_lowercase();
    if let Some((_, message, ours)) = VAST_OTHERWISE.iter().find(|(vast, ..)| *vast == lower) {
        return QueryError::new(span, *message).suggest(Some((*ours).to_owned()));
    }
    let names = FIELDS.iter().flat_map(|f| {
        std::iter::once(f.name).chain(f.aliases.iter().copied()).chain(f.vast.iter().copied())
    });
    let suggestion = nearest(name, names).map(str::to_owned);
    QueryError::new(span, format!("there is no field `{name}`")).suggest(suggestion)
}
