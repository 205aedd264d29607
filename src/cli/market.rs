//! The market of one command: rows, view, how each provider fared.

use super::args::Global;
use super::failure::{Failure, Reason};
use crate::estimate::HardwareClass;
use crate::estimate::advice::Counsel;
use crate::estimate::bill::{self, RowFacts};
use crate::estimate::class::{self, ClassEstimate};
use crate::estimate::fit::{Advice, Verdict};
use crate::estimate::quote::{PriceKind, Quote};
use crate::estimate::scaling::Count;
use crate::export::document::{ListDocument, OfferDocument, ProviderDocument};
use crate::gpu;
use crate::market::kin::{self, Elsewhere};
use crate::market::{Ask, COLUMNS, Column, Field, Query, SortKey, Table, View, ViewRow, asked_for};
use crate::offer::Offer;
use crate::session::{Light, RowsFrom, Status};
use crate::setup::{Hosted, Pricing, Setup};
use crate::units::{Hours, UnixSeconds, Usd};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

/// A market that has been loaded, and the view on it.
#[derive(Debug)]
pub(super) struct Market {
    pub(super) table: Table,
    pub(super) statuses: Vec<Status>,
    pub(super) now: UnixSeconds,
    view: View,
    /// What a table of the last answer shows.
    pub(super) columns: Vec<&'static Column>,
    /// Which prices the last question was about.
    pub(super) pricing: Pricing,
    /// By hardware class, for the setup of the last question: finding it takes longer than a fit.
    counsel: RefCell<HashMap<usize, Counsel>>,
}

/// One offer with everything that was estimated for it.
#[derive(Debug)]
pub(super) struct Quoted {
    pub(super) offer: Offer,
    pub(super) class: ClassEstimate,
    pub(super) advice: Vec<Advice>,
    pub(super) quote: Quote,
}

impl Market {
    /// A market of `table`, in which the providers fared as `statuses` say.
    pub(super) fn new(table: Table, statuses: Vec<Status>, now: UnixSeconds) -> Self {
        Self {
            table,
            statuses,
            now,
            view: View::new(),
            columns: Vec::new(),
            pricing: Pricing::Both,
            counsel: RefCell::default(),
        }
    }

    /// Applies a query and an order.
    pub(super) fn ask(&mut self, setup: &Setup, query: &Query, sort: &[SortKey]) {
        self.counsel.borrow_mut().clear();
        let usual: Vec<&Column> = COLUMNS.iter().filter(|c| c.default).collect();
        self.columns = asked_for(&usual, setup, query, sort);
        self.columns.extend(Column::of(Field::Id));
        self.pricing = setup.pricing;
        self.view.refresh(&self.table, &Ask { setup, query, sort, now: self.now });
    }

    /// The first `limit` lines in order.
    pub(super) fn lines(&mut self, limit: usize) -> Vec<ViewRow> {
        self.view.window(&self.table, 0, limit).to_vec()
    }

    /// The view of the last question.
    pub(super) fn view(&mut self) -> (&mut View, &Table) {
        (&mut self.view, &self.table)
    }

    /// Lines shown, and lines that exist.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.view.shown(), self.view.total())
    }

    /// Does the job of a line fit?
    pub(super) fn verdict(&self, line: ViewRow) -> Option<Verdict> {
        Some(self.view.class_estimate(&self.table, line.row)?.fit.verdict)
    }

    /// An offer at one of its prices, estimated and explained.
    pub(super) fn quoted(&self, setup: &Setup, line: ViewRow) -> Option<Quoted> {
        let offer = self.table.offer(line.row)?;
        let class = self.view.class_estimate(&self.table, line.row).cloned();
        let class = class.unwrap_or_else(|| class::estimate(setup, &(&offer.hardware).into()));
        let quote = bill::explain(setup, &offer, &class, line.kind, self.now);
        let advice = self.advice(setup, &offer, line);
        Some(Quoted { offer, class, advice, quote })
    }

    fn advice(&self, setup: &Setup, offer: &Offer, line: ViewRow) -> Vec<Advice> {
        let hardware = HardwareClass::from(&offer.hardware);
        let Some(card) = hardware.gpu.and_then(|id| gpu::catalogue().get(id)) else {
            return Vec::new();
        };
        let find = || Counsel::of(setup, card, &hardware);
        let on = |c: &Counsel| c.on(&RowFacts::from(offer), offer.hardware.gpus, line.kind);
        match self.table.class_code(line.row) {
            Some(class) => on(self.counsel.borrow_mut().entry(class).or_insert_with(find)),
            None => on(&find()),
        }
    }

    /// The document of these lines.
    pub(super) fn document(&self, query: &Query, setup: &Setup, lines: &[ViewRow]) -> ListDocument {
        let mut document = ListDocument::new(self.now, query.to_string(), setup);
        document.offers =
            lines.iter().filter_map(|line| Some(self.quoted(setup, *line)?.document())).collect();
        document.providers = self.statuses.iter().map(|s| provider(s, self.now)).collect();
        document.shown = document.offers.len();
        document.total = self.view.total();
        document.excluded = self.excluded(document.shown);
        document
    }

    /// Why lines are not among the `printed`; the counts sum up to all others.
    pub(super) fn excluded(&self, printed: usize) -> BTreeMap<String, usize> {
        let mut excluded = BTreeMap::new();
        for hidden in self.view.excluded() {
            *excluded.entry(hidden.reason.clone()).or_insert(0) += hidden.count;
        }
        let beyond = self.view.shown().saturating_sub(printed);
        if beyond > 0 {
            excluded.insert("beyond the limit".to_owned(), beyond);
        }
        excluded
    }

    /// Under `--strict`: which providers are missing or stale.
    pub(super) fn strict(&self, global: &Global) -> Result<(), Failure> {
        if !global.strict {
            return Ok(());
        }
        let limit = global.max_age.map(Hours::seconds);
        let missing: Vec<String> = self
            .statuses
            .iter()
            .filter(|s| !is_whole(s, limit, self.now))
            .map(|s| format!("{}: {}", s.provider.name(), s.line(self.now)))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Failure::new(Reason::Partial, format!("partial data; {}", missing.join(" · "))))
    }
}

impl Market {
    /// The job on 1, 2, 4 and 8 GPUs of the kind of `offer`, and the offer that each is made of:
    /// same card, provider and place.
    pub(super) fn scaling(
        &self,
        setup: &Setup,
        offer: &Offer,
        kind: PriceKind,
    ) -> Vec<(Count, Option<String>)> {
        let found = kin::scaling(&self.table, setup, offer, kind).into_iter();
        found.map(|(count, row)| (count, row.and_then(|row| self.table.id(row)))).collect()
    }

    /// The same hardware at every place, cheapest job first.
    pub(super) fn elsewhere(&self, line: ViewRow) -> Vec<Elsewhere> {
        self.view.elsewhere(&self.table, line)
    }

    /// Which of our figures the user has replaced, in the last question.
    pub(super) fn what_if(&self) -> Option<String> {
        self.view.setup().and_then(Setup::what_if)
    }

    /// What a hosted service would take, in the last question.
    pub(super) fn hosted(&self) -> Option<(Hosted, Usd)> {
        self.view.setup().and_then(Setup::hosted)
    }
}

/// Everything that this provider has is here, and young enough.
fn is_whole(status: &Status, limit: Option<f64>, now: UnixSeconds) -> bool {
    let asked_for = match status.light {
        Light::Done => true,
        // Offline, saved rows are all that is asked for.
        Light::Off => status.from != RowsFrom::Nowhere,
        _ => false,
    };
    let age = status.age(now);
    let young = limit.is_none_or(|most| age.is_some_and(|a| a as f64 <= most));
    asked_for && young
}

/// How a provider fared, as scripts see it.
pub(super) fn provider(status: &Status, now: UnixSeconds) -> ProviderDocument {
    ProviderDocument {
        name: status.provider.name(),
        status: status.light.word().to_owned(),
        rows: status.rows,
        age_seconds: status.age(now),
        coverage: status.report.as_ref().and_then(|r| r.coverage),
        error: status.error.as_ref().map(ToString::to_string),
    }
}

impl Quoted {
    /// As scripts see it.
    pub(super) fn document(&self) -> OfferDocument {
        OfferDocument::new(&self.offer, &self.class.fit, &self.advice, &self.quote)
    }
}

/// The query of the command line: its words, and `--max-age`.
pub(super) fn query(global: &Global, words: &[String]) -> Result<Query, Failure> {
    let text = words.join(" ");
    let text = match global.max_age {
        None => text,
        Some(age) if text.trim().is_empty() => format!("age<={}s", age.seconds().round()),
        Some(age) => format!("({text}) age<={}s", age.seconds().round()),
    };
    parse(&text)
}

/// A query, or a mistake with its place under it.
pub(super) fn parse(text: &str) -> Result<Query, Failure> {
    Query::parse(text).map_err(|e| {
        let before = text.get(..e.span.start).unwrap_or(text);
        Failure::usage(format!("query: {e}, at character {}", before.chars().count() + 1))
    })
}

/// The sort keys of `--sort`.
pub(super) fn sort(keys: &[String]) -> Result<Vec<SortKey>, Failure> {
    SortKey::parse_list(&keys.join(",")).map_err(|e| Failure::usage(format!("--sort: {e}")))
}

/// The prices that an offer is to be quoted at: those that were asked for, of those it has.
fn price_kinds(setup: &Setup, offer: &Offer) -> Result<Vec<PriceKind>, Failure> {
    let has = |kind: &PriceKind| match kind {
        PriceKind::OnDemand => offer.price.on_demand.is_some(),
        PriceKind::Spot => offer.price.spot.is_some(),
    };
    let asked = match setup.pricing {
        Pricing::OnDemand => vec![PriceKind::OnDemand],
        Pricing::Spot => vec![PriceKind::Spot],
        Pricing::Both => vec![PriceKind::OnDemand, PriceKind::Spot],
    };
    let kinds: Vec<PriceKind> = asked.into_iter().filter(has).collect();
    if kinds.is_empty() {
        let other = if has(&PriceKind::Spot) {
            "only spot; see --pricing spot"
        } else if has(&PriceKind::OnDemand) {
            "only on demand; see --pricing on-demand"
        } else {
            "no price at all"
        };
        return Err(Failure::nothing(format!("{} has {other}", offer.id())));
    }
    Ok(kinds)
}

/// The offer of that id.
pub(super) fn find(market: &Market, setup: &Setup, id: &str) -> Result<(Quoted, ViewRow), Failure> {
    let gone = || Failure::nothing(format!("no offer `{id}` in the market; haggle list shows ids"));
    let row = market.table.find(id).ok_or_else(gone)?;
    let offer = market.table.offer(row).ok_or_else(gone)?;
    // Of two prices, the one with the cheaper job.
    let mut quotes: Vec<(Quoted, ViewRow)> = Vec::new();
    for kind in price_kinds(setup, &offer)? {
        let line = ViewRow { row, kind };
        quotes.extend(market.quoted(setup, line).map(|q| (q, line)));
    }
    let total = |q: &Quoted| q.quote.total.map_or(f64::INFINITY, |t| t.expected.get());
    quotes.into_iter().min_by(|a, b| total(&a.0).total_cmp(&total(&b.0))).ok_or_else(gone)
}
