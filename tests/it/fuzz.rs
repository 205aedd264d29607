//! The fuzz targets, the short way: every committed input, and mutations of it, with the stable
//! compiler, overflow checks on. How many mutations is a number, not a time, so that every run does
//! the same; `HAGGLE_FUZZ_ROUNDS` asks for more.

use crate::reliability;
use std::panic::catch_unwind;
use std::path::PathBuf;

#[path = "../../fuzz/targets.rs"]
#[allow(dead_code, reason = "the fuzzer's own entry is not used here")]
pub(crate) mod targets;

/// Mutations of each input.
const ROUNDS: u64 = 4;
/// No input grows beyond this.
const LONGEST: usize = 16 << 10;

/// What mutations put in: what parsers stumble over.
const WORDS: &[&[u8]] = &[
    b"\x1b[31m",
    b"\x1b]0;x\x07",
    "\u{202e}".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{9b}2J".as_bytes(),
    "é".as_bytes(),
    "東".as_bytes(),
    b"\xff\xfe",
    b"\0",
    b"null",
    b"NaN",
    b"-1",
    b"0",
    b"1e308",
    b"1e-308",
    b"-1e999",
    b"4294967296",
    b"18446744073709551616",
    b"9223372036854775808",
    b"--",
    b"=1+1",
    b"$(x)",
    b"`x`",
    b"'",
    b"\"",
    b"\\",
    b"{",
    b"[",
    b"]}",
    b",",
    b"\n",
    b"\r\n",
    b": ",
    b"../",
    b"%00",
    b"((((",
    b"@@ 500 /\n",
];

/// Numbers that are the same in every run (xorshift64*, Vigna 2016).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.roll() >> 33) as usize % n.max(1)
    }
}

fn mutate(input: &[u8], others: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len() + 1);
        let end = (at + 1 + dice.below(12)).min(bytes.len());
        match dice.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
            1 => {
                bytes.drain(at..end.max(at));
            }
            2 | 3 => {
                let word = WORDS[dice.below(WORDS.len())];
                bytes.splice(at..at, word.iter().copied());
            }
            4 => {
                let word = WORDS[dice.below(WORDS.len())];
                bytes.splice(at..end.max(at), word.iter().copied());
            }
            5 => {
                let piece = bytes[at..end.max(at)].repeat(1 + dice.below(40));
                bytes.splice(at..at, piece);
            }
            6 => bytes.truncate(at),
            _ => {
                let other = &others[dice.below(others.len())];
                let from = dice.below(other.len() + 1);
                let to = (from + dice.below(200)).min(other.len());
                bytes.splice(at..at, other[from..to.max(from)].iter().copied());
            }
        }
        bytes.truncate(LONGEST);
    }
    bytes
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let inputs: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    assert!(!inputs.is_empty(), "{target} has no corpus");
    inputs
}

/// Runs one target over its corpus; the input that breaks a promise is shown and kept.
fn replay(name: &str, target: targets::Target) -> u64 {
    let rounds = std::env::var("HAGGLE_FUZZ_ROUNDS").ok().and_then(|n| n.parse().ok());
    let rounds: u64 = rounds.unwrap_or(ROUNDS);
    let inputs = corpus(name);
    let seed = name.bytes().fold(0x9E37_79B9_7F4A_7C15, |h, b| (h ^ u64::from(b)).wrapping_mul(31));
    let mut dice = Dice(seed);
    let mut count = 0;
    let mut attempt = |bytes: &[u8]| {
        count += 1;
        if catch_unwind(|| target(bytes)).is_err() {
            let kept = std::env::temp_dir().join(format!("haggle-fuzz-{name}"));
            std::fs::write(&kept, bytes).unwrap();
            panic!("{name} breaks on {}:\n{}", kept.display(), String::from_utf8_lossy(bytes));
        }
    };
    for input in &inputs {
        attempt(input);
        for _ in 0..rounds {
            attempt(&mutate(input, &inputs, &mut dice));
        }
    }
    count
}

#[test]
fn every_target_keeps_its_promises() {
    let only = std::env::var("HAGGLE_FUZZ_TARGET").ok();
    for (name, target) in targets::TARGETS {
        if only.as_deref().is_some_and(|only| only != *name) {
            continue;
        }
        let count = replay(name, *target);
        reliability::note("inputs replayed and mutated", name, count);
    }
}

#[test]
fn every_corpus_has_a_target_and_overflow_is_checked() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(targets::TARGETS.iter().any(|(known, _)| *known == name), "{name}");
    }
    let most = std::hint::black_box(u8::MAX);
    assert!(catch_unwind(|| most + 1).is_err(), "these tests must run with overflow checks");
}

/// Writes the seeds of the snapshot's corpus, which no editor can.
#[test]
#[ignore = "writes files into the corpus; run it by hand when the format changes"]
fn snapshot_seeds() {
    use haggle::market::synthetic;
    use haggle::snapshot::{Head, Packing, Snapshot, encode};
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/snapshot");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, rows, packing) in [
        ("none", 0, Packing::Stored),
        ("one", 1, Packing::Stored),
        ("some", 12, Packing::Stored),
        ("packed", 40, Packing::Deflated),
        ("chunk", 5, Packing::Stored),
    ] {
        let snapshot = Snapshot { head: Head::default(), offers: synthetic::market(rows, 3) };
        let mut bytes = encode(&snapshot, packing);
        if name == "chunk" {
            // The rows alone, behind their number: head, then four numbers, then the rows.
            let head = u32::from_le_bytes(bytes[10..14].try_into().unwrap()) as usize;
            let raw = &bytes[18 + head + 16..bytes.len() - 12];
            std::fs::write(folder.join(name), [&[rows as u8], raw].concat()).unwrap();
            continue;
        }
        std::fs::write(folder.join(name), &bytes).unwrap();
        bytes[8] = 2;
        std::fs::write(folder.join(format!("{name}-newer")), &bytes[..bytes.len() / 2]).unwrap();
    }
}

#[test]
fn the_rows_of_a_chunk_are_reached() {
    let seed = corpus("snapshot").into_iter().map(|bytes| targets::rows_of_chunk(&bytes)).max();
    assert_eq!(seed, Some(5), "no seed of the corpus is a chunk that can be read");
}
