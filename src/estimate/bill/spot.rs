//! Spot or on demand: what interruptions do to the job on this offer.

use super::RowFacts;
use super::job::Job;
use super::price::{Case, Stages};
use crate::estimate::class::ClassEstimate;
use crate::estimate::interruption::{best_interval, highest_rate};
use crate::estimate::quote::{Interruption, PriceKind};
use crate::offer::Offer;
use crate::units::{Hours, PerHour, Usd};

/// What interruptions do, when the offer has a spot price and the speed is known.
pub(super) fn interruption(
    job: &Job,
    offer: &Offer,
    class: &ClassEstimate,
    kind: PriceKind,
) -> Option<Interruption> {
    let rate = class.speed.tokens_per_second?.expected.get();
    if offer.price.spot.is_none() && kind == PriceKind::OnDemand {
        return None;
    }
    let row = RowFacts::from(offer);
    let stages = job.undisturbed(rate, &row, Case::Expected);
    let plan = job.plan(&row, &stages);
    let hazard = job.hazard(&row);
    let source = match (job.hazard, offer.hazard) {
        (Some(_), _) => "you",
        (None, Some(h)) => h.source,
        (None, None) => "nobody publishes it",
    };
    Some(Interruption {
        hazard: hazard.map(|h| h.map(PerHour::new)),
        source: source.into(),
        expected: hazard.and_then(|h| plan.interruptions(h.expected)),
        restart: Hours::new(plan.restart),
        save: job.save,
        interval: job.interval,
        best_interval: hazard.and_then(|h| best_interval(plan.save, h.expected)).map(Hours::new),
        break_even: break_even(job, &row, &stages),
    })
}

/// Interruptions per hour up to which the spot price makes the cheaper job; zero when it never does.
fn break_even(job: &Job, row: &RowFacts, stages: &Stages) -> Option<PerHour> {
    let (spot, guaranteed) = (row.spot?, row.on_demand?);
    let plan = job.plan(row, stages);
    let cost = |price, stages: &Stages, kind| -> Usd {
        let items = job.items(price, stages, row, kind, Case::Expected);
        items.iter().flatten().copied().sum()
    };
    let to_beat = cost(guaranteed, stages, PriceKind::OnDemand);
    // The lost hours are known here, whatever the hazard of the row is.
    let known = RowFacts { hazard: Some(crate::units::Range::exact(PerHour::ZERO)), ..*row };
    let cheaper = |hazard: f64| {
        plan.lost(hazard).is_some_and(|lost| {
            let stages = Stages { lost, ..*stages };
            let items = job.items(spot, &stages, &known, PriceKind::Spot, Case::Expected);
            items.iter().flatten().copied().sum::<Usd>() < to_beat
        })
    };
    Some(highest_rate(cheaper).map_or(PerHour::ZERO, PerHour::new))
}
