//! The market as it is shown: filtered, priced for the setup, in order.
//!
//! [`View::refresh`] brings it up to date and does only what changed: another query filters again
//! but prices nothing, another order sorts again but filters nothing, new rows are priced alone.

mod filter;
mod lines;
mod order;
mod pricing;
mod scale;

pub use filter::Excluded;

use super::eval::{Frame, is_priced};
use super::query::{Field, Query};
use super::sort::{SortBy, SortKey};
use super::table::{RowId, Table};
use crate::estimate::bill::RowQuote;
use crate::estimate::class::ClassEstimate;
use crate::estimate::quote::PriceKind;
use crate::setup::Setup;
use crate::units::UnixSeconds;
use filter::Filter;
use order::Order;
use pricing::{Plane, Pricings};

/// What a view is asked to show.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The job; its `pricing` says which prices are rows.
    pub setup: &'a Setup,
    /// The query.
    pub query: &'a Query,
    /// The order; empty is [`SortKey::DEFAULT`].
    pub sort: &'a [SortKey],
    /// The present, for ages.
    pub now: UnixSeconds,
}

/// One line of the view: an offer at one of its two prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewRow {
    /// The offer.
    pub row: RowId,
    /// At which price.
    pub kind: PriceKind,
}

/// Windows that end above this rank are found without pricing every row.
const NEAR_TOP: usize = if cfg!(test) { 40 } else { 4096 };
/// Rows priced in one go when there is nothing else to do.
const SLICE: usize = if cfg!(test) { 100 } else { 1 << 13 };

/// Must every row be priced to answer this?
fn needs_all(ask: &Ask<'_>) -> bool {
    let mut asked = false;
    for condition in ask.query.conditions() {
        condition.visit(&mut |field| asked |= is_priced(field));
    }
    // The default order has a bound, and so has the total alone.
    let bounded = ask.sort.is_empty() || ask.sort == SortKey::DEFAULT;
    let total = SortKey::ascending(Field::Total);
    let by_total = ask.sort == [total];
    let sorted = |key: &SortKey| matches!(key.by, SortBy::Field(field) if is_priced(field));
    asked || (!bounded && !by_total && ask.sort.iter().any(sorted))
}

/// The ordered window on the market.
#[derive(Debug, Default)]
pub struct View {
    pricings: Option<Pricings>,
    /// The table's revision that everything is up to date with.
    revision: u64,
    filter: Filter,
    order: Order,
    now: UnixSeconds,
}

impl View {
    /// A view of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Brings the view up to date. Returns whether anything may have changed.
    pub fn refresh(&mut self, table: &Table, ask: &Ask<'_>) -> bool {
        let priced = self.reprice(table, ask.setup);
        self.now = ask.now;
        let Some(pricings) = &mut self.pricings else { return false };
        if needs_all(ask) && !pricings.is_whole(table) {
            pricings.price(table, usize::MAX);
        }
        let filtered = self.filter.refresh(table, pricings, ask, &priced);
        let sort = if ask.sort.is_empty() { &SortKey::DEFAULT } else { ask.sort };
        let repriced = !matches!(priced, Changed::Nothing);
        let ordered = self.order.ask(sort, filtered, repriced);
        self.revision = table.revision();
        filtered || repriced || ordered
    }

    fn reprice(&mut self, table: &Table, setup: &Setup) -> Changed {
        let same_setup = self.pricings.as_ref().is_some_and(|p| p.setup == *setup);
        if !same_setup {
            self.pricings = Some(Pricings::new(setup, self.pricings.take()));
        }
        let Some(pricings) = &mut self.pricings else { return Changed::Nothing };
        pricings.estimate(table);
        let same_rows = self.revision == table.revision();
        match (same_setup, same_rows) {
            (true, true) => return Changed::Nothing,
            (true, false) => pricings.rows_changed(table, table.changed_since(self.revision)),
            (false, _) => {}
        }
        if same_rows { Changed::Setup } else { Changed::Rows }
    }

    /// Lines shown.
    pub fn shown(&self) -> usize {
        self.filter.shown()
    }

    /// Lines that exist, shown or not.
    pub fn total(&self) -> usize {
        self.filter.total()
    }

    /// Why the others are not shown; the counts sum up to `total() - shown()`.
    pub fn excluded(&self) -> &[Excluded] {
        self.filter.excluded()
    }

    /// The lines from `offset`, at most `len`, in order.
    pub fn window(&mut self, table: &Table, offset: usize, len: usize) -> &[ViewRow] {
        let Some(pricings) = &mut self.pricings else { return &[] };
        // Far from the top there is nothing that a bound could leave out.
        if offset.saturating_add(len) > NEAR_TOP && !pricings.is_whole(table) {
            pricings.price(table, usize::MAX);
        }
        let frames = frames(table, pricings, self.now);
        self.order.window(&frames, &self.filter, offset, len)
    }

    /// Does a little of the work that later calls would otherwise do: prices rows whose figures
    /// were not needed yet, and puts lines in order that may be scrolled to. For when there is
    /// nothing else to do; tells whether there may be more of it.
    pub fn prepare(&mut self, table: &Table) -> bool {
        let Some(pricings) = &mut self.pricings else { return false };
        if self.revision != table.revision() {
            return false;
        }
        if !pricings.is_whole(table) {
            pricings.price(table, SLICE);
            return true;
        }
        let frames = frames(table, pricings, self.now);
        self.order.prepare(&frames, &self.filter)
    }

    /// Where a line stands; `None` when it is not shown.
    pub fn position_of(&self, table: &Table, row: RowId, kind: PriceKind) -> Option<usize> {
        let pricings = self.pricings.as_ref()?;
        let frames = frames(table, pricings, self.now);
        let plane = pricings.planes.iter().position(|p| p.kind == kind)?;
        let slot = table.slot(row)?;
        if !self.filter.is_shown(plane, slot) {
            return None;
        }
        Some(self.order.position(&frames, &self.filter, plane, slot))
    }

    /// Fit and speed of a row's hardware class, for the setup of the last refresh.
    pub fn class_estimate(&self, table: &Table, row: RowId) -> Option<&ClassEstimate> {
        self.pricings.as_ref()?.classes.get(table.class_code(row)?)
    }

    /// Hours and dollars of a line, for the setup of the last refresh.
    pub fn row_quote(&self, table: &Table, row: RowId, kind: PriceKind) -> Option<RowQuote> {
        let pricings = self.pricings.as_ref()?;
        pricing::quote(&pricings.job, &pricings.classes, table, table.slot(row)?, kind)
    }

    pub(crate) fn pricings(&self) -> Option<&Pricings> {
        self.pricings.as_ref()
    }

    pub(crate) fn filter(&self) -> &Filter {
        &self.filter
    }

    pub(crate) fn now(&self) -> UnixSeconds {
        self.now
    }

    /// The setup that the figures are for.
    pub fn setup(&self) -> Option<&Setup> {
        self.pricings.as_ref().map(|p| &p.setup)
    }

    /// The prices that are rows: one kind, or both.
    pub fn kinds(&self) -> impl Iterator<Item = PriceKind> + '_ {
        self.pricings.iter().flat_map(|p| p.planes.iter().map(|plane| plane.kind))
    }
}

/// What a refresh has priced again.
#[derive(Debug)]
pub(crate) enum Changed {
    Nothing,
    /// Rows, and perhaps the setup too.
    Rows,
    /// The setup alone.
    Setup,
}

pub(crate) fn frame<'a>(
    table: &'a Table,
    pricings: &'a Pricings,
    plane: &'a Plane,
    now: UnixSeconds,
) -> Frame<'a> {
    Frame {
        table,
        classes: &pricings.classes,
        kind: plane.kind,
        priced: pricings.priced(table, plane),
        disk: pricings.job.disk_needed.max(pricings.job.disk).get(),
        now,
    }
}

fn frames<'a>(table: &'a Table, pricings: &'a Pricings, now: UnixSeconds) -> Vec<Frame<'a>> {
    pricings.planes.iter().map(|plane| frame(table, pricings, plane, now)).collect()
}

#[cfg(test)]
mod tests;
