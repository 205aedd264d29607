//! Where an offer stands: the provider's own words, a country, a continent.

use super::country::{Continent, Country};
use super::{Text, region};

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

impl Place {
    /// A place in a country that is known, or not.
    pub fn new(raw: &str, country: Option<Country>) -> Place {
        Place { raw: Text::new(raw), country, continent: country.and_then(Country::continent) }
    }

    /// A place of which no more than the continent may be known.
    pub fn on(raw: &str, continent: Option<Continent>) -> Place {
        Place { raw: Text::new(raw), country: None, continent }
    }

    /// Vast.ai's `geolocation`: `Ontario, CA`, `, US`, `Norway`. After the comma, two letters are a
    /// country (`CA` is Canada; California is spelled out); else the last part is a country's name.
    pub fn vast(geolocation: &str) -> Place {
        let last = geolocation.rsplit(',').next().unwrap_or_default().trim();
        let country = Country::from_name(last);
        let raw = geolocation.trim().trim_start_matches(',').trim();
        Place::new(raw, country)
    }

    /// RunPod's data-centre id: `EU-RO-1`, `CA-MTL-3`, `US-DE-1` (which is Delaware).
    pub fn runpod(id: &str) -> Place {
        let parts: Vec<&str> = id.split('-').collect();
        let country = match parts.as_slice() {
            ["US", ..] => Country::from_code("US"),
            ["CA", ..] => Country::from_code("CA"),
            ["EU" | "EUR" | "AP" | "OC" | "SA" | "AF" | "ME", code, ..] => Country::from_name(code),
            _ => None,
        };
        let place = Place::new(id, country);
        let by_prefix = match parts.first() {
            Some(&("EU" | "EUR")) => Some(Continent::Europe),
            Some(&("AP" | "ME")) => Some(Continent::Asia),
            Some(&"OC") => Some(Continent::Oceania),
            Some(&"SA") => Some(Continent::SouthAmerica),
            Some(&"AF") => Some(Continent::Africa),
            _ => None,
        };
        Place { continent: place.continent.or(by_prefix), ..place }
    }

    /// Lambda's region: its code, and its description as `California, USA` where there is one.
    pub fn lambda(code: &str, description: &str) -> Place {
        let described = Place::vast(description).country;
        Place::new(code, described.or_else(|| region::lambda(code)))
    }

    /// A city and a country in words, as TensorDock has them.
    pub fn spelled(city: &str, country: &str) -> Place {
        let raw = match (city.trim(), country.trim()) {
            ("", country) => country.to_owned(),
            (city, "") => city.to_owned(),
            (city, country) => format!("{city}, {country}"),
        };
        Place::new(&raw, Country::from_name(country))
    }

    /// A region or zone of AWS, local zones included: `us-east-1`, `us-east-1-bue-1`.
    pub fn aws(code: &str) -> Place {
        Place::new(code, region::aws(code))
    }

    /// A region of Azure, by its ARM name: `westeurope`.
    pub fn azure(name: &str) -> Place {
        Place::new(name, region::azure(name))
    }

    /// A region or zone of Google Cloud: `europe-west4`, `us-central1-a`.
    pub fn gcp(code: &str) -> Place {
        Place::new(code, region::gcp(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(place: &Place) -> &str {
        place.country.as_ref().map_or("-", Country::code)
    }

    #[test]
    fn vasts_ca_is_canada_and_california_is_spelled_out() {
        for (text, country, raw) in [
            ("Ontario, CA", "CA", "Ontario, CA"),
            ("California, US", "US", "California, US"),
            (", US", "US", "US"),
            ("Norway", "NO", "Norway"),
            ("Czechia, CZ", "CZ", "Czechia, CZ"),
            ("Georgia, US", "US", "Georgia, US"),
            ("Moon base", "-", "Moon base"),
            ("", "-", ""),
        ] {
            let place = Place::vast(text);
            assert_eq!((code(&place), place.raw.as_str()), (country, raw), "{text}");
        }
        assert_eq!(Place::vast(", US").continent, Some(Continent::NorthAmerica));
    }

    #[test]
    fn runpods_delaware_is_not_germany() {
        for (id, country) in [
            ("US-DE-1", "US"),
            ("US-CA-2", "US"),
            ("CA-MTL-1", "CA"),
            ("EU-RO-1", "RO"),
            ("EUR-IS-2", "IS"),
            ("EUR-NO-1", "NO"),
            ("AP-JP-1", "JP"),
            ("OC-AU-1", "AU"),
            ("EU-XX-9", "-"),
        ] {
            assert_eq!(code(&Place::runpod(id)), country, "{id}");
        }
        assert_eq!(Place::runpod("EU-XX-9").continent, Some(Continent::Europe));
    }

    #[test]
    fn clouds_name_regions_each_in_their_own_way() {
        for (place, country) in [
            (Place::aws("eu-west-2"), "GB"),
            (Place::aws("us-east-1-bue-1"), "AR"),
            (Place::aws("us-west-2-lax-1"), "US"),
            (Place::azure("WestEurope"), "NL"),
            (Place::azure("sgxsingapore1"), "SG"),
            (Place::gcp("europe-west4-a"), "NL"),
            (Place::gcp("us-south1-ai1b"), "US"),
            (Place::lambda("europe-central-1", ""), "DE"),
            (Place::lambda("us-west-1", "California, USA"), "US"),
            (Place::spelled("Wilmington", "United States"), "US"),
            (Place::spelled("Oslo", "Norway"), "NO"),
        ] {
            assert_eq!(code(&place), country, "{}", place.raw);
        }
    }
}
