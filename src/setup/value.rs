//! Reading and printing one value of a draft: `50M`, `200GB`, `20m`, `on`, `hf@4.45`, `mfu=0.4`.
//!
//! Sizes are decimal (1 GB = 10⁹ bytes) unless written with an `i` (GiB = 2³⁰); a bare number is
//! GB. A bare number of time is minutes.

use super::{
    Assumptions, Attention, Checkpointing, Framework, FrameworkChoice, FrameworkVersion,
    LossKernel, Method, Offload, Optimizer, Precision, Pricing, Quant, Shard, Targets,
};
use crate::units::{Bytes, Gb, Hours, Tokens};

/// How a value is written where numbers and text differ (JSON, YAML).
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A whole number.
    Whole(u64),
    /// Any other number.
    Real(f64),
    /// Text.
    Text(String),
    /// Named numbers.
    Table(Vec<(&'static str, f64)>),
}

/// What a field of a draft can hold.
pub trait Value: Sized {
    /// The words that it can be; empty when there are too many to list.
    const CHOICES: &'static [&'static str] = &[];
    /// How it is written, for help texts.
    const SHAPE: &'static str;
    /// Reads it; the error says what is wrong and what would be right.
    fn read(text: &str) -> Result<Self, String>;
    /// Prints it so that [`Value::read`] gives it back.
    fn print(&self) -> String;
    /// As number or text.
    fn scalar(&self) -> Scalar {
        Scalar::Text(self.print())
    }
    /// Joins what was there before with what is set now.
    fn over(self, before: Option<Self>) -> Self {
        let _ = before;
        self
    }
}

macro_rules! worded {
    ($($type:ident)*) => {$(
        impl Value for $type {
            const CHOICES: &'static [&'static str] = $type::WORDS;
            const SHAPE: &'static str = "WORD";
            fn read(text: &str) -> Result<Self, String> {
                text.parse()
            }
            fn print(&self) -> String {
                self.as_str().to_owned()
            }
        }
    )*};
}

worded!(Method Checkpointing Attention LossKernel Precision Quant Optimizer Shard Offload Pricing);

impl Value for String {
    const SHAPE: &'static str = "TEXT";
    fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() { Err("is empty".into()) } else { Ok(text.to_owned()) }
    }
    fn print(&self) -> String {
        self.clone()
    }
}

impl Value for u32 {
    const SHAPE: &'static str = "N";
    fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let number = scaled(text).ok_or_else(|| format!("`{text}` is no whole number"))?;
        if number < 1.0 || number.fract() != 0.0 {
            return Err(format!("`{text}` is no whole number of at least 1"));
        }
        if number > f64::from(u32::MAX) {
            return Err(format!("`{text}` is too large; at most {}", u32::MAX));
        }
        Ok(number as u32)
    }
    fn print(&self) -> String {
        self.to_string()
    }
    fn scalar(&self) -> Scalar {
        Scalar::Whole(u64::from(*self))
    }
}

impl Value for f64 {
    const SHAPE: &'static str = "X";
    fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        text.parse::<f64>()
            .ok()
            .filter(|x| x.is_finite() && *x >= 0.0)
            .ok_or_else(|| format!("`{text}` is no number of at least 0"))
    }
    fn print(&self) -> String {
        self.to_string()
    }
    fn scalar(&self) -> Scalar {
        Scalar::Real(*self)
    }
}

impl Value for bool {
    const CHOICES: &'static [&'static str] = &["on", "off"];
    const SHAPE: &'static str = "on|off";
    fn read(text: &str) -> Result<Self, String> {
        match text.trim().to_ascii_lowercase().as_str() {
            "on" | "true" | "yes" => Ok(true),
            "off" | "false" | "no" => Ok(false),
            other => Err(format!("`{other}` is neither on nor off")),
        }
    }
    fn print(&self) -> String {
        if *self { "on".into() } else { "off".into() }
    }
}

impl Value for Tokens {
    const SHAPE: &'static str = "N[k|M|B]";
    fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        scaled(text)
            .filter(|n| *n >= 1.0 && *n <= 1e15)
            .map(Tokens::new)
            .ok_or_else(|| format!("`{text}` is no number of tokens, as 500k, 50M or 1.5B"))
    }
    fn print(&self) -> String {
        let n = self.get();
        for (unit, suffix) in [(1e9, "B"), (1e6, "M"), (1e3, "k")] {
            let part = n / unit;
            if part >= 1.0 && (part * 1000.0).fract() == 0.0 {
                return format!("{part}{suffix}");
            }
        }
        n.to_string()
    }
    fn scalar(&self) -> Scalar {
        if self.get().fract() == 0.0 {
            Scalar::Whole(self.get() as u64)
        } else {
            Scalar::Real(self.get())
        }
    }
}

impl Value for Gb {
    const SHAPE: &'static str = "SIZE";
    fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let wrong = || format!("`{text}` is no size, as 500MB, 200GB or 1.5TB");
        let (number, unit) = split_unit(text);
        let number: f64 = number.parse().map_err(|_| wrong())?;
        let factor = match unit.to_ascii_lowercase().as_str() {
            "" | "g" | "gb" => 1e9,
            "b" => 1.0,
            "k" | "kb" => 1e3,
            "m" | "mb" => 1e6,
            "t" | "tb" => 1e12,
            "kib" => 1024.0,
            "mib" => 1_048_576.0,
            "gib" => 1_073_741_824.0,
            "tib" => 1_099_511_627_776.0,
            _ => return Err(wrong()),
        };
        Bytes::checked(number * factor)
            .filter(|b| b.get() <= 1e16)
            .map(Bytes::to_gb)
            .ok_or_else(wrong)
    }
    fn print(&self) -> String {
        format!("{}GB", self.get())
    }
}

/// Ten years: longer than any job, so what is done that seldom is never done.
pub const NEVER: Hours = Hours::new(87_660.0);

impl Value for Hours {
    const SHAPE: &'static str = "DURATION";
    fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if ["never", "off", "none"].contains(&text) {
            return Ok(NEVER);
        }
        let wrong = || format!("`{text}` is no duration, as 90s, 20m, 2h, 1h30m or 3d");
        let mut rest = text;
        let mut seconds = 0.0;
        while !rest.is_empty() {
            let (number, after) = split_unit(rest);
            let value: f64 = number.parse().map_err(|_| wrong())?;
            let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
            let (unit, next) = after.split_at(end);
            seconds += value
                * match unit {
                    "s" | "sec" => 1.0,
                    "m" | "min" => 60.0,
                    "" if seconds == 0.0 && next.is_empty() => 60.0,
                    "h" => 3600.0,
                    "d" => 86_400.0,
                    _ => return Err(wrong()),
                };
            rest = next.trim_start();
        }
        Hours::checked(seconds / 3600.0).filter(|h| h.get() > 0.0 && *h <= NEVER).ok_or_else(wrong)
    }
    fn print(&self) -> String {
        if *self >= NEVER {
            return "never".into();
        }
        let seconds = (self.seconds() * 1000.0).round() / 1000.0;
        for (unit, suffix) in [(86_400.0, "d"), (3600.0, "h"), (60.0, "m")] {
            let part = seconds / unit;
            if part >= 1.0 && part.fract() == 0.0 {
                return format!("{part}{suffix}");
            }
        }
        format!("{seconds}s")
    }
}

impl Value for FrameworkChoice {
    const CHOICES: &'static [&'static str] = Framework::WORDS;
    const SHAPE: &'static str = "NAME[@VERSION]";
    fn read(text: &str) -> Result<Self, String> {
        let (name, version) = match text.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (text, None),
        };
        let framework = name.parse()?;
        let version = version.map(FrameworkVersion::read).transpose()?;
        Ok(Self { framework, version })
    }
    fn print(&self) -> String {
        match self.version {
            Some(v) => format!("{}@{}.{}", self.framework, v.major, v.minor),
            None => self.framework.to_string(),
        }
    }
}

impl FrameworkVersion {
    fn read(text: &str) -> Result<Self, String> {
        let mut parts = text.trim().trim_start_matches('v').split('.');
        let mut next = || parts.next().and_then(|p| p.parse::<u16>().ok());
        match (next(), next()) {
            (Some(major), minor) => Ok(Self { major, minor: minor.unwrap_or(0) }),
            _ => Err(format!("`{text}` is no version, as 4.45")),
        }
    }
}

impl Value for Targets {
    const CHOICES: &'static [&'static str] = &["attention", "all-linear", "q,v"];
    const SHAPE: &'static str = "attention|all-linear|q,v,…";
    fn read(text: &str) -> Result<Self, String> {
        text.parse()
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

impl Value for Assumptions {
    const SHAPE: &'static str = "KEY=VALUE";
    fn read(text: &str) -> Result<Self, String> {
        let mut all = Self::default();
        for pair in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| format!("`{pair}` is no KEY=VALUE, as mfu=0.4"))?;
            let (key, value) = (key.trim(), value.trim());
            let slot = all.slot(key).ok_or_else(|| {
                format!("`{key}` is no assumption; one of {}", Self::KEYS.join(", "))
            })?;
            *slot = Some(assumed(key, value)?);
        }
        all.check()?;
        Ok(all)
    }
    fn print(&self) -> String {
        let pairs: Vec<String> = self.pairs().map(|(k, v)| format!("{k}={v}")).collect();
        pairs.join(",")
    }
    fn scalar(&self) -> Scalar {
        Scalar::Table(self.pairs().collect())
    }
    fn over(self, before: Option<Self>) -> Self {
        let mut all = before.unwrap_or_default();
        for (key, value) in self.pairs() {
            if let Some(slot) = all.slot(key) {
                *slot = Some(value);
            }
        }
        all
    }
}

impl Assumptions {
    /// The keys of `--assume KEY=VALUE`.
    pub const KEYS: &'static [&'static str] = &[
        "mfu", "hazard", "egress", "hub", "idle", "boot", "eval", "ingress", "storage", "download",
        "upload",
    ];

    fn slot(&mut self, key: &str) -> Option<&mut Option<f64>> {
        Some(match key {
            "mfu" => &mut self.mfu,
            "hazard" => &mut self.hazard_per_hour,
            "egress" => &mut self.egress_usd_per_gb,
            "hub" => &mut self.hub_mbps,
            "idle" => &mut self.idle_hours,
            "boot" => &mut self.boot_hours,
            "eval" => &mut self.eval_share,
            "ingress" => &mut self.ingress_usd_per_gb,
            "storage" => &mut self.storage_usd_per_gb_month,
            "download" => &mut self.download_mbps,
            "upload" => &mut self.upload_mbps,
            _ => return None,
        })
    }

    /// What was replaced: key and value.
    pub fn pairs(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let values = [
            self.mfu,
            self.hazard_per_hour,
            self.egress_usd_per_gb,
            self.hub_mbps,
            self.idle_hours,
            self.boot_hours,
            self.eval_share,
            self.ingress_usd_per_gb,
            self.storage_usd_per_gb_month,
            self.download_mbps,
            self.upload_mbps,
        ];
        Self::KEYS.iter().copied().zip(values).filter_map(|(k, v)| Some((k, v?)))
    }

    fn check(&self) -> Result<(), String> {
        if self.mfu.is_some_and(|x| x <= 0.0 || x > 1.0) {
            return Err("mfu is a share of the peak rate, above 0 and up to 1".into());
        }
        let speeds = [
            ("hub", self.hub_mbps),
            ("download", self.download_mbps),
            ("upload", self.upload_mbps),
        ];
        if let Some((name, _)) = speeds.iter().find(|(_, speed)| *speed == Some(0.0)) {
            return Err(format!("{name} is a speed in Mbit/s and must be above 0"));
        }
        Ok(())
    }
}

/// The units that may stand behind the value of an assumption, and how it is written.
fn units_of(key: &str) -> (&'static [(&'static str, f64)], &'static str) {
    const SHARE: &[(&str, f64)] = &[("%", 0.01)];
    const RATE: &[(&str, f64)] = &[
        ("/h", 1.0),
        ("/hour", 1.0),
        ("per hour", 1.0),
        ("/d", 1.0 / 24.0),
        ("/day", 1.0 / 24.0),
        ("per day", 1.0 / 24.0),
    ];
    const TRAFFIC: &[(&str, f64)] = &[("", 1.0), ("$", 1.0), ("/gb", 1.0), ("$/gb", 1.0)];
    const DISK: &[(&str, f64)] =
        &[("", 1.0), ("$", 1.0), ("/gb-month", 1.0), ("$/gb-month", 1.0), ("$/gb/month", 1.0)];
    const SPEED: &[(&str, f64)] =
        &[("mbps", 1.0), ("mbit/s", 1.0), ("gbps", 1000.0), ("gbit/s", 1000.0)];
    const TIME: &[(&str, f64)] = &[("h", 1.0), ("m", 1.0 / 60.0), ("s", 1.0 / 3600.0)];
    match key {
        "mfu" | "eval" => (SHARE, "0.4 or 40%"),
        "hazard" => (RATE, "0.1, 0.1/h or 2/day"),
        "egress" | "ingress" => (TRAFFIC, "0.09 or 0.09$/GB"),
        "storage" => (DISK, "0.1 or 0.1$/GB-month"),
        "hub" | "download" | "upload" => (SPEED, "800, 800mbps or 1gbps"),
        _ => (TIME, "0.5 (hours), 30m or 2h"),
    }
}

/// The value of an assumption, in the unit of its key or in another that is written out.
fn assumed(key: &str, text: &str) -> Result<f64, String> {
    if let Ok(value) = f64::read(text) {
        return Ok(value);
    }
    let (number, unit) = split_unit(text.trim_start_matches('$'));
    let (units, shape) = units_of(key);
    let factor = units.iter().find(|(name, _)| unit.eq_ignore_ascii_case(name));
    let value = number.parse::<f64>().ok().zip(factor).map(|(number, (_, factor))| number * factor);
    value
        .filter(|v| v.is_finite() && *v >= 0.0)
        .ok_or_else(|| format!("`{text}` is no value of {key}, as {shape}"))
}

/// A number with an optional k, M, B (or G) behind it.
fn scaled(text: &str) -> Option<f64> {
    let (number, unit) = split_unit(text);
    let factor = match unit {
        "" => 1.0,
        "k" | "K" => 1e3,
        "m" | "M" => 1e6,
        "b" | "B" | "g" | "G" => 1e9,
        _ => return None,
    };
    let value = number.replace('_', "").parse::<f64>().ok()? * factor;
    value.is_finite().then_some((value * 1e3).round() / 1e3)
}

/// Splits a leading number from what follows it.
fn split_unit(text: &str) -> (&str, &str) {
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_tokens_and_durations_are_read_in_their_units() {
        assert_eq!(Tokens::read("50M"), Ok(Tokens::new(50e6)));
        assert_eq!(Tokens::read("1.5B"), Ok(Tokens::new(1.5e9)));
        assert_eq!(Gb::read("200GB"), Ok(Gb::new(200.0)));
        assert_eq!(Gb::read("1.5 TB"), Ok(Gb::new(1500.0)));
        assert_eq!(Gb::read("1GiB"), Ok(Gb::new(1.073_741_824)));
        assert_eq!(Gb::read("7"), Ok(Gb::new(7.0)));
        assert_eq!(Hours::read("20m"), Ok(Hours::new(1.0 / 3.0)));
        assert_eq!(Hours::read("1h30m"), Ok(Hours::new(1.5)));
        assert_eq!(Hours::read("15"), Ok(Hours::new(0.25)));
        assert_eq!(Hours::read("never").unwrap().print(), "never");
        assert_eq!(u32::read("4k"), Ok(4000));
    }

    #[test]
    fn nonsense_is_refused() {
        for bad in ["", "x", "-5M", "1e999", "NaN", "5X", "M", "1.2.3k"] {
            assert!(Tokens::read(bad).is_err(), "{bad}");
        }
        for bad in ["", "GB", "-1GB", "5 QB", "inf", "1..2GB"] {
            assert!(Gb::read(bad).is_err(), "{bad}");
        }
        for bad in ["", "0m", "5y", "m", "1h-3m", "20m5"] {
            assert!(Hours::read(bad).is_err(), "{bad}");
        }
        for bad in ["0", "1.5", "-3", "9999999999"] {
            assert!(u32::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn versions_stand_behind_the_framework() {
        let old = FrameworkChoice::read("hf@4.45").unwrap();
        assert_eq!(old.version, Some(FrameworkVersion { major: 4, minor: 45 }));
        assert_eq!(old.print(), "hf@4.45");
        assert_eq!(FrameworkChoice::read("unsloth").unwrap().version, None);
        assert!(FrameworkChoice::read("hf@new").is_err());
    }

    #[test]
    fn assumptions_add_up() {
        let first = Assumptions::read("mfu=0.4").unwrap();
        let both = Assumptions::read("idle=1").unwrap().over(Some(first));
        assert_eq!(both.print(), "mfu=0.4,idle=1");
        assert!(Assumptions::read("mfu=1.5").is_err());
        for (text, value) in [
            ("hazard=0.5/h", 0.5),
            ("hazard=12/day", 0.5),
            ("hazard=3.5e-5", 3.5e-5),
            ("mfu=40%", 0.4),
            ("eval=0", 0.0),
            ("idle=30m", 0.5),
            ("idle=0", 0.0),
            ("boot=2h", 2.0),
            ("egress=$0.09", 0.09),
            ("ingress=0.01$/GB", 0.01),
            ("storage=0.08$/GB-month", 0.08),
            ("hub=1.5Gbps", 1500.0),
            ("download=300mbps", 300.0),
        ] {
            let read = Assumptions::read(text).unwrap();
            assert!((read.pairs().next().unwrap().1 - value).abs() < 1e-12, "{text}");
        }
        for wrong in
            ["hazard=5%", "idle=x", "hub=3GB", "egress=-1", "mfu=4/h", "boot=", "hub=0gbps"]
        {
            assert!(Assumptions::read(wrong).is_err(), "{wrong}");
        }
        let unit = Assumptions::read("hazard=5%").unwrap_err();
        assert_eq!(unit, "`5%` is no value of hazard, as 0.1, 0.1/h or 2/day");
        assert!(Assumptions::read("luck=1").unwrap_err().contains("one of mfu, hazard"));
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(n in 1u64..10_000_000_000_000, gb in 0.0f64..1e6, s in 1u32..9_000_000) {
            let tokens = Tokens::new(n as f64);
            prop_assert_eq!(Tokens::read(&tokens.print()), Ok(tokens));
            let size = Gb::read(&Gb::new(gb).print()).unwrap();
            prop_assert!((size.get() - gb).abs() <= gb * 1e-12);
            let time = Hours::from_seconds(f64::from(s));
            let read = Hours::read(&time.print()).unwrap();
            prop_assert!((read.get() - time.get()).abs() < 1e-9);
        }
    }
}
