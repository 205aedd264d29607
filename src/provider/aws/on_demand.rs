//! The on-demand list of one region: `…/ec2-ondemand-without-sec-sel/{location}/Linux/index.json`.

use crate::provider::FetchError;
use crate::provider::lenient::{Code, Number, lenient_object};
use crate::provider::rows;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

lenient_object! { struct Manifest { currency = "currencyCode": Code, } }
lenient_object! {
    struct Row {
        price: Number,
        kind = "Instance Type": Code,
        system = "Operating System": Code,
        software = "Pre Installed S/W": Code,
    }
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    manifest: Manifest,
    regions: BTreeMap<String, BTreeMap<String, Row>>,
}

/// Regions, and the names under which their lists are published.
pub(super) fn locations() -> &'static BTreeMap<&'static str, &'static str> {
    static NAMES: OnceLock<BTreeMap<&'static str, &'static str>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let lines = include_str!("../../../assets/aws-regions.csv").lines();
        lines.filter(|l| !l.starts_with('#')).skip(1).filter_map(|l| l.split_once(',')).collect()
    })
}

/// The name under which a region's list is published.
pub(super) fn location(region: &str) -> Option<&'static str> {
    locations().get(region).copied()
}

/// The path of a location's list; blanks and brackets are escaped, as in the original.
pub(super) fn path(location: &str) -> String {
    let mut escaped = String::new();
    for b in location.bytes() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => escaped.push(b as char),
            _ => escaped.extend(["%".to_string(), format!("{b:02X}")]),
        }
    }
    format!(
        "/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2-ondemand-without-sec-sel/{escaped}/Linux/index.json"
    )
}

/// What the list of a region holds.
#[derive(Debug, Default, PartialEq)]
pub(super) struct List {
    /// $/h by machine type: Linux, nothing installed.
    pub(super) prices: BTreeMap<String, f64>,
    /// Types that stand there at several prices; the highest counts.
    pub(super) conflicts: BTreeSet<String>,
}

/// Reads the list of `region`. Another currency is refused, not converted, and so is the list of
/// another region.
pub(super) fn read(bytes: &[u8], region: &str) -> Result<List, FetchError> {
    let mut file: File = rows::whole(bytes)?;
    let currency = file.manifest.currency.as_str();
    if !matches!(currency, "USD" | "") {
        return Err(FetchError::Unreadable("its prices are not in US dollars".to_string()));
    }
    let own = location(region).and_then(|name| file.regions.remove(name));
    let own = own.ok_or_else(|| FetchError::Unreadable("it is not of this region".to_string()))?;
    let mut list = List::default();
    for row in own.into_values() {
        let plain = matches!(row.system.as_str(), "Linux" | "")
            && matches!(row.software.as_str(), "NA" | "");
        let price = row.price.above_zero(100_000.0).filter(|_| plain);
        let (Some(price), Some(kind)) = (price, row.kind.0) else { continue };
        let known = list.prices.entry(kind.clone()).or_insert(price);
        if (*known / price - 1.0).abs() > 1e-6 {
            list.conflicts.insert(kind);
        }
        *known = known.max(price);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_a_region_is_found_and_read() {
        assert_eq!(location("eu-central-1"), Some("EU (Frankfurt)"));
        assert_eq!(location("moon-1"), None);
        assert!(path("US East (N. Virginia)").contains("/US%20East%20%28N.%20Virginia%29/Linux/"));
        let text = r#"{"manifest":{"currencyCode":"USD"},"regions":{"US East (N. Virginia)":{
            "a":{"price":"1.0060000000","Instance Type":"g5.xlarge","Operating System":"Linux","Pre Installed S/W":"NA"},
            "b":{"price":"9.0","Instance Type":"g5.2xlarge","Operating System":"Windows","Pre Installed S/W":"NA"},
            "c":{"price":"0.0000000000","Instance Type":"p4d.24xlarge","Operating System":"Linux","Pre Installed S/W":"NA"}}}}"#;
        let list = read(text.as_bytes(), "us-east-1").unwrap();
        assert_eq!(list.prices, BTreeMap::from([("g5.xlarge".to_string(), 1.006)]));
        assert!(list.conflicts.is_empty());
    }

    #[test]
    fn a_list_of_another_region_is_refused() {
        let text = r#"{"manifest":{"currencyCode":"USD"},"regions":{"Europe (Spain)":{}}}"#;
        let error = read(text.as_bytes(), "us-east-1").unwrap_err();
        assert!(matches!(error, FetchError::Unreadable(_)), "{error}");
    }

    /// Whichever comes last.
    #[test]
    fn of_two_prices_for_one_type_the_higher_counts_and_it_is_said() {
        let row = |price: &str| {
            format!(
                r#"{{"price":"{price}","Instance Type":"p4d.24xlarge","Operating System":"Linux","Pre Installed S/W":"NA"}}"#
            )
        };
        for (a, b) in [("21.957642", "32.77"), ("32.77", "21.957642")] {
            let rows = format!(r#"{{"a":{},"b":{}}}"#, row(a), row(b));
            let text = format!(
                r#"{{"manifest":{{"currencyCode":"USD"}},"regions":{{"US East (N. Virginia)":{rows}}}}}"#
            );
            let list = read(text.as_bytes(), "us-east-1").unwrap();
            assert_eq!(list.prices.get("p4d.24xlarge"), Some(&32.77));
            assert!(list.conflicts.contains("p4d.24xlarge"));
        }
    }

    #[test]
    fn another_currency_is_refused() {
        let text = r#"{"manifest":{"currencyCode":"CNY"},"regions":{}}"#;
        assert!(matches!(read(text.as_bytes(), "us-east-1"), Err(FetchError::Unreadable(_))));
    }
}
