//! What the figures of a row say about it beyond themselves: which prices are none, and what to
//! mark. One rule for all sources.

use crate::gpu::{GpuId, catalogue};
use crate::offer::{Flags, Hardware, Offer, Price, Text};
use crate::units::{Gib, UsdPerHour};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Dollars per GPU-hour above which a price is no price.
pub(super) const DEAREST: f64 = 1000.0;
/// Dollars per GPU-hour that real offers lie between; others are marked, not hidden.
const USUAL_PRICE: RangeInclusive<f64> = 0.02..=40.0;
/// Share by which what a card reports may differ from its nominal memory (a B300 reports 268.6 GiB
/// of 288 GB; 24 GB for 23 is the most among the others).
const SAME_MEMORY: f64 = 0.08;
/// Chips that sit beside an Arm processor on one module, as makers and providers name them.
const GRACE: [&str; 4] = ["GH200", "GB200", "GB300", "T4G"];

/// Dollars an hour, to the millionth: a product or a sum of prices without the noise of its digits.
pub(super) fn dollars(value: f64) -> UsdPerHour {
    UsdPerHour::new((value * 1e6).round() / 1e6)
}

/// What is to be marked about an offer: a price outside the usual band, spot that costs as much as
/// on demand or more, memory that is not the card's, an Arm host.
pub(super) fn flags(hardware: &Hardware, price: &Price) -> Flags {
    let mut flags = Flags::default();
    let mut set = |when: bool, flag: Flags| {
        if when {
            flags = flags.with(flag);
        }
    };
    // Slices are priced by their share; a share of a thousandth is noise.
    let odd =
        |p: UsdPerHour| hardware.gpus.is_some_and(|gpus| !USUAL_PRICE.contains(&(p.get() / gpus)));
    set(price.on_demand.is_some_and(odd), Flags::ODD_PRICE);
    let no_cheaper = price.spot.zip(price.on_demand).is_some_and(|(spot, full)| spot >= full);
    set(no_cheaper, Flags::SPOT_NOT_CHEAPER);
    let nominal = hardware.gpu.and_then(|id| catalogue().get(id)).map(|card| card.memory);
    let whole = hardware.gpus.is_some_and(|gpus| gpus >= 1.0);
    let odd_memory = hardware.vram.zip(nominal).is_some_and(|(v, n)| whole && differs(v, n));
    set(odd_memory, Flags::ODD_MEMORY);
    set(is_arm(hardware), Flags::ARM_HOST);
    flags
}

/// Marks offers that cost less than another offer of the same provider, place and card with half as
/// many cards or fewer: eight A100 for less than four are a mistake in the list more often than a
/// bargain.
pub(super) fn mark_bargains(offers: &mut [Offer]) {
    let mut cheapest = BTreeMap::<(Text, GpuId, bool), BTreeMap<u64, f64>>::new();
    let cards = |offer: &Offer| (offer.hardware.gpus.unwrap_or_default() * 1e6) as u64;
    let keys = |offer: &Offer| {
        let key = |spot| Some((offer.place.raw.clone(), offer.hardware.gpu?, spot));
        let price = [(key(false), offer.price.on_demand), (key(true), offer.price.spot)];
        price.map(|(key, price)| key.zip(price)).into_iter().flatten()
    };
    for offer in offers.iter() {
        for (key, price) in keys(offer) {
            let least = cheapest.entry(key).or_default().entry(cards(offer)).or_insert(f64::MAX);
            *least = least.min(price.get());
        }
    }
    for offer in offers {
        let (cards, mut odd) = (cards(offer), false);
        for (key, price) in keys(offer) {
            let fewer = cheapest.get(&key).into_iter().flat_map(|c| c.range(..=cards / 2));
            odd |= fewer.into_iter().any(|(_, least)| price.get() < *least);
        }
        offer.flags = offer.flags.with(Flags::ODD_PRICE.when(odd));
    }
}

/// Are these two amounts of memory not those of one card?
pub(super) fn differs(stated: Gib, nominal: Gib) -> bool {
    (stated.get() / nominal.get() - 1.0).abs() > SAME_MEMORY
}

/// Is the processor an Arm one, as the card or the machine type tells? Grace modules are; and AWS
/// writes a `g` after the number of a Graviton family: `g5g`.
fn is_arm(hardware: &Hardware) -> bool {
    let card = hardware.gpu.and_then(|id| catalogue().get(id)).map_or("", |card| card.name);
    let raw = hardware.gpu_raw.as_str().to_ascii_uppercase();
    let grace = GRACE.iter().any(|chip| card.starts_with(chip) || raw.contains(chip));
    let family = hardware.instance_type.as_ref().and_then(|t| t.as_str().split_once('.'));
    let graviton = family.is_some_and(|(family, _)| {
        let mut end = family.chars().rev();
        end.next() == Some('g') && end.next().is_some_and(|c| c.is_ascii_digit())
    });
    grace || graviton
}

/// Is that how an x86 processor is not called? (`arm64`, `aarch64`, `arm`.)
pub(super) fn arm_word(word: &str) -> bool {
    let word = word.trim().to_ascii_lowercase();
    word.starts_with("arm") || word == "aarch64"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::{Link, Text};

    fn hardware(card: &str, gpus: f64, vram: Option<f64>, kind: &str) -> Hardware {
        Hardware {
            gpu: catalogue().identify(card, None),
            gpu_raw: Text::new(card),
            gpus: Some(gpus),
            vram: vram.map(Gib::new),
            link: Link::Unknown,
            vcpus: None,
            ram: None,
            cuda_max: None,
            instance_type: (!kind.is_empty()).then(|| Text::new(kind)),
        }
    }

    fn price(on_demand: f64, spot: Option<f64>) -> Price {
        Price { on_demand: Some(UsdPerHour::new(on_demand)), spot: spot.map(UsdPerHour::new) }
    }

    fn names(hardware: &Hardware, price: &Price) -> Vec<&'static str> {
        flags(hardware, price).names()
    }

    #[test]
    fn a_price_outside_the_sane_band_is_marked_and_kept() {
        let h100 = hardware("H100 SXM", 8.0, Some(80.0), "");
        assert_eq!(names(&h100, &price(24.0, None)), [] as [&str; 0]);
        assert_eq!(names(&h100, &price(0.08, None)), ["odd-price"]);
        assert_eq!(names(&h100, &price(8.0 * 41.0, None)), ["odd-price"]);
        assert_eq!(names(&h100, &Price::default()), [] as [&str; 0], "unknown is not odd");
    }

    #[test]
    fn a_slice_is_judged_by_its_share() {
        let slice = hardware("A16 (per GPU)", 0.125, Some(2.0), "");
        assert_eq!(names(&slice, &price(0.059, None)), [] as [&str; 0]);
        assert_eq!(names(&slice, &price(0.001, None)), ["odd-price"]);
    }

    #[test]
    fn spot_above_on_demand_is_marked() {
        let h200 = hardware("H200", 8.0, Some(141.0), "");
        assert_eq!(names(&h200, &price(84.8, Some(84.8))), ["spot-not-cheaper"]);
        assert_eq!(names(&h200, &price(84.8, Some(96.0))), ["spot-not-cheaper"]);
        assert_eq!(names(&h200, &price(84.8, Some(20.0))), [] as [&str; 0]);
    }

    #[test]
    fn memory_that_is_not_the_cards_is_marked() {
        let short = hardware("RTX 4090", 1.0, Some(23.99), "");
        assert_eq!(names(&short, &price(0.4, None)), [] as [&str; 0]);
        let b300 = hardware("B300", 8.0, Some(268.6), "");
        assert_eq!(names(&b300, &price(50.0, None)), [] as [&str; 0]);
        let odd = hardware("RTX 4090", 1.0, Some(16.0), "");
        assert_eq!(names(&odd, &price(0.4, None)), ["odd-memory"]);
    }

    #[test]
    fn arm_hosts_are_marked_because_x86_images_do_not_start_there() {
        for (card, kind) in [
            ("GH200 96GB", ""),
            ("GH200 96GB", "gpu_1x_gh200"),
            ("GB200", "Standard_ND128isr_NDR_GB200_v6"),
            ("T4g", "g5g.xlarge"),
            ("T4", "g5g.metal"),
        ] {
            let all = names(&hardware(card, 1.0, None, kind), &price(2.0, None));
            assert!(all.contains(&"arm-host"), "{card} {kind}: {all:?}");
        }
        for (card, kind) in
            [("T4", "g4dn.xlarge"), ("A10G", "g5.xlarge"), ("L4", "gr6.4xlarge"), ("B200", "")]
        {
            let all = names(&hardware(card, 1.0, None, kind), &price(2.0, None));
            assert!(!all.contains(&"arm-host"), "{card} {kind}: {all:?}");
        }
        assert!(["arm64", "aarch64", "ARM"].iter().all(|w| arm_word(w)));
        assert!(!["amd64", "x86_64", "x86", ""].iter().any(|w| arm_word(w)));
    }
}
