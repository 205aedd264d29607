//! One plan as Vultr lists it, and the offers that it is: one for each region that has it.
//!
//! Units: `hourly_cost` $/h for the whole plan, replaced by that of `location_cost` where a region
//! has its own; `monthly_cost` $ that a calendar month costs at most; `ram` MB; `disk` GB; `gpu_vram_gb` GB of the whole plan; `gpu_count` a number, or a
//! fraction in text.

use crate::gpu::{GpuId, catalogue};
use crate::offer::{
    Availability, Basis, Country, Fees, Flags, Hardware, Link, Offer, Origin, Place, Price,
    Provider, Text,
};
use crate::provider::figures::{DEAREST, flags};
use crate::provider::harvest::{Harvest, Reason};
use crate::provider::lenient::{Flag, Number, Words, lenient_object, number};
use crate::units::{Gb, Gib, Hours, UnixSeconds, UsdPerGb, UsdPerGbMonth, UsdPerHour};
use serde_json::Value;
use std::collections::HashMap;

/// Fees as documented on 2025-09-15 (docs.vultr.com, billing): the disk is part of the plan; a
/// stopped machine costs the plan's full price, which is no price of a GB, so that one is unknown;
/// traffic in is free, and out is free up to 2 TB a month for each account; an hour is the least.
const FEES: Fees = Fees {
    storage: Some(UsdPerGbMonth::ZERO),
    storage_stopped: None,
    egress: Some(UsdPerGb::ZERO),
    ingress: Some(UsdPerGb::ZERO),
    minimum: Some(Hours::new(1.0)),
    monthly_cap: None,
};

/// Plans whose names or figures do not say what is in them: number of cards, card. From gpuhunt's
/// hand table (0.1.34) and Vultr's product pages, 2026.
const KNOWN: &[(&str, f64, &str)] = &[
    ("vcg-mi325x-252c-2872g-1536vram", 8.0, "MI325X"),
    ("vcg-b200-248c-2826g-1536vram", 8.0, "B200"),
    ("vbm-64c-2048gb-8-l40-gpu", 8.0, "L40S"),
    ("vbm-72c-480gb-gh200-gpu", 1.0, "GH200 96GB"),
    ("vbm-112c-2048gb-8-h100-gpu", 8.0, "H100 SXM"),
];

/// What a slice may be short of its exact share of the card.
const SAME_SIZE: f64 = 0.05;

lenient_object! {
    /// A plan, with the members that we use.
    struct Row {
        id: Words,
        kind = "type": Words,
        vcpu_count: Number,
        cpu_threads: Number,
        ram: Number,
        disk: Number,
        disk_count: Number,
        hourly_cost: Number,
        hourly_cost_preemptible: Number,
        monthly_cost: Number,
        deploy_ondemand: Flag,
        deploy_preemptible: Flag,
        gpu_brand: Words,
        gpu_type: Words,
        gpu_vram_gb: Number,
    }
}

/// Which list a plan stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shelf {
    /// Virtual machines.
    Cloud,
    /// Whole machines.
    Metal,
}

impl Shelf {
    const fn source(self) -> &'static str {
        match self {
            Shelf::Cloud => "Vultr plans (GET /v2/plans)",
            Shelf::Metal => "Vultr metal plans (GET /v2/plans-metal)",
        }
    }
}

/// Countries of Vultr's regions, which are named after airports.
#[derive(Debug, Default)]
pub(super) struct Regions(HashMap<String, Country>);

impl Regions {
    pub(super) fn read(rows: &[Value]) -> Regions {
        let text = |row: &Value, name: &str| row.get(name)?.as_str().map(str::to_owned);
        let known = rows
            .iter()
            .filter_map(|r| Some((text(r, "id")?, Country::from_name(&text(r, "country")?)?)));
        Regions(known.collect())
    }

    fn place(&self, id: &str) -> Place {
        Place::new(id, self.0.get(id).copied())
    }
}

/// A plan with GPUs in it.
pub(super) struct Plan<'a> {
    row: Row,
    value: &'a Value,
    shelf: Shelf,
    id: Text,
    cards: Cards,
    now: UnixSeconds,
}

/// What is in a plan.
#[derive(Debug, PartialEq)]
struct Cards {
    gpu: Option<GpuId>,
    raw: Text,
    count: f64,
    /// Memory of one card, or of the slice.
    vram: Option<Gib>,
}

impl<'a> Plan<'a> {
    /// The offers of a plan. Plans without a GPU are passed over.
    pub(super) fn offers(
        value: &'a Value,
        shelf: Shelf,
        regions: &Regions,
        now: UnixSeconds,
        harvest: &mut Harvest,
    ) {
        let Ok(row) = serde_json::from_value::<Row>(value.clone()) else {
            return harvest.reject("a row that is no object");
        };
        let Some(id) = row.id.text.clone() else { return harvest.reject("no plan id") };
        if !has_gpu(&row, id.as_str(), shelf) {
            return;
        }
        let count = match count(value.get("gpu_count")) {
            Ok(count) => count,
            Err(why) => return harvest.reject(why),
        };
        match Cards::read(&row, id.as_str(), count) {
            Err(why) => harvest.reject(why),
            Ok(cards) => {
                let plan = Plan { row, value, shelf, id, cards, now };
                plan.by_region(regions, harvest);
            }
        }
    }

    fn by_region(&self, regions: &Regions, harvest: &mut Harvest) {
        let listed = self.value.get("locations").and_then(Value::as_array);
        let here: Vec<&str> = listed
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::trim)
            .filter(|id| !id.is_empty())
            .collect();
        if here.is_empty() {
            // No region: sold out. Of dedicated cards (`vdm`) the public list is known to be
            // incomplete, so there it says nothing.
            let dedicated = self.row.kind.as_str() == "vdm" || listed.is_none();
            let none = if dedicated { Availability::NotStated } else { Availability::No };
            harvest.take(self.offer("", Place::default(), none));
        }
        for id in here {
            harvest.take(self.offer(id, regions.place(id), Availability::Yes));
        }
    }

    fn offer(&self, region: &str, place: Place, here: Availability) -> Result<Offer, Reason> {
        let price = self.price(region)?;
        let row = &self.row;
        let hardware = Hardware {
            gpu: self.cards.gpu,
            gpu_raw: self.cards.raw.clone(),
            gpus: Some(self.cards.count),
            vram: self.cards.vram,
            link: Link::Unknown,
            vcpus: row.vcpu_count.above_zero(1e5).or(row.cpu_threads.above_zero(1e5)),
            ram: row.ram.above_zero(1e9).map(Gib::from_mib),
            cuda_max: None,
            instance_type: Some(self.id.clone()),
        };
        let key = if region.is_empty() {
            self.id.clone()
        } else {
            Text::new(&format!("{}@{region}", self.id))
        };
        let cleaned = row.id.cleaned || row.gpu_type.cleaned || place.raw.as_str() != region;
        let disks = row.disk_count.above_zero(1000.0).filter(|_| self.shelf == Shelf::Metal);
        Ok(Offer {
            key,
            launch_id: self.id.clone(),
            provider: Provider::Vultr,
            host: None,
            flags: flags(&hardware, &price).with(Flags::CLEANED.when(cleaned)),
            hardware,
            place,
            price,
            fees: Fees { monthly_cap: self.monthly_cap(region), ..FEES },
            reliability: None,
            download: None,
            upload: None,
            disk: row.disk.above_zero(1e7).map(|d| Gb::new(d * disks.unwrap_or(1.0))),
            verified: None,
            availability: here,
            hazard: None,
            max_rental: None,
            origin: Origin {
                source: self.shelf.source(),
                basis: Basis::Live,
                fetched_at: self.now,
            },
        })
    }

    /// A cost in a region. A region with costs of its own has that one or none: what is missing
    /// there is not taken from elsewhere.
    fn cost(&self, region: &str, member: &str, common: Number) -> Number {
        let own = self.value.get("location_cost").and_then(|costs| costs.get(region));
        match own.filter(|_| !region.is_empty()) {
            Some(costs) => {
                let read = |v: &Value| serde_json::from_value::<Number>(v.clone()).ok();
                costs.get(member).and_then(read).unwrap_or_default()
            }
            None => common,
        }
    }

    /// Hours after which the month's bill ends: as many as the row's own price of a month pays for.
    /// The documentation says 730 for cloud GPUs and 672 for the rest, the rows say otherwise (an
    /// L40S ends at 672), so the row decides. What cannot be is no cap.
    fn monthly_cap(&self, region: &str) -> Option<Hours> {
        let month = self.cost(region, "monthly_cost", self.row.monthly_cost);
        let hour = self.cost(region, "hourly_cost", self.row.hourly_cost);
        let cap = Hours::new(month.above_zero(1e9)? / hour.above_zero(1e6)?);
        (cap >= Fees::SHORTEST_CAP && cap <= Fees::LONGEST_CAP).then_some(cap)
    }

    /// Prices in a region.
    fn price(&self, region: &str) -> Result<Price, Reason> {
        let of = |member: &str, common: Number| self.cost(region, member, common);
        let hourly = of("hourly_cost", self.row.hourly_cost);
        if hourly.0 == Some(0.0) {
            return Err("a price of zero");
        }
        let most = DEAREST * self.cards.count.max(1.0);
        let priced = |n: Number| n.above_zero(most).map(UsdPerHour::new);
        // Where a plan cannot be preempted the preemptible price repeats the other one.
        let preemptible = self.row.deploy_preemptible.0 == Some(true);
        let spot = of("hourly_cost_preemptible", self.row.hourly_cost_preemptible);
        Ok(Price {
            on_demand: priced(hourly).filter(|_| self.row.deploy_ondemand.0 != Some(false)),
            spot: priced(spot).filter(|_| preemptible),
        })
    }
}

fn has_gpu(row: &Row, id: &str, shelf: Shelf) -> bool {
    let brand = row.gpu_brand.as_str();
    let branded = !brand.is_empty() && !brand.eq_ignore_ascii_case("none");
    let named = match shelf {
        Shelf::Cloud => id.starts_with("vcg-"),
        Shelf::Metal => id.ends_with("-gpu"),
    };
    branded || named || row.gpu_type.text.is_some()
}

/// `gpu_count`: `1`, `"8"` or `"1/12"`. `None` where it is not said.
fn count(value: Option<&Value>) -> Result<Option<f64>, Reason> {
    const BAD: Reason = "a GPU count that cannot be";
    let count = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(n)) => n.as_f64(),
        Some(Value::String(text)) => match text.split_once('/') {
            None => number(text),
            Some((part, whole)) => {
                let (part, whole) = number(part).zip(number(whole)).ok_or(BAD)?;
                (part > 0.0 && part <= whole && whole <= 64.0).then(|| part / whole)
            }
        },
        Some(_) => None,
    };
    let count = count.filter(|n| *n > 0.0 && *n <= 64.0 && (*n < 1.0 || n.fract() == 0.0));
    count.map(Some).ok_or(BAD)
}

impl Cards {
    /// What is in the plan `id`, of which Vultr says that it holds `count` cards.
    fn read(row: &Row, id: &str, count: Option<f64>) -> Result<Cards, Reason> {
        let known = KNOWN.iter().find(|(plan, ..)| *plan == id);
        let (name, named_count) = match known {
            Some((_, count, card)) => ((*card).to_owned(), Some(*count)),
            None => named(row, id).ok_or("no GPU name")?,
        };
        let raw = row.gpu_type.text.clone().unwrap_or_else(|| Text::new(&name));
        let total = row.gpu_vram_gb.above_zero(10_000.0);
        let card = Self::card(&name, total);
        let memory = card.and_then(|id| catalogue().get(id)).map(|c| c.memory.get());
        let count = count
            .or(named_count)
            .or_else(|| by_memory(total.or_else(|| suffix(id)), total.is_some(), memory?))
            .ok_or("no GPU count")?;
        let whole = count >= 1.0;
        // Of a known card the catalogue knows the memory better than a plan does (a plan's name has
        // 1536 GB for eight cards of 256).
        let stated = total.map(|t| if whole { t / count } else { t });
        let share = memory.map(|m| if whole { m } else { m * count });
        let vram = if whole { memory.or(stated) } else { stated.or(share) };
        Ok(Cards { gpu: card, raw, count, vram: vram.map(Gib::new) })
    }

    /// Vultr sells one kind of each card, in full or in slices: the memory of a plan does not tell
    /// which card it is. Its A100 is the one of 80 GB (their product page and `gpu_vram_gb`).
    fn card(name: &str, total: Option<f64>) -> Option<GpuId> {
        let catalogue = catalogue();
        let kind = match name {
            "A100" => "A100 SXM 80GB",
            "H100" => "H100 SXM",
            other => other,
        };
        catalogue.identify(kind, None).or_else(|| catalogue.identify(kind, total.map(Gib::new)))
    }
}

/// Card and number, from `gpu_type` (`NVIDIA_L40S`) or the plan's name (`vcg-a40-…`,
/// `vbm-48c-1024gb-4-a100-gpu`).
fn named(row: &Row, id: &str) -> Option<(String, Option<f64>)> {
    let parts: Vec<&str> = id.split('-').collect();
    let (from_id, number) = match parts.as_slice() {
        ["vcg", card, ..] => (Some(*card), None),
        ["vbm", .., n, card, "gpu"] => (Some(*card), n.parse::<f64>().ok()),
        _ => (None, None),
    };
    let typed = row.gpu_type.as_str().split('_').nth(1).filter(|t| !t.is_empty());
    let card = typed.or(from_id)?.to_ascii_uppercase();
    Some((card, number.filter(|n| (1.0..=64.0).contains(n) && n.fract() == 0.0)))
}

/// The number of cards that a plan's memory means: a share of one card, or several where Vultr
/// states the memory as a figure (a name may lie).
fn by_memory(total: Option<f64>, stated: bool, one: f64) -> Option<f64> {
    let ratio = total? / one;
    if (ratio - 1.0).abs() <= SAME_SIZE {
        return Some(1.0);
    }
    if ratio < 1.0 {
        return (ratio > 0.0).then_some(ratio);
    }
    let near = (ratio - ratio.round()).abs() <= SAME_SIZE * ratio;
    (stated && near && ratio < 64.0).then(|| ratio.round())
}

/// GB in a plan's name: `…-48vram`.
fn suffix(id: &str) -> Option<f64> {
    id.rsplit('-').next()?.strip_suffix("vram")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(shelf: Shelf, rows: &[Value]) -> Harvest {
        let regions = Regions::read(&[
            json!({"id": "ewr", "city": "New Jersey", "country": "US", "continent": "North America"}),
            json!({"id": "fra", "city": "Frankfurt", "country": "DE", "continent": "Europe"}),
            json!({"id": "blr", "country": "IN"}),
            json!({"id": 7}),
        ]);
        let mut harvest = Harvest::default();
        for row in rows {
            Plan::offers(row, shelf, &regions, UnixSeconds(1_796_000_000), &mut harvest);
        }
        harvest
    }

    fn cloud(row: Value) -> Harvest {
        read(Shelf::Cloud, &[row])
    }

    fn card(offer: &Offer) -> &'static str {
        offer.hardware.gpu.and_then(|id| catalogue().get(id)).map_or("-", |g| g.name)
    }

    fn dollars(offer: &Offer) -> Option<f64> {
        offer.price.on_demand.map(UsdPerHour::get)
    }

    fn plan(id: &str, figures: &Value) -> Value {
        let mut row = json!({"id": id, "type": "vcg", "locations": ["ewr"], "gpu_brand": "NVIDIA",
            "deploy_ondemand": true, "deploy_preemptible": false});
        for (name, value) in figures.as_object().unwrap() {
            row[name] = value.clone();
        }
        row
    }

    /// Figures of plans seen in 2024 and September 2026: id, count, total GB, $/h; wanted: card,
    /// number, GB of one card or slice.
    #[test]
    fn real_plans_read_as_checked_by_hand() {
        let checked = [
            ("vcg-a16-2c-8g-2vram", json!("1/8"), json!(2), 0.059, "A16 (per GPU)", 0.125, 2.0),
            ("vcg-a16-2c-16g-4vram", json!("1/4"), json!(4), 0.118, "A16 (per GPU)", 0.25, 4.0),
            ("vcg-a40-2c-10g-4vram", json!("1/12"), json!(4), 0.144, "A40", 1.0 / 12.0, 4.0),
            ("vcg-l40s-16c-180g-48vram", json!(1), json!(48), 1.671, "L40S", 1.0, 48.0),
            ("vcg-a100-12c-120g-80vram", json!(null), json!(80), 2.397, "A100 SXM 80GB", 1.0, 80.0),
            ("vcg-a100-6c-60g-40vram", json!(null), json!(40), 1.397, "A100 SXM 80GB", 0.5, 40.0),
            ("vcg-a100-1c-6g-4vram", json!(null), json!(4), 0.123, "A100 SXM 80GB", 0.05, 4.0),
            ("vcg-a100-24c-240g-160vram", json!(2), json!(160), 4.795, "A100 SXM 80GB", 2.0, 80.0),
            ("vcg-a40-24c-120g-48vram", json!(null), json!(null), 1.712, "A40", 1.0, 48.0),
        ];
        for (id, count, total, price, name, gpus, vram) in checked {
            let kind = id.split('-').nth(1).unwrap().to_uppercase();
            let mut row = plan(id, &json!({"gpu_count": count, "hourly_cost": price}));
            row["gpu_vram_gb"] = total;
            row["gpu_type"] = json!(format!("NVIDIA_{kind}"));
            let harvest = cloud(row);
            let [offer] = harvest.offers() else { panic!("{id}: {:?}", harvest.rejected()) };
            assert_eq!(card(offer), name, "{id}");
            assert!((offer.hardware.gpus.unwrap() - gpus).abs() < 1e-12, "{id}");
            assert_eq!(offer.hardware.vram, Some(Gib::new(vram)), "{id}");
            assert_eq!(dollars(offer), Some(price), "{id}");
            assert_eq!(offer.price.spot, None, "{id}");
            assert_eq!(offer.id(), format!("vultr:{id}@ewr"));
            assert_eq!(offer.place.country, Country::from_code("US"));
        }
    }

    #[test]
    fn whole_machines_take_their_number_from_the_name_and_the_table() {
        for (id, price, name, gpus, vram) in [
            ("vbm-256c-2048gb-8-mi300x-gpu", 17.52, "MI300X", 8.0, 192.0),
            ("vbm-112c-2048gb-8-h100-gpu", 23.92, "H100 SXM", 8.0, 80.0),
            ("vbm-48c-1024gb-4-a100-gpu", 9.0, "A100 SXM 80GB", 4.0, 80.0),
            ("vbm-64c-2048gb-8-l40-gpu", 10.0, "L40S", 8.0, 48.0),
            ("vbm-72c-480gb-gh200-gpu", 2.0, "GH200 96GB", 1.0, 96.0),
        ] {
            let row = json!({"id": id, "cpu_threads": 224, "ram": 2_097_152, "disk": 960,
                "disk_count": 2, "hourly_cost": price, "hourly_cost_preemptible": 18.4,
                "type": "NVMe", "locations": ["fra"]});
            let harvest = read(Shelf::Metal, &[row]);
            let [offer] = harvest.offers() else { panic!("{id}: {:?}", harvest.rejected()) };
            assert_eq!((card(offer), offer.hardware.gpus), (name, Some(gpus)), "{id}");
            assert_eq!(offer.hardware.vram, Some(Gib::new(vram)), "{id}");
            assert_eq!((dollars(offer), offer.price.spot), (Some(price), None), "{id}");
            assert_eq!(offer.hardware.ram, Some(Gib::new(2048.0)));
            assert_eq!(offer.disk, Some(Gb::new(1920.0)));
        }
    }

    #[test]
    fn a_plans_name_that_lies_about_memory_is_not_believed() {
        let row = json!({"id": "vcg-mi325x-252c-2872g-1536vram", "type": "vdm", "locations": [],
            "hourly_cost": 36.92, "deploy_ondemand": false, "deploy_preemptible": true,
            "gpu_brand": "AMD"});
        let harvest = cloud(row);
        let offer = &harvest.offers()[0];
        assert_eq!((card(offer), offer.hardware.gpus), ("MI325X", Some(8.0)));
        assert_eq!(offer.hardware.vram, Some(Gib::new(256.0)));
        // Not for rent on demand, and what a preemptible hour costs is not said.
        assert_eq!(offer.price, Price::default());
        assert_eq!(offer.availability, Availability::NotStated);
        let unknown = json!({"id": "vcg-a40-96c-480g-144vram", "locations": ["ewr"],
            "hourly_cost": 5.0, "gpu_brand": "NVIDIA"});
        assert_eq!(cloud(unknown).rejected(), [("no GPU count", 1)]);
    }

    #[test]
    fn a_region_with_its_own_price_has_that_one_or_none() {
        let costs = json!({
            "fra": {"hourly_cost": 2.5}, "blr": {"monthly_cost": 3.0}, "del": {"hourly_cost": 0},
        });
        let row = plan(
            "vcg-l40s-16c-180g-48vram",
            &json!({"gpu_type": "NVIDIA_L40S",
            "gpu_count": 1, "hourly_cost": 1.671, "locations": ["ewr", "fra", "blr", "del", "", 5],
            "location_cost": costs}),
        );
        let harvest = cloud(row);
        let prices: Vec<_> =
            harvest.offers().iter().map(|o| (o.place.raw.as_str(), dollars(o))).collect();
        assert_eq!(prices, [("ewr", Some(1.671)), ("fra", Some(2.5)), ("blr", None)]);
        assert_eq!(harvest.rejected(), [("a price of zero", 1)]);
    }

    #[test]
    fn no_region_is_sold_out_not_everywhere() {
        let row = plan(
            "vcg-l40s-16c-180g-48vram",
            &json!({"gpu_type": "NVIDIA_L40S", "gpu_count": 1, "hourly_cost": 1.671, "locations": []}),
        );
        let harvest = cloud(row);
        assert_eq!(harvest.offers().len(), 1);
        assert_eq!(harvest.offers()[0].availability, Availability::No);
        assert_eq!(harvest.offers()[0].place, Place::default());
    }

    /// 1122.91 / 1.671 = 672 h, 43 / 0.059 = 728.8 h (rows of September 2026).
    #[test]
    fn the_cap_of_a_month_is_the_rows_own() {
        let cap = |figures: Value| {
            let row = plan("vcg-l40s-16c-180g-48vram", &figures);
            cloud(row).offers()[0].fees.monthly_cap.map(Hours::get)
        };
        let of = |hour: f64, month: f64| {
            cap(json!({"gpu_type": "NVIDIA_L40S", "gpu_count": 1, "hourly_cost": hour,
                "monthly_cost": month}))
        };
        assert!((of(1.671, 1122.91).unwrap() - 672.0).abs() < 0.01);
        assert!((of(0.059, 43.0).unwrap() - 728.81).abs() < 0.01);
        for (hour, month) in [(1.0, 1.0), (1.0, 0.0), (0.1, 400.0)] {
            assert_eq!(of(hour, month), None, "{hour} {month}");
        }
        // A region with an hourly cost of its own and no monthly one has no cap that we know.
        let here = json!({"gpu_type": "NVIDIA_L40S", "gpu_count": 1, "hourly_cost": 1.671,
            "monthly_cost": 1122.91, "location_cost": {"ewr": {"hourly_cost": 2.0}}});
        assert_eq!(cap(here), None);
    }

    #[test]
    fn a_preemptible_price_counts_only_where_preemption_is_sold() {
        let figures = json!({"gpu_type": "NVIDIA_L40S", "gpu_count": 1, "hourly_cost": 1.671,
            "hourly_cost_preemptible": 1.2});
        let mut row = plan("vcg-l40s-16c-180g-48vram", &figures);
        assert_eq!(cloud(row.clone()).offers()[0].price.spot, None);
        row["deploy_preemptible"] = json!(true);
        assert_eq!(cloud(row).offers()[0].price.spot, Some(UsdPerHour::new(1.2)));
    }

    #[test]
    fn plans_without_a_gpu_are_neither_offers_nor_errors() {
        let row = json!({"id": "vc2-1c-1gb", "type": "vc2", "hourly_cost": 0.007,
            "locations": ["ewr"], "gpu_brand": "none"});
        let harvest = cloud(row);
        assert!(harvest.offers().is_empty() && harvest.rejected().is_empty());
    }

    #[test]
    fn one_bad_row_costs_one_row_and_zero_is_no_price() {
        let good = plan(
            "vcg-l40s-16c-180g-48vram",
            &json!({"gpu_type": "NVIDIA_L40S",
            "gpu_count": "1", "hourly_cost": "1.671"}),
        );
        let zero = plan(
            "vcg-l40s-free",
            &json!({"gpu_type": "NVIDIA_L40S", "gpu_count": 1, "hourly_cost": 0}),
        );
        let odd = plan("vcg-l40s-odd", &json!({"gpu_type": "NVIDIA_L40S", "gpu_count": 0}));
        let half = plan("vcg-l40s-half", &json!({"gpu_type": "NVIDIA_L40S", "gpu_count": "9/8"}));
        let harvest = read(Shelf::Cloud, &[json!(null), json!({}), zero, odd, half, good]);
        assert_eq!(harvest.offers().len(), 1);
        assert_eq!(dollars(&harvest.offers()[0]), Some(1.671));
        let bad: usize = harvest.rejected().iter().map(|(_, n)| n).sum();
        assert_eq!(bad, 5);
    }

    #[test]
    fn an_unknown_card_stays_visible_without_invented_figures() {
        let row = plan(
            "vcg-zx9-8c-64g-32vram",
            &json!({"gpu_type": "NVIDIA_ZX9", "gpu_count": 1,
            "gpu_vram_gb": 32, "hourly_cost": 1.0}),
        );
        let harvest = cloud(row);
        let offer = &harvest.offers()[0];
        assert_eq!((offer.hardware.gpu, offer.hardware.gpu_raw.as_str()), (None, "NVIDIA_ZX9"));
        assert_eq!(offer.hardware.vram, Some(Gib::new(32.0)));
    }

    #[test]
    fn a_plan_that_comes_twice_is_one_offer() {
        let figures = json!({"gpu_type": "NVIDIA_L40S", "gpu_count": 1, "hourly_cost": 1.671});
        let row = plan("vcg-l40s-16c-180g-48vram", &figures);
        let mut other = row.clone();
        other["hourly_cost"] = json!(0.9);
        let harvest = read(Shelf::Cloud, &[row.clone(), row.clone()]);
        assert_eq!(harvest.offers().len(), 1);
        assert!(!harvest.offers()[0].flags.has(crate::offer::Flags::CONFLICTING));
        let harvest = read(Shelf::Cloud, &[row, other]);
        assert_eq!(dollars(&harvest.offers()[0]), Some(1.671));
        assert!(harvest.offers()[0].flags.has(crate::offer::Flags::CONFLICTING));
    }
}
