//! What a hosted fine-tuning service would take for the same tokens, as the user read it off a price
//! list: nothing is built in, because no dated price with a source is at hand.

use super::Value;
use crate::units::{Usd, trimmed};
use std::fmt;

/// Longest name of a service.
const LONGEST: usize = 60;

/// A price per million training tokens, whose it is, and of what day.
#[derive(Clone, Debug, PartialEq)]
pub struct Hosted {
    /// Dollars per million training tokens, counted once per epoch.
    pub usd_per_million: f64,
    /// Whose price.
    pub label: String,
    /// Of what day, `YYYY-MM-DD`.
    pub date: String,
}

impl Hosted {
    /// What `tokens` (all epochs) cost.
    pub fn of(&self, tokens: f64) -> Usd {
        Usd::new(self.usd_per_million * tokens / 1e6)
    }
}

impl fmt::Display for Hosted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let price = trimmed(self.usd_per_million);
        write!(f, "{}, {price} $ per million tokens, {} (yours)", self.label, self.date)
    }
}

impl Value for Hosted {
    const SHAPE: &'static str = "USD NAME DATE";

    fn read(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [price, name @ .., date] = words.as_slice() else {
            return Err(format!("`{text}` is no price, name and day, as `0.48 Acme 2026-11-30`"));
        };
        let usd_per_million = f64::read(price)?;
        if usd_per_million > 1e6 {
            return Err(format!("`{price}` is no price per million tokens; at most a million $"));
        }
        if date.len() != 10 || date.parse::<jiff::civil::Date>().is_err() {
            return Err(format!("`{date}` is no day; a price has one, as 2026-11-30"));
        }
        let label = name.join(" ");
        let plain = |c: char| c.is_alphanumeric() || " -_.,/()+&".contains(c);
        if label.is_empty() || label.chars().count() > LONGEST || !label.chars().all(plain) {
            return Err(format!(
                "whose price it is stands between price and day, in at most {LONGEST} letters, figures and spaces"
            ));
        }
        Ok(Self { usd_per_million, label, date: (*date).to_owned() })
    }

    fn print(&self) -> String {
        format!("{} {} {}", self.usd_per_million, self.label, self.date)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_has_a_name_and_a_day() {
        let hosted = Hosted::read(" 0.48  Acme  LoRA 2026-11-30 ").unwrap();
        assert_eq!((hosted.usd_per_million, hosted.label.as_str()), (0.48, "Acme LoRA"));
        assert_eq!(Hosted::read(&hosted.print()), Ok(hosted.clone()));
        // 50 million tokens, twice.
        assert!((hosted.of(100e6).get() - 48.0).abs() < 1e-9);
        let wrong = [
            "",
            "0.48",
            "0.48 Acme",
            "0.48 2026-11-30",
            "x Acme 2026-11-30",
            "-1 Acme 2026-11-30",
            "0.48 Acme yesterday",
            "0.48 Acme 2026-13-01",
            "0.48 Ac\u{1b}me 2026-11-30",
            "inf Acme 2026-11-30",
        ];
        for text in wrong {
            assert!(Hosted::read(text).is_err(), "{text}");
        }
    }
}
