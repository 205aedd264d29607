//! Members of JSON objects as providers really send them: a number may come as text, as null, or
//! not at all; what is of another kind counts as not said. Nothing here ever fails on a type.

use crate::offer::Text;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A number, or text that is one. Never NaN, never infinite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Number(pub Option<f64>);

impl Number {
    /// The number, if it lies between 0 and `most`: what is outside is no figure of this world.
    pub fn up_to(self, most: f64) -> Option<f64> {
        self.0.filter(|v| (0.0..=most).contains(v))
    }

    /// As [`Number::up_to`], and not zero.
    pub fn above_zero(self, most: f64) -> Option<f64> {
        self.up_to(most).filter(|v| *v > 0.0)
    }

    /// A whole number that f64 holds exactly: an id or a count.
    pub fn whole(self) -> Option<u64> {
        self.up_to(9_007_199_254_740_992.0).filter(|v| v.fract() == 0.0).map(|v| v as u64)
    }
}

/// Text, cleaned; with a note whether something dangerous had to go.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    /// The text; empty counts as not said.
    pub text: Option<Text>,
    /// Something had to go.
    pub cleaned: bool,
}

impl Words {
    /// The text, or nothing.
    pub fn as_str(&self) -> &str {
        self.text.as_ref().map_or("", Text::as_str)
    }
}

/// Yes or no.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flag(pub Option<bool>);

/// Visitor methods for values that hold nothing of use.
macro_rules! none_of {
    ($nothing:expr) => {
        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
}

macro_rules! lenient {
    ($name:ident, $visitor:ident, { $($method:ident($value:ident: $type:ty) => $result:expr;)* }) => {
        struct $visitor;

        impl<'de> Visitor<'de> for $visitor {
            type Value = $name;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            $(fn $method<E: Error>(self, $value: $type) -> Result<$name, E> {
                Ok($result)
            })*

            fn visit_unit<E: Error>(self) -> Result<$name, E> {
                Ok($name::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<$name, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok($name::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok($name::default())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($visitor)
            }
        }
    };
}

lenient!(Number, NumberVisitor, {
    visit_f64(v: f64) => Number(Some(v).filter(|v| v.is_finite()));
    visit_i64(v: i64) => Number(Some(v as f64));
    visit_u64(v: u64) => Number(Some(v as f64));
    visit_bool(_v: bool) => Number(None);
    visit_str(v: &str) => Number(number(v));
});

lenient!(Words, WordsVisitor, {
    visit_f64(_v: f64) => Words::default();
    visit_i64(_v: i64) => Words::default();
    visit_u64(_v: u64) => Words::default();
    visit_bool(_v: bool) => Words::default();
    visit_str(v: &str) => words(v);
});

lenient!(Flag, FlagVisitor, {
    visit_f64(v: f64) => Flag(if v == 1.0 { Some(true) } else if v == 0.0 { Some(false) } else { None });
    visit_i64(v: i64) => Flag(if v == 1 { Some(true) } else if v == 0 { Some(false) } else { None });
    visit_u64(v: u64) => Flag(if v == 1 { Some(true) } else if v == 0 { Some(false) } else { None });
    visit_bool(v: bool) => Flag(Some(v));
    visit_str(v: &str) => Flag(flag(v));
});

/// Text that is not shown but used: a link, a code. Not cleaned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code(pub Option<String>);

impl Code {
    /// The text without blanks around it, or nothing.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().map_or("", str::trim)
    }
}

lenient!(Code, CodeVisitor, {
    visit_f64(_v: f64) => Code(None);
    visit_i64(_v: i64) => Code(None);
    visit_u64(_v: u64) => Code(None);
    visit_bool(_v: bool) => Code(None);
    visit_str(v: &str) => Code(Some(v.to_string()));
});

/// A list of objects; elements that are none are counted and left out, and what is no list is an
/// empty one.
#[derive(Clone, Debug, PartialEq)]
pub struct Many<T> {
    /// The objects.
    pub list: Vec<T>,
    /// Elements that were none.
    pub rejected: usize,
}

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self { list: Vec::new(), rejected: 0 }
    }
}

/// Anything: an object if it is one.
struct Maybe<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Many<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
            type Value = Many<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Many<T>, A::Error> {
                let mut many = Many::default();
                while let Some(Maybe(item)) = items.next_element::<Maybe<T>>()? {
                    match item {
                        Some(item) => many.list.push(item),
                        None => many.rejected += 1,
                    }
                }
                Ok(many)
            }
            none_of!(Many::default());
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Many<T>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Many::default())
            }
        }
        deserializer.deserialize_any(ListVisitor(std::marker::PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ItemVisitor<T> {
            type Value = Maybe<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Maybe<T>, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Maybe(None))
            }
            none_of!(Maybe(None));
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Maybe<T>, A::Error> {
                let object = serde::de::value::MapAccessDeserializer::new(map);
                T::deserialize(object).map(|item| Maybe(Some(item)))
            }
        }
        deserializer.deserialize_any(ItemVisitor(std::marker::PhantomData))
    }
}

/// A decimal number in text; no `inf`, no `nan`.
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain =
        text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E'));
    if !plain {
        return None;
    }
    text.parse::<f64>().ok().filter(|v| v.is_finite())
}

fn words(raw: &str) -> Words {
    let (text, cleaned) = Text::clean(raw);
    Words { text: Some(text).filter(|t| !t.is_empty()), cleaned }
}

fn flag(text: &str) -> Option<bool> {
    match text.trim() {
        t if t.eq_ignore_ascii_case("true") => Some(true),
        t if t.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// A JSON object of lenient members. Unknown members are passed over; of a member that comes twice
/// the last counts (serde's own derive refuses such objects, and providers send them).
macro_rules! lenient_object {
    ($(#[$doc:meta])* $vis:vis struct $name:ident { $($field:ident $(= $json:literal)?: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $vis struct $name { $($vis $field: $type,)* }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(serde::Deserialize)]
                #[serde(field_identifier)]
                #[expect(non_camel_case_types, reason = "named as the members are")]
                enum Member {
                    $($(#[serde(rename = $json)])? $field,)*
                    #[serde(other)]
                    Other,
                }

                struct Members;

                impl<'de> serde::de::Visitor<'de> for Members {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> Result<$name, A::Error> {
                        let mut object = $name::default();
                        while let Some(member) = map.next_key::<Member>()? {
                            match member {
                                $(Member::$field => object.$field = map.next_value()?,)*
                                Member::Other => { map.next_value::<serde::de::IgnoredAny>()?; }
                            }
                        }
                        Ok(object)
                    }
                }

                deserializer.deserialize_map(Members)
            }
        }
    };
}

pub(super) use {lenient_object, none_of};

#[cfg(test)]
mod tests {
    use super::*;

    fn number_in(json: &str) -> Option<f64> {
        serde_json::from_str::<Number>(json).unwrap().0
    }

    #[test]
    fn numbers_come_as_numbers_or_as_text_and_nothing_else_is_one() {
        assert_eq!(number_in("12.5"), Some(12.5));
        assert_eq!(number_in("\" 0.3206 \""), Some(0.3206));
        assert_eq!(number_in("\"9.0E-4\""), Some(0.0009));
        for none in ["null", "true", "[1]", "{\"a\":1}", "\"\"", "\"N/A*\"", "\"NaN\"", "\"inf\""] {
            assert_eq!(number_in(none), None, "{none}");
        }
    }

    #[test]
    fn figures_out_of_this_world_are_not_said() {
        assert_eq!(Number(Some(-1.0)).up_to(10.0), None);
        assert_eq!(Number(Some(1e308)).up_to(1e6), None);
        assert_eq!(Number(Some(0.0)).up_to(10.0), Some(0.0));
        assert_eq!(Number(Some(0.0)).above_zero(10.0), None);
        assert_eq!(Number(Some(1.5)).whole(), None);
    }

    #[test]
    fn text_is_cleaned_at_the_door() {
        let words: Words = serde_json::from_str(r#""\u001b[31mRED""#).unwrap();
        assert_eq!(words.as_str(), "[31mRED");
        assert!(words.cleaned);
        assert_eq!(serde_json::from_str::<Words>("17").unwrap(), Words::default());
    }

    lenient_object! {
        struct Pair { a: Number, b = "second": Words, }
    }

    #[test]
    fn of_a_member_that_comes_twice_the_last_counts() {
        let pair: Pair =
            serde_json::from_str(r#"{"a":1,"x":{"a":[]},"a":"2","second":"z"}"#).unwrap();
        assert_eq!(pair.a, Number(Some(2.0)));
        assert_eq!(pair.b.as_str(), "z");
        assert!(serde_json::from_str::<Pair>("[1]").is_err());
    }
}
