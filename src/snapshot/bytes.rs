//! Little-endian bytes: written without end, read without trust.

/// Something cannot be read; why.
pub(super) type Bad = &'static str;

/// Reads from the front of a slice; every length is checked against what is there.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next `len` bytes.
    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8], Bad> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or("it ends too early")?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Bad> {
        self.take(N)?.try_into().map_err(|_| "it ends too early")
    }

    pub(super) fn u8(&mut self) -> Result<u8, Bad> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(super) fn u16(&mut self) -> Result<u16, Bad> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, Bad> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, Bad> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn f64(&mut self) -> Result<f64, Bad> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// A number of seven bits a byte.
    pub(super) fn varint(&mut self) -> Result<usize, Bad> {
        let mut value = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return usize::try_from(value).map_err(|_| "a number is too large");
            }
        }
        Err("a number is too large")
    }

    /// A text with its length before it.
    pub(super) fn text(&mut self) -> Result<&'a str, Bad> {
        let len = self.varint()?;
        std::str::from_utf8(self.take(len)?).map_err(|_| "a text is not UTF-8")
    }
}

/// Appends a number of seven bits a byte.
pub(super) fn put_varint(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a text with its length before it.
pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_and_texts_come_back(value in 0usize..u32::MAX as usize, text in ".{0,40}") {
            let mut out = Vec::new();
            put_varint(&mut out, value);
            put_text(&mut out, &text);
            let mut reader = Reader::new(&out);
            prop_assert_eq!(reader.varint(), Ok(value));
            prop_assert_eq!(reader.text(), Ok(text.as_str()));
            prop_assert!(reader.is_empty());
            prop_assert!(reader.u8().is_err());
        }
    }
}
