//! How many GPUs: 1, 2, 4 and 8 of the same kind compared for one setup.

use super::HardwareClass;
use super::bill::{Job, RowFacts, RowQuote};
use super::class::{self, ClassEstimate};
use super::fit::Verdict;
use super::quote::PriceKind;
use crate::offer::Offer;
use crate::setup::{Setup, Shard};

/// The numbers of GPUs that are compared.
pub const COUNTS: [u32; 4] = [1, 2, 4, 8];

/// A number of GPUs, and what the job would be on them.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// How many.
    pub gpus: u32,
    /// How work would be divided.
    pub shard: Shard,
    /// Fit and speed.
    pub estimate: ClassEstimate,
    /// Hours and dollars.
    pub quote: RowQuote,
    /// Which of the offers it is made of; `None` means that no offer has that many, and that the
    /// price per GPU of the first offer was taken.
    pub offer: Option<usize>,
    /// Dollars for each hour saved against the fastest of the smaller numbers on which the job can
    /// run; below zero when it is cheaper too. `None` for the first, and where nothing is saved.
    pub usd_per_hour_saved: Option<f64>,
}

/// Compares numbers of GPUs for `setup`. `offers` are of one kind (card, provider, place), and the
/// first of them is the one that is looked at; of several with as many GPUs the cheapest counts.
/// Empty without offers.
pub fn compare(setup: &Setup, offers: &[&Offer], kind: PriceKind) -> Vec<Count> {
    let whole = |o: &&&Offer| o.hardware.gpus.is_some_and(|gpus| gpus >= 1.0);
    let Some(base) = offers.first().filter(whole) else { return Vec::new() };
    let mut counts: Vec<Count> = Vec::with_capacity(COUNTS.len());
    for gpus in COUNTS {
        let found = cheapest(offers, gpus, kind);
        let offer = found.and_then(|i| offers.get(i).copied()).unwrap_or(base);
        let mut next = count(setup, offer, gpus, kind);
        next.offer = found;
        next.usd_per_hour_saved = fastest(&counts).and_then(|before| saved(before, &next));
        counts.push(next);
    }
    counts
}

/// Where scaling stops paying: the number of GPUs with the lowest expected total among those on
/// which the job can run. More of them only buy time.
pub fn cheapest_count(counts: &[Count]) -> Option<&Count> {
    let total = |c: &Count| c.quote.total.map(|t| t.expected.get());
    counts
        .iter()
        .filter(|c| c.estimate.fit.verdict != Verdict::No && total(c).is_some())
        .min_by(|a, b| total(a).unwrap_or(f64::MAX).total_cmp(&total(b).unwrap_or(f64::MAX)))
}

fn price(facts: &RowFacts, kind: PriceKind) -> Option<f64> {
    match kind {
        PriceKind::OnDemand => facts.on_demand,
        PriceKind::Spot => facts.spot,
    }
    .map(crate::units::UsdPerHour::get)
}

fn cheapest(offers: &[&Offer], gpus: u32, kind: PriceKind) -> Option<usize> {
    let priced = |(i, offer): (usize, &&Offer)| {
        let same = offer.hardware.gpus == Some(f64::from(gpus));
        let price = price(&RowFacts::from(*offer), kind)?;
        same.then_some((i, price))
    };
    let all = offers.iter().enumerate().filter_map(priced);
    all.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
}

fn count(setup: &Setup, offer: &Offer, gpus: u32, kind: PriceKind) -> Count {
    let setup = Setup { gpus: Some(gpus), ..setup.clone() };
    let class =
        HardwareClass { gpus: Some(f64::from(gpus)), ..HardwareClass::from(&offer.hardware) };
    let estimate = class::estimate(&setup, &class);
    // Only offers that say how many they have are counted.
    let share = f64::from(gpus) / offer.hardware.gpus.unwrap_or(f64::NAN);
    let facts = RowFacts::from(offer);
    let facts = RowFacts {
        on_demand: facts.on_demand.map(|p| p * share),
        spot: facts.spot.map(|p| p * share),
        ..facts
    };
    let quote = Job::new(&setup).price(&estimate, &facts, kind);
    let shard = setup.sharding(gpus);
    Count { gpus, shard, estimate, quote, offer: None, usd_per_hour_saved: None }
}

/// The one that is done first, of those on which the job can run.
fn fastest(counts: &[Count]) -> Option<&Count> {
    let hours = |c: &Count| c.quote.hours.map_or(f64::INFINITY, |h| h.expected.get());
    let runs = counts.iter().filter(|c| c.estimate.fit.verdict != Verdict::No);
    runs.filter(|c| hours(c).is_finite()).min_by(|a, b| hours(a).total_cmp(&hours(b)))
}

fn saved(before: &Count, after: &Count) -> Option<f64> {
    let hours = before.quote.hours?.expected - after.quote.hours?.expected;
    let dollars = after.quote.total?.expected - before.quote.total?.expected;
    (hours.get() > 0.0).then(|| dollars.get() / hours.get())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::fit::Fit;
    use crate::estimate::quote::{ItemKind, Speed};
    use crate::offer::Basis;
    use crate::units::{Hours, Range, Usd};

    fn made(gpus: u32, hours: f64, total: f64, verdict: Verdict) -> Count {
        let speed = Speed {
            tokens_per_second: None,
            mfu: None,
            basis: Basis::Unknown,
            note: String::new(),
        };
        Count {
            gpus,
            shard: Shard::Ddp,
            estimate: ClassEstimate { fit: Fit { verdict, ..Fit::unknown("") }, speed },
            quote: RowQuote {
                hours: Some(Range::exact(Hours::new(hours))),
                fetch: None,
                items: [None; ItemKind::COUNT],
                total: Some(Range::exact(Usd::new(total))),
                never_finishes: false,
                disk_short: false,
            },
            offer: None,
            usd_per_hour_saved: None,
        }
    }

    #[test]
    fn scaling_pays_until_the_cheapest_count_that_runs() {
        let counts = [
            made(1, 30.0, 20.0, Verdict::No),
            made(2, 16.0, 22.0, Verdict::Fits),
            made(4, 9.0, 25.0, Verdict::Fits),
            made(8, 9.5, 50.0, Verdict::Fits),
        ];
        assert_eq!(cheapest_count(&counts).unwrap().gpus, 2);
        // 3 $ for 7 hours; nothing is saved by going from 4 to 8.
        assert!((saved(&counts[1], &counts[2]).unwrap() - 3.0 / 7.0).abs() < 1e-12);
        assert_eq!(saved(&counts[2], &counts[3]), None);
        assert!(cheapest_count(&counts[..1]).is_none());
    }

    /// Over a slow link two cards take 19 h, four 14 h, and one 4.6 h: four are no gain over two, as
    /// nobody takes two. A number on which the job does not fit is no measure either.
    #[test]
    fn hours_are_saved_against_the_fastest_smaller_number_that_runs() {
        let counts = [
            made(1, 4.6, 8.76, Verdict::Fits),
            made(2, 19.0, 64.68, Verdict::Fits),
            made(4, 14.0, 95.49, Verdict::Fits),
        ];
        let fast = fastest(&counts).unwrap();
        assert_eq!(fast.gpus, 1);
        assert_eq!(saved(fast, &counts[2]), None);
        assert!(fastest(&[made(1, 4.6, 8.76, Verdict::No)]).is_none());
    }

    /// One A100 for 1.5 $ an hour and four for 6.4 $: two and eight take the price of the one.
    #[test]
    fn numbers_that_nobody_offers_take_the_price_of_one_card() {
        use crate::estimate::bill::tests::offer;
        use crate::offer::{Link, Provider};
        use crate::setup::{Draft, Field};
        use crate::units::UsdPerHour;
        let a100 = |gpus: f64, price: f64| {
            let mut offer = offer(Provider::Vast, "1-1");
            offer.hardware.gpu = crate::gpu::catalogue().identify("A100 SXM 80GB", None);
            offer.hardware.gpus = Some(gpus);
            offer.hardware.link = Link::Nvlink;
            offer.price.on_demand = Some(UsdPerHour::new(price));
            offer
        };
        let (one, four, dear) = (a100(1.0, 1.5), a100(4.0, 6.4), a100(4.0, 9.0));
        let mut draft = Draft::default();
        draft.set(Field::Tokens, "50M").unwrap();
        draft.set(Field::Framework, "axolotl").unwrap();
        let setup = draft.resolve(crate::setup::test_model()).unwrap();
        let counts = compare(&setup, &[&one, &dear, &four], PriceKind::OnDemand);
        let offers: Vec<Option<usize>> = counts.iter().map(|c| c.offer).collect();
        assert_eq!(offers, [Some(0), None, Some(2), None]);
        let idle = |i: usize| counts[i].quote.items[ItemKind::Idle as usize].unwrap().get();
        for (i, price) in [1.5, 3.0, 6.4, 12.0].into_iter().enumerate() {
            assert!((idle(i) - 0.25 * price).abs() < 1e-9, "{i}");
        }
        let hours: Vec<f64> =
            counts.iter().map(|c| c.quote.hours.unwrap().expected.get()).collect();
        assert!(hours.windows(2).all(|w| w[1] < w[0]), "{hours:?}");
        assert!(counts[0].usd_per_hour_saved.is_none() && counts[1].usd_per_hour_saved.is_some());
        assert_eq!(cheapest_count(&counts).unwrap().gpus, 1);
        assert!(compare(&setup, &[], PriceKind::OnDemand).is_empty());
    }
}
