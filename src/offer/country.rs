//! Countries and continents (`assets/countries.txt`).

use serde::Serialize;
use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

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

    /// The country of an English name, or of a code that ISO lists: `Norway`, `USA`, `no`.
    pub fn from_name(name: &str) -> Option<Country> {
        let name = name.trim();
        let by_code = Country::from_code(name).filter(|c| atlas().continents.contains_key(c));
        by_code.or_else(|| atlas().names.get(&name.to_lowercase()).copied())
    }

    /// The code.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("??")
    }

    /// The continent that most of it lies on.
    pub fn continent(self) -> Option<Continent> {
        atlas().continents.get(&self).copied().flatten()
    }
}

/// All countries.
#[derive(Debug, Default)]
struct Atlas {
    continents: HashMap<Country, Option<Continent>>,
    names: HashMap<String, Country>,
}

fn atlas() -> &'static Atlas {
    static ATLAS: OnceLock<Atlas> = OnceLock::new();
    ATLAS.get_or_init(|| {
        let mut atlas = Atlas::default();
        for line in include_str!("../../assets/countries.txt").lines() {
            let mut parts = line.splitn(3, ' ');
            let code = parts.next().and_then(Country::from_code);
            let (Some(country), Some(continent), Some(names)) = (code, parts.next(), parts.next())
            else {
                continue;
            };
            atlas.continents.insert(country, Continent::from_code(continent));
            atlas.names.extend(names.split('|').map(|name| (name.to_lowercase(), country)));
        }
        atlas
    })
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

    /// The continent of a code: `eu`.
    pub fn from_code(code: &str) -> Option<Continent> {
        Continent::ALL.into_iter().find(|c| c.code().eq_ignore_ascii_case(code))
    }

    /// The continent of an English name, as providers write it: `Europe`, `North America`.
    pub fn from_name(name: &str) -> Option<Continent> {
        Some(match name.trim().to_ascii_lowercase().replace(['_', '-'], " ").as_str() {
            "europe" | "eu" | "eur" => Continent::Europe,
            "north america" => Continent::NorthAmerica,
            "south america" => Continent::SouthAmerica,
            "asia" | "asia pacific" => Continent::Asia,
            "africa" => Continent::Africa,
            "oceania" | "australia" => Continent::Oceania,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countries_go_by_code_and_by_name() {
        for (name, code, continent) in [
            ("Norway", "NO", Continent::Europe),
            ("no", "NO", Continent::Europe),
            ("United States", "US", Continent::NorthAmerica),
            ("USA", "US", Continent::NorthAmerica),
            ("United Kingdom", "GB", Continent::Europe),
            ("South Korea", "KR", Continent::Asia),
            ("Czechia", "CZ", Continent::Europe),
            ("Brazil", "BR", Continent::SouthAmerica),
            ("Australia", "AU", Continent::Oceania),
            ("South Africa", "ZA", Continent::Africa),
        ] {
            let country = Country::from_name(name).unwrap();
            assert_eq!((country.code(), country.continent()), (code, Some(continent)), "{name}");
        }
        assert_eq!(Country::from_name("Atlantis"), None);
        assert_eq!(Country::from_name("XX"), None);
    }

    #[test]
    fn the_table_is_whole() {
        assert_eq!(atlas().continents.len(), 249);
        let without = atlas().continents.values().filter(|c| c.is_none()).count();
        assert_eq!(without, 4, "Antarctica and its islands");
    }
}
