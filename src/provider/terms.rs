//! What the three large clouds charge besides the hours, and how often they take spot machines
//! away. Every figure with its date and source; where no source names a region's figure it is
//! unknown, not assumed. GB as each cloud counts it on its bill.

use crate::offer::{Fees, Hazard};
use crate::units::{Hours, PerHour, Range, UsdPerGb, UsdPerGbMonth};

/// Hours in which the shares below are counted.
const MONTH: f64 = 720.0;
const DAY: f64 = 24.0;

/// AWS: volume gp3, 0.08 $ per GB-month in the regions of the United States that have the same list
/// price; traffic out to the internet, first tier (to 10 TB a month) by region; traffic in free;
/// per second with a minimum of one minute; volumes cost the same while the machine is stopped.
/// Sources: AWS price list as kept in Infracost's reference files (2024-09) and SkyPilot (2026).
pub fn aws_fees(region: &str) -> Fees {
    let storage = matches!(region, "us-east-1" | "us-east-2" | "us-west-2").then_some(0.08);
    let egress = match region {
        "ap-southeast-1" | "ap-east-1" => Some(0.12),
        "ap-northeast-1" | "ap-northeast-3" | "ap-southeast-2" => Some(0.114),
        "ap-northeast-2" => Some(0.126),
        "ap-south-1" | "ap-south-2" => Some(0.1093),
        "ap-southeast-5" => Some(0.108),
        "sa-east-1" => Some(0.15),
        "af-south-1" => Some(0.154),
        "il-central-1" => Some(0.11),
        "me-south-1" => Some(0.117),
        r if ["us-gov-"].iter().any(|p| r.starts_with(p)) => Some(0.155),
        r if ["us-", "ca-", "eu-"].iter().any(|p| r.starts_with(p)) => Some(0.09),
        _ => None,
    };
    fees(storage, egress, Hours::from_minutes(1.0))
}

/// Google: pd-balanced 0.10 $ per GiB-month in us-central1 (price page, 2026-08); premium tier to
/// the internet, first TiB, 0.12 $ (Australia 0.19); traffic in free; per second after one minute.
pub fn gcp_fees(region: &str) -> Fees {
    let storage = (region == "us-central1").then_some(0.10);
    let egress = if region.starts_with("australia-") { 0.19 } else { 0.12 };
    fees(storage, Some(egress), Hours::from_minutes(1.0))
}

/// Azure: premium SSD of the smallest useful tier (P4, 32 GiB, 5.28 $ a month: 0.165 $ per GiB; the
/// larger tiers are cheaper per GiB) in the United States; traffic out 0.087 $ to 10 TB in North
/// America and Europe; traffic in free; per second. Disks cost the same while the machine is
/// deallocated. The government's regions have a price list of their own, which no source of ours
/// holds. Sources: Azure Retail Prices as read by ahmadabdalla/azure-cost-calculator (2026-03)
/// and SkyPilot (2026).
pub fn azure_fees(region: &str) -> Fees {
    let government = region.starts_with("usgov") || region.starts_with("usdod");
    let states = region.contains("us") && !region.contains("aus") && !government;
    let america = states || region.starts_with("canada");
    let europe = [
        "europe",
        "uk",
        "france",
        "germany",
        "sweden",
        "norway",
        "switzerland",
        "italy",
        "spain",
        "poland",
    ]
    .iter()
    .any(|p| region.contains(p));
    let storage = states.then_some(5.28 / 32.0);
    let egress = (america || europe).then_some(0.087);
    fees(storage, egress, Hours::from_seconds(1.0))
}

fn fees(storage: Option<f64>, egress: Option<f64>, minimum: Hours) -> Fees {
    let storage = storage.map(UsdPerGbMonth::new);
    Fees {
        storage,
        storage_stopped: storage,
        egress: egress.map(UsdPerGb::new),
        ingress: Some(UsdPerGb::ZERO),
        minimum: Some(minimum),
        monthly_cap: None,
    }
}

/// The rate at which `share` of machines would be gone after `hours`.
fn rate(share: f64, hours: f64) -> PerHour {
    PerHour::new(-(1.0 - share).ln() / hours)
}

/// AWS states the share of spot machines reclaimed in the trailing month, in bands (0: below 5 %,
/// 1: 5–10, 2: 10–15, 3: 15–20, 4: above 20 %). `None` for a band that is none.
///
/// The middle of the band is expected. The open band ends, for us, at one half. The share is of all
/// machines, most of which live shortly: for a machine that runs long the truth is higher.
pub fn aws_hazard(band: u64) -> Option<Hazard> {
    let (low, expected, high) = match band {
        0 => (0.0, 0.025, 0.05),
        1 => (0.05, 0.075, 0.10),
        2 => (0.10, 0.125, 0.15),
        3 => (0.15, 0.175, 0.20),
        4 => (0.20, 0.30, 0.50),
        _ => return None,
    };
    let rate = Range::new(low, expected, high).map(|share| rate(share, MONTH));
    Some(Hazard { rate, source: "AWS Spot Advisor: share reclaimed in a month" })
}

/// Google's documentation: on average 5 to 15 % of spot machines are preempted a day (an older text
/// said in seven days; the daily figure is the careful one).
pub fn gcp_hazard() -> Hazard {
    let rate = Range::new(0.05, 0.10, 0.15).map(|share| rate(share, DAY));
    Hazard { rate, source: "Google: 5–15 % preempted a day" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: −ln(0.975)/720 = 3.516e-5; −ln(0.7)/720 = 4.954e-4; −ln(0.9)/24 = 4.390e-3.
    #[test]
    fn shares_of_a_month_and_of_a_day_become_rates_per_hour() {
        let expected = |band| aws_hazard(band).unwrap().rate.expected.get();
        assert!((expected(0) - 3.516e-5).abs() < 1e-8);
        assert!((expected(4) - 4.954e-4).abs() < 1e-7);
        assert!((gcp_hazard().rate.expected.get() - 4.390e-3).abs() < 1e-6);
        assert!(aws_hazard(5).is_none());
        for band in 0..5 {
            let rate = aws_hazard(band).unwrap().rate;
            assert!(rate.low <= rate.expected && rate.expected <= rate.high);
        }
    }

    #[test]
    fn a_region_that_no_source_names_has_no_figure() {
        assert_eq!(aws_fees("us-east-1").storage, Some(UsdPerGbMonth::new(0.08)));
        assert_eq!(aws_fees("eu-west-1").storage, None);
        assert_eq!(aws_fees("eu-west-1").egress, Some(UsdPerGb::new(0.09)));
        assert_eq!(aws_fees("mx-central-1").egress, None);
        assert_eq!(gcp_fees("europe-west4").storage, None);
        assert_eq!(azure_fees("australiaeast").egress, None);
        assert_eq!(azure_fees("eastus").egress, Some(UsdPerGb::new(0.087)));
        for region in ["usgovarizona", "usgovvirginia", "usdodcentral"] {
            let fees = azure_fees(region);
            assert_eq!((fees.storage, fees.storage_stopped, fees.egress), (None, None, None));
        }
    }
}
