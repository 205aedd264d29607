//! The frame around the chunks: magic, version, head, lengths, checksums.

use super::bytes::{Bad, Reader};
use super::chunk;
use super::{Head, Packing, SnapshotError, VERSION};
use crate::offer::Offer;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use std::io::{Read, Write};

/// How every snapshot begins.
pub const MAGIC: &[u8; 8] = b"HAGGLE\x1a\n";
/// No chunk of ours is larger, packed or not: 8,192 rows of at most 2 kB.
const LARGEST: usize = 16 << 20;

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Writes a snapshot, some offers at a time.
#[derive(Debug)]
pub struct Encoder {
    out: Vec<u8>,
    packing: Packing,
    rows: u64,
    raw: Vec<u8>,
}

impl Encoder {
    /// Begins a snapshot.
    pub fn new(head: &Head, packing: Packing) -> Self {
        let head = serde_json::to_vec(head).unwrap_or_default();
        let mut out = Vec::with_capacity(head.len() + 4096);
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend((head.len() as u32).to_le_bytes());
        out.extend(checksum(&head).to_le_bytes());
        out.extend(head);
        Self { out, packing, rows: 0, raw: Vec::new() }
    }

    /// Adds offers.
    pub fn push(&mut self, offers: &[Offer]) {
        for offers in offers.chunks(chunk::MOST) {
            self.raw.clear();
            chunk::write(offers, &mut self.raw);
            let packed = match self.packing {
                Packing::Stored => None,
                Packing::Deflated => deflate(&self.raw),
            };
            // A chunk that deflating does not shorten is stored; equal lengths say so.
            let packed = packed.as_ref().filter(|p| p.len() < self.raw.len()).unwrap_or(&self.raw);
            self.out.extend((offers.len() as u32).to_le_bytes());
            self.out.extend((self.raw.len() as u32).to_le_bytes());
            self.out.extend((packed.len() as u32).to_le_bytes());
            self.out.extend(checksum(packed).to_le_bytes());
            self.out.extend(packed);
            self.rows += offers.len() as u64;
        }
    }

    /// Ends it: the bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.out.extend(0_u32.to_le_bytes());
        self.out.extend(self.rows.to_le_bytes());
        self.out
    }
}

fn deflate(raw: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(raw).ok()?;
    encoder.finish().ok()
}

/// Reads a snapshot, a chunk at a time.
#[derive(Debug)]
pub struct Decoder<'a> {
    reader: Reader<'a>,
    head: Head,
    rows: usize,
    done: bool,
}

impl<'a> Decoder<'a> {
    /// Reads the head of the snapshot in `bytes`.
    pub fn new(bytes: &'a [u8]) -> Result<Self, SnapshotError> {
        let damaged = |what| SnapshotError::Damaged { what, rows: 0 };
        let truncated = |_: Bad| SnapshotError::Truncated { rows: 0 };
        let start = bytes.get(..bytes.len().min(MAGIC.len())).unwrap_or_default();
        if start.is_empty() || !MAGIC.starts_with(start) {
            return Err(SnapshotError::Foreign);
        }
        let mut reader = Reader::new(bytes);
        reader.take(MAGIC.len()).map_err(truncated)?;
        let found = reader.u16().map_err(truncated)?;
        if found > VERSION {
            return Err(SnapshotError::Newer { found });
        }
        let len = reader.u32().map_err(truncated)? as usize;
        let crc = reader.u32().map_err(truncated)?;
        if found == 0 || len > LARGEST {
            return Err(damaged("its head cannot be"));
        }
        let head = reader.take(len).map_err(truncated)?;
        if checksum(head) != crc {
            return Err(damaged("the checksum of its head is wrong"));
        }
        let head = serde_json::from_slice(head).map_err(|_| damaged("its head cannot be read"))?;
        Ok(Self { reader, head, rows: 0, done: false })
    }

    /// What the snapshot says about itself.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The same, when nothing else is wanted any more.
    pub fn into_head(self) -> Head {
        self.head
    }

    /// The next offers; `None` at the end. After an error nothing more can be read.
    pub fn next_chunk(&mut self) -> Result<Option<Vec<Offer>>, SnapshotError> {
        if self.done {
            return Ok(None);
        }
        let found = self.chunk();
        if !matches!(found, Ok(Some(_))) {
            self.done = true;
        }
        found
    }

    fn chunk(&mut self) -> Result<Option<Vec<Offer>>, SnapshotError> {
        let truncated = SnapshotError::Truncated { rows: self.rows };
        let rows = self.reader.u32().map_err(|_| truncated.clone())? as usize;
        if rows == 0 {
            let all = self.reader.u64().map_err(|_| truncated)?;
            return if all == self.rows as u64 {
                Ok(None)
            } else {
                Err(self.damaged("rows are missing"))
            };
        }
        let mut number = || self.reader.u32().map_err(|_| truncated.clone());
        let (raw, packed, crc) = (number()? as usize, number()? as usize, number()?);
        if rows > chunk::MOST || raw > LARGEST || packed > raw {
            return Err(self.damaged("a chunk that cannot be"));
        }
        let bytes = self.reader.take(packed).map_err(|_| truncated)?;
        if checksum(bytes) != crc {
            return Err(self.damaged("a checksum is wrong"));
        }
        let offers = if packed == raw {
            chunk::read(bytes, rows)
        } else {
            inflate(bytes, raw).and_then(|bytes| chunk::read(&bytes, rows))
        };
        let offers = offers.map_err(|what| self.damaged(what))?;
        self.rows += offers.len();
        Ok(Some(offers))
    }

    fn damaged(&self, what: &'static str) -> SnapshotError {
        SnapshotError::Damaged { what, rows: self.rows }
    }
}

/// Exactly `raw` bytes out of packed ones; a bomb is stopped at one byte more.
fn inflate(packed: &[u8], raw: usize) -> Result<Vec<u8>, Bad> {
    let mut out = Vec::with_capacity(raw);
    let limit = raw as u64 + 1;
    let read = DeflateDecoder::new(packed).take(limit).read_to_end(&mut out);
    match read {
        Ok(len) if len == raw => Ok(out),
        _ => Err("a chunk that does not unpack"),
    }
}

/// Where the first chunk of a snapshot begins, for tests that damage it.
#[cfg(test)]
pub(super) fn first_chunk(bytes: &[u8]) -> usize {
    let len: [u8; 4] = bytes[10..14].try_into().unwrap();
    18 + u32::from_le_bytes(len) as usize
}
