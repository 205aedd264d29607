//! Where an offer stands: the provider's own words, a country, a continent.

use super::Text;
use serde::Serialize;
use std::fmt;

/// An ISO 3166-1 alpha-2 code in capitals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country([u8; 2]);

impl Country {
    /// The country of a two-letter code, in whatever case.
    pub fn from_code(code: &str) -> Option<Country> {
        match code.as_bytes() {
            [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
                Some(Country([a.to_ascii_uppercase(), b.to_ascii_uppercase()]))
            }
            _ => None,
        }
    }

    /// The code.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("??")
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Country {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// A continent, as the region filter names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Continent {
    /// `na`
    #[serde(rename = "na")]
    NorthAmerica,
    /// `sa`
    #[serde(rename = "sa")]
    SouthAmerica,
    /// `eu`
    #[serde(rename = "eu")]
    Europe,
    /// `as`
    #[serde(rename = "as")]
    Asia,
    /// `af`
    #[serde(rename = "af")]
    Africa,
    /// `oc`
    #[serde(rename = "oc")]
    Oceania,
}

impl Continent {
    /// All of them.
    pub const ALL: [Continent; 6] = [
        Continent::NorthAmerica,
        Continent::SouthAmerica,
        Continent::Europe,
        Continent::Asia,
        Continent::Africa,
        Continent::Oceania,
    ];

    /// The code used in queries and JSON.
    pub const fn code(self) -> &'static str {
        match self {
            Continent::NorthAmerica => "na",
            Continent::SouthAmerica => "sa",
            Continent::Europe => "eu",
            Continent::Asia => "as",
            Continent::Africa => "af",
            Continent::Oceania => "oc",
        }
    }
}

/// Where an offer stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    /// The provider's own code or words.
    pub raw: Text,
    /// The country, where it can be told.
    pub country: Option<Country>,
    /// The continent, where it can be told.
    pub continent: Option<Continent>,
}
