//! haggle ranks rented GPUs by what the finished fine-tuning job costs, and says whether it fits.
//!
//! Data flows one way:
//!
//! ```text
//! the clouds ──► provider ──► Offer ──► market (columns) ──┐
//!                                                          ├─► quote per row ─► query, rank ─► app ─► ui / cli / export
//! the user ───► Setup ───────────────► estimate ───────────┘
//! ```
//!
//! Layers, lower ones never import higher ones (`tests/it/architecture.rs` checks it):
//!
//! | layer | modules |
//! |---|---|
//! | L0 | `units` |
//! | L1 | `gpu`, `model`, `setup`, `offer` |
//! | L2 (pure) | `estimate`, `market`, `snapshot`, `export` |
//! | L3 (own I/O) | `provider`, `config` |
//! | L4 (pure) | `session`, `app` |
//! | L5 | `ui` (names ratatui), `tty` (names crossterm) |
//! | L6 | `cli`, `runtime` (name tokio) |

pub mod app;
pub mod cli;
pub mod config;
pub mod estimate;
pub mod export;
pub mod gpu;
pub mod market;
pub mod model;
pub mod offer;
pub mod provider;
pub mod runtime;
pub mod session;
pub mod setup;
pub mod snapshot;
pub mod tty;
pub mod ui;
pub mod units;

/// A file of the reference material, for tests: below the folder that `HAGGLE_SHARED` names. `None`
/// where there is none.
#[cfg(test)]
pub(crate) fn shared(file: &str) -> Option<std::path::PathBuf> {
    let root = std::path::PathBuf::from(std::env::var_os("HAGGLE_SHARED")?);
    Some(root.join(file)).filter(|path| path.exists())
}
