//! One offer as Vast.ai sends it, and what we make of it.
//!
//! Units (vast.ai docs and 14 real offers of 2024-07 to 2026-08): `dph_base` $/h for all GPUs of the
//! offer, without disk; `min_bid` likewise; `storage_cost` $ per GB and month of 720 hours;
//! `inet_*_cost` $ per GB; `inet_*` Mbit/s; `gpu_ram` MiB per GPU; `cpu_ram` MiB of the whole
//! machine; `duration` seconds.

use super::identity::{Names, Slice};
use crate::gpu::{GpuId, catalogue};
use crate::offer::{
    Availability, Basis, Fees, Flags, Hardware, Link, Offer, Origin, Place, Price, Provider, Text,
};
use crate::provider::figures::{self, DEAREST};
use crate::provider::lenient::{Flag, Number, Words, lenient_object, none_of};
use crate::units::{Gb, Gib, Hours, Mbps, Share, UnixSeconds, UsdPerGb, UsdPerGbMonth, UsdPerHour};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

/// Lanes and generation of a full PCI Express link (Vast.ai states both).
const FULL_LANES: f64 = 16.0;
const FULL_GENERATION: f64 = 4.0;
/// Measured GB/s that only a full link reaches, where lanes are not stated.
const FULL_MEASURED: f64 = 20.0;

lenient_object! {
    /// An offer, with the members that we use.
    pub(super) struct Row {
        id: Number,
        ask_contract_id: Number,
        machine_id: Number,
        host_id: Number,
        gpu_ids: First,
        gpu_name: Words,
        num_gpus: Number,
        gpu_ram: Number,
        gpu_total_ram: Number,
        gpu_lanes: Number,
        pci_gen: Number,
        pcie_bw: Number,
        bw_nvlink: Number,
        cuda_max_good: Number,
        cpu_arch: Words,
        cpu_cores: Number,
        cpu_cores_effective: Number,
        cpu_ram: Number,
        disk_space: Number,
        inet_up: Number,
        inet_down: Number,
        inet_up_cost: Number,
        inet_down_cost: Number,
        dph_base: Number,
        dph_total: Number,
        storage_cost: Number,
        storage_total_cost: Number,
        min_bid: Number,
        reliability: Number,
        reliability2: Number,
        verification: Words,
        geolocation: Words,
        rentable: Flag,
        rented: Flag,
        duration: Number,
    }
}

/// The first number of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct First(Number);

impl<'de> Deserialize<'de> for First {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = First;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<First, A::Error> {
                let first = list.next_element::<Number>()?.unwrap_or_default();
                while list.next_element::<serde::de::IgnoredAny>()?.is_some() {}
                Ok(First(first))
            }
            none_of!(First::default());
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut m: A) -> Result<First, A::Error> {
                use serde::de::IgnoredAny;
                while m.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(First::default())
            }
        }
        deserializer.deserialize_any(List)
    }
}

impl Row {
    /// The number by which it is rented.
    fn ask(&self) -> Option<u64> {
        self.id.whole().or(self.ask_contract_id.whole()).filter(|id| *id > 0)
    }

    /// $/h for the whole offer with the disk that the answer was priced for: the order of the walk.
    pub(super) fn walk_price(&self) -> Option<f64> {
        self.dph_total.up_to(f64::MAX)
    }

    fn gpus(&self) -> Result<f64, &'static str> {
        match self.num_gpus.0 {
            Some(0.0) => Err("no GPU in it"),
            Some(n) if n.fract() == 0.0 && (1.0..=256.0).contains(&n) => Ok(n),
            Some(_) => Err("a GPU count that cannot be"),
            None => {
                let whole = self.gpu_total_ram.above_zero(1e9);
                let one = self.gpu_ram.above_zero(1e9);
                let n = whole.zip(one).map(|(w, o)| w / o);
                n.filter(|n| (n - n.round()).abs() < 0.02 && (1.0..=256.0).contains(n))
                    .map(f64::round)
                    .ok_or("no GPU count")
            }
        }
    }

    /// On demand, $/h for the whole offer without disk.
    fn on_demand(&self, gpus: f64) -> Result<Option<f64>, &'static str> {
        let most = DEAREST * gpus;
        if self.dph_base.0 == Some(0.0) {
            return Err("a price of zero");
        }
        let from_total = || {
            let (total, disk) = (self.dph_total.up_to(most)?, self.storage_total_cost.up_to(most)?);
            Some(total - disk).filter(|p| *p > 0.0)
        };
        Ok(self.dph_base.above_zero(most).or_else(from_total))
    }

    fn link(&self) -> Link {
        if self.bw_nvlink.above_zero(1e5).is_some() {
            return Link::Nvlink;
        }
        match (self.gpu_lanes.above_zero(64.0), self.pci_gen.above_zero(16.0)) {
            (Some(lanes), Some(generation)) => {
                let full = lanes >= FULL_LANES && generation >= FULL_GENERATION;
                if full { Link::PcieFull } else { Link::PcieSlow }
            }
            _ => match self.pcie_bw.above_zero(1e4) {
                Some(speed) if speed >= FULL_MEASURED => Link::PcieFull,
                Some(_) => Link::PcieSlow,
                None => Link::Unknown,
            },
        }
    }

    /// Main memory of the share that is rented.
    fn ram(&self) -> Option<Gib> {
        let whole = self.cpu_ram.above_zero(1e9)?;
        let (all, ours) =
            (self.cpu_cores.above_zero(1e5)?, self.cpu_cores_effective.above_zero(1e5)?);
        Some(Gib::from_mib(whole * (ours / all).min(1.0)))
    }
}

/// Makes offers of rows; remembers what a whole refresh has seen.
#[derive(Debug)]
pub(super) struct Reader {
    now: UnixSeconds,
    cards: HashMap<(Text, u64), Option<GpuId>>,
    names: Names,
    asks: HashSet<(u64, u64)>,
    rejected: BTreeMap<&'static str, usize>,
}

impl Reader {
    /// A reader that calls offers as the refresh before did ([`Reader::names`]).
    pub(super) fn new(now: UnixSeconds, names: Names) -> Self {
        Self { now, cards: HashMap::new(), names, asks: HashSet::new(), rejected: BTreeMap::new() }
    }

    /// Counts a row that is none.
    pub(super) fn reject(&mut self, why: &'static str) {
        *self.rejected.entry(why).or_default() += 1;
    }

    /// Rows that could not be used, by reason.
    pub(super) fn rejected(&self) -> Vec<(&'static str, usize)> {
        self.rejected.iter().map(|(why, n)| (*why, *n)).collect()
    }

    /// The offer of a row. `None` for a row that is none (counted), or that came before.
    pub(super) fn offer(&mut self, row: &Row) -> Option<Offer> {
        match self.read(row) {
            Ok(offer) => offer,
            Err(why) => {
                self.reject(why);
                None
            }
        }
    }

    fn read(&mut self, row: &Row) -> Result<Option<Offer>, &'static str> {
        let ask = row.ask().ok_or("no offer id")?;
        let gpus = row.gpus()?;
        let on_demand = row.on_demand(gpus)?;
        let spot = row.min_bid.above_zero(DEAREST * gpus);
        // The same ask again with the same price is the same row; with another price it goes on
        // under the same key, and the table marks the two as conflicting.
        if !self.asks.insert((ask, on_demand.unwrap_or(-1.0).to_bits())) {
            return Ok(None);
        }
        let vram = row.gpu_ram.above_zero(1e7).map(Gib::from_mib);
        let gpu = self.card(row.gpu_name.text.clone().unwrap_or_default(), vram);
        let hardware = Hardware {
            gpu,
            gpu_raw: row.gpu_name.text.clone().unwrap_or_default(),
            gpus: Some(gpus),
            vram,
            link: row.link(),
            vcpus: row.cpu_cores_effective.above_zero(1e5),
            ram: row.ram(),
            cuda_max: row.cuda_max_good.above_zero(1000.0),
            instance_type: None,
        };
        let price =
            Price { on_demand: on_demand.map(UsdPerHour::new), spot: spot.map(UsdPerHour::new) };
        Ok(Some(Offer {
            key: self.name(row, ask, gpus),
            launch_id: Text::new(&ask.to_string()),
            provider: Provider::Vast,
            host: row.host_id.whole().map(|h| Text::new(&h.to_string())),
            flags: flags(row, &hardware, &price),
            hardware,
            place: Place::vast(row.geolocation.as_str()),
            price,
            fees: fees(row),
            reliability: row.reliability2.up_to(1.0).or(row.reliability.up_to(1.0)).map(Share::new),
            download: row.inet_down.above_zero(1e7).map(Mbps::new),
            upload: row.inet_up.above_zero(1e7).map(Mbps::new),
            disk: row.disk_space.up_to(1e7).map(Gb::new),
            verified: row.verification.text.as_ref().map(|v| v.as_str() == "verified"),
            availability: match (row.rentable.0, row.rented.0) {
                (Some(false), _) | (_, Some(true)) => Availability::No,
                _ => Availability::Yes,
            },
            hazard: None,
            max_rental: row.duration.up_to(1e10).map(Hours::from_seconds),
            origin: Origin { source: super::SOURCE, basis: Basis::Live, fetched_at: self.now },
        }))
    }

    /// Which card it is, asked once for each spelling and amount of memory.
    fn card(&mut self, name: Text, vram: Option<Gib>) -> Option<GpuId> {
        let mib = vram.map_or(0, |v| (v.get() * 1024.0) as u64);
        *self
            .cards
            .entry((name, mib))
            .or_insert_with_key(|(name, _)| catalogue().identify(name.as_str(), vram))
    }

    /// What it is called: after its machine, where one is named.
    fn name(&mut self, row: &Row, ask: u64, gpus: f64) -> Text {
        match row.machine_id.whole() {
            Some(machine) => {
                let first = row.gpu_ids.0.whole();
                self.names.of(Slice { machine, gpus: gpus as u64, first, ask })
            }
            None => Text::new(&format!("ask{ask}")),
        }
    }

    /// The names that were given.
    pub(super) fn names(self) -> Names {
        self.names
    }
}

/// The API states one rate, and states it for a stopped instance too (`instance.diskHour` equals
/// `search.diskHour` in every real offer).
fn fees(row: &Row) -> Fees {
    let storage = row.storage_cost.up_to(1000.0).map(UsdPerGbMonth::new);
    Fees {
        storage,
        storage_stopped: storage,
        egress: row.inet_up_cost.up_to(1000.0).map(UsdPerGb::new),
        ingress: row.inet_down_cost.up_to(1000.0).map(UsdPerGb::new),
        // Billed by the second.
        minimum: Some(Hours::from_seconds(1.0)),
        monthly_cap: None,
    }
}

fn flags(row: &Row, hardware: &Hardware, price: &Price) -> Flags {
    let total = row.gpu_total_ram.above_zero(1e9).zip(hardware.gpus);
    let total = total.map(|(mib, gpus)| Gib::from_mib(mib / gpus));
    let odd_total = hardware.vram.zip(total).is_some_and(|(v, t)| figures::differs(t, v));
    figures::flags(hardware, price)
        .with(Flags::ODD_MEMORY.when(odd_total))
        .with(Flags::ARM_HOST.when(figures::arm_word(row.cpu_arch.as_str())))
        .with(Flags::CLEANED.when(row.gpu_name.cleaned || row.geolocation.cleaned))
}
