//! What is inside the machine types of clouds whose price lists do not say (`assets/machines.csv`).

use crate::gpu::{GpuId, catalogue};
use crate::offer::{Hardware, Link, Provider, Text};
use crate::units::Gib;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A machine type.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Its cards, by a name of the catalogue.
    pub card: String,
    /// How many; below one for a slice.
    pub cards: f64,
    /// Memory of one card, or of the slice.
    pub vram: Gib,
    /// Processor threads.
    pub vcpus: f64,
    /// Main memory, where it is stated.
    pub ram: Option<Gib>,
    /// How the cards are joined.
    pub link: Link,
}

impl Machine {
    /// The card in the catalogue.
    pub fn gpu(&self) -> Option<GpuId> {
        // A slice has less memory than its card, which must not hide which card it is.
        let memory = (self.cards >= 1.0).then_some(self.vram);
        catalogue().identify(&self.card, memory)
    }

    /// The hardware of an offer of this type.
    pub fn hardware(&self, name: &str) -> Hardware {
        Hardware {
            gpu: self.gpu(),
            gpu_raw: Text::new(&self.card),
            gpus: Some(self.cards),
            vram: Some(self.vram),
            link: self.link,
            vcpus: Some(self.vcpus),
            ram: self.ram,
            cuda_max: None,
            instance_type: Some(Text::new(name)),
        }
    }
}

/// Machine types with GPUs that a price list names and the table does not.
#[derive(Clone, Debug, Default)]
pub(super) struct UnknownTypes(BTreeMap<String, usize>);

impl UnknownTypes {
    /// Counts a row of such a type.
    pub(super) fn note(&mut self, name: &str) {
        *self.0.entry(name.to_string()).or_default() += 1;
    }

    /// Each with its rows.
    pub(super) fn list(&self) -> Vec<(Text, usize)> {
        self.0.iter().map(|(name, rows)| (Text::new(name), *rows)).collect()
    }
}

/// The hardware of the machine type `name`: what the table says, or no more than its name.
pub(super) fn hardware(provider: Provider, name: &str) -> Hardware {
    machine(provider, name).map_or_else(|| Hardware::untold(name), |known| known.hardware(name))
}

/// The machine type `name` of `provider`, if we know it.
pub fn machine(provider: Provider, name: &str) -> Option<&'static Machine> {
    static TABLE: OnceLock<BTreeMap<(String, String), Machine>> = OnceLock::new();
    let table = TABLE.get_or_init(|| read(include_str!("../../assets/machines.csv")));
    table.get(&(provider.name().to_string(), name.to_string()))
}

fn read(text: &str) -> BTreeMap<(String, String), Machine> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let mut table = BTreeMap::new();
    for row in reader.records().flatten() {
        let field = |i: usize| row.get(i).unwrap_or_default();
        let number = |i: usize| field(i).parse::<f64>().ok().filter(|v| *v > 0.0);
        let link = match field(8) {
            "nvlink" => Link::Nvlink,
            "pcie" => Link::PcieFull,
            "pcie-slow" => Link::PcieSlow,
            _ => Link::Unknown,
        };
        let (Some(cards), Some(vram), Some(vcpus)) = (number(3), number(4), number(5)) else {
            continue;
        };
        let machine = Machine {
            card: field(2).to_string(),
            cards,
            vram: Gib::new(vram),
            vcpus,
            ram: number(6).map(Gib::new),
            link,
        };
        table.insert((field(0).to_string(), field(1).to_string()), machine);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASSET: &str = include_str!("../../assets/machines.csv");

    #[test]
    fn every_line_of_the_asset_is_read() {
        let lines = ASSET.lines().filter(|l| !l.starts_with('#')).count() - 1;
        assert_eq!(read(ASSET).len(), lines);
    }

    /// Size pages of the three clouds, as quoted in the asset.
    #[test]
    fn sizes_are_those_of_the_clouds_own_pages() {
        let of = |p, n| machine(p, n).unwrap();
        let p5 = of(Provider::Aws, "p5.48xlarge");
        assert_eq!((p5.cards, p5.vram.get(), p5.vcpus, p5.link), (8.0, 80.0, 192.0, Link::Nvlink));
        let slice = of(Provider::Azure, "Standard_NV6ads_A10_v5");
        assert_eq!((slice.card.as_str(), slice.vram.get()), ("A10", 4.0));
        assert!((slice.cards - 1.0 / 6.0).abs() < 1e-5);
        let eighth = of(Provider::Aws, "g6f.xlarge");
        assert_eq!((eighth.cards, eighth.vram.get()), (0.125, 3.0));
        assert_eq!(of(Provider::Gcp, "g2-standard-32").cards, 1.0);
        assert_eq!(of(Provider::Azure, "Standard_NC40ads_H100_v5").vram.get(), 94.0);
        let pro = of(Provider::Azure, "Standard_NC256lds_xl_RTXPRO6000BSE_v6");
        assert_eq!((pro.cards, pro.vram.get(), pro.ram), (2.0, 96.0, None));
        assert!(machine(Provider::Aws, "m5.large").is_none());
    }

    /// Azure's RTX PRO 6000 sizes: 128–144 threads hold one card, 256–324 hold two; below that the
    /// share of a card is not stated, and is not guessed.
    #[test]
    fn sizes_without_a_stated_share_or_memory_get_none_invented() {
        let of = |threads: u32, letter: &str| {
            let name = format!("Standard_NC{threads}{letter}ds_xl_RTXPRO6000BSE_v6");
            machine(Provider::Azure, &name).map(|m| (m.cards, m.vcpus, m.vram.get()))
        };
        for letter in ["", "l"] {
            for threads in [128, 132, 144] {
                assert_eq!(of(threads, letter), Some((1.0, f64::from(threads), 96.0)));
            }
            for threads in [256, 264, 288, 320, 324] {
                assert_eq!(of(threads, letter), Some((2.0, f64::from(threads), 96.0)));
            }
            for threads in [8, 16, 24, 32, 36, 64, 72] {
                assert_eq!(of(threads, letter), None);
            }
        }
        let ram = |name: &str| machine(Provider::Azure, name).and_then(|m| m.ram);
        assert_eq!(ram("Standard_NC132ds_xl_RTXPRO6000BSE_v6"), None);
        assert_eq!(ram("Standard_NC144ds_xl_RTXPRO6000BSE_v6"), Some(Gib::new(516.0)));
    }
}
