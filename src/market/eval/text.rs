//! Words: each dictionary entry is asked once, and the rows look the answer up.

use super::{Answer, Frame, Truth, region};
use crate::gpu;
use crate::market::query::{
    DISK_SHORT, Field, Item, Pattern, Test, flag_bits, squeeze, verdict_word,
};
use crate::market::search::Search;
use crate::market::table::{NONE, provider};
use crate::market::words::{link_word, state_word};
use crate::offer::Basis;

/// Which slots meet a condition on a field of words.
pub(super) fn test(field: Field, test: &Test, frame: &Frame<'_>) -> Truth {
    let Test::OneOf { items, exact } = test else {
        return Truth::constant(frame.table.slots(), false);
    };
    let ask = Ask { items, exact: *exact };
    let table = frame.table;
    let (columns, slots) = (table.columns(), table.slots());
    match field {
        Field::Gpu => gpu(&ask, frame),
        Field::Provider | Field::Verified | Field::Avail | Field::Mark => {
            let codes = match field {
                Field::Provider => &columns.provider,
                Field::Mark => &columns.mark,
                _ => &columns.state,
            };
            let answers: Vec<Answer> = (0..=255).map(|code| ask.word(small(field, code))).collect();
            Truth::ask(slots, |slot| by_code(&answers, codes.get(slot).copied().map(usize::from)))
        }
        Field::Fit | Field::Link => {
            let answers = classes(field, &ask, frame);
            Truth::ask_codes(&columns.class, slots, &answers)
        }
        Field::Region | Field::Country => {
            let answers = places(field, &ask, frame);
            Truth::ask_codes(&columns.place, slots, &answers)
        }
        Field::Type => {
            let labels = table.dictionaries().labels.values().iter();
            let answers: Vec<Answer> = labels
                .map(|(_, kind)| ask.text(kind.as_ref().map(crate::offer::Text::as_str)))
                .collect();
            Truth::ask_codes(&columns.label, slots, &answers)
        }
        Field::Host => host(&ask, frame),
        Field::Source | Field::Basis => {
            let answers = origins(field, &ask, frame);
            Truth::ask_codes(&columns.terms, slots, &answers)
        }
        Field::Pricing => {
            let word = super::super::kind_name(frame.kind);
            Truth::constant(slots, ask.word(Some(word)) == Answer::Yes)
        }
        Field::Flag => flags(&ask, frame),
        Field::Id => {
            let names = |slot: usize| {
                let at = columns.provider.get(slot).copied().unwrap_or(0);
                (provider(at).name(), table.key(slot), table.launch_id(slot))
            };
            Truth::ask(slots, |slot| Answer::from_bool(ask.id(names(slot))))
        }
        _ => Truth::constant(slots, false),
    }
}

/// The values asked for.
struct Ask<'a> {
    items: &'a [Item],
    exact: bool,
}

impl Ask<'_> {
    fn has(&self, item: &Item) -> bool {
        self.items.contains(item)
    }

    fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.items.iter().filter_map(|i| match i {
            Item::Matches(pattern) => Some(pattern),
            _ => None,
        })
    }

    /// One of a few words; `None` is "not stated".
    fn word(&self, word: Option<&str>) -> Answer {
        match word {
            _ if self.has(&Item::Anything) => Answer::Yes,
            Some(word) => Answer::from_bool(self.patterns().any(|p| p.is(word))),
            None => self.unstated(),
        }
    }

    fn unstated(&self) -> Answer {
        if self.has(&Item::Unknown) { Answer::Yes } else { Answer::Unknown }
    }

    /// A text; an absent one is no text at all, so it equals nothing.
    fn text(&self, text: Option<&str>) -> Answer {
        let Some(text) = text else {
            return Answer::from_bool(self.has(&Item::Unknown) || self.has(&Item::Anything));
        };
        let hit = |p: &Pattern| if self.exact { p.is(text) } else { p.is_in(text) };
        Answer::from_bool(self.has(&Item::Anything) || self.patterns().any(hit))
    }

    /// An id: provider and key, the key alone, the machine in it, or the launch id.
    fn id(&self, (provider, key, launch): (&str, &str, &str)) -> bool {
        let machine = key.rsplit_once('-').map_or("", |(machine, _)| machine);
        self.has(&Item::Anything)
            || self.patterns().any(|p| {
                let named = p.text().split_once(':').is_some_and(|(name, rest)| {
                    name.eq_ignore_ascii_case(provider) && Pattern::bare(rest).is(key)
                });
                named || p.is(key) || p.is(launch) || (!machine.is_empty() && p.is(machine))
            })
    }
}

fn by_code(answers: &[Answer], code: Option<usize>) -> Answer {
    code.and_then(|c| answers.get(c)).copied().unwrap_or(Answer::No)
}

/// The word of a small code; `None` is "not stated".
fn small(field: Field, code: u8) -> Option<&'static str> {
    if field == Field::Provider { Some(provider(code).name()) } else { state_word(field, code) }
}

fn classes(field: Field, ask: &Ask<'_>, frame: &Frame<'_>) -> Vec<Answer> {
    if field == Field::Fit {
        return frame.classes.iter().map(|c| ask.word(verdict_word(c.fit.verdict))).collect();
    }
    frame.table.classes().iter().map(|c| ask.word(link_word(c.link))).collect()
}

fn places(field: Field, ask: &Ask<'_>, frame: &Frame<'_>) -> Vec<Answer> {
    let places = frame.table.dictionaries().places.values();
    let asked = |(raw, country, continent): &(crate::offer::Text, _, _)| {
        let country: Option<crate::offer::Country> = *country;
        let stated = !raw.is_empty() || country.is_some();
        if ask.has(&Item::Anything) || (ask.has(&Item::Unknown) && !stated) {
            return Answer::Yes;
        }
        if field == Field::Country {
            let wanted = |p: &Pattern| {
                region::country(p.text()).is_some_and(|c| Some(c) == country)
                    || country.is_some_and(|c| p.is(c.code()))
            };
            return match country {
                Some(_) => Answer::from_bool(ask.patterns().any(wanted)),
                None => ask.unstated(),
            };
        }
        let place = (raw.as_str(), country, *continent);
        let answers: Vec<Answer> =
            ask.patterns().map(|p| region::answer(p, ask.exact, place)).collect();
        if answers.contains(&Answer::Yes) {
            Answer::Yes
        } else if answers.contains(&Answer::Unknown) {
            Answer::Unknown
        } else {
            Answer::No
        }
    };
    places.iter().map(asked).collect()
}

fn origins(field: Field, ask: &Ask<'_>, frame: &Frame<'_>) -> Vec<Answer> {
    let dictionaries = frame.table.dictionaries();
    (0..dictionaries.origins())
        .map(|code| {
            let (source, basis) = dictionaries.origin(code as u32);
            match (field, basis) {
                (Field::Source, _) => ask.text(Some(source)),
                (_, Basis::Live) => ask.word(Some("live")),
                (_, Basis::Listed) => ask.word(Some("listed")),
                _ => ask.word(None),
            }
        })
        .collect()
}

/// A card matches by its name in the catalogue or by what the provider calls it.
fn gpu(ask: &Ask<'_>, frame: &Frame<'_>) -> Truth {
    let catalogue = gpu::catalogue();
    let name = |id| catalogue.get(id).map(|g| g.name);
    let classes = frame.table.classes().iter();
    let by_class: Vec<Answer> = classes
        .map(|c| match c.gpu.and_then(name) {
            Some(name) => ask.text(Some(name)),
            None => Answer::from_bool(ask.has(&Item::Unknown) || ask.has(&Item::Anything)),
        })
        .collect();
    let by_label: Vec<Answer> = frame
        .table
        .dictionaries()
        .labels
        .values()
        .iter()
        .map(|(raw, _)| ask.text(Some(raw.as_str())))
        .collect();
    let columns = frame.table.columns();
    Truth::ask(frame.table.slots(), |slot| {
        let class = by_code(&by_class, columns.class.get(slot).map(|c| *c as usize));
        let label = || by_code(&by_label, columns.label.get(slot).map(|c| *c as usize));
        if class == Answer::Yes { class } else { label() }
    })
}

fn host(ask: &Ask<'_>, frame: &Frame<'_>) -> Truth {
    let hosts = &frame.table.dictionaries().hosts;
    let answers: Vec<Answer> =
        (0..hosts.len()).map(|code| ask.text(Some(hosts.get(code as u32)))).collect();
    let none = ask.text(None);
    let codes = &frame.table.columns().host;
    Truth::ask(frame.table.slots(), |slot| match codes.get(slot) {
        Some(&NONE) | None => none,
        Some(code) => by_code(&answers, Some(*code as usize)),
    })
}

fn flags(ask: &Ask<'_>, frame: &Frame<'_>) -> Truth {
    let wanted = ask.patterns().fold(0, |bits, p| bits | flag_bits(p.text()));
    let short = ask.patterns().any(|p| p.is(DISK_SHORT) || p.is("any"));
    let clean = ask.has(&Item::Unknown);
    let flags = &frame.table.columns().flags;
    Truth::ask(frame.table.slots(), |slot| {
        let set = flags.get(slot).copied().unwrap_or(0);
        let is_short = (short || clean) && frame.is_disk_short(slot);
        let nothing = clean && set == 0 && !is_short;
        let flagged = set & wanted != 0 || (short && is_short);
        Answer::from_bool(flagged || nothing || ask.has(&Item::Anything))
    })
}

/// Which slots a word without a field finds: by provider, card, machine type or place; where none
/// of these has it as it stands, by letters that lie near each other; where that finds nothing, by
/// host, key or launch id if that is exactly the word.
pub(super) fn word(text: &str, exact: bool, frame: &Frame<'_>) -> Truth {
    let may_be_key = text.len() >= 4 && text.bytes().any(|b| b.is_ascii_digit());
    if text.contains(['*', '?']) && !exact {
        let glob = Pattern::bare(text);
        return named(frame, |name| glob.is_in(name));
    }
    let lower = text.to_lowercase();
    if exact {
        let truth = named(frame, |name| name.to_lowercase().contains(&lower));
        return if truth.yes.count() == 0 && may_be_key { called(text, frame) } else { truth };
    }
    let squeezed = squeeze(text);
    let mut truth = named(frame, |name| {
        name.to_lowercase().contains(&lower)
            || (!squeezed.is_empty() && squeeze(name).contains(&squeezed))
    });
    if truth.yes.count() == 0 {
        let search = Search::new(text);
        truth = named(frame, |name| search.is_in(name));
    }
    // Keys are compared one by one, so only where the word can be one.
    if truth.yes.count() == 0 && may_be_key { called(text, frame) } else { truth }
}

/// Which slots have a host, key or launch id that is `text`.
fn called(text: &str, frame: &Frame<'_>) -> Truth {
    let table = frame.table;
    let host = table.dictionaries().hosts.find(text).unwrap_or(NONE - 1);
    let hosts = &table.columns().host;
    let is = |slot: usize| hosts.get(slot) == Some(&host) || table.is_called(slot, text);
    Truth::ask(table.slots(), |slot| Answer::from_bool(is(slot)))
}

/// Which slots have a provider, card, machine type or place that is a hit.
fn named(frame: &Frame<'_>, hit: impl Fn(&str) -> bool) -> Truth {
    let (table, columns) = (frame.table, frame.table.columns());
    let dictionaries = table.dictionaries();
    let providers: Vec<bool> = (0..=255).map(|code| hit(provider(code).name())).collect();
    let card = |class: &crate::estimate::HardwareClass| {
        class.gpu.and_then(|id| gpu::catalogue().get(id)).is_some_and(|g| hit(g.name))
    };
    let classes: Vec<bool> = table.classes().iter().map(card).collect();
    let kind = |kind: &Option<crate::offer::Text>| kind.as_ref().is_some_and(|k| hit(k.as_str()));
    let labels: Vec<bool> =
        dictionaries.labels.values().iter().map(|(raw, k)| hit(raw.as_str()) || kind(k)).collect();
    let code = |c: &Option<crate::offer::Country>| c.as_ref().is_some_and(|c| hit(c.code()));
    let places: Vec<bool> = dictionaries
        .places
        .values()
        .iter()
        .map(|(raw, c, _)| hit(raw.as_str()) || code(c))
        .collect();
    let lookups = [
        Lookup::new(Codes::Wide(&columns.class), &classes),
        Lookup::new(Codes::Wide(&columns.label), &labels),
        Lookup::new(Codes::Wide(&columns.place), &places),
        Lookup::new(Codes::Narrow(&columns.provider), &providers),
    ];
    found(table.slots(), &lookups.into_iter().flatten().collect::<Vec<_>>())
}

/// A column of codes.
enum Codes<'a> {
    Wide(&'a [u32]),
    Narrow(&'a [u8]),
}

/// A column of codes, and the answer of each code.
struct Lookup<'a> {
    codes: Codes<'a>,
    answers: Vec<u8>,
}

impl<'a> Lookup<'a> {
    /// `None` where no code is a hit: then there is nothing to look up.
    fn new(codes: Codes<'a>, hits: &[bool]) -> Option<Self> {
        let answers = hits.iter().map(|hit| Answer::from_bool(*hit) as u8).collect();
        hits.contains(&true).then_some(Self { codes, answers })
    }

    /// Adds the hits among the slots of `span`.
    fn add(&self, span: std::ops::Range<usize>, cells: &mut [u8; 64]) {
        let hit = |code: usize| self.answers.get(code).copied().unwrap_or(0);
        match self.codes {
            Codes::Wide(codes) => {
                let codes = codes.get(span).unwrap_or_default();
                cells.iter_mut().zip(codes).for_each(|(c, code)| *c |= hit(*code as usize));
            }
            Codes::Narrow(codes) => {
                let codes = codes.get(span).unwrap_or_default();
                cells.iter_mut().zip(codes).for_each(|(c, code)| *c |= hit(usize::from(*code)));
            }
        }
    }
}

/// Slots that any of the columns has a hit for.
fn found(slots: usize, lookups: &[Lookup<'_>]) -> Truth {
    if lookups.is_empty() {
        return Truth::constant(slots, false);
    }
    Truth::ask_by_64(slots, |first, cells| {
        let span = first..slots.min(first + cells.len());
        for lookup in lookups {
            lookup.add(span.clone(), cells);
        }
    })
}
