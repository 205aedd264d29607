//! Makes `assets/market.haggle`, the market inside the program, from a saved one.
//!
//! ```sh
//! haggle providers --save raw.haggle        # against a server that repeats recorded answers
//! cargo run --example embed_market -- raw.haggle assets/market.haggle 'recorded price lists' \
//!     aws=2026-08-11 vast=2026-08-22:example …
//! ```
//!
//! Every row gets the date of the facts it was made from, is marked as listed, and says nothing
//! about availability: a list made earlier cannot. `:example` marks the rows of a provider as
//! examples of a market that changes by the minute. Providers that are not named are left out.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a tool that stops where it cannot go on"
)]

use haggle::offer::{Availability, Basis, Flags, Provider, Text};
use haggle::snapshot::{Packing, decode, encode};
use haggle::units::UnixSeconds;
use std::collections::HashMap;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, target, note, providers @ ..] = arguments.as_slice() else {
        println!("usage: embed_market RAW TARGET NOTE PROVIDER=DATE[:example] …");
        return;
    };
    let dated: HashMap<Provider, (UnixSeconds, bool)> =
        providers.iter().map(|p| dated(p)).collect();
    let mut market = decode(&std::fs::read(source).unwrap()).unwrap();
    market.offers.retain(|o| dated.contains_key(&o.provider));
    for offer in &mut market.offers {
        let (at, example) = dated[&offer.provider];
        offer.origin.fetched_at = at;
        offer.origin.basis = Basis::Listed;
        offer.availability = Availability::NotStated;
        if example {
            offer.flags = offer.flags.with(Flags::EXAMPLE);
        }
    }
    market.head.note = Text::new(note);
    market.head.at = dated.values().map(|d| d.0).max().unwrap();
    for state in &mut market.head.providers {
        state.rows = market.offers.iter().filter(|o| o.provider == state.provider).count();
        state.fetched_at = dated.get(&state.provider).map(|d| d.0);
        (state.coverage, state.coverage_note, state.error) = (None, None, None);
    }
    let bytes = encode(&market, Packing::Deflated);
    println!("{} offers, {} bytes", market.offers.len(), bytes.len());
    std::fs::write(target, bytes).unwrap();
}

fn dated(text: &str) -> (Provider, (UnixSeconds, bool)) {
    let (name, date) = text.split_once('=').unwrap();
    let (date, example) = date.strip_suffix(":example").map_or((date, false), |d| (d, true));
    let at: jiff::Timestamp = format!("{date}T12:00:00Z").parse().unwrap();
    (Provider::from_name(name).unwrap(), (UnixSeconds(at.as_second()), example))
}
