//! The on-demand list of one region: `…/ec2-ondemand-without-sec-sel/{location}/Linux/index.json`.

use crate::provider::FetchError;
use crate::provider::lenient::{Code, Number, lenient_object};
use crate::provider::rows;
use serde::Deserialize;
use std::collections::BTreeMap;
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

/// The name under which a region's list is published.
pub(super) fn location(region: &str) -> Option<&'static str> {
    static NAMES: OnceLock<BTreeMap<&'static str, &'static str>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let lines = include_str!("../../../assets/aws-regions.csv").lines();
        lines.filter(|l| !l.starts_with('#')).skip(1).filter_map(|l| l.split_once(',')).collect()
    });
    names.get(region).copied()
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

/// $/h by machine type: Linux, nothing installed. Another currency is refused, not converted.
pub(super) fn read(bytes: &[u8]) -> Result<BTreeMap<String, f64>, FetchError> {
    let file: File = rows::whole(bytes)?;
    let currency = file.manifest.currency.as_str();
    if !matches!(currency, "USD" | "") {
        return Err(FetchError::Unreadable("its prices are not in US dollars".to_string()));
    }
    let mut prices = BTreeMap::new();
    for row in file.regions.into_values().flat_map(BTreeMap::into_values) {
        let plain = matches!(row.system.as_str(), "Linux" | "")
            && matches!(row.software.as_str(), "NA" | "");
        let price = row.price.above_zero(100_000.0).filter(|_| plain);
        if let (Some(price), Some(kind)) = (price, row.kind.0) {
            prices.insert(kind, price);
        }
    }
    Ok(prices)
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
        let prices = read(text.as_bytes()).unwrap();
        assert_eq!(prices, BTreeMap::from([("g5.xlarge".to_string(), 1.006)]));
    }

    #[test]
    fn another_currency_is_refused() {
        let text = r#"{"manifest":{"currencyCode":"CNY"},"regions":{}}"#;
        assert!(matches!(read(text.as_bytes()), Err(FetchError::Unreadable(_))));
    }
}
