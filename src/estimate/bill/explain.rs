//! The bill of one offer in words, around the figures of the kernel.

use super::assumptions::assumptions;
use super::job::Job;
use super::price::{Case, Stages};
use super::spot::interruption;
use super::terms::{Free, Terms};
use super::{RowFacts, RowQuote};
use crate::estimate::class::ClassEstimate;
use crate::estimate::quote::{Disk, Forgotten, Item, ItemKind, PriceKind, Quote, Stage};
use crate::offer::{Basis, Offer};
use crate::setup::Setup;
use crate::units::{Gb, Hours, Mbps, UnixSeconds, UsdPerGb, UsdPerHour, trimmed};

/// Friday 18:00 to Monday 09:00.
const WEEKEND: Hours = Hours::new(63.0);

/// The bill of one offer in words: the figures of [`Job::price`], each with unit, basis and source.
pub fn explain(
    setup: &Setup,
    offer: &Offer,
    class: &ClassEstimate,
    kind: PriceKind,
    now: UnixSeconds,
) -> Quote {
    let job = Job::new(setup);
    let facts = RowFacts::from(offer);
    let row = job.price(class, &facts, kind);
    let rate = class.speed.tokens_per_second.map(|r| r.expected.get());
    let stages = rate.and_then(|rate| job.stages(rate, &facts, kind, Case::Expected));
    let words = Words { job: &job, offer, class, facts: &facts, row: &row, kind, stages };
    Quote {
        pricing: kind,
        hours: row.hours,
        stages: stages.map(|s| words.stages(&s)).unwrap_or_default(),
        items: words.items(now),
        total: row.total,
        unknown: words.unknown(),
        assumptions: assumptions(setup, &job, offer, kind)
            .into_iter()
            .chain(words.month())
            .collect(),
        never_finishes: row.never_finishes,
        disk: Disk { rented: words.disk(), needed: job.disk_needed, largest: offer.disk },
        interruption: interruption(&job, offer, class, kind),
        forgotten: words.forgotten(),
        what_if: setup.what_if(),
        hosted: setup.hosted(),
    }
}

struct Words<'a> {
    job: &'a Job,
    offer: &'a Offer,
    class: &'a ClassEstimate,
    facts: &'a RowFacts,
    row: &'a RowQuote,
    kind: PriceKind,
    stages: Option<Stages>,
}

impl Words<'_> {
    fn price(&self) -> Option<UsdPerHour> {
        match self.kind {
            PriceKind::OnDemand => self.offer.price.on_demand,
            PriceKind::Spot => self.offer.price.spot,
        }
    }

    /// The disk that this provider rents out for the job.
    fn disk(&self) -> Gb {
        Terms::of(self.offer.provider).disk(self.job.disk)
    }

    /// What it costs to leave the machine behind, running or stopped.
    fn forgotten(&self) -> Forgotten {
        let month = Terms::of(self.offer.provider).month;
        let fee = self.job.storage.or(self.offer.fees.storage);
        let weekend = self.price().map(|price| {
            let disk = fee.map_or(UsdPerHour::ZERO, |fee| fee.hourly(self.disk(), month));
            (price + disk).over(WEEKEND)
        });
        let stopped = self.offer.fees.storage_stopped;
        Forgotten {
            weekend,
            without_disk: fee.is_none(),
            stopped_month: stopped.map(|fee| fee.of(self.disk())),
        }
    }

    fn stages(&self, s: &Stages) -> Vec<Stage> {
        let speed = self.class.speed.basis;
        let given = |is: bool, otherwise| if is { Basis::Assumed } else { otherwise };
        let boot = given(self.job.boot.is_some(), Terms::of(self.offer.provider).boot_basis);
        let network = |own: Option<Mbps>, stated: Option<Mbps>| match (own, stated) {
            (None, Some(_)) => Basis::Modelled,
            _ => Basis::Assumed,
        };
        let [own_down, own_up] = self.job.network;
        let down = network(own_down, self.offer.download);
        let up = network(own_up, self.offer.upload);
        let list = [
            ("boot", s.boot, boot),
            ("image", s.image, down),
            ("fetch", s.fetch, down),
            ("load", s.load, Basis::Assumed),
            ("train", s.train, speed),
            ("evaluate", s.evaluate, Basis::Assumed),
            ("save", s.save, Basis::Assumed),
            ("upload", s.upload, up),
            ("lost work", s.lost, self.lost_basis()),
            ("idle", s.idle, Basis::Assumed),
        ];
        list.into_iter()
            .map(|(name, hours, basis)| Stage { name, hours: Hours::new(hours), basis })
            .collect()
    }

    /// What is taken for granted about a month whose bill ends early.
    fn month(&self) -> Option<(&'static str, String)> {
        let cap = self.facts.monthly_cap.filter(|_| !self.capped().is_empty())?;
        let words = format!(
            "a month of 730 h is counted from the launch and billed for {:.0} h; the high total takes no cap",
            cap.get()
        );
        Some(("month", words))
    }

    fn lost_basis(&self) -> Basis {
        match (self.kind, self.job.hazard, self.offer.hazard) {
            (PriceKind::OnDemand, ..) | (_, None, Some(_)) => Basis::Modelled,
            (_, Some(_), _) => Basis::Assumed,
            _ => Basis::Unknown,
        }
    }

    fn items(&self, now: UnixSeconds) -> Vec<Item> {
        let origin = self.offer.origin;
        ItemKind::ALL
            .into_iter()
            .map(|kind| {
                let usd = self.row.items.get(kind as usize).copied().flatten();
                let (unit, basis, source) = self.line(kind);
                let ours = source.is_some();
                Item {
                    kind,
                    usd,
                    unit,
                    basis: if usd.is_some() { basis } else { Basis::Unknown },
                    source: source.unwrap_or_else(|| origin.source.to_owned()),
                    age_seconds: (!ours).then(|| origin.fetched_at.age_at(now)),
                }
            })
            .collect()
    }

    /// Unit, basis and source of a line; no source means that of the offer.
    fn line(&self, kind: ItemKind) -> (String, Basis, Option<String>) {
        let priced = self.offer.origin.basis.max(self.class.speed.basis);
        let listed = self.offer.origin.basis;
        let you = || Some("you".to_owned());
        match kind {
            ItemKind::GpuTime => (self.gpu_time(), priced, None),
            ItemKind::Storage if self.job.storage.is_some() => {
                (self.storage(), Basis::Assumed, you())
            }
            ItemKind::Storage => (self.storage(), priced, None),
            ItemKind::Download if self.job.ingress.is_some() => {
                (moved(self.job.fetched(), self.job.ingress), Basis::Assumed, you())
            }
            ItemKind::Download => {
                (moved(self.job.fetched(), self.offer.fees.ingress), listed, None)
            }
            ItemKind::Upload => match self.job.egress {
                Some(fee) => (moved(self.job.result, Some(fee)), Basis::Assumed, you()),
                None => (moved(self.job.result, self.offer.fees.egress), listed, None),
            },
            ItemKind::LostWork => (self.lost(), self.lost_basis(), Some(self.lost_source())),
            ItemKind::Idle => {
                let source = "our assumption unless you set idle".to_owned();
                (self.times(self.stages.map(|s| s.idle)), Basis::Assumed, Some(source))
            }
            ItemKind::MinimumCharge => (self.minimum(), priced, None),
        }
    }

    /// `6.20 h × 0.412 $/h`.
    fn times(&self, hours: Option<f64>) -> String {
        match (hours, self.price()) {
            (Some(hours), Some(price)) => {
                format!("{hours:.2} h × {:.4} $/h{}", price.get(), self.capped())
            }
            (None, Some(price)) => format!("? h × {:.4} $/h", price.get()),
            (Some(hours), None) => format!("{hours:.2} h × ? $/h"),
            (None, None) => "? h × ? $/h".into(),
        }
    }

    /// `× 0.942 (of 730 h 672 are billed)`, where the cap of a month is reached.
    fn capped(&self) -> String {
        let share = self.stages.map_or(1.0, |s| s.paid_share(self.facts));
        match self.facts.monthly_cap.filter(|_| share < 1.0) {
            Some(cap) => format!(" × {share:.3} (a month is billed for {:.0} h)", cap.get()),
            None => String::new(),
        }
    }

    fn gpu_time(&self) -> String {
        let terms = Terms::of(self.offer.provider);
        let text = self.times(self.stages.map(|s| s.useful() - s.free(terms)));
        match terms.free {
            Free::Nothing => text,
            Free::Boot => format!("{text}; boot is not billed"),
            Free::BootAndImage => format!("{text}; boot and image pull are not billed"),
        }
    }

    fn storage(&self) -> String {
        let rate =
            self.job.storage.or(self.offer.fees.storage).map_or("?".into(), |f| trimmed(f.get()));
        let hours = self.stages.map_or("?".into(), |s| format!("{:.2}", s.total()));
        let month = Terms::of(self.offer.provider).month.get();
        format!("{:.0} GB × {rate} $/GB-month × {hours} h / {month:.0}", self.disk().get())
    }

    fn lost(&self) -> String {
        match self.kind {
            PriceKind::OnDemand => "guaranteed until given back".into(),
            PriceKind::Spot => self.times(self.stages.map(|s| s.lost).filter(|_| self.hazarded())),
        }
    }

    fn hazarded(&self) -> bool {
        self.job.hazard(self.facts).is_some()
    }

    fn lost_source(&self) -> String {
        match (self.kind, self.job.hazard, self.offer.hazard) {
            (PriceKind::OnDemand, ..) => "on demand".into(),
            (_, Some(rate), _) => format!("you: {} interruptions per hour", trimmed(rate.get())),
            (_, None, Some(h)) => h.source.to_owned(),
            _ => "nobody publishes how often these machines are taken away".into(),
        }
    }

    fn minimum(&self) -> String {
        let step = Terms::of(self.offer.provider).step.get();
        match self.offer.fees.minimum {
            None => "the shortest time billed is not stated".into(),
            Some(_) if step >= 1.0 => "begun hours are billed in full".into(),
            Some(_) if step > 0.0 => "begun minutes are billed in full".into(),
            Some(least) if least.get() <= 0.0 => "no least time".into(),
            Some(least) => {
                format!("at least {} are billed", crate::units::duration(least.seconds() as i64))
            }
        }
    }

    /// What is missing from the total.
    fn unknown(&self) -> Vec<String> {
        let mut list = Vec::new();
        if self.class.speed.tokens_per_second.is_none() {
            list.push(format!("hours: {}", self.class.speed.note));
        }
        if self.row.never_finishes {
            list.push(
                "hours: interrupted so often that the work would be done more than ten times over"
                    .into(),
            );
        }
        if self.price().is_none() {
            let kind = if self.kind == PriceKind::Spot { "spot" } else { "on-demand" };
            list.push(format!("gpu-time: the offer has no {kind} price"));
        }
        let open = |kind: ItemKind| self.row.items.get(kind as usize).is_some_and(Option::is_none);
        if self.job.storage.or(self.offer.fees.storage).is_none() {
            list.push(
                "storage: the fee for disk is not stated; the high total takes 0.20 $/GB-month"
                    .into(),
            );
        }
        if open(ItemKind::Download) {
            list.push(
                "download: the fee for traffic in is not stated; the high total takes 0.039 $/GB"
                    .into(),
            );
        }
        if open(ItemKind::Upload) {
            list.push(
                "upload: the fee for traffic out is not stated; the high total takes 0.23 $/GB"
                    .into(),
            );
        }
        if self.kind == PriceKind::Spot && !self.hazarded() {
            list.push("lost-work: how often these machines are taken away is not known; the high total takes once in two hours".into());
        }
        if self.row.total.is_some() && open(ItemKind::MinimumCharge) {
            list.push("minimum-charge: the shortest time billed is not stated; the high total takes one hour".into());
        }
        list
    }
}

fn moved(amount: Gb, fee: Option<UsdPerGb>) -> String {
    let fee = fee.map_or("?".into(), |f| trimmed(f.get()));
    let gb = amount.get();
    if gb < 10.0 {
        format!("{gb:.2} GB × {fee} $/GB")
    } else {
        format!("{gb:.1} GB × {fee} $/GB")
    }
}
