//! `spot.json`: $/h for a machine type in a region, Linux, over all its zones.

use crate::provider::FetchError;
use crate::provider::lenient::{Code, Many, Number, lenient_object};
use crate::provider::rows;
use std::collections::BTreeMap;

lenient_object! { struct File { config: Config, } }
lenient_object! { struct Config { regions: Many<Region>, } }
lenient_object! { struct Region { region: Code, kinds = "instanceTypes": Many<Kinds>, } }
lenient_object! { struct Kinds { sizes: Many<Size>, } }
lenient_object! { struct Size { size: Code, columns = "valueColumns": Many<Column>, } }
lenient_object! { struct Column { name: Code, prices: Prices, } }
lenient_object! { struct Prices { usd = "USD": Number, } }

/// Prices by region and machine type.
#[derive(Debug, Default)]
pub(super) struct Spot {
    pub(super) prices: BTreeMap<(String, String), f64>,
}

/// Reads the file. `N/A*` is no price, and neither is zero.
pub(super) fn read(bytes: &[u8]) -> Result<Spot, FetchError> {
    let file: File = rows::whole(bytes)?;
    let mut prices = BTreeMap::new();
    for region in file.config.regions.list {
        for size in region.kinds.list.into_iter().flat_map(|k| k.sizes.list) {
            let linux = size.columns.list.iter().find(|c| c.name.as_str() == "linux");
            let price = linux.and_then(|c| c.prices.usd.above_zero(100_000.0));
            if let Some(price) = price {
                let key = (region.region.as_str().to_string(), size.size.as_str().to_string());
                prices.insert(key, price);
            }
        }
    }
    Ok(Spot { prices })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linux_prices_are_taken_and_what_is_none_is_not() {
        let text = r#"{"vers":0.01,"config":{"rate":"perhr","regions":[{"region":"us-east-1","instanceTypes":[
            {"type":"gpuCurrentGen","sizes":[
              {"size":"g5.xlarge","valueColumns":[{"name":"mswin","prices":{"USD":"0.9"}},{"name":"linux","prices":{"USD":"0.5179"}}]},
              {"size":"p5e.48xlarge","valueColumns":[{"name":"linux","prices":{"USD":"N/A*"}}]},
              null, 7,
              {"size":"t2.nano","valueColumns":[{"name":"linux","prices":{"USD":"9.0E-4"}}]}]}]}, []]}}"#;
        let spot = read(text.as_bytes()).unwrap();
        let price = |kind: &str| spot.prices.get(&("us-east-1".to_string(), kind.to_string()));
        assert_eq!(price("g5.xlarge"), Some(&0.5179));
        assert_eq!(price("t2.nano"), Some(&0.0009));
        assert_eq!(price("p5e.48xlarge"), None);
        assert!(read(b"<Error>").is_err());
    }
}
