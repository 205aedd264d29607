//! A list of objects inside a JSON answer, read while it arrives: rows come out as soon as they are
//! whole, what is read is let go, and a row that JSON does not allow costs only itself.

use super::FetchError;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;

/// Bytes in which the list must begin.
const HEAD: usize = 64 << 10;
/// Bytes that one row may take.
const LONGEST_ROW: usize = 4 << 20;
/// Bytes of an unfinished row below which it is simply read again when more arrives.
const SMALL: usize = 32 << 10;

/// Reads the rows of the list that is the member `member` of the answer.
#[derive(Debug)]
pub struct Rows<T> {
    member: &'static str,
    buffer: Vec<u8>,
    at: usize,
    look_again: usize,
    state: State,
    row: PhantomData<T>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Head,
    List,
    Single,
    Done,
}

/// What came of one attempt at a row.
enum Step<T> {
    Row(T, usize),
    Bad(&'static str, usize),
    Incomplete,
}

impl<T: DeserializeOwned> Rows<T> {
    /// A reader for `member`.
    pub fn new(member: &'static str) -> Self {
        Self {
            member,
            buffer: Vec::new(),
            at: 0,
            look_again: 0,
            state: State::Head,
            row: PhantomData,
        }
    }

    /// Takes more of the answer and hands each row that is whole to `each`, or why it is none.
    pub fn feed(
        &mut self,
        piece: &[u8],
        mut each: impl FnMut(Result<T, &'static str>),
    ) -> Result<(), FetchError> {
        if self.state == State::Done {
            return Ok(());
        }
        self.buffer.drain(..std::mem::take(&mut self.at));
        self.buffer.extend_from_slice(piece);
        if self.state == State::Head && !self.find_list()? {
            return Ok(());
        }
        if self.buffer.len() < self.look_again {
            return Ok(());
        }
        self.read(&mut each)
    }

    /// Reads what is left, and says whether the answer was whole.
    pub fn finish(
        &mut self,
        mut each: impl FnMut(Result<T, &'static str>),
    ) -> Result<(), FetchError> {
        if matches!(self.state, State::List | State::Single) {
            self.read(&mut each)?;
        }
        match self.state {
            State::Done => Ok(()),
            State::Head => Err(self.missing()),
            State::List | State::Single => {
                Err(FetchError::Unreadable("it ends in the middle".to_string()))
            }
        }
    }

    fn missing(&self) -> FetchError {
        FetchError::Unreadable(format!("it holds no list of {}", self.member))
    }

    /// Goes to the beginning of the list. `false`: not here yet.
    fn find_list(&mut self) -> Result<bool, FetchError> {
        let name = format!("\"{}\"", self.member);
        let window = self.buffer.get(..HEAD).unwrap_or(&self.buffer);
        let found = window.windows(name.len()).position(|w| w == name.as_bytes());
        let value = found.and_then(|start| {
            let colon = skip_space(&self.buffer, start + name.len());
            (self.buffer.get(colon) == Some(&b':')).then(|| skip_space(&self.buffer, colon + 1))
        });
        match value.and_then(|at| Some((at, *self.buffer.get(at)?))) {
            Some((at, b'[')) => (self.at, self.state) = (at + 1, State::List),
            Some((at, b'{')) => (self.at, self.state) = (at, State::Single),
            Some((_, b'n')) => self.state = State::Done,
            Some(_) => return Err(self.missing()),
            None if self.buffer.len() > HEAD => return Err(self.missing()),
            None => return Ok(false),
        }
        Ok(true)
    }

    fn read(&mut self, each: &mut impl FnMut(Result<T, &'static str>)) -> Result<(), FetchError> {
        self.look_again = 0;
        while self.state != State::Done {
            while self.buffer.get(self.at).is_some_and(|b| b.is_ascii_whitespace() || *b == b',') {
                self.at += 1;
            }
            let Some(next) = self.buffer.get(self.at) else { break };
            if *next == b']' {
                self.state = State::Done;
                break;
            }
            let left = self.buffer.get(self.at..).unwrap_or_default();
            match step::<T>(left) {
                Step::Row(row, length) => {
                    each(Ok(row));
                    self.at += length;
                }
                Step::Bad(why, length) => {
                    each(Err(why));
                    self.at += length;
                }
                Step::Incomplete if left.len() > LONGEST_ROW => {
                    return Err(FetchError::Unreadable("a row has no end".to_string()));
                }
                Step::Incomplete => {
                    // A long row is not read anew for each small piece of it.
                    let grown = if left.len() > SMALL { left.len() / 4 } else { 0 };
                    self.look_again = left.len() + grown;
                    break;
                }
            }
            if self.state == State::Single {
                self.state = State::Done;
            }
        }
        Ok(())
    }
}

/// Reads a whole answer; where JSON does not allow it, again with what JSON does not know made null.
pub fn whole<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, FetchError> {
    serde_json::from_slice(bytes)
        .or_else(|_| serde_json::from_slice(&mended(bytes)))
        .map_err(|e| super::http::unreadable(&e))
}

fn skip_space(buffer: &[u8], from: usize) -> usize {
    let rest = buffer.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// Reads the value at the beginning of `bytes`.
fn step<T: DeserializeOwned>(bytes: &[u8]) -> Step<T> {
    let mut stream = serde_json::Deserializer::from_slice(bytes).into_iter::<T>();
    match stream.next() {
        Some(Ok(row)) => return Step::Row(row, stream.byte_offset()),
        Some(Err(e)) if e.is_eof() => return Step::Incomplete,
        None => return Step::Incomplete,
        Some(Err(_)) => {}
    }
    let Some(length) = value_length(bytes) else { return Step::Incomplete };
    let raw = bytes.get(..length).unwrap_or_default();
    match serde_json::from_slice::<T>(&mended(raw)) {
        Ok(row) => Step::Row(row, length),
        Err(_) if raw.first() == Some(&b'{') => Step::Bad("a row that is no JSON", length.max(1)),
        Err(_) => Step::Bad("a row that is no object", length.max(1)),
    }
}

/// Length of the value at the beginning of `bytes`, by its brackets and quotes alone.
fn value_length(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (i, b) in bytes.iter().enumerate() {
        if quoted {
            match b {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => quoted = false,
                _ => {}
            }
            if !quoted && depth == 0 {
                return Some(i + 1);
            }
            continue;
        }
        match b {
            b'"' => quoted = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth > 1 => depth -= 1,
            b'}' | b']' => return Some(if depth == 0 { i } else { i + 1 }),
            b',' if depth == 0 => return Some(i),
            _ => {}
        }
    }
    None
}

/// The same object in JSON's own words: bare words that JSON does not know (`NaN`, `Infinity`,
/// `1e999`) become `null`, control characters inside text become spaces, broken UTF-8 is replaced.
fn mended(raw: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(raw);
    let bytes = text.as_bytes();
    let mut mended = Vec::with_capacity(bytes.len());
    let (mut quoted, mut escaped, mut i) = (false, false, 0);
    while let Some(&b) = bytes.get(i) {
        if quoted {
            match b {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => quoted = false,
                _ => {}
            }
            mended.push(if b < 0x20 { b' ' } else { b });
            i += 1;
        } else if b.is_ascii_whitespace() || b"{}[]:,\"".contains(&b) {
            quoted = b == b'"';
            mended.push(b);
            i += 1;
        } else {
            let rest = bytes.get(i..).unwrap_or_default();
            let end = rest.iter().position(|b| b.is_ascii_whitespace() || b"{}[]:,\"".contains(b));
            let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let known = serde_json::from_slice::<serde_json::Value>(word).is_ok();
            mended.extend_from_slice(if known { word } else { b"null" });
            i += word.len();
        }
    }
    mended
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::lenient::{Number, lenient_object};
    use proptest::prelude::*;

    lenient_object! {
        struct Row { a: Number, }
    }

    fn read(pieces: &[&[u8]]) -> (Vec<Option<f64>>, Vec<&'static str>, Result<(), FetchError>) {
        let (mut rows, mut bad) = (Vec::new(), Vec::new());
        let mut reader = Rows::<Row>::new("offers");
        let mut take = |row: Result<Row, &'static str>| match row {
            Ok(row) => rows.push(row.a.0),
            Err(why) => bad.push(why),
        };
        let fed = pieces.iter().try_for_each(|piece| reader.feed(piece, &mut take));
        let end = fed.and_then(|()| reader.finish(&mut take));
        (rows, bad, end)
    }

    const ODD: &str = r#" {"success":true, "offers" : [
        {"a":1,"t":"}]\"{"}, {"a":NaN}, null, {"a":Infinity,"b":[-Infinity,1e999]},
        {"a":1e308}, {"a":"7"}, 12, "x,]", {"a":{"a":2}}, {"a":3,"a":4}, {b:1}, {"a":5} ]}"#;

    fn odd_rows() -> (Vec<Option<f64>>, usize) {
        let rows =
            [Some(1.0), None, None, Some(1e308), Some(7.0), None, Some(4.0), Some(5.0)].to_vec();
        (rows, 4)
    }

    #[test]
    fn one_bad_row_costs_one_row() {
        let (rows, bad, end) = read(&[ODD.as_bytes()]);
        assert_eq!((rows, bad.len()), odd_rows(), "{bad:?}");
        assert_eq!(end, Ok(()));
    }

    #[test]
    fn rows_come_before_the_answer_is_whole_and_a_cut_is_noticed() {
        let (rows, _, end) = read(&[br#"{"offers":[{"a":1},{"a":2},{"a""#]);
        assert_eq!(rows, [Some(1.0), Some(2.0)]);
        assert_eq!(end, Err(FetchError::Unreadable("it ends in the middle".into())));
    }

    #[test]
    fn answers_without_a_list_are_unreadable() {
        for answer in ["", "{}", "[]", "\u{1}\u{2}garbage", r#"{"msg":"no"}"#, r#"{"offers":3}"#] {
            let (rows, _, end) = read(&[answer.as_bytes()]);
            assert!(rows.is_empty());
            assert!(matches!(end, Err(FetchError::Unreadable(_))), "{answer}");
        }
        assert_eq!(read(&[br#"{"offers":null}"#]).2, Ok(()));
        assert_eq!(read(&[br#"{"offers": []}"#]).2, Ok(()));
        assert_eq!(read(&[br#"{"offers": {"a": 3}}"#]).0, [Some(3.0)]);
    }

    #[test]
    fn spaces_without_end_take_no_memory() {
        let mut reader = Rows::<Row>::new("offers");
        let spaces = vec![b' '; 1 << 16];
        assert!(reader.feed(&spaces, |_| ()).is_ok());
        assert!(reader.feed(&spaces, |_| ()).is_err(), "the list must begin somewhere");
        let mut reader = Rows::<Row>::new("offers");
        reader.feed(b"{\"offers\":[", |_| ()).unwrap();
        for _ in 0..100 {
            reader.feed(&spaces, |_| ()).unwrap();
        }
        assert!(reader.buffer.capacity() < 1 << 20);
    }

    /// A long row is not read anew for each small piece; the last pieces are read all the same.
    #[test]
    fn a_long_row_at_the_end_is_read_however_the_answer_is_cut() {
        let long = "x".repeat(100_000);
        let answer = format!(r#"{{"offers":[{{"a":1}},{{"t":"{long}","a":2}},{{"a":3}}]}}"#);
        for size in [1_000, 16_384, 40_000, 70_000, 99_000, 100_040, answer.len()] {
            let pieces: Vec<&[u8]> = answer.as_bytes().chunks(size).collect();
            let (rows, bad, end) = read(&pieces);
            assert_eq!((rows, end), (vec![Some(1.0), Some(2.0), Some(3.0)], Ok(())), "{size}");
            assert!(bad.is_empty());
        }
    }

    #[test]
    fn a_row_without_end_is_given_up() {
        let mut reader = Rows::<Row>::new("offers");
        reader.feed(b"{\"offers\":[{\"t\":\"", |_| ()).unwrap();
        let text = vec![b'x'; 1 << 20];
        assert!((0..6).any(|_| reader.feed(&text, |_| ()).is_err()));
    }

    #[test]
    fn nesting_without_end_costs_one_figure() {
        let deep =
            format!(r#"{{"offers":[{{"a":{}{}}},{{"a":1}}]}}"#, "[".repeat(5000), "]".repeat(5000));
        let (rows, bad, end) = read(&[deep.as_bytes()]);
        assert_eq!((rows, bad.len(), end), (vec![None, Some(1.0)], 0, Ok(())));
    }

    proptest! {
        #[test]
        fn however_it_is_cut_the_rows_are_the_same(cuts in prop::collection::vec(0usize..ODD.len(), 0..12)) {
            let mut cuts = cuts;
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for cut in cuts {
                pieces.push(&ODD.as_bytes()[from..cut]);
                from = cut;
            }
            pieces.push(&ODD.as_bytes()[from..]);
            let (rows, bad, end) = read(&pieces);
            prop_assert_eq!((rows, bad.len()), odd_rows());
            prop_assert_eq!(end, Ok(()));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut whole = b"{\"offers\":[".to_vec();
            whole.extend(bytes);
            let _ = read(&[&whole]);
        }
    }
}
