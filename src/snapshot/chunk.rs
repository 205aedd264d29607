//! A chunk: up to 8,192 offers as columns, with the texts that they share written once.

use super::bytes::{Bad, Reader, put_text, put_varint};
use super::columns::{Figures, put_codes, put_figures, read_codes};
use crate::gpu::{self, GpuId};
use crate::offer::{
    Availability, Basis, Continent, Country, Fees, Flags, Hardware, Hazard, Link, Offer, Origin,
    Place, Price, Provider, Text, source_name,
};
use crate::units::{
    Gb, Gib, Hours, Mbps, PerHour, Range, Share, UnixSeconds, UsdPerGb, UsdPerGbMonth, UsdPerHour,
};
use std::collections::HashMap;

/// Offers in one chunk at most.
pub(super) const MOST: usize = 8192;
/// GPUs of one machine, or of a rack that is sold as one.
const MOST_GPUS: f64 = 4096.0;

/// The figures of an offer, in the order in which their columns are written.
const FIGURES: [fn(&Offer) -> Option<f64>; 22] = [
    |o| o.hardware.gpus,
    |o| o.hardware.vram.map(Gib::get),
    |o| o.hardware.vcpus,
    |o| o.hardware.ram.map(Gib::get),
    |o| o.hardware.cuda_max,
    |o| o.price.on_demand.map(UsdPerHour::get),
    |o| o.price.spot.map(UsdPerHour::get),
    |o| o.fees.storage.map(UsdPerGbMonth::get),
    |o| o.fees.storage_stopped.map(UsdPerGbMonth::get),
    |o| o.fees.egress.map(UsdPerGb::get),
    |o| o.fees.ingress.map(UsdPerGb::get),
    |o| o.fees.minimum.map(Hours::get),
    |o| o.reliability.map(Share::get),
    |o| o.download.map(Mbps::get),
    |o| o.upload.map(Mbps::get),
    |o| o.disk.map(Gb::get),
    |o| o.max_rental.map(Hours::get),
    |o| o.hazard.map(|h| h.rate.low.get()),
    |o| o.hazard.map(|h| h.rate.expected.get()),
    |o| o.hazard.map(|h| h.rate.high.get()),
    |o| Some(o.origin.fetched_at.0.max(0) as f64),
    |o| o.fees.monthly_cap.map(Hours::get),
];
/// Columns of figures that version 1 of the format had.
const FIGURES_OF_1: usize = 21;

/// The small codes of an offer, with how many there are of each.
const LINKS: [Link; 4] = [Link::Nvlink, Link::PcieFull, Link::PcieSlow, Link::Unknown];
const AVAILABILITIES: [Availability; 3] =
    [Availability::Yes, Availability::No, Availability::NotStated];
const VERIFIED: [Option<bool>; 3] = [None, Some(true), Some(false)];
const BASES: [Basis; 6] =
    [Basis::Live, Basis::Listed, Basis::Measured, Basis::Modelled, Basis::Assumed, Basis::Unknown];

/// Texts written once; zero is "none".
#[derive(Default)]
struct Texts {
    list: Vec<String>,
    codes: HashMap<String, usize>,
}

impl Texts {
    fn code(&mut self, text: Option<&str>) -> usize {
        let Some(text) = text else { return 0 };
        if let Some(code) = self.codes.get(text) {
            return *code;
        }
        self.list.push(text.to_owned());
        self.codes.insert(text.to_owned(), self.list.len());
        self.list.len()
    }
}

fn position<T: PartialEq>(list: &[T], value: &T) -> usize {
    list.iter().position(|v| v == value).unwrap_or(0)
}

/// Appends the columns of `offers`.
pub(super) fn write(offers: &[Offer], out: &mut Vec<u8>) {
    for offer in offers {
        put_text(out, offer.key.as_str());
        put_text(out, offer.launch_id.as_str());
    }
    let mut texts = Texts::default();
    let mut shared: Vec<Vec<usize>> = vec![Vec::new(); 8];
    for offer in offers {
        let card = offer.hardware.gpu.and_then(|id| gpu::catalogue().get(id));
        let country = offer.place.country;
        let row = [
            offer.host.as_ref().map(Text::as_str),
            card.map(|g| g.name),
            Some(offer.hardware.gpu_raw.as_str()),
            offer.hardware.instance_type.as_ref().map(Text::as_str),
            Some(offer.place.raw.as_str()),
            country.as_ref().map(Country::code),
            Some(offer.origin.source),
            offer.hazard.map(|h| h.source),
        ];
        for (column, text) in shared.iter_mut().zip(row) {
            column.push(texts.code(text));
        }
    }
    put_varint(out, texts.list.len());
    for text in &texts.list {
        put_text(out, text);
    }
    for column in &shared {
        put_codes(out, column);
    }
    let small: [fn(&Offer) -> usize; 7] = [
        |o| position(&Provider::ALL, &o.provider),
        |o| position(&LINKS, &o.hardware.link),
        |o| o.place.continent.map_or(0, |c| 1 + position(&Continent::ALL, &c)),
        |o| position(&VERIFIED, &o.verified),
        |o| position(&AVAILABILITIES, &o.availability),
        |o| position(&BASES, &o.origin.basis),
        |o| usize::from(o.flags.0),
    ];
    for code in small {
        put_codes(out, &offers.iter().map(code).collect::<Vec<_>>());
    }
    for figure in FIGURES {
        put_figures(out, offers.iter().map(figure));
    }
}

/// The columns of a chunk, ready to be read row by row.
struct Columns<'a> {
    keys: Vec<(&'a str, &'a str)>,
    texts: Vec<Text>,
    sources: Vec<&'static str>,
    cards: Vec<Option<GpuId>>,
    shared: Vec<Vec<usize>>,
    small: Vec<Vec<usize>>,
    figures: Vec<Figures<'a>>,
}

/// The offers of a chunk.
pub(super) fn read(bytes: &[u8], rows: usize) -> Result<Vec<Offer>, Bad> {
    let mut reader = Reader::new(bytes);
    let columns = Columns::read(&mut reader, rows)?;
    if !reader.is_empty() {
        return Err("a chunk with something left over");
    }
    (0..rows).map(|row| columns.offer(row).ok_or("a row that cannot be")).collect()
}

impl<'a> Columns<'a> {
    fn read(reader: &mut Reader<'a>, rows: usize) -> Result<Self, Bad> {
        let keys = (0..rows)
            .map(|_| Ok((reader.text()?, reader.text()?)))
            .collect::<Result<Vec<_>, Bad>>()?;
        let count = reader.varint()?;
        if count > rows.saturating_mul(8) {
            return Err("more texts than rows");
        }
        let mut texts = vec![Text::default()];
        for _ in 0..count {
            texts.push(Text::new(reader.text()?));
        }
        let shared =
            (0..8).map(|_| read_codes(reader, rows, count + 1)).collect::<Result<Vec<_>, Bad>>()?;
        let limits = [
            Provider::ALL.len(),
            LINKS.len(),
            1 + Continent::ALL.len(),
            VERIFIED.len(),
            AVAILABILITIES.len(),
            BASES.len(),
            1 << 16,
        ];
        let small = limits
            .iter()
            .map(|limit| read_codes(reader, rows, *limit))
            .collect::<Result<Vec<_>, Bad>>()?;
        let mut figures = Vec::with_capacity(FIGURES.len());
        for column in 0..FIGURES.len() {
            // A chunk of version 1 ends before the columns that came later.
            let ended = column >= FIGURES_OF_1 && reader.is_empty();
            figures.push(if ended { Figures::Nothing } else { Figures::read(reader, rows)? });
        }
        let used = |column: usize| {
            let codes = shared.get(column).map_or(&[][..], Vec::as_slice);
            let mut used = vec![false; count + 1];
            for code in codes {
                if let Some(used) = used.get_mut(*code) {
                    *used = true;
                }
            }
            used
        };
        let named: Vec<(bool, bool)> = used(6).into_iter().zip(used(7)).collect();
        let sources =
            texts.iter().zip(&named).map(
                |(text, (origin, hazard))| {
                    if *origin || *hazard { source_name(text) } else { "" }
                },
            );
        let cards = texts.iter().zip(used(1)).map(|(text, used)| {
            if used { gpu::catalogue().identify(text.as_str(), None) } else { None }
        });
        let (sources, cards) = (sources.collect(), cards.collect());
        Ok(Self { keys, texts, sources, cards, shared, small, figures })
    }

    fn code(&self, column: usize, row: usize) -> Option<usize> {
        self.shared.get(column)?.get(row).copied()
    }

    fn text(&self, column: usize, row: usize) -> Option<Text> {
        match self.code(column, row)? {
            0 => None,
            code => self.texts.get(code).cloned(),
        }
    }

    fn small<T: Copy>(&self, column: usize, row: usize, list: &[T]) -> Option<T> {
        list.get(*self.small.get(column)?.get(row)?).copied()
    }

    fn figure(&self, column: usize, row: usize) -> Option<f64> {
        self.figures.get(column)?.get(row)
    }

    fn offer(&self, row: usize) -> Option<Offer> {
        let (key, launch) = self.keys.get(row)?;
        let figure = |column| self.figure(column, row);
        let continent = *self.small.get(2)?.get(row)?;
        Some(Offer {
            key: Text::new(key),
            launch_id: Text::new(launch),
            provider: self.small(0, row, &Provider::ALL)?,
            host: self.text(0, row),
            hardware: self.hardware(row)?,
            place: Place {
                raw: self.text(4, row).unwrap_or_default(),
                country: self.text(5, row).and_then(|t| Country::from_code(t.as_str())),
                continent: continent.checked_sub(1).and_then(|c| Continent::ALL.get(c)).copied(),
            },
            price: Price {
                on_demand: figure(5).map(UsdPerHour::new),
                spot: figure(6).map(UsdPerHour::new),
            },
            fees: Fees {
                storage: figure(7).map(UsdPerGbMonth::new),
                storage_stopped: figure(8).map(UsdPerGbMonth::new),
                egress: figure(9).map(UsdPerGb::new),
                ingress: figure(10).map(UsdPerGb::new),
                minimum: figure(11).map(Hours::new),
                monthly_cap: figure(21).map(Hours::new),
            },
            reliability: figure(12).filter(|share| *share <= 1.0).map(Share::new),
            download: figure(13).map(Mbps::new),
            upload: figure(14).map(Mbps::new),
            disk: figure(15).map(Gb::new),
            verified: self.small(3, row, &VERIFIED)?,
            availability: self.small(4, row, &AVAILABILITIES)?,
            hazard: self.hazard(row),
            max_rental: figure(16).map(Hours::new),
            origin: Origin {
                source: self.sources.get(self.code(6, row)?).copied()?,
                basis: self.small(5, row, &BASES)?,
                fetched_at: UnixSeconds(figure(20)? as i64),
            },
            flags: Flags(*self.small.get(6)?.get(row)? as u16),
        })
    }

    fn hardware(&self, row: usize) -> Option<Hardware> {
        let gpu_raw = self.text(2, row).unwrap_or_default();
        let vram = self.figure(1, row).map(Gib::new);
        let named = self.cards.get(self.code(1, row)?).copied().flatten();
        Some(Hardware {
            // A card that had no name then may have one now.
            gpu: named.or_else(|| gpu::catalogue().identify(gpu_raw.as_str(), vram)),
            gpu_raw,
            gpus: match self.figure(0, row) {
                Some(gpus) if gpus > 0.0 && gpus <= MOST_GPUS => Some(gpus),
                Some(_) => return None,
                None => None,
            },
            vram,
            link: self.small(1, row, &LINKS)?,
            vcpus: self.figure(2, row),
            ram: self.figure(3, row).map(Gib::new),
            cuda_max: self.figure(4, row),
            instance_type: self.text(3, row),
        })
    }

    fn hazard(&self, row: usize) -> Option<Hazard> {
        let rate = |column| self.figure(column, row).map(PerHour::new);
        let source = match self.code(7, row)? {
            0 => return None,
            code => self.sources.get(code).copied()?,
        };
        let (low, expected, high) = (rate(17)?, rate(18)?, rate(19)?);
        let ordered = low <= expected && expected <= high;
        ordered.then(|| Hazard { rate: Range::new(low, expected, high), source })
    }
}
