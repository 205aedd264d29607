//! The disk in the bill: the least that is rented out, too small a one, one whose price nobody states.

use super::tests::{class, offer, per_month, setup};
use super::*;
use crate::estimate::quote::{PriceKind, Quote};
use crate::setup::{Field, Setup};
use crate::units::UnixSeconds;

/// A disk of 100 GB is the least that TensorDock rents out, and 8 GB Vast.ai, whatever the job needs:
/// 100 GB at 0.0365 $ a month of 730 h are 0.005 $ an hour and 3.65 $ a month.
#[test]
fn the_least_disk_that_is_rented_out_is_paid_for() {
    let setup = setup(&[(Field::Disk, "70GB"), (Field::DatasetSize, "1GB")]);
    let class = class(1e3, 1e3, 1e3);
    let quote = |provider: Provider, disk: f64| {
        let mut offer = offer(provider, "7-1");
        offer.fees.storage = per_month(0.0365);
        offer.fees.storage_stopped = per_month(0.0365);
        let setup = Setup { disk: Some(Gb::new(disk)), ..setup.clone() };
        explain(&setup, &offer, &class, PriceKind::OnDemand, UnixSeconds(0))
    };
    let dock = quote(Provider::Tensordock, 70.0);
    let hours = dock.hours.unwrap().expected.get();
    let storage = |quote: &Quote| quote.items[ItemKind::Storage as usize].usd.unwrap().get();
    assert!((storage(&dock) - 100.0 * 0.0365 * hours / 730.0).abs() < 1e-9);
    assert!(dock.items[ItemKind::Storage as usize].unit.starts_with("100 GB × 0.0365 $/GB-month"));
    assert_eq!(dock.disk.rented, Gb::new(100.0));
    assert!((dock.forgotten.stopped_month.unwrap().get() - 3.65).abs() < 1e-9);
    assert!(dock.assumptions.iter().any(|(key, words)| *key == "disk"
        && words.starts_with("100 GB, the least that is rented out; asked for 70 GB (yours)")));
    assert_eq!(quote(Provider::Tensordock, 460.0).disk.rented, Gb::new(460.0));
    assert_eq!(quote(Provider::Vast, 5.0).disk.rented, Gb::new(8.0));
    assert_eq!(quote(Provider::Runpod, 5.0).disk.rented, Gb::new(5.0));
}

/// The price alone where nobody says what the disk costs, and that is said.
#[test]
fn a_forgotten_machine_whose_disk_has_no_price_says_so() {
    let mut offer = offer(Provider::Aws, "7-1");
    offer.fees.storage = None;
    offer.price.on_demand = Some(UsdPerHour::new(2.0));
    let class = class(1e3, 1e3, 1e3);
    let quote = explain(&setup(&[]), &offer, &class, PriceKind::OnDemand, UnixSeconds(0));
    assert_eq!(quote.forgotten.weekend, Some(Usd::new(126.0)));
    assert!(quote.forgotten.without_disk);
}

#[test]
fn too_small_a_disk_is_flagged() {
    let setup = setup(&[]);
    let mut offer = offer(Provider::Vast, "7-1");
    let short = |offer: &Offer| {
        let facts = RowFacts::from(offer);
        Job::new(&setup).price(&class(1e3, 1e3, 1e3), &facts, PriceKind::OnDemand).disk_short
    };
    assert!(!short(&offer));
    offer.disk = Some(Gb::new(30.0));
    assert!(short(&offer));
    let class = class(1e3, 1e3, 1e3);
    let quote = explain(&setup, &offer, &class, PriceKind::OnDemand, UnixSeconds(0));
    assert!(quote.disk.problem().unwrap().contains("30 GB"));
}
