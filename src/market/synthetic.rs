//! Synthetic markets for tests and benchmarks: seeded, shaped like the real one, never shown as real.

use crate::gpu;
use crate::offer::{
    Availability, Basis, Continent, Country, Fees, Flags, Hardware, Hazard, Link, Offer, Origin,
    Place, Price, Provider, Text,
};
use crate::units::{
    Gb, Gib, Hours, Mbps, PerHour, Range, Share, UnixSeconds, UsdPerGb, UsdPerGbMonth, UsdPerHour,
};

/// When synthetic offers say that they were fetched, at the earliest; seconds since 1970.
pub const MADE_AT: i64 = 1_790_000_000;

/// A small generator of numbers that repeat for the same seed (xorshift64*, Vigna 2016).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Evenly between zero and one.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Evenly below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.share() * end as f64) as usize
    }

    fn pick<'a, T>(&mut self, list: &'a [T], otherwise: &'a T) -> &'a T {
        let at = self.below(list.len());
        list.get(at).unwrap_or(otherwise)
    }

    fn rounded(&mut self, low: f64, high: f64, per: f64) -> f64 {
        ((low + (high - low) * self.share()) * per).round() / per
    }
}

struct Kind {
    name: &'static str,
    vram: f64,
    price: f64,
}

const fn kind(name: &'static str, vram: f64, price: f64) -> Kind {
    Kind { name, vram, price }
}

/// Cards, reported memory in MiB, and roughly what an hour costs.
const KINDS: [Kind; 14] = [
    kind("RTX 4090", 24564.0, 0.38),
    kind("RTX 3090", 24576.0, 0.18),
    kind("RTX 5090", 32607.0, 0.6),
    kind("RTX 3060", 12288.0, 0.07),
    kind("RTX 4070 Ti", 12282.0, 0.13),
    kind("RTX A6000", 49140.0, 0.5),
    kind("L40S", 46068.0, 0.75),
    kind("L4", 23034.0, 0.35),
    kind("A100 SXM4", 81920.0, 1.0),
    kind("A100 PCIE", 40960.0, 0.7),
    kind("H100 SXM", 81559.0, 2.1),
    kind("H200", 143_771.0, 2.9),
    kind("Tesla V100", 16384.0, 0.2),
    kind("Tesla T4", 15360.0, 0.12),
];

const PLACES: [(&str, &str, Continent); 12] = [
    ("Sweden, SE", "SE", Continent::Europe),
    ("California, US", "US", Continent::NorthAmerica),
    ("Frankfurt, DE", "DE", Continent::Europe),
    ("Quebec, CA", "CA", Continent::NorthAmerica),
    ("us-east-1", "US", Continent::NorthAmerica),
    ("eu-west-2", "GB", Continent::Europe),
    ("Japan, JP", "JP", Continent::Asia),
    ("Taiwan, TW", "TW", Continent::Asia),
    ("São Paulo, BR", "BR", Continent::SouthAmerica),
    ("Norway, NO", "NO", Continent::Europe),
    ("Sydney, AU", "AU", Continent::Oceania),
    ("South Africa, ZA", "ZA", Continent::Africa),
];

/// One plain offer, for tests.
pub fn offer(provider: Provider, key: &str) -> Offer {
    Offer {
        key: key.into(),
        launch_id: format!("launch {key}").as_str().into(),
        provider,
        host: None,
        hardware: Hardware {
            gpu: gpu::catalogue().identify("RTX 4090", Some(Gib::from_mib(24564.0))),
            gpu_raw: "RTX 4090".into(),
            gpus: Some(1.0),
            vram: Some(Gib::from_mib(24564.0)),
            link: Link::PcieFull,
            vcpus: Some(16.0),
            ram: Some(Gib::new(64.0)),
            cuda_max: Some(12.8),
            instance_type: None,
        },
        place: Place {
            raw: "Sweden, SE".into(),
            country: Country::from_code("SE"),
            continent: Some(Continent::Europe),
        },
        price: Price { on_demand: Some(UsdPerHour::new(0.5)), spot: None },
        fees: Fees::default(),
        reliability: Some(Share::new(0.99)),
        download: Some(Mbps::new(800.0)),
        upload: Some(Mbps::new(500.0)),
        disk: Some(Gb::new(500.0)),
        verified: Some(true),
        availability: Availability::Yes,
        hazard: None,
        max_rental: None,
        origin: Origin {
            source: "synthetic market",
            basis: Basis::Live,
            fetched_at: UnixSeconds(MADE_AT),
        },
        flags: Flags::default(),
    }
}

/// `count` offers, the same for the same seed.
pub fn market(count: usize, seed: u64) -> Vec<Offer> {
    let mut dice = Dice::new(seed);
    let mut machine = 10_000;
    let mut offers = Vec::with_capacity(count);
    while offers.len() < count {
        machine += 1 + dice.below(9);
        let cards = *dice.pick(&[1_u32, 1, 2, 4, 8, 8], &1);
        let whole = one(&mut dice, machine, cards);
        // The slices of a machine are offers of their own, as at Vast.ai.
        let mut slice = cards;
        while slice >= 1 && offers.len() < count {
            offers.push(sliced(&whole, machine, slice, cards));
            slice /= 2;
        }
    }
    offers
}

/// Those that have offers here; a registry that grows does not change what is made from a seed.
const PROVIDERS: [Provider; 8] = [
    Provider::Vast,
    Provider::Runpod,
    Provider::Lambda,
    Provider::Tensordock,
    Provider::Vultr,
    Provider::Aws,
    Provider::Azure,
    Provider::Gcp,
];

fn sliced(whole: &Offer, machine: usize, slice: u32, cards: u32) -> Offer {
    let share = f64::from(slice) / f64::from(cards);
    let mut offer = whole.clone();
    let key = format!("{machine}-{slice}");
    offer.launch_id = format!("{}{slice}", 1_000_000 + machine * 3).as_str().into();
    offer.key = key.as_str().into();
    offer.hardware.gpus = Some(f64::from(slice));
    offer.hardware.ram = offer.hardware.ram.map(|r| r * share);
    offer.hardware.vcpus = offer.hardware.vcpus.map(|v| v * share);
    offer.price.on_demand = offer.price.on_demand.map(|p| p * share);
    offer.price.spot = offer.price.spot.map(|p| p * share);
    offer
}

fn one(dice: &mut Dice, machine: usize, cards: u32) -> Offer {
    let first = kind("RTX 4090", 24564.0, 0.38);
    let card = dice.pick(&KINDS, &first);
    let provider =
        if dice.share() < 0.7 { Provider::Vast } else { *dice.pick(&PROVIDERS, &Provider::Aws) };
    let market = provider == Provider::Vast;
    let price = card.price * f64::from(cards) * dice.rounded(0.6, 2.2, 1000.0);
    let spot = (dice.share() < 0.6).then(|| UsdPerHour::new(price * dice.rounded(0.3, 0.9, 100.0)));
    let mut offer = offer(provider, "");
    offer.host = market.then(|| Text::new(&(machine / 3).to_string()));
    offer.hardware = hardware(dice, card, cards);
    let (raw, country, continent) = *dice.pick(&PLACES, &PLACES[0]);
    offer.place =
        Place { raw: raw.into(), country: Country::from_code(country), continent: Some(continent) };
    offer.price = Price { on_demand: Some(UsdPerHour::new(price)), spot };
    offer.fees = fees(dice, market);
    offer.reliability = market.then(|| Share::new(dice.rounded(0.85, 1.0, 1e7)));
    offer.download = market.then(|| Mbps::new(dice.rounded(50.0, 8000.0, 10.0)));
    offer.upload = market.then(|| Mbps::new(dice.rounded(20.0, 4000.0, 10.0)));
    offer.disk = market.then(|| Gb::new(dice.rounded(50.0, 4000.0, 10.0)));
    offer.verified = market.then(|| dice.share() < 0.7);
    offer.availability = if market { Availability::Yes } else { Availability::NotStated };
    offer.hazard = (provider == Provider::Aws).then(|| hazard(dice));
    offer.max_rental = market.then(|| Hours::new(dice.rounded(24.0, 2000.0, 1.0)));
    offer.origin.fetched_at = UnixSeconds(MADE_AT + i64::try_from(dice.below(3600)).unwrap_or(0));
    offer
}

fn hardware(dice: &mut Dice, card: &Kind, cards: u32) -> Hardware {
    let vram = Some(Gib::from_mib(card.vram));
    let links = [Link::PcieFull, Link::PcieSlow, Link::Unknown];
    let fast = card.name.contains("SXM") || card.name == "H200";
    Hardware {
        gpu: gpu::catalogue().identify(card.name, vram),
        gpu_raw: card.name.into(),
        gpus: Some(f64::from(cards)),
        vram,
        link: if fast { Link::Nvlink } else { *dice.pick(&links, &Link::Unknown) },
        vcpus: Some(f64::from(cards) * *dice.pick(&[8.0, 12.0, 16.0, 24.0, 32.0], &8.0)),
        ram: Some(Gib::from_mib(dice.rounded(32_000.0, 128_000.0, 1.0) * f64::from(cards))),
        cuda_max: Some(*dice.pick(&[12.2, 12.4, 12.6, 12.8, 13.0], &12.4)),
        instance_type: None,
    }
}

fn fees(dice: &mut Dice, market: bool) -> Fees {
    let per_gb = |dice: &mut Dice| UsdPerGb::new(dice.rounded(0.0, 0.02, 1000.0));
    let storage = Some(UsdPerGbMonth::new(dice.rounded(0.1, 0.3, 100.0)));
    Fees {
        storage,
        storage_stopped: storage,
        egress: market.then(|| per_gb(dice)),
        ingress: market.then(|| per_gb(dice)),
        minimum: (!market).then(|| Hours::from_minutes(1.0)),
        monthly_cap: (!market).then(|| Hours::new(672.0)),
    }
}

fn hazard(dice: &mut Dice) -> Hazard {
    let rate = *dice.pick(&[0.0001, 0.0002, 0.0004], &0.0001);
    let range = Range::new(rate / 2.0, rate, rate * 2.0).map(PerHour::new);
    Hazard { rate: range, source: "synthetic interruption band" }
}
