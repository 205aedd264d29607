//! Amazon Web Services, without an account: spot prices (`spot.json`, all regions at once),
//! interruption bands (`spot-advisor-data.json`), and on-demand prices from one small file for each
//! region in view. None of the three says that a machine can be had, and none says what is inside:
//! that is in `assets/machines.csv`. The addresses feed Amazon's own pages and are not documented.

mod advisor;
mod on_demand;
mod spot;

use super::figures;
use super::http::{Body, RateLimit};
use super::machines::{UnknownTypes, hardware, machine};
use super::source::{Context, Endpoint, KeyUse, Profile, Source};
use super::terms::{aws_fees, aws_hazard};
use super::{FetchError, Fetching, Progress, Report, Sink};
use crate::offer::{Availability, Basis, Flags, Offer, Origin, Place, Price, Provider, Text};
use crate::units::{UnixSeconds, UsdPerHour};
use advisor::Advisor;
use futures_util::future::{join_all, join3};
use spot::Spot;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const SOURCE: &str = "AWS spot and on-demand price files";
const SPOT: Endpoint =
    Endpoint { variable: "HAGGLE_AWS_URL", address: "https://website.spot.ec2.aws.a2z.com" };
const ADVISOR: Endpoint =
    Endpoint { variable: "HAGGLE_AWS_URL", address: "https://spot-bid-advisor.s3.amazonaws.com" };
const LIST: Endpoint =
    Endpoint { variable: "HAGGLE_AWS_URL", address: "https://b0.p.awsstatic.com" };
/// Regions whose on-demand prices are fetched when none is in view: the large ones with GPUs.
const USUAL: [&str; 8] = [
    "us-east-1",
    "us-east-2",
    "us-west-2",
    "ca-central-1",
    "eu-west-1",
    "eu-central-1",
    "eu-north-1",
    "ap-northeast-1",
];
/// Region files of one refresh.
const MOST_REGIONS: usize = 16;
/// What the regions of the last refresh are remembered by.
const REGIONS: &str = "aws regions";
/// Age of the spot file above which its prices are called old.
const OLD: i64 = 24 * 3600;

static PROFILE: Profile = Profile {
    provider: Provider::Aws,
    key: KeyUse::None,
    key_variable: None,
    endpoints: &[SPOT, ADVISOR, LIST],
    // Not documented; every region's list is one file from a content network.
    limit: RateLimit::per(120, 60),
    refresh: Duration::from_mins(10),
    about: "list prices: spot and interruption bands of all regions, on demand of those in view",
};

/// The source.
#[derive(Debug)]
pub(super) struct Aws;

impl Source for Aws {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn regions(&self) -> Vec<(&'static str, Place)> {
        on_demand::locations().keys().map(|region| (*region, Place::aws(region))).collect()
    }

    fn usual_regions(&self) -> &'static [&'static str] {
        &USUAL
    }

    fn fetch<'a>(&'a self, context: &'a Context, sink: &'a Sink) -> Fetching<'a> {
        Box::pin(fetch(context, sink))
    }
}

/// What has been fetched, for one table of prices.
#[derive(Debug, Default)]
struct Known {
    spot: Spot,
    advisor: Advisor,
    made: UnixSeconds,
    unknown: UnknownTypes,
    notes: Vec<String>,
}

async fn fetch(context: &Context, sink: &Sink) -> Result<Report, FetchError> {
    let spot = async { context.call(SPOT, "/spot.json")?.remembered().body().await };
    let advisor =
        async { context.call(ADVISOR, "/spot-advisor-data.json")?.remembered().body().await };
    let before = context.http.known(REGIONS).unwrap_or_default();
    let regions = regions(context, &before);
    let lists = join_all(regions.iter().map(|region| list(context, region)));
    let (spot, advisor, lists) = join3(spot, advisor, lists).await;
    let mut fresh = [&spot, &advisor].iter().any(|b| b.as_ref().is_ok_and(|b| b.fresh));
    let mut known = known(context, spot, advisor)?;
    let (mut bodies, mut broken) = (Vec::new(), None);
    for (region, body, error) in lists {
        if let Some(error) = error {
            let before = if body.is_some() { "; its list of before is used" } else { "" };
            known.notes.push(format!("on demand in {region}: {error}{before}"));
            broken = broken.or(Some(error));
        }
        fresh |= body.as_ref().is_some_and(|b| b.fresh);
        bodies.extend(body.map(|body| (region, body)));
    }
    if let Some(error @ (FetchError::Network(_) | FetchError::Timeout(_))) = broken
        && bodies.is_empty()
    {
        // The connection went in the middle: rows without their prices would replace good ones.
        return Err(error);
    }
    let asked = regions.join(" ");
    if !fresh && known.notes.is_empty() && context.http.is_known(REGIONS, &asked) {
        return Ok(Report { unchanged: true, ..Report::default() });
    }
    let report = deliver(known, &bodies, sink).await?;
    context.http.know(REGIONS, &asked);
    Ok(report)
}

/// The regions whose on-demand prices are wanted: those in view that exist, the large ones first
/// where there are too many, or the usual ones; then those that were asked `before` in this run, so
/// that their prices stay when somebody looks elsewhere.
fn regions<'a>(context: &'a Context, before: &'a str) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let usual = |region: &&str| USUAL.contains(region);
    let wanted = context.regions.iter().map(String::as_str);
    let wanted = wanted.filter(|r| on_demand::location(r).is_some() && seen.insert(*r));
    let (mut wanted, others): (Vec<&str>, Vec<&str>) = wanted.partition(usual);
    wanted.extend(others);
    if wanted.is_empty() {
        wanted = USUAL.to_vec();
    }
    let before = before.split(' ').filter(|r| on_demand::location(r).is_some());
    let before: Vec<&str> = before.filter(|r| !wanted.contains(r)).collect();
    wanted.extend(before);
    wanted.truncate(MOST_REGIONS);
    wanted.sort_unstable();
    wanted
}

/// The list of a region; where it cannot be had now, the one of an earlier refresh, and why.
async fn list<'a>(
    context: &Context,
    region: &'a str,
) -> (&'a str, Option<Body>, Option<FetchError>) {
    let name = on_demand::location(region).unwrap_or_default();
    let call = match context.call(LIST, &on_demand::path(name)) {
        Ok(call) => call.remembered(),
        Err(error) => return (region, None, Some(error)),
    };
    let kept = call.kept();
    match call.body().await {
        Ok(body) => (region, Some(body), None),
        Err(error) => (region, kept, Some(error)),
    }
}

/// Reads spot prices and bands. Without spot prices there is still a list; without bands the hazard
/// is unknown.
fn known(
    context: &Context,
    spot: Result<Body, FetchError>,
    advisor: Result<Body, FetchError>,
) -> Result<Known, FetchError> {
    let mut known = Known { made: context.now, ..Known::default() };
    match spot.and_then(|body| Ok((spot::read(&body.bytes)?, body.last_modified))) {
        Ok((spot, date)) if !spot.prices.is_empty() => {
            known.spot = spot;
            let stamp = date.and_then(|d| jiff::fmt::rfc2822::parse(&d).ok());
            let stamp = stamp.map(|z| UnixSeconds(z.timestamp().as_second()));
            known.made = stamp.filter(|s| *s <= context.now).unwrap_or(context.now);
            if known.made.age_at(context.now) > OLD {
                known.notes.push("the spot prices are more than a day old".to_string());
            }
        }
        Ok(_) => return Err(FetchError::Empty),
        Err(error) => return Err(error),
    }
    match advisor.and_then(|body| advisor::read(&body.bytes)) {
        Ok(advisor) => known.advisor = advisor,
        Err(error) => known.notes.push(format!("interruption bands: {error}")),
    }
    Ok(known)
}

async fn deliver(
    mut known: Known,
    bodies: &[(&str, Body)],
    sink: &Sink,
) -> Result<Report, FetchError> {
    let mut prices = BTreeMap::<(String, String), Price>::new();
    let mut conflicts = BTreeSet::new();
    for (region, body) in bodies {
        match on_demand::read(&body.bytes, region) {
            Ok(list) => {
                let key = |kind: String| ((*region).to_string(), kind);
                conflicts.extend(list.conflicts.into_iter().map(key));
                for (kind, price) in list.prices {
                    let entry = prices.entry(((*region).to_string(), kind)).or_default();
                    entry.on_demand = Some(UsdPerHour::new(price));
                }
            }
            Err(error) => known.notes.push(format!("on demand in {region}: {error}")),
        }
    }
    for ((region, kind), price) in std::mem::take(&mut known.spot.prices) {
        prices.entry((region, kind)).or_default().spot = Some(UsdPerHour::new(price));
    }
    let mut offers = Vec::new();
    for ((region, kind), price) in prices {
        if machine(Provider::Aws, &kind).is_none() {
            if !is_gpu_family(&kind) {
                continue;
            }
            known.unknown.note(&kind);
        }
        let mut offer = offer(&known, &region, &kind, price);
        let two = conflicts.contains(&(region, kind));
        offer.flags = offer.flags.with(Flags::CONFLICTING.when(two));
        offers.push(offer);
    }
    figures::mark_bargains(&mut offers);
    let rows = offers.len();
    if rows == 0 {
        return Err(FetchError::Empty);
    }
    let progress = Progress { rows, total: Some(rows), waiting_until: None };
    if !sink.rows(offers).await || !sink.progress(progress).await {
        return Err(FetchError::unheard());
    }
    let notes = known.notes.join("; ");
    Ok(Report {
        rows,
        coverage: None,
        coverage_note: (!notes.is_empty()).then_some(notes),
        unknown_types: known.unknown.list(),
        ..Report::default()
    })
}

fn offer(known: &Known, region: &str, kind: &str, price: Price) -> Offer {
    let hardware = hardware(Provider::Aws, kind);
    let hazard = price.spot.and_then(|_| known.advisor.band(region, kind)).and_then(aws_hazard);
    Offer {
        key: Text::new(&format!("{kind}/{region}")),
        launch_id: Text::new(kind),
        provider: Provider::Aws,
        host: None,
        flags: figures::flags(&hardware, &price),
        hardware,
        place: Place::aws(region),
        price,
        fees: aws_fees(region),
        reliability: None,
        download: None,
        upload: None,
        disk: None,
        verified: None,
        availability: Availability::NotStated,
        hazard,
        max_rental: None,
        origin: Origin { source: SOURCE, basis: Basis::Listed, fetched_at: known.made },
    }
}

/// Is it of a family with GPUs (`g7.…`, `p6-…`)? The retired ones and the one with AMD's graphics cards
/// of 8 GB, on which nobody trains, are left out on purpose.
fn is_gpu_family(kind: &str) -> bool {
    let left_out = ["g4ad", "p2", "g3", "g3s", "g2"];
    let family = kind.split('.').next().unwrap_or_default();
    let digit = family.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
    digit && (family.starts_with('g') || family.starts_with('p')) && !left_out.contains(&family)
}
