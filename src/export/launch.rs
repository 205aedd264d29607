//! What every launch command needs: disk, label, a whole number of GPUs.

use super::{Context, Unsuitable, shell};
use crate::units::Gb;

/// Disk to rent, as the bill has it.
pub(super) fn disk(c: &Context<'_>) -> Gb {
    c.quote.disk.rented
}

/// The same in whole GB (10⁹ bytes), rounded up, never below `least`.
pub(super) fn disk_gb(c: &Context<'_>, least: u64) -> u64 {
    (disk(c).get().ceil() as u64).max(least)
}

/// The same in whole GiB (2³⁰ bytes), rounded up, never below `least`.
pub(super) fn disk_gib(c: &Context<'_>, least: u64) -> u64 {
    (disk(c).to_bytes().to_gib().get().ceil() as u64).max(least)
}

/// A comment where the image wants a larger disk than the one in the bill.
pub(super) fn disk_remark(c: &Context<'_>, least: u64, unit: &str) -> String {
    let billed = disk(c).get().ceil();
    let enough = if unit == "GiB" { disk_gib(c, 0) } else { disk_gb(c, 0) } >= least;
    if enough {
        String::new()
    } else {
        format!(
            "# The disk is {least} {unit}, the least that is taken; the bill counts {billed} GB.\n"
        )
    }
}

/// A name for the machine: what runs on it.
pub(super) fn label(c: &Context<'_>) -> String {
    shell::label(&format!("haggle {} {}", c.setup.model.name, c.setup.method))
}

/// How many GPUs, where only whole ones can be asked for.
pub(super) fn whole_gpus(c: &Context<'_>) -> Result<u64, Unsuitable> {
    let Some(gpus) = c.offer.hardware.gpus else {
        return Err(Unsuitable::because(crate::estimate::class::UNTOLD));
    };
    if gpus >= 1.0 && gpus.fract() == 0.0 {
        Ok(gpus as u64)
    } else {
        Err(Unsuitable::because("only whole GPUs can be asked for, and the offer is a slice"))
    }
}

/// Refuses a spot quote where the provider has no such call.
pub(super) fn on_demand_only(c: &Context<'_>, why: &str) -> Result<(), Unsuitable> {
    if c.spot() { Err(Unsuitable::because(why)) } else { Ok(()) }
}

/// A price as a plain number, rounded up to a millionth, so that it never falls below the asked.
pub(super) fn price(usd_per_hour: f64) -> String {
    let micro = (usd_per_hour * 1e6 - 1e-3).ceil().max(0.0);
    format!("{}", micro / 1e6)
}
