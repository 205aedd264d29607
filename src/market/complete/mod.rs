//! Completion: what could stand where the cursor is, with how many offers each choice has.

mod figures;
mod words;

use super::query::{FIELDS, Field, FieldInfo, Kind, item_of_text, squeeze};
use super::table::Table;
use std::ops::Range;

/// What could stand at a place of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completion {
    /// What a candidate replaces, in bytes.
    pub span: Range<usize>,
    /// The candidates, the likeliest first.
    pub candidates: Vec<Candidate>,
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What would be written.
    pub text: String,
    /// In words.
    pub note: String,
    /// How many offers have this value, where it can be told.
    pub count: Option<usize>,
}

/// Candidates are listed up to here.
const MOST: usize = 50;

/// What could stand at `cursor` (in bytes) of `text`, by what the market holds.
pub fn complete(text: &str, cursor: usize, table: &Table) -> Completion {
    let cursor = (0..=cursor.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let before = cursor.and_then(|at| text.get(..at)).unwrap_or("");
    let start = word_start(before);
    let word = before.get(start..).unwrap_or("");
    let Some(sign) = word.find([':', '=', '<', '>']) else {
        let candidates = fields(word);
        return Completion { span: start..before.len(), candidates };
    };
    let (name, value) = word.split_at(sign);
    let compares = value.starts_with(['<', '>']);
    let value_start = value.trim_start_matches([':', '=', '<', '>']);
    let piece = value_start.rsplit([',', '|']).next().unwrap_or("").trim_start_matches('"');
    let quoted = value_start.ends_with(piece) && value_start.len() > piece.len();
    let open_quote =
        quoted && before.get(..before.len() - piece.len()).is_some_and(|b| b.ends_with('"'));
    let from = before.len() - piece.len() - usize::from(open_quote);
    let name = name.trim_end_matches('!');
    let candidates = match Field::from_name(name) {
        Some((field, _)) => values(field, piece, compares, table),
        None => Vec::new(),
    };
    Completion { span: from..before.len(), candidates }
}

/// Where the word that ends here begins; quotation marks hold words together.
fn word_start(before: &str) -> usize {
    let mut start = 0;
    let mut quoted = false;
    for (at, c) in before.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '!' => start = at + c.len_utf8(),
            c if c.is_whitespace() => start = at + c.len_utf8(),
            _ => {}
        }
    }
    start
}

fn fields(prefix: &str) -> Vec<Candidate> {
    let prefix = prefix.to_ascii_lowercase();
    let rank = |info: &FieldInfo| {
        let named = std::iter::once(&info.name).chain(info.aliases).chain(info.vast);
        named
            .enumerate()
            .filter_map(|(at, name)| match name.find(prefix.as_str()) {
                Some(0) => Some(at.min(1)),
                Some(_) => Some(2),
                None => None,
            })
            .min()
    };
    let mut found: Vec<(usize, &FieldInfo)> =
        FIELDS.iter().filter_map(|info| Some((rank(info)?, info))).collect();
    found.sort_by_key(|(rank, _)| *rank);
    let candidate = |info: &FieldInfo| {
        let sign = if matches!(info.kind, Kind::Number(_)) { usual_sign(info.field) } else { ":" };
        Candidate { text: format!("{}{sign}", info.name), note: info.help.into(), count: None }
    };
    found.into_iter().map(|(_, info)| candidate(info)).collect()
}

/// More of it is better, or less.
fn usual_sign(field: Field) -> &'static str {
    match field {
        Field::Gpus => "=",
        Field::Vram
        | Field::Rel
        | Field::Down
        | Field::Up
        | Field::Disk
        | Field::Headroom
        | Field::Speed
        | Field::Rental
        | Field::Cuda
        | Field::Vcpus
        | Field::Ram => ">=",
        _ => "<",
    }
}

fn values(field: Field, piece: &str, compares: bool, table: &Table) -> Vec<Candidate> {
    if let Kind::Number(unit) = field.info().kind {
        return figures::figures(field, unit, piece, compares, table);
    }
    let mut counts = words::words(field, piece, table);
    if let Kind::Choice(choices) = field.info().kind {
        for (word, _) in choices {
            counts.entry((*word).to_owned()).or_insert((0, ""));
        }
    }
    let counted = !matches!(field, Field::Fit | Field::Pricing);
    let wanted = squeeze(piece);
    let mut found: Vec<(bool, Candidate)> = counts
        .into_iter()
        .filter_map(|(word, (count, note))| {
            let at = squeeze(&word).find(wanted.as_str())?;
            let text = item_of_text(&word).to_string();
            Some((at > 0, Candidate { text, note: note.into(), count: counted.then_some(count) }))
        })
        .collect();
    found.sort_by(|(a, x), (b, y)| {
        a.cmp(b).then(y.count.cmp(&x.count)).then_with(|| x.text.cmp(&y.text))
    });
    found.into_iter().take(MOST).map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::market::synthetic;
    use crate::offer::Provider;

    fn table() -> Table {
        let mut table = Table::new();
        table.insert(1, &synthetic::market(400, 3));
        table
    }

    fn texts(text: &str, table: &Table) -> Vec<String> {
        complete(text, text.len(), table).candidates.into_iter().map(|c| c.text).collect()
    }

    #[test]
    fn fields_are_offered_by_any_of_their_names() {
        let table = Table::new();
        assert_eq!(texts("vr", &table)[0], "vram>=");
        assert_eq!(texts("fit:yes reli", &table)[0], "rel>=");
        assert_eq!(texts("!(gpu_n", &table), ["gpu:"]);
        assert_eq!(texts("", &table).len(), FIELDS.len());
        let completion = complete("fit:yes !ho", 11, &table);
        assert_eq!(completion.span, 9..11);
        assert_eq!(completion.candidates[0].text, "hours<");
    }

    #[test]
    fn values_come_with_their_counts() {
        let table = table();
        let completion = complete("provider:v", 10, &table);
        assert_eq!(completion.span, 9..10);
        let vast = &completion.candidates[0];
        let counted =
            table.rows().filter_map(|r| table.offer(r)).filter(|o| o.provider == Provider::Vast);
        assert_eq!((vast.text.as_str(), vast.count), ("vast", Some(counted.count())));
        let cards = complete("gpu:3090|40", 11, &table);
        assert_eq!(cards.span, 9..11);
        assert!(cards.candidates.iter().all(|c| c.count > Some(0)), "{cards:?}");
        assert!(cards.candidates.iter().any(|c| c.text == "\"RTX 4090\""), "{cards:?}");
        assert_eq!(texts("fit:t", &table), ["tight"]);
        assert_eq!(texts("region:e", &table)[0], "eu");
    }

    #[test]
    fn a_completed_text_parses() {
        let table = table();
        for text in [
            "gpu:",
            "region:",
            "provider:",
            "gpus=",
            "vram>=",
            "rel>=",
            "host:",
            "age<",
            "total<",
            "flag:",
            "fit:",
            "price<",
            "gpu:\"RTX 40",
            "cuda>=",
        ] {
            let completion = complete(text, text.len(), &table);
            assert!(!completion.candidates.is_empty(), "{text}");
            for candidate in completion.candidates {
                let mut whole = text.to_owned();
                whole.replace_range(completion.span.clone(), &candidate.text);
                crate::market::Query::parse(&whole).unwrap_or_else(|e| panic!("{whole}: {e}"));
            }
        }
    }

    #[test]
    fn a_cursor_anywhere_is_safe() {
        let table = Table::new();
        let text = "gpu:\"é 40|x !(région<";
        for cursor in 0..text.len() + 3 {
            let completion = complete(text, cursor, &table);
            assert!(text.get(completion.span).is_some());
        }
    }
}
