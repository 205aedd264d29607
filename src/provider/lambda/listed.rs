//! Lambda's list prices out of gpuhunt's catalogue, for those who have no key.
//!
//! The catalogue drops the form of a board and lists every type in every region, so the card is
//! taken from the type's name, and nothing is said about what can be had.

use super::live::identify;
use super::{FEES, KEY_VARIABLE};
use crate::offer::{
    Availability, Basis, Flags, Hardware, Link, Offer, Origin, Place, Price, Provider, Text,
};
use crate::provider::figures::{DEAREST, arm_word, flags};
use crate::provider::gpuhunt::{self, Item};
use crate::provider::harvest::{Harvest, Reason};
use crate::provider::{Context, FetchError, Report, Sink};
use crate::units::{Gb, Gib, UnixSeconds, UsdPerHour};

const SOURCE: &str = "Lambda list prices (gpuhunt catalogue v3)";
/// As gpuhunt names it.
const NAME: &str = "lambdalabs";

/// Cards by what stands after the number in a type's name (Lambda's machine types, 2026-05).
const CARDS: &[(&str, &str)] = &[
    ("a10", "A10"),
    ("a100", "A100 PCIe 40GB"),
    ("a100_sxm4", "A100 SXM 40GB"),
    ("a100_80gb_sxm4", "A100 SXM 80GB"),
    ("a6000", "RTX A6000"),
    ("b200_sxm6", "B200"),
    ("gh200", "GH200 96GB"),
    ("h100_pcie", "H100 PCIe"),
    ("h100_sxm5", "H100 SXM"),
    ("rtx6000", "Quadro RTX 6000"),
    ("v100", "V100 SXM2 16GB"),
    ("v100_n", "V100 SXM2 16GB"),
];

pub(super) async fn fetch(context: &Context, sink: &Sink) -> Result<Report, FetchError> {
    let listing = match gpuhunt::listing(context, NAME).await {
        Ok(Some(listing)) => listing,
        Ok(None) => return Ok(Report { unchanged: true, ..Report::default() }),
        // What really helps is a key.
        Err(_) => return Err(FetchError::NeedsKey(KEY_VARIABLE)),
    };
    let mut harvest = Harvest::default();
    let made = listing.made.unwrap_or(context.now);
    for item in &listing.items {
        harvest.take(offer(item, made));
    }
    for (why, times) in &listing.rejected {
        (0..*times).for_each(|_| harvest.reject(why));
    }
    if harvest.offers().is_empty() {
        return Err(FetchError::NeedsKey(KEY_VARIABLE));
    }
    let note = format!("list prices, capacity not stated; {KEY_VARIABLE} shows it");
    let report = harvest.deliver(sink, vec![note]).await?;
    gpuhunt::confirm(context, NAME, &listing.version);
    Ok(report)
}

fn offer(item: &Item, made: UnixSeconds) -> Result<Offer, Reason> {
    if item.spot {
        return Err("a spot price, which Lambda has not");
    }
    if item.gpu_count.fract() != 0.0 || item.gpu_count > 64.0 {
        return Err("a GPU count that cannot be");
    }
    let card = card(&item.instance);
    // GB there; the figure is the card's nominal one.
    let stated = item.gpu_memory.map(Gib::new);
    let hardware = Hardware {
        gpu: match card {
            Some(name) => identify(name, None),
            None => identify(&item.gpu_name, stated),
        },
        gpu_raw: Text::new(&item.gpu_name),
        gpus: Some(item.gpu_count),
        vram: stated,
        link: Link::Unknown,
        vcpus: item.cpu,
        ram: item.memory.map(|gb| Gb::new(gb).to_bytes().to_gib()),
        cuda_max: None,
        instance_type: Some(Text::new(&item.instance)),
    };
    if item.price > DEAREST * item.gpu_count {
        return Err("a price that cannot be");
    }
    let price = Price { on_demand: Some(UsdPerHour::new(item.price)), spot: None };
    Ok(Offer {
        key: Text::new(&format!("{}@{}", item.instance, item.location)),
        launch_id: Text::new(&item.instance),
        provider: Provider::Lambda,
        host: None,
        flags: flags(&hardware, &price).with(Flags::ARM_HOST.when(arm_word(&item.arch))),
        hardware,
        place: Place::lambda(&item.location, ""),
        price,
        fees: FEES,
        reliability: None,
        download: None,
        upload: None,
        disk: item.disk.map(Gb::new),
        verified: None,
        availability: Availability::NotStated,
        hazard: None,
        max_rental: None,
        origin: Origin { source: SOURCE, basis: Basis::Listed, fetched_at: made },
    })
}

/// The card of a type such as `gpu_8x_a100_80gb_sxm4`. Eight bare A100 are of the SXM kind (Lambda's
/// own description of `gpu_8x_a100`), fewer of them are PCIe.
pub(in crate::provider) fn card(instance: &str) -> Option<&'static str> {
    let (number, card) = instance.strip_prefix("gpu_")?.split_once("x_")?;
    match (number, card) {
        ("8", "a100") => Some("A100 SXM 40GB"),
        _ => CARDS.iter().find(|(name, _)| *name == card).map(|(_, card)| *card),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::catalogue;

    fn item(instance: &str, name: &str, gpus: f64, memory: f64, price: f64) -> Item {
        Item {
            instance: instance.into(),
            location: "europe-central-1".into(),
            price,
            spot: false,
            cpu: Some(30.0),
            memory: Some(214.7),
            gpu_count: gpus,
            gpu_name: name.into(),
            gpu_memory: Some(memory),
            disk: Some(1400.0),
            flags: Vec::new(),
            arch: "x86".into(),
        }
    }

    /// The catalogue says `A100` for three different cards.
    #[test]
    fn the_kind_of_card_comes_from_the_types_name() {
        for (instance, name, gpus, memory, price, card) in [
            ("gpu_1x_a100", "A100", 1.0, 40.0, 1.99, "A100 PCIe 40GB"),
            ("gpu_8x_a100", "A100", 8.0, 40.0, 15.92, "A100 SXM 40GB"),
            ("gpu_1x_a100_sxm4", "A100", 1.0, 40.0, 1.99, "A100 SXM 40GB"),
            ("gpu_8x_a100_80gb_sxm4", "A100", 8.0, 80.0, 22.32, "A100 SXM 80GB"),
            ("gpu_1x_h100_pcie", "H100", 1.0, 80.0, 3.29, "H100 PCIe"),
            ("gpu_8x_h100_sxm5", "H100", 8.0, 80.0, 31.92, "H100 SXM"),
            ("gpu_1x_rtx6000", "RTX6000", 1.0, 24.0, 0.69, "Quadro RTX 6000"),
            ("gpu_1x_gh200", "GH200", 1.0, 96.0, 2.29, "GH200 96GB"),
            ("gpu_1x_l40s", "L40S", 1.0, 48.0, 1.0, "L40S"),
        ] {
            let offer = offer(&item(instance, name, gpus, memory, price), UnixSeconds(7)).unwrap();
            let found = offer.hardware.gpu.and_then(|id| catalogue().get(id)).map(|g| g.name);
            assert_eq!(found, Some(card), "{instance}");
            assert_eq!(offer.price.on_demand, Some(UsdPerHour::new(price)));
            assert_eq!(offer.availability, Availability::NotStated);
            assert_eq!(offer.origin.fetched_at, UnixSeconds(7));
            assert_eq!(offer.origin.basis, Basis::Listed);
            assert_eq!(offer.place.country.unwrap().code(), "DE");
        }
    }

    #[test]
    fn every_card_of_the_table_is_in_the_catalogue() {
        for (_, card) in CARDS {
            assert!(identify(card, None).is_some(), "{card}");
        }
    }
}
