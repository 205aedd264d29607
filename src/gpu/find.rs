//! From what somebody types to a card: `4090`, `h100-sxm`, `a100 80gb pcie`.

use super::identify::key;
use super::{Catalogue, GpuId};
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

/// Names that are suggested at most.
const MOST_NEAR: usize = 6;

/// No card is meant for certain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("no card in the catalogue is certainly `{asked}`{}", hint(.near))]
pub struct NotFound {
    /// What was typed.
    pub asked: String,
    /// Names that come close, best first.
    pub near: Vec<&'static str>,
}

fn hint(near: &[&str]) -> String {
    if near.is_empty() {
        "; `haggle gpus` lists what there is".to_owned()
    } else {
        format!("; did you mean {}?", near.join(", "))
    }
}

impl Catalogue {
    /// The card that somebody means who types `asked`: any provider's spelling, with or without the
    /// memory, or the name without the word of its line (`4090`, `a6000`, `7900xtx`).
    pub fn find(&self, asked: &str) -> Result<GpuId, NotFound> {
        let known = self.identify(asked, None).or_else(|| self.without_line(asked));
        known.ok_or_else(|| NotFound { asked: asked.trim().to_owned(), near: self.near(asked) })
    }

    /// The one card whose name is `asked` behind the word of its line.
    fn without_line(&self, asked: &str) -> Option<GpuId> {
        let wanted = key(asked);
        let mut found = self.iter().filter(|(_, card)| {
            card.name.split_once(' ').is_some_and(|(_, rest)| key(rest) == wanted)
        });
        match (found.next(), found.next()) {
            (Some((id, _)), None) => Some(id),
            _ => None,
        }
    }

    /// Names that come close: those that hold what was typed, then those that hold its letters.
    fn near(&self, asked: &str) -> Vec<&'static str> {
        let wanted = key(asked);
        if wanted.len() < 2 {
            return Vec::new();
        }
        let matcher = SkimMatcherV2::default().ignore_case();
        let digits =
            |text: &str| -> String { text.chars().filter(char::is_ascii_digit).take(4).collect() };
        let mut scored: Vec<(i64, &'static str)> = self
            .iter()
            .filter_map(|(_, card)| {
                let name = key(card.name);
                let whole = if name.contains(&wanted) { 1000 } else { 0 };
                // The same digits in another order are a slip of the finger.
                let mut there: Vec<char> = digits(&name).chars().collect();
                let mut typed: Vec<char> = digits(&wanted).chars().collect();
                there.sort_unstable();
                typed.sort_unstable();
                let slip = if typed.len() > 2 && there == typed { 500 } else { 0 };
                let score = matcher.fuzzy_match(&name, &wanted).unwrap_or(0) + whole + slip;
                (score > 0)
                    .then_some((score - i64::try_from(name.len()).unwrap_or(i64::MAX), card.name))
            })
            .collect();
        scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        scored.into_iter().take(MOST_NEAR).map(|(_, name)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::gpu::catalogue;

    fn found(asked: &str) -> Option<&'static str> {
        catalogue().find(asked).ok().and_then(|id| catalogue().get(id)).map(|g| g.name)
    }

    #[test]
    fn what_people_type_is_understood() {
        for (asked, card) in [
            ("4090", "RTX 4090"),
            ("rtx4090", "RTX 4090"),
            ("RTX_4090", "RTX 4090"),
            ("3090ti", "RTX 3090 Ti"),
            ("h100", "H100 SXM"),
            ("h100-sxm", "H100 SXM"),
            ("H100_PCIe", "H100 PCIe"),
            ("h100 nvl", "H100 NVL"),
            ("a100 80gb pcie", "A100 PCIe 80GB"),
            ("a100-sxm-40gb", "A100 SXM 40GB"),
            ("a6000", "RTX A6000"),
            ("6000 ada", "RTX 6000 Ada"),
            ("7900xtx", "RX 7900 XTX"),
            ("mi300x", "MI300X"),
            ("l40s", "L40S"),
            ("NVIDIA GeForce RTX 5090", "RTX 5090"),
        ] {
            assert_eq!(found(asked), Some(card), "{asked}");
        }
    }

    #[test]
    fn what_is_not_certain_is_answered_with_names() {
        for (asked, wanted) in [
            ("a100", "A100 SXM 80GB"),
            ("3060", "RTX 3060 12GB"),
            ("rtx 4900", "RTX 4090"),
            ("pro 6000", "RTX PRO 6000 Blackwell Server"),
            ("gh200", "GH200 96GB"),
        ] {
            let near = catalogue().find(asked).unwrap_err().near;
            assert!(near.contains(&wanted), "{asked}: {near:?}");
        }
        let error = catalogue().find("tpu-v5e").unwrap_err();
        assert!(error.to_string().contains("tpu-v5e"), "{error}");
        assert!(catalogue().find("").unwrap_err().near.is_empty());
    }
}
