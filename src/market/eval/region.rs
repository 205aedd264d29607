//! The region language: continents, countries, and whatever the provider calls the place.

use super::Answer;
use crate::market::query::Pattern;
use crate::offer::{Continent, Country};

/// What a pattern means.
enum Region {
    Continent(Continent),
    /// By its code.
    Country(Country),
    /// By its name, which may also be a word of the provider's own: `Georgia, US`.
    Named(Country),
    Words,
}

/// `eu`, `na`, … and their names are continents, two other letters are a country, and so is a
/// country's name; anything else is a word of the provider's own. (`sa`, `na`, `as` and `af` are
/// always continents; the countries of these codes are reached by `country:`.)
fn meaning(pattern: &Pattern) -> Region {
    let text = pattern.text();
    if pattern.is_glob() {
        return Region::Words;
    }
    if let Some(continent) = Continent::from_code(text) {
        return Region::Continent(continent);
    }
    if let Some(country) = country(text) {
        return Region::Country(country);
    }
    let spaced = text.replace(['_', '-'], " ");
    let named = Country::from_name(&spaced).map(Region::Named);
    named.or_else(|| Continent::from_name(&spaced).map(Region::Continent)).unwrap_or(Region::Words)
}

/// The country of a code; `uk` is Great Britain.
pub(super) fn country(code: &str) -> Option<Country> {
    if code.eq_ignore_ascii_case("uk") {
        Country::from_code("GB")
    } else {
        Country::from_code(code)
    }
}

/// Is the place there?
pub(super) fn answer(
    pattern: &Pattern,
    exact: bool,
    (raw, at_country, at_continent): (&str, Option<Country>, Option<Continent>),
) -> Answer {
    let nothing_stated = raw.is_empty() && at_country.is_none() && at_continent.is_none();
    let words = || if exact { pattern.is(raw) } else { pattern.is_beside_in(raw) };
    let same = |c: Country, wanted| Answer::from_bool(c == wanted);
    match meaning(pattern) {
        Region::Continent(wanted) => {
            at_continent.map_or(Answer::Unknown, |c| Answer::from_bool(c == wanted))
        }
        Region::Country(wanted) => at_country.map_or(Answer::Unknown, |c| same(c, wanted)),
        Region::Named(_) if words() => Answer::Yes,
        Region::Named(wanted) => at_country.map_or(Answer::Unknown, |c| same(c, wanted)),
        Region::Words if nothing_stated => Answer::Unknown,
        Region::Words => {
            let country = at_country.is_some_and(|c| pattern.is(c.code()));
            Answer::from_bool(country || words())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(pattern: &str, raw: &str, code: Option<&str>, continent: Option<Continent>) -> Answer {
        let place = (raw, code.and_then(Country::from_code), continent);
        answer(&Pattern::bare(pattern), false, place)
    }

    #[test]
    fn continents_countries_and_own_codes() {
        let frankfurt = ("eu-central-1", Some("DE"), Some(Continent::Europe));
        let delaware = ("US-DE-1", Some("US"), Some(Continent::NorthAmerica));
        let asked = |p: &str, (raw, code, continent)| ask(p, raw, code, continent);
        assert_eq!(asked("eu", frankfurt), Answer::Yes);
        assert_eq!(asked("europe", frankfurt), Answer::Yes);
        assert_eq!(asked("de", frankfurt), Answer::Yes);
        assert_eq!(asked("DE", delaware), Answer::No);
        assert_eq!(asked("us-de-1", delaware), Answer::Yes);
        assert_eq!(asked("eu-central-1", frankfurt), Answer::Yes);
        assert_eq!(asked("eu-*", frankfurt), Answer::Yes);
        assert_eq!(ask("uk", "London", Some("GB"), Some(Continent::Europe)), Answer::Yes);
        assert_eq!(ask("california", "California, US", Some("US"), None), Answer::Yes);
        assert_eq!(ask("CA", "California, US", Some("US"), None), Answer::No);
        let us = |raw| ask("us-east-1", raw, Some("US"), Some(Continent::NorthAmerica));
        assert_eq!(us("us-east-1"), Answer::Yes);
        for other in ["us-east-2", "us-east-2-mci-1", "us-gov-east-1"] {
            assert_eq!(us(other), Answer::No, "{other}");
        }
        assert_eq!(asked("germany", frankfurt), Answer::Yes);
        assert_eq!(asked("germany", delaware), Answer::No);
        assert_eq!(ask("georgia", "Georgia, US", Some("US"), None), Answer::Yes);
        let africa = Some(Continent::Africa);
        assert_eq!(ask("south_africa", "Johannesburg", Some("ZA"), africa), Answer::Yes);
        assert_eq!(ask("australia", "Sydney", Some("AU"), Some(Continent::Oceania)), Answer::Yes);
        assert_eq!(ask("australia", "Auckland", Some("NZ"), Some(Continent::Oceania)), Answer::No);
    }

    #[test]
    fn a_place_that_nobody_names_is_unknown_and_not_elsewhere() {
        assert_eq!(ask("CN", "", None, None), Answer::Unknown);
        assert_eq!(ask("eu", "somewhere", None, None), Answer::Unknown);
        assert_eq!(ask("us-east-1", "", None, None), Answer::Unknown);
        assert_eq!(ask("us-east-1", "somewhere", None, None), Answer::No);
    }
}
