//! The values of a condition: raw pieces of text become figures, words, patterns.

use super::error::nearest;
use super::field::{Field, Kind};
use super::glob::Pattern;
use super::unit::{Quantity, UnitKind};
use super::{Condition, Expr, Item, QueryError, Test};
use std::ops::Range;

/// A value as it stands in the text.
#[derive(Clone, Debug)]
pub(super) struct Raw {
    pub(super) text: String,
    pub(super) quoted: bool,
    pub(super) span: Range<usize>,
}

/// Which field is being asked about, and under which name.
pub(super) struct Context<'a> {
    pub(super) field: Field,
    pub(super) is_vast: bool,
    pub(super) vast_name: &'a str,
}

impl Context<'_> {
    /// Vast.ai's `geolocation=DE` means "in", although it is written with `=`.
    pub(super) fn is_loose(&self) -> bool {
        self.is_vast && self.field == Field::Region
    }
}

/// An example of a value, for messages.
pub(super) fn example(field: Field) -> &'static str {
    match field.info().kind {
        Kind::Number(unit) => unit.example(),
        Kind::Choice(words) => words.first().map_or("yes", |w| w.0),
        Kind::Text => match field {
            Field::Gpu => "4090",
            Field::Region => "eu",
            Field::Country => "DE",
            _ => "12345",
        },
    }
}

/// `fetch<30m` is about time, `fetch<10%` about the share.
pub(super) fn settle_field(field: Field, values: &[Raw]) -> Field {
    let time = |raw: &Raw| {
        let text = raw.text.trim_end_matches('?');
        text.split("..").any(Quantity::looks_like_time)
    };
    if field == Field::Fetch && values.iter().any(time) { Field::FetchTime } else { field }
}

/// A question mark behind a figure, or behind one of a few words, keeps rows that do not state it.
pub(super) fn take_question_mark(field: Field, values: &mut [Raw]) -> bool {
    let Some(last) = values.last_mut() else { return false };
    if field.info().kind == Kind::Text || last.quoted || last.text.len() < 2 {
        return false;
    }
    let Some(rest) = last.text.strip_suffix('?') else { return false };
    last.text = rest.to_owned();
    last.span.end -= 1;
    true
}

/// The one figure of a comparison.
pub(super) fn one_figure(
    context: &Context<'_>,
    values: &[Raw],
    whole: &Range<usize>,
) -> Result<Quantity, QueryError> {
    let name = context.field.name();
    let Kind::Number(unit) = context.field.info().kind else {
        let message = format!("{name} is no figure; use {name}:{}", example(context.field));
        return Err(QueryError::new(whole.clone(), message));
    };
    let [raw] = values else {
        return Err(QueryError::new(whole.clone(), "a comparison takes one figure, not a list"));
    };
    figure(context, raw, &raw.text, unit)
}

fn figure(
    context: &Context<'_>,
    raw: &Raw,
    text: &str,
    unit: UnitKind,
) -> Result<Quantity, QueryError> {
    let figure = Quantity::parse(text, unit).map_err(|m| QueryError::new(raw.span.clone(), m))?;
    // Vast.ai counts the duration in days.
    let in_days = context.is_vast && context.vast_name.eq_ignore_ascii_case("duration");
    Ok(if in_days { figure.with_bare_unit("d") } else { figure })
}

/// The values of a list.
pub(super) fn items(context: &Context<'_>, values: &[Raw]) -> Result<Vec<Item>, QueryError> {
    values.iter().map(|raw| item(context, raw)).collect()
}

fn item(context: &Context<'_>, raw: &Raw) -> Result<Item, QueryError> {
    if !raw.quoted {
        let word = raw.text.to_ascii_lowercase();
        let no_flag = context.field != Field::Flag;
        match word.as_str() {
            "unknown" | "not-stated" => return Ok(Item::Unknown),
            "any" if no_flag => return Ok(Item::Anything),
            _ => {}
        }
    }
    match context.field.info().kind {
        Kind::Number(unit) => number(context, raw, unit),
        Kind::Choice(words) => choice(context, raw, words),
        Kind::Text if raw.quoted => Ok(Item::Matches(Pattern::quoted(&raw.text))),
        Kind::Text => Ok(Item::Matches(Pattern::bare(&raw.text))),
    }
}

fn number(context: &Context<'_>, raw: &Raw, unit: UnitKind) -> Result<Item, QueryError> {
    let Some((low, high)) = raw.text.split_once("..") else {
        return figure(context, raw, &raw.text, unit).map(Item::Is);
    };
    let end = |text: &str| {
        if text.is_empty() { Ok(None) } else { figure(context, raw, text, unit).map(Some) }
    };
    let (low, high) = (end(low)?, end(high)?);
    match (low, high) {
        (None, None) => Err(QueryError::new(raw.span.clone(), "a range needs at least one end")),
        (Some(a), Some(b)) if a.value() > b.value() => {
            let message = "the range ends before it begins";
            let turned = format!("{b}..{a}");
            Err(QueryError::new(raw.span.clone(), message).suggest(Some(turned)))
        }
        _ => Ok(Item::Between(low, high)),
    }
}

fn choice(
    context: &Context<'_>,
    raw: &Raw,
    words: &'static [(&'static str, &'static [&'static str])],
) -> Result<Item, QueryError> {
    let wanted = raw.text.to_ascii_lowercase().replace('_', "-");
    let named =
        words.iter().find(|(word, also)| *word == wanted || also.contains(&wanted.as_str()));
    if let Some((word, _)) = named {
        return Ok(Item::Matches(Pattern::bare(word)));
    }
    let pattern = Pattern::bare(&raw.text);
    if !raw.quoted && pattern.is_glob() && words.iter().any(|(word, _)| pattern.is(word)) {
        return Ok(Item::Matches(pattern));
    }
    let all: Vec<&str> = words.iter().map(|w| w.0).collect();
    let known = words.iter().flat_map(|(w, also)| std::iter::once(*w).chain(also.iter().copied()));
    let suggestion = nearest(&wanted, known).map(str::to_owned);
    let message = format!("{} is one of {}", context.field.name(), all.join(", "));
    Err(QueryError::new(raw.span.clone(), message).suggest(suggestion))
}

/// What a condition under a name of Vast.ai's means in ours, where that is more than a new name:
/// `verified=any` asks nothing.
pub(super) fn vast_meaning(context: &Context<'_>, mut condition: Condition) -> Expr {
    if context.is_vast
        && let Test::OneOf { items, .. } = &mut condition.test
        && items.contains(&Item::Anything)
    {
        *items = vec![Item::Anything];
    }
    Expr::Test(condition)
}
