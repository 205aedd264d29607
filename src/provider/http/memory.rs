//! Answers that are worth keeping, with what lets the provider say "unchanged" next time.

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::{Mutex, PoisonError};
use tokio_util::bytes::Bytes;

/// All kept answers together hold no more bytes than this.
const MOST: usize = 8 << 20;

/// An answer and its validators. The memory holds the body packed.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
    pub(super) body: Bytes,
}

/// Kept answers by address.
#[derive(Debug, Default)]
pub(super) struct Memory {
    kept: Mutex<BTreeMap<String, Kept>>,
    versions: Mutex<BTreeMap<String, String>>,
}

impl Memory {
    /// Is this the version of `what` that was taken last?
    pub(super) fn is_known(&self, what: &str, version: &str) -> bool {
        let versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        versions.get(what).is_some_and(|known| known == version)
    }

    /// What was noted about `what`.
    pub(super) fn known(&self, what: &str) -> Option<String> {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner).get(what).cloned()
    }

    /// Notes the version of `what` that was taken.
    pub(super) fn know(&self, what: &str, version: &str) {
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        versions.insert(what.to_string(), version.to_string());
    }

    /// What was kept for `url`.
    pub(super) fn get(&self, url: &str) -> Option<Kept> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(url).cloned()?;
        let mut body = Vec::new();
        ZlibDecoder::new(kept.body.as_ref()).read_to_end(&mut body).ok()?;
        Some(Kept { body: body.into(), ..kept })
    }

    /// Keeps an answer, if it has a validator and there is room for it.
    pub(super) fn put(&self, url: &str, kept: Kept) {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
        let Ok(body) = packed.write_all(&kept.body).and_then(|()| packed.finish()) else { return };
        let kept = Kept { body: body.into(), ..kept };
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(url);
        let used: usize = all.values().map(|k| k.body.len()).sum();
        let checkable = kept.etag.is_some() || kept.last_modified.is_some();
        if checkable && used + kept.body.len() <= MOST {
            all.insert(url.to_string(), kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that cannot be packed.
    fn answer(bytes: usize) -> Kept {
        let mut x = 1u32;
        let noise = (0..bytes).map(|_| {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            x as u8
        });
        let body: Bytes = noise.collect::<Vec<u8>>().into();
        Kept { etag: Some("\"1\"".into()), last_modified: None, body }
    }

    #[test]
    fn it_never_holds_more_than_its_share() {
        let memory = Memory::default();
        for i in 0..12 {
            memory.put(&format!("u{i}"), answer(1 << 20));
        }
        let held = (0..12).filter(|i| memory.get(&format!("u{i}")).is_some()).count();
        assert_eq!(held, 7);
        memory.put("u0", answer(10));
        assert_eq!(memory.get("u0").unwrap().body.len(), 10);
    }

    #[test]
    fn what_cannot_be_checked_is_not_kept() {
        let memory = Memory::default();
        memory.put("u", Kept { etag: None, ..answer(10) });
        assert!(memory.get("u").is_none());
    }
}
