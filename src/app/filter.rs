//! The filter keys: each edits its own condition of the one query.

use crate::market::Query;
use crate::market::query::{self, Expr, Field};

/// A filter that has a key of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Memory per GPU.
    Vram,
    /// Reliability.
    Reliability,
    /// Download speed.
    Bandwidth,
    /// Place.
    Region,
    /// Price per hour.
    Price,
    /// Total of the job.
    Total,
}

impl Filter {
    /// The field of the query.
    pub const fn field(self) -> Field {
        match self {
            Filter::Vram => Field::Vram,
            Filter::Reliability => Field::Rel,
            Filter::Bandwidth => Field::Down,
            Filter::Region => Field::Region,
            Filter::Price => Field::Price,
            Filter::Total => Field::Total,
        }
    }

    /// What stands between field and value unless something else is typed.
    pub const fn operator(self) -> &'static str {
        match self {
            Filter::Vram | Filter::Bandwidth => ">=",
            Filter::Reliability => ">",
            Filter::Region => ":",
            Filter::Price | Filter::Total => "<=",
        }
    }

    /// What is asked for.
    pub const fn label(self) -> &'static str {
        match self {
            Filter::Vram => "VRAM per GPU at least, GB",
            Filter::Reliability => "Reliability above, %",
            Filter::Bandwidth => "Download at least, Mbit/s",
            Filter::Region => "Region",
            Filter::Price => "Price at most, $ per hour",
            Filter::Total => "Total at most, $",
        }
    }

    /// Examples.
    pub const fn example(self) -> &'static str {
        match self {
            Filter::Vram => "24   24..48   >=80",
            Filter::Reliability => "95   99   95? keeps those that state none",
            Filter::Bandwidth => "500   1gbps",
            Filter::Region => "eu,uk   us   !cn   na",
            Filter::Price => "0.50   <1   0.2..0.8",
            Filter::Total => "20   <5",
        }
    }

    /// The condition that `typed` stands for; nothing typed is no condition.
    pub fn condition(self, typed: &str) -> Option<String> {
        let typed = typed.trim();
        if typed.is_empty() {
            return None;
        }
        let name = self.field().name();
        if let Some(rest) = typed.strip_prefix('!') {
            return Some(format!("!{name}:{rest}"));
        }
        if typed.starts_with(['<', '>', '=', ':']) {
            return Some(format!("{name}{typed}"));
        }
        if typed.contains("..") || typed.eq_ignore_ascii_case("unknown") {
            return Some(format!("{name}:{typed}"));
        }
        let percent = self == Filter::Reliability
            && typed.trim_end_matches('?').parse::<f64>().is_ok_and(|v| v > 1.0);
        let typed = match typed.strip_suffix('?') {
            Some(number) if percent => format!("{number}%?"),
            None if percent => format!("{typed}%"),
            _ => typed.to_string(),
        };
        Some(format!("{name}{}{typed}", self.operator()))
    }

    /// What is typed for the condition that stands in the query now.
    pub fn typed(self, query: &Query) -> String {
        let name = self.field().name();
        let own = query.conditions().iter().find(|e| e.field() == Some(self.field()));
        let Some(text) = own.map(ToString::to_string) else { return String::new() };
        let negated = text.starts_with('!');
        let text = text.trim_start_matches('!').trim_start_matches(name);
        if negated {
            return format!("!{}", text.trim_start_matches([':', '=']));
        }
        let longer = [">=", "<=", ">", "<", "=", ":"];
        let operator = longer.into_iter().find(|o| text.starts_with(o)).unwrap_or("");
        if operator == self.operator() || operator == ":" {
            text[operator.len()..].to_string()
        } else {
            text.to_string()
        }
    }
}

/// The words that are searched fuzzily, and the query without them.
pub fn split_words(text: &str) -> (String, String) {
    let Ok(query) = Query::parse(text) else { return (String::new(), text.to_string()) };
    let is_word = |e: &Expr| matches!(e, Expr::Word { exact: false, .. });
    let words = query.conditions().iter().filter(|e| is_word(e)).map(ToString::to_string);
    let words: Vec<String> = words.collect();
    let mut rest = text.to_string();
    for at in (0..query.conditions().len()).rev() {
        if query.conditions().get(at).is_some_and(is_word) {
            rest = query::replace_condition(&rest, at, "").unwrap_or(rest);
        }
    }
    (words.join(" "), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_becomes_a_condition() {
        assert_eq!(Filter::Vram.condition("24").as_deref(), Some("vram>=24"));
        assert_eq!(Filter::Vram.condition("24..48").as_deref(), Some("vram:24..48"));
        assert_eq!(Filter::Vram.condition("<48").as_deref(), Some("vram<48"));
        assert_eq!(Filter::Reliability.condition("99").as_deref(), Some("rel>99%"));
        assert_eq!(Filter::Reliability.condition("99?").as_deref(), Some("rel>99%?"));
        assert_eq!(Filter::Reliability.condition("0.99").as_deref(), Some("rel>0.99"));
        assert_eq!(Filter::Region.condition("!cn").as_deref(), Some("!region:cn"));
        assert_eq!(Filter::Price.condition("  "), None);
    }

    #[test]
    fn what_stands_in_the_query_can_be_edited_again() {
        let query = |text: &str| Query::parse(text).unwrap();
        assert_eq!(Filter::Reliability.typed(&query("rel>95%?")), "95%?");
        assert_eq!(Filter::Vram.typed(&query("vram<48")).trim_end_matches("GB"), "<48");
        assert_eq!(Filter::Region.typed(&query("!region:cn")), "!cn");
        for (filter, text) in [
            (Filter::Vram, "vram>=24"),
            (Filter::Vram, "vram:24..48"),
            (Filter::Region, "region:eu,uk"),
            (Filter::Region, "!region:cn"),
            (Filter::Price, "price<1"),
        ] {
            let typed = filter.typed(&query(text));
            let again = filter.condition(&typed).unwrap();
            assert_eq!(query(&again), query(text), "{text} became {typed} and then {again}");
        }
    }

    #[test]
    fn words_are_told_from_conditions() {
        let text = "rel>95%? gpu:4090|3090 h100 sxm";
        let (words, rest) = split_words(text);
        assert_eq!((words.as_str(), rest.as_str()), ("h100 sxm", "rel>95%? gpu:4090|3090"));
        assert_eq!(split_words(&rest), (String::new(), rest.clone()));
    }
}
