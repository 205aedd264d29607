//! What can be rented: n GPUs of one kind, on one machine, from one provider, at one place.
//!
//! On demand and spot are two prices of one offer. Everything that a provider may leave out is an
//! `Option`; foreign text passes through [`Text`] and is harmless from then on.

mod country;
mod place;
mod region;
mod registry;
mod source;
mod text;

pub use country::{Continent, Country};
pub use place::Place;
pub use registry::Provider;
pub(crate) use registry::each_provider;
pub use source::source_name;
pub use text::{Text, harmless};

use crate::gpu::GpuId;
use crate::units::{
    Gb, Gib, Hours, Mbps, PerHour, Range, Share, UnixSeconds, UsdPerGb, UsdPerGbMonth, UsdPerHour,
};
use serde::{Deserialize, Serialize};

/// One thing that can be rented.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Stable over refreshes, unique within the provider: what `OFFER` means on the command line,
    /// after `provider:`. For Vast.ai the machine and the number of its GPUs.
    pub key: Text,
    /// What the provider's launch call wants (changes when relisted).
    pub launch_id: Text,
    /// Who rents it out.
    pub provider: Provider,
    /// Host or machine, where the provider names one.
    pub host: Option<Text>,
    /// The cards.
    pub hardware: Hardware,
    /// Where it stands.
    pub place: Place,
    /// What an hour costs, for the whole offer.
    pub price: Price,
    /// What else costs money.
    pub fees: Fees,
    /// Share of time that the machine was up, as the provider states it.
    pub reliability: Option<Share>,
    /// Download speed.
    pub download: Option<Mbps>,
    /// Upload speed.
    pub upload: Option<Mbps>,
    /// Largest disk that can be had.
    pub disk: Option<Gb>,
    /// The provider has verified the machine.
    pub verified: Option<bool>,
    /// Can it be had now?
    pub availability: Availability,
    /// How often spot machines of this kind are taken away, with its source.
    pub hazard: Option<Hazard>,
    /// Longest rental that the host allows.
    pub max_rental: Option<Hours>,
    /// Where the figures come from.
    pub origin: Origin,
    /// What looks wrong about it; the row is kept all the same.
    pub flags: Flags,
}

impl Offer {
    /// The id by which people and scripts name it: `vast:12345-1`.
    pub fn id(&self) -> String {
        format!("{}:{}", self.provider.name(), self.key)
    }
}

/// The cards of an offer.
#[derive(Clone, Debug, PartialEq)]
pub struct Hardware {
    /// Which card; `None` when the name is not in the catalogue.
    pub gpu: Option<GpuId>,
    /// What the provider calls it.
    pub gpu_raw: Text,
    /// How many; below one where a slice of a card is sold; `None` where nobody says.
    pub gpus: Option<f64>,
    /// Memory of one card (of the slice, where one is sold).
    pub vram: Option<Gib>,
    /// How the cards are joined.
    pub link: Link,
    /// Processor threads.
    pub vcpus: Option<f64>,
    /// Main memory of the share that is rented.
    pub ram: Option<Gib>,
    /// Highest CUDA version that the driver runs, major.minor.
    pub cuda_max: Option<f64>,
    /// The provider's own name of the machine type: `p4d.24xlarge`.
    pub instance_type: Option<Text>,
}

impl Hardware {
    /// A machine type of which nobody says what is inside; its name stands for the cards.
    pub fn untold(machine_type: &str) -> Hardware {
        Hardware {
            gpu: None,
            gpu_raw: Text::new(machine_type),
            gpus: None,
            vram: None,
            link: Link::Unknown,
            vcpus: None,
            ram: None,
            cuda_max: None,
            instance_type: Some(Text::new(machine_type)),
        }
    }

    /// How many cards, in figures; `?` where nobody says.
    pub fn count(&self) -> String {
        self.gpus.map_or_else(|| "?".to_owned(), |gpus| gpus.to_string())
    }
}

/// How the cards of one machine are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// NVLink or Infinity Fabric between all cards.
    Nvlink,
    /// PCI Express, sixteen lanes of generation 4 or better.
    PcieFull,
    /// PCI Express, slower than that.
    PcieSlow,
    /// Nobody says.
    Unknown,
}

/// Price of an hour, for the whole offer, without storage and traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Price {
    /// Guaranteed until given back.
    pub on_demand: Option<UsdPerHour>,
    /// May be taken away at any time.
    pub spot: Option<UsdPerHour>,
}

/// What costs money besides the hours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fees {
    /// Disk while the machine runs.
    pub storage: Option<UsdPerGbMonth>,
    /// Disk while the machine is stopped.
    pub storage_stopped: Option<UsdPerGbMonth>,
    /// Traffic out of the machine.
    pub egress: Option<UsdPerGb>,
    /// Traffic into the machine.
    pub ingress: Option<UsdPerGb>,
    /// Shortest time that is billed.
    pub minimum: Option<Hours>,
    /// Hours of a calendar month after which the rest of the month is free.
    pub monthly_cap: Option<Hours>,
}

impl Fees {
    /// No provider ends a month's bill earlier; a cap that says so is not believed.
    pub const SHORTEST_CAP: Hours = Hours::new(500.0);
    /// Hours of the longest month.
    pub const LONGEST_CAP: Hours = Hours::new(744.0);
}

/// Can it be had now?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Availability {
    /// The provider says yes.
    Yes,
    /// The provider says no.
    No,
    /// The provider does not say.
    NotStated,
}

/// How often a spot machine is taken away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hazard {
    /// Interruptions per hour of running.
    pub rate: Range<PerHour>,
    /// Who says so.
    pub source: &'static str,
}

/// Where the figures of an offer come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// The endpoint or catalogue, as a name that a person can look up.
    pub source: &'static str,
    /// Asked from the provider's live market, or a list price.
    pub basis: Basis,
    /// When it was fetched (for a list: when the list was made).
    pub fetched_at: UnixSeconds,
}

/// What a figure rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The provider said so just now.
    Live,
    /// A price list or a document says so.
    Listed,
    /// Somebody measured it.
    Measured,
    /// A formula of ours says so.
    Modelled,
    /// We chose it; the user may choose otherwise.
    Assumed,
    /// Nobody knows.
    Unknown,
}

/// What is to be marked about an offer: what looks wrong, or would surprise. A small set of bits,
/// because a million rows carry one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Flags(pub u16);

impl Flags {
    /// The price is far outside what this card goes for.
    pub const ODD_PRICE: Flags = Flags(1);
    /// Spot costs as much as on demand, or more.
    pub const SPOT_NOT_CHEAPER: Flags = Flags(1 << 1);
    /// The provider sent the offer more than once, with different figures.
    pub const CONFLICTING: Flags = Flags(1 << 2);
    /// The name says one amount of memory, the figure another.
    pub const ODD_MEMORY: Flags = Flags(1 << 3);
    /// Some text was altered because it could have harmed a terminal.
    pub const CLEANED: Flags = Flags(1 << 4);
    /// An example row of the built-in snapshot, of a market whose rows change by the minute.
    pub const EXAMPLE: Flags = Flags(1 << 5);
    /// The processor is an Arm one: images and wheels made for x86 do not run.
    pub const ARM_HOST: Flags = Flags(1 << 6);

    const NAMES: [(Flags, &'static str); 7] = [
        (Flags::ODD_PRICE, "odd-price"),
        (Flags::SPOT_NOT_CHEAPER, "spot-not-cheaper"),
        (Flags::CONFLICTING, "conflicting"),
        (Flags::ODD_MEMORY, "odd-memory"),
        (Flags::CLEANED, "cleaned"),
        (Flags::EXAMPLE, "example"),
        (Flags::ARM_HOST, "arm-host"),
    ];

    /// These, if `set`.
    #[must_use]
    pub const fn when(self, set: bool) -> Flags {
        if set { self } else { Flags(0) }
    }

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Is all of `other` in it?
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// The names of what is set, as in JSON.
    pub fn names(self) -> Vec<&'static str> {
        Flags::NAMES.iter().filter(|(f, _)| self.has(*f)).map(|(_, n)| *n).collect()
    }
}
