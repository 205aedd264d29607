//! `gcloud compute instances create …`, with Google's Deep Learning VM image. Machines with GPUs
//! cannot migrate, so they end for maintenance; a spot machine is deleted when it is preempted.

use super::{Context, Export, Purpose, Unsuitable, launch, note, shell};
use crate::gpu;
use crate::offer::Provider;

pub(super) const EXPORT: Export = Export {
    name: "gcloud",
    about: "the gcloud command that creates the instance",
    purpose: Purpose::Launch,
    providers: &[Provider::Gcp],
    framework: None,
    extension: "sh",
    render,
};

/// The image's own disk, in GiB.
const LEAST_DISK: u64 = 60;

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    let kind = shell::word("machine type", c.offer.launch_id.as_str(), "-")?;
    let place = shell::word("zone", c.offer.place.raw.as_str(), "-")?;
    let mut command =
        shell::Command::new("gcloud compute instances create").argument(&launch::label(c));
    let in_zone = is_zone(place);
    command = if in_zone {
        command.option("--zone", place)
    } else {
        command.variable("--zone", "GCP_ZONE")
    };
    command = command
        .option("--machine-type", kind)
        .option("--image-family", "common-cu128-ubuntu-2204-nvidia-570")
        .option("--image-project", "deeplearning-platform-release")
        .option("--boot-disk-size", &format!("{}GB", launch::disk_gib(c, LEAST_DISK)))
        .option("--boot-disk-type", disk_type(kind))
        .option("--maintenance-policy", "TERMINATE");
    if kind.starts_with("n1-") {
        command = command.option(
            "--accelerator",
            &format!("type={},count={}", accelerator(c)?, launch::whole_gpus(c)?),
        );
    }
    if c.spot() {
        command = command
            .option("--provisioning-model", "SPOT")
            .option("--instance-termination-action", "DELETE");
    }
    let zone = if in_zone {
        String::new()
    } else {
        shell::require(&[("GCP_ZONE", &format!("a zone of {place} that has this machine type"))])
    };
    let note = note::comment(c, "# ") + &launch::disk_remark(c, LEAST_DISK, "GiB");
    Ok(format!("{note}{zone}{}", command.finish()))
}

/// A region has two parts (`us-central1`), a zone one more (`us-central1-a`, `us-south1-ai1b`).
pub(super) fn is_zone(place: &str) -> bool {
    place.split('-').count() == 3
}

/// Machine series of the newer generations take Hyperdisk only.
fn disk_type(kind: &str) -> &'static str {
    let hyper = ["a3-ultragpu", "a4-", "a4x-", "g4-"];
    if hyper.iter().any(|series| kind.starts_with(series)) {
        "hyperdisk-balanced"
    } else {
        "pd-balanced"
    }
}

/// The accelerator type of a card that is attached to an N1 machine.
fn accelerator(c: &Context<'_>) -> Result<&'static str, Unsuitable> {
    let name = c.offer.hardware.gpu.and_then(|id| gpu::catalogue().get(id)).map(|g| g.name);
    let name = name.unwrap_or_else(|| c.offer.hardware.gpu_raw.as_str());
    [
        ("T4", "nvidia-tesla-t4"),
        ("V100", "nvidia-tesla-v100"),
        ("P100", "nvidia-tesla-p100"),
        ("P4", "nvidia-tesla-p4"),
    ]
    .into_iter()
    .find(|(card, _)| name.split([' ', '-', '_']).any(|word| word.eq_ignore_ascii_case(card)))
    .map(|(_, accelerator)| accelerator)
    .ok_or_else(|| Unsuitable::because("this card cannot be attached to an N1 machine"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_told_from_regions() {
        assert!(is_zone("us-central1-a") && is_zone("us-south1-ai1b"));
        assert!(!is_zone("us-central1"));
    }

    #[test]
    fn new_series_take_hyperdisk() {
        assert_eq!(disk_type("a2-highgpu-1g"), "pd-balanced");
        assert_eq!(disk_type("a3-ultragpu-8g"), "hyperdisk-balanced");
    }
}
