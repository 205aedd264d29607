//! From what a provider writes to the card that is meant.
//!
//! Names are compared without makers' words, case and punctuation. Where one name stands for two
//! sizes of memory (A100, V100, RTX 4090), the memory tells them apart; without it, or when it suits
//! neither, nothing is meant for certain. A bare `A100`, `H100`, `V100` is the SXM kind: whoever
//! sells the PCIe kind says so; only an `H100` of 94 GB is the NVL one. A slice of a card (`MIG`, or
//! a part of its memory) is not the card: whoever knows which share of it is sold asks for the card
//! without a memory.

use super::{Catalogue, GpuId};
use crate::units::Gib;
use std::collections::HashMap;

/// Sizes that differ by less than this are the same: what cards report lies up to a tenth below
/// their nominal size.
const SAME_SIZE: f64 = 0.15;

/// Normalised names, and the cards they may stand for.
#[derive(Debug, Default)]
pub(super) struct Index {
    exact: HashMap<String, u16>,
    names: HashMap<String, Vec<Variant>>,
}

#[derive(Clone, Copy, Debug)]
struct Variant {
    id: u16,
    memory: f64,
    any_memory: bool,
}

/// What one card of the catalogue is called.
pub(super) struct Card<'a> {
    pub(super) name: &'a str,
    pub(super) aliases: &'a [&'a str],
    /// GiB.
    pub(super) memory: f64,
    /// Its names mean it whatever memory is stated.
    pub(super) any_memory: bool,
}

impl Index {
    /// The cards stand in the order of the catalogue.
    pub(super) fn new<'a>(cards: impl Iterator<Item = Card<'a>>) -> Index {
        let mut index = Index::default();
        for (id, card) in cards.enumerate() {
            let id = id as u16;
            index.exact.insert(key(card.name), id);
            let variant = Variant { id, memory: card.memory, any_memory: card.any_memory };
            for name in std::iter::once(&card.name).chain(card.aliases) {
                let known = index.names.entry(key(name)).or_default();
                if known.iter().all(|v| v.id != id) {
                    known.push(variant);
                }
            }
        }
        index
    }
}

impl Catalogue {
    /// The card that a provider means by `name`; memory tells variants of one name apart
    /// (A100 40/80, 4090 24/48). `None` when nothing in the catalogue is meant for certain.
    pub fn identify(&self, name: &str, memory_of_one: Option<Gib>) -> Option<GpuId> {
        let stated = memory_of_one.map(Gib::get).filter(|m| *m > 0.0);
        let alone = WHOLE.iter().find(|(whole, _)| stated.is_none() && *whole == name);
        let name = Name::read(alone.map_or(name, |(_, card)| card));
        if name.slice {
            return None;
        }
        let memory = stated.or(name.memory);
        let exact = self.index.exact.get(&name.whole).copied();
        if let Some(id) = exact
            && stated.is_none()
        {
            return Some(GpuId(id));
        }
        // A size may be part of what a card is known by: `H100 94GB`.
        let sized = memory.map(|m| format!("{}{:.0}gb", name.sizeless, m.round()));
        let keys = [sized.as_ref(), Some(&name.whole), Some(&name.sizeless), Some(&name.bare)];
        let variants = keys.into_iter().flatten().find_map(|k| self.index.names.get(k))?;
        choose(variants, memory).map(GpuId)
    }
}

/// The variant of that memory.
fn choose(variants: &[Variant], memory: Option<f64>) -> Option<u16> {
    let Some(memory) = memory else {
        return if let [only] = variants { Some(only.id) } else { None };
    };
    let off = |v: &Variant| (memory / v.memory - 1.0).abs();
    let nearest = variants.iter().min_by(|a, b| off(a).total_cmp(&off(b)))?;
    if off(nearest) <= SAME_SIZE {
        return Some(nearest.id);
    }
    let [only] = variants else { return None };
    only.any_memory.then_some(only.id)
}

/// A provider's name, in three degrees of plainness.
struct Name {
    whole: String,
    /// Without the memory size.
    sizeless: String,
    /// And without the form of the board.
    bare: String,
    /// The size that the name states, in GB.
    memory: Option<f64>,
    /// It names a part of a card: `… MIG 1g.24gb`.
    slice: bool,
}

impl Name {
    fn read(name: &str) -> Name {
        let words = words(name);
        let slice = words.iter().any(|w| w == "mig");
        let mut memory = None;
        let mut kept: Vec<&str> = Vec::new();
        for (i, word) in words.iter().enumerate() {
            let next = words.get(i + 1).map(String::as_str);
            let size = word.strip_suffix("gb").and_then(|n| n.parse::<f64>().ok());
            let spaced = word.parse::<f64>().ok().filter(|_| next == Some("gb"));
            if size.or(spaced).is_some() {
                memory = size.or(spaced);
            } else if word != "gb" {
                kept.push(word);
            }
        }
        let bare: Vec<&str> = kept.iter().copied().filter(|w| !BOARD.contains(w)).collect();
        Name { whole: words.concat(), sizeless: kept.concat(), bare: bare.concat(), memory, slice }
    }
}

/// Names that mean one card as they stand, though their words alone would not: Google's accelerator
/// types (its 80 GB A100 is `nvidia-a100-80gb`).
const WHOLE: &[(&str, &str)] =
    &[("nvidia-tesla-a100", "A100 SXM 40GB"), ("nvidia-tesla-v100", "V100 SXM2 16GB")];

/// Words for the form of a board that nearly every card has.
const BOARD: &[&str] = &["pcie", "pci"];

/// A name as it is compared.
pub(super) fn key(name: &str) -> String {
    words(name).concat()
}

/// The words of a name, lower case, without those that only say who made it.
fn words(name: &str) -> Vec<String> {
    let mut name = name.to_ascii_lowercase();
    for maker in ["nvidia", "geforce", "tesla", "instinct", "radeon"] {
        name = name.replace(maker, " ");
    }
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty() && !["amd", "generation", "edition"].contains(w))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::gpu::catalogue;
    use crate::units::Gib;

    fn name(raw: &str, memory: Option<f64>) -> Option<&'static str> {
        let id = catalogue().identify(raw, memory.map(Gib::new))?;
        catalogue().get(id).map(|g| g.name)
    }

    #[test]
    fn every_canonical_name_is_itself() {
        for (id, gpu) in catalogue().iter() {
            assert_eq!(catalogue().identify(gpu.name, None), Some(id), "{}", gpu.name);
            assert_eq!(catalogue().identify(gpu.name, Some(gpu.memory)), Some(id), "{}", gpu.name);
        }
    }

    /// Spellings of the providers, with what they say about memory.
    #[test]
    fn each_provider_is_understood() {
        for (raw, memory, wanted) in [
            ("RTX 4090", Some(23.99), "RTX 4090"),
            ("RTX 4090", Some(47.99), "RTX 4090 48GB (modded)"),
            ("RTX 4090D", Some(23.99), "RTX 4090 D"),
            ("RTX 4070S Ti", Some(16.0), "RTX 4070 Ti SUPER"),
            ("RTX 6000Ada", Some(47.99), "RTX 6000 Ada"),
            ("RTX6000-Ada", None, "RTX 6000 Ada"),
            ("Q RTX 8000", Some(48.0), "Quadro RTX 8000"),
            ("Tesla V100", Some(31.74), "V100 SXM2 32GB"),
            ("Tesla T4", Some(15.0), "T4"),
            ("A100 SXM4", Some(39.56), "A100 SXM 40GB"),
            ("A100 SXM4", Some(79.65), "A100 SXM 80GB"),
            ("A100 PCIE", Some(80.0), "A100 PCIe 80GB"),
            ("NVIDIA A100 80GB PCIe", Some(80.0), "A100 PCIe 80GB"),
            ("NVIDIA A100-SXM4-80GB", Some(80.0), "A100 SXM 80GB"),
            ("NVIDIA A100-SXM4-40GB", None, "A100 SXM 40GB"),
            ("A100-80GB", None, "A100 SXM 80GB"),
            ("nvidia-tesla-a100", Some(40.0), "A100 SXM 40GB"),
            ("nvidia-tesla-a100", None, "A100 SXM 40GB"),
            ("nvidia-tesla-v100", None, "V100 SXM2 16GB"),
            ("NVIDIA H100 80GB HBM3", Some(80.0), "H100 SXM"),
            ("H100 PCIE", Some(79.65), "H100 PCIe"),
            ("H100 NVL", Some(94.0), "H100 NVL"),
            ("H100", Some(80.0), "H100 SXM"),
            ("nvidia-h100-mega-80gb", None, "H100 SXM"),
            ("geforcertx3060-pcie-12gb", None, "RTX 3060 12GB"),
            ("geforcertx3060tilhr-pcie-8gb", None, "RTX 3060 Ti"),
            ("rtxa4000-pcie-16gb", None, "RTX A4000"),
            ("l40-pcie-48gb", None, "L40"),
            ("h100-sxm5-80gb", None, "H100 SXM"),
            ("teslav100-pcie-32gb", Some(32.0), "V100 PCIe 32GB"),
            ("teslav100-pcie-16gb", None, "V100 PCIe 16GB"),
            ("NVIDIA GeForce RTX 4080 SUPER", Some(16.0), "RTX 4080 SUPER"),
            ("NVIDIA RTX 4000 Ada Generation", Some(20.0), "RTX 4000 Ada"),
            (
                "NVIDIA RTX PRO 6000 Blackwell Server Edition",
                Some(96.0),
                "RTX PRO 6000 Blackwell Server",
            ),
            ("RTX PRO 6000 S", Some(95.6), "RTX PRO 6000 Blackwell Server"),
            ("AMD Instinct MI300X OAM", Some(192.0), "MI300X"),
            ("InstinctMI250X", Some(128.0), "MI250X"),
            ("NVIDIA_A16", Some(16.0), "A16 (per GPU)"),
            ("B200", Some(178.35), "B200"),
            ("RTX 4060 Ti", Some(8.0), "RTX 4060 Ti 16GB"),
            ("RTX PRO 6000", Some(95.6), "RTX PRO 6000 Blackwell Server"),
            ("nvidia-rtx-pro-6000", None, "RTX PRO 6000 Blackwell Server"),
            ("RTX PRO 6000 WK", Some(96.0), "RTX PRO 6000 Blackwell Workstation"),
            ("RTX 4000 Ada SFF", Some(20.0), "RTX 4000 SFF Ada"),
            ("H100", Some(94.0), "H100 NVL"),
            ("H100", Some(93.58), "H100 NVL"),
            ("MI308X", Some(128.0), "MI308X"),
            ("A10", Some(22.1), "A10"),
        ] {
            assert_eq!(name(raw, memory), Some(wanted), "{raw} {memory:?}");
        }
    }

    #[test]
    fn what_is_not_certain_is_not_guessed() {
        for (raw, memory) in [
            ("A100", None),
            ("A100 SXM4", Some(60.0)),
            ("RTX 3080", Some(12.0)),
            ("RTX 9999", Some(24.0)),
            ("", None),
            ("GPU", Some(80.0)),
            ("GH200", None),
            // Parts of cards.
            ("A10", Some(4.0)),
            ("L4", Some(3.0)),
            ("A40", Some(24.0)),
            ("RTXPRO6000", Some(12.0)),
            ("NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb", Some(24.0)),
            ("NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 2g.48gb", None),
            ("PRO-6000-MIG-1g-24gb", Some(24.0)),
            ("H100 MIG 1g.10gb", None),
            // Other cards under a lesser one's name (aggregated catalogues).
            ("RTX3060", Some(8.0)),
            ("RTX4060", Some(16.0)),
            ("RTX 6000", Some(48.0)),
            ("RTX 4080 laptop", None),
        ] {
            assert_eq!(name(raw, memory), None, "{raw} {memory:?}");
        }
    }
}
