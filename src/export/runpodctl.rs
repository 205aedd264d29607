//! `runpodctl pod create …`, as runpodctl 2.7 reads it. The GPU is named by RunPod's exact type id;
//! the launch id of an offer is the cloud and that id: `SECURE:NVIDIA GeForce RTX 4090`.
//! RunPod ended its spot pods on 2026-09-11.

use super::{Context, Export, Purpose, Unsuitable, image, launch, note, shell};
use crate::offer::Provider;

pub(super) const EXPORT: Export = Export {
    name: "runpodctl",
    about: "the runpodctl command that creates the pod",
    purpose: Purpose::Launch,
    providers: &[Provider::Runpod],
    framework: None,
    extension: "sh",
    render,
};

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    launch::on_demand_only(c, "RunPod has no spot pods any more")?;
    let (cloud, gpu) = cloud_and_gpu(c)?;
    let mut command = shell::Command::new("runpodctl pod create")
        .option("--name", &launch::label(c))
        .option("--image", image::container(c))
        .option("--gpu-id", gpu)
        .option("--gpu-count", &launch::whole_gpus(c)?.to_string())
        .option("--cloud-type", cloud)
        .option("--container-disk-in-gb", "20")
        .option("--volume-in-gb", &launch::disk_gb(c, 10).to_string())
        .option("--volume-mount-path", "/workspace")
        .option("--ports", "22/tcp");
    if let Some(centre) = data_centre(c.offer.place.raw.as_str()) {
        command = command.option("--data-center-ids", centre);
    } else if let (Some(country), "COMMUNITY") = (c.offer.place.country, cloud) {
        command = command.option("--country-code", country.code());
    }
    Ok(format!("{}{}", note::comment(c, "# "), command.finish()))
}

/// Cloud and GPU type id of a launch id.
pub(super) fn cloud_and_gpu<'a>(c: &Context<'a>) -> Result<(&'static str, &'a str), Unsuitable> {
    let id = c.offer.launch_id.as_str();
    let (cloud, gpu) = match id.split_once(':') {
        Some(("SECURE", gpu)) => ("SECURE", gpu),
        Some(("COMMUNITY", gpu)) => ("COMMUNITY", gpu),
        _ => {
            return Err(Unsuitable::because(
                "the offer does not say which cloud of RunPod it is of",
            ));
        }
    };
    Ok((cloud, shell::word("GPU type", gpu, " -._+/")?))
}

/// `raw`, if it is the id of a data centre: `EU-RO-1`.
fn data_centre(raw: &str) -> Option<&str> {
    let parts: Vec<&str> = raw.split('-').collect();
    let upper = |p: &str| (2..=3).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_uppercase());
    match parts.as_slice() {
        [a, b, n] if upper(a) && upper(b) && n.bytes().all(|b| b.is_ascii_digit()) => Some(raw),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::data_centre;

    #[test]
    fn data_centres_are_told_from_other_places() {
        assert_eq!(data_centre("EU-RO-1"), Some("EU-RO-1"));
        assert_eq!(data_centre("CA-MTL-3"), Some("CA-MTL-3"));
        for other in ["Europe", "US", "EU-RO", "EU-RO-x", "--x-1", "EU-RO-1;ls"] {
            assert_eq!(data_centre(other), None);
        }
    }
}
