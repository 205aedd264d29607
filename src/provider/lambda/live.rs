//! Lambda's machine types as its own API lists them.
//!
//! Units: `price_cents_per_hour` US cents an hour for the whole machine; `memory_gib`, `storage_gib`
//! GiB; the memory of a card stands in its description only: `A100 (80 GB SXM4)`.

use super::{ENDPOINT, FEES, MOST_MB};
use crate::gpu::catalogue;
use crate::offer::{
    Availability, Basis, Flags, Hardware, Link, Offer, Origin, Place, Price, Provider, Text,
};
use crate::provider::figures::{DEAREST, flags};
use crate::provider::harvest::{Harvest, Reason, list, tree};
use crate::provider::lenient::{Number, Words, lenient_object};
use crate::provider::{ApiKey, Context, FetchError};
use crate::units::{Gib, UnixSeconds, UsdPerHour};
use serde_json::Value;

const SOURCE: &str = "Lambda machine types (GET /api/v1/instance-types)";
const PATH: &str = "/api/v1/instance-types";
const MOST_GPUS: f64 = 64.0;

lenient_object! {
    struct Type {
        name: Words,
        description: Words,
        gpu_description: Words,
        price_cents_per_hour: Number,
    }
}

lenient_object! {
    struct Specs {
        vcpus: Number,
        memory_gib: Number,
        storage_gib: Number,
        gpus: Number,
    }
}

lenient_object! {
    struct Region {
        name: Words,
        description: Words,
    }
}

pub(super) async fn fetch(context: &Context, key: &ApiKey) -> Result<Harvest, FetchError> {
    let call = context.call(ENDPOINT, PATH)?.key(Some(key)).most_mb(MOST_MB);
    read(&tree(&call.body().await?.bytes)?, context.now)
}

/// The offers of an answer: `data` is an object keyed by type, or a list.
fn read(answer: &Value, now: UnixSeconds) -> Result<Harvest, FetchError> {
    let missing = || FetchError::Unreadable("it holds no machine types".to_string());
    let rows = answer.get("data").and_then(|_| list(answer, "data")).ok_or_else(missing)?;
    let mut harvest = Harvest::default();
    for (key, row) in rows {
        if let Err(why) = machine(key, row, now, &mut harvest) {
            harvest.reject(why);
        }
    }
    Ok(harvest)
}

fn part<T: serde::de::DeserializeOwned>(value: Option<&Value>) -> Option<T> {
    serde_json::from_value(value?.clone()).ok()
}

/// The offers of one type: one for each region that has it now, or one that nobody can have.
fn machine(
    key: &str,
    value: &Value,
    now: UnixSeconds,
    harvest: &mut Harvest,
) -> Result<(), Reason> {
    let inner = value.get("instance_type").unwrap_or(value);
    let kind: Type = part(Some(inner)).ok_or("a row that is no object")?;
    let specs: Specs = part(inner.get("specs")).unwrap_or_default();
    let name = kind.name.text.clone().unwrap_or_else(|| Text::new(key));
    if name.is_empty() {
        return Err("no name of a type");
    }
    let (hardware, cleaned) = match cards(&kind, &specs, &name)? {
        Some(hardware) => (hardware, kind.name.cleaned || kind.gpu_description.cleaned),
        // Machines without a GPU are sold as well.
        None => return Ok(()),
    };
    let cents = kind.price_cents_per_hour;
    if cents.0 == Some(0.0) {
        return Err("a price of zero");
    }
    let most = DEAREST * 100.0 * hardware.gpus.unwrap_or(1.0);
    let dollars = cents.above_zero(most).map(|c| c / 100.0);
    let price = Price { on_demand: dollars.map(UsdPerHour::new), spot: None };
    let offer = |place: Place, here: Availability| Offer {
        key: match place.raw.as_str() {
            "" => name.clone(),
            region => Text::new(&format!("{name}@{region}")),
        },
        launch_id: name.clone(),
        provider: Provider::Lambda,
        host: None,
        flags: flags(&hardware, &price).with(Flags::CLEANED.when(cleaned)),
        hardware: hardware.clone(),
        place,
        price,
        fees: FEES,
        reliability: None,
        download: None,
        upload: None,
        disk: specs.storage_gib.above_zero(1e7).map(|d| Gib::new(d).to_bytes().to_gb()),
        verified: None,
        availability: here,
        hazard: None,
        max_rental: None,
        origin: Origin { source: SOURCE, basis: Basis::Live, fetched_at: now },
    };
    let listed = value.get("regions_with_capacity_available").and_then(Value::as_array);
    let here: Vec<Region> = listed
        .into_iter()
        .flatten()
        .filter_map(|region| part(Some(region)))
        .filter(|region: &Region| region.name.text.is_some())
        .collect();
    if here.is_empty() {
        // An empty list is sold out everywhere; no list says nothing.
        let none = if listed.is_some() { Availability::No } else { Availability::NotStated };
        harvest.take(Ok(offer(Place::default(), none)));
    }
    for region in here {
        let place = Place::lambda(region.name.as_str(), region.description.as_str());
        harvest.take(Ok(offer(place, Availability::Yes)));
    }
    Ok(())
}

/// The cards of a type; `None` for a machine without any.
fn cards(kind: &Type, specs: &Specs, name: &Text) -> Result<Option<Hardware>, Reason> {
    let described = kind.gpu_description.as_str();
    let (counted, bare) = count_and_card(kind.description.as_str());
    let gpus = match specs.gpus.0.or(counted) {
        Some(0.0) => return Ok(None),
        Some(n) if n.fract() == 0.0 && (1.0..=MOST_GPUS).contains(&n) => n,
        Some(_) => return Err("a GPU count that cannot be"),
        None if name.as_str().starts_with("cpu_") => return Ok(None),
        None => return Err("no GPU count"),
    };
    let raw = if described.is_empty() { bare } else { described };
    if raw.is_empty() {
        return Err("no GPU name");
    }
    let (card, memory) = card_and_memory(raw);
    let vram = memory.map(Gib::new);
    Ok(Some(Hardware {
        gpu: identify(&card, vram),
        gpu_raw: Text::new(raw),
        gpus: Some(gpus),
        vram,
        link: Link::Unknown,
        vcpus: specs.vcpus.above_zero(1e5),
        ram: specs.memory_gib.above_zero(1e6).map(Gib::new),
        cuda_max: None,
        instance_type: Some(name.clone()),
    }))
}

/// Lambda's `RTX 6000` is the Turing card: it had 24 GB, and was there before the Ada one.
pub(super) fn identify(card: &str, vram: Option<Gib>) -> Option<crate::gpu::GpuId> {
    let turing = card.eq_ignore_ascii_case("RTX 6000") && vram.is_none_or(|v| v.get() < 30.0);
    catalogue().identify(if turing { "Quadro RTX 6000" } else { card }, vram)
}

/// `8x A100 (80 GB SXM4)` as 8 and the rest.
fn count_and_card(description: &str) -> (Option<f64>, &str) {
    let parts = description.split_once('x').filter(|(n, _)| n.parse::<u32>().is_ok());
    match parts {
        Some((n, card)) => (n.parse().ok(), card.trim()),
        None => (None, description.trim()),
    }
}

/// `A100 (80 GB SXM4)` as `A100 SXM4` and 80.
fn card_and_memory(raw: &str) -> (String, Option<f64>) {
    let Some((name, inside)) = raw.split_once('(') else { return (raw.trim().to_owned(), None) };
    let inside = inside.trim_end().trim_end_matches(')');
    let mut memory = None;
    let mut words: Vec<&str> = name.split_whitespace().collect();
    let mut rest = inside.split_whitespace().peekable();
    while let Some(word) = rest.next() {
        let joined = word.strip_suffix("GB").and_then(|n| n.parse::<f64>().ok());
        let apart = word.parse::<f64>().ok().filter(|_| rest.peek() == Some(&"GB"));
        match joined.or(apart) {
            Some(gb) => memory = Some(gb).filter(|gb| (1.0..=1024.0).contains(gb)),
            None if word == "GB" => {}
            None => words.push(word),
        }
    }
    (words.join(" "), memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn typed(name: &str, gpu: &str, gpus: u32, cents: &Value, regions: &Value) -> Value {
        json!({"instance_type": {"name": name, "description": format!("{gpus}x {gpu}"),
            "gpu_description": gpu, "price_cents_per_hour": cents,
            "specs": {"vcpus": 30, "memory_gib": 200, "storage_gib": 512, "gpus": gpus}},
            "regions_with_capacity_available": regions})
    }

    fn read_one(name: &str, row: &Value) -> Harvest {
        read(&json!({"data": {name: row}}), UnixSeconds(1_796_000_000)).unwrap()
    }

    fn card(offer: &Offer) -> &'static str {
        offer.hardware.gpu.and_then(|id| catalogue().get(id)).map_or("-", |g| g.name)
    }

    /// Prices of 2026-05 in cents for the whole machine; wanted: $/h, card, GB.
    #[test]
    fn types_read_as_checked_by_hand() {
        let regions = json!([{"name": "us-east-1", "description": "Virginia, USA"}]);
        for (name, gpu, gpus, cents, dollars, wanted, vram) in [
            ("gpu_1x_a10", "A10 (24 GB PCIe)", 1, 129, 1.29, "A10", 24.0),
            ("gpu_8x_v100_n", "Tesla V100 (16 GB)", 8, 632, 6.32, "V100 SXM2 16GB", 16.0),
            ("gpu_1x_h100_pcie", "H100 (80 GB PCIe)", 1, 329, 3.29, "H100 PCIe", 80.0),
            ("gpu_8x_a100_80gb_sxm4", "A100 (80 GB SXM4)", 8, 2232, 22.32, "A100 SXM 80GB", 80.0),
            ("gpu_1x_a100_sxm4", "A100 (40 GB SXM4)", 1, 199, 1.99, "A100 SXM 40GB", 40.0),
            ("gpu_1x_a100", "A100 (40 GB PCIe)", 1, 199, 1.99, "A100 PCIe 40GB", 40.0),
            ("gpu_8x_h100_sxm5", "H100 (80 GB SXM5)", 8, 3192, 31.92, "H100 SXM", 80.0),
            ("gpu_8x_b200_sxm6", "B200 (180 GB SXM6)", 8, 5352, 53.52, "B200", 180.0),
            ("gpu_1x_gh200", "GH200 (96 GB)", 1, 229, 2.29, "GH200 96GB", 96.0),
            ("gpu_1x_rtx6000", "RTX 6000 (24 GB)", 1, 69, 0.69, "Quadro RTX 6000", 24.0),
            ("gpu_2x_a6000", "RTX A6000 (48 GB)", 2, 218, 2.18, "RTX A6000", 48.0),
        ] {
            let harvest = read_one(name, &typed(name, gpu, gpus, &json!(cents), &regions));
            let [offer] = harvest.offers() else { panic!("{name}: {:?}", harvest.rejected()) };
            assert_eq!(offer.price.on_demand, Some(UsdPerHour::new(dollars)), "{name}");
            assert_eq!(card(offer), wanted, "{name}");
            assert_eq!(offer.hardware.vram, Some(Gib::new(vram)), "{name}");
            assert_eq!(offer.hardware.gpus, Some(f64::from(gpus)), "{name}");
            assert_eq!(offer.id(), format!("lambda:{name}@us-east-1"));
            assert_eq!(offer.place.country.unwrap().code(), "US");
            assert_eq!(offer.availability, Availability::Yes);
        }
    }

    #[test]
    fn no_region_is_sold_out_not_everywhere() {
        let row = typed("gpu_1x_a10", "A10 (24 GB PCIe)", 1, &json!(129), &json!([]));
        let harvest = read_one("gpu_1x_a10", &row);
        let [offer] = harvest.offers() else { panic!() };
        assert_eq!((offer.availability, &offer.place), (Availability::No, &Place::default()));
        let two = json!([{"name": "us-east-1"}, {"name": "me-west-1", "description": "Israel"}]);
        let row = typed("gpu_1x_a10", "A10 (24 GB PCIe)", 1, &json!(129), &two);
        let harvest = read_one("gpu_1x_a10", &row);
        assert_eq!(harvest.offers().len(), 2);
        assert_eq!(harvest.offers()[1].place.country.unwrap().code(), "IL", "not Iceland");
    }

    #[test]
    fn a_new_kind_of_type_costs_itself_at_most() {
        let none = json!([]);
        let cpu = typed("cpu_4x_generalx", "N/A", 0, &json!(20), &none);
        let mut odd = typed("gpu_1x_new", "", 1, &json!(100), &none);
        odd["instance_type"]["description"] = json!(null);
        let answer = json!({"data": {"cpu_4x_generalx": cpu, "gpu_1x_new": odd, "x": null, "y": 3,
            "gpu_1x_zx": typed("gpu_1x_zx", "ZX9 (32 GB)", 1, &json!(100), &none),
            "free": typed("free", "A10 (24 GB PCIe)", 1, &json!(0), &none)}});
        let harvest = read(&answer, UnixSeconds(0)).unwrap();
        let [offer] = harvest.offers() else { panic!("{:?}", harvest.offers()) };
        assert_eq!((offer.hardware.gpu, offer.hardware.gpu_raw.as_str()), (None, "ZX9 (32 GB)"));
        assert_eq!(offer.hardware.vram, Some(Gib::new(32.0)));
        assert_eq!(harvest.rejected().iter().map(|(_, n)| n).sum::<usize>(), 4);
    }

    #[test]
    fn a_price_that_is_missing_or_mad_is_unknown() {
        for bad in [json!(null), json!(-5), json!(1e300), json!("soon")] {
            let row = typed("gpu_1x_a10", "A10 (24 GB PCIe)", 1, &bad, &json!([]));
            assert_eq!(read_one("gpu_1x_a10", &row).offers()[0].price.on_demand, None, "{bad}");
        }
    }

    #[test]
    fn sixteen_is_not_one_and_lists_are_read_as_well() {
        assert_eq!(count_and_card("16x A100 (80 GB SXM4)"), (Some(16.0), "A100 (80 GB SXM4)"));
        assert_eq!(card_and_memory("A100 (80GB SXM4)"), ("A100 SXM4".into(), Some(80.0)));
        assert_eq!(card_and_memory("GH200"), ("GH200".into(), None));
        let mut row = typed("gpu_16x_a10", "A10 (24 GB PCIe)", 16, &json!(2064), &json!([]));
        row["instance_type"]["specs"]["gpus"] = json!(null);
        let harvest = read(&json!({"data": [row]}), UnixSeconds(0)).unwrap();
        assert_eq!(harvest.offers()[0].hardware.gpus, Some(16.0));
        for bad in [json!({"error": {"code": "x"}}), json!([]), json!({"data": null})] {
            assert!(read(&bad, UnixSeconds(0)).is_err(), "{bad}");
        }
    }
}
