//! Bills worked by hand, two for each provider, and what must hold for every bill.
//!
//! The job of all examples: image 9 GB, weights 16 GB, data 2 GB, result 4.5 GB, disk 100 GB, loading
//! 0.05 h, a save 0.01 h every 0.5 h, evaluation 4 %, boot 0.1 h, idle 0.25 h, hub 800 Mbit/s, 1,000
//! tokens a second. 36 million tokens are 10 h; × 1.05 are 10.5 h; evaluation 0.42 h; 10.92 h of
//! work need 21.84 saves and the last one, 0.2284 h. Where no network speed is stated, 500 Mbit/s
//! down make 0.04 h for the image and 0.08 h for weights and data, and 200 up 0.05 h for the
//! result: 11.4684 h in all. Prices are those of the providers' lists of 2026.

use super::price::unused;
use super::terms::Terms;
use super::*;
use crate::estimate::class::ClassEstimate;
use crate::estimate::fit::Fit;
use crate::estimate::quote::{PriceKind, Speed};
use crate::offer::{Availability, Basis, Flags, Hardware, Hazard, Link, Origin, Place, Price};
use crate::setup::{Draft, Field, Setup};
use crate::units::{Share, TokensPerSecond, UnixSeconds};
use proptest::prelude::*;

const LONG: f64 = 36e6;

fn job(tokens: f64) -> Job {
    Job {
        disk: Gb::new(100.0),
        disk_needed: Gb::new(80.0),
        image: Gb::new(9.0),
        weights: Gb::new(16.0),
        data: Gb::new(2.0),
        result: Gb::new(4.5),
        checkpoint: Gb::new(1.0),
        tokens,
        load: Hours::new(0.05),
        save: Hours::new(0.01),
        interval: Hours::new(0.5),
        evaluation: 0.04,
        idle: Range::exact(Hours::new(0.25)),
        hub: Mbps::new(800.0),
        boot: Some(Hours::new(0.1)),
        hazard: None,
        egress: None,
        ingress: None,
        storage: None,
        network: [None; 2],
    }
}

pub(super) fn class(low: f64, expected: f64, high: f64) -> ClassEstimate {
    let rate = TokensPerSecond::new;
    ClassEstimate {
        fit: Fit::unknown("a test"),
        speed: Speed {
            tokens_per_second: Some(Range::new(rate(low), rate(expected), rate(high))),
            mfu: None,
            basis: Basis::Modelled,
            note: String::new(),
        },
    }
}

/// A row with all fees free and nothing stated about the network.
fn row(provider: Provider) -> RowFacts {
    RowFacts {
        provider,
        on_demand: None,
        spot: None,
        storage: Some(UsdPerGbMonth::ZERO),
        storage_stopped: None,
        egress: Some(UsdPerGb::ZERO),
        ingress: Some(UsdPerGb::ZERO),
        minimum: Some(Hours::ZERO),
        monthly_cap: None,
        download: None,
        upload: None,
        disk: None,
        hazard: None,
    }
}

fn on_demand(provider: Provider, price: f64) -> RowFacts {
    RowFacts { on_demand: Some(UsdPerHour::new(price)), ..row(provider) }
}

fn spot(provider: Provider, price: f64, hazard: Option<f64>) -> RowFacts {
    let hazard = hazard.map(|h| Range::exact(PerHour::new(h)));
    RowFacts { spot: Some(UsdPerHour::new(price)), hazard, ..row(provider) }
}

#[expect(clippy::unnecessary_wraps, reason = "fees are optional")]
pub(super) const fn per_month(usd: f64) -> Option<UsdPerGbMonth> {
    Some(UsdPerGbMonth::new(usd))
}

#[expect(clippy::unnecessary_wraps, reason = "fees are optional")]
const fn per_gb(usd: f64) -> Option<UsdPerGb> {
    Some(UsdPerGb::new(usd))
}

/// Compares a bill with one worked by hand: GPU time, storage, download, upload, lost work, idle,
/// minimum charge, each to a hundredth of a cent, and the total.
fn check(row: RowFacts, tokens: f64, by_hand: [Option<f64>; 7], total: f64) {
    let kind = if row.spot.is_some() { PriceKind::Spot } else { PriceKind::OnDemand };
    let quote = job(tokens).price(&class(800.0, 1000.0, 1250.0), &row, kind);
    for (kind, wanted) in ItemKind::ALL.into_iter().zip(by_hand) {
        let got = quote.items[kind as usize].map(Usd::get);
        let same = match (got, wanted) {
            (Some(got), Some(wanted)) => (got - wanted).abs() < 5.1e-5,
            (None, None) => true,
            _ => false,
        };
        assert!(same, "{:?} {kind:?}: {got:?}, by hand {wanted:?}", row.provider);
    }
    let got = quote.total.unwrap();
    assert!((got.expected.get() - total).abs() < 0.000_06, "{:?} {got:?}", row.provider);
    assert!(got.low <= got.expected && got.expected <= got.high);
}

/// At 400 Mbit/s the image takes 0.05 h and the rest 0.1 h; result at 200 up 0.05 h. Boot and image
/// are not billed: 0.1 + 0.05 + 10.5 + 0.42 + 0.2284 + 0.05 = 11.3484 h. Storage for 11.7484 h.
#[test]
fn vast_on_demand() {
    let vast = RowFacts {
        storage: per_month(0.15),
        egress: per_gb(0.004),
        ingress: per_gb(0.003),
        download: Some(Mbps::new(400.0)),
        upload: Some(Mbps::new(200.0)),
        ..on_demand(Provider::Vast, 0.40)
    };
    // 11.3484 × 0.40; 100 × 0.15 / 720 × 11.7484; 27 × 0.003; 4.5 × 0.004; 0.25 × 0.40.
    let bill = [4.5394, 0.2448, 0.081, 0.018, 0.0, 0.1, 0.0].map(Some);
    check(vast, LONG, bill, 4.9831);
}

/// At 0.05 interruptions an hour, with boot and load after each (0.15 h):
/// 21.84 × e^0.0075 × (e^0.0255 − 1) / 0.05 = 11.36656 h, of which 11.1384 were planned.
#[test]
fn vast_interruptible() {
    let vast = RowFacts {
        storage: per_month(0.15),
        egress: per_gb(0.004),
        ingress: per_gb(0.003),
        download: Some(Mbps::new(400.0)),
        upload: Some(Mbps::new(200.0)),
        ..spot(Provider::Vast, 0.20, Some(0.05))
    };
    // 11.3484 × 0.20; storage for 11.97656 h; lost 0.22816 × 0.20; idle 0.25 × 0.20.
    let bill = [2.2697, 0.2495, 0.081, 0.018, 0.0456, 0.05, 0.0].map(Some);
    check(vast, LONG, bill, 2.7138);
}

/// Secure cloud: all 11.4684 h are billed, disk 0.10 $/GB-month, traffic free.
#[test]
fn runpod_h100() {
    let pod = RowFacts { storage: per_month(0.10), ..on_demand(Provider::Runpod, 3.29) };
    // 11.4684 × 3.29; 100 × 0.10 / 720 × 11.7184; 0.25 × 3.29.
    check(pod, LONG, [37.7310, 0.1628, 0.0, 0.0, 0.0, 0.8225, 0.0].map(Some), 38.7163);
}

/// 1.8 million tokens: 0.525 h, evaluation 0.021 h, 1.092 saves and the last one 0.02092 h; in all
/// 0.1 + 0.04 + 0.08 + 0.05 + 0.525 + 0.021 + 0.02092 + 0.05 = 0.88692 h.
#[test]
fn runpod_short_job() {
    let pod = RowFacts { storage: per_month(0.10), ..on_demand(Provider::Runpod, 0.74) };
    check(pod, 1.8e6, [0.6563, 0.0158, 0.0, 0.0, 0.0, 0.185, 0.0].map(Some), 0.8571);
}

/// Boot is not billed: 11.3684 h, with idling 697.1 minutes, billed as 698. Disk is included,
/// traffic free.
#[test]
fn lambda_a10() {
    let minute = Some(Hours::from_minutes(1.0));
    let a10 = RowFacts { minimum: minute, ..on_demand(Provider::Lambda, 1.29) };
    check(a10, LONG, [14.6652, 0.0, 0.0, 0.0, 0.0, 0.3225, 0.0193].map(Some), 15.0070);
}

/// (0.88692 − 0.1) × 31.92, and 0.25 × 31.92 for a quarter of an hour that nobody noticed:
/// 62.2 minutes, billed as 63.
#[test]
fn lambda_eight_h100_short_job() {
    let minute = Some(Hours::from_minutes(1.0));
    let eight = RowFacts { minimum: minute, ..on_demand(Provider::Lambda, 31.92) };
    check(eight, 1.8e6, [25.1185, 0.0, 0.0, 0.0, 0.0, 7.98, 0.4175].map(Some), 33.5160);
}

/// At 1,000 Mbit/s the image takes 0.02 h; the hub gives 800, so the rest takes 0.05 h; up 0.01 h.
/// In all 11.3784 h; disk 100 × 0.0365 / 730 × 11.6284. Nobody says what traffic out costs.
#[test]
fn tensordock_h100() {
    let machine = RowFacts {
        storage: per_month(0.0365),
        egress: None,
        download: Some(Mbps::new(1000.0)),
        upload: Some(Mbps::new(1000.0)),
        ..on_demand(Provider::Tensordock, 2.293)
    };
    let bill = [Some(26.0907), Some(0.0581), Some(0.0), None, Some(0.0), Some(0.5733), Some(0.0)];
    check(machine, LONG, bill, 26.7221);
}

/// An outbid machine keeps its disk, so 0.15 h to restart; at 0.1 an hour 0.46162 h are lost. The
/// least time is not stated, but the job is longer than any.
#[test]
fn tensordock_bid() {
    let machine = RowFacts {
        storage: per_month(0.0365),
        egress: None,
        minimum: None,
        ..spot(Provider::Tensordock, 0.35, Some(0.1))
    };
    let bill = [Some(4.0139), Some(0.0609), Some(0.0), None, Some(0.1616), Some(0.0875), Some(0.0)];
    check(machine, LONG, bill, 4.3239);
}

/// 11.7184 h are billed as 12: 0.2816 × 1.671 for nothing. Traffic out 0.01 $/GB.
#[test]
fn vultr_l40s() {
    let hour = Some(Hours::new(1.0));
    let plan =
        RowFacts { egress: per_gb(0.01), minimum: hour, ..on_demand(Provider::Vultr, 1.671) };
    check(plan, LONG, [19.1637, 0.0, 0.0, 0.045, 0.0, 0.4178, 0.4706].map(Some), 20.0970);
}

/// 360 thousand tokens: 0.105 h, evaluation 0.0042 h, one save; 0.4392 h and 0.25 h idle: 0.6892 h
/// are billed as one.
#[test]
fn vultr_shorter_than_an_hour() {
    let hour = Some(Hours::new(1.0));
    let plan =
        RowFacts { egress: per_gb(0.01), minimum: hour, ..on_demand(Provider::Vultr, 2.397) };
    check(plan, 0.36e6, [1.0528, 0.0, 0.0, 0.045, 0.0, 0.5993, 0.7450].map(Some), 2.4420);
}

/// A month of 730 h is billed for 672 of them, at the plan's price of a month.
#[test]
fn vultr_longer_than_a_month() {
    let hour = Some(Hours::new(1.0));
    let price = |cap: Option<f64>, tokens: f64| {
        let plan = RowFacts {
            minimum: hour,
            monthly_cap: cap.map(Hours::new),
            ..on_demand(Provider::Vultr, 1.671)
        };
        job(tokens).price(&class(1000.0, 1000.0, 1000.0), &plan, PriceKind::OnDemand)
    };
    // 2,400 million tokens at 1,000 a second, times 1.05: 700 h of training, so more than 672 and
    // less than 730 + 672 in all: 672 of the first month, and what is over 730 of the second.
    let (free, capped) = (price(None, 2.4e9), price(Some(672.0), 2.4e9));
    let hours = capped.hours.unwrap().expected.get();
    assert!(hours > 730.0 && hours < 1402.0, "{hours}");
    let by_hand = (672.0 + hours.ceil() - 730.0) * 1.671;
    let total = capped.total.unwrap();
    assert!((total.expected.get() - by_hand).abs() < 1e-6, "{total:?} {by_hand}");
    assert!((free.total.unwrap().expected.get() - hours.ceil() * 1.671).abs() < 1e-6);
    // Cut in two by the end of a calendar month it costs every hour.
    assert_eq!(total.high, free.total.unwrap().high);
    // A whole month is what the plan asks for a month: 672 × 1.671 = 1,122.91 $.
    let month = price(Some(1122.91 / 1.671), 2.2e9);
    let hours = month.hours.unwrap().expected.get();
    assert!((673.0..729.0).contains(&hours), "{hours}");
    assert!((month.total.unwrap().expected.get() - 1122.91).abs() < 1e-6);
    // A job shorter than the cap is not touched by it.
    assert_eq!(price(Some(672.0), LONG), price(None, LONG));
}

/// g5.xlarge: gp3 0.08 $/GB-month (of 730 hours, as in the lists of all three), traffic out 0.09 $/GB, at least a minute.
#[test]
fn aws_on_demand() {
    let minute = Some(Hours::from_minutes(1.0));
    let g5 = RowFacts {
        storage: per_month(0.08),
        egress: per_gb(0.09),
        minimum: minute,
        ..on_demand(Provider::Aws, 1.006)
    };
    check(g5, LONG, [11.5372, 0.1284, 0.0, 0.405, 0.0, 0.2515, 0.0].map(Some), 12.3221);
}

/// The band "over 20 % a month" as 0.0005 an hour; a new machine fetches again, so 0.27 h to
/// restart: 21.84 × e^0.000135 × (e^0.000255 − 1) / 0.0005 − 11.1384 = 0.00292 h.
#[test]
fn aws_spot() {
    let minute = Some(Hours::from_minutes(1.0));
    let g5 = RowFacts {
        storage: per_month(0.08),
        egress: per_gb(0.09),
        minimum: minute,
        ..spot(Provider::Aws, 0.5179, Some(5e-4))
    };
    check(g5, LONG, [5.9395, 0.1285, 0.0, 0.405, 0.0015, 0.1295, 0.0].map(Some), 6.6039);
}

/// NC24ads A100: premium disk P10, 19.71 $ for 128 GiB, as 0.154 $/GB-month; traffic out 0.087.
#[test]
fn azure_on_demand() {
    let nc24 = RowFacts {
        storage: per_month(0.154),
        egress: per_gb(0.087),
        ..on_demand(Provider::Azure, 3.673)
    };
    check(nc24, LONG, [42.1234, 0.2472, 0.0, 0.3915, 0.0, 0.9183, 0.0].map(Some), 43.6804);
}

/// Nobody says without a login how often these are evicted: lost work is unknown, not nothing.
#[test]
fn azure_spot() {
    let nc24 = RowFacts {
        storage: per_month(0.154),
        egress: per_gb(0.087),
        ..spot(Provider::Azure, 0.679, None)
    };
    let bill = [Some(7.7870), Some(0.2472), Some(0.0), Some(0.3915), None, Some(0.1698), Some(0.0)];
    check(nc24, LONG, bill, 8.5955);
}

/// a2-highgpu-1g: balanced disk 0.10 $/GB-month, traffic out 0.12 $/GB, at least a minute.
#[test]
fn gcp_on_demand() {
    let minute = Some(Hours::from_minutes(1.0));
    let a2 = RowFacts {
        storage: per_month(0.10),
        egress: per_gb(0.12),
        minimum: minute,
        ..on_demand(Provider::Gcp, 3.673_385)
    };
    check(a2, LONG, [42.1278, 0.1605, 0.0, 0.54, 0.0, 0.9183, 0.0].map(Some), 43.7467);
}

/// Ten in a hundred a day are 0.0044 an hour: 0.02576 h are lost.
#[test]
fn gcp_spot() {
    let minute = Some(Hours::from_minutes(1.0));
    let a2 = RowFacts {
        storage: per_month(0.10),
        egress: per_gb(0.12),
        minimum: minute,
        ..spot(Provider::Gcp, 1.293, Some(4.4e-3))
    };
    check(a2, LONG, [14.8286, 0.1609, 0.0, 0.54, 0.0333, 0.3233, 0.0].map(Some), 15.8861);
}

#[test]
fn a_short_job_at_an_unstated_least_time_is_not_called_free() {
    let vast = Terms::of(Provider::Vast);
    assert_eq!(unused(0.4, None, vast, false), None);
    assert_eq!(unused(0.4, None, vast, true), Some(0.6));
    assert_eq!(unused(3.0, None, vast, false), Some(0.0));
    assert_eq!(unused(0.4, Some(Hours::new(0.5)), vast, false), Some(0.5 - 0.4));
    assert_eq!(unused(1.2, Some(Hours::new(1.0)), Terms::of(Provider::Vultr), false), Some(0.8));
}

#[test]
fn an_unknown_hazard_widens_the_range_and_a_hopeless_one_never_finishes() {
    let price = |hazard: Option<f64>| {
        let row = spot(Provider::Vast, 0.2, hazard);
        job(LONG).price(&class(1000.0, 1000.0, 1000.0), &row, PriceKind::Spot)
    };
    let (unknown, none) = (price(None).total.unwrap(), price(Some(0.0)).total.unwrap());
    assert!((unknown.expected - none.expected).get().abs() < 1e-9);
    assert!(unknown.high.get() > none.high.get() * 1.1, "{unknown:?} {none:?}");
    let hopeless = price(Some(8.0));
    assert!(hopeless.never_finishes && hopeless.hours.is_none() && hopeless.total.is_none());
}

#[test]
fn without_a_speed_or_a_price_there_is_no_total() {
    let mut unknown = class(1.0, 1.0, 1.0);
    unknown.speed.tokens_per_second = None;
    let row = on_demand(Provider::Aws, 1.0);
    let quote = job(LONG).price(&unknown, &row, PriceKind::OnDemand);
    assert!(quote.hours.is_none() && quote.total.is_none() && quote.fetch.is_some());
    let quote = job(LONG).price(&class(1.0, 1e3, 1e4), &row, PriceKind::Spot);
    assert!(quote.hours.is_some() && quote.total.is_none() && !quote.never_finishes);
}

/// A machine for 0.5 $ an hour that states its network but no fees.
pub(in crate::estimate) fn offer(provider: Provider, key: &str) -> Offer {
    Offer {
        key: key.into(),
        launch_id: key.into(),
        provider,
        host: None,
        hardware: Hardware {
            gpu: None,
            gpu_raw: "a card".into(),
            gpus: Some(1.0),
            vram: None,
            link: Link::Unknown,
            vcpus: None,
            ram: None,
            cuda_max: None,
            instance_type: None,
        },
        place: Place::default(),
        price: Price { on_demand: Some(UsdPerHour::new(0.5)), spot: None },
        fees: crate::offer::Fees::default(),
        reliability: None,
        download: Some(Mbps::new(800.0)),
        upload: Some(Mbps::new(500.0)),
        disk: Some(Gb::new(500.0)),
        verified: None,
        availability: Availability::Yes,
        hazard: None,
        max_rental: None,
        origin: Origin {
            source: "a test",
            basis: Basis::Live,
            fetched_at: UnixSeconds(1_790_000_000),
        },
        flags: Flags::default(),
    }
}

pub(super) fn setup(fields: &[(Field, &str)]) -> Setup {
    let mut draft = Draft::default();
    for (field, text) in fields {
        draft.set(*field, text).unwrap();
    }
    draft.resolve(crate::setup::test_model()).unwrap()
}

/// Llama-3-8B has 8,030,261,248 parameters, 16.06 GB in 16 bits. Rank 16 on all linear layers is
/// 16 × 32 × (2 × 8192 + 2 × 5120 + 3 × 18432) = 41,943,040 parameters: 0.1678 GB in fp32, with
/// AdamW's two states 0.5033 GB. Disk: 2 × 16.06 + 2 × 10 + 2 × 4 + 2 × 0.5033 + 5 = 66.1, so 70.
#[test]
fn sizes_follow_from_the_setup() {
    let adapters = setup(&[
        (Field::LoraRank, "16"),
        (Field::LoraTargets, "all-linear"),
        (Field::Optimizer, "adamw"),
        (Field::ImageSize, "10GB"),
        (Field::DatasetSize, "4GB"),
    ]);
    let job = Job::new(&adapters);
    assert!((job.weights.get() - 16.060_522_496).abs() < 1e-9);
    assert!((job.result.get() - 0.167_772_16).abs() < 1e-9);
    assert!((job.checkpoint.get() - 0.503_316_48).abs() < 1e-9);
    assert_eq!((job.disk.get(), job.disk_needed.get()), (70.0, 70.0));
    // 60 s and 16.06 GB at 1 GB/s; 5 s and 0.5033 GB at 0.4 GB/s.
    assert!((job.load.seconds() - 76.0605).abs() < 1e-3);
    assert!((job.save.seconds() - 6.2583).abs() < 1e-3);
    // All weights: 2 bytes each to bring home, 6 with AdamW's bf16 states.
    let full =
        setup(&[(Field::Method, "full"), (Field::Precision, "bf16"), (Field::Optimizer, "adamw")]);
    let job = Job::new(&full);
    assert!((job.result.get() - 16.0605).abs() < 1e-3);
    assert!((job.checkpoint.get() - 48.1816).abs() < 1e-3);
}

#[test]
fn the_words_carry_the_figures_of_the_kernel() {
    let mut offer = offer(Provider::Vast, "7-1");
    offer.price.spot = Some(UsdPerHour::new(0.2));
    offer.fees.egress = per_gb(0.004);
    let (setup, class) = (setup(&[]), class(900.0, 1000.0, 1100.0));
    for kind in [PriceKind::OnDemand, PriceKind::Spot] {
        let now = UnixSeconds(offer.origin.fetched_at.0 + 90);
        let quote = explain(&setup, &offer, &class, kind, now);
        let row = Job::new(&setup).price(&class, &RowFacts::from(&offer), kind);
        assert_eq!((quote.total, quote.hours), (row.total, row.hours));
        let items: Vec<Option<Usd>> = quote.items.iter().map(|i| i.usd).collect();
        assert_eq!(items, row.items);
        let known: Usd = items.into_iter().flatten().sum();
        assert!((known - row.total.unwrap().expected).get().abs() < 1e-9);
        let hours: Hours = quote.stages.iter().map(|s| s.hours).sum();
        assert!((hours - row.hours.unwrap().expected).get().abs() < 1e-9);
        assert_eq!(quote.items[0].age_seconds, Some(90));
        for item in &quote.items {
            assert_eq!(item.usd.is_none(), item.basis == Basis::Unknown, "{item:?}");
            assert!(!item.unit.is_empty() && !item.source.is_empty());
        }
        // Storage, traffic in and the least time are not stated; on spot the hazard is not either.
        assert!(quote.unknown.len() >= 2, "{:?}", quote.unknown);
        assert!(quote.total.unwrap().high.get() > quote.total.unwrap().expected.get());
    }
}

#[test]
fn what_the_user_replaced_is_said() {
    let setup = setup(&[
        (Field::Assume, "hazard=0.2"),
        (Field::Assume, "egress=0.5"),
        (Field::Assume, "idle=3"),
        (Field::Assume, "boot=0.5"),
        (Field::Assume, "hub=100"),
        (Field::Assume, "eval=0.5"),
    ]);
    let mut offer = offer(Provider::Aws, "g5.xlarge");
    offer.price.spot = Some(UsdPerHour::new(0.2));
    offer.hazard = Some(Hazard { rate: Range::exact(PerHour::new(1e-3)), source: "a list" });
    let quote = explain(&setup, &offer, &class(1e3, 1e3, 1e3), PriceKind::Spot, UnixSeconds(0));
    for name in ["hazard", "egress", "idle", "boot", "hub", "eval"] {
        let found = quote.assumptions.iter().find(|(n, _)| *n == name).unwrap();
        assert!(found.1.contains("yours"), "{found:?}");
    }
    let address = quote.assumptions.iter().find(|(n, _)| *n == "address").unwrap();
    assert!(address.1.contains("not counted"), "{address:?}");
    let stage = |name: &str| quote.stages.iter().find(|s| s.name == name).unwrap().hours.get();
    assert_eq!((stage("boot"), stage("idle")), (0.5, 3.0));
    assert!((stage("evaluate") / stage("train") - 0.5).abs() < 1e-9);
    assert!(stage("lost work") > 0.0);
    let interruption = quote.interruption.unwrap();
    assert_eq!(interruption.hazard.unwrap().expected.get(), 0.2);
    assert_eq!(interruption.source, "you");
}

/// At the break-even rate the two bills are the same.
#[test]
fn the_break_even_rate_makes_both_prices_equal() {
    let mut offer = offer(Provider::Vast, "7-1");
    offer.fees = crate::offer::Fees {
        storage: per_month(0.1),
        egress: per_gb(0.0),
        ingress: per_gb(0.0),
        minimum: Some(Hours::ZERO),
        storage_stopped: per_month(0.2),
        monthly_cap: None,
    };
    offer.price.spot = Some(UsdPerHour::new(0.3));
    let (setup, class) = (setup(&[(Field::Tokens, "50M")]), class(1e3, 1e3, 1e3));
    let quote = explain(&setup, &offer, &class, PriceKind::Spot, UnixSeconds(0));
    let even = quote.interruption.as_ref().unwrap().break_even.unwrap();
    assert!(even.get() > 0.05, "{even:?}");
    let row = RowFacts { hazard: Some(Range::exact(even)), ..RowFacts::from(&offer) };
    let job = Job::new(&setup);
    let total = |kind| job.price(&class, &row, kind).total.unwrap().expected.get();
    assert!((total(PriceKind::Spot) / total(PriceKind::OnDemand) - 1.0).abs() < 1e-6);
    // 63 h of 0.3 $ and the disk; a month of the stopped disk at 0.2 $/GB.
    let disk = job.disk.get();
    let weekend = 63.0 * (0.3 + disk * 0.1 / 720.0);
    assert!((quote.forgotten.weekend.unwrap().get() - weekend).abs() < 1e-9);
    assert!((quote.forgotten.stopped_month.unwrap().get() - disk * 0.2).abs() < 1e-9);
}

proptest! {
    #[test]
    fn every_bill_is_sound(
        provider in 0..8_usize, price in 0.0..100.0_f64, hazard in proptest::option::of(0.0..2.0_f64),
        storage in proptest::option::of(0.0..1.0_f64), egress in proptest::option::of(0.0..1.0_f64),
        download in proptest::option::of(0.0..20_000.0_f64), tokens in 1e3..1e10_f64,
        speed in 10.0..1e5_f64, wide in 1.0..3.0_f64, interval in 0.0..4.0_f64,
    ) {
        let row = RowFacts {
            storage: storage.map(UsdPerGbMonth::new),
            egress: egress.map(UsdPerGb::new),
            download: download.map(Mbps::new),
            ..spot(Provider::ALL[provider], price, hazard)
        };
        let job = Job { interval: Hours::new(interval), ..job(tokens) };
        let class = class(speed / wide, speed, speed * wide);
        let quote = job.price(&class, &row, PriceKind::Spot);
        for usd in quote.items.iter().flatten() {
            prop_assert!(usd.get().is_finite() && usd.get() >= 0.0);
        }
        prop_assert_eq!(quote.never_finishes, quote.hours.is_none());
        if let (Some(total), Some(hours)) = (quote.total, quote.hours) {
            prop_assert!(total.low <= total.expected && total.expected <= total.high);
            prop_assert!(hours.low <= hours.expected && hours.expected <= hours.high);
            prop_assert!(total.high.get().is_finite() && hours.high.get().is_finite());
        }
    }
}

#[test]
fn the_share_of_fetching_is_a_share() {
    let quote =
        job(LONG).price(&class(1e3, 1e3, 1e3), &on_demand(Provider::Aws, 1.0), PriceKind::OnDemand);
    // 0.04 + 0.08 of 11.7184 h.
    let share = quote.fetch_share().unwrap();
    assert!((share.get() - 0.12 / 11.7184).abs() < 1e-9);
    assert!(share < Share::new(1.0));
}
