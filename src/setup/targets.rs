//! Which linear layers carry an adapter: `attention`, `all-linear` or a list as `q,v`.

use super::{Target, Targets};
use std::fmt;
use std::str::FromStr;

impl Target {
    /// All of them, in the order of the block.
    pub const ALL: [Target; 7] =
        [Target::Q, Target::K, Target::V, Target::O, Target::Gate, Target::Up, Target::Down];

    /// The short name: `q`, `gate`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Target::Q => "q",
            Target::K => "k",
            Target::V => "v",
            Target::O => "o",
            Target::Gate => "gate",
            Target::Up => "up",
            Target::Down => "down",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Targets {
    /// q, k, v and o.
    pub const ATTENTION: Targets = Targets(0b000_1111);
    /// Every linear layer of the block.
    pub const ALL_LINEAR: Targets = Targets(0b111_1111);
    /// q and v, as the LoRA paper chose.
    pub const QV: Targets = Targets(0b000_0101);

    /// Is `target` among them?
    pub const fn has(self, target: Target) -> bool {
        self.0 & target.bit() != 0
    }

    /// How many.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// None at all?
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that are chosen.
    pub fn iter(self) -> impl Iterator<Item = Target> {
        Target::ALL.into_iter().filter(move |t| self.has(*t))
    }
}

impl FromIterator<Target> for Targets {
    fn from_iter<I: IntoIterator<Item = Target>>(iter: I) -> Self {
        Targets(iter.into_iter().fold(0, |bits, t| bits | t.bit()))
    }
}

impl FromStr for Targets {
    type Err = String;

    /// Accepts short names and those of Hugging Face modules (`q_proj`, `gate_proj`).
    fn from_str(text: &str) -> Result<Self, String> {
        let mut bits = 0;
        for word in text.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            let word = word.to_ascii_lowercase();
            let short = word.strip_suffix("_proj").unwrap_or(&word);
            bits |= match short {
                "attention" => Targets::ATTENTION.0,
                "all-linear" | "all" => Targets::ALL_LINEAR.0,
                "mlp" => Target::Gate.bit() | Target::Up.bit() | Target::Down.bit(),
                "qkv" => Target::Q.bit() | Target::K.bit() | Target::V.bit(),
                "gate_up" => Target::Gate.bit() | Target::Up.bit(),
                _ => Target::ALL.into_iter().find(|t| t.as_str() == short).map(Target::bit).ok_or_else(
                    || {
                        format!(
                            "`{word}` is no linear layer; attention, all-linear, or some of q, k, v, o, gate, up, down"
                        )
                    },
                )?,
            };
        }
        if bits == 0 {
            return Err("names no layer; attention, all-linear, or a list as q,v".into());
        }
        Ok(Targets(bits))
    }
}

impl fmt::Display for Targets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Targets::ATTENTION => f.write_str("attention"),
            Targets::ALL_LINEAR => f.write_str("all-linear"),
            some => {
                let names: Vec<&str> = some.iter().map(Target::as_str).collect();
                f.write_str(&names.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_of_modules_are_understood() {
        assert_eq!("q_proj, v_proj".parse(), Ok(Targets::QV));
        assert_eq!("attention,mlp".parse(), Ok(Targets::ALL_LINEAR));
        assert!("embed".parse::<Targets>().is_err());
        assert!("".parse::<Targets>().is_err());
    }

    proptest! {
        #[test]
        fn every_set_reads_back(bits in 1u8..128) {
            let set = Targets(bits);
            prop_assert_eq!(set.to_string().parse(), Ok(set));
            prop_assert_eq!(set.iter().collect::<Targets>(), set);
        }
    }
}
