//! `haggle quote OFFER`: the bill of one offer, with everything it rests on.

use super::args::{Format, OfferArgs};
use super::call::Call;
use super::failure::Failure;
use super::market::{self, Quoted};
use super::out::Grid;
use super::{estimate, out};
use crate::estimate::quote::Quote;
use crate::estimate::scaling::Count;
use crate::export::document::{CountDocument, ElsewhereDocument, QuoteDocument, name};
use crate::export::{self, Context};
use crate::market::Query;
use crate::market::kin::{ELSEWHERE, Elsewhere};
use crate::setup::Setup;
use crate::units::{self, Hours, Range, UnixSeconds, Usd};
use std::fmt::Write as _;

pub(super) fn run(call: &Call, args: OfferArgs) -> Result<(), Failure> {
    let setup = call.setup(args.setup)?;
    let mut market = call.market_with(&args.offer, None)?;
    market.ask(&setup, &Query::default(), &[]);
    let (quoted, line) = market::find(&market, &setup, &args.offer)
        .or_else(|gone| market.strict(&call.global).and(Err(gone)))?;
    let elsewhere = market.elsewhere(line);
    let context = context(&quoted, &setup, market.now);
    let scaling = market.scaling(&setup, &quoted.offer, quoted.quote.pricing);
    let text = match call.global.format {
        Format::Table => page(&quoted, &setup) + &counts(&scaling) + &places(&elsewhere),
        Format::Json | Format::Yaml => {
            let scaling = scaling.iter().map(|(c, id)| CountDocument::new(c, id.clone())).collect();
            let document = QuoteDocument::new(&context)
                .with_scaling(scaling)
                .with_elsewhere(elsewhere.iter().map(ElsewhereDocument::new).collect());
            out::structured(call.global.format, &document)?
        }
        Format::Csv => written("csv", &context)?,
        Format::Markdown => written("markdown", &context)?,
    };
    out::data(&text)?;
    market.strict(&call.global)
}

/// What an export of a quoted offer is made from.
pub(super) fn context<'a>(quoted: &'a Quoted, setup: &'a Setup, at: UnixSeconds) -> Context<'a> {
    Context {
        offer: &quoted.offer,
        setup,
        fit: &quoted.class.fit,
        advice: &quoted.advice,
        quote: &quoted.quote,
        at,
        wandb: None,
    }
}

fn written(target: &str, context: &Context<'_>) -> Result<String, Failure> {
    let target =
        export::find(target).ok_or_else(|| Failure::failed(format!("no export {target}")))?;
    target.write(context).map_err(|e| Failure::failed(e.to_string()))
}

fn page(quoted: &Quoted, setup: &Setup) -> String {
    let (offer, quote) = (&quoted.offer, &quoted.quote);
    let mut text = format!(
        "{}  {} x {}, {}, {}\n",
        offer.id(),
        offer.hardware.count(),
        crate::market::column::card_name(offer),
        offer.place.raw,
        name(&quote.pricing),
    );
    let _ = writeln!(
        text,
        "{} {} by {}, {} tokens x {} epochs\n",
        setup.model.name,
        setup.method,
        setup.framework,
        units::tokens(setup.tokens),
        setup.epochs
    );
    if let Some(what_if) = &quote.what_if {
        let _ = writeln!(text, "WHAT-IF, not haggle's own figures: {what_if}\n");
    }
    text.push_str(&estimate::fit_lines(&quoted.class.fit, &quoted.advice));
    text.push_str(&estimate::speed_line(&quoted.class.speed));
    text.push('\n');
    for stage in &quote.stages {
        let hours = units::hours(stage.hours);
        let _ = writeln!(text, "{:<16} {hours:>9}  [{}]", stage.name, name(&stage.basis));
    }
    let _ = writeln!(text, "{:<16} {}\n", "hours", range(quote.hours, Hours::get, units::hours));
    for item in &quote.items {
        let usd = item.usd.map_or_else(|| "unknown".to_owned(), |u| format!("{:.2}$", u.get()));
        let age = item.age_seconds.map(|a| format!(", {} old", units::duration(a)));
        let _ = writeln!(
            text,
            "{:<16} {usd:>9}  {} [{}, {}{}]",
            item.kind.name(),
            item.unit,
            name(&item.basis),
            item.source,
            age.unwrap_or_default()
        );
    }
    let _ = writeln!(text, "{:<16} {}", "total", range(quote.total, Usd::get, units::usd));
    if let Some((hosted, usd)) = &quote.hosted {
        let _ = writeln!(text, "{:<16} {:.2}$, to compare: {hosted}", "hosted", usd.get());
    }
    text.push_str(&around(quote));
    for unknown in &quote.unknown {
        let _ = writeln!(text, "not in the total: {unknown}");
    }
    for (key, value) in &quote.assumptions {
        let _ = writeln!(text, "assumption {key}: {value}");
    }
    text
}

/// The job on other numbers of the same GPUs, and where more of them stop paying.
fn counts(scaling: &[(Count, Option<String>)]) -> String {
    if scaling.is_empty() {
        return String::new();
    }
    let mut grid = Grid::new(&[">GPUs", "divided by", "fit", ">hours", ">total", "offer"]);
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "?".to_owned());
    for (count, offer) in scaling {
        grid.row(vec![
            count.gpus.to_string(),
            count.shard.to_string(),
            name(&count.estimate.fit.verdict),
            or_unknown(count.quote.hours.map(|h| units::hours(h.expected))),
            or_unknown(count.quote.total.map(|t| units::usd(t.expected))),
            offer.clone().unwrap_or_else(|| "none with so many; price per GPU".to_owned()),
        ]);
    }
    format!("\n{}", grid.table())
}

/// Places of the same hardware that are printed.
const PLACES: usize = 8;

/// The same hardware in other places, and how many more of them there are.
fn places(elsewhere: &[Elsewhere]) -> String {
    if elsewhere.is_empty() {
        return String::new();
    }
    let mut grid = Grid::new(&ELSEWHERE);
    for place in elsewhere.iter().take(PLACES) {
        grid.row(place.cells().to_vec());
    }
    let more = match elsewhere.len().saturating_sub(PLACES) {
        0 => String::new(),
        n => format!("and {n} more places; --format json lists them\n"),
    };
    format!("\nthe same hardware elsewhere, cheapest job first\n{}{more}", grid.table())
}

/// What else matters: disk, interruptions, a machine that is forgotten.
fn around(quote: &Quote) -> String {
    let mut text = String::new();
    if let Some(problem) = quote.disk.problem() {
        let _ = writeln!(text, "disk: {problem}");
    }
    if let Some(i) = &quote.interruption {
        let hazard = i.hazard.map_or_else(|| "unknown".to_owned(), |h| units::per_hour(h.expected));
        let _ = write!(text, "interruptions: {hazard} [{}]", i.source);
        if let Some(best) = i.best_interval {
            let (now, best) = (i.interval_words(), units::hours(best));
            let _ = write!(text, "; checkpoint every: {now}, best: {best}");
        }
        if let Some(even) = i.break_even {
            let _ = match even.get() {
                limit if limit > 0.0 => {
                    write!(text, "; spot is cheaper up to {}", units::per_hour(even))
                }
                _ => write!(text, "; spot is never cheaper here"),
            };
        }
        text.push('\n');
    }
    let usd = |u: Option<Usd>| u.map_or_else(|| "unknown".to_owned(), units::usd);
    let _ = writeln!(
        text,
        "forgotten over a weekend {}{}, stopped with its disk for a month {}",
        usd(quote.forgotten.weekend),
        if quote.forgotten.without_disk { " and its disk, whose fee is not stated" } else { "" },
        usd(quote.forgotten.stopped_month)
    );
    text
}

/// The expected figure, and low and high behind it.
fn range<T: Copy>(range: Option<Range<T>>, number: fn(T) -> f64, text: fn(T) -> String) -> String {
    let Some(range) = range else { return format!("{:>9}", "unknown") };
    let figure = |value: T| if number(value).is_finite() { text(value) } else { "open".to_owned() };
    format!("{:>9}  ({} to {})", figure(range.expected), figure(range.low), figure(range.high))
}
