//! `haggle watch`: looks at the market again and again until an offer meets a condition.

use super::args::{Format, WatchArgs};
use super::call::Call;
use super::failure::{Failure, Reason};
use super::gather::PATIENCE;
use super::market::{self, Market};
use super::{list, out};
use crate::export::document::OfferDocument;
use crate::market::{Query, SortKey, ViewRow};
use crate::setup::Setup;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Providers' documents ask for patience; nobody is asked more often than this.
const SHORTEST: Duration = Duration::from_secs(30);
/// What a look is given, however near the end is: an answer that is on its way counts.
const LAST_LOOK: Duration = Duration::from_secs(10);

pub(super) fn run(call: &Call, args: WatchArgs) -> Result<(), Failure> {
    call.not_from_stdin("it can be read once, and watch looks again")?;
    let setup = call.setup(args.query.setup)?;
    let query = market::query(&call.global, &args.query.query)?;
    let until = market::parse(&args.until)
        .map_err(|f| Failure::usage(format!("--until: {}", f.message)))?;
    if until.is_empty() {
        return Err(Failure::usage("--until: the condition is empty; write it like total<15$"));
    }
    let both = if query.is_empty() {
        market::parse(&args.until)?
    } else {
        market::parse(&format!("({query}) ({})", args.until))?
    };
    let every = Duration::from_secs_f64(args.every.seconds());
    let every =
        if call.global.offline || call.global.from.is_some() { every } else { every.max(SHORTEST) };
    let end = args.timeout.map(|t| Instant::now() + Duration::from_secs_f64(t.seconds()));
    loop {
        let started = Instant::now();
        let left = end.map_or(PATIENCE, |end| end.saturating_duration_since(started));
        let mut market = call.market_within(&query, left.clamp(LAST_LOOK, PATIENCE))?;
        market.ask(&setup, &both, &SortKey::DEFAULT);
        if let Some(line) = market.lines(1).first().copied() {
            return met(call, &mut market, &both, &setup, (line, args.exec.as_deref()));
        }
        narrate(&mut market, &query, &setup, every);
        if !sleep_until(started + every, end) {
            let message = format!("no offer met `{}` in time", args.until);
            return Err(Failure::new(Reason::Timeout, message));
        }
    }
}

/// Says how near the market is, and when the next look is.
fn narrate(market: &mut Market, query: &Query, setup: &Setup, every: Duration) {
    market.ask(setup, query, &SortKey::DEFAULT);
    let nearest = market.lines(1).first().and_then(|l| market.quoted(setup, *l));
    let best = nearest.map_or_else(
        || "nothing matches the query".to_owned(),
        |q| {
            let total = q
                .quote
                .total
                .map_or_else(|| "an unknown total".to_owned(), |t| crate::units::usd(t.expected));
            format!("the best is {} at {total}", q.offer.id())
        },
    );
    let wait = crate::units::duration(i64::try_from(every.as_secs()).unwrap_or(i64::MAX));
    out::say(&format!("not yet: {best}; next look in {wait}"));
}

/// Waits; `false` when `end` comes first.
fn sleep_until(next: Instant, end: Option<Instant>) -> bool {
    let until = end.map_or(next, |end| end.min(next));
    std::thread::sleep(until.saturating_duration_since(Instant::now()));
    end.is_none_or(|end| Instant::now() < end)
}

fn met(
    call: &Call,
    market: &mut Market,
    query: &Query,
    setup: &Setup,
    (line, command): (ViewRow, Option<&str>),
) -> Result<(), Failure> {
    if let Some(command) = command {
        let quoted = market.quoted(setup, line);
        let offer = quoted.ok_or_else(|| Failure::failed("the offer went while it was quoted"))?;
        hand_over(command, &offer.document())?;
    }
    match call.global.format {
        Format::Table => out::data(&list::table(market, &[line], call.colours()))?,
        format => {
            let document = market.document(query, setup, &[line]);
            out::data(&list::written(format, &document)?)?;
        }
    }
    market.strict(&call.global)
}

/// Runs the user's command with the offer on its standard input, never in its command line.
fn hand_over(command: &str, offer: &OfferDocument) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure::failed(format!("--exec: {e}"));
    let json = out::structured(Format::Json, offer)?;
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::from(std::io::stderr()))
        .spawn()
        .map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // A command that does not read is free not to.
        let _ = input.write_all(json.as_bytes());
    }
    let status = child.wait().map_err(failed)?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::failed(format!("--exec: the command ended with {status}")))
    }
}
