//! TensorDock's rows against values worked by hand.

use super::*;
use crate::offer::{Country, Flags};
use serde_json::json;

fn location(row: &Value) -> Harvest {
    let mut harvest = Harvest::default();
    Reader { now: UnixSeconds(1_796_000_000) }.location(row, &mut harvest);
    harvest
}

fn host(row: &Value) -> Harvest {
    let mut harvest = Harvest::default();
    Reader { now: UnixSeconds(1_796_000_000) }.host(row, &mut harvest);
    harvest
}

fn rates() -> Value {
    json!({"per_vcpu_hr": 0.003, "per_gb_ram_hr": 0.002, "per_gb_storage_hr": 0.00005})
}

fn place_with(card: &Value) -> Value {
    json!({"id": "p1", "city": "Austin", "stateprovince": "Texas", "country": "United States",
        "tier": "tier3", "gpus": [card]})
}

fn card_of(offer: &Offer) -> &'static str {
    offer.hardware.gpu.and_then(|id| catalogue().get(id)).map_or("-", |g| g.name)
}

fn dollars(offer: &Offer) -> Option<f64> {
    offer.price.on_demand.map(|p| (p.get() * 1e6).round() / 1e6)
}

/// The API pages' example: 2.20 + 8 × 0.003 + 32 × 0.002 = 2.288 and 100 GB of disk at 0.00005
/// = 0.005, in all 2.293 $/h.
#[test]
fn a_machine_costs_the_sum_of_its_parts() {
    let card = json!({"v0Name": "h100-sxm5-80gb", "max_count": 8, "price_per_hr": 2.2,
        "resources": {"max_vcpus": 128, "max_ram_gb": 300, "max_storage_gb": 1000},
        "pricing": rates()});
    let harvest = location(&place_with(&card));
    let found: Vec<_> =
        harvest.offers().iter().map(|o| (o.hardware.gpus.unwrap(), dollars(o))).collect();
    // Eight GPUs take 64 processors and 256 GB: 17.6 + 0.192 + 0.512.
    let wanted = [(1.0, Some(2.288)), (2.0, Some(4.576)), (4.0, Some(9.152)), (8.0, Some(18.304))];
    assert_eq!(found, wanted);
    let one = &harvest.offers()[0];
    let disk = one.fees.storage.unwrap().hourly(Gb::new(100.0), crate::units::Hours::new(730.0));
    assert!((one.price.on_demand.unwrap().get() + disk.get() - 2.293).abs() < 1e-9);
    assert_eq!((card_of(one), one.hardware.vram), ("H100 SXM", Some(Gib::new(80.0))));
    assert_eq!(one.id(), "tensordock:loc.p1.h100-sxm5-80gb.x1");
    assert_eq!(one.launch_id.as_str(), "location:p1");
    assert_eq!(one.place.country, Country::from_code("US"));
    assert_eq!(one.fees.egress, None);
}

/// Live figures of May 2026 and of the documentation, each with the usual rates; wanted: $/h of one
/// GPU with eight processors and 32 GB, which is 0.088 more.
#[test]
fn cards_read_as_checked_by_hand() {
    for (name, price, card, vram, total) in [
        ("geforcertx4090-pcie-24gb", 0.3966, "RTX 4090", 24.0, 0.4846),
        ("geforcertx3090-pcie-24gb", 0.17, "RTX 3090", 24.0, 0.258),
        ("rtxa6000-pcie-48gb", 0.42, "RTX A6000", 48.0, 0.508),
        ("a100-sxm4-80gb", 0.87, "A100 SXM 80GB", 80.0, 0.958),
        ("a100-pcie-80gb", 1.27, "A100 PCIe 80GB", 80.0, 1.358),
        ("l40s-pcie-48gb", 0.49, "L40S", 48.0, 0.578),
        ("geforcertx5090-pcie-32gb", 0.56, "RTX 5090", 32.0, 0.648),
        ("teslav100-pcie-16gb", 0.21, "V100 PCIe 16GB", 16.0, 0.298),
    ] {
        let row =
            json!({"v0Name": name, "max_count": 1, "price_per_hr": price, "pricing": rates()});
        let harvest = location(&place_with(&row));
        let offer = &harvest.offers()[0];
        assert_eq!(card_of(offer), card, "{name}");
        assert_eq!(offer.hardware.vram, Some(Gib::new(vram)), "{name}");
        assert_eq!(dollars(offer), Some(total), "{name}");
    }
}

#[test]
fn a_missing_part_makes_the_price_unknown_never_smaller() {
    let whole = json!({"v0Name": "l40-pcie-48gb", "max_count": 1, "price_per_hr": 0.5,
        "pricing": rates()});
    assert!(dollars(&location(&place_with(&whole)).offers()[0]).is_some());
    for part in ["per_vcpu_hr", "per_gb_ram_hr", "per_gb_storage_hr"] {
        for bad in [json!(null), json!(-1), json!(1e300), json!("soon"), json!([1])] {
            let mut row = whole.clone();
            row["pricing"][part] = bad.clone();
            assert_eq!(dollars(&location(&place_with(&row)).offers()[0]), None, "{part} {bad}");
        }
    }
    let mut bare = whole.clone();
    bare.as_object_mut().unwrap().remove("pricing");
    assert_eq!(dollars(&location(&place_with(&bare)).offers()[0]), None);
    let mut unpriced = whole.clone();
    unpriced.as_object_mut().unwrap().remove("price_per_hr");
    assert_eq!(dollars(&location(&place_with(&unpriced)).offers()[0]), None);
    let mut free = whole;
    free["price_per_hr"] = json!(0);
    assert_eq!(location(&place_with(&free)).rejected(), [("a price of zero", 1)]);
}

#[test]
fn none_there_is_not_available_and_cards_may_be_keyed_by_name() {
    let sold_out = json!({"v0Name": "h100-sxm5-80gb", "max_count": 0, "price_per_hr": 2.0});
    let harvest = location(&place_with(&sold_out));
    assert_eq!(harvest.offers()[0].availability, Availability::No);
    let keyed = json!({"id": "p2", "city": "Frankfurt", "country": "Germany",
        "gpus": {"rtxa6000-pcie-48gb": {"max_count": 1, "price_per_hr": 0.5}}});
    let harvest = location(&keyed);
    let offer = &harvest.offers()[0];
    assert_eq!((card_of(offer), dollars(offer)), ("RTX A6000", None));
    assert_eq!(offer.place.country, Country::from_code("DE"));
}

#[test]
fn hosts_state_uptime_in_per_cent_and_speed_in_gigabits() {
    let row = json!({"id": "h1", "location_id": "p1", "uptime_percentage": 99.9,
        "available_resources": {"gpus": [{"v0Name": "teslav100-pcie-16gb", "availableCount": 1,
            "price_per_hr": 0.7}], "vcpu_count": 4, "ram_gb": 20, "storage_gb": 4000},
        "pricing": {"per_vcpu_hr": 0.01, "per_gb_ram_hr": 0.002, "per_gb_storage_hr": 0.0001},
        "location": {"uuid": "p1", "city": "Ashburn", "country": "USA", "network_speed_gbps": 2.5,
            "network_speed_upload_gbps": 10.5, "organizationName": "Org"}});
    let harvest = host(&row);
    let offer = &harvest.offers()[0];
    assert!((offer.reliability.unwrap().get() - 0.999).abs() < 1e-12);
    assert_eq!(offer.download, Some(Mbps::new(2500.0)));
    assert_eq!(offer.upload, Some(Mbps::new(10_500.0)));
    // All that the host has: four processors and 20 GB. 0.7 + 0.04 + 0.04.
    assert_eq!(dollars(offer), Some(0.78));
    assert_eq!(offer.launch_id.as_str(), "hostnode:h1");
    assert_eq!(offer.host.as_ref().map(Text::as_str), Some("Org"));
    assert_eq!(offer.fees.storage, Some(UsdPerGbMonth::new(0.0001 * 730.0)));
}

#[test]
fn processors_are_even_and_one_bad_row_costs_one_row() {
    let card = json!({"v0Name": "l40-pcie-48gb", "max_count": 1, "price_per_hr": 0.5,
        "resources": {"max_vcpus": 7}, "pricing": rates()});
    let mut row = place_with(&card);
    row["gpus"].as_array_mut().unwrap().extend([
        json!(null),
        json!({"max_count": 2}),
        json!({"v0Name": "l40-pcie-48gb", "max_count": 1.5, "price_per_hr": 1}),
        json!({"v0Name": "l40-pcie-48gb", "max_count": 1e9, "price_per_hr": 1}),
    ]);
    let harvest = location(&row);
    assert_eq!(harvest.offers().len(), 1);
    assert_eq!(harvest.offers()[0].hardware.vcpus, Some(6.0));
    assert_eq!(harvest.rejected().iter().map(|(_, n)| n).sum::<usize>(), 4);
    for bad in [json!(null), json!([]), json!({"gpus": []}), json!({"id": "x"})] {
        assert_eq!(location(&bad).rejected().len(), 1, "{bad}");
        assert_eq!(host(&bad).rejected().len(), 1, "{bad}");
    }
}

#[test]
fn text_that_attacks_a_terminal_is_cleaned_and_flagged() {
    let card = json!({"v0Name": "\u{1b}[31ml40-pcie-48gb", "max_count": 1, "price_per_hr": 0.5,
        "pricing": rates()});
    let harvest = location(&place_with(&card));
    let offer = &harvest.offers()[0];
    assert!(offer.flags.has(Flags::CLEANED));
    assert!(!offer.key.as_str().contains('\u{1b}'));
}
