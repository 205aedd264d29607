//! The one query language: on the screen, on the command line, and in saved views.
//!
//! ```text
//! vram>=24 rel>95% down>=500mbps region:eu,uk gpu:4090|3090 !host:12345 total<20$ done<8h fit:yes
//! ```
//!
//! Conditions that stand side by side must all hold; `or`, `not` (`!`) and parentheses do what they
//! say. `field:value` looks for the value in a text (whole words), `field=value` wants the text to
//! be the value; both take lists (`a,b` or `a|b`), globs (`rtx*`), and for figures ranges
//! (`24..48`). Figures carry units. Words without a field are searched fuzzily, `"quoted words"`
//! exactly.
//!
//! # What is not known
//! A condition about a figure that an offer does not state is neither met nor failed: it is
//! unknown. By default such a row is hidden, and counted apart (`reliability unknown`), so it
//! neither passes as good nor vanishes silently. `rel>95%?` keeps the rows that do not state it,
//! `unknown:keep` does so for the whole query, and `rel:unknown` asks for them.
//!
//! Text fields of Vast.ai's own syntax are understood with its units:
//! `gpu_name=RTX_4090 reliability>0.95 num_gpus=1 geolocation in [DE,FR]`.

mod edit;
mod error;
mod field;
mod glob;
mod parser;
mod unit;
mod value;

pub use edit::{add, exclude, item_of_text, keep, remove_field, replace_condition, replace_field};
pub use error::QueryError;
pub use field::{FIELDS, Field, FieldInfo, Kind};
pub use unit::{Quantity, UnitKind};

pub(crate) use error::nearest;
pub(crate) use field::{DISK_SHORT, flag_bits, verdict_word};
pub(crate) use glob::{Pattern, squeeze};

use std::fmt;
use std::ops::Range;

/// What happens to rows that do not state what a condition asks about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownPolicy {
    /// They are hidden, and counted apart.
    #[default]
    Hide,
    /// They are kept.
    Keep,
}

/// A parsed query: conditions that must all hold.
#[derive(Clone, Debug, Default)]
pub struct Query {
    conditions: Vec<Expr>,
    spans: Vec<Range<usize>>,
    unknown: Option<UnknownPolicy>,
    policy_span: Option<Range<usize>>,
}

/// Two queries are equal when they mean the same conditions in the same order, however spaced.
impl PartialEq for Query {
    fn eq(&self, other: &Self) -> bool {
        self.conditions == other.conditions && self.unknown == other.unknown
    }
}

/// A condition, or several joined.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// All hold.
    And(Vec<Expr>),
    /// At least one holds.
    Or(Vec<Expr>),
    /// It does not hold.
    Not(Box<Expr>),
    /// A condition on one field.
    Test(Condition),
    /// A word to search for.
    Word {
        /// The word.
        text: String,
        /// As it stands, instead of fuzzily.
        exact: bool,
    },
}

/// A condition on one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// Which field.
    pub field: Field,
    /// What is asked of it.
    pub test: Test,
    /// Rows that do not state it are kept (`?`).
    pub keep_unknown: bool,
}

/// What is asked of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// A figure on one side of another.
    Compare(Comparison, Quantity),
    /// One of these. `exact` (`=`) wants a text to be the value, otherwise (`:`) to hold it.
    OneOf {
        /// The values.
        items: Vec<Item>,
        /// `=` instead of `:`.
        exact: bool,
    },
}

/// Which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

/// One value of a list.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A figure.
    Is(Quantity),
    /// A range of figures, ends included; an open end is `None`.
    Between(Option<Quantity>, Option<Quantity>),
    /// A text, possibly a glob.
    Matches(Pattern),
    /// It is not stated.
    Unknown,
    /// Whatever it is, stated or not (`any`, as in Vast.ai's syntax).
    Anything,
}

impl Query {
    /// What a fresh screen starts with: reliability above 95 %, where a provider publishes it.
    pub const START: &'static str = "rel>95%?";

    /// Reads a query. An empty text is the query that every row meets.
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        parser::parse(text)
    }

    /// The conditions that must all hold.
    pub fn conditions(&self) -> &[Expr] {
        &self.conditions
    }

    /// Where a condition stands in the text that was parsed, in bytes.
    pub fn span(&self, condition: usize) -> Option<Range<usize>> {
        self.spans.get(condition).cloned()
    }

    /// What happens to rows that do not state what is asked.
    pub fn unknown_policy(&self) -> UnknownPolicy {
        self.unknown.unwrap_or_default()
    }

    /// Does every row meet it?
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// The condition on `field` that stands by itself (not inside `or` or parentheses), if any.
    pub fn condition_on(&self, field: Field) -> Option<&Condition> {
        self.conditions.iter().find_map(|e| match e {
            Expr::Test(c) if c.field == field => Some(c),
            _ => None,
        })
    }

    /// All fields that it names, anywhere.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        self.conditions.iter().for_each(|e| e.visit(&mut |f| fields.push(f)));
        fields.sort_unstable();
        fields.dedup();
        fields
    }
}

impl Expr {
    /// Calls `f` with every field named in it.
    pub(crate) fn visit(&self, f: &mut impl FnMut(Field)) {
        match self {
            Expr::And(list) | Expr::Or(list) => list.iter().for_each(|e| e.visit(f)),
            Expr::Not(inner) => inner.visit(f),
            Expr::Test(condition) => f(condition.field),
            Expr::Word { .. } => {}
        }
    }

    /// The field of a plain condition, negated or not.
    pub fn field(&self) -> Option<Field> {
        match self {
            Expr::Test(condition) => Some(condition.field),
            Expr::Not(inner) => inner.field(),
            _ => None,
        }
    }

    fn all(mut list: Vec<Expr>) -> Expr {
        if list.len() == 1
            && let Some(only) = list.pop()
        {
            return only;
        }
        let flat = list.into_iter().flat_map(|e| match e {
            Expr::And(inner) => inner,
            other => vec![other],
        });
        Expr::And(flat.collect())
    }

    fn any(mut list: Vec<Expr>) -> Expr {
        if list.len() == 1
            && let Some(only) = list.pop()
        {
            return only;
        }
        let flat = list.into_iter().flat_map(|e| match e {
            Expr::Or(inner) => inner,
            other => vec![other],
        });
        Expr::Or(flat.collect())
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for condition in &self.conditions {
            if !std::mem::take(&mut first) {
                f.write_str(" ")?;
            }
            if matches!(condition, Expr::Or(_)) && self.conditions.len() > 1 {
                write!(f, "({condition})")?;
            } else {
                write!(f, "{condition}")?;
            }
        }
        let policy = match self.unknown {
            None => return Ok(()),
            Some(UnknownPolicy::Hide) => "hide",
            Some(UnknownPolicy::Keep) => "keep",
        };
        // An `or` that stands alone needs parentheses once something follows it.
        if matches!(self.conditions.as_slice(), [Expr::Or(_)]) {
            return write!(f, " and unknown:{policy}");
        }
        write!(f, "{}unknown:{policy}", if first { "" } else { " " })
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::And(list) => join(f, list, " ", |e| matches!(e, Expr::Or(_))),
            Expr::Or(list) => join(f, list, " or ", |_| false),
            Expr::Not(inner) if matches!(**inner, Expr::And(_) | Expr::Or(_)) => {
                write!(f, "!({inner})")
            }
            Expr::Not(inner) => write!(f, "!{inner}"),
            Expr::Test(condition) => condition.fmt(f),
            Expr::Word { text, exact: false } => f.write_str(text),
            Expr::Word { text, exact: true } => glob::write_quoted(f, text),
        }
    }
}

fn join(
    f: &mut fmt::Formatter<'_>,
    list: &[Expr],
    with: &str,
    wrap: impl Fn(&Expr) -> bool,
) -> fmt::Result {
    for (at, item) in list.iter().enumerate() {
        if at > 0 {
            f.write_str(with)?;
        }
        if wrap(item) {
            write!(f, "({item})")?;
        } else {
            write!(f, "{item}")?;
        }
    }
    Ok(())
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.field.name())?;
        match &self.test {
            Test::Compare(side, figure) => {
                let sign = match side {
                    Comparison::Less => "<",
                    Comparison::AtMost => "<=",
                    Comparison::More => ">",
                    Comparison::AtLeast => ">=",
                };
                write!(f, "{sign}{figure}")?;
            }
            Test::OneOf { items, exact } => {
                f.write_str(if *exact { "=" } else { ":" })?;
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if at > 0 { "|" } else { "" })?;
                }
            }
        }
        f.write_str(if self.keep_unknown { "?" } else { "" })
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Is(figure) => figure.fmt(f),
            Item::Between(low, high) => {
                low.map_or(Ok(()), |q| q.fmt(f))?;
                f.write_str("..")?;
                high.map_or(Ok(()), |q| q.fmt(f))
            }
            Item::Matches(pattern) => pattern.fmt(f),
            Item::Unknown => f.write_str("unknown"),
            Item::Anything => f.write_str("any"),
        }
    }
}

#[cfg(test)]
mod tests;
