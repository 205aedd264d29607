//! The market inside the program: dated list prices, so that the first run shows something true.
//!
//! `assets/market.haggle` was made with `examples/embed_market.rs` from recorded answers and price
//! lists of: AWS's pricing page for us-east-1 (2026-08-06) and its spot prices (2026-08-11), Azure's
//! retail prices as kept by azure-hub (2026-08-22), Google's A100 40GB and L4 machines as SkyPilot's
//! catalogue adds them up from host and accelerator (2026-05-20), Lambda's price list (2026-05),
//! RunPod's GPU types as gpu-index recorded them (August 2026), Vultr's plans (September 2026), and,
//! marked as examples, five offers of Vast.ai's market (2026-08-22, gpu-index).

use crate::snapshot::{self, Snapshot, SnapshotError};

const ASSET: &[u8] = include_bytes!("../../assets/market.haggle");

/// The market inside the program.
///
/// # Errors
/// Never in a program whose tests pass; a caller without it goes on with an empty market.
pub fn embedded() -> Result<Snapshot, SnapshotError> {
    snapshot::decode(ASSET)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::{Availability, Basis, Flags, Provider};

    #[test]
    fn every_row_is_listed_dated_and_says_nothing_of_availability() {
        let market = embedded().unwrap();
        assert!(market.offers.len() > 2_000);
        for offer in &market.offers {
            assert_eq!(offer.origin.basis, Basis::Listed, "{}", offer.id());
            assert_eq!(offer.availability, Availability::NotStated, "{}", offer.id());
            assert!(offer.origin.fetched_at.0 > 1_777_000_000, "{}", offer.id());
            assert!(offer.origin.fetched_at <= market.head.at, "{}", offer.id());
            let example = offer.flags.has(Flags::EXAMPLE);
            assert_eq!(example, offer.provider == Provider::Vast, "{}", offer.id());
        }
    }

    /// Prices as the sources above state them, for whole machines.
    #[test]
    fn known_prices_are_in_it() {
        let market = embedded().unwrap();
        let price = |machine: &str, place: &str| {
            let offer = market.offers.iter().find(|o| {
                o.launch_id.as_str() == machine && o.place.raw.as_str().starts_with(place)
            });
            offer.and_then(|o| o.price.on_demand).map(crate::units::UsdPerHour::get)
        };
        assert_eq!(price("g5.xlarge", "us-east-1"), Some(1.006));
        assert_eq!(price("g6e.xlarge", "us-east-1"), Some(1.861));
        assert_eq!(price("a2-highgpu-1g", "us-central1"), Some(3.673_39));
        assert_eq!(price("Standard_NC24ads_A100_v4", "eastus"), Some(3.673));
    }
}
