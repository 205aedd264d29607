//! Markets on disk, and the one that is built in: a compact format of our own, as pure bytes.
//!
//! ```text
//! "HAGGLE\x1a\n"  version u16  length u32  crc u32   head (JSON: when, which providers)
//! chunk: rows u32  raw length u32  packed length u32  crc u32   columns of up to 8,192 offers
//! …
//! end:   0 u32     offers in all u64
//! ```
//!
//! All numbers are little-endian. A chunk is stored as it is or deflated, whichever was asked for;
//! it holds its own dictionary, so that rows can be shown before the file has been read to its end.
//! Every part carries a checksum (CRC-32 over the packed bytes). Cards are named, not numbered, so
//! that a snapshot outlives changes of the catalogue.
//!
//! Reading never panics and never believes a length: a truncated, damaged, newer or foreign file is
//! one line of error, and the chunks before the damage are good.

mod bytes;
mod chunk;
mod columns;
mod frame;

pub use frame::{Decoder, Encoder, MAGIC};

use crate::offer::{Offer, Provider, Text};
use crate::units::UnixSeconds;
use serde::{Deserialize, Serialize};

/// The version of the format that is written, and the newest that can be read.
pub const VERSION: u16 = 2;

/// What a snapshot says about itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// When it was made.
    pub at: UnixSeconds,
    /// What it is, in words: `built in`, `saved by haggle 0.1.0`.
    pub note: Text,
    /// How each provider stood then.
    pub providers: Vec<ProviderState>,
}

/// How a provider stood when the snapshot was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProviderState {
    /// Which.
    pub provider: Provider,
    /// Its rows in the snapshot.
    pub rows: usize,
    /// When it last answered.
    pub fetched_at: Option<UnixSeconds>,
    /// Share of its market that was seen, where it can be told.
    #[serde(default)]
    pub coverage: Option<f64>,
    /// Why that is not all.
    #[serde(default)]
    pub coverage_note: Option<Text>,
    /// Why its last fetch failed, if it did.
    #[serde(default)]
    pub error: Option<Text>,
}

/// A market as it was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// What it says about itself.
    pub head: Head,
    /// The offers.
    pub offers: Vec<Offer>,
}

/// How chunks are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packing {
    /// As they are: fastest to read, for the cache.
    #[default]
    Stored,
    /// Deflated: small, for files that are kept or handed on.
    Deflated,
}

/// Why bytes are no snapshot, or only the beginning of one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// Something else.
    #[error("this is not a haggle snapshot")]
    Foreign,
    /// Made by a later haggle.
    #[error("snapshot version {found} is newer than {VERSION}, the newest that this haggle reads")]
    Newer {
        /// Its version.
        found: u16,
    },
    /// The end is missing.
    #[error("the snapshot ends in the middle; {rows} offers could be read")]
    Truncated {
        /// Offers before the break.
        rows: usize,
    },
    /// A checksum is wrong, or something cannot be.
    #[error("the snapshot is damaged ({what}); {rows} offers could be read")]
    Damaged {
        /// What is wrong.
        what: &'static str,
        /// Offers before the damage.
        rows: usize,
    },
}

/// A market as bytes.
pub fn encode(snapshot: &Snapshot, packing: Packing) -> Vec<u8> {
    let mut encoder = Encoder::new(&snapshot.head, packing);
    encoder.push(&snapshot.offers);
    encoder.finish()
}

/// The market in `bytes`, whole.
pub fn decode(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
    let mut offers = Vec::new();
    let mut decoder = Decoder::new(bytes)?;
    while let Some(chunk) = decoder.next_chunk()? {
        offers.extend(chunk);
    }
    Ok(Snapshot { head: decoder.into_head(), offers })
}

#[cfg(test)]
mod tests;
