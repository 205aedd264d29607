//! `haggle pareto`: the offers that nothing beats in both cost and hours.

use super::args::{Format, QueryArgs};
use super::call::Call;
use super::failure::Failure;
use super::market::{self, Market};
use super::out::{self, Grid};
use crate::export::csv_of_offers;
use crate::export::document::name;
use crate::market::{FrontPoint, ViewRow};
use crate::units::{self, Hours, Usd};

pub(super) fn run(call: &Call, args: QueryArgs) -> Result<(), Failure> {
    let query = market::query(&call.global, &args.query)?;
    let setup = call.setup(args.setup)?;
    let mut market = call.market_of(&query)?;
    market.ask(&setup, &query, &[]);
    let (view, table) = market.view();
    let front = view.front(table);
    let lines: Vec<ViewRow> = front.iter().map(|p| p.line).collect();
    let mut document = market.document(&query, &setup, &lines);
    document.excluded = market.excluded(market.counts().0);
    let beaten = market.counts().0 - lines.len();
    if beaten > 0 {
        document.excluded.insert("not on the front".to_owned(), beaten);
    }
    match call.global.format {
        Format::Csv => out::data(
            &csv_of_offers(&document.offers).map_err(|e| Failure::failed(e.to_string()))?,
        )?,
        format => out::grid(format, &document, &grid(&market, &front))?,
    }
    if call.global.format == Format::Table {
        let (shown, total) = market.counts();
        out::say(&format!(
            "{} on the front, of {shown} that match and {total} in all",
            lines.len()
        ));
        super::list::footnotes(&market);
        if lines.is_empty() {
            out::say(
                "no offer that matches has both a total and hours; haggle why tells what hides them",
            );
        }
    }
    market.strict(&call.global)
}

/// The front in words: what each step buys.
fn grid(market: &Market, front: &[FrontPoint]) -> Grid {
    let mut grid =
        Grid::new(&["offer", "GPU", ">n", "fit", ">hours", ">total", "against the one before"]);
    let mut before: Option<&FrontPoint> = None;
    for point in front {
        let Some(offer) = market.table.offer(point.line.row) else { continue };
        let step = before.map_or_else(String::new, |b| point.step_from(b));
        grid.row(vec![
            offer.id(),
            crate::market::column::card_name(&offer).to_owned(),
            offer.hardware.count(),
            market.verdict(point.line).map_or_else(|| "?".to_owned(), |v| name(&v)),
            units::hours(Hours::new(point.hours)),
            units::usd(Usd::new(point.total_usd)),
            step,
        ]);
        before = Some(point);
    }
    grid
}
