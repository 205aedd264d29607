//! From an [`Offer`] to a row of codes and numbers, and back without loss.

use super::columns::{Columns, NONE, Row, known, option};
use super::distinct::Distinct;
use super::names::Names;
use crate::estimate::HardwareClass;
use crate::estimate::bill::RowFacts;
use crate::gpu::GpuId;
use crate::offer::{
    Availability, Basis, Continent, Country, Fees, Flags, Hardware, Hazard, Link, Offer, Origin,
    Place, Price, Provider, Text,
};
use crate::units::{
    Gb, Gib, Hours, Mbps, PerHour, Range, Share, UnixSeconds, UsdPerGb, UsdPerGbMonth, UsdPerHour,
};

type ClassKey = (Option<GpuId>, u64, u64, Link);
type PlaceKey = (Text, Option<Country>, Option<Continent>);
type LabelKey = (Text, Option<Text>);
type TermsKey = (Option<([u64; 3], &'static str)>, &'static str, Basis);

/// The dictionaries of a table.
#[derive(Debug, Default)]
pub(crate) struct Dictionaries {
    /// Hosts, many.
    pub(crate) hosts: Names,
    /// Places.
    pub(crate) places: Distinct<PlaceKey>,
    /// Raw names of cards and machine types.
    pub(crate) labels: Distinct<LabelKey>,
    classes: Distinct<ClassKey>,
    /// The same classes, ready for the estimators.
    class_values: Vec<HardwareClass>,
    fees: Distinct<[u64; 6]>,
    terms: Distinct<TermsKey>,
    hazard_values: Vec<Option<Range<PerHour>>>,
    shapes: Distinct<[u64; 2]>,
}

impl Dictionaries {
    /// The row of an offer; text, generation, stamp and mark are the caller's.
    pub(crate) fn encode(&mut self, offer: &Offer) -> Row {
        Row {
            text: 0,
            host: offer.host.as_ref().map_or(NONE, |h| self.hosts.code(h.as_str())),
            class: self.class_code(&offer.hardware),
            place: self.places.code((
                offer.place.raw.clone(),
                offer.place.country,
                offer.place.continent,
            )),
            label: self
                .labels
                .code((offer.hardware.gpu_raw.clone(), offer.hardware.instance_type.clone())),
            fees: self.fees_code(&offer.fees),
            terms: self.terms_code(offer),
            shape: self.shapes.code([
                known(offer.hardware.vcpus).to_bits(),
                known(offer.hardware.cuda_max).to_bits(),
            ]),
            on_demand: known(offer.price.on_demand.map(UsdPerHour::get)),
            spot: known(offer.price.spot.map(UsdPerHour::get)),
            reliability: known(offer.reliability.map(Share::get)),
            download: known(offer.download.map(Mbps::get)),
            upload: known(offer.upload.map(Mbps::get)),
            disk: known(offer.disk.map(Gb::get)),
            ram: known(offer.hardware.ram.map(Gib::get)),
            rental: known(offer.max_rental.map(Hours::get)),
            fetched: seconds(offer.origin.fetched_at),
            first: seconds(offer.origin.fetched_at),
            generation: 0,
            stamp: 0,
            flags: offer.flags.0,
            provider: provider_code(offer.provider),
            state: state_code(offer.availability, offer.verified),
            mark: 0,
        }
    }

    /// The offer of a row, exactly as it came in.
    pub(crate) fn decode(&self, row: &Row, key: &str, launch: &str) -> Option<Offer> {
        let (raw, country, continent) = self.places.get(row.place)?.clone();
        let (hazard, source, basis) = *self.terms.get(row.terms)?;
        Some(Offer {
            key: Text::new(key),
            launch_id: Text::new(launch),
            provider: provider(row.provider),
            host: (row.host != NONE).then(|| Text::new(self.hosts.get(row.host))),
            hardware: self.hardware(row)?,
            place: Place { raw, country, continent },
            price: Price {
                on_demand: option(row.on_demand).map(UsdPerHour::new),
                spot: option(row.spot).map(UsdPerHour::new),
            },
            fees: fees(*self.fees.get(row.fees)?),
            reliability: option(row.reliability).map(Share::new),
            download: option(row.download).map(Mbps::new),
            upload: option(row.upload).map(Mbps::new),
            disk: option(row.disk).map(Gb::new),
            verified: verified(row.state),
            availability: availability(row.state),
            hazard: hazard.map(|(bits, source)| Hazard { rate: rate(bits), source }),
            max_rental: option(row.rental).map(Hours::new),
            origin: Origin { source, basis, fetched_at: UnixSeconds(row.fetched.into()) },
            flags: Flags(row.flags),
        })
    }

    fn hardware(&self, row: &Row) -> Option<Hardware> {
        let (gpu_raw, instance_type) = self.labels.get(row.label)?.clone();
        let class = self.class_values.get(row.class as usize)?;
        let [vcpus, cuda_max] = self.shapes.get(row.shape)?.map(f64::from_bits);
        Some(Hardware {
            gpu: class.gpu,
            gpu_raw,
            gpus: class.gpus,
            vram: class.vram,
            link: class.link,
            vcpus: option(vcpus),
            ram: option(row.ram).map(Gib::new),
            cuda_max: option(cuda_max),
            instance_type,
        })
    }

    /// What money depends on, without building the offer.
    pub(crate) fn facts(&self, row: &PriceCells) -> RowFacts {
        let fees = self.fees_of(row.fees);
        RowFacts {
            provider: provider(row.provider),
            on_demand: option(row.on_demand).map(UsdPerHour::new),
            spot: option(row.spot).map(UsdPerHour::new),
            storage: fees.storage,
            storage_stopped: fees.storage_stopped,
            egress: fees.egress,
            ingress: fees.ingress,
            minimum: fees.minimum,
            monthly_cap: fees.monthly_cap,
            download: option(row.download).map(Mbps::new),
            upload: option(row.upload).map(Mbps::new),
            disk: option(row.disk).map(Gb::new),
            hazard: self.hazard_values.get(row.terms as usize).copied().flatten(),
        }
    }

    /// All hardware classes seen so far, in the order of their codes.
    pub(crate) fn classes(&self) -> &[HardwareClass] {
        &self.class_values
    }

    /// The fees of a code.
    pub(crate) fn fees_of(&self, code: u32) -> Fees {
        self.fees.get(code).map_or_else(Fees::default, |bits| fees(*bits))
    }

    /// All fees from a code on, in the order of their codes.
    pub(crate) fn fees_from(&self, code: usize) -> impl Iterator<Item = Fees> + '_ {
        self.fees.values().get(code..).unwrap_or_default().iter().map(|bits| fees(*bits))
    }

    /// Gives back what was reserved and is not used.
    pub(crate) fn shrink(&mut self) {
        self.hosts.shrink();
        self.fees.shrink();
        self.shapes.shrink();
        self.places.shrink();
    }

    /// How many shapes there are.
    pub(crate) fn shapes(&self) -> usize {
        self.shapes.values().len()
    }

    /// How many origins there are.
    pub(crate) fn origins(&self) -> usize {
        self.terms.values().len()
    }

    /// Processor threads and CUDA version of a code.
    pub(crate) fn shape(&self, code: u32) -> [f64; 2] {
        self.shapes.get(code).map_or([f64::NAN; 2], |bits| bits.map(f64::from_bits))
    }

    /// Where the figures of a code come from.
    pub(crate) fn origin(&self, code: u32) -> (&'static str, Basis) {
        self.terms.get(code).map_or(("", Basis::Unknown), |(_, source, basis)| (source, *basis))
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let text = |t: &Text| t.as_str().len();
        let places: usize = self.places.values().iter().map(|p| text(&p.0) * 2).sum();
        let labels: usize = self
            .labels
            .values()
            .iter()
            .map(|l| (text(&l.0) + l.1.as_ref().map_or(0, text)) * 2)
            .sum();
        self.hosts.bytes()
            + self.places.bytes()
            + self.labels.bytes()
            + self.classes.bytes()
            + self.fees.bytes()
            + self.terms.bytes()
            + self.shapes.bytes()
            + places
            + labels
            + self.class_values.capacity() * size_of::<HardwareClass>()
            + self.hazard_values.capacity() * size_of::<Option<Range<PerHour>>>()
    }

    fn class_code(&mut self, hardware: &Hardware) -> u32 {
        let mut class = HardwareClass::from(hardware);
        class.gpus = class.gpus.filter(|gpus| gpus.is_finite() && *gpus > 0.0);
        class.vram = option(known(class.vram.map(Gib::get))).map(Gib::new);
        let vram = class.vram.map_or(u64::MAX, |v| v.get().to_bits());
        let code = self.classes.code((class.gpu, known(class.gpus).to_bits(), vram, class.link));
        if code as usize == self.class_values.len() {
            self.class_values.push(class);
        }
        code
    }

    fn fees_code(&mut self, fees: &Fees) -> u32 {
        let numbers = [
            known(fees.storage.map(UsdPerGbMonth::get)),
            known(fees.storage_stopped.map(UsdPerGbMonth::get)),
            known(fees.egress.map(UsdPerGb::get)),
            known(fees.ingress.map(UsdPerGb::get)),
            known(fees.minimum.map(Hours::get)),
            known(fees.monthly_cap.map(Hours::get)),
        ];
        self.fees.code(numbers.map(f64::to_bits))
    }

    fn terms_code(&mut self, offer: &Offer) -> u32 {
        let hazard = offer.hazard.as_ref().and_then(|h| {
            let rate = [h.rate.low, h.rate.expected, h.rate.high].map(PerHour::get);
            let sound = rate.iter().all(|r| r.is_finite() && *r >= 0.0);
            sound.then(|| (rate.map(f64::to_bits), h.source))
        });
        let code = self.terms.code((hazard, offer.origin.source, offer.origin.basis));
        if code as usize == self.hazard_values.len() {
            self.hazard_values.push(hazard.map(|(bits, _)| rate(bits)));
        }
        code
    }
}

/// The cells of a row that money depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PriceCells {
    pub(crate) provider: u8,
    pub(crate) on_demand: f64,
    pub(crate) spot: f64,
    pub(crate) fees: u32,
    pub(crate) terms: u32,
    pub(crate) download: f64,
    pub(crate) upload: f64,
    pub(crate) disk: f64,
}

impl PriceCells {
    /// Those of a slot.
    pub(crate) fn of(c: &Columns, slot: usize) -> Option<PriceCells> {
        Some(PriceCells {
            provider: *c.provider.get(slot)?,
            on_demand: *c.on_demand.get(slot)?,
            spot: *c.spot.get(slot)?,
            fees: *c.fees.get(slot)?,
            terms: *c.terms.get(slot)?,
            download: *c.download.get(slot)?,
            upload: *c.upload.get(slot)?,
            disk: *c.disk.get(slot)?,
        })
    }
}

fn fees(bits: [u64; 6]) -> Fees {
    let [storage, stopped, egress, ingress, minimum, cap] = bits.map(|b| option(f64::from_bits(b)));
    Fees {
        storage: storage.map(UsdPerGbMonth::new),
        storage_stopped: stopped.map(UsdPerGbMonth::new),
        egress: egress.map(UsdPerGb::new),
        ingress: ingress.map(UsdPerGb::new),
        minimum: minimum.map(Hours::new),
        monthly_cap: cap.map(Hours::new),
    }
}

fn rate(bits: [u64; 3]) -> Range<PerHour> {
    let [low, expected, high] = bits.map(|b| PerHour::new(f64::from_bits(b)));
    Range::new(low, expected, high)
}

/// The number of a provider in [`Provider::ALL`].
pub(crate) fn provider_code(provider: Provider) -> u8 {
    Provider::ALL.iter().position(|p| *p == provider).unwrap_or(0) as u8
}

/// The provider of a number.
pub(crate) fn provider(code: u8) -> Provider {
    Provider::ALL.get(usize::from(code)).copied().unwrap_or(Provider::Vast)
}

fn state_code(availability: Availability, verified: Option<bool>) -> u8 {
    let a = match availability {
        Availability::NotStated => 0,
        Availability::Yes => 1,
        Availability::No => 2,
    };
    let v = match verified {
        None => 0,
        Some(true) => 1,
        Some(false) => 2,
    };
    a | v << 2
}

/// Availability out of a row's state.
pub(crate) fn availability(state: u8) -> Availability {
    match state & 3 {
        1 => Availability::Yes,
        2 => Availability::No,
        _ => Availability::NotStated,
    }
}

/// Verification out of a row's state.
pub(crate) fn verified(state: u8) -> Option<bool> {
    match state >> 2 & 3 {
        1 => Some(true),
        2 => Some(false),
        _ => None,
    }
}

/// A time as the columns keep it: nothing before 1970, nothing after 2106.
fn seconds(at: UnixSeconds) -> u32 {
    at.0.clamp(0, u32::MAX.into()) as u32
}
