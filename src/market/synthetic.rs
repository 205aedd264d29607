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

    /// Normally spread around zero, to six deviations: the sum of twelve even ones.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }

    fn place(&mut self) -> (&'static str, &'static str, Continent) {
        let all: usize = PLACES.iter().map(|p| p.3).sum();
        let mut at = self.below(all);
        let mut places = PLACES.iter();
        let place = places.find(|p| {
            let here = at < p.3;
            at = at.saturating_sub(p.3);
            here
        });
        let (raw, country, continent, _) = *place.unwrap_or(&PLACES[0]);
        (raw, country, continent)
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

/// Cards, reported memory in MiB, and roughly what an hour costs. What is common stands there more
/// than once.
const KINDS: [Kind; 40] = [
    kind("RTX 3060", 12288.0, 0.07),
    kind("RTX 3070", 8192.0, 0.07),
    kind("RTX 3080", 10240.0, 0.1),
    kind("RTX 3080 Ti", 12288.0, 0.12),
    kind("RTX 3090", 24576.0, 0.18),
    kind("RTX 3090", 24576.0, 0.18),
    kind("RTX 3090 Ti", 24564.0, 0.2),
    kind("RTX 4060 Ti", 16380.0, 0.1),
    kind("RTX 4070", 12282.0, 0.11),
    kind("RTX 4070 Ti", 12282.0, 0.13),
    kind("RTX 4080", 16376.0, 0.22),
    kind("RTX 4090", 24564.0, 0.36),
    kind("RTX 4090", 24564.0, 0.36),
    kind("RTX 4090", 24564.0, 0.36),
    kind("RTX 5070 Ti", 16303.0, 0.18),
    kind("RTX 5080", 16303.0, 0.26),
    kind("RTX 5090", 32607.0, 0.5),
    kind("RTX 5090", 32607.0, 0.5),
    kind("RTX A4000", 16376.0, 0.11),
    kind("RTX A5000", 24564.0, 0.2),
    kind("RTX A6000", 49140.0, 0.44),
    kind("RTX 6000Ada", 49140.0, 0.62),
    kind("A10", 23028.0, 0.25),
    kind("A40", 46068.0, 0.38),
    kind("L4", 23034.0, 0.3),
    kind("L40", 46068.0, 0.55),
    kind("L40S", 46068.0, 0.65),
    kind("A100 PCIE", 40960.0, 0.6),
    kind("A100 PCIE", 81920.0, 0.78),
    kind("A100 SXM4", 40960.0, 0.62),
    kind("A100 SXM4", 81920.0, 0.9),
    kind("H100 PCIE", 81559.0, 1.7),
    kind("H100 SXM", 81559.0, 2.0),
    kind("H100 NVL", 95830.0, 1.9),
    kind("H200", 143_771.0, 2.6),
    kind("B200", 183_359.0, 4.2),
    kind("Tesla V100", 16384.0, 0.14),
    kind("Tesla V100", 32768.0, 0.22),
    kind("Tesla T4", 15360.0, 0.1),
    kind("GTX 1080 Ti", 11264.0, 0.05),
];

/// Place, country, continent, and how often it is met.
const PLACES: [(&str, &str, Continent, usize); 31] = [
    ("Texas, US", "US", Continent::NorthAmerica, 4),
    ("California, US", "US", Continent::NorthAmerica, 4),
    ("Washington, US", "US", Continent::NorthAmerica, 2),
    ("New York, US", "US", Continent::NorthAmerica, 2),
    ("us-east-1", "US", Continent::NorthAmerica, 2),
    ("Quebec, CA", "CA", Continent::NorthAmerica, 3),
    ("Ontario, CA", "CA", Continent::NorthAmerica, 2),
    ("Sweden, SE", "SE", Continent::Europe, 2),
    ("Norway, NO", "NO", Continent::Europe, 2),
    ("Finland, FI", "FI", Continent::Europe, 2),
    ("Frankfurt, DE", "DE", Continent::Europe, 3),
    ("Netherlands, NL", "NL", Continent::Europe, 2),
    ("France, FR", "FR", Continent::Europe, 2),
    ("eu-west-2", "GB", Continent::Europe, 2),
    ("Poland, PL", "PL", Continent::Europe, 1),
    ("Czechia, CZ", "CZ", Continent::Europe, 1),
    ("Spain, ES", "ES", Continent::Europe, 1),
    ("Romania, RO", "RO", Continent::Europe, 1),
    ("Bulgaria, BG", "BG", Continent::Europe, 1),
    ("Iceland, IS", "IS", Continent::Europe, 1),
    ("Japan, JP", "JP", Continent::Asia, 1),
    ("South Korea, KR", "KR", Continent::Asia, 2),
    ("Taiwan, TW", "TW", Continent::Asia, 2),
    ("Vietnam, VN", "VN", Continent::Asia, 1),
    ("Singapore, SG", "SG", Continent::Asia, 1),
    ("India, IN", "IN", Continent::Asia, 1),
    ("China, CN", "CN", Continent::Asia, 2),
    ("São Paulo, BR", "BR", Continent::SouthAmerica, 1),
    ("Argentina, AR", "AR", Continent::SouthAmerica, 1),
    ("Sydney, AU", "AU", Continent::Oceania, 1),
    ("South Africa, ZA", "ZA", Continent::Africa, 1),
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
            gpus: 1.0,
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

fn sliced(whole: &Offer, machine: usize, slice: u32, cards: u32) -> Offer {
    let share = f64::from(slice) / f64::from(cards);
    let mut offer = whole.clone();
    let key = format!("{machine}-{slice}");
    offer.launch_id = format!("{}{slice}", 1_000_000 + machine * 3).as_str().into();
    offer.key = key.as_str().into();
    offer.hardware.gpus = f64::from(slice);
    offer.hardware.ram = offer.hardware.ram.map(|r| r * share);
    offer.hardware.vcpus = offer.hardware.vcpus.map(|v| v * share);
    offer.price.on_demand = offer.price.on_demand.map(|p| p * share);
    offer.price.spot = offer.price.spot.map(|p| p * share);
    offer
}

fn one(dice: &mut Dice, machine: usize, cards: u32) -> Offer {
    let first = kind("RTX 4090", 24564.0, 0.38);
    let card = dice.pick(&KINDS, &first);
    let provider = if dice.share() < 0.7 {
        Provider::Vast
    } else {
        *dice.pick(&Provider::ALL, &Provider::Aws)
    };
    let market = provider == Provider::Vast;
    let price = card.price * f64::from(cards) * (dice.normal() * 0.3).exp();
    let price = (price * 1e4).round() / 1e4;
    let spot = (dice.share() < 0.6).then(|| UsdPerHour::new(price * dice.rounded(0.3, 0.9, 100.0)));
    let mut offer = offer(provider, "");
    offer.host = market.then(|| Text::new(&(machine / 3).to_string()));
    offer.hardware = hardware(dice, card, cards);
    let (raw, country, continent) = dice.place();
    offer.place =
        Place { raw: raw.into(), country: Country::from_code(country), continent: Some(continent) };
    offer.price = Price { on_demand: Some(UsdPerHour::new(price)), spot };
    offer.fees = fees(dice, market);
    offer.reliability = market.then(|| Share::new(reliability(dice)));
    offer.download = market.then(|| mbps(dice));
    offer.upload = market.then(|| mbps(dice));
    offer.disk = market.then(|| Gb::new(dice.rounded(50.0, 4000.0, 10.0)));
    offer.verified = market.then(|| dice.share() < 0.7);
    offer.availability = if market { Availability::Yes } else { Availability::NotStated };
    offer.hazard = (provider == Provider::Aws).then(|| hazard(dice));
    offer.max_rental = market.then(|| Hours::new(dice.rounded(24.0, 2000.0, 1.0)));
    offer.origin.fetched_at = UnixSeconds(MADE_AT + i64::try_from(dice.below(3600)).unwrap_or(0));
    offer
}

/// Half of all machines are up 99.1 % of the time or more.
fn reliability(dice: &mut Dice) -> f64 {
    let down = 10_f64.powf(-2.05 + 0.6 * dice.normal());
    ((1.0 - down).clamp(0.55, 0.999_95) * 1e7).round() / 1e7
}

/// Around 560 Mbit/s, from a few to 10,000.
fn mbps(dice: &mut Dice) -> Mbps {
    let speed = 10_f64.powf(2.75 + 0.42 * dice.normal());
    Mbps::new((speed.clamp(5.0, 10_000.0) * 10.0).round() / 10.0)
}

fn hardware(dice: &mut Dice, card: &Kind, cards: u32) -> Hardware {
    let vram = Some(Gib::from_mib(card.vram));
    let links = [Link::PcieFull, Link::PcieSlow, Link::Unknown];
    let fast = card.name.contains("SXM") || card.name == "H200";
    Hardware {
        gpu: gpu::catalogue().identify(card.name, vram),
        gpu_raw: card.name.into(),
        gpus: f64::from(cards),
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
    }
}

fn hazard(dice: &mut Dice) -> Hazard {
    let rate = *dice.pick(&[0.0001, 0.0002, 0.0004], &0.0001);
    let range = Range::new(rate / 2.0, rate, rate * 2.0).map(PerHour::new);
    Hazard { rate: range, source: "synthetic interruption band" }
}
