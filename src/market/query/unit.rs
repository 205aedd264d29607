//! Figures with units, as people write them: `24gb`, `500mbps`, `95%`, `20$`, `8h`, `10m`.

/// What a field is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    /// A plain number.
    Count,
    /// Major and minor version.
    Version,
    /// Memory, GiB.
    Memory,
    /// Disk, GB (10⁹ bytes).
    Size,
    /// Network speed, Mbit/s.
    Speed,
    /// Dollars.
    Money,
    /// Dollars per hour.
    PerHour,
    /// Dollars per GB, or per GB and month.
    PerGb,
    /// A share, 0–1. A bare number above one is per cent.
    Share,
    /// Hours; a bare number is hours.
    Time,
    /// Hours; a bare number is refused, because minutes or hours may be meant.
    ShortTime,
    /// Tokens per second.
    Rate,
}

/// A unit: how it is printed, what else means it, and how many of the base unit it is.
struct Unit {
    printed: &'static str,
    also: &'static [&'static str],
    times: f64,
    per: f64,
}

const fn unit(printed: &'static str, also: &'static [&'static str], times: f64, per: f64) -> Unit {
    Unit { printed, also, times, per }
}

const BARE: Unit = unit("", &[], 1.0, 1.0);
const COUNT: &[Unit] = &[BARE, unit("x", &[], 1.0, 1.0)];
const VERSION: &[Unit] = &[BARE];
const MEMORY: &[Unit] = &[
    BARE,
    unit("gb", &["g", "gib"], 1.0, 1.0),
    unit("mb", &["m", "mib"], 1.0, 1024.0),
    unit("tb", &["t", "tib"], 1024.0, 1.0),
];
const SIZE: &[Unit] = &[
    BARE,
    unit("gb", &["g"], 1.0, 1.0),
    unit("tb", &["t"], 1000.0, 1.0),
    unit("mb", &["m"], 1.0, 1000.0),
    unit("gib", &[], 1.073_741_824, 1.0),
    unit("tib", &[], 1_099.511_627_776, 1.0),
];
const SPEED: &[Unit] = &[
    BARE,
    unit("mbps", &["m", "mbit", "mbit/s"], 1.0, 1.0),
    unit("gbps", &["g", "gbit", "gbit/s"], 1000.0, 1.0),
    unit("kbps", &["k", "kbit", "kbit/s"], 1.0, 1000.0),
];
const MONEY: &[Unit] = &[
    BARE,
    unit("$", &["usd", "dollar", "dollars"], 1.0, 1.0),
    unit("k$", &["k"], 1000.0, 1.0),
    unit("ct", &["c", "cent", "cents"], 1.0, 100.0),
];
const PER_HOUR: &[Unit] = &[
    BARE,
    unit("$", &["usd", "$/h", "$/hr", "usd/h", "usd/hr"], 1.0, 1.0),
    unit("ct", &["c", "cent", "cents", "ct/h"], 1.0, 100.0),
];
const PER_GB: &[Unit] = &[
    BARE,
    unit("$", &["usd", "$/gb", "usd/gb"], 1.0, 1.0),
    unit("$/tb", &["usd/tb"], 1.0, 1000.0),
    unit("ct", &["c", "cent", "cents"], 1.0, 100.0),
];
const SHARE: &[Unit] = &[BARE, unit("%", &["percent"], 1.0, 100.0)];
const TIME: &[Unit] = &[
    BARE,
    unit("h", &["hr", "hrs", "hour", "hours"], 1.0, 1.0),
    unit("m", &["min", "mins", "minute", "minutes"], 1.0, 60.0),
    unit("s", &["sec", "secs", "second", "seconds"], 1.0, 3600.0),
    unit("d", &["day", "days"], 24.0, 1.0),
    unit("w", &["week", "weeks"], 168.0, 1.0),
];
const RATE: &[Unit] = &[BARE, unit("tok/s", &["t/s"], 1.0, 1.0), unit("k", &[], 1000.0, 1.0)];

impl UnitKind {
    const fn units(self) -> &'static [Unit] {
        match self {
            UnitKind::Count => COUNT,
            UnitKind::Version => VERSION,
            UnitKind::Memory => MEMORY,
            UnitKind::Size => SIZE,
            UnitKind::Speed => SPEED,
            UnitKind::Money => MONEY,
            UnitKind::PerHour => PER_HOUR,
            UnitKind::PerGb => PER_GB,
            UnitKind::Share => SHARE,
            UnitKind::Time | UnitKind::ShortTime => TIME,
            UnitKind::Rate => RATE,
        }
    }

    /// The units that may follow a number, as they are printed.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.units().iter().map(|u| u.printed).filter(|n| !n.is_empty())
    }

    /// Is `word` one of these units?
    pub(crate) fn has(self, word: &str) -> bool {
        let is = |name: &str| !name.is_empty() && name.eq_ignore_ascii_case(word);
        self.units().iter().any(|u| is(u.printed) || u.also.iter().any(|also| is(also)))
    }

    /// An example of a figure, for messages.
    pub(crate) const fn example(self) -> &'static str {
        match self {
            UnitKind::Count => "2",
            UnitKind::Version => "12.4",
            UnitKind::Memory => "24gb",
            UnitKind::Size => "100gb",
            UnitKind::Speed => "500mbps",
            UnitKind::Money => "20$",
            UnitKind::PerHour => "0.5$",
            UnitKind::PerGb => "0.02$",
            UnitKind::Share => "95%",
            UnitKind::Time => "8h",
            UnitKind::ShortTime => "10m",
            UnitKind::Rate => "5000",
        }
    }
}

/// A number and its unit, as somebody wrote it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    amount: f64,
    kind: UnitKind,
    unit: &'static str,
}

impl Quantity {
    /// Reads `text`; the error says what would be right.
    pub(crate) fn parse(text: &str, kind: UnitKind) -> Result<Quantity, String> {
        let lower = text.to_ascii_lowercase();
        let (lower, dollars) = match lower.strip_prefix('$') {
            Some(rest) => (rest, true),
            None => (lower.as_str(), false),
        };
        let digits = lower
            .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
            .unwrap_or(lower.len());
        let (number, suffix) = lower.split_at(digits);
        let bad = || format!("`{text}` is no figure; write it like {}", kind.example());
        let amount: f64 = number.replace('_', "").parse().map_err(|_| bad())?;
        let suffix = if dollars && suffix.is_empty() { "$" } else { suffix };
        let suffix = if dollars && suffix.starts_with('/') { "$/h" } else { suffix };
        if !amount.is_finite() {
            return Err(bad());
        }
        let unit = kind.units().iter().find(|u| u.printed == suffix || u.also.contains(&suffix));
        let Some(unit) = unit else { return Err(wrong_unit(text, suffix, kind)) };
        Quantity { amount, kind, unit: unit.printed }.settled(text)
    }

    /// Makes a bare number's meaning explicit, or refuses it.
    fn settled(self, text: &str) -> Result<Quantity, String> {
        match (self.kind, self.unit) {
            (UnitKind::ShortTime, "") if self.amount != 0.0 => {
                Err(format!("`{text}` may be minutes or hours; write {text}m or {text}h"))
            }
            (UnitKind::Share, "") if self.amount > 1.0 => {
                Quantity { unit: "%", ..self }.settled(text)
            }
            (UnitKind::Share, "%") if self.amount > 100.0 => {
                Err(format!("`{text}` is more than 100%"))
            }
            _ => Ok(self),
        }
    }

    /// A figure in the given unit (as printed), for conditions that the program writes.
    pub(crate) fn new(amount: f64, kind: UnitKind, unit: &'static str) -> Quantity {
        Quantity { amount, kind, unit }
    }

    /// The number, in its own unit.
    pub(crate) fn amount(self) -> f64 {
        self.amount
    }

    /// Another number of the same unit.
    pub(crate) fn with_amount(self, amount: f64) -> Quantity {
        Quantity { amount, ..self }
    }

    /// How much one of its unit is, in the base unit.
    pub(crate) fn scale(self) -> f64 {
        self.with_amount(1.0).value()
    }

    /// A bare number read as `unit`.
    pub(crate) fn with_bare_unit(self, unit: &'static str) -> Quantity {
        if self.unit.is_empty() { Quantity { unit, ..self } } else { self }
    }

    /// Is it a time?
    pub(crate) fn looks_like_time(text: &str) -> bool {
        Quantity::parse(text, UnitKind::Time).is_ok_and(|q| !q.unit.is_empty())
    }

    /// In the base unit of its kind: GiB, GB, Mbit/s, $, share, hours.
    pub fn value(self) -> f64 {
        let unit = self.kind.units().iter().find(|u| u.printed == self.unit);
        unit.map_or(self.amount, |u| self.amount * u.times / u.per)
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.amount, self.unit)
    }
}

fn wrong_unit(text: &str, suffix: &str, kind: UnitKind) -> String {
    if kind == UnitKind::Speed && matches!(suffix, "mb/s" | "gb/s" | "kb/s" | "mb" | "gb") {
        return format!("`{text}`: network speed is in bits; write mbps or gbps (1 MB/s is 8mbps)");
    }
    let units: Vec<&str> = kind.names().collect();
    if units.is_empty() {
        return format!("`{text}`: a plain number is wanted here, like {}", kind.example());
    }
    format!("`{suffix}` is no unit here; use {}", units.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, kind: UnitKind) -> f64 {
        Quantity::parse(text, kind).unwrap().value()
    }

    #[test]
    fn units_are_what_people_mean() {
        assert_eq!(value("24gb", UnitKind::Memory), 24.0);
        assert_eq!(value("24", UnitKind::Memory), 24.0);
        assert_eq!(value("24576MiB", UnitKind::Memory), 24.0);
        assert_eq!(value("1tb", UnitKind::Size), 1000.0);
        assert_eq!(value("1gbps", UnitKind::Speed), 1000.0);
        assert_eq!(value("95%", UnitKind::Share), 0.95);
        assert_eq!(value("95", UnitKind::Share), 0.95);
        assert_eq!(value("0.95", UnitKind::Share), 0.95);
        assert_eq!(value("$20", UnitKind::Money), 20.0);
        assert_eq!(value("20$", UnitKind::Money), 20.0);
        assert_eq!(value("$0.5/hr", UnitKind::PerHour), 0.5);
        assert_eq!(value("50ct", UnitKind::PerHour), 0.5);
        assert_eq!(value("90m", UnitKind::Time), 1.5);
        assert_eq!(value("10m", UnitKind::ShortTime), 1.0 / 6.0);
        assert_eq!(value("2d", UnitKind::Time), 48.0);
        assert_eq!(value("10_000", UnitKind::Rate), 10_000.0);
    }

    #[test]
    fn what_is_ambiguous_or_wrong_is_refused_with_advice() {
        for (text, kind, advice) in [
            ("10", UnitKind::ShortTime, "10m or 10h"),
            ("100MB/s", UnitKind::Speed, "bits"),
            ("101%", UnitKind::Share, "100%"),
            ("24kg", UnitKind::Memory, "gb"),
            ("x", UnitKind::Money, "20$"),
            ("", UnitKind::Money, "20$"),
            ("1e999", UnitKind::Money, "unit"),
            ("-5", UnitKind::Money, "20$"),
            ("1.2.3", UnitKind::Version, "12.4"),
        ] {
            let error = Quantity::parse(text, kind).unwrap_err();
            assert!(error.contains(advice), "{error}");
        }
    }
}
