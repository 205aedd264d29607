//! Offers out of catalogues that list machine types with prices, whoever made the catalogue: spot and
//! on demand come as rows of their own and become two prices of one offer.

use super::azure;
use super::figures;
use super::gpuhunt::Item;
use super::lambda;
use super::machines::machine;
use super::terms::{aws_fees, azure_fees, gcp_fees, gcp_hazard};
use crate::gpu::catalogue;
use crate::offer::{
    Availability, Basis, Fees, Flags, Hardware, Link, Offer, Origin, Place, Price, Provider, Text,
};
use crate::units::{Gib, UnixSeconds};
use std::collections::BTreeMap;

/// One offer for each machine type and place; and how many rows were of reservation products or
/// previews, which are no offers.
pub(super) fn offers(
    provider: Provider,
    items: &[Item],
    made: UnixSeconds,
    source: &'static str,
) -> (Vec<Offer>, usize) {
    let mut reserved = 0;
    let mut found = BTreeMap::<(&str, &str), Offer>::new();
    for item in items {
        if item.flags.iter().any(|f| f.contains("dws") || f.contains("preview")) {
            reserved += 1;
            continue;
        }
        let key = (item.instance.as_str(), item.location.as_str());
        let origin = Origin { source, basis: Basis::Listed, fetched_at: made };
        let offer = found.entry(key).or_insert_with(|| blank(provider, item, origin));
        offer.flags = offer.flags.with(Flags::ARM_HOST.when(figures::arm_word(&item.arch)));
        let price = if item.spot { &mut offer.price.spot } else { &mut offer.price.on_demand };
        let new = figures::dollars(item.price);
        // Two prices for one thing: the higher one counts, and the row says so.
        if price.is_some_and(|old| (old.get() / new.get() - 1.0).abs() > 1e-6) {
            offer.flags = offer.flags.with(Flags::CONFLICTING);
        }
        *price = Some(price.map_or(new, |old| old.max(new)));
    }
    let offers = found.into_iter().map(|((instance, _), offer)| finished(offer, instance));
    let mut offers: Vec<Offer> = offers.filter(|o| o.price != Price::default()).collect();
    figures::mark_bargains(&mut offers);
    (offers, reserved)
}

fn blank(provider: Provider, item: &Item, origin: Origin) -> Offer {
    let (place, fees) = terms(provider, &item.location);
    let retired = provider == Provider::Azure && azure::is_retired(&item.instance);
    Offer {
        key: Text::new(&format!("{}/{}", item.instance, item.location)),
        launch_id: Text::new(&item.instance),
        provider,
        host: None,
        hardware: hardware(provider, item),
        place,
        price: Price::default(),
        fees,
        reliability: None,
        download: None,
        upload: None,
        disk: None,
        verified: None,
        availability: if retired { Availability::No } else { Availability::NotStated },
        hazard: (provider == Provider::Gcp).then(gcp_hazard),
        max_rental: None,
        origin,
        flags: Flags::default(),
    }
}

/// Where it stands and what else it costs, in the provider's own words for places.
fn terms(provider: Provider, location: &str) -> (Place, Fees) {
    match provider {
        Provider::Aws => (Place::aws(location), aws_fees(location)),
        Provider::Azure => (Place::azure(location), azure_fees(location)),
        Provider::Gcp => {
            // A zone is a region and a letter: us-south1-ai1b stands in us-south1.
            let parts = location.matches('-').count();
            let region = location.rsplit_once('-').filter(|_| parts > 1).map_or(location, |r| r.0);
            (Place::gcp(location), gcp_fees(region))
        }
        Provider::Runpod => (Place::runpod(location), Fees::default()),
        Provider::Lambda => (Place::lambda(location, ""), Fees::default()),
        Provider::Vast => (Place::vast(location), Fees::default()),
        _ => (Place::on(location, None), Fees::default()),
    }
}

fn hardware(provider: Provider, item: &Item) -> Hardware {
    if let Some(machine) = machine(provider, &item.instance) {
        return Hardware { gpu_raw: Text::new(&item.gpu_name), ..machine.hardware(&item.instance) };
    }
    let memory = item.gpu_memory.map(Gib::new);
    let typed = typed(provider, &item.instance);
    let known = |name: &str| catalogue().identify(name, memory);
    Hardware {
        gpu: typed.as_deref().and_then(known).or_else(|| known(&item.gpu_name)),
        gpu_raw: Text::new(&item.gpu_name),
        gpus: Some(item.gpu_count),
        vram: memory,
        link: Link::Unknown,
        vcpus: item.cpu,
        ram: item.memory.map(Gib::new),
        cuda_max: None,
        instance_type: Some(Text::new(&item.instance)),
    }
}

/// The card that a machine type itself names, where catalogues drop half of the name: their `H100` is
/// Lambda's `gpu_1x_h100_pcie` and Vast.ai's `1x-H100_NVL-…`, their `RTX4060` an `RTX_4060_Ti`, and
/// RunPod's machine types are the cards' full names.
fn typed(provider: Provider, instance: &str) -> Option<String> {
    match provider {
        Provider::Lambda => lambda::card(instance).map(str::to_owned),
        Provider::Runpod => Some(instance.to_owned()),
        Provider::Vast => instance.split('-').nth(1).map(|name| name.replace('_', " ")),
        _ => None,
    }
}

/// Google sells some types for reservations and spot alone; their on-demand price is none.
fn finished(mut offer: Offer, instance: &str) -> Offer {
    let reserved_only = offer.provider == Provider::Gcp
        && (["a4-", "a4x-", "a3-ultragpu"].iter().any(|p| instance.starts_with(p))
            || (instance.starts_with("a3-highgpu")
                && offer.hardware.gpus.is_some_and(|gpus| gpus < 8.0)));
    if reserved_only {
        offer.price.on_demand = None;
    }
    offer.flags = offer.flags.with(figures::flags(&offer.hardware, &offer.price));
    offer
}
