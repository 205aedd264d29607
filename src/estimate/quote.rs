//! What a quote says: hours and dollars of one offer for one setup, item by item.

use crate::offer::Basis;
use crate::setup::{Hosted, NEVER};
use crate::units::{Gb, Hours, PerHour, Range, TokensPerSecond, Usd};
use serde::Serialize;

/// How fast a setup trains on a hardware class.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    /// All GPUs together; `None` where it cannot be told.
    pub tokens_per_second: Option<Range<TokensPerSecond>>,
    /// Share of the peak rate, without recomputed work.
    pub mfu: Option<f64>,
    /// What the figure rests on.
    pub basis: Basis,
    /// In words: which evidence, or why there is none.
    pub note: String,
}

/// Which of the two prices a quote is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriceKind {
    /// Guaranteed.
    OnDemand,
    /// May be taken away.
    Spot,
}

/// The items of a bill, in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemKind {
    /// The machine while it boots, fetches, trains and saves.
    GpuTime,
    /// Disk while the machine runs.
    Storage,
    /// Traffic into the machine.
    Download,
    /// Traffic out of it.
    Upload,
    /// Work done twice and restarts after interruptions.
    LostWork,
    /// The machine between the end of the job and somebody noticing.
    Idle,
    /// What a minimum billing time adds.
    MinimumCharge,
}

impl ItemKind {
    /// How many kinds there are.
    pub const COUNT: usize = 7;

    /// All of them, in order.
    pub const ALL: [ItemKind; Self::COUNT] = [
        ItemKind::GpuTime,
        ItemKind::Storage,
        ItemKind::Download,
        ItemKind::Upload,
        ItemKind::LostWork,
        ItemKind::Idle,
        ItemKind::MinimumCharge,
    ];

    /// The name used in JSON and on screen.
    pub const fn name(self) -> &'static str {
        match self {
            ItemKind::GpuTime => "gpu-time",
            ItemKind::Storage => "storage",
            ItemKind::Download => "download",
            ItemKind::Upload => "upload",
            ItemKind::LostWork => "lost-work",
            ItemKind::Idle => "idle",
            ItemKind::MinimumCharge => "minimum-charge",
        }
    }
}

/// One line of the bill.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Which.
    pub kind: ItemKind,
    /// Dollars; `None` is unknown, which is not nothing.
    pub usd: Option<Usd>,
    /// How it comes about: `6.20 h × 0.412 $/h`.
    pub unit: String,
    /// The weakest basis among its factors.
    pub basis: Basis,
    /// Who says so.
    pub source: String,
    /// Age of the figure, where it has a date.
    pub age_seconds: Option<i64>,
}

/// One stage of the job.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stage {
    /// `boot`, `image`, `fetch`, `load`, `train`, `evaluate`, `save`, `upload`, `lost work`, `idle`.
    pub name: &'static str,
    /// How long it takes.
    pub hours: Hours,
    /// What the figure rests on.
    pub basis: Basis,
}

/// Hours and dollars of one offer for one setup.
#[derive(Clone, Debug, PartialEq)]
pub struct Quote {
    /// Which price it is made of.
    pub pricing: PriceKind,
    /// From the launch to the end of the machine; `None` when the speed is unknown or the job would never end.
    pub hours: Option<Range<Hours>>,
    /// The stages, summing up to the expected hours.
    pub stages: Vec<Stage>,
    /// The bill, one line for each kind.
    pub items: Vec<Item>,
    /// The total; `expected` is the sum of the known items.
    pub total: Option<Range<Usd>>,
    /// What is missing from the total, in words.
    pub unknown: Vec<String>,
    /// What was assumed: name, value, in words.
    pub assumptions: Vec<(&'static str, String)>,
    /// The job would be interrupted so often that it takes more than ten times its work.
    pub never_finishes: bool,
    /// The disk that the bill is made with.
    pub disk: Disk,
    /// What interruptions do, for the spot price and for the comparison with it.
    pub interruption: Option<Interruption>,
    /// What it costs to forget the machine.
    pub forgotten: Forgotten,
    /// Which of our figures the user has replaced, in words; `None` when none is.
    pub what_if: Option<String>,
    /// What a hosted service would take for the same tokens, where the user gave its price.
    pub hosted: Option<(Hosted, Usd)>,
}

/// The disk that a bill is made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Disk {
    /// Rented.
    pub rented: Gb,
    /// What the job needs.
    pub needed: Gb,
    /// The largest that the offer has.
    pub largest: Option<Gb>,
}

impl Disk {
    /// Why the disk is too small, if it is.
    pub fn problem(&self) -> Option<String> {
        let wanted = self.rented.max(self.needed);
        if self.rented < self.needed {
            let (rented, needed) = (self.rented.get(), self.needed.get());
            return Some(format!(
                "a disk of {rented:.0} GB is asked for, the job needs {needed:.0}"
            ));
        }
        let largest = self.largest.filter(|l| *l < wanted)?;
        let (largest, wanted) = (largest.get(), wanted.get());
        Some(format!("the largest disk here has {largest:.0} GB, {wanted:.0} are needed"))
    }
}

/// What interruptions do to a job on the spot machine of an offer.
#[derive(Clone, Debug, PartialEq)]
pub struct Interruption {
    /// Interruptions per hour; `None` when nobody says.
    pub hazard: Option<Range<PerHour>>,
    /// Who says so.
    pub source: String,
    /// Interruptions to reckon with until the end.
    pub expected: Option<f64>,
    /// From an interruption until work goes on, waiting for a machine left out.
    pub restart: Hours,
    /// One save.
    pub save: Hours,
    /// Between saves, as the setup says.
    pub interval: Hours,
    /// Between saves, where it costs least at the expected rate.
    pub best_interval: Option<Hours>,
    /// Interruptions per hour up to which spot is cheaper than on demand here; zero when it never is.
    /// `None` without both prices.
    pub break_even: Option<PerHour>,
}

impl Interruption {
    /// How often a checkpoint is written, in words.
    pub fn interval_words(&self) -> String {
        if self.interval >= NEVER { "never".into() } else { crate::units::hours(self.interval) }
    }
}

/// What it costs to leave a machine behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Forgotten {
    /// Left running over a weekend, Friday 18:00 to Monday 09:00.
    pub weekend: Option<Usd>,
    /// The disk is not in it, because nobody says what it costs.
    pub without_disk: bool,
    /// Stopped, its disk kept for a month; `None` when nobody says what that costs.
    pub stopped_month: Option<Usd>,
}
