//! `spot-advisor-data.json`: for a region and a machine type, the band of the share of spot machines
//! that was reclaimed in the trailing month.

use crate::provider::FetchError;
use crate::provider::lenient::{Number, lenient_object};
use crate::provider::rows;
use serde::Deserialize;
use std::collections::BTreeMap;

lenient_object! { struct Band { r: Number, } }

#[derive(Deserialize)]
struct File {
    spot_advisor: BTreeMap<String, Systems>,
}

#[derive(Deserialize)]
struct Systems {
    #[serde(default, rename = "Linux")]
    linux: BTreeMap<String, Band>,
}

/// Bands by region and machine type. What is missing is unknown, not low.
#[derive(Debug, Default)]
pub(super) struct Advisor {
    bands: BTreeMap<String, BTreeMap<String, Band>>,
}

impl Advisor {
    pub(super) fn band(&self, region: &str, kind: &str) -> Option<u64> {
        self.bands.get(region)?.get(kind)?.r.whole()
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<Advisor, FetchError> {
    let file: File = rows::whole(bytes)?;
    let bands = file.spot_advisor.into_iter().map(|(region, s)| (region, s.linux)).collect();
    Ok(Advisor { bands })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_joined_by_region_and_type_and_a_missing_one_is_unknown() {
        let text = r#"{"ranges":[],"spot_advisor":{"us-east-1":{
            "Linux":{"g5.xlarge":{"s":59,"r":4},"p5.48xlarge":{"s":-62,"r":99}},
            "Windows":{"g6.xlarge":{"s":1,"r":0}}},"xx-1":{}}}"#;
        let advisor = read(text.as_bytes()).unwrap();
        assert_eq!(advisor.band("us-east-1", "g5.xlarge"), Some(4));
        assert_eq!(advisor.band("us-east-1", "g6.xlarge"), None);
        assert_eq!(advisor.band("eu-west-1", "g5.xlarge"), None);
        // An index that is none must not be taken for a band.
        let band = advisor.band("us-east-1", "p5.48xlarge").unwrap();
        assert!(crate::provider::terms::aws_hazard(band).is_none());
    }
}
