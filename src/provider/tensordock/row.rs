//! Places and hosts as TensorDock lists them, and what we make of them.
//!
//! Units: `price_per_hr` $/h for one GPU alone; `per_vcpu_hr`, `per_gb_ram_hr`, `per_gb_storage_hr`
//! $/h each; `uptime_percentage` 0–100; `network_speed_*_gbps` Gbit/s. The memory of a card stands in
//! its name only (`…-24gb`).
//!
//! A machine costs the sum of its parts, so an offer is a composition of ours: for each GPU the
//! eight processors and 32 GB that TensorDock's own example takes, or as many as there are. If the
//! price of one part is not known, the price of the machine is not.

use crate::gpu::catalogue;
use crate::offer::{
    Availability, Basis, Fees, Flags, Hardware, Link, Offer, Origin, Place, Price, Provider, Text,
};
use crate::provider::figures::{DEAREST, dollars, flags};
use crate::provider::harvest::{Harvest, Reason, counts, list};
use crate::provider::lenient::{Number, Words, lenient_object};
use crate::units::{
    Gb, Gib, HOURS_PER_TWELFTH, Hours, Mbps, Share, UnixSeconds, UsdPerGb, UsdPerGbMonth,
    UsdPerHour,
};
use serde_json::Value;

const LOCATIONS: &str = "TensorDock places (GET /api/v2/locations)";
const HOSTS: &str = "TensorDock hosts (GET /api/v2/hostnodes)";

/// Processors for each GPU; an odd total is refused.
const VCPUS: f64 = 8.0;
/// Main memory for each GPU, GB.
const RAM: f64 = 32.0;
/// Dollars an hour above which the price of a processor or of a GB is none.
const DEAREST_PART: f64 = 10.0;
/// Cards of one machine.
const MOST_GPUS: u64 = 16;

lenient_object! {
    struct Pricing {
        vcpu = "per_vcpu_hr": Number,
        ram = "per_gb_ram_hr": Number,
        storage = "per_gb_storage_hr": Number,
    }
}

lenient_object! {
    struct Card {
        v0_name = "v0Name": Words,
        display_name = "displayName": Words,
        max_count: Number,
        available_count = "availableCount": Number,
        price_per_hr: Number,
    }
}

lenient_object! {
    struct Where {
        id: Words,
        uuid: Words,
        city: Words,
        stateprovince: Words,
        country: Words,
        network_speed_gbps: Number,
        network_speed_upload_gbps: Number,
        organization_name = "organizationName": Words,
    }
}

lenient_object! {
    struct Resources {
        max_vcpus: Number,
        max_ram_gb: Number,
        max_storage_gb: Number,
        vcpu_count: Number,
        ram_gb: Number,
        storage_gb: Number,
    }
}

/// What is the same for all cards of a place or a host.
struct Site {
    /// `loc` or `host`, for keys; with the id and what the launch call wants.
    key: String,
    launch: Text,
    source: &'static str,
    place: Place,
    host: Option<Text>,
    reliability: Option<Share>,
    download: Option<Mbps>,
    upload: Option<Mbps>,
    cleaned: bool,
}

/// Makes offers of rows.
pub(super) struct Reader {
    /// When the fetch began.
    pub(super) now: UnixSeconds,
}

impl Reader {
    /// The offers of a place.
    pub(super) fn location(&self, value: &Value, harvest: &mut Harvest) {
        let Some(place) = part::<Where>(Some(value)) else {
            return harvest.reject("a row that is no object");
        };
        let Some(id) = place.id.text.as_ref().or(place.uuid.text.as_ref()) else {
            return harvest.reject("no id of a place");
        };
        let site = Site {
            key: format!("loc.{id}"),
            launch: Text::new(&format!("location:{id}")),
            source: LOCATIONS,
            host: None,
            reliability: None,
            download: None,
            upload: None,
            place: stands(&place),
            cleaned: place.cleaned(),
        };
        let Some(cards) = list_of(value, "gpus") else {
            return harvest.reject("a place without a list of GPUs");
        };
        for (name, card) in cards {
            let resources = part(card.get("resources")).unwrap_or_default();
            let pricing = part(card.get("pricing")).unwrap_or_default();
            self.card(&site, (name, card), (&pricing, &resources), harvest);
        }
    }

    /// The offers of a host.
    pub(super) fn host(&self, value: &Value, harvest: &mut Harvest) {
        let id = part::<Where>(Some(value)).and_then(|row| row.id.text);
        let Some(id) = id else { return harvest.reject("no id of a host") };
        let place = part::<Where>(value.get("location")).unwrap_or_default();
        let speed = |n: Number| n.above_zero(10_000.0).map(|gbps| Mbps::new(gbps * 1000.0));
        let uptime: Number = part(value.get("uptime_percentage")).unwrap_or_default();
        let site = Site {
            key: format!("host.{id}"),
            launch: Text::new(&format!("hostnode:{id}")),
            source: HOSTS,
            host: Some(place.organization_name.text.clone().unwrap_or_else(|| id.clone())),
            reliability: uptime.up_to(100.0).map(|percent| Share::new(percent / 100.0)),
            download: speed(place.network_speed_gbps),
            upload: speed(place.network_speed_upload_gbps),
            place: stands(&place),
            cleaned: place.cleaned(),
        };
        let available = value.get("available_resources");
        let Some(cards) = available.and_then(|a| list_of(a, "gpus")) else {
            return harvest.reject("a host without a list of GPUs");
        };
        let resources = part(available).unwrap_or_default();
        let pricing = part(value.get("pricing")).unwrap_or_default();
        for (name, card) in cards {
            self.card(&site, (name, card), (&pricing, &resources), harvest);
        }
    }

    /// The offers of one kind of card at a site.
    fn card(
        &self,
        site: &Site,
        (member, value): (&str, &Value),
        (pricing, resources): (&Pricing, &Resources),
        harvest: &mut Harvest,
    ) {
        let Some(mut card) = part::<Card>(Some(value)) else {
            return harvest.reject("a GPU that is no object");
        };
        if card.v0_name.text.is_none() {
            let (text, cleaned) = Text::clean(member);
            card.v0_name = Words { text: Some(text).filter(|t| !t.is_empty()), cleaned };
        }
        if card.v0_name.text.is_none() {
            return harvest.reject("no GPU name");
        }
        if card.price_per_hr.0 == Some(0.0) {
            return harvest.reject("a price of zero");
        }
        let stated = card.max_count.0.or(card.available_count.0);
        let (numbers, here) = match stated {
            Some(0.0) => (vec![1], Availability::No),
            Some(n) if (1.0..=MOST_GPUS as f64).contains(&n) && n.fract() == 0.0 => {
                (counts(n as u64), Availability::Yes)
            }
            Some(_) => return harvest.reject("a GPU count that cannot be"),
            None => (vec![1], Availability::NotStated),
        };
        for number in numbers {
            let machine = Machine::compose(number as f64, resources);
            harvest.take(self.offer(site, &card, pricing, &machine, here));
        }
    }

    fn offer(
        &self,
        site: &Site,
        card: &Card,
        pricing: &Pricing,
        machine: &Machine,
        here: Availability,
    ) -> Result<Offer, Reason> {
        let name = card.v0_name.text.clone().ok_or("no GPU name")?;
        let (vram, gpu) = identity(&name, card.display_name.as_str());
        let price = Price { on_demand: machine.price(card.price_per_hr, pricing), spot: None };
        let hardware = Hardware {
            gpu,
            gpu_raw: name.clone(),
            gpus: Some(machine.gpus),
            vram,
            link: Link::Unknown,
            vcpus: Some(machine.vcpus),
            ram: Some(Gb::new(machine.ram).to_bytes().to_gib()),
            cuda_max: None,
            instance_type: None,
        };
        let cleaned = site.cleaned || card.v0_name.cleaned;
        Ok(Offer {
            key: Text::new(&format!("{}.{name}.x{}", site.key, machine.gpus)),
            launch_id: site.launch.clone(),
            provider: Provider::Tensordock,
            host: site.host.clone(),
            flags: flags(&hardware, &price).with(Flags::CLEANED.when(cleaned)),
            hardware,
            place: site.place.clone(),
            price,
            fees: fees(pricing),
            reliability: site.reliability,
            download: site.download,
            upload: site.upload,
            disk: machine.disk,
            verified: None,
            availability: here,
            hazard: None,
            max_rental: None,
            origin: Origin { source: site.source, basis: Basis::Live, fetched_at: self.now },
        })
    }
}

impl Where {
    fn cleaned(&self) -> bool {
        self.city.cleaned || self.country.cleaned || self.id.cleaned
    }
}

/// A machine that we compose, and price.
struct Machine {
    gpus: f64,
    vcpus: f64,
    /// GB.
    ram: f64,
    disk: Option<Gb>,
}

impl Machine {
    /// As many processors and as much memory as the example has, or as there are.
    fn compose(gpus: f64, most: &Resources) -> Machine {
        let limit = |a: Number, b: Number| a.above_zero(1e6).or(b.above_zero(1e6));
        let vcpus = limit(most.max_vcpus, most.vcpu_count).unwrap_or(f64::MAX).min(VCPUS * gpus);
        let ram = limit(most.max_ram_gb, most.ram_gb).unwrap_or(f64::MAX).min(RAM * gpus);
        let disk = limit(most.max_storage_gb, most.storage_gb).map(Gb::new);
        // Even, and at least two.
        Machine { gpus, vcpus: ((vcpus / 2.0).floor() * 2.0).max(2.0), ram: ram.floor(), disk }
    }

    /// The sum of the parts without the disk, which [`Fees`] hold; unknown when a part is.
    fn price(&self, one_gpu: Number, pricing: &Pricing) -> Option<UsdPerHour> {
        let gpu = one_gpu.above_zero(DEAREST)?;
        let vcpu = pricing.vcpu.up_to(DEAREST_PART)?;
        let ram = pricing.ram.up_to(DEAREST_PART)?;
        pricing.storage.up_to(DEAREST_PART)?;
        Some(dollars(self.gpus * gpu + self.vcpus * vcpu + self.ram * ram))
    }
}

/// Fees as of 2026-05 (tensordock.com and its API pages): disk at the site's rate, running or
/// released; billed for the time used; what traffic costs is stated nowhere.
fn fees(pricing: &Pricing) -> Fees {
    let storage = pricing.storage.up_to(DEAREST_PART);
    let storage = storage.map(|hourly| UsdPerGbMonth::new(hourly * HOURS_PER_TWELFTH));
    Fees {
        storage,
        storage_stopped: storage,
        egress: None::<UsdPerGb>,
        ingress: None,
        minimum: Some(Hours::ZERO),
        monthly_cap: None,
    }
}

/// Memory and card, from a name such as `geforcertx4090-pcie-24gb`.
fn identity(name: &Text, shown: &str) -> (Option<Gib>, Option<crate::gpu::GpuId>) {
    let size = |text: &str| {
        let last = text.rsplit(['-', ' ']).next()?.to_ascii_lowercase();
        let gb = last.strip_suffix("gb")?.parse::<f64>().ok()?;
        Gib::checked(gb).filter(|g| (1.0..=1024.0).contains(&g.get()))
    };
    let vram = size(name.as_str()).or_else(|| size(shown));
    let card = catalogue().identify(name.as_str(), vram);
    (vram, card.or_else(|| catalogue().identify(shown, vram)))
}

/// City, state and country in words.
fn stands(place: &Where) -> Place {
    let city = place.city.text.as_ref().or(place.stateprovince.text.as_ref());
    Place::spelled(city.map_or("", Text::as_str), place.country.as_str())
}

fn part<T: serde::de::DeserializeOwned>(value: Option<&Value>) -> Option<T> {
    serde_json::from_value(value?.clone()).ok()
}

/// A member that is a list, or an object keyed by name.
fn list_of<'a>(value: &'a Value, member: &str) -> Option<Vec<(&'a str, &'a Value)>> {
    value.get(member)?;
    list(value, member)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
