//! The words that a field has in this market, and how many offers have each.

use crate::estimate::HardwareClass;
use crate::estimate::quote::PriceKind;
use crate::gpu;
use crate::market::parallel;
use crate::market::query::Field;
use crate::market::table::Table;
use crate::market::words::{basis_name, link_word, state_word};
use crate::market::{kind_name, table};
use crate::offer::{Continent, Country, Flags};
use std::collections::HashMap;

/// Word → how many offers, and what it is.
pub(super) type Words = HashMap<String, (usize, &'static str)>;

/// Hosts are listed up to here, those with most offers first.
const MOST_HOSTS: usize = 1000;

/// The words of `field` that may go on from `piece`. Fields that depend on the setup have none here.
pub(super) fn words(field: Field, piece: &str, table: &Table) -> Words {
    let mut words = Words::new();
    match field {
        Field::Gpu => cards(table, &mut words),
        Field::Region | Field::Country => places(field, table, &mut words),
        Field::Flag => flags(table, &mut words),
        Field::Pricing => {
            for kind in [PriceKind::OnDemand, PriceKind::Spot] {
                add(&mut words, kind_name(kind), 1, "");
            }
        }
        Field::Host => hosts(piece, table, &mut words),
        Field::Type | Field::Source | Field::Basis | Field::Link => {
            coded(field, table, &mut words);
        }
        Field::Provider | Field::Verified | Field::Avail | Field::Mark => {
            small(field, table, &mut words);
        }
        _ => {}
    }
    words
}

fn add(words: &mut Words, word: &str, count: usize, note: &'static str) {
    if !word.is_empty() && count > 0 {
        words.entry(word.to_owned()).or_insert((0, note)).0 += count;
    }
}

/// How many offers have each code.
fn tally(table: &Table, code: impl Fn(usize) -> Option<usize> + Sync) -> Vec<usize> {
    let most = table.slots().max(1 << 16);
    let parts = parallel::halves(0..table.live().words().len(), |span| {
        let mut counts = Vec::new();
        table.live().each(span, |slot| {
            let Some(code) = code(slot) else { return };
            if code >= counts.len() && code < most {
                counts.resize(code + 1, 0);
            }
            if let Some(count) = counts.get_mut(code) {
                *count += 1;
            }
        });
        counts
    });
    let mut sums: Vec<usize> = Vec::new();
    for part in parts {
        sums.resize(sums.len().max(part.len()), 0);
        sums.iter_mut().zip(part).for_each(|(sum, more)| *sum += more);
    }
    sums
}

fn by_code(table: &Table, codes: &[u32]) -> Vec<usize> {
    tally(table, |slot| codes.get(slot).map(|c| *c as usize))
}

fn cards(table: &Table, words: &mut Words) {
    let name = |class: &HardwareClass| {
        class.gpu.and_then(|id| gpu::catalogue().get(id)).map_or("", |g| g.name)
    };
    let columns = table.columns();
    for (class, count) in table.classes().iter().zip(by_code(table, &columns.class)) {
        add(words, name(class), count, "");
    }
    let unnamed: Vec<bool> = table.classes().iter().map(|c| name(c).is_empty()).collect();
    let labels = tally(table, |slot| {
        let class = *columns.class.get(slot)? as usize;
        let label = *columns.label.get(slot)? as usize;
        unnamed.get(class).copied().unwrap_or(false).then_some(label)
    });
    for ((raw, _), count) in table.dictionaries().labels.values().iter().zip(labels) {
        add(words, raw.as_str(), count, "not in the catalogue");
    }
}

fn places(field: Field, table: &Table, words: &mut Words) {
    let counts = by_code(table, &table.columns().place);
    for ((raw, country, continent), count) in
        table.dictionaries().places.values().iter().zip(counts)
    {
        add(words, country.as_ref().map_or("", Country::code), count, "country");
        if field == Field::Region {
            add(words, continent.map_or("", Continent::code), count, "continent");
            add(words, raw.as_str(), count, "as the provider says");
        }
    }
}

fn coded(field: Field, table: &Table, words: &mut Words) {
    let (columns, dictionaries) = (table.columns(), table.dictionaries());
    let codes = match field {
        Field::Type => &columns.label,
        Field::Link => &columns.class,
        _ => &columns.terms,
    };
    for (code, count) in by_code(table, codes).into_iter().enumerate() {
        let at = code as u32;
        let word = match field {
            Field::Type => {
                let label = dictionaries.labels.get(at).and_then(|l| l.1.as_ref());
                label.map_or("", crate::offer::Text::as_str)
            }
            Field::Link => table.classes().get(code).and_then(|c| link_word(c.link)).unwrap_or(""),
            Field::Source => dictionaries.origin(at).0,
            _ => basis_name(dictionaries.origin(at).1),
        };
        add(words, word, count, "");
    }
}

/// Hosts are many: only those that hold the piece are looked at, and only the largest are named.
fn hosts(piece: &str, table: &Table, words: &mut Words) {
    let names = &table.dictionaries().hosts;
    let counts = by_code(table, &table.columns().host);
    let coded = counts.into_iter().enumerate().map(|(code, count)| (count, code as u32));
    let mut found: Vec<(usize, u32)> =
        coded.filter(|(count, code)| *count > 0 && names.get(*code).contains(piece)).collect();
    if found.len() > MOST_HOSTS {
        found.select_nth_unstable_by(MOST_HOSTS, |a, b| b.cmp(a));
        found.truncate(MOST_HOSTS);
    }
    for (count, code) in found {
        add(words, names.get(code), count, "");
    }
}

fn small(field: Field, table: &Table, words: &mut Words) {
    let columns = table.columns();
    let codes = match field {
        Field::Provider => &columns.provider,
        Field::Mark => &columns.mark,
        _ => &columns.state,
    };
    let counts = tally(table, |slot| codes.get(slot).map(|c| usize::from(*c)));
    for (code, count) in counts.into_iter().enumerate() {
        let word = match field {
            Field::Provider => Some(table::provider(code as u8).name()),
            _ => state_word(field, code as u8),
        };
        add(words, word.unwrap_or(""), count, "");
    }
}

fn flags(table: &Table, words: &mut Words) {
    let flags = &table.columns().flags;
    // There are few combinations: each is counted once, and then every flag in it.
    let combinations = tally(table, |slot| flags.get(slot).map(|f| usize::from(*f)));
    for bit in 0..16 {
        let flag = Flags(1 << bit);
        let with = combinations.iter().enumerate().filter(|(set, _)| Flags(*set as u16).has(flag));
        let name = flag.names().first().copied().unwrap_or("");
        add(words, name, with.map(|(_, count)| count).sum(), "");
    }
}
