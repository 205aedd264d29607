//! Parameters of a block, counted from its dimensions.
//!
//! The counts are those of the Transformers modules; the catalogue's test compares them with
//! the published checkpoints, tensor by tensor total.

use super::{Architecture, Family};

impl Architecture {
    /// Width of the queries: heads × head size.
    pub fn q_width(&self) -> u64 {
        u64::from(self.heads) * u64::from(self.head_dim)
    }

    /// Width of the keys, and of the values.
    pub fn kv_width(&self) -> u64 {
        u64::from(self.kv_heads) * u64::from(self.head_dim)
    }

    /// Weights of the attention's linear layers, one layer.
    pub fn attention_params(&self) -> u64 {
        u64::from(self.hidden) * (2 * self.q_width() + 2 * self.kv_width())
    }

    /// Weights of one MLP of hidden size `width`.
    fn mlp_params(&self, width: u32) -> u64 {
        let matrices = if self.gated_mlp { 3 } else { 2 };
        matrices * u64::from(self.hidden) * u64::from(width)
    }

    /// Weights of the MLPs of layer `index`, router left out; all experts of a sparse layer.
    pub fn mlp_params_of_layer(&self, index: u32) -> u64 {
        match self.experts {
            Some(e) if index >= e.dense_layers => {
                u64::from(e.count) * self.mlp_params(e.intermediate)
                    + e.shared_intermediate.map_or(0, |w| self.mlp_params(w))
            }
            _ => self.mlp_params(self.intermediate),
        }
    }

    /// Weights of the linear layers of all blocks: what quantisation and adapters address.
    pub fn linear_params(&self) -> u64 {
        let layers = u64::from(self.layers);
        let dense = match self.experts {
            Some(e) => u64::from(e.dense_layers.min(self.layers)),
            None => layers,
        };
        layers * self.attention_params()
            + dense * self.mlp_params(self.intermediate)
            + (layers - dense) * self.mlp_params_of_layer(self.layers.saturating_sub(1))
    }

    /// Weights of one embedding.
    pub fn embedding_params(&self) -> u64 {
        u64::from(self.vocab) * u64::from(self.hidden)
    }

    /// Weights of input embedding and LM head together; once when they are tied.
    pub fn embeddings_params(&self) -> u64 {
        self.embedding_params() * if self.tied_embeddings { 1 } else { 2 }
    }

    /// Norms over the hidden size in one layer.
    pub fn norms_per_layer(&self) -> u64 {
        match self.family {
            Family::Gemma2 | Family::Gemma3 => 4,
            _ => 2,
        }
    }

    /// Norm weights and biases of one layer; the router of a sparse one is left out.
    pub fn small_params_per_layer(&self) -> u64 {
        let norms = self.norms_per_layer() * u64::from(self.hidden);
        let biases = if self.qkv_bias { self.q_width() + 2 * self.kv_width() } else { 0 };
        let qk = match (self.qk_norm, self.family) {
            (false, _) => 0,
            (true, Family::Olmo2) => self.q_width() + self.kv_width(),
            (true, _) => 2 * u64::from(self.head_dim),
        };
        norms + biases + qk
    }

    /// All parameters, for blocks whose every tensor we know; `None` for the others.
    pub fn count(&self) -> Option<u64> {
        if self.family == Family::Other || self.experts.is_some() {
            return None;
        }
        Some(
            self.linear_params()
                + u64::from(self.layers) * self.small_params_per_layer()
                + u64::from(self.hidden)
                + self.embeddings_params(),
        )
    }
}
