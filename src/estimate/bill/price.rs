//! The kernel: hours and dollars of one row, three times over (low, expected, high), without
//! allocating.

use super::cap::paid;
use super::job::{BAD_DAY, DOWNLOAD, Job, LOADER, REGISTRY, UNKNOWN_HAZARD, UPLOAD};
use super::terms::{Free, Terms};
use super::{RowFacts, RowQuote};
use crate::estimate::class::ClassEstimate;
use crate::estimate::interruption::{HOPELESS, Plan};
use crate::estimate::quote::{ItemKind, PriceKind};
use crate::offer::Fees;
use crate::units::{Gb, Hours, Mbps, Range, Usd, UsdPerGb, UsdPerGbMonth, UsdPerHour};

/// What an unknown fee adds to the high total: the dearest rate that any of the eight providers
/// publishes. Storage: Lambda's file system. Traffic out: Google Cloud to China. Traffic in: the
/// dearest Vast.ai hosts, 40 $/TB. Least time: Vultr's hour. It adds nothing to the low total.
pub(super) const DEAREST_STORAGE: UsdPerGbMonth = UsdPerGbMonth::new(0.20);
pub(super) const DEAREST_EGRESS: UsdPerGb = UsdPerGb::new(0.23);
pub(super) const DEAREST_INGRESS: UsdPerGb = UsdPerGb::new(0.039);
pub(super) const LONGEST_MINIMUM: Hours = Hours::new(1.0);

/// One way it may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// Everything goes well.
    Low,
    /// As planned.
    Expected,
    /// Everything goes badly.
    High,
}

impl Case {
    /// Slow speeds make long hours: the other end of a range of speeds.
    fn of_speed<T: Copy>(self, range: Range<T>) -> T {
        match self {
            Case::Low => range.high,
            Case::Expected => range.expected,
            Case::High => range.low,
        }
    }

    fn of<T: Copy>(self, range: Range<T>) -> T {
        match self {
            Case::Low => range.low,
            Case::Expected => range.expected,
            Case::High => range.high,
        }
    }
}

/// Hours of every stage in one case.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Stages {
    pub(crate) boot: f64,
    pub(crate) image: f64,
    pub(crate) fetch: f64,
    pub(crate) load: f64,
    pub(crate) train: f64,
    pub(crate) evaluate: f64,
    pub(crate) save: f64,
    pub(crate) upload: f64,
    pub(crate) lost: f64,
    pub(crate) idle: f64,
}

impl Stages {
    /// From launch to the end of the machine.
    pub(crate) fn total(&self) -> f64 {
        self.useful() + self.lost + self.idle
    }

    /// Without what is lost and idle.
    pub(crate) fn useful(&self) -> f64 {
        self.boot
            + self.image
            + self.fetch
            + self.load
            + self.train
            + self.evaluate
            + self.save
            + self.upload
    }

    /// Hours of the start that the provider does not bill.
    pub(crate) fn free(&self, terms: &Terms) -> f64 {
        match terms.free {
            Free::Nothing => 0.0,
            Free::Boot => self.boot,
            Free::BootAndImage => self.boot + self.image,
        }
    }

    /// The share of the billed hours that is paid for: one, but for long jobs where the provider
    /// caps a month.
    pub(super) fn paid_share(&self, row: &RowFacts) -> f64 {
        if row.monthly_cap.is_none() {
            return 1.0;
        }
        let terms = Terms::of(row.provider);
        let billed = self.total() - self.free(terms);
        let billed = billed + unused(billed, row.minimum, terms, false).unwrap_or(0.0);
        if billed > 0.0 { paid(billed, row.monthly_cap) / billed } else { 1.0 }
    }
}

fn at(amount: Gb, speed: Mbps) -> f64 {
    amount.at(speed).map_or(0.0, Hours::get)
}

/// The user's speed; or a stated one in one case; where none is stated, or zero, what we reckon
/// with.
fn speed(own: Option<Mbps>, stated: Option<Mbps>, assumed: Range<Mbps>, case: Case) -> Mbps {
    if let Some(own) = own {
        return own;
    }
    match stated.filter(|s| s.get() > 0.0) {
        Some(speed) if case == Case::High => speed * BAD_DAY,
        Some(speed) => speed,
        None => case.of_speed(assumed),
    }
}

impl Job {
    /// Hours of fetching, as boot, image, and weights with data.
    pub(super) fn start(&self, row: &RowFacts, case: Case) -> [f64; 3] {
        let terms = Terms::of(row.provider);
        let boot = self.boot.unwrap_or(case.of(terms.boot)).get();
        let down = speed(self.network[0], row.download, DOWNLOAD, case);
        let image = at(self.image, down.min(REGISTRY));
        [boot, image, at(self.weights + self.data, down.min(self.hub))]
    }

    /// The plan that interruptions meet.
    pub(crate) fn plan(&self, row: &RowFacts, stages: &Stages) -> Plan {
        let fetched =
            if Terms::of(row.provider).keeps_disk { 0.0 } else { stages.image + stages.fetch };
        Plan {
            work: stages.train + stages.evaluate,
            interval: self.interval.get(),
            save: self.save.get(),
            restart: stages.boot + fetched + stages.load,
        }
    }

    /// Hours of all stages, nothing lost yet.
    pub(crate) fn undisturbed(&self, rate: f64, row: &RowFacts, case: Case) -> Stages {
        let [boot, image, fetch] = self.start(row, case);
        let train = self.tokens * (LOADER / 3600.0) / rate;
        let stages = Stages {
            boot,
            image,
            fetch,
            load: self.load.get(),
            train,
            evaluate: train * self.evaluation,
            save: 0.0,
            upload: at(self.result, speed(self.network[1], row.upload, UPLOAD, case)),
            lost: 0.0,
            idle: case.of(self.idle).get(),
        };
        let saving = self.plan(row, &stages).saving() + self.save.get();
        Stages { save: saving, ..stages }
    }

    /// Interruptions per hour of a row, where anybody knows.
    pub(crate) fn hazard(&self, row: &RowFacts) -> Option<Range<f64>> {
        let given = self.hazard.map(Range::exact).or(row.hazard);
        given.map(|range| range.map(crate::units::PerHour::get))
    }

    /// Hours of all stages in one case; `None` when the job would never end.
    pub(crate) fn stages(
        &self,
        rate: f64,
        row: &RowFacts,
        kind: PriceKind,
        case: Case,
    ) -> Option<Stages> {
        let stages = self.undisturbed(rate, row, case);
        let hazard = match (kind, self.hazard(row), case) {
            (PriceKind::OnDemand, ..) | (_, None, Case::Low | Case::Expected) => 0.0,
            (_, Some(known), _) => case.of(known),
            (_, None, Case::High) => UNKNOWN_HAZARD.get(),
        };
        let plan = self.plan(row, &stages);
        let lost = match (plan.lost(hazard), case) {
            (Some(lost), _) => lost,
            // At worst it is given up by then.
            (None, Case::High) => (HOPELESS - 1.0) * (plan.work + plan.saving()),
            (None, _) => return None,
        };
        Some(Stages { lost, ..stages })
    }

    /// What a row of `class` costs at its on-demand or spot price.
    pub fn price(&self, class: &ClassEstimate, row: &RowFacts, kind: PriceKind) -> RowQuote {
        let quote = RowQuote {
            hours: None,
            fetch: Some(Hours::new(self.start(row, Case::Expected)[1..].iter().sum())),
            items: self.moved(row, Case::Expected),
            total: None,
            never_finishes: false,
            disk_short: row.disk.is_some_and(|d| d < self.disk_needed.max(self.disk)),
        };
        let Some(rate) = class.speed.tokens_per_second else { return quote };
        let case = |case: Case| self.stages(case.of_speed(rate).get(), row, kind, case);
        let (Some(low), Some(expected), Some(high)) =
            (case(Case::Low), case(Case::Expected), case(Case::High))
        else {
            return RowQuote { never_finishes: true, ..quote };
        };
        let hours = Range::new(low.total(), expected.total(), high.total());
        let price = match kind {
            PriceKind::OnDemand => row.on_demand,
            PriceKind::Spot => row.spot,
        };
        let quote = RowQuote { hours: Some(hours.map(Hours::new)), ..quote };
        let Some(price) = price else { return quote };
        let bill = |stages: &Stages, case: Case| self.items(price, stages, row, kind, case);
        let items = bill(&expected, Case::Expected);
        let sum = |items: &[Option<Usd>]| items.iter().flatten().copied().sum::<Usd>();
        let total = sum(&items);
        let low = sum(&bill(&low, Case::Low)).min(total);
        let high = sum(&bill(&high, Case::High)).max(total);
        RowQuote { items, total: Some(Range::new(low, total, high)), ..quote }
    }

    /// What a table ranks by: dollars, hours, and hours of fetching, as expected. The figures are
    /// those of [`Job::price`], without the work for the low and the high case.
    pub fn expected(
        &self,
        class: &ClassEstimate,
        row: &RowFacts,
        kind: PriceKind,
    ) -> (Option<Usd>, Option<Hours>, Hours) {
        let case = Case::Expected;
        let fetch = Hours::new(self.start(row, case)[1..].iter().sum());
        let rate = class.speed.tokens_per_second;
        let Some(stages) = rate.and_then(|r| self.stages(r.expected.get(), row, kind, case)) else {
            return (None, None, fetch);
        };
        let price = match kind {
            PriceKind::OnDemand => row.on_demand,
            PriceKind::Spot => row.spot,
        };
        let total = price.map(|price| {
            let items = self.items(price, &stages, row, kind, case);
            items.iter().flatten().copied().sum::<Usd>()
        });
        (total, Some(Hours::new(stages.total())), fetch)
    }

    /// Hours that every offer of `class` bills, whatever its network, its provider and the cap of its
    /// month: price times these is never more than the total of [`Job::expected`] (fees are not negative). `None` where
    /// the speed is not known.
    pub fn least_hours(&self, class: &ClassEstimate) -> Option<Hours> {
        // The last digits of a sum depend on its order; a bound must not.
        const SPARE: f64 = 1.0 - 1e-9;
        let rate = class.speed.tokens_per_second?.expected.get();
        let fastest = Some(Mbps::new(f64::MAX));
        let row = RowFacts { download: fastest, upload: fastest, ..RowFacts::UNKNOWN };
        let stages = self.undisturbed(rate, &row, Case::Expected);
        let hours = stages.total() - stages.boot - stages.image;
        Some(Hours::new(paid(hours, Some(Fees::SHORTEST_CAP)) * SPARE))
    }

    /// Traffic, which depends on nothing but the setup and the fees.
    fn moved(&self, row: &RowFacts, case: Case) -> [Option<Usd>; ItemKind::COUNT] {
        let worst = case == Case::High;
        let egress = self.egress.or(row.egress).or(worst.then_some(DEAREST_EGRESS));
        let ingress = self.ingress.or(row.ingress).or(worst.then_some(DEAREST_INGRESS));
        let mut items = [None; ItemKind::COUNT];
        items[ItemKind::Download as usize] = ingress.map(|fee| fee.of(self.fetched()));
        items[ItemKind::Upload as usize] = egress.map(|fee| fee.of(self.result));
        items
    }

    /// The items of one case. Unknown fees are unknown in the expected case, nothing in the low one
    /// and the dearest in the high one.
    pub(super) fn items(
        &self,
        price: UsdPerHour,
        stages: &Stages,
        row: &RowFacts,
        kind: PriceKind,
        case: Case,
    ) -> [Option<Usd>; ItemKind::COUNT] {
        let worst = case == Case::High;
        let terms = Terms::of(row.provider);
        let billed = stages.total() - stages.free(terms);
        let unused = unused(billed, row.minimum, terms, worst);
        // At worst the job begins so that the cap of a month saves nothing.
        let price = price * if worst { 1.0 } else { stages.paid_share(row) };
        let cost = |hours: f64| price.over(Hours::new(hours));
        let storage = self.storage.or(row.storage).or(worst.then_some(DEAREST_STORAGE));
        let disk = terms.disk(self.disk);
        let known = kind == PriceKind::OnDemand || worst || self.hazard(row).is_some();
        let mut items = self.moved(row, case);
        items[ItemKind::GpuTime as usize] = Some(cost(stages.useful() - stages.free(terms)));
        items[ItemKind::Storage as usize] =
            storage.map(|fee| fee.hourly(disk, terms.month).over(Hours::new(stages.total())));
        items[ItemKind::LostWork as usize] = known.then(|| cost(stages.lost));
        items[ItemKind::Idle as usize] = Some(cost(stages.idle));
        items[ItemKind::MinimumCharge as usize] = unused.map(cost);
        items
    }
}

/// Hours that are billed without being used. Unknown when the job is shorter than the longest least
/// time that any provider bills, and this one does not say.
pub(crate) fn unused(
    billed: f64,
    minimum: Option<Hours>,
    terms: &Terms,
    worst: bool,
) -> Option<f64> {
    // A sum of stages that is a whole number of steps but for its last digits begins no other step.
    const SPARE: f64 = 1e-9;
    let step = terms.step.get();
    let begun =
        if step > 0.0 { ((billed / step - SPARE).ceil() * step).max(billed) } else { billed };
    let least = match minimum {
        Some(least) => least.get(),
        None if worst || billed >= LONGEST_MINIMUM.get() => LONGEST_MINIMUM.get(),
        None => return None,
    };
    Some(begun.max(least) - billed)
}
