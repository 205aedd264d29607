//! `haggle list` and `haggle best`: the table that the screen would show.

use super::args::{BestArgs, Format, ListArgs, QueryArgs};
use super::call::Call;
use super::failure::Failure;
use super::market::{self, Market};
use super::out;
use crate::estimate::fit::Verdict;
use crate::export::{ListDocument, csv_of_offers, markdown_of_offers};
use crate::market::{Align, SortKey, ViewRow};
use crate::setup::Pricing;
use crate::units;
use std::collections::BTreeMap;
use unicode_width::UnicodeWidthStr;

/// Rows on a terminal, unless somebody says otherwise.
const ON_TERMINAL: usize = 50;

pub(super) fn list(call: &Call, args: ListArgs) -> Result<(), Failure> {
    let limit = match args.limit {
        Some(0) => usize::MAX,
        Some(limit) => limit,
        // What programs read is the same on a terminal and in a pipe.
        None if out::on_terminal() && call.global.format == Format::Table => ON_TERMINAL,
        None => usize::MAX,
    };
    run(call, args.ranked.query, &args.ranked.sort, limit).map(|_| ())
}

pub(super) fn best(call: &Call, args: BestArgs) -> Result<(), Failure> {
    if run(call, args.query, &args.sort, 1)? == 0 {
        return Err(Failure::nothing("no offer matches; haggle why tells what hides them"));
    }
    Ok(())
}

/// Prints at most `limit` lines, and tells how many it printed.
fn run(call: &Call, args: QueryArgs, sort: &[String], limit: usize) -> Result<usize, Failure> {
    let query = market::query(&call.global, &args.query)?;
    let sort: Vec<SortKey> = market::sort(sort)?;
    let setup = call.setup(args.setup)?;
    let mut market = call.market_of(&query)?;
    market.ask(&setup, &query, &sort);
    let lines = market.lines(limit);
    match call.global.format {
        Format::Table => {
            out::data(&table(&mut market, &lines, call.colours()))?;
            narrate(&market, lines.len());
            // In this order nothing else can run it either.
            if let Some(first) = lines.first().filter(|_| sort.is_empty())
                && market.verdict(*first) == Some(Verdict::No)
            {
                let id = market.table.id(first.row).unwrap_or_default();
                out::say(&format!(
                    "nothing that matches can run the job; haggle quote {id} says what would make it fit"
                ));
            }
        }
        format => {
            let document = market.document(&query, &setup, &lines);
            out::data(&written(format, &document)?)?;
        }
    }
    market.strict(&call.global)?;
    Ok(lines.len())
}

/// The offers of `document` in a format for programs.
pub(super) fn written(format: Format, document: &ListDocument) -> Result<String, Failure> {
    match format {
        Format::Csv => csv_of_offers(&document.offers).map_err(|e| Failure::failed(e.to_string())),
        Format::Markdown => Ok(markdown_of_offers(&document.offers)),
        _ => out::structured(format, document),
    }
}

/// What standard error says below a table.
pub(super) fn narrate(market: &Market, printed: usize) {
    let (shown, total) = market.counts();
    let hidden: BTreeMap<String, usize> = market.excluded(printed);
    let reasons: Vec<String> = hidden.iter().map(|(why, n)| format!("{why}: {n}")).collect();
    let mut line = format!("{printed} of {total} offers");
    if shown != printed || !reasons.is_empty() {
        line.push_str("; not shown: ");
        line.push_str(&reasons.join(", "));
    }
    out::say(&line);
    let hides = |reason: &str| hidden.keys().any(|why| why.contains(reason));
    if shown == 0 && (hides("pricing:") || hides("no on-demand price") || hides("no spot price")) {
        let kind = market.pricing.as_str();
        if market.pricing != Pricing::Both {
            out::say(&format!(
                "only {kind} prices are asked for; --pricing both shows the others too"
            ));
        }
    }
    footnotes(market);
    for status in market.statuses.iter().filter(|s| s.error.is_some()) {
        out::say(&format!("{}: {}", status.provider.name(), status.line(market.now)));
    }
}

/// Below every table: what the user replaced, and what it is compared with.
pub(super) fn footnotes(market: &Market) {
    if let Some(what_if) = market.what_if() {
        out::say(&format!("* what-if, not haggle's own figures: {what_if}"));
    }
    if let Some((hosted, usd)) = market.hosted() {
        out::say(&format!("to compare, hosted: {} by {hosted}", units::usd(usd)));
    }
}

/// The default columns, what else is asked about, and the id, as wide as their longest cell. Colours only repeat what the words
/// say.
pub(super) fn table(market: &mut Market, lines: &[ViewRow], colours: bool) -> String {
    let columns = market.columns.clone();
    let (view, table) = market.view();
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|line| {
            let line = view.line(table, *line);
            columns.iter().map(|c| line.seen(c).text).collect()
        })
        .collect();
    if out::is_plain() {
        let mut grid = out::Grid::new(&columns.iter().map(|c| c.title).collect::<Vec<_>>());
        for cells in rows {
            grid.row(cells);
        }
        return grid.table();
    }
    let mut text = String::new();
    let titles: Vec<String> = columns.iter().map(|c| c.title.to_owned()).collect();
    let widths: Vec<usize> = (0..columns.len())
        .map(|i| rows.iter().chain([&titles]).map(|r| r[i].width()).max().unwrap_or(0))
        .collect();
    for (number, cells) in std::iter::once(&titles).chain(&rows).enumerate() {
        let mut row = String::new();
        for (i, cell) in cells.iter().enumerate() {
            let gap = " ".repeat(widths[i].saturating_sub(cell.width()));
            match columns[i].align {
                Align::Left => row.extend([cell.as_str(), &gap]),
                Align::Right => row.extend([gap.as_str(), cell]),
            }
            row.push_str("  ");
        }
        match paint(cells, number == 0, colours) {
            Some(paint) => text.extend([paint, row.trim_end(), "\x1b[0m\n"]),
            None => text.extend([row.trim_end(), "\n"]),
        }
    }
    text
}

/// How a line is painted (ECMA-48): the head bold, what cannot run dim.
fn paint(cells: &[String], head: bool, colours: bool) -> Option<&'static str> {
    let no = cells.iter().any(|c| c == "no");
    match (colours, head, no) {
        (true, true, _) => Some("\x1b[1m"),
        (true, false, true) => Some("\x1b[2m"),
        _ => None,
    }
}
