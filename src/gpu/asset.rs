//! The built-in catalogue, read from `assets/gpus.toml` on first use.

use super::identify::{Card, Index};
use super::{Catalogue, Gpu, Vendor};
use crate::units::{GbPerSecond, Gib, Tflops, Watts};
use serde::Deserialize;
use std::sync::OnceLock;

const ASSET: &str = include_str!("../../assets/gpus.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asset<'a> {
    #[serde(borrow)]
    pub(super) gpu: Vec<Row<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    #[serde(default = "nvidia")]
    vendor: &'a str,
    architecture: &'a str,
    memory: f64,
    usable: Option<f64>,
    #[serde(default)]
    usable_assumed: bool,
    peak: Option<f64>,
    matmul: Option<f64>,
    bandwidth: Option<f64>,
    link: Option<f64>,
    watts: Option<f64>,
    #[serde(default)]
    runs: Vec<&'a str>,
    #[serde(default)]
    pub(super) aliases: Vec<&'a str>,
    #[serde(default)]
    pub(super) any_memory: bool,
    #[serde(default = "techpowerup")]
    source: &'a str,
    #[serde(default)]
    doubt: &'a str,
}

fn nvidia() -> &'static str {
    "nvidia"
}

fn techpowerup() -> &'static str {
    "TechPowerUp"
}

/// The built-in catalogue (`assets/gpus.toml`), read on first use.
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(|| {
        // The asset is part of the program, and a test reads it whole.
        let rows = toml::from_str::<Asset<'static>>(ASSET).map(|a| a.gpu).unwrap_or_default();
        Catalogue {
            index: Index::new(rows.iter().map(Row::card)),
            gpus: rows.iter().map(Row::gpu).collect(),
        }
    })
}

impl Row<'_> {
    fn card(&self) -> Card<'_> {
        Card {
            name: self.name,
            aliases: &self.aliases,
            memory: self.memory,
            any_memory: self.any_memory,
        }
    }
}

impl Row<'static> {
    fn gpu(&self) -> Gpu {
        let runs = |what: &str| self.runs.contains(&what);
        Gpu {
            name: self.name,
            vendor: match self.vendor {
                "nvidia" => Vendor::Nvidia,
                "amd" => Vendor::Amd,
                _ => Vendor::Other,
            },
            architecture: self.architecture,
            memory: Gib::new(self.memory),
            usable: self.usable.map(Gib::new),
            usable_assumed: self.usable_assumed,
            peak: self.peak.map(Tflops::new),
            measured_matmul: self.matmul.map(Tflops::new),
            bandwidth: self.bandwidth.map(GbPerSecond::new),
            nvlink: self.link.map(GbPerSecond::new),
            tdp: self.watts.map(Watts::new),
            bf16: runs("bf16"),
            flash_attention: runs("flash"),
            fp8: runs("fp8"),
            source: self.source,
            doubt: self.doubt,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_asset_reads_whole() {
        let asset: Asset<'_> = toml::from_str(ASSET).unwrap();
        assert_eq!(asset.gpu.len(), 134);
        assert_eq!(catalogue().iter().count(), 134);
    }

    #[test]
    fn names_are_unique_and_figures_are_possible() {
        for (id, gpu) in catalogue().iter() {
            assert!(gpu.memory.get() >= 4.0 && gpu.memory.get() <= 300.0, "{}", gpu.name);
            assert!(gpu.usable.is_none_or(|u| u < gpu.memory), "{}", gpu.name);
            if let (Some(peak), Some(measured)) = (gpu.peak, gpu.measured_matmul) {
                assert!(measured < peak, "{}", gpu.name);
            }
            // bf16 came with Ampere; FlashAttention-2 wants it too.
            assert!(gpu.bf16 || !gpu.flash_attention, "{}", gpu.name);
            let same = catalogue().iter().filter(|(_, g)| g.name == gpu.name);
            assert_eq!(same.map(|(i, _)| i).collect::<Vec<_>>(), [id]);
        }
    }

    /// Data-sheet figures, worked from the makers' own: A100 312, H100 SXM 989, RTX 4090 165.2
    /// (fp32 accumulation), T4 65 without bf16.
    #[test]
    fn cards_that_everybody_knows() {
        let card = |name| catalogue().get(catalogue().identify(name, None).unwrap()).unwrap();
        assert_eq!(card("A100 SXM 80GB").peak, Some(Tflops::new(312.0)));
        assert_eq!(card("A100 SXM 80GB").usable, Some(Gib::new(79.15)));
        assert_eq!(card("H100 SXM").peak, Some(Tflops::new(989.0)));
        assert_eq!(card("RTX 4090").peak, Some(Tflops::new(165.2)));
        assert!(!card("T4").bf16 && !card("T4").flash_attention);
        assert_eq!(card("MI300X").vendor, Vendor::Amd);
    }
}
