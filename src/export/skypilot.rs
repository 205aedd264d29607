//! A task for SkyPilot (0.14): `sky launch task.yaml`. On the big clouds and Lambda the machine is
//! named by its instance type; at Vast.ai and RunPod by its accelerators.

use super::{Context, Export, Purpose, Unsuitable, engine, gcloud, image, launch, note, shell};
use crate::offer::Provider;
use serde::Serialize;
use std::collections::BTreeMap;

pub(super) const EXPORT: Export = Export {
    name: "skypilot",
    about: "a task file for sky launch",
    purpose: Purpose::Engine,
    providers: &[
        Provider::Vast,
        Provider::Runpod,
        Provider::Lambda,
        Provider::Aws,
        Provider::Azure,
        Provider::Gcp,
    ],
    framework: None,
    extension: "yaml",
    render,
};

#[derive(Serialize)]
struct Task {
    name: String,
    num_nodes: u64,
    resources: Resources,
    envs: BTreeMap<&'static str, &'static str>,
    /// Read from the environment of whoever launches: `sky launch --secret WANDB_API_KEY`.
    #[serde(skip_serializing_if = "Option::is_none")]
    secrets: Option<BTreeMap<&'static str, Option<&'static str>>>,
    setup: String,
    run: String,
}

#[derive(Serialize)]
struct Resources {
    infra: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accelerators: Option<String>,
    use_spot: bool,
    disk_size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    image_id: Option<String>,
}

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    let (setup, run) = engine::commands(
        c,
        "\"$SKYPILOT_NODE_RANK\"",
        "\"$(echo \"$SKYPILOT_NODE_IPS\" | head -n 1)\"",
    )?;
    let task = Task {
        name: launch::label(c),
        num_nodes: engine::nodes(c)?,
        resources: resources(c)?,
        envs: [("DATASET", "data/train.jsonl"), ("OUTPUT_DIR", "output")].into(),
        secrets: c.wandb.map(|_| [("WANDB_API_KEY", None)].into()),
        setup,
        run,
    };
    let yaml = serde_saphyr::to_string(&task)
        .map_err(|e| Unsuitable(format!("no YAML can be written: {e}")))?;
    let key = c.wandb.map_or("", |_| "# Launch it with --secret WANDB_API_KEY.\n");
    Ok(format!("{}{key}{yaml}", note::comment(c, "# ")))
}

fn resources(c: &Context<'_>) -> Result<Resources, Unsuitable> {
    let place = c.offer.place.raw.as_str();
    let cloud = match c.offer.provider {
        Provider::Azure => "azure",
        Provider::Lambda => "lambda",
        Provider::Gcp => "gcp",
        Provider::Aws => "aws",
        Provider::Runpod => "runpod",
        _ => "vast",
    };
    let named = !matches!(c.offer.provider, Provider::Vast | Provider::Runpod);
    let infra = if named {
        let place = shell::word("region", place, "-")?;
        match (c.offer.provider, place.rsplit_once('-')) {
            (Provider::Gcp, Some((region, _))) if gcloud::is_zone(place) => {
                format!("{cloud}/{region}/{place}")
            }
            _ => format!("{cloud}/{place}"),
        }
    } else {
        cloud.to_owned()
    };
    let kind = shell::word("instance type", c.offer.launch_id.as_str(), " _.-:+/");
    let name = || engine::card(c).map(|card| accelerator(card, c.offer.provider));
    Ok(Resources {
        infra,
        instance_type: if named { Some(kind?.to_owned()) } else { None },
        // GPUs are no part of Google's N1 machines.
        accelerators: if named && !c.offer.launch_id.as_str().starts_with("n1-") {
            None
        } else {
            Some(format!("{}:{}", name()?, launch::whole_gpus(c)?))
        },
        use_spot: c.spot(),
        disk_size: launch::disk_gb(c, 50),
        image_id: (!named).then(|| format!("docker:{}", image::container(c))),
    })
}

/// SkyPilot's name of a card. It writes RTX cards in one word, keeps a dash before Ada, tells the
/// A100 of 80 GB by name, and at Vast.ai drops the form factor.
fn accelerator(card: &str, provider: Provider) -> String {
    let runpod = provider == Provider::Runpod;
    match card {
        "A100 SXM 40GB" | "A100 PCIe 40GB" => return "A100".into(),
        "A100 SXM 80GB" if runpod => return "A100-80GB-SXM".into(),
        "A100 SXM 80GB" | "A100 PCIe 80GB" => return "A100-80GB".into(),
        "H100 SXM" if runpod => return "H100-SXM".into(),
        "H100 NVL" if runpod => return "H100-NVL".into(),
        "H100 SXM" | "H100 PCIe" | "H100 NVL" => return "H100".into(),
        _ => {}
    }
    let bare = card.replace(" (per GPU)", "").replace(" (modded)", "");
    let words: Vec<&str> = bare
        .split(' ')
        .filter(|w| {
            !w.ends_with("GB")
                && !["Tesla", "Blackwell", "PCIe", "SXM", "SXM2", "Server"].contains(w)
        })
        .collect();
    words.join("").replace("Ada", "-Ada").replace("Ti", if runpod { "-Ti" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_go_by_skypilots_names() {
        for (ours, vast, runpod) in [
            ("RTX 4090", "RTX4090", "RTX4090"),
            ("RTX A6000", "RTXA6000", "RTXA6000"),
            ("RTX 6000 Ada", "RTX6000-Ada", "RTX6000-Ada"),
            ("A100 SXM 80GB", "A100-80GB", "A100-80GB-SXM"),
            ("H100 SXM", "H100", "H100-SXM"),
            ("RTX 3090 Ti", "RTX3090", "RTX3090-Ti"),
            ("L40S", "L40S", "L40S"),
            ("Tesla P100 PCIe 16GB", "P100", "P100"),
            ("V100 SXM2 16GB", "V100", "V100"),
            ("RTX PRO 6000 Blackwell Server", "RTXPRO6000", "RTXPRO6000"),
        ] {
            assert_eq!(accelerator(ours, Provider::Vast), vast);
            assert_eq!(accelerator(ours, Provider::Runpod), runpod);
        }
    }
}
