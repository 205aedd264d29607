//! What the task files of SkyPilot and dstack share: names of GPUs, number of nodes, commands.

use super::{Context, Unsuitable, launch, script, trainer};
use crate::gpu;
use crate::units::Gib;

/// The card of the offer by the name in our catalogue.
pub(super) fn card(c: &Context<'_>) -> Result<&'static str, Unsuitable> {
    let card = c.offer.hardware.gpu.and_then(|id| gpu::catalogue().get(id));
    card.map(|g| g.name).ok_or_else(|| {
        Unsuitable::because(
            "the offer's GPU is not in the catalogue, so it cannot be asked for by name",
        )
    })
}

/// Machines that the job asks for: more than one when it wants more GPUs than the offer has.
pub(super) fn nodes(c: &Context<'_>) -> Result<u64, Unsuitable> {
    let gpus = launch::whole_gpus(c)?;
    let wanted = u64::from(c.setup.gpus.unwrap_or(1)).max(gpus);
    // One of the GPUs of a larger machine is a machine all the same.
    if wanted % gpus == 0 {
        Ok(wanted / gpus)
    } else {
        Err(Unsuitable(format!("{wanted} GPUs are no whole number of machines with {gpus}")))
    }
}

/// Memory of one card in whole GB, as engines count it: 24, 80.
pub(super) fn memory_gb(vram: Gib) -> u64 {
    vram.get().round() as u64
}

/// Shell lines that install what is missing, and those that train. On several machines each runs
/// the same lines; `rank` and `head` are how the engine tells it which one it is.
pub(super) fn commands(
    c: &Context<'_>,
    rank: &'static str,
    head: &'static str,
) -> Result<(String, String), Unsuitable> {
    let count = nodes(c)?;
    let together = (count > 1).then_some(trainer::Nodes { count, rank, head });
    let plan = trainer::plan(c, together)?;
    let file = plan.file.map(|(name, text)| script::write_file(name, &text)).unwrap_or_default();
    Ok((format!("{}\n", plan.install), format!("{file}{}\n", plan.run)))
}
