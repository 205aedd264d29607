//! One column of a chunk: figures or codes, as small as the column allows.

use super::bytes::{Bad, Reader, put_varint};
use std::collections::HashMap;

/// How a column of figures is written.
const NOTHING: u8 = 0;
const BY_TABLE: u8 = 1;
const PLAIN: u8 = 2;

/// Appends figures; `None` is "not stated". Few distinct figures are written once, with a byte a
/// row that says which.
pub(super) fn put_figures(out: &mut Vec<u8>, figures: impl Iterator<Item = Option<f64>> + Clone) {
    let mut table: Vec<u64> = Vec::new();
    let mut codes: HashMap<u64, u8> = HashMap::new();
    let mut rows = Vec::new();
    let bits = |figure: Option<f64>| figure.filter(|v| !v.is_nan()).map(f64::to_bits);
    for figure in figures.clone() {
        // Code zero is "not stated"; 255 figures at most have a code.
        let code = match bits(figure) {
            None => Some(0),
            Some(bits) if table.len() < 255 => Some(*codes.entry(bits).or_insert_with(|| {
                table.push(bits);
                table.len() as u8
            })),
            Some(bits) => codes.get(&bits).copied(),
        };
        let Some(code) = code else { return put_plain(out, figures) };
        rows.push(code);
    }
    if table.is_empty() {
        return out.push(NOTHING);
    }
    out.extend([BY_TABLE, table.len() as u8]);
    for bits in table {
        out.extend(bits.to_le_bytes());
    }
    out.extend(rows);
}

fn put_plain(out: &mut Vec<u8>, figures: impl Iterator<Item = Option<f64>>) {
    out.push(PLAIN);
    figures.for_each(|v| out.extend(v.unwrap_or(f64::NAN).to_le_bytes()));
}

/// Figures as they are read; whatever is not between zero and [`LARGEST`] is "not stated".
#[derive(Debug)]
pub(super) enum Figures<'a> {
    Nothing,
    ByTable(Vec<Option<f64>>, &'a [u8]),
    Plain(&'a [u8]),
}

impl<'a> Figures<'a> {
    pub(super) fn read(reader: &mut Reader<'a>, rows: usize) -> Result<Self, Bad> {
        match reader.u8()? {
            NOTHING => Ok(Figures::Nothing),
            BY_TABLE => {
                let len = usize::from(reader.u8()?);
                let mut table = vec![None];
                for _ in 0..len {
                    table.push(sound(reader.f64()?));
                }
                Ok(Figures::ByTable(table, reader.take(rows)?))
            }
            PLAIN => Ok(Figures::Plain(reader.take(rows.saturating_mul(8))?)),
            _ => Err("a column of an unknown kind"),
        }
    }

    /// The figure of a row.
    pub(super) fn get(&self, row: usize) -> Option<f64> {
        match self {
            Figures::Nothing => None,
            Figures::ByTable(table, codes) => {
                table.get(usize::from(*codes.get(row)?)).copied().flatten()
            }
            Figures::Plain(bytes) => {
                let bytes = bytes.get(row * 8..row * 8 + 8)?;
                sound(f64::from_le_bytes(bytes.try_into().ok()?))
            }
        }
    }
}

/// Larger than any figure of an offer, moments in seconds included.
const LARGEST: f64 = 1e12;

fn sound(v: f64) -> Option<f64> {
    (0.0..=LARGEST).contains(&v).then_some(v)
}

/// Appends codes, one to three bytes each; all equal is said once.
pub(super) fn put_codes(out: &mut Vec<u8>, codes: &[usize]) {
    match codes.first() {
        Some(first) if codes.iter().all(|c| c == first) => {
            out.push(1);
            put_varint(out, *first);
        }
        _ => {
            out.push(0);
            for code in codes {
                put_varint(out, *code);
            }
        }
    }
}

/// Codes as they are read, none of them `limit` or larger.
pub(super) fn read_codes(
    reader: &mut Reader<'_>,
    rows: usize,
    limit: usize,
) -> Result<Vec<usize>, Bad> {
    let read = |reader: &mut Reader<'_>| {
        let code = reader.varint()?;
        if code < limit { Ok(code) } else { Err("a code that stands for nothing") }
    };
    match reader.u8()? {
        1 => Ok(vec![read(reader)?; rows]),
        0 => (0..rows).map(|_| read(reader)).collect(),
        _ => Err("a column of an unknown kind"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn figures_come_back(figures in proptest::collection::vec(proptest::option::of(0u32..400), 0..700), scale in 0.1f64..3.0) {
            let figures: Vec<Option<f64>> = figures.iter().map(|f| f.map(|f| f64::from(f) * scale)).collect();
            let mut out = Vec::new();
            put_figures(&mut out, figures.iter().copied());
            let mut reader = Reader::new(&out);
            let read = Figures::read(&mut reader, figures.len()).unwrap();
            let back: Vec<Option<f64>> = (0..figures.len()).map(|row| read.get(row)).collect();
            prop_assert_eq!(back, figures);
            prop_assert!(reader.is_empty());
        }

        #[test]
        fn codes_come_back(codes in proptest::collection::vec(0usize..70_000, 0..300)) {
            let mut out = Vec::new();
            put_codes(&mut out, &codes);
            let rows = codes.len();
            prop_assert_eq!(read_codes(&mut Reader::new(&out), rows, 70_000), Ok(codes.clone()));
            if codes.iter().any(|c| *c >= 10) {
                prop_assert!(read_codes(&mut Reader::new(&out), rows, 10).is_err());
            }
        }
    }

    #[test]
    fn few_figures_take_a_byte_a_row() {
        let mut out = Vec::new();
        put_figures(&mut out, (0..1000).map(|i| Some(f64::from(i % 5))));
        assert!(out.len() < 1100, "{}", out.len());
        let mut none = Vec::new();
        put_figures(&mut none, (0..1000).map(|_| None));
        assert_eq!(none, [NOTHING]);
    }
}
