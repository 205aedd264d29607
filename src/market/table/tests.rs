use super::*;
use crate::market::synthetic::offer;
use crate::units::{Share, UsdPerHour};

fn priced(key: &str, price: f64) -> Offer {
    let mut offer = offer(Provider::Vast, key);
    offer.price.on_demand = Some(UsdPerHour::new(price));
    offer
}

#[test]
fn an_offer_comes_back_as_it_went_in() {
    let mut table = Table::new();
    let offers = crate::market::synthetic::market(500, 7);
    table.insert(1, &offers);
    assert_eq!(table.len(), 500);
    for offer in &offers {
        let row = table.find(&offer.id()).unwrap();
        assert_eq!(table.offer(row).as_ref(), Some(offer));
        assert_eq!(table.id(row).as_deref(), Some(offer.id().as_str()));
    }
}

#[test]
fn a_row_keeps_its_id_while_its_price_changes() {
    let mut table = Table::new();
    table.insert(1, &[priced("1-1", 0.5), priced("2-1", 0.6)]);
    table.finish(Provider::Vast, 1);
    let row = table.find("vast:1-1").unwrap();
    table.look();
    table.insert(2, &[priced("1-1", 0.4), priced("3-1", 0.7)]);
    assert_eq!(table.finish(Provider::Vast, 2), 1);
    assert_eq!(table.find("vast:1-1"), Some(row));
    assert_eq!(table.mark(row), Mark::Cheaper);
    assert_eq!(table.price_before(row).unwrap().on_demand, Some(UsdPerHour::new(0.5)));
    let (_, past) = table.history(row).unwrap();
    assert_eq!(past.len(), 1);
    assert_eq!(past[0].1.on_demand, Some(UsdPerHour::new(0.5)));
    assert_eq!(table.mark(table.find("3-1").unwrap()), Mark::New);
    let gone: Vec<RowId> = table.gone().collect();
    assert_eq!(gone.iter().filter_map(|r| table.id(*r)).collect::<Vec<_>>(), ["vast:2-1"]);
    assert_eq!(table.mark(gone[0]), Mark::Gone);
    assert!(!table.exists(gone[0]));
    table.look();
    assert_eq!(table.offer(gone[0]), None);
    assert_eq!(table.mark(row), Mark::Same);
    table.insert(3, &[priced("4-1", 1.0)]);
    assert_eq!(table.offer(gone[0]), None, "a forgotten row is never another offer's");
    assert_eq!(table.len(), 3);
}

#[test]
fn a_price_that_returns_to_what_it_was_is_no_change() {
    let mut table = Table::new();
    table.insert(1, &[priced("1-1", 0.5)]);
    table.finish(Provider::Vast, 1);
    table.insert(2, &[priced("1-1", 0.6)]);
    let row = table.find("1-1").unwrap();
    assert_eq!(table.mark(row), Mark::Dearer);
    table.insert(3, &[priced("1-1", 0.5)]);
    assert_eq!(table.mark(row), Mark::Same);
}

#[test]
fn a_gone_offer_that_comes_back_is_there_again() {
    let mut table = Table::new();
    table.insert(1, &[priced("1-1", 0.5)]);
    let row = table.find("1-1").unwrap();
    table.insert(2, &[priced("2-1", 0.5)]);
    table.finish(Provider::Vast, 2);
    assert!(!table.exists(row));
    table.insert(3, &[priced("1-1", 0.5)]);
    assert!(table.exists(row));
    assert_eq!(table.mark(row), Mark::Same);
    assert_eq!(table.gone().count(), 0);
}

#[test]
fn duplicates_are_kept_once_and_conflicts_flagged() {
    let mut table = Table::new();
    table.insert(1, &[priced("1-1", 0.5), priced("1-1", 0.5)]);
    let row = table.find("1-1").unwrap();
    assert_eq!(table.len(), 1);
    assert!(!table.offer(row).unwrap().flags.has(Flags::CONFLICTING));
    table.insert(1, &[priced("1-1", 0.7)]);
    let offer = table.offer(row).unwrap();
    assert!(offer.flags.has(Flags::CONFLICTING));
    assert_eq!(offer.price.on_demand, Some(UsdPerHour::new(0.5)));
    table.insert(2, &[priced("1-1", 0.7)]);
    assert!(!table.offer(row).unwrap().flags.has(Flags::CONFLICTING));
}

#[test]
fn one_provider_ends_its_fetch_and_the_others_keep_their_rows() {
    let mut table = Table::new();
    table.insert(1, &[priced("1-1", 0.5), offer(Provider::Aws, "x"), offer(Provider::Aws, "y")]);
    assert_eq!(table.census(Provider::Aws, 2), Census { fresh: 0, old: 2 });
    table.insert(2, &[offer(Provider::Aws, "x")]);
    assert_eq!(table.census(Provider::Aws, 2), Census { fresh: 1, old: 1 });
    assert_eq!(table.finish(Provider::Aws, 2), 1);
    assert_eq!(table.len(), 2);
    assert!(table.find("vast:1-1").is_some());
}

#[test]
fn offers_are_found_by_launch_id_and_without_provider_when_only_one_has_them() {
    let mut table = Table::new();
    let mut relisted = priced("77-2", 0.5);
    relisted.launch_id = "9001".into();
    table.insert(1, &[relisted, offer(Provider::Aws, "same"), offer(Provider::Azure, "same")]);
    let row = table.find("vast:77-2");
    assert!(row.is_some());
    assert_eq!(table.find("vast:9001"), row);
    assert_eq!(table.find(" 9001 "), row);
    assert_eq!(table.find("77-2"), row);
    assert_eq!(table.find("same"), None, "two providers have it");
    assert!(table.find("aws:same").is_some());
    assert_eq!(table.find("nobody:same"), None);
}

#[test]
fn figures_that_cannot_be_are_unknown() {
    let mut table = Table::new();
    let mut odd = priced("1-1", f64::NAN);
    odd.reliability = Some(Share::new(f64::INFINITY));
    odd.price.spot = Some(UsdPerHour::new(-1.0));
    table.insert(1, &[odd]);
    let read = table.offer(table.find("1-1").unwrap()).unwrap();
    assert_eq!(read.price, Price::default());
    assert_eq!(read.reliability, None);
}

#[test]
fn a_row_takes_no_more_than_160_bytes() {
    let mut table = Table::new();
    let offers = crate::market::synthetic::market(40_000, 1);
    table.insert(1, &offers);
    for provider in Provider::ALL {
        table.finish(provider, 1);
    }
    let each = table.bytes() as f64 / table.len() as f64;
    println!("{each:.1} bytes a row");
    assert!(each <= 160.0, "{each}");
}

#[test]
fn refreshes_do_not_make_it_grow() {
    let mut table = Table::new();
    let mut sizes = Vec::new();
    for generation in 1..=40 {
        let mut offers = crate::market::synthetic::market(3000, 1);
        for (at, offer) in offers.iter_mut().enumerate() {
            offer.launch_id = format!("{generation}{at:06}").as_str().into();
            if at % 10 == 0 {
                offer.key = format!("{generation}-{at}").as_str().into();
            }
        }
        table.insert(generation, &offers);
        for provider in Provider::ALL {
            table.finish(provider, generation);
        }
        table.look();
        sizes.push(table.bytes());
    }
    assert_eq!(table.len(), 3000);
    let late = sizes[10..].iter().max().unwrap();
    assert!(*late < sizes[2] * 2, "{sizes:?}");
}
