//! The built-in models, read from `assets/models.toml` on first use.

use super::{Architecture, Experts, Family, Model};
use serde::Deserialize;
use std::sync::{Arc, OnceLock};

const ASSET: &str = include_str!("../../assets/models.toml");
const MEASURED: &str = include_str!("../../assets/models-measured.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asset {
    model: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    id: String,
    line: String,
    params: u64,
    active: Option<u64>,
    context: Option<u32>,
    #[serde(default)]
    token: bool,
    refuse: Option<String>,
    block: Option<Family>,
    shape: Option<Shape>,
    #[serde(default)]
    tied: bool,
    #[serde(default)]
    qkv_bias: bool,
    #[serde(default)]
    qk_norm: bool,
    #[serde(default)]
    plain_mlp: bool,
    experts: Option<ExpertsRow>,
    check: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    hidden: u32,
    layers: u32,
    heads: u32,
    kv_heads: u32,
    head_dim: u32,
    mlp: u32,
    vocab: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpertsRow {
    count: u32,
    per_token: u32,
    mlp: u32,
    shared: Option<u32>,
    #[serde(default)]
    dense_layers: u32,
    #[serde(default)]
    fused: bool,
}

/// The built-in models (`assets/models.toml`), read on first use.
pub fn catalogue() -> &'static [Arc<Model>] {
    static CATALOGUE: OnceLock<Vec<Arc<Model>>> = OnceLock::new();
    CATALOGUE.get_or_init(|| read(ASSET))
}

/// Models that appear in published measurements only (`assets/models-measured.toml`).
pub(super) fn measured() -> &'static [Arc<Model>] {
    static MEASURED_MODELS: OnceLock<Vec<Arc<Model>>> = OnceLock::new();
    MEASURED_MODELS.get_or_init(|| read(MEASURED))
}

/// The assets are part of the program, and tests read them whole.
fn read(asset: &str) -> Vec<Arc<Model>> {
    let rows = toml::from_str::<Asset>(asset).map(|asset| asset.model).unwrap_or_default();
    rows.into_iter().map(|row| Arc::new(row.into_model())).collect()
}

impl Row {
    fn into_model(self) -> Model {
        let architecture = self.architecture();
        Model {
            name: self.name,
            id: self.id,
            line: self.line,
            params: self.params,
            active_params: self.active,
            max_context: self.context,
            gated: self.token,
            architecture,
            source: format!("Hugging Face hub, 2026: {}", self.check),
        }
    }

    fn architecture(&self) -> Result<Architecture, String> {
        if let Some(reason) = &self.refuse {
            return Err(format!("{} cannot be estimated: {reason}", self.name));
        }
        let (Some(family), Some(shape)) = (self.block, &self.shape) else {
            return Err(format!("{} has no shape", self.name));
        };
        Ok(Architecture {
            family,
            hidden: shape.hidden,
            layers: shape.layers,
            heads: shape.heads,
            kv_heads: shape.kv_heads,
            head_dim: shape.head_dim,
            intermediate: shape.mlp,
            vocab: shape.vocab,
            tied_embeddings: self.tied,
            qkv_bias: self.qkv_bias,
            qk_norm: self.qk_norm,
            gated_mlp: !self.plain_mlp,
            experts: self.experts.as_ref().map(|e| Experts {
                count: e.count,
                per_token: e.per_token,
                intermediate: e.mlp,
                shared_intermediate: e.shared,
                dense_layers: e.dense_layers,
                fused: e.fused,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_asset_reads_whole() {
        let asset: Asset = toml::from_str(ASSET).unwrap();
        assert_eq!(asset.model.len(), 118);
        assert_eq!(catalogue().len(), 118);
        let refused = catalogue().iter().filter(|m| m.architecture.is_err()).count();
        assert_eq!(refused, 11);
        let asset: Asset = toml::from_str(MEASURED).unwrap();
        assert_eq!(asset.model.len(), measured().len());
        assert!(measured().iter().all(|m| m.architecture.is_ok()));
    }

    #[test]
    fn names_and_ids_are_unique_and_harmless() {
        for (i, model) in catalogue().iter().enumerate() {
            assert!(model.id.contains('/') && model.params > 100_000_000, "{}", model.name);
            assert!(model.name.chars().all(|c| c.is_ascii_graphic()), "{}", model.name);
            for other in &catalogue()[i + 1..] {
                assert_ne!(model.name, other.name);
                assert_ne!(model.id, other.id);
            }
        }
    }

    /// Dense blocks that we know tensor by tensor count to the published total exactly; of the
    /// others the linear layers and embeddings make up all but a hundredth (DeepSeek-V2's latent
    /// attention, counted as a plain one: two hundredths).
    #[test]
    fn shapes_count_to_the_published_parameters() {
        for model in catalogue().iter().chain(measured()) {
            let Ok(arch) = &model.architecture else { continue };
            if let Some(count) = arch.count() {
                assert_eq!(count, model.params, "{}", model.name);
                continue;
            }
            let most = arch.linear_params() + arch.embeddings_params();
            let off = (most as f64 - model.params as f64).abs() / model.params as f64;
            assert!(off < 0.02, "{}: {most} of {}", model.name, model.params);
        }
    }

    #[test]
    fn experts_pass_fewer_parameters_than_they_hold() {
        for model in catalogue() {
            let Ok(arch) = &model.architecture else { continue };
            assert_eq!(arch.experts.is_some(), model.active_params.is_some(), "{}", model.name);
            if let Some(active) = model.active_params {
                assert!(active < model.params, "{}", model.name);
            }
        }
    }
}
