//! The market of one command, gathered: saved rows, and what the providers answer now.

use super::call::{Call, now};
use super::failure::{Failure, Reason};
use super::market::Market;
use super::out;
use crate::market::Query;
use crate::runtime::collect::{self, Wish};
use crate::session::Stock;
use crate::units::UnixSeconds;
use std::time::Duration;

/// How long a command waits for the providers.
pub(super) const PATIENCE: Duration = Duration::from_secs(45);

impl Call {
    /// What market is wanted.
    pub(super) fn wish(&self) -> Wish<'_> {
        Wish {
            env: &self.env,
            paths: &self.paths,
            config: &self.config,
            providers: &self.global.providers,
            offline: self.global.offline,
            from: self.global.from.as_deref(),
            patience: PATIENCE,
            query: None,
            offer: None,
        }
    }

    /// The market, as the options want it: saved rows, and what the providers answer now.
    pub(super) fn market(&self) -> Result<Market, Failure> {
        self.gathered(&self.wish())
    }

    /// The same, with the offer of that id, wherever it is.
    pub(super) fn market_with(
        &self,
        offer: &str,
        query: Option<&Query>,
    ) -> Result<Market, Failure> {
        self.gathered(&Wish { offer: Some(offer), query, ..self.wish() })
    }

    /// The same, of the regions that `query` may show where a provider is asked region by region.
    pub(super) fn market_of(&self, query: &Query) -> Result<Market, Failure> {
        self.market_within(query, PATIENCE)
    }

    /// The same; a provider that has not answered after `patience` is missing.
    pub(super) fn market_within(
        &self,
        query: &Query,
        patience: Duration,
    ) -> Result<Market, Failure> {
        self.gathered(&Wish { patience, query: Some(query), ..self.wish() })
    }

    fn gathered(&self, wish: &Wish<'_>) -> Result<Market, Failure> {
        let now = now();
        let mut line = out::ProgressLine::new();
        self.key_warnings().iter().for_each(|warning| out::say(&format!("haggle: {warning}")));
        let stock = collect::collect(wish, now, |stock| line.show(&progress(stock)))
            .map_err(|e| Failure::usage(format!("--from {e}")))?;
        line.clear();
        stock.remarks().iter().for_each(|remark| out::say(&format!("haggle: {remark}")));
        self.save(&stock, now)?;
        let (table, mut statuses) = stock.into_parts();
        let wanted = &self.global.providers;
        statuses.retain(|s| wanted.is_empty() || wanted.contains(&s.provider));
        Ok(Market::new(table, statuses, now))
    }

    /// Writes the market to the file of `--save`, if there is one.
    pub(super) fn save(&self, stock: &Stock, now: UnixSeconds) -> Result<(), Failure> {
        let Some(file) = &self.global.save else { return Ok(()) };
        let kept = collect::save(stock, now, file)
            .map_err(|e| Failure::file(Reason::Failed, "--save", file, &e))?;
        out::kept(file, kept.as_deref());
        Ok(())
    }
}

/// How far the providers are, in one line.
fn progress(stock: &Stock) -> String {
    let busy: Vec<&str> =
        stock.statuses().iter().filter(|s| s.light.is_busy()).map(|s| s.provider.name()).collect();
    format!("{} offers; waiting for {}", stock.table().len(), busy.join(", "))
}
