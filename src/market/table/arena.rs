//! Keys and launch ids, one after the other: two length bytes and the letters, no pointers.

/// Letters of all rows. A length of 255 means that two more bytes hold the real one.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    bytes: Vec<u8>,
    wasted: usize,
}

impl Arena {
    /// Stores a pair; returns where.
    pub(crate) fn push(&mut self, key: &str, launch: &str) -> u32 {
        let at = self.bytes.len() as u32;
        let room = key.len() + launch.len() + 6;
        if self.bytes.capacity() - self.bytes.len() < room {
            self.bytes.reserve_exact((self.bytes.len() / 8).max(4096) + room);
        }
        for text in [key, launch] {
            let len = text.len().min(usize::from(u16::MAX));
            if len < 255 {
                self.bytes.push(len as u8);
            } else {
                self.bytes.push(255);
                self.bytes.extend_from_slice(&(len as u16).to_le_bytes());
            }
            self.bytes.extend_from_slice(text.as_bytes().get(..len).unwrap_or_default());
        }
        at
    }

    /// The pair at a place.
    pub(crate) fn get(&self, at: u32) -> (&str, &str) {
        let (key, launch) = self.letters(at);
        let text = |bytes| std::str::from_utf8(bytes).unwrap_or("");
        (text(key), text(launch))
    }

    /// The same as bytes: to compare a million of them, it need not be known that they are text.
    pub(crate) fn letters(&self, at: u32) -> (&[u8], &[u8]) {
        let rest = self.bytes.get(at as usize..).unwrap_or_default();
        let (key, rest) = take(rest);
        (key, take(rest).0)
    }

    /// Stores another launch id for a pair: in place when it is as long, else at the end.
    pub(crate) fn replace(&mut self, at: u32, key: &str, launch: &str) -> u32 {
        let old = self.get(at).1.len();
        if old == launch.len() && old < 255 && key.len() < 255 {
            let from = at as usize + 2 + key.len();
            if let Some(cell) = self.bytes.get_mut(from..from + old) {
                cell.copy_from_slice(launch.as_bytes());
                return at;
            }
        }
        self.release(at);
        self.push(key, launch)
    }

    /// Nobody refers to the pair any more.
    pub(crate) fn release(&mut self, at: u32) {
        let (key, launch) = self.get(at);
        self.wasted += key.len() + launch.len() + 2;
    }

    /// Is more than a third of it unused?
    pub(crate) fn is_wasteful(&self) -> bool {
        self.wasted * 3 > self.bytes.len() && self.wasted > 4096
    }

    /// Keeps only the pairs in `used`, and says there where they lie now.
    pub(crate) fn compact<'a>(&mut self, used: impl Iterator<Item = &'a mut u32>) {
        let mut fresh = Arena::default();
        for at in used {
            let (key, launch) = self.get(*at);
            *at = fresh.push(key, launch);
        }
        *self = fresh;
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.capacity()
    }

    /// Gives back what was reserved and is not used.
    pub(crate) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }
}

fn take(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (len, rest) = match bytes {
        [255, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [len, rest @ ..] => (usize::from(*len), rest),
        [] => (0, bytes),
    };
    rest.split_at_checked(len).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_back_and_can_be_replaced() {
        let mut arena = Arena::default();
        let long = "x".repeat(300);
        let a = arena.push("12-1", "777");
        let b = arena.push(&long, "");
        assert_eq!(arena.get(a), ("12-1", "777"));
        assert_eq!(arena.get(b), (long.as_str(), ""));
        assert_eq!(arena.replace(a, "12-1", "778"), a);
        let moved = arena.replace(a, "12-1", "77800");
        assert_ne!(moved, a);
        assert_eq!(arena.get(moved), ("12-1", "77800"));
        let mut used = [moved, b];
        arena.compact(used.iter_mut());
        assert_eq!(used.map(|at| arena.get(at).1.to_owned()), ["77800", ""]);
    }
}
