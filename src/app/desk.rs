//! The market as it lies before the user: offers, what is asked of them, and the answers.
//!
//! Everything is recomputed by [`Desk::refresh`] and read afterwards; nothing here waits.

use super::history::Choice;
use crate::estimate::advice::{Counsel, Limits};
use crate::estimate::bill::{self, RowFacts};
use crate::estimate::fit::{Advice, Fit};
use crate::estimate::quote::{Quote, Speed};
use crate::estimate::{HardwareClass, class};
use crate::gpu;
use crate::market::front::FrontPoint;
use crate::market::why::{self, Why};
use crate::market::{Ask, Excluded, Query, QueryError, SortKey, Table, View, ViewRow};
use crate::model::{self, Model};
use crate::offer::{Offer, Price};
use crate::provider::Update;
use crate::session::{Status, Stock};
use crate::setup::{Draft, Setup, SetupError};
use crate::units::UnixSeconds;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// Everything about one line of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    /// Which line.
    pub line: ViewRow,
    /// The offer's id, as people and scripts name it.
    pub id: String,
    /// The offer.
    pub offer: Offer,
    /// Memory.
    pub fit: Fit,
    /// Tokens per second.
    pub speed: Speed,
    /// Hours and dollars.
    pub quote: Quote,
    /// What would make it fit, or fit better.
    pub advice: Vec<Advice>,
    /// What the card could take at most.
    pub limits: Limits,
    /// When it was first seen, and the prices it had since, each with the last time it was seen so.
    pub history: Option<History>,
}

/// What an offer cost since it was first seen.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// When it was first seen.
    pub first_seen: UnixSeconds,
    /// Earlier prices, the oldest first, each with the last time at which it was seen.
    pub past: Vec<(UnixSeconds, Price)>,
}

/// Offers, query, order, setup.
#[derive(Debug)]
pub struct Desk {
    stock: Stock,
    view: View,
    query_text: String,
    query: Query,
    sort: Vec<SortKey>,
    draft: Draft,
    setup: Setup,
    /// Models that are not built in, by the name they were asked for.
    models: HashMap<String, Arc<Model>>,
    frozen: Option<Vec<Update>>,
    offline: bool,
    /// Advice by hardware class, for the present setup: finding it takes longer than a fit.
    counsel: RefCell<HashMap<usize, Counsel>>,
}

impl Desk {
    /// A desk with the offers of `stock` and with `setup`, made from `draft`.
    pub fn new(stock: Stock, draft: Draft, setup: Setup) -> Self {
        Self {
            stock,
            view: View::new(),
            query_text: String::new(),
            query: Query::default(),
            sort: Vec::new(),
            models: HashMap::from([(draft.model_name().to_string(), setup.model.clone())]),
            draft,
            setup,
            frozen: None,
            offline: false,
            counsel: RefCell::default(),
        }
    }

    /// The offers.
    pub fn table(&self) -> &Table {
        self.stock.table()
    }

    /// The offers, and how each provider fares.
    pub fn stock(&self) -> &Stock {
        &self.stock
    }

    /// The same, to be changed.
    pub fn stock_mut(&mut self) -> &mut Stock {
        &mut self.stock
    }

    /// Other offers, all at once: the saved market, of which only the beginning was here.
    pub fn set_stock(&mut self, stock: Stock) {
        self.stock = stock;
        self.view = View::new();
    }

    /// The ordered window on them.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The query, as it was typed.
    pub fn query_text(&self) -> &str {
        &self.query_text
    }

    /// The query.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// Asks something else; what cannot be read changes nothing.
    pub fn set_query(&mut self, text: &str) -> Result<(), QueryError> {
        self.query = Query::parse(text)?;
        self.query_text = text.trim().to_string();
        Ok(())
    }

    /// The sort keys; empty is the default order.
    pub fn sort(&self) -> &[SortKey] {
        &self.sort
    }

    /// Orders otherwise.
    pub fn set_sort(&mut self, sort: Vec<SortKey>) {
        self.sort = sort;
    }

    /// What the user wrote about the job.
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// The job.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Another job; what cannot run changes nothing.
    pub fn set_draft(&mut self, draft: Draft) -> Result<(), SetupError> {
        let found = match self.models.get(draft.model_name()) {
            Some(model) => model.clone(),
            None => model::find(draft.model_name()).map_err(|e| SetupError {
                field: crate::setup::Field::Model.flag(),
                problem: e.to_string(),
            })?,
        };
        let runs = self.setup.runs.clone();
        self.setup = Setup { runs, ..draft.resolve(found)? };
        self.counsel.borrow_mut().clear();
        self.draft = draft;
        Ok(())
    }

    /// A model that is not built in has been found.
    pub fn add_model(&mut self, name: &str, model: Arc<Model>) {
        self.models.insert(name.to_string(), model);
    }

    /// Is it known what `name` means?
    pub fn knows_model(&self, name: &str) -> bool {
        self.models.contains_key(name) || model::find(name).is_ok()
    }

    /// Query, order and setup together.
    pub fn choice(&self) -> Choice {
        Choice {
            query: self.query_text.clone(),
            sort: self.sort.clone(),
            draft: self.draft.clone(),
        }
    }

    /// Brings everything up to date. Returns whether anything may have changed.
    pub fn refresh(&mut self, now: UnixSeconds) -> bool {
        let ask = Ask { setup: &self.setup, query: &self.query, sort: &self.sort, now };
        self.view.refresh(self.stock.table(), &ask)
    }

    /// Does a little of what later calls would otherwise do; tells whether there may be more of it.
    pub fn prepare(&mut self) -> bool {
        self.view.prepare(self.stock.table())
    }

    /// Lines shown.
    pub fn shown(&self) -> usize {
        self.view.shown()
    }

    /// Lines in all.
    pub fn total(&self) -> usize {
        self.view.total()
    }

    /// Why the others are hidden.
    pub fn excluded(&self) -> &[Excluded] {
        self.view.excluded()
    }

    /// Lines from `offset` on, at most `len`.
    pub fn window(&mut self, offset: usize, len: usize) -> Vec<ViewRow> {
        self.view.window(self.stock.table(), offset, len).to_vec()
    }

    /// Where a line stands, if it is shown.
    pub fn position_of(&mut self, line: ViewRow) -> Option<usize> {
        self.view.position_of(self.stock.table(), line.row, line.kind)
    }

    /// Where the lines shown stand in cost and hours.
    pub fn points(&mut self) -> Vec<FrontPoint> {
        self.view.points(self.stock.table())
    }

    /// Everything about one line.
    pub fn detail(&self, line: ViewRow, now: UnixSeconds) -> Option<Detail> {
        let offer = self.stock.table().offer(line.row)?;
        let id = self.stock.table().id(line.row)?;
        let class = self.view.class_estimate(self.stock.table(), line.row)?;
        let quote = bill::explain(&self.setup, &offer, class, line.kind, now);
        let (fit, speed) = (class.fit.clone(), class.speed.clone());
        let (advice, limits) = self.counsel(&offer, line);
        let history = self.stock.table().history(line.row);
        let history = history.map(|(first_seen, past)| History { first_seen, past: past.to_vec() });
        Some(Detail { line, id, offer, fit, speed, quote, advice, limits, history })
    }

    /// Everything about one line under another setup; the model must be known already.
    pub fn detail_under(&self, line: ViewRow, draft: &Draft, now: UnixSeconds) -> Option<Detail> {
        let offer = self.stock.table().offer(line.row)?;
        let id = self.stock.table().id(line.row)?;
        let found = match self.models.get(draft.model_name()) {
            Some(model) => model.clone(),
            None => model::find(draft.model_name()).ok()?,
        };
        let setup = Setup { runs: self.setup.runs.clone(), ..draft.resolve(found).ok()? };
        let class = class::estimate(&setup, &HardwareClass::from(&offer.hardware));
        let quote = bill::explain(&setup, &offer, &class, line.kind, now);
        let (fit, speed) = (class.fit, class.speed);
        let limits = Limits::default();
        Some(Detail { line, id, offer, fit, speed, quote, advice: vec![], limits, history: None })
    }

    fn counsel(&self, offer: &Offer, line: ViewRow) -> (Vec<Advice>, Limits) {
        let hardware = HardwareClass::from(&offer.hardware);
        let Some(card) = hardware.gpu.and_then(|id| gpu::catalogue().get(id)) else {
            return (Vec::new(), Limits::default());
        };
        let find = || Counsel::of(&self.setup, card, &hardware);
        let facts = RowFacts::from(offer);
        let on = |c: &Counsel| (c.on(&facts, offer.hardware.gpus, line.kind), c.limits.clone());
        match self.table().class_code(line.row) {
            Some(class) => on(self.counsel.borrow_mut().entry(class).or_insert_with(find)),
            None => on(&find()),
        }
    }

    /// Why lines are hidden.
    pub fn why(&self) -> Why {
        why::market(&self.view, self.stock.table())
    }

    /// The providers.
    pub fn statuses(&self) -> &[Status] {
        self.stock.statuses()
    }

    /// Asks nobody, or does.
    pub fn set_offline(&mut self, offline: bool) {
        self.offline = offline;
    }

    /// Nobody is asked.
    pub fn is_offline(&self) -> bool {
        self.offline
    }

    /// The market holds still.
    pub fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    /// Holds the market still, or lets in what has come meanwhile. Tells whether it is still.
    pub fn toggle_freeze(&mut self, now: UnixSeconds) -> bool {
        match self.frozen.take() {
            None => self.frozen = Some(Vec::new()),
            Some(waiting) => waiting.into_iter().for_each(|update| self.apply(update, now)),
        }
        self.frozen.is_some()
    }

    /// Takes in what a provider says.
    pub fn apply(&mut self, update: Update, now: UnixSeconds) {
        if let Some(waiting) = &mut self.frozen {
            waiting.push(update);
            return;
        }
        self.stock.apply(update, now);
    }
}
