//! `haggle gate`: is the plan cheap enough? For the pull request that makes a job dearer.

use super::args::{Format, GateArgs};
use super::call::Call;
use super::failure::{Failure, Reason};
use super::market;
use super::out::{self, Grid};
use crate::export::document::{OfferDocument, VERSION, rfc3339};
use crate::market::FrontPoint;
use crate::units::{self, Usd};
use serde::Serialize;

#[derive(Serialize)]
struct GateDocument {
    schema: &'static str,
    haggle: &'static str,
    at: String,
    passed: bool,
    max_total_usd: f64,
    total_usd: f64,
    offer: OfferDocument,
}

pub(super) fn run(call: &Call, args: GateArgs) -> Result<(), Failure> {
    let query = market::query(&call.global, &args.query.query)?;
    let setup = call.setup(args.query.setup)?;
    let mut market = call.market_of(&query)?;
    market.ask(&setup, &query, &[]);
    let (view, table) = market.view();
    let cheapest: Option<FrontPoint> = view.front(table).into_iter().next();
    let (Some(point), Some(quoted)) =
        (cheapest, cheapest.and_then(|p| market.quoted(&setup, p.line)))
    else {
        market.strict(&call.global)?;
        return Err(Failure::nothing("no offer that fits has a total; there is nothing to judge"));
    };
    let passed = point.total_usd <= args.max_total;
    let document = GateDocument {
        schema: "haggle.gate/1",
        haggle: VERSION,
        at: rfc3339(market.now),
        passed,
        max_total_usd: args.max_total,
        total_usd: point.total_usd,
        offer: quoted.document(),
    };
    let unknown = &quoted.quote.unknown;
    let line = format!(
        "{} on {} costs {}{}, {} the {} allowed{}",
        setup.model.name,
        quoted.offer.id(),
        if unknown.is_empty() { "" } else { "at least " },
        units::usd(Usd::new(point.total_usd)),
        if passed { "within" } else { "above" },
        units::usd(Usd::new(args.max_total)),
        if unknown.is_empty() {
            String::new()
        } else {
            format!("; not counted: {}", unknown.join("; "))
        },
    );
    match call.global.format {
        Format::Markdown => out::data(&format!("{} {line}\n", if passed { "✅" } else { "❌" }))?,
        format => {
            let grid = || row(&document);
            out::document(format, &document, || format!("{line}\n"), grid)?;
        }
    }
    market.strict(&call.global)?;
    if passed { Ok(()) } else { Err(Failure::new(Reason::Gate, line)) }
}

/// The verdict as one row, for a table that a job appends to.
fn row(gate: &GateDocument) -> Grid {
    let mut grid = Grid::new(&["at", "passed", ">max_total_usd", ">total_usd", "offer"]);
    grid.row(vec![
        gate.at.clone(),
        gate.passed.to_string(),
        gate.max_total_usd.to_string(),
        gate.total_usd.to_string(),
        gate.offer.id.clone(),
    ]);
    grid
}
