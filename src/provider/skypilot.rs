//! SkyPilot's catalogue format, cloud by cloud: the columns have one name and several meanings.
//!
//! * memory (`SizeInMiB` in `GpuInfo`): MiB of one card for AWS, Google and Lambda; of all cards
//!   together for Vast.ai; gigabytes of one card for RunPod; not stated for Azure.
//! * Google: a machine is a host row (no accelerator) and an accelerator row (no instance type) of
//!   the same zone; its price is their sum, and without either it is unknown.
//! * spot: `0.00` is none; for RunPod the column repeats the list price, and spot has ended there.

use super::FetchError;
use super::gpuhunt::{Item, Listing};
use super::lenient::number;
use super::machines::machine;
use crate::offer::Provider;
use serde::Deserialize;
use std::collections::BTreeMap;

/// $ per H100-hour on demand below which Google's figure is that of a reservation product.
const H100_FLOOR: f64 = 6.0;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    #[serde(rename = "InstanceType")]
    instance: String,
    #[serde(rename = "AcceleratorName")]
    accelerator: String,
    #[serde(rename = "AcceleratorCount")]
    count: String,
    #[serde(rename = "vCPUs")]
    cpus: String,
    #[serde(rename = "MemoryGiB")]
    memory: String,
    #[serde(rename = "GpuInfo")]
    info: String,
    #[serde(rename = "Price")]
    price: String,
    #[serde(rename = "SpotPrice")]
    spot: String,
    #[serde(rename = "Region")]
    region: String,
    #[serde(rename = "AvailabilityZone")]
    zone: String,
}

/// The provider whose machine types are called like `instance`.
pub(super) fn provider_of(instance: &str) -> Option<Provider> {
    let google = ["a2-", "a3-", "a4-", "a4x-", "g2-", "g4-", "n1-"];
    let numbered = instance.split_once('x').is_some_and(|(n, _)| n.parse::<u32>().is_ok());
    match instance {
        i if i.starts_with("Standard_") => Some(Provider::Azure),
        i if i.starts_with("gpu_") => Some(Provider::Lambda),
        i if i.ends_with("_SECURE") || i.ends_with("_COMMUNITY") => Some(Provider::Runpod),
        i if numbered && i.matches('-').count() >= 3 => Some(Provider::Vast),
        i if google.iter().any(|p| i.starts_with(p)) => Some(Provider::Gcp),
        i if i.starts_with("vcg-") || i.starts_with("vbm-") => Some(Provider::Vultr),
        i => {
            let (family, size) = i.split_once('.')?;
            let plain = |t: &str| t.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            (plain(family) && plain(size) && !size.is_empty()).then_some(Provider::Aws)
        }
    }
}

/// Reads a file: whose prices, and rows in the one form that all catalogues share here.
pub(super) fn read(bytes: &[u8]) -> Result<(Provider, Listing), FetchError> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let mut broken = 0;
    let mut lines = Vec::new();
    for line in reader.deserialize::<Line>() {
        match line {
            Ok(line) => lines.push(line),
            Err(_) => broken += 1,
        }
    }
    let provider = lines.iter().find_map(|l| provider_of(&l.instance)).ok_or_else(|| {
        FetchError::Unreadable("its machine types are of no provider that haggle knows".to_string())
    })?;
    let mut rejected = BTreeMap::from([("a line that is no row", broken)]);
    let mut reject = |why: &'static str| *rejected.entry(why).or_default() += 1;
    let items = if provider == Provider::Gcp {
        google(&lines, &mut reject)
    } else {
        let whole = lines.iter().map(|line| items(provider, line));
        let mut kept = Vec::new();
        for row in whole {
            match row {
                Ok(rows) => kept.extend(rows),
                Err(why) => reject(why),
            }
        }
        lowest_spot(kept)
    };
    rejected.retain(|_, n| *n > 0);
    Ok((
        provider,
        Listing { items, rejected: rejected.into_iter().collect(), ..Listing::default() },
    ))
}

fn positive(text: &str) -> Option<f64> {
    number(text).filter(|v| *v > 0.0 && *v < 1e7)
}

/// The figure after `SizeInMiB` in a Python literal, in JSON, or in neither.
fn stated_size(info: &str) -> Option<f64> {
    let rest = info.split("SizeInMiB").nth(1)?;
    let digits = rest.trim_start_matches(['\'', '"', ':', ' ']);
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    positive(digits.get(..end)?)
}

/// The text after `Name`, likewise: RunPod's own name for a card, where the column beside it says no
/// more than `A100-80GB`.
fn stated_name(info: &str) -> Option<&str> {
    let rest = info.split("Name").nth(1)?.trim_start_matches(['\'', '"', ':', ' ']);
    let end = rest.find(['\'', '"', ','])?;
    rest.get(..end).filter(|name| !name.is_empty())
}

/// GiB of one card.
fn memory(provider: Provider, info: &str, cards: f64) -> Option<f64> {
    let stated = stated_size(info)?;
    match provider {
        Provider::Runpod => Some(stated),
        Provider::Vast => Some(stated / cards / 1024.0),
        _ => Some(stated / 1024.0),
    }
}

/// The price rows of a line: on demand, spot, or both.
fn items(provider: Provider, line: &Line) -> Result<Vec<Item>, &'static str> {
    if line.accelerator.trim().is_empty() {
        return Ok(Vec::new());
    }
    if provider_of(&line.instance) != Some(provider) {
        return Err("a machine type of another provider");
    }
    let gpu_count = positive(&line.count).ok_or("no GPU count")?;
    let location = match provider {
        Provider::Runpod if !line.zone.is_empty() => line.zone.trim().to_string(),
        // City, country, continent: the continent goes.
        Provider::Vast if line.region.matches(',').count() >= 2 => {
            line.region.rsplit_once(',').map(|r| r.0.trim().to_string()).unwrap_or_default()
        }
        _ => line.region.trim().to_string(),
    };
    let (full, spot) = (positive(&line.price), positive(&line.spot));
    let spot = spot.filter(|_| provider != Provider::Runpod);
    if full.is_none() && spot.is_none() {
        return Err("no price");
    }
    let item = |price: f64, spot: bool| Item {
        instance: line.instance.trim().to_string(),
        location: location.clone(),
        price,
        spot,
        cpu: positive(&line.cpus),
        memory: positive(&line.memory),
        gpu_count,
        gpu_name: stated_name(&line.info)
            .filter(|_| provider == Provider::Runpod)
            .unwrap_or(&line.accelerator)
            .trim()
            .to_string(),
        gpu_memory: memory(provider, &line.info, gpu_count),
        disk: None,
        flags: Vec::new(),
        arch: String::new(),
    };
    let rows = [full.map(|p| item(p, false)), spot.map(|p| item(p, true))];
    Ok(rows.into_iter().flatten().collect())
}

/// Of the spot prices of several zones the lowest, as that is where one would rent.
fn lowest_spot(items: Vec<Item>) -> Vec<Item> {
    let mut lowest = BTreeMap::<(String, String), Item>::new();
    let mut kept = Vec::new();
    for item in items {
        if !item.spot {
            kept.push(item);
            continue;
        }
        let key = (item.instance.clone(), item.location.clone());
        let known = lowest.entry(key).or_insert_with(|| item.clone());
        if item.price < known.price {
            *known = item;
        }
    }
    kept.extend(lowest.into_values());
    kept
}

/// Google's hosts and accelerators put together.
fn google(lines: &[Line], reject: &mut impl FnMut(&'static str)) -> Vec<Item> {
    let mut cards = BTreeMap::new();
    for line in lines.iter().filter(|l| l.instance.trim().is_empty()) {
        let count = positive(&line.count).unwrap_or(0.0).round() as u32;
        cards.insert((line.zone.as_str(), line.accelerator.as_str(), count), line);
    }
    let mut items = Vec::new();
    for host in lines.iter().filter(|l| !l.instance.trim().is_empty()) {
        let Some(machine) = machine(Provider::Gcp, host.instance.trim()) else { continue };
        let name = accelerator(&host.instance, &machine.card);
        let count = machine.cards.round() as u32;
        let Some(card) = name.and_then(|n| cards.get(&(host.zone.as_str(), n, count))) else {
            reject("a machine without the price of its cards");
            continue;
        };
        let sum = |host: &str, card: &str| {
            // A host of price nought is one whose price stands in its cards' row.
            Some(number(host).filter(|v| *v >= 0.0)? + positive(card)?)
        };
        let (full, spot) = (sum(&host.price, &card.price), sum(&host.spot, &card.spot));
        let floor = if machine.card.starts_with("H100") { H100_FLOOR * machine.cards } else { 0.0 };
        let wrong = full.is_some_and(|f| f < floor || spot.is_some_and(|s| s > f));
        if wrong {
            reject("an on-demand price that is a reservation product's");
        }
        let item = |price: f64, spot: bool| Item {
            instance: host.instance.trim().to_string(),
            location: host.zone.trim().to_string(),
            price,
            spot,
            cpu: positive(&host.cpus),
            memory: positive(&host.memory),
            gpu_count: machine.cards,
            gpu_name: card.accelerator.trim().to_string(),
            gpu_memory: memory(Provider::Gcp, &card.info, machine.cards),
            disk: None,
            flags: Vec::new(),
            arch: String::new(),
        };
        items.extend(full.filter(|_| !wrong).map(|p| item(p, false)));
        items.extend(spot.map(|p| item(p, true)));
    }
    items
}

/// SkyPilot's name for the cards of a Google machine type.
fn accelerator(instance: &str, card: &str) -> Option<&'static str> {
    Some(match card {
        "A100 SXM 40GB" => "A100",
        "A100 SXM 80GB" => "A100-80GB",
        "H100 SXM" if instance.starts_with("a3-mega") => "H100-MEGA",
        "H100 SXM" => "H100",
        "H200" => "H200",
        "B200" => "B200",
        "L4" => "L4",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_type_tells_whose_it_is() {
        for (name, provider) in [
            ("p4d.24xlarge", Provider::Aws),
            ("p6-b200.48xlarge", Provider::Aws),
            ("Standard_NC12s_v3", Provider::Azure),
            ("a2-highgpu-1g", Provider::Gcp),
            ("gpu_8x_v100_n", Provider::Lambda),
            ("1x_A100-80GB_SECURE", Provider::Runpod),
            ("1x-RTX_5090-32-65536", Provider::Vast),
        ] {
            assert_eq!(provider_of(name), Some(provider), "{name}");
        }
        for name in ["massedcompute_A6000x8", "lambdalabs__8xA100_80GB__240__1800", "", "x"] {
            assert_eq!(provider_of(name), None, "{name}");
        }
    }

    #[test]
    fn the_size_is_found_in_a_python_literal_and_in_json() {
        assert_eq!(stated_size("{'MemoryInfo': {'SizeInMiB': 40960}}"), Some(40960.0));
        assert_eq!(stated_size(r#"{"MemoryInfo":{"SizeInMiB":655360}}"#), Some(655_360.0));
        assert_eq!(stated_size("V100"), None);
        assert_eq!(stated_size("SizeInMiB"), None);
        let runpod = "{'Gpus': [{'Name': 'A100 PCIe', 'Manufacturer': 'Nvidia'}]}";
        assert_eq!(stated_name(runpod), Some("A100 PCIe"));
        assert_eq!(stated_name("V100"), None);
    }
}
