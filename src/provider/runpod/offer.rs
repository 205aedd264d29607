//! What both of RunPod's interfaces say about a card in one cloud, and the offers that it is.
//!
//! Units: prices are $/h for one GPU and grow with the number; memory is GB of one GPU.

use crate::gpu::{GpuId, catalogue};
use crate::offer::{
    Availability, Basis, Fees, Flags, Hardware, Link, Offer, Origin, Place, Price, Provider, Text,
};
use crate::provider::figures::{DEAREST, dollars, flags};
use crate::provider::harvest::{Harvest, Reason, counts};
use crate::provider::lenient::{Number, Words};
use crate::units::{Gib, Hours, UnixSeconds, UsdPerGb, UsdPerGbMonth};

/// Fees as documented on 2026-08-20 (runpod/docs, pods/pricing): a volume costs 0.10 $/GB and month
/// while the pod runs and 0.20 while it is stopped; traffic is free; billed by the second.
const FEES: Fees = Fees {
    storage: Some(UsdPerGbMonth::new(0.10)),
    storage_stopped: Some(UsdPerGbMonth::new(0.20)),
    egress: Some(UsdPerGb::ZERO),
    ingress: Some(UsdPerGb::ZERO),
    minimum: Some(Hours::new(1.0 / 3600.0)),
    monthly_cap: None,
};

/// The price that stands where RunPod has none (seen for MI300X, H200 NVL, RTX 2000 Ada, 2025-11 to
/// 2026-08).
const PLACEHOLDER: f64 = 0.5;
/// A community price below this share of the secure one at the placeholder's value is none.
const TOO_CHEAP: f64 = 0.4;
/// GPUs of one pod.
const MOST_GPUS: f64 = 16.0;

/// Whose data centres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cloud {
    Secure,
    Community,
}

impl Cloud {
    pub(super) const BOTH: [Cloud; 2] = [Cloud::Secure, Cloud::Community];

    /// As the launch calls write it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Cloud::Secure => "SECURE",
            Cloud::Community => "COMMUNITY",
        }
    }

    /// As keys write it.
    const fn short(self) -> &'static str {
        match self {
            Cloud::Secure => "secure",
            Cloud::Community => "community",
        }
    }
}

/// A kind of card.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub(super) id: Text,
    pub(super) gpu: Option<GpuId>,
    pub(super) vram: Option<Gib>,
    pub(super) cleaned: bool,
}

impl Kind {
    /// The kind of an id and a name for people; RunPod lists one `unknown`, which is none.
    pub(super) fn read(id: &Words, shown: &Words, memory: Number) -> Result<Kind, Reason> {
        let name = id.text.clone().ok_or("no GPU id")?;
        if name.as_str().eq_ignore_ascii_case("unknown") {
            return Err("a GPU without a name");
        }
        let vram = memory.above_zero(2048.0).map(Gib::new);
        let card = catalogue().identify(name.as_str(), vram);
        // A slice stays a slice, whatever the other name says.
        let slice = name.as_str().to_ascii_uppercase().contains("MIG");
        let gpu = card.or_else(|| catalogue().identify(shown.as_str(), vram)).filter(|_| !slice);
        Ok(Kind { id: name, gpu, vram, cleaned: id.cleaned || shown.cleaned })
    }
}

/// What stock a place has, for one number of GPUs.
#[derive(Clone, Debug, Default)]
pub(super) struct Stock {
    /// Something is there.
    pub(super) some: bool,
    /// Numbers of GPUs that one pod can have, where that is said.
    pub(super) numbers: Option<Vec<u64>>,
    /// Processors and GB of memory that come with `for_gpus` GPUs at least.
    pub(super) vcpus: Option<f64>,
    pub(super) ram: Option<f64>,
}

impl Stock {
    /// From `High`, `LOW`, `None`, null: whatever the case.
    pub(super) fn is_some(level: &str) -> bool {
        ["low", "medium", "high"].iter().any(|l| level.eq_ignore_ascii_case(l))
    }

    /// Can a pod with that many GPUs be had?
    pub(super) fn of(&self, gpus: u64) -> Availability {
        match &self.numbers {
            _ if !self.some => Availability::No,
            Some(numbers) if numbers.contains(&gpus) => Availability::Yes,
            Some(_) => Availability::No,
            None if gpus == 1 => Availability::Yes,
            None => Availability::NotStated,
        }
    }
}

/// A card in one cloud: what it costs and how many a pod may have.
#[derive(Clone, Debug)]
pub(super) struct Listing<'a> {
    pub(super) kind: &'a Kind,
    pub(super) cloud: Cloud,
    /// $/h for one GPU.
    pub(super) price: f64,
    /// The most that a pod may have; one where that is not said.
    pub(super) most: u64,
    pub(super) source: &'static str,
    pub(super) now: UnixSeconds,
}

/// $/h for one GPU in a cloud, or why it is not sold there: `Ok(None)` where that is said plainly.
pub(super) fn price(
    cloud: Cloud,
    sold: Option<bool>,
    own: Number,
    other: Number,
    stock: bool,
) -> Result<Option<f64>, Reason> {
    if sold == Some(false) || matches!(own.0, None | Some(0.0)) {
        return Ok(None);
    }
    let price = own.above_zero(DEAREST).ok_or("a price that cannot be")?;
    let doubtful = cloud == Cloud::Community
        && other.above_zero(DEAREST).is_some_and(|other| price < TOO_CHEAP * other);
    if price == PLACEHOLDER && (!stock || doubtful) {
        return Err("a placeholder price");
    }
    Ok(Some(price))
}

/// The most GPUs of a pod.
pub(super) fn most(stated: Number) -> u64 {
    stated.whole().filter(|n| (1..=MOST_GPUS as u64).contains(n)).unwrap_or(1)
}

impl Listing<'_> {
    /// One offer for each number of GPUs, at one place.
    pub(super) fn at(&self, place: &Place, stock: &Stock, harvest: &mut Harvest) {
        for gpus in counts(self.most) {
            harvest.take(Ok(self.offer(place, gpus, stock.of(gpus), stock)));
        }
    }

    /// The offer of a number of GPUs.
    pub(super) fn offer(
        &self,
        place: &Place,
        gpus: u64,
        here: Availability,
        stock: &Stock,
    ) -> Offer {
        let number = gpus as f64;
        let price = Price { on_demand: Some(dollars(self.price * number)), spot: None };
        let hardware = Hardware {
            gpu: self.kind.gpu,
            gpu_raw: self.kind.id.clone(),
            gpus: Some(number),
            vram: self.kind.vram,
            link: Link::Unknown,
            vcpus: stock.vcpus.map(|n| n * number),
            ram: stock.ram.map(|n| Gib::new(n * number)),
            cuda_max: None,
            instance_type: None,
        };
        let id = &self.kind.id;
        let at = if place.raw.is_empty() { "any" } else { place.raw.as_str() };
        let key = format!("{}.{at}.{id}.x{gpus}", self.cloud.short()).replace(' ', "_");
        Offer {
            key: Text::new(&key),
            launch_id: Text::new(&format!("{}:{id}", self.cloud.name())),
            provider: Provider::Runpod,
            host: None,
            flags: flags(&hardware, &price).with(Flags::CLEANED.when(self.kind.cleaned)),
            hardware,
            place: place.clone(),
            price,
            fees: FEES,
            reliability: None,
            download: None,
            upload: None,
            disk: None,
            verified: None,
            availability: here,
            hazard: None,
            max_rental: None,
            origin: Origin { source: self.source, basis: Basis::Live, fetched_at: self.now },
        }
    }
}
