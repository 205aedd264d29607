//! The fields that a query can name: one table for the parser, completion, help, and columns.

use super::unit::UnitKind;
use crate::estimate::fit::Verdict;
use crate::offer::{Flags, Provider};

/// Something that a query can ask about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the table `FIELDS` describes each one")]
pub enum Field {
    Provider,
    Gpu,
    Gpus,
    Vram,
    Price,
    OnDemand,
    Spot,
    Each,
    Pricing,
    Rel,
    Down,
    Up,
    Region,
    Country,
    Host,
    Disk,
    Verified,
    Avail,
    Fit,
    Headroom,
    Need,
    Speed,
    Hours,
    Total,
    Fetch,
    FetchTime,
    Age,
    Basis,
    Source,
    Flag,
    Mark,
    Storage,
    StorageStopped,
    Egress,
    Ingress,
    Minimum,
    Rental,
    Cuda,
    Vcpus,
    Ram,
    Link,
    Type,
    Id,
}

/// What the values of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A figure with a unit.
    Number(UnitKind),
    /// Text that anybody may have chosen.
    Text,
    /// One of a few words: the word, then what else means the same.
    Choice(&'static [(&'static str, &'static [&'static str])]),
}

/// A row of the table of fields.
#[derive(Clone, Copy, Debug)]
pub struct FieldInfo {
    /// Which.
    pub field: Field,
    /// The name that is printed.
    pub name: &'static str,
    /// What else it may be called.
    pub aliases: &'static [&'static str],
    /// What Vast.ai's own search syntax calls it.
    pub vast: &'static [&'static str],
    /// What its values are.
    pub kind: Kind,
    /// In words, with the unit of a bare number.
    pub help: &'static str,
    /// How a missing value is named among the reasons: `reliability`.
    pub noun: &'static str,
}

const YES_NO: Kind = Kind::Choice(&[
    ("yes", &["true", "1", "on", "verified"]),
    ("no", &["false", "0", "off", "unverified"]),
]);
const PROVIDERS: Kind = Kind::Choice(&Provider::NAMES);
const FITS: Kind = Kind::Choice(&[
    ("yes", &["fits", "true"]),
    ("tight", &["perhaps", "maybe"]),
    ("no", &["false"]),
]);
const AVAILABILITY: Kind =
    Kind::Choice(&[("yes", &["true", "available"]), ("no", &["false", "unavailable"])]);
const PRICINGS: Kind = Kind::Choice(&[
    ("on-demand", &["ondemand", "on_demand"]),
    ("spot", &["interruptible", "bid", "preemptible"]),
]);
const BASES: Kind = Kind::Choice(&[("live", &[]), ("listed", &["list"])]);
const LINKS: Kind =
    Kind::Choice(&[("nvlink", &["sxm"]), ("pcie-full", &["pcie16"]), ("pcie-slow", &[])]);
const MARKS: Kind =
    Kind::Choice(&[("same", &[]), ("new", &[]), ("cheaper", &["down"]), ("dearer", &["up"])]);
const FLAGS: Kind = Kind::Choice(&[
    ("odd-price", &[]),
    ("spot-not-cheaper", &[]),
    ("conflicting", &[]),
    ("odd-memory", &[]),
    ("cleaned", &[]),
    ("example", &[]),
    ("arm-host", &["arm"]),
    (DISK_SHORT, &[]),
    ("any", &[]),
]);

/// The flag that depends on the job: the largest disk of the offer is smaller than what it needs.
pub(crate) const DISK_SHORT: &str = "disk-short";

/// The bits of a flag's name; `any` is all of them.
pub(crate) fn flag_bits(name: &str) -> u16 {
    (0..16)
        .filter(|bit| {
            let names = Flags(1 << bit).names();
            names.contains(&name) || (name == "any" && !names.is_empty())
        })
        .fold(0, |bits, bit| bits | 1 << bit)
}

/// The word for a verdict in a query; `None` where it is unknown.
pub(crate) const fn verdict_word(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Fits => Some("yes"),
        Verdict::Tight => Some("tight"),
        Verdict::No => Some("no"),
        Verdict::Unknown => None,
    }
}

macro_rules! fields {
    ($($field:ident $name:literal $aliases:tt $vast:tt $kind:expr, $noun:literal, $help:literal;)*) => {
        /// All fields, in the order in which they are offered.
        pub const FIELDS: &[FieldInfo] = &[$(FieldInfo {
            field: Field::$field,
            name: $name,
            aliases: &$aliases,
            vast: &$vast,
            kind: $kind,
            help: $help,
            noun: $noun,
        },)*];
    };
}

const fn number(unit: UnitKind) -> Kind {
    Kind::Number(unit)
}

fields! {
    Gpu "gpu" ["card"] ["gpu_name"] Kind::Text, "GPU", "card, by any part of its name: gpu:4090|3090";
    Gpus "gpus" ["n", "count"] ["num_gpus"] number(UnitKind::Count), "GPU count", "number of cards: gpus:1, gpus>=4";
    Vram "vram" ["memory", "mem"] ["gpu_ram"] number(UnitKind::Memory), "VRAM", "nominal memory of one card, GB: vram>=24";
    Price "price" ["dph", "$/h"] ["dph_total"] number(UnitKind::PerHour), "price", "$ per hour of the whole offer, as it is priced in this row";
    Total "total" ["cost"] [] number(UnitKind::Money), "total", "what the finished job costs, $";
    Hours "hours" ["done", "time"] [] number(UnitKind::Time), "hours", "from launch to the end of the job: done<8h";
    Fit "fit" ["fits"] [] FITS, "fit", "does the job fit into GPU memory: yes, tight, no";
    Rel "rel" ["reliability"] ["reliability2"] number(UnitKind::Share), "reliability", "share of time up, as the provider states it: rel>95%";
    Down "down" ["download", "bandwidth"] ["inet_down"] number(UnitKind::Speed), "download speed", "download speed, Mbit/s: down>=500mbps";
    Up "up" ["upload"] ["inet_up"] number(UnitKind::Speed), "upload speed", "upload speed, Mbit/s";
    Region "region" ["place", "location"] ["geolocation"] Kind::Text, "region", "continent, country (code or name) or the provider's own code: region:eu,uk";
    Country "country" [] [] Kind::Text, "country", "country code: country:CA";
    Provider "provider" ["cloud"] [] PROVIDERS, "provider", "who rents it out: provider:vast,aws";
    Spot "spot" [] ["min_bid"] number(UnitKind::PerHour), "spot price", "spot price, $ per hour";
    OnDemand "ondemand" ["on-demand", "list"] ["dph_base"] number(UnitKind::PerHour), "on-demand price", "on-demand price, $ per hour";
    Each "each" ["pergpu"] [] number(UnitKind::PerHour), "price per GPU", "$ per hour and card";
    Pricing "pricing" ["kind"] [] PRICINGS, "pricing", "which price the row is made of: on-demand, spot";
    Disk "disk" [] ["disk_space"] number(UnitKind::Size), "disk", "largest disk that can be had, GB";
    Verified "verified" [] ["verification"] YES_NO, "verification", "the provider has verified the machine";
    Avail "avail" ["availability", "available"] ["rentable"] AVAILABILITY, "availability", "can it be had now: yes, no";
    Age "age" [] [] number(UnitKind::ShortTime), "age", "time since it was fetched: age<10m";
    Fetch "fetch" ["fetchshare"] [] number(UnitKind::Share), "fetch share", "share of the job's hours spent fetching: fetch<10%";
    FetchTime "fetchtime" ["pull"] [] number(UnitKind::Time), "fetch time", "time to fetch image, weights and data: fetchtime<30m";
    Headroom "headroom" [] [] number(UnitKind::Memory), "headroom", "usable minus needed memory of one card, GB";
    Need "need" ["needed"] [] number(UnitKind::Memory), "needed memory", "memory that the job needs on one card, GB";
    Speed "speed" ["tps"] [] number(UnitKind::Rate), "speed", "tokens per second, all cards together";
    Storage "storage" [] ["storage_cost"] number(UnitKind::PerGb), "storage price", "disk while running, $ per GB and month";
    StorageStopped "stopped" [] [] number(UnitKind::PerGb), "price of a stopped disk", "disk while stopped, $ per GB and month";
    Egress "egress" [] ["inet_up_cost"] number(UnitKind::PerGb), "egress price", "traffic out, $ per GB";
    Ingress "ingress" [] ["inet_down_cost"] number(UnitKind::PerGb), "ingress price", "traffic in, $ per GB";
    Minimum "minimum" [] [] number(UnitKind::Time), "minimum billing", "shortest time that is billed";
    Rental "rental" ["maxrental"] ["duration"] number(UnitKind::Time), "longest rental", "longest rental that the host allows: rental>=3d";
    Cuda "cuda" [] ["cuda_vers", "cuda_max_good"] number(UnitKind::Version), "CUDA version", "highest CUDA version of the driver: cuda>=12.4";
    Vcpus "vcpus" ["cpus", "cores"] ["cpu_cores_effective"] number(UnitKind::Count), "vCPUs", "processor threads of the share that is rented";
    Ram "ram" [] [] number(UnitKind::Memory), "main memory", "main memory of the share that is rented, GB";
    Link "link" [] [] LINKS, "link", "how the cards are joined: nvlink, pcie-full, pcie-slow";
    Host "host" [] ["host_id"] Kind::Text, "host", "host or machine, as the provider names it";
    Type "type" ["instance"] [] Kind::Text, "machine type", "the provider's machine type: type:p4d*";
    Flag "flag" ["flags"] [] FLAGS, "flag", "what looks wrong or would surprise: odd-price, disk-short, arm-host, …, any";
    Mark "mark" [] [] MARKS, "mark", "what happened since the last look: new, cheaper, dearer";
    Basis "basis" [] [] BASES, "basis", "live from the market, or listed";
    Source "source" ["origin"] [] Kind::Text, "source", "endpoint or catalogue that the row comes from";
    Id "id" ["offer"] ["machine_id"] Kind::Text, "id", "the offer's id, key or launch id: id:vast:123-1";
}

impl Field {
    /// The field's row in the table.
    pub fn info(self) -> &'static FieldInfo {
        FIELDS.iter().find(|f| f.field == self).unwrap_or(&FIELDS[0])
    }

    /// The name that is printed.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The field of that name; the second part says that the name is Vast.ai's.
    pub fn from_name(name: &str) -> Option<(Field, bool)> {
        let name = name.to_ascii_lowercase();
        FIELDS.iter().find_map(|f| {
            if f.name == name || f.aliases.contains(&name.as_str()) {
                Some((f.field, false))
            } else {
                f.vast.contains(&name.as_str()).then_some((f.field, true))
            }
        })
    }
}

/// Fields of Vast.ai's search that haggle carries with another meaning: what is said about each, and
/// what it is called here.
pub(crate) const VAST_OTHERWISE: &[(&str, &str, &str)] = &[(
    "cpu_ram",
    "Vast.ai's `cpu_ram` is the whole machine's; haggle has that of the share that is rented",
    "ram",
)];

/// Fields of Vast.ai's search that haggle does not carry, so that a query that names one is
/// answered with that instead of a guess.
pub(crate) const VAST_ONLY: &[&str] = &[
    "bw_nvlink",
    "cluster_id",
    "compute_cap",
    "cpu_arch",
    "cpu_cores",
    "cpu_ghz",
    "cpu_name",
    "datacenter",
    "direct_port_count",
    "disk_bw",
    "disk_name",
    "dlperf",
    "dlperf_per_dphtotal",
    "dlperf_usd",
    "driver_version",
    "external",
    "flops_usd",
    "gpu_arch",
    "gpu_display_active",
    "gpu_frac",
    "gpu_lanes",
    "gpu_max_power",
    "gpu_max_temp",
    "gpu_mem_bw",
    "gpu_total_ram",
    "has_avx",
    "nw_disk_avg_bw",
    "os_version",
    "pci_gen",
    "pcie_bw",
    "resource_type",
    "score",
    "static_ip",
    "total_flops",
    "ubuntu_version",
    "vericode",
    "vms_enabled",
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_name_means_two_fields() {
        let mut seen = HashSet::new();
        for info in FIELDS {
            for name in std::iter::once(&info.name).chain(info.aliases).chain(info.vast) {
                assert!(seen.insert(*name), "{name} is used twice");
                assert_eq!(Field::from_name(name).map(|f| f.0), Some(info.field));
                assert!(!VAST_ONLY.contains(name), "{name} is carried after all");
            }
        }
    }

    #[test]
    fn every_flag_can_be_asked_for() {
        let Kind::Choice(words) = Field::Flag.info().kind else { panic!("flags are words") };
        let all = flag_bits("any");
        assert_eq!(
            words
                .iter()
                .filter(|w| w.0 != "any" && w.0 != DISK_SHORT)
                .fold(0, |b, w| b | flag_bits(w.0)),
            all
        );
        assert_eq!(flag_bits("conflicting"), Flags::CONFLICTING.0);
        assert_eq!(flag_bits("nonsense"), 0);
    }
}
