//! Sort keys: which field, which way; and what each row weighs under one.
//!
//! What is not stated comes last, whichever way a key runs.

use super::eval::{Figure, Frame, Priced, Source, source};
use super::query::{Field, Kind, verdict_word};
use super::table::{Mark, availability, provider, verified};
use crate::estimate::fit::Verdict;
use crate::gpu;
use crate::offer::Availability;
use std::fmt;

/// What rows are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortBy {
    /// Offers on which the job runs first, then those of which nobody knows, then the others.
    Runs,
    /// A field.
    Field(Field),
}

/// One sort key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortKey {
    /// By what.
    pub by: SortBy,
    /// Largest first.
    pub descending: bool,
}

impl SortKey {
    /// Smallest first.
    pub const fn ascending(field: Field) -> Self {
        Self { by: SortBy::Field(field), descending: false }
    }

    /// Largest first.
    pub const fn descending(field: Field) -> Self {
        Self { by: SortBy::Field(field), descending: true }
    }

    /// The order in which the market is shown unless somebody asks for another: what can run
    /// first, the cheapest finished job on top.
    pub const DEFAULT: [SortKey; 2] =
        [SortKey { by: SortBy::Runs, descending: false }, SortKey::ascending(Field::Total)];

    /// What decides between rows that all chosen keys leave equal: hours, headroom, price,
    /// freshness; after these, the id.
    pub const TIES: [SortKey; 4] = [
        SortKey::ascending(Field::Hours),
        SortKey::descending(Field::Headroom),
        SortKey::ascending(Field::Price),
        SortKey::ascending(Field::Age),
    ];

    /// Reads `total`, `-rel` (largest first), `runs`.
    pub fn parse(text: &str) -> Result<SortKey, String> {
        let text = text.trim();
        let (name, descending) = match text.strip_prefix('-') {
            Some(rest) => (rest, true),
            None => (text.strip_prefix('+').unwrap_or(text), false),
        };
        if name.eq_ignore_ascii_case("runs") {
            return Ok(SortKey { by: SortBy::Runs, descending });
        }
        let field = Field::from_name(name).map(|(field, _)| field);
        field.map(|f| SortKey { by: SortBy::Field(f), descending }).ok_or_else(|| {
            let names = super::query::FIELDS.iter().map(|f| f.name).chain(["runs"]);
            let meant = super::query::nearest(name, names);
            let hint = meant.map_or_else(
                || "; there are total, hours, price, rel, vram, …: haggle list --help".to_owned(),
                |m| format!(" (did you mean `{m}`?)"),
            );
            format!("there is no field `{name}` to sort by{hint}")
        })
    }

    /// Reads a list: `total,-rel,hours`.
    pub fn parse_list(text: &str) -> Result<Vec<SortKey>, String> {
        text.split(',').filter(|part| !part.trim().is_empty()).map(SortKey::parse).collect()
    }

    /// The name of what it sorts by.
    pub fn name(self) -> &'static str {
        match self.by {
            SortBy::Runs => "runs",
            SortBy::Field(field) => field.name(),
        }
    }
}

impl fmt::Display for SortKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.descending { "-" } else { "" }, self.name())
    }
}

/// Where a row that does not state the field comes: last.
const LAST: u64 = u64::MAX;

/// What rows weigh under one key; a lighter row comes first.
pub(crate) struct Weigher<'a> {
    weights: Weights<'a>,
    descending: bool,
}

enum Weights<'a> {
    Figures(Source<'a>),
    /// Ranks by code: the columns of codes, and the rank of each code.
    Codes(&'a [u32], Vec<u64>),
    Bytes(&'a [u8], Vec<u64>),
    Flags(&'a [u16]),
    /// The first eight letters of the key.
    Keys(&'a super::table::Table),
    /// Whether it runs.
    Runs(Runs<'a>),
    /// Whether it runs, then what the finished job costs or takes: two bits, and the upper 62 of
    /// the figure. A job that cannot run on an offer is never finished there, so that its figure
    /// is compared only with others of that kind, whichever way the key goes.
    Finished(Finished<'a>),
    Equal,
}

impl<'a> Weigher<'a> {
    /// The chosen keys and those that decide between equals. What a total or hours weigh includes
    /// whether the job runs, so that a single pass finds the first lines of the default order.
    pub(crate) fn all(keys: &[SortKey], frame: &Frame<'a>) -> Vec<Self> {
        let default = keys == SortKey::DEFAULT;
        let chosen = if default { keys.get(1..).unwrap_or_default() } else { keys };
        let mut all = Vec::new();
        for key in chosen.iter().chain(&SortKey::TIES) {
            let figure = match key.by {
                SortBy::Field(Field::Total) => Some(Figure::Total),
                SortBy::Field(Field::Hours) => Some(Figure::Hours),
                _ => None,
            };
            let Some(figure) = figure else {
                all.push(Weigher::new(*key, frame));
                continue;
            };
            let runs = Runs::new(frame);
            let finished = Finished { runs, priced: frame.priced, figure, default };
            all.push(Self { weights: Weights::Finished(finished), descending: key.descending });
        }
        all
    }

    /// Prepares a key for the rows of a frame.
    pub(crate) fn new(key: SortKey, frame: &Frame<'a>) -> Self {
        let weights = match key.by {
            SortBy::Runs => Weights::Runs(Runs::new(frame)),
            SortBy::Field(field) => match field.info().kind {
                Kind::Number(_) => source(field, frame).map_or(Weights::Equal, Weights::Figures),
                Kind::Text | Kind::Choice(_) => words(field, frame),
            },
        };
        Self { weights, descending: key.descending }
    }

    /// What the row in `slot` weighs.
    pub(crate) fn weight(&self, slot: usize) -> u64 {
        let ranked = |ranks: &[u64], code: Option<usize>| {
            code.and_then(|c| ranks.get(c)).copied().unwrap_or(LAST)
        };
        let weight = match &self.weights {
            Weights::Figures(source) => figure(source.get(slot)),
            Weights::Codes(codes, ranks) => ranked(ranks, codes.get(slot).map(|c| *c as usize)),
            Weights::Bytes(codes, ranks) => ranked(ranks, codes.get(slot).map(|c| usize::from(*c))),
            Weights::Flags(flags) => u64::from(flags.get(slot).copied().unwrap_or(0)),
            Weights::Keys(table) => table.first_letters(slot).min(LAST - 2),
            Weights::Runs(runs) => runs.rank(slot),
            Weights::Finished(finished) => return finished.weight(slot, self.descending),
            Weights::Equal => 0,
        };
        if self.descending && weight != LAST { LAST - 1 - weight } else { weight }
    }

    /// Weighs the rows from slot `first` on; where the weight has a bound, by that.
    pub(crate) fn fill(&self, first: usize, cells: &mut [u64; 64]) {
        let mut figures = [f64::NAN; 64];
        match &self.weights {
            Weights::Figures(Source::Priced(priced, _)) if self.has_bound() => {
                priced.fill_least(first, &mut figures);
                cells.iter_mut().zip(figures).for_each(|(cell, v)| *cell = figure(v));
                return;
            }
            Weights::Figures(source) => {
                source.fill(first, &mut figures);
                cells.iter_mut().zip(figures).for_each(|(cell, v)| *cell = figure(v));
            }
            Weights::Codes(codes, ranks) => {
                let codes = codes.get(first..).unwrap_or_default();
                for (cell, code) in cells.iter_mut().zip(codes) {
                    *cell = ranks.get(*code as usize).copied().unwrap_or(LAST);
                }
            }
            Weights::Bytes(codes, ranks) => {
                let codes = codes.get(first..).unwrap_or_default();
                for (cell, code) in cells.iter_mut().zip(codes) {
                    *cell = ranks.get(usize::from(*code)).copied().unwrap_or(LAST);
                }
            }
            Weights::Finished(finished) => {
                if self.has_bound() {
                    finished.priced.fill_least(first, &mut figures);
                } else {
                    Source::Priced(finished.priced, finished.figure).fill(first, &mut figures);
                }
                finished.fill(first, &figures, (self.descending, self.has_bound()), cells);
                return;
            }
            _ => {
                cells.iter_mut().zip(first..).for_each(|(cell, slot)| *cell = self.weight(slot));
                return;
            }
        }
        if self.descending {
            for cell in cells.iter_mut().filter(|c| **c != LAST) {
                *cell = LAST - 1 - *cell;
            }
        }
    }

    /// Is the weight so dear to work out that [`Weigher::at_least`] should be asked first?
    pub(crate) fn has_bound(&self) -> bool {
        match &self.weights {
            Weights::Finished(Finished { priced, figure: Figure::Total, .. })
            | Weights::Figures(Source::Priced(priced, Figure::Total)) => {
                priced.columns.is_none() && !self.descending
            }
            _ => false,
        }
    }

    /// What the row in `slot` weighs at least.
    pub(crate) fn at_least(&self, slot: usize) -> u64 {
        match &self.weights {
            Weights::Finished(finished) if finished.figure == Figure::Total => {
                finished.weigh(finished.runs.rank(slot), finished.priced.at_least(slot), false)
            }
            Weights::Figures(Source::Priced(priced, Figure::Total)) => {
                figure(priced.at_least(slot))
            }
            _ => 0,
        }
    }
}

/// A figure of the finished job, after whether it runs.
struct Finished<'a> {
    runs: Runs<'a>,
    priced: Priced<'a>,
    figure: Figure,
    /// Is it the default order? There an offer without the figure stays among its like; where the
    /// figure itself was asked for, it is last.
    default: bool,
}

impl Finished<'_> {
    fn weight(&self, slot: usize, descending: bool) -> u64 {
        self.of(slot, self.priced.get(self.figure, slot), descending)
    }

    fn of(&self, slot: usize, v: f64, descending: bool) -> u64 {
        let rank = self.runs.rank(slot);
        let unknown = v.is_nan() && self.default;
        let rank = if unknown && self.priced.never_finishes(slot) { Runs::CANNOT } else { rank };
        self.weigh(rank, v, descending)
    }

    /// What a line of that rank weighs, but for those whose job never finishes.
    fn weigh(&self, rank: u64, v: f64, descending: bool) -> u64 {
        let weight = figure(v);
        let known = weight != LAST;
        if !known && !self.default {
            return LAST;
        }
        rank << 62 | (if descending && known { LAST - 1 - weight } else { weight }) >> 2
    }

    /// Weighs the slots from `first` on, whose figures are `figures`, or bounds of them.
    fn fill(
        &self,
        first: usize,
        figures: &[f64; 64],
        (descending, bounds): (bool, bool),
        cells: &mut [u64; 64],
    ) {
        let mut ranks = [Runs::NOBODY_KNOWS; 64];
        self.runs.fill(first, &mut ranks);
        for ((cell, rank), v) in cells.iter_mut().zip(ranks).zip(figures) {
            *cell = self.weigh(rank, *v, descending);
        }
        if bounds || !self.default {
            return;
        }
        let unknown = cells.iter_mut().zip(figures).zip(first..).filter(|((_, v), _)| v.is_nan());
        for ((cell, v), slot) in unknown {
            *cell = self.of(slot, *v, descending);
        }
    }
}

/// Can the job run there?
struct Runs<'a> {
    classes: &'a [u32],
    /// By class.
    ranks: Vec<u64>,
    disks: &'a [f64],
    /// What the job needs or was asked for, GB.
    disk: f64,
}

impl<'a> Runs<'a> {
    const NOBODY_KNOWS: u64 = 1;
    const CANNOT: u64 = 2;

    fn new(frame: &Frame<'a>) -> Self {
        let columns = frame.table.columns();
        let rank = |v: Verdict| match v {
            Verdict::Fits | Verdict::Tight => 0,
            Verdict::Unknown => Self::NOBODY_KNOWS,
            Verdict::No => Self::CANNOT,
        };
        Self {
            classes: &columns.class,
            ranks: frame.classes.iter().map(|c| rank(c.fit.verdict)).collect(),
            disks: &columns.disk,
            disk: frame.disk,
        }
    }

    /// The ranks of the slots from `first` on.
    fn fill(&self, first: usize, ranks: &mut [u64; 64]) {
        let disks = self.disks.get(first..).unwrap_or_default();
        let classes = self.classes.get(first..).unwrap_or_default();
        for ((rank, disk), class) in ranks.iter_mut().zip(disks).zip(classes) {
            let of_class = self.ranks.get(*class as usize).copied();
            let of_class = of_class.unwrap_or(Self::NOBODY_KNOWS);
            *rank = if *disk < self.disk { Self::CANNOT } else { of_class };
        }
    }

    /// 0 where it can, 1 where nobody knows, 2 where the memory or the largest disk is too small.
    fn rank(&self, slot: usize) -> u64 {
        if self.disks.get(slot).is_some_and(|disk| *disk < self.disk) {
            return Self::CANNOT;
        }
        let class = self.classes.get(slot).and_then(|code| self.ranks.get(*code as usize));
        class.copied().unwrap_or(Self::NOBODY_KNOWS)
    }
}

/// A figure as a number that sorts like it. NaN is last.
fn figure(v: f64) -> u64 {
    if v.is_nan() {
        return LAST;
    }
    let bits = v.to_bits();
    // Negative figures turn round, positive ones move above them.
    let weight = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    weight.min(LAST - 2)
}

fn words<'a>(field: Field, frame: &Frame<'a>) -> Weights<'a> {
    let (table, columns) = (frame.table, frame.table.columns());
    let dictionaries = table.dictionaries();
    let class_ranks = |rank: &dyn Fn(&crate::estimate::HardwareClass) -> u64| {
        Weights::Codes(&columns.class, table.classes().iter().map(rank).collect())
    };
    match field {
        Field::Gpu => {
            // By catalogue name where there is one, so that one card's rows stand together.
            let names = table.classes().iter().map(|c| {
                c.gpu.and_then(|id| gpu::catalogue().get(id)).map_or("", |g| g.name).to_owned()
            });
            Weights::Codes(&columns.class, ranks(&names.collect::<Vec<_>>()))
        }
        Field::Region | Field::Country => {
            let names = dictionaries.places.values().iter().map(|(raw, country, _)| {
                let code = country.map(|c| c.code().to_owned()).unwrap_or_default();
                if field == Field::Country {
                    code
                } else {
                    format!("{code} {}", raw.as_str()).trim().to_owned()
                }
            });
            Weights::Codes(&columns.place, ranks(&names.collect::<Vec<_>>()))
        }
        Field::Type => {
            let names = dictionaries.labels.values().iter();
            let names = names.map(|(_, k)| k.as_ref().map_or("", |k| k.as_str()).to_owned());
            Weights::Codes(&columns.label, ranks(&names.collect::<Vec<_>>()))
        }
        Field::Source | Field::Basis => Weights::Codes(&columns.terms, origin_ranks(field, frame)),
        Field::Host => {
            let hosts = &dictionaries.hosts;
            let names = (0..hosts.len()).map(|code| hosts.get(code as u32).to_owned());
            Weights::Codes(&columns.host, ranks(&names.collect::<Vec<_>>()))
        }
        Field::Fit => Weights::Codes(&columns.class, fit_ranks(frame)),
        Field::Link => class_ranks(&|c| match c.link {
            crate::offer::Link::Unknown => LAST,
            link => link as u64,
        }),
        Field::Provider => {
            let names = (0..=255).map(|code| provider(code).name().to_owned());
            Weights::Bytes(&columns.provider, ranks(&names.collect::<Vec<_>>()))
        }
        Field::Mark | Field::Verified | Field::Avail => {
            let codes = if field == Field::Mark { &columns.mark } else { &columns.state };
            Weights::Bytes(codes, (0..=255).map(|code| state_rank(field, code)).collect())
        }
        Field::Flag => Weights::Flags(&columns.flags),
        Field::Id => Weights::Keys(table),
        _ => Weights::Equal,
    }
}

fn fit_ranks(frame: &Frame<'_>) -> Vec<u64> {
    let order = [Some("yes"), Some("tight"), None, Some("no")];
    let rank = |c: &crate::estimate::class::ClassEstimate| {
        let word = verdict_word(c.fit.verdict);
        order.iter().position(|o| *o == word).map_or(LAST, |at| at as u64)
    };
    frame.classes.iter().map(rank).collect()
}

fn origin_ranks(field: Field, frame: &Frame<'_>) -> Vec<u64> {
    let dictionaries = frame.table.dictionaries();
    let names = (0..dictionaries.origins()).map(|code| {
        let (source, basis) = dictionaries.origin(code as u32);
        if field == Field::Source { source.to_owned() } else { format!("{}", basis as u8) }
    });
    ranks(&names.collect::<Vec<_>>())
}

fn state_rank(field: Field, code: u8) -> u64 {
    match field {
        Field::Mark => match Mark::from_code(code) {
            Mark::Same => 3,
            mark => mark as u64 - 1,
        },
        Field::Verified => verified(code).map_or(LAST, |yes| u64::from(!yes)),
        _ => match availability(code) {
            Availability::Yes => 0,
            Availability::No => 1,
            Availability::NotStated => LAST,
        },
    }
}

/// The rank of each name among all, in alphabetical order; an empty name is last.
fn ranks(names: &[String]) -> Vec<u64> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    let name = |at: usize| names.get(at).map_or("", String::as_str);
    order.sort_by_cached_key(|at| name(*at).to_lowercase());
    let mut ranks = vec![LAST; names.len()];
    let mut rank = 0;
    let mut before: Option<String> = None;
    for at in order {
        let lower = name(at).to_lowercase();
        if before.as_ref().is_some_and(|b| *b != lower) {
            rank += 1;
        }
        if let Some(cell) = ranks.get_mut(at).filter(|_| !lower.is_empty()) {
            *cell = rank;
        }
        before = Some(lower);
    }
    ranks
}
