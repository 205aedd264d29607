//! How quantities look on screen: one rule for each, used by every face of the program.

use super::{Gib, Hours, Mbps, PerHour, Share, Tokens, Usd, UsdPerHour};

/// Dollars: cents below 100 $, whole dollars from 1,000 $.
pub fn usd(value: Usd) -> String {
    let v = value.get();
    if v >= 10_000.0 {
        format!("{:.1}k$", v / 1000.0)
    } else if v >= 100.0 {
        format!("{v:.0}$")
    } else {
        format!("{v:.2}$")
    }
}

/// Dollars per hour, with the digits that tell cheap cards apart.
pub fn usd_per_hour(value: UsdPerHour) -> String {
    let v = value.get();
    if v >= 100.0 {
        format!("{v:.1}")
    } else if v >= 10.0 {
        format!("{v:.2}")
    } else {
        format!("{v:.3}")
    }
}

/// Hours: minutes below one hour, days from 100 hours.
pub fn hours(value: Hours) -> String {
    let h = value.get();
    if h < 1.0 {
        format!("{:.0}m", h * 60.0)
    } else if h < 10.0 {
        format!("{h:.1}h")
    } else if h < 100.0 {
        format!("{h:.0}h")
    } else if h < 24_000.0 {
        format!("{:.0}d", h / 24.0)
    } else {
        format!("{:.0}y", h / 8766.0)
    }
}

/// GiB with one decimal.
pub fn gib(value: Gib) -> String {
    let v = value.get();
    if v >= 1000.0 { format!("{v:.0}") } else { format!("{v:.1}") }
}

/// Megabits per second, in Gbit/s from 10,000.
pub fn mbps(value: Mbps) -> String {
    let v = value.get();
    if v >= 10_000.0 { format!("{:.0}G", v / 1000.0) } else { format!("{v:.0}") }
}

/// A share as per cent; never rounds up to 100 what is below it.
pub fn percent(value: Share) -> String {
    let p = value.get() * 100.0;
    if p > 99.9 && p < 100.0 {
        format!("{:.2}%", (p * 100.0).floor() / 100.0)
    } else {
        format!("{:.1}%", (p * 10.0).floor() / 10.0)
    }
}

/// Tokens with k, M or B.
pub fn tokens(value: Tokens) -> String {
    let v = value.get();
    let (scaled, suffix) = match v {
        v if v >= 1e9 => (v / 1e9, "B"),
        v if v >= 1e6 => (v / 1e6, "M"),
        v if v >= 1e3 => (v / 1e3, "k"),
        v => (v, ""),
    };
    let digits = format!("{scaled:.2}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    format!("{digits}{suffix}")
}

/// A span of seconds in its largest unit, for ages: `12s`, `3m`, `5h`, `2d`.
pub fn duration(seconds: i64) -> String {
    match seconds {
        s if s < 120 => format!("{s}s"),
        s if s < 7200 => format!("{}m", s / 60),
        s if s < 172_800 => format!("{}h", s / 3600),
        s => format!("{}d", s / 86_400),
    }
}

/// How often something happens, with two digits, and how far apart that is: `0.000035/h (once in 3y)`.
pub fn per_hour(value: PerHour) -> String {
    let rate = value.get();
    if rate <= 0.0 {
        return "0/h".into();
    }
    let decimals = (1.0 - rate.log10().floor()).clamp(0.0, 12.0) as usize;
    let digits = format!("{rate:.decimals$}");
    let digits =
        if decimals > 0 { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    format!("{digits}/h (once in {})", hours(Hours::new(1.0 / rate)))
}

/// A number with up to four decimals, without zeros at the end.
pub fn trimmed(value: f64) -> String {
    let digits = if value != 0.0 && value.abs() < 0.001 {
        format!("{value:.7}")
    } else {
        format!("{value:.4}")
    };
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scale_keeps_its_digits() {
        assert_eq!(usd(Usd::new(3.456)), "3.46$");
        assert_eq!(usd(Usd::new(123.4)), "123$");
        assert_eq!(usd(Usd::new(12_345.0)), "12.3k$");
        assert_eq!(usd_per_hour(UsdPerHour::new(0.1834)), "0.183");
        assert_eq!(hours(Hours::new(0.5)), "30m");
        assert_eq!(hours(Hours::new(7.25)), "7.2h");
        assert_eq!(hours(Hours::new(240.0)), "10d");
        assert_eq!(tokens(Tokens::new(50e6)), "50M");
        assert_eq!(tokens(Tokens::new(1.25e9)), "1.25B");
        assert_eq!(duration(59), "59s");
        assert_eq!(duration(3600), "60m");
    }

    /// What happens seldom is not said never to happen.
    #[test]
    fn rates_keep_their_digits() {
        for (rate, words) in [
            (3.516e-5, "0.000035/h (once in 3y)"),
            (0.004_39, "0.0044/h (once in 9d)"),
            (0.1, "0.1/h (once in 10h)"),
            (2.7165, "2.7/h (once in 22m)"),
            (120.0, "120/h (once in 0m)"),
            (0.0, "0/h"),
        ] {
            assert_eq!(per_hour(PerHour::new(rate)), words);
        }
    }

    #[test]
    fn reliability_is_never_flattered() {
        assert_eq!(percent(Share::new(0.9999)), "99.99%");
        assert_eq!(percent(Share::new(0.9499)), "94.9%");
        assert_eq!(percent(Share::new(1.0)), "100.0%");
    }
}
