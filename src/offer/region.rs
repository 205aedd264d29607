//! The countries of the clouds' regions, by the longest beginning of their codes.
//!
//! Sources: the providers' lists of regions (AWS locations file and local zones, Azure geographies,
//! Google Cloud locations, Lambda's regions), as of 2026-12-01.

use super::country::Country;

/// The country of the longest prefix that `code` begins with.
fn longest(code: &str, table: &[(&str, &str)]) -> Option<Country> {
    let code = code.trim().to_ascii_lowercase();
    let best = table.iter().filter(|(p, _)| code.starts_with(p)).max_by_key(|(p, _)| p.len());
    best.and_then(|(_, country)| Country::from_code(country))
}

pub(super) fn aws(code: &str) -> Option<Country> {
    longest(code, AWS)
}

pub(super) fn azure(name: &str) -> Option<Country> {
    longest(&name.replace([' ', '-'], ""), AZURE)
}

pub(super) fn gcp(code: &str) -> Option<Country> {
    longest(code, GCP)
}

pub(super) fn lambda(code: &str) -> Option<Country> {
    longest(code, LAMBDA)
}

/// Regions; and the local zones that stand in another country than their region.
const AWS: &[(&str, &str)] = &[
    ("us-", "US"),
    ("us-east-1-bue", "AR"),
    ("us-east-1-lim", "PE"),
    ("us-east-1-qro", "MX"),
    ("us-east-1-scl", "CL"),
    ("ca-", "CA"),
    ("mx-", "MX"),
    ("sa-east-1", "BR"),
    ("eu-west-1", "IE"),
    ("eu-west-2", "GB"),
    ("eu-west-3", "FR"),
    ("eu-central-1", "DE"),
    ("eu-central-1-waw", "PL"),
    ("eu-central-2", "CH"),
    ("eu-north-1", "SE"),
    ("eu-north-1-cph", "DK"),
    ("eu-north-1-hel", "FI"),
    ("eu-south-1", "IT"),
    ("eu-south-2", "ES"),
    ("eusc-de", "DE"),
    ("ap-northeast-1", "JP"),
    ("ap-northeast-1-tpe", "TW"),
    ("ap-northeast-2", "KR"),
    ("ap-northeast-3", "JP"),
    ("ap-southeast-1", "SG"),
    ("ap-southeast-1-bkk", "TH"),
    ("ap-southeast-1-mnl", "PH"),
    ("ap-southeast-2", "AU"),
    ("ap-southeast-2-akl", "NZ"),
    ("ap-southeast-3", "ID"),
    ("ap-southeast-4", "AU"),
    ("ap-southeast-5", "MY"),
    ("ap-southeast-6", "NZ"),
    ("ap-southeast-7", "TH"),
    ("ap-south-", "IN"),
    ("ap-east-1", "HK"),
    ("ap-east-2", "TW"),
    ("af-south-1", "ZA"),
    ("af-south-1-los", "NG"),
    ("me-south-1", "BH"),
    ("me-south-1-mct", "OM"),
    ("me-central-1", "AE"),
    ("il-central-1", "IL"),
    ("cn-", "CN"),
];

const AZURE: &[(&str, &str)] = &[
    ("eastus", "US"),
    ("westus", "US"),
    ("centralus", "US"),
    ("northcentralus", "US"),
    ("southcentralus", "US"),
    ("westcentralus", "US"),
    ("southeastus", "US"),
    ("northeastus", "US"),
    ("southwestus", "US"),
    ("usgov", "US"),
    ("usdod", "US"),
    ("att", "US"),
    ("canada", "CA"),
    ("mexico", "MX"),
    ("brazil", "BR"),
    ("chile", "CL"),
    ("northeurope", "IE"),
    ("westeurope", "NL"),
    ("uk", "GB"),
    ("france", "FR"),
    ("germany", "DE"),
    ("delos", "DE"),
    ("norway", "NO"),
    ("sweden", "SE"),
    ("denmark", "DK"),
    ("finland", "FI"),
    ("switzerland", "CH"),
    ("poland", "PL"),
    ("italy", "IT"),
    ("spain", "ES"),
    ("austria", "AT"),
    ("belgium", "BE"),
    ("greece", "GR"),
    ("eastasia", "HK"),
    ("southeastasia", "SG"),
    ("sgx", "SG"),
    ("japan", "JP"),
    ("korea", "KR"),
    ("centralindia", "IN"),
    ("southindia", "IN"),
    ("westindia", "IN"),
    ("southcentralindia", "IN"),
    ("jioindia", "IN"),
    ("india", "IN"),
    ("australia", "AU"),
    ("newzealand", "NZ"),
    ("malaysia", "MY"),
    ("southeastasia3", "MY"),
    ("indonesia", "ID"),
    ("taiwan", "TW"),
    ("thailand", "TH"),
    ("uae", "AE"),
    ("qatar", "QA"),
    ("israel", "IL"),
    ("saudi", "SA"),
    ("southafrica", "ZA"),
    ("china", "CN"),
];

const GCP: &[(&str, &str)] = &[
    ("us-", "US"),
    ("northamerica-northeast", "CA"),
    ("northamerica-south1", "MX"),
    ("southamerica-east1", "BR"),
    ("southamerica-west1", "CL"),
    ("europe-west1", "BE"),
    ("europe-west10", "DE"),
    ("europe-west12", "IT"),
    ("europe-west2", "GB"),
    ("europe-west3", "DE"),
    ("europe-west4", "NL"),
    ("europe-west6", "CH"),
    ("europe-west8", "IT"),
    ("europe-west9", "FR"),
    ("europe-central2", "PL"),
    ("europe-north1", "FI"),
    ("europe-north2", "SE"),
    ("europe-southwest1", "ES"),
    ("asia-east1", "TW"),
    ("asia-east2", "HK"),
    ("asia-northeast1", "JP"),
    ("asia-northeast2", "JP"),
    ("asia-northeast3", "KR"),
    ("asia-south", "IN"),
    ("asia-southeast1", "SG"),
    ("asia-southeast2", "ID"),
    ("asia-southeast3", "TH"),
    ("australia-", "AU"),
    ("me-west1", "IL"),
    ("me-central1", "QA"),
    ("me-central2", "SA"),
    ("africa-south1", "ZA"),
];

const LAMBDA: &[(&str, &str)] = &[
    ("us-", "US"),
    ("europe-central-1", "DE"),
    ("europe-south-1", "IT"),
    ("me-west-1", "IL"),
    ("asia-northeast-", "JP"),
    ("asia-south-1", "IN"),
    ("australia-", "AU"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_a_country_and_no_prefix_comes_twice() {
        for table in [AWS, AZURE, GCP, LAMBDA] {
            let mut prefixes: Vec<&str> = table.iter().map(|(p, _)| *p).collect();
            prefixes.sort_unstable();
            let all = prefixes.len();
            prefixes.dedup();
            assert_eq!(prefixes.len(), all);
            for (prefix, code) in table {
                assert!(Country::from_name(code).is_some(), "{prefix}: {code}");
            }
        }
    }

    #[test]
    fn asia_southeast_is_not_asia_south() {
        assert_eq!(gcp("asia-southeast1-b").map(|c| c.to_string()).as_deref(), Some("SG"));
        assert_eq!(gcp("asia-south2").map(|c| c.to_string()).as_deref(), Some("IN"));
    }
}
