//! The market as providers fill it: which rows stay, which go, and what the lights say.
//!
//! A refresh replaces a provider's rows only when it succeeds: where rows of an earlier answer of this
//! run are shown, new ones wait until their answer is whole, and go when it breaks off. One that
//! brings nothing, or less than half of what an earlier answer of this run or of the last day held,
//! leaves the old rows beside the new ones.

use super::status::{Light, RowsFrom, Status};
use crate::market::Table;
use crate::offer::{Offer, Provider, Text};
use crate::provider::{FetchError, Progress, Report, Update};
use crate::snapshot::{Head, ProviderState, Snapshot};
use crate::units::UnixSeconds;
use std::collections::BTreeMap;

/// Saved rows younger than this are not given up for an answer of less than half as many.
const RECENT_SECONDS: i64 = 24 * 3600;
/// The generation of rows that were saved earlier; fetches count from the next one.
const SAVED: u64 = 0;
/// Offers that one refresh may bring; whoever sends more is broken or means harm.
const MOST_ROWS: usize = 1_000_000;

/// All offers, and how each provider fares.
#[derive(Debug, Default)]
pub struct Stock {
    table: Table,
    statuses: Vec<Status>,
    generation: u64,
    remarks: Vec<String>,
    /// Rows of answers that are not whole yet.
    waiting: BTreeMap<Provider, Vec<Offer>>,
}

impl Stock {
    /// An empty market of providers that nobody has asked yet.
    pub fn new() -> Self {
        Self {
            table: Table::new(),
            statuses: Provider::ALL.map(Status::new).to_vec(),
            generation: SAVED,
            remarks: Vec::new(),
            waiting: BTreeMap::new(),
        }
    }

    /// Adds a line that the user should read: a file that was put aside.
    pub fn remark(&mut self, line: String) {
        self.remarks.push(line);
    }

    /// The lines that the user should read.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The offers.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The offers, to be changed.
    pub fn table_mut(&mut self) -> &mut Table {
        &mut self.table
    }

    /// How each provider fares, in the order of [`Provider::ALL`].
    pub fn statuses(&self) -> &[Status] {
        &self.statuses
    }

    /// The offers, and how each provider fares.
    pub fn into_parts(self) -> (Table, Vec<Status>) {
        (self.table, self.statuses)
    }

    /// Is any fetch under way?
    pub fn is_busy(&self) -> bool {
        self.statuses.iter().any(|s| s.light.is_busy())
    }

    /// Takes in what a snapshot says about its providers, before its rows.
    pub fn load_head(&mut self, head: &Head, from: RowsFrom) {
        for state in &head.providers {
            let Some(status) = self.status_mut(state.provider) else { continue };
            if state.rows == 0 {
                continue;
            }
            status.from = from;
            status.as_of = state.fetched_at.or(Some(head.at));
            status.report = Some(Report {
                rows: state.rows,
                coverage: state.coverage,
                coverage_note: state.coverage_note.as_ref().map(ToString::to_string),
                ..Report::default()
            });
        }
    }

    /// Takes in rows of a snapshot. Rows that a provider has sent in this run win over them.
    pub fn load_rows(&mut self, offers: &[Offer]) {
        let asked = |offer: &Offer| {
            self.statuses.iter().any(|s| s.provider == offer.provider && s.from == RowsFrom::Asked)
        };
        if offers.iter().any(asked) {
            let kept: Vec<Offer> = offers.iter().filter(|o| !asked(o)).cloned().collect();
            self.insert(SAVED, &kept);
        } else {
            self.insert(SAVED, offers);
        }
    }

    /// Inserts rows and keeps the counts true, without counting a million rows for each page.
    fn insert(&mut self, generation: u64, offers: &[Offer]) {
        let before = self.table.len();
        self.table.insert(generation, offers);
        if self.table.len() - before != offers.len() {
            self.count();
            return;
        }
        for status in &mut self.statuses {
            status.rows += offers.iter().filter(|o| o.provider == status.provider).count();
        }
    }

    /// Takes in a whole snapshot.
    pub fn load(&mut self, snapshot: &Snapshot, from: RowsFrom) {
        self.load_head(&snapshot.head, from);
        self.load_rows(&snapshot.offers);
        self.load_end(&snapshot.head, from);
    }

    /// Ends the taking in of a snapshot, after its rows.
    pub fn load_end(&mut self, head: &Head, from: RowsFrom) {
        for status in &mut self.statuses {
            if status.rows > 0 && status.from == RowsFrom::Nowhere {
                status.from = from;
                status.as_of = Some(head.at);
            }
        }
        self.table.shrink();
    }

    /// Begins a fetch: the number that its updates will carry.
    pub fn begin(&mut self, provider: Provider) -> u64 {
        self.generation += 1;
        let generation = self.generation;
        self.waiting.remove(&provider);
        if let Some(status) = self.status_mut(provider) {
            status.light = Light::Waiting;
            status.generation = generation;
            status.progress = Progress::default();
        }
        generation
    }

    /// Takes in what a provider says. Words of fetches that have been superseded are not heard.
    pub fn apply(&mut self, update: Update, now: UnixSeconds) {
        let (provider, generation) = match &update {
            Update::Rows { provider, generation, .. }
            | Update::Progress { provider, generation, .. }
            | Update::Finished { provider, generation, .. } => (*provider, *generation),
        };
        let Some(status) = self.status_mut(provider) else { return };
        if generation != status.generation {
            return;
        }
        match update {
            Update::Rows { offers, .. } => {
                if status.progress.rows + offers.len() > MOST_ROWS {
                    // The rest of what it says is not heard any more.
                    status.generation = SAVED;
                    self.fail(provider, FetchError::TooManyRows(MOST_ROWS));
                    return;
                }
                status.light = Light::Fetching;
                status.progress.rows += offers.len();
                if status.from == RowsFrom::Asked && status.rows > 0 {
                    self.waiting.entry(provider).or_default().extend(offers);
                } else {
                    self.insert(generation, &offers);
                }
            }
            Update::Progress { progress, .. } => {
                status.light = Light::Fetching;
                let rows = status.progress.rows.max(progress.rows);
                status.progress = Progress { rows, ..progress };
            }
            Update::Finished { outcome: Ok(report), .. } => {
                self.finish(provider, generation, report, now);
            }
            Update::Finished { outcome: Err(error), .. } => self.fail(provider, error),
        }
    }

    /// A fetch that went well.
    fn finish(&mut self, provider: Provider, generation: u64, report: Report, now: UnixSeconds) {
        if let Some(offers) = self.waiting.remove(&provider) {
            self.insert(generation, &offers);
        }
        let census = self.table.census(provider, generation);
        let Some(status) = self.status_mut(provider) else { return };
        status.progress.waiting_until = None;
        status.note = None;
        if report.unchanged {
            status.light = Light::Done;
            status.as_of = Some(now);
            status.error = None;
            return;
        }
        let recent = match status.from {
            RowsFrom::Asked => true,
            RowsFrom::Saved => status.age(now).is_some_and(|age| age < RECENT_SECONDS),
            RowsFrom::Nowhere | RowsFrom::Embedded => false,
        };
        let too_few = census.fresh == 0 || (recent && census.fresh < census.old / 2);
        if too_few && census.old > 0 {
            let (old, fresh) = (census.old, census.fresh);
            status.note = Some(match fresh {
                0 => format!("the refresh brought no offers; kept {old} rows"),
                _ => format!("the refresh brought only {fresh} offers; kept {old} older rows"),
            });
            status.light = Light::Stale;
            status.error = None;
            return;
        }
        status.light = Light::Done;
        status.from = RowsFrom::Asked;
        status.as_of = Some(now);
        status.report = Some(report);
        status.error = None;
        self.table.finish(provider, generation);
        self.count();
    }

    /// A fetch that failed: the rows stay.
    fn fail(&mut self, provider: Provider, error: FetchError) {
        self.waiting.remove(&provider);
        let Some(status) = self.status_mut(provider) else { return };
        status.progress.waiting_until = None;
        status.light = match (&error, status.rows) {
            (FetchError::NeedsKey(_), _) => Light::NeedsKey,
            (_, 0) => Light::Failed,
            _ => Light::Stale,
        };
        if status.from == RowsFrom::Nowhere && status.rows > 0 {
            status.from = RowsFrom::Asked;
        }
        status.error = Some(error);
    }

    /// Counts each provider's rows anew.
    fn count(&mut self) {
        for status in &mut self.statuses {
            let census = self.table.census(status.provider, SAVED);
            status.rows = census.fresh + census.old;
        }
    }

    fn status_mut(&mut self, provider: Provider) -> Option<&mut Status> {
        self.statuses.iter_mut().find(|s| s.provider == provider)
    }

    /// The market as it is, to be written down. `note` says what it is, in words.
    pub fn snapshot(&self, now: UnixSeconds, note: &str) -> Snapshot {
        let providers = self.statuses.iter().map(|s| ProviderState {
            provider: s.provider,
            rows: s.rows,
            fetched_at: s.as_of,
            coverage: s.report.as_ref().and_then(|r| r.coverage),
            coverage_note: s
                .report
                .as_ref()
                .and_then(|r| r.coverage_note.as_deref())
                .map(Text::new),
            error: s.error.as_ref().map(|e| Text::new(&e.to_string())),
        });
        let head = Head { at: now, note: Text::new(note), providers: providers.collect() };
        let offers = self.table.rows().filter_map(|row| self.table.offer(row)).collect();
        Snapshot { head, offers }
    }

    /// Has any provider answered in this run?
    pub fn has_live_rows(&self) -> bool {
        self.statuses.iter().any(|s| s.from == RowsFrom::Asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::market::synthetic as samples;

    const NOW: UnixSeconds = UnixSeconds(1_800_000_000);

    fn offers(count: usize) -> Vec<Offer> {
        let mut offers = samples::market(count, 7);
        for (at, offer) in offers.iter_mut().enumerate() {
            offer.provider = Provider::Vast;
            offer.key = Text::new(&format!("{at}-1"));
        }
        offers
    }

    fn rows(stock: &mut Stock, generation: u64, offers: Vec<Offer>) {
        stock.apply(Update::Rows { provider: Provider::Vast, generation, offers }, NOW);
    }

    fn end(stock: &mut Stock, generation: u64, outcome: Result<Report, FetchError>) {
        stock.apply(Update::Finished { provider: Provider::Vast, generation, outcome }, NOW);
    }

    fn vast(stock: &Stock) -> &Status {
        stock.statuses().iter().find(|s| s.provider == Provider::Vast).unwrap()
    }

    fn with_saved(count: usize) -> Stock {
        let mut stock = Stock::new();
        let providers =
            vec![ProviderState { provider: Provider::Vast, rows: count, ..vast_state() }];
        let head = Head { at: UnixSeconds(1_700_000_000), note: Text::new("test"), providers };
        stock.load(&Snapshot { head, offers: offers(count) }, RowsFrom::Saved);
        stock
    }

    fn vast_state() -> ProviderState {
        ProviderState {
            provider: Provider::Vast,
            rows: 0,
            fetched_at: None,
            coverage: None,
            coverage_note: None,
            error: None,
        }
    }

    #[test]
    fn live_rows_replace_saved_ones() {
        let mut stock = with_saved(40);
        assert_eq!((vast(&stock).rows, vast(&stock).from), (40, RowsFrom::Saved));
        let generation = stock.begin(Provider::Vast);
        rows(&mut stock, generation, offers(10));
        end(&mut stock, generation, Ok(Report::default()));
        assert_eq!((vast(&stock).rows, vast(&stock).from), (10, RowsFrom::Asked));
        assert_eq!(vast(&stock).light, Light::Done);
    }

    #[test]
    fn a_refresh_that_brings_nothing_keeps_the_old_rows_and_says_so() {
        let mut stock = with_saved(40);
        let generation = stock.begin(Provider::Vast);
        end(&mut stock, generation, Ok(Report::default()));
        assert_eq!(vast(&stock).rows, 40);
        assert_eq!(vast(&stock).light, Light::Stale);
        assert!(
            vast(&stock).line(NOW).contains("no offers; kept 40"),
            "{}",
            vast(&stock).line(NOW)
        );
    }

    #[test]
    fn a_refresh_that_brings_less_than_half_keeps_the_old_rows() {
        let mut stock = Stock::new();
        let first = stock.begin(Provider::Vast);
        rows(&mut stock, first, offers(40));
        end(&mut stock, first, Ok(Report::default()));
        let second = stock.begin(Provider::Vast);
        rows(&mut stock, second, offers(5));
        end(&mut stock, second, Ok(Report::default()));
        assert_eq!(vast(&stock).rows, 40);
        let third = stock.begin(Provider::Vast);
        rows(&mut stock, third, offers(30));
        end(&mut stock, third, Ok(Report::default()));
        assert_eq!(vast(&stock).rows, 30);
    }

    #[test]
    fn rows_saved_within_a_day_are_not_given_up_for_a_few() {
        for (hours, kept) in [(23, 40), (25, 5)] {
            let mut stock = with_saved(40);
            let now = UnixSeconds(1_700_000_000 + hours * 3600);
            let generation = stock.begin(Provider::Vast);
            let some = Update::Rows { provider: Provider::Vast, generation, offers: offers(5) };
            stock.apply(some, now);
            let outcome = Ok(Report::default());
            stock.apply(Update::Finished { provider: Provider::Vast, generation, outcome }, now);
            assert_eq!(vast(&stock).rows, kept, "after {hours} h");
            assert_eq!(vast(&stock).line(now).contains("brought only 5"), kept == 40);
        }
    }

    #[test]
    fn a_provider_that_fails_in_the_middle_keeps_all_its_rows() {
        let mut stock = with_saved(40);
        let generation = stock.begin(Provider::Vast);
        rows(&mut stock, generation, offers(3));
        end(&mut stock, generation, Err(FetchError::Timeout(5)));
        assert_eq!(vast(&stock).rows, 40);
        assert_eq!(vast(&stock).light, Light::Stale);
    }

    #[test]
    fn an_answer_that_breaks_off_changes_no_row_of_the_last_whole_one() {
        let mut stock = Stock::new();
        let first = stock.begin(Provider::Vast);
        rows(&mut stock, first, offers(40));
        end(&mut stock, first, Ok(Report::default()));
        let before = stock.snapshot(NOW, "").offers;
        let dearer = |mut offers: Vec<Offer>| {
            for offer in &mut offers {
                offer.price.on_demand = offer.price.on_demand.map(|p| p * 2.0);
            }
            offers
        };
        let second = stock.begin(Provider::Vast);
        rows(&mut stock, second, dearer(offers(30)));
        assert_eq!(vast(&stock).progress.rows, 30);
        end(&mut stock, second, Err(FetchError::Timeout(5)));
        assert_eq!(stock.snapshot(NOW, "").offers, before);
        let third = stock.begin(Provider::Vast);
        rows(&mut stock, third, dearer(offers(40)));
        end(&mut stock, third, Ok(Report::default()));
        assert_eq!(stock.snapshot(NOW, "").offers, dearer(before));
    }

    #[test]
    fn a_provider_without_end_is_cut_off_and_the_old_rows_stay() {
        let mut stock = with_saved(40);
        let generation = stock.begin(Provider::Vast);
        rows(&mut stock, generation, offers(10));
        if let Some(status) = stock.status_mut(Provider::Vast) {
            status.progress.rows = MOST_ROWS - 4;
        }
        rows(&mut stock, generation, offers(5));
        assert_eq!(vast(&stock).error, Some(FetchError::TooManyRows(MOST_ROWS)));
        let before = vast(&stock).rows;
        rows(&mut stock, generation, offers(50));
        end(&mut stock, generation, Ok(Report::default()));
        assert_eq!((vast(&stock).rows, vast(&stock).light), (before, Light::Stale));
    }

    #[test]
    fn words_of_a_superseded_fetch_are_not_heard() {
        let mut stock = Stock::new();
        let first = stock.begin(Provider::Vast);
        let second = stock.begin(Provider::Vast);
        rows(&mut stock, first, offers(9));
        end(&mut stock, first, Err(FetchError::Empty));
        assert_eq!(vast(&stock).light, Light::Waiting);
        rows(&mut stock, second, offers(2));
        assert_eq!(vast(&stock).rows, 2);
    }

    #[test]
    fn a_snapshot_holds_what_the_table_holds() {
        let stock = with_saved(12);
        let snapshot = stock.snapshot(NOW, "test");
        assert_eq!(snapshot.offers.len(), 12);
        assert_eq!(snapshot.head.providers[0].rows, 12);
    }
}
