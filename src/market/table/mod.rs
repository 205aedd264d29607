//! The market in columns: every offer, however many, at 160 bytes or less.
//!
//! A row is known by its [`RowId`], which stays the same while prices change and the row moves
//! about in the view, and is never given to another offer. An offer that a refresh no longer
//! brings is *gone*: it leaves every view, but can still be looked at until [`Table::look`].

mod arena;
mod codec;
mod columns;
mod distinct;
mod index;
mod names;

pub(crate) use codec::{Dictionaries, PriceCells, availability, provider, provider_code, verified};
pub(crate) use columns::{Columns, NONE, option};

use super::bits::Bits;
use crate::estimate::HardwareClass;
use crate::offer::{Flags, Offer, Price, Provider};
use crate::units::{UnixSeconds, UsdPerHour};
use arena::Arena;
use columns::Row;
use index::Index;
use std::collections::HashMap;

/// A row, for as long as its offer exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId {
    pub(crate) slot: u32,
    stamp: u32,
}

/// What happened to an offer since the last [`Table::look`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mark {
    /// Nothing.
    #[default]
    Same,
    /// It appeared.
    New,
    /// It costs less.
    Cheaper,
    /// It costs more.
    Dearer,
    /// It is gone.
    Gone,
}

impl Mark {
    const ALL: [Mark; 5] = [Mark::Same, Mark::New, Mark::Cheaper, Mark::Dearer, Mark::Gone];

    /// The name used in queries.
    pub const fn name(self) -> &'static str {
        match self {
            Mark::Same => "same",
            Mark::New => "new",
            Mark::Cheaper => "cheaper",
            Mark::Dearer => "dearer",
            Mark::Gone => "gone",
        }
    }

    pub(crate) fn from_code(code: u8) -> Mark {
        Mark::ALL.get(usize::from(code)).copied().unwrap_or_default()
    }

    const fn code(self) -> u8 {
        self as u8
    }
}

/// Rows of a provider, by the fetch that brought them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Rows of the fetch that was asked about, or of later ones.
    pub fresh: usize,
    /// Rows of earlier fetches.
    pub old: usize,
}

/// All offers, in columns.
#[derive(Debug, Default)]
pub struct Table {
    columns: Columns,
    dictionaries: Dictionaries,
    arena: Arena,
    index: Index,
    live: Bits,
    live_count: usize,
    /// Slots that may be used again.
    spare: Vec<u32>,
    /// Slots whose offer is gone but not yet forgotten.
    gone: Vec<u32>,
    /// What re-priced rows cost at the last look.
    before: HashMap<u32, Price>,
    /// Earlier prices of offers whose price has changed, and until when they held: the oldest first.
    past: HashMap<u32, Vec<(UnixSeconds, Price)>>,
    /// Providers that have finished a fetch, one bit each.
    finished: u16,
    /// Slots changed since revision `log_from`, the latest last.
    log: Vec<u32>,
    log_from: u64,
}

impl Table {
    /// An empty market.
    pub fn new() -> Self {
        Self::default()
    }

    /// Offers that exist.
    pub fn len(&self) -> usize {
        self.live_count
    }

    /// Is there nothing?
    pub fn is_empty(&self) -> bool {
        self.live_count == 0
    }

    /// A number that grows with every change of any row.
    pub fn revision(&self) -> u64 {
        self.log_from + self.log.len() as u64
    }

    /// Takes in rows of one fetch. Rows with a known key are brought up to date; a key that comes
    /// twice within one fetch is kept once, and flagged when the two do not say the same.
    pub fn insert(&mut self, generation: u64, offers: &[Offer]) {
        for offer in offers {
            self.insert_one(generation, offer);
        }
        self.trim_log();
    }

    fn insert_one(&mut self, generation: u64, offer: &Offer) {
        let mut row = self.dictionaries.encode(offer);
        row.generation = generation;
        let key = offer.key.as_str();
        let hash = self.index.hash(row.provider, key);
        let known = self.index.find(hash, |slot| self.is(slot, row.provider, key));
        match known.and_then(|slot| Some((slot, self.columns.row(slot as usize)?))) {
            None => self.insert_new(row, hash, offer),
            Some((slot, old)) if old.generation == generation && self.live.has(slot as usize) => {
                if !old.same_figures(&row) {
                    let flags = Flags(old.flags).with(Flags::CONFLICTING);
                    self.columns.set(slot as usize, Row { flags: flags.0, ..old });
                    self.log.push(slot);
                }
            }
            Some((slot, old)) => self.update(slot, row, old, offer),
        }
    }

    fn insert_new(&mut self, mut row: Row, hash: u64, offer: &Offer) {
        row.text = self.arena.push(offer.key.as_str(), offer.launch_id.as_str());
        let seen_before = self.finished >> row.provider & 1 == 1;
        row.mark = if seen_before { Mark::New } else { Mark::Same }.code();
        let slot = if let Some(slot) = self.spare.pop() {
            row.stamp = self.columns.stamp.get(slot as usize).map_or(0, |s| s.wrapping_add(1));
            self.columns.set(slot as usize, row);
            slot
        } else {
            self.columns.push(row);
            self.live.resize(self.columns.text.len());
            self.columns.text.len() as u32 - 1
        };
        let (columns, arena) = (&self.columns, &self.arena);
        self.index.insert(hash, slot, |index, slot| {
            let at = slot as usize;
            let text = columns.text.get(at).map_or("", |t| arena.get(*t).0);
            index.hash(columns.provider.get(at).copied().unwrap_or(0), text)
        });
        self.past.remove(&slot);
        self.live.set(slot as usize, true);
        self.live_count += 1;
        self.log.push(slot);
    }

    fn update(&mut self, slot: u32, mut row: Row, old: Row, offer: &Offer) {
        let at = slot as usize;
        row.stamp = old.stamp;
        row.text = old.text;
        row.first = old.first;
        let mut mark = Mark::from_code(old.mark);
        if !self.live.has(at) {
            self.gone.retain(|s| *s != slot);
            self.live.set(at, true);
            self.live_count += 1;
            mark = Mark::Same;
        }
        if self.arena.get(old.text).1 != offer.launch_id.as_str() {
            row.text = self.arena.replace(old.text, offer.key.as_str(), offer.launch_id.as_str());
        }
        row.mark = self.price_mark(slot, &row, &old, mark).code();
        self.columns.set(at, row);
        self.log.push(slot);
    }

    /// What the row's price did since the last look.
    fn price_mark(&mut self, slot: u32, row: &Row, old: &Row, mark: Mark) -> Mark {
        self.remember(slot, row, old);
        let before = self.before.get(&slot).copied().unwrap_or_else(|| price(old));
        if mark == Mark::New {
            return mark;
        }
        let now = price(row);
        if now == before {
            self.before.remove(&slot);
            return Mark::Same;
        }
        self.before.insert(slot, before);
        let main = |p: Price| p.on_demand.or(p.spot).map_or(f64::INFINITY, UsdPerHour::get);
        let spot = |p: Price| p.spot.map_or(f64::INFINITY, UsdPerHour::get);
        let cheaper = (main(now), spot(now)) < (main(before), spot(before));
        if cheaper { Mark::Cheaper } else { Mark::Dearer }
    }

    /// Remembers the price that held until now, where it is another now.
    fn remember(&mut self, slot: u32, row: &Row, old: &Row) {
        const MOST: usize = 32;
        if price(row) == price(old) {
            return;
        }
        let past = self.past.entry(slot).or_default();
        past.push((UnixSeconds(old.fetched.into()), price(old)));
        if past.len() > MOST {
            past.remove(0);
        }
    }

    /// When an offer was first seen, and the prices that it had since, each with the last time at
    /// which it was seen so: the oldest first, without the present one.
    pub fn history(&self, row: RowId) -> Option<(UnixSeconds, &[(UnixSeconds, Price)])> {
        let slot = self.slot(row)?;
        let first = UnixSeconds(i64::from(*self.columns.first.get(slot)?));
        let past = self.past.get(&(slot as u32)).map_or(&[][..], Vec::as_slice);
        Some((first, past))
    }

    /// Ends a fetch: rows of `provider` that it, or a later one, did not bring are gone. Returns
    /// how many went. Whether a fetch that brought nothing, or less than half, should end so is
    /// the caller's decision (see [`Table::census`]).
    pub fn finish(&mut self, provider: Provider, generation: u64) -> usize {
        let code = provider_code(provider);
        self.finished |= 1 << code;
        let old: Vec<u32> = self
            .slots_of(code)
            .filter(|slot| self.columns.generation.get(*slot as usize) < Some(&generation))
            .collect();
        for slot in &old {
            self.live.set(*slot as usize, false);
            if let Some(mark) = self.columns.mark.get_mut(*slot as usize) {
                *mark = Mark::Gone.code();
            }
            self.before.remove(slot);
        }
        self.live_count -= old.len();
        self.gone.extend(&old);
        self.log.extend(&old);
        if self.gone.len() > self.live_count.max(1000) {
            self.forget_gone();
        }
        self.trim_log();
        self.tidy();
        old.len()
    }

    /// Rows of `provider`, by whether fetch `generation` (or a later one) brought them.
    pub fn census(&self, provider: Provider, generation: u64) -> Census {
        let mut census = Census::default();
        for slot in self.slots_of(provider_code(provider)) {
            if self.columns.generation.get(slot as usize) >= Some(&generation) {
                census.fresh += 1;
            } else {
                census.old += 1;
            }
        }
        census
    }

    /// The user has seen the market as it is: marks are cleared and gone rows forgotten.
    pub fn look(&mut self) {
        for (slot, mark) in self.columns.mark.iter_mut().enumerate() {
            if *mark != 0 {
                *mark = 0;
                self.log.push(slot as u32);
            }
        }
        self.before.clear();
        self.forget_gone();
        self.trim_log();
    }

    fn forget_gone(&mut self) {
        for slot in std::mem::take(&mut self.gone) {
            let at = slot as usize;
            let Some(row) = self.columns.row(at) else { continue };
            let hash = self.index.hash(row.provider, self.arena.get(row.text).0);
            self.index.remove(hash, slot);
            self.arena.release(row.text);
            if let Some(stamp) = self.columns.stamp.get_mut(at) {
                *stamp = stamp.wrapping_add(1);
            }
            self.spare.push(slot);
        }
    }

    /// Drops room that is not used and letters that nobody refers to.
    fn tidy(&mut self) {
        if self.arena.is_wasteful() {
            let free: std::collections::HashSet<u32> = self.spare.iter().copied().collect();
            let texts = self.columns.text.iter_mut().enumerate();
            let used = texts.filter(|(slot, _)| !free.contains(&(*slot as u32)));
            self.arena.compact(used.map(|(_, text)| text));
        }
        self.shrink();
    }

    /// Gives back what was reserved for more rows: when no more are expected soon.
    pub fn shrink(&mut self) {
        self.columns.shrink();
        self.arena.shrink();
        self.dictionaries.shrink();
    }

    /// A log that is longer than the table is worth is dropped: views then look at every row.
    fn trim_log(&mut self) {
        if self.log.len() > (self.columns.text.len() / 16).max(4096) {
            self.log_from += self.log.len() as u64;
            self.log = Vec::new();
        }
    }

    /// The slots changed since `revision` (repeats possible); `None` when that is too long ago.
    pub(crate) fn changed_since(&self, revision: u64) -> Option<&[u32]> {
        let from = revision.checked_sub(self.log_from)?;
        self.log.get(usize::try_from(from).ok()?..)
    }

    fn is(&self, slot: u32, provider: u8, key: &str) -> bool {
        let at = slot as usize;
        self.columns.provider.get(at) == Some(&provider)
            && self.columns.text.get(at).is_some_and(|text| self.arena.get(*text).0 == key)
    }

    fn slots_of(&self, provider: u8) -> impl Iterator<Item = u32> + '_ {
        self.live
            .iter()
            .filter(move |slot| self.columns.provider.get(*slot) == Some(&provider))
            .map(|slot| slot as u32)
    }

    fn row_id(&self, slot: u32) -> RowId {
        RowId { slot, stamp: self.columns.stamp.get(slot as usize).copied().unwrap_or(0) }
    }

    /// The slot of a row, if its offer has not been forgotten.
    pub(crate) fn slot(&self, row: RowId) -> Option<usize> {
        let at = row.slot as usize;
        (self.columns.stamp.get(at) == Some(&row.stamp)).then_some(at)
    }

    /// The row in a slot.
    pub(crate) fn row_at(&self, slot: usize) -> RowId {
        self.row_id(slot as u32)
    }

    /// The rows that exist, in no particular order.
    pub fn rows(&self) -> impl Iterator<Item = RowId> + '_ {
        self.live.iter().map(|slot| self.row_id(slot as u32))
    }

    /// The rows that went since the last look.
    pub fn gone(&self) -> impl Iterator<Item = RowId> + '_ {
        self.gone.iter().map(|slot| self.row_id(*slot))
    }

    /// Does the offer of this row still exist?
    pub fn exists(&self, row: RowId) -> bool {
        self.slot(row).is_some_and(|at| self.live.has(at))
    }

    /// The offer of a row, exactly as it was inserted (or gone rows', until the next look).
    pub fn offer(&self, row: RowId) -> Option<Offer> {
        let cells = self.columns.row(self.slot(row)?)?;
        let (key, launch) = self.arena.get(cells.text);
        self.dictionaries.decode(&cells, key, launch)
    }

    /// The id by which people and scripts name the row: `vast:12345-1`.
    pub fn id(&self, row: RowId) -> Option<String> {
        let at = self.slot(row)?;
        let name = provider(*self.columns.provider.get(at)?).name();
        Some(format!("{name}:{}", self.arena.get(*self.columns.text.get(at)?).0))
    }

    /// The key of a slot, without the provider.
    pub(crate) fn key(&self, slot: usize) -> &str {
        self.columns.text.get(slot).map_or("", |t| self.arena.get(*t).0)
    }

    /// Is `name` the key or the launch id of a slot?
    pub(crate) fn is_called(&self, slot: usize, name: &str) -> bool {
        self.columns.text.get(slot).is_some_and(|at| {
            let (key, launch) = self.arena.letters(*at);
            key == name.as_bytes() || launch == name.as_bytes()
        })
    }

    /// The first letters of a slot's key, as a number that sorts like them.
    pub(crate) fn first_letters(&self, slot: usize) -> u64 {
        let key = self.columns.text.get(slot).map_or(&[] as &[u8], |at| self.arena.letters(*at).0);
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(key).for_each(|(cell, byte)| *cell = *byte);
        u64::from_be_bytes(bytes)
    }

    /// The launch id of a slot.
    pub(crate) fn launch_id(&self, slot: usize) -> &str {
        self.columns.text.get(slot).map_or("", |t| self.arena.get(*t).1)
    }

    /// The row of an offer by its id (`vast:12345-1`), by provider and launch id, or by either
    /// without the provider where only one provider has it.
    pub fn find(&self, id: &str) -> Option<RowId> {
        let id = id.trim();
        if let Some((name, key)) = id.split_once(':')
            && let Some(provider) = Provider::from_name(name)
        {
            return self.find_at(provider, key);
        }
        let mut found = Provider::ALL.into_iter().filter_map(|p| self.find_at(p, id));
        let first = found.next();
        if found.next().is_some() { None } else { first }
    }

    fn find_at(&self, provider: Provider, key: &str) -> Option<RowId> {
        let code = provider_code(provider);
        let hash = self.index.hash(code, key);
        let by_key = self.index.find(hash, |slot| self.is(slot, code, key));
        let launched = || {
            let mut rows = self.slots_of(code).filter(|s| self.launch_id(*s as usize) == key);
            let first = rows.next();
            if rows.next().is_some() { None } else { first }
        };
        by_key.or_else(launched).map(|slot| self.row_id(slot))
    }

    /// What happened to the row since the last look.
    pub fn mark(&self, row: RowId) -> Mark {
        let code = self.slot(row).and_then(|at| self.columns.mark.get(at).copied());
        code.map_or(Mark::Gone, Mark::from_code)
    }

    /// What a re-priced row cost at the last look.
    pub fn price_before(&self, row: RowId) -> Option<Price> {
        self.slot(row).and_then(|at| self.before.get(&(at as u32)).copied())
    }

    /// All hardware classes that were ever seen; [`Table::class_code`] numbers them.
    pub fn classes(&self) -> &[HardwareClass] {
        self.dictionaries.classes()
    }

    /// The number of the row's hardware class.
    pub fn class_code(&self, row: RowId) -> Option<usize> {
        self.columns.class.get(self.slot(row)?).map(|c| *c as usize)
    }

    /// Bytes held by all columns, texts, dictionaries and indices.
    pub fn bytes(&self) -> usize {
        self.columns.bytes()
            + self.dictionaries.bytes()
            + self.arena.bytes()
            + self.index.bytes()
            + self.live.words().len() * 8
            + (self.spare.capacity() + self.gone.capacity() + self.log.capacity()) * 4
            + self.before.capacity() * (size_of::<(u32, Price)>() + 1)
            + self.past.capacity() * (size_of::<(u32, Vec<u8>)>() + 1)
            + self.past.values().map(|p| p.capacity() * size_of::<(i64, Price)>()).sum::<usize>()
    }

    pub(crate) fn columns(&self) -> &Columns {
        &self.columns
    }

    pub(crate) fn dictionaries(&self) -> &Dictionaries {
        &self.dictionaries
    }

    /// The slots that hold an offer that exists.
    pub(crate) fn live(&self) -> &Bits {
        &self.live
    }

    /// Slots, with those that hold nothing.
    pub(crate) fn slots(&self) -> usize {
        self.columns.text.len()
    }
}

/// The prices of a row.
fn price(row: &Row) -> Price {
    Price {
        on_demand: option(row.on_demand).map(UsdPerHour::new),
        spot: option(row.spot).map(UsdPerHour::new),
    }
}

#[cfg(test)]
mod tests;
