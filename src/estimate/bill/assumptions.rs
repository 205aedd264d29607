//! What a quote takes for granted, in words; what the user replaced says so.

use super::job::{DOWNLOAD, IDLE, Job, REGISTRY, UPLOAD};
use super::terms::Terms;
use crate::estimate::quote::PriceKind;
use crate::offer::{Offer, Provider};
use crate::setup::Setup;
use crate::units::{Gb, Hours, Mbps, duration, trimmed};

type Assumption = (&'static str, String);

/// Name and value of everything that is assumed.
pub(super) fn assumptions(
    setup: &Setup,
    job: &Job,
    offer: &Offer,
    kind: PriceKind,
) -> Vec<Assumption> {
    let mut list = vec![
        boot(setup, job, offer),
        ("hub", yours(format!("{:.0} Mbit/s at most", job.hub.get()), setup.assume.hub_mbps)),
        ("registry", format!("{:.0} Mbit/s at most", REGISTRY.get())),
        (
            "eval",
            yours(
                format!("{} of the training time", percent(job.evaluation)),
                setup.assume.eval_share,
            ),
        ),
        ("idle", idle(setup, job)),
        ("weights", format!("{:.1} GB, 16 bits each, fetched once", job.weights.get())),
        ("disk", disk(setup, job, Terms::of(offer.provider).disk(job.disk))),
        ("checkpoint", checkpoint(job, offer, kind)),
    ];
    if let Some(speed) = job.network[0] {
        list.push(("download-speed", format!("{} Mbit/s (yours)", trimmed(speed.get()))));
    } else if offer.download.is_none_or(|d| d.get() <= 0.0) {
        list.push(("download-speed", unstated(DOWNLOAD.low, DOWNLOAD.expected, DOWNLOAD.high)));
    }
    if let Some(speed) = job.network[1] {
        list.push(("upload-speed", format!("{} Mbit/s (yours)", trimmed(speed.get()))));
    } else if offer.upload.is_none_or(|d| d.get() <= 0.0) {
        list.push(("upload-speed", unstated(UPLOAD.low, UPLOAD.expected, UPLOAD.high)));
    }
    if !setup.packing {
        list.push((
            "padding",
            "tokens are those that the trainer computes, padding among them".into(),
        ));
    }
    if let Some(share) = setup.assume.mfu {
        list.push(("mfu", format!("{} of the peak rate (yours)", percent(share))));
    }
    if let Some(fee) = job.egress {
        list.push(("egress", format!("{} $/GB (yours)", trimmed(fee.get()))));
    } else if matches!(offer.provider, Provider::Aws | Provider::Azure) {
        // Both price lists: the first 100 GB that leave the account in a month are free.
        list.push(("egress", "the 100 GB that a month has free are taken as used up".into()));
    }
    if matches!(offer.provider, Provider::Aws | Provider::Gcp) {
        // Both price lists (2026): billed for as long as it is held, attached or not.
        let address = "a public IPv4 address, about 0.005 $/h, is not counted";
        list.push(("address", address.into()));
    }
    if let Some(fee) = job.ingress {
        list.push(("ingress", format!("{} $/GB (yours)", trimmed(fee.get()))));
    }
    if let Some(fee) = job.storage {
        list.push(("storage", format!("{} $/GB-month (yours)", trimmed(fee.get()))));
    }
    if kind == PriceKind::Spot {
        spot(job, offer, &mut list);
    }
    list
}

fn spot(job: &Job, offer: &Offer, list: &mut Vec<Assumption>) {
    if let Some(rate) = job.hazard {
        list.push(("hazard", format!("{} interruptions per hour (yours)", trimmed(rate.get()))));
    } else if let Some(hazard) = offer.hazard {
        let rate = trimmed(hazard.rate.expected.get());
        list.push(("hazard", format!("{rate} interruptions per hour: {}", hazard.source)));
    }
    if matches!(offer.provider, Provider::Vast | Provider::Tensordock) {
        list.push((
            "bid",
            "the lowest bid that is taken; a higher one keeps the machine longer".into(),
        ));
    }
    let again = if Terms::of(offer.provider).keeps_disk {
        "the disk is kept: boot and load"
    } else {
        "a new machine: boot, image, fetch and load"
    };
    list.push(("restart", format!("{again}; waiting for a machine is not counted")));
}

fn checkpoint(job: &Job, offer: &Offer, kind: PriceKind) -> String {
    let kept = if kind == PriceKind::OnDemand || Terms::of(offer.provider).keeps_disk {
        "kept on the disk"
    } else {
        "kept on a volume or in a bucket of the same region that outlives the machine"
    };
    format!("{:.2} GB in {}, {kept}", job.checkpoint.get(), short(job.save))
}

fn boot(setup: &Setup, job: &Job, offer: &Offer) -> Assumption {
    let boot = job.boot.unwrap_or(Terms::of(offer.provider).boot.expected);
    ("boot", yours(short(boot), setup.assume.boot_hours))
}

fn idle(setup: &Setup, job: &Job) -> String {
    match setup.assume.idle_hours {
        given @ Some(_) => yours(short(job.idle.expected), given),
        None => format!(
            "{} to {}, {} expected",
            short(IDLE.low),
            short(IDLE.high),
            short(IDLE.expected)
        ),
    }
}

fn disk(setup: &Setup, job: &Job, rented: Gb) -> String {
    let rule = "twice the weights, the image unpacked, the data twice, two checkpoints, 5 GB";
    let text = match setup.disk {
        Some(disk) => {
            format!("{:.0} GB (yours); needed {:.0} GB: {rule}", disk.get(), job.disk_needed.get())
        }
        None => format!("{:.0} GB: {rule}", job.disk.get()),
    };
    if rented > job.disk {
        format!("{:.0} GB, the least that is rented out; asked for {text}", rented.get())
    } else {
        text
    }
}

fn unstated(low: Mbps, expected: Mbps, high: Mbps) -> String {
    format!("not stated: {:.0} Mbit/s, {:.0} to {:.0}", expected.get(), low.get(), high.get())
}

fn yours(text: String, given: Option<f64>) -> String {
    if given.is_some() { format!("{text} (yours)") } else { text }
}

fn short(hours: Hours) -> String {
    duration(hours.seconds().round() as i64)
}

fn percent(share: f64) -> String {
    format!("{} %", trimmed(share * 100.0))
}
