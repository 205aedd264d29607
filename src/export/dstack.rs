//! A task for dstack (0.22): `dstack apply -f task.dstack.yml`. The price ceiling is the price of
//! the quote and a twentieth more, since markets move.

use super::{Context, Export, Purpose, Unsuitable, engine, gcloud, image, launch, note, shell};
use crate::offer::Provider;
use crate::units::Gib;
use serde::Serialize;

pub(super) const EXPORT: Export = Export {
    name: "dstack",
    about: "a task file for dstack apply",
    purpose: Purpose::Engine,
    providers: &[
        Provider::Vast,
        Provider::Runpod,
        Provider::Lambda,
        Provider::Vultr,
        Provider::Aws,
        Provider::Azure,
        Provider::Gcp,
    ],
    framework: None,
    extension: "yml",
    render,
};

#[derive(Serialize)]
struct Task {
    r#type: &'static str,
    name: String,
    nodes: u64,
    image: &'static str,
    env: Vec<&'static str>,
    commands: Vec<String>,
    backends: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    regions: Option<[String; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance_types: Option<[String; 1]>,
    spot_policy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_price: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_duration: Option<String>,
    resources: Resources,
}

#[derive(Serialize)]
struct Resources {
    gpu: Gpu,
    disk: String,
}

#[derive(Serialize)]
struct Gpu {
    name: String,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<String>,
}

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    let (install, run) =
        engine::commands(c, "\"$DSTACK_NODE_RANK\"", "\"$DSTACK_MASTER_NODE_IP\"")?;
    let provider = c.offer.provider;
    let clouds = [Provider::Lambda, Provider::Vultr, Provider::Aws, Provider::Azure, Provider::Gcp];
    let region = if clouds.contains(&provider) {
        let place = shell::word("region", c.offer.place.raw.as_str(), "-")?;
        let zone = provider == Provider::Gcp && gcloud::is_zone(place);
        let region = if zone { place.rsplit_once('-').map_or(place, |(r, _)| r) } else { place };
        Some([region.to_owned()])
    } else {
        None
    };
    let kind = if clouds.contains(&provider) {
        Some([shell::word("instance type", c.offer.launch_id.as_str(), "_.-")?.to_owned()])
    } else {
        None
    };
    let price = if c.spot() { c.offer.price.spot } else { c.offer.price.on_demand };
    let task = Task {
        r#type: "task",
        name: launch::label(c).chars().take(40).collect::<String>().trim_end_matches('-').into(),
        nodes: engine::nodes(c)?,
        image: image::container(c),
        env: environment(c),
        commands: vec![install, run],
        backends: [backend(provider)],
        regions: region,
        instance_types: kind,
        spot_policy: if c.spot() { "spot" } else { "on-demand" },
        max_price: price.map(|p| (p.get() * 1.05 * 1000.0).ceil() / 1000.0),
        max_duration: c
            .quote
            .hours
            .map(|h| h.high.get())
            .filter(|h| h.is_finite())
            .map(|h| format!("{}h", (h.ceil() as u64).max(1))),
        resources: Resources {
            gpu: Gpu {
                name: gpu_name(engine::card(c)?),
                count: launch::whole_gpus(c)?,
                memory: c.offer.hardware.vram.map(|v: Gib| format!("{}GB", engine::memory_gb(v))),
            },
            disk: format!("{}GB..", launch::disk_gb(c, 50)),
        },
    };
    let yaml = serde_saphyr::to_string(&task)
        .map_err(|e| Unsuitable(format!("no YAML can be written: {e}")))?;
    Ok(format!("{}{yaml}", note::comment(c, "# ")))
}

/// A name without a value is read from the environment of whoever applies the file.
fn environment(c: &Context<'_>) -> Vec<&'static str> {
    let key = c.wandb.map(|_| "WANDB_API_KEY");
    ["DATASET=data/train.jsonl", "OUTPUT_DIR=output"].into_iter().chain(key).collect()
}

fn backend(provider: Provider) -> &'static str {
    match provider {
        Provider::Vast => "vastai",
        other => other.name(),
    }
}

/// dstack's name of a card, as its catalogue (gpuhunt) has it: without form factor and memory, and
/// without RTX before the letters of the A series.
fn gpu_name(card: &str) -> String {
    let bare = card.replace(" (per GPU)", "").replace(" (modded)", "");
    let words: Vec<&str> = bare
        .split(' ')
        .filter(|w| !w.ends_with("GB"))
        .filter(|w| {
            !["Tesla", "Blackwell", "PCIe", "SXM", "SXM2", "Server", "Workstation", "Max-Q"]
                .contains(w)
        })
        .collect();
    let name = words.join("");
    match name.strip_prefix("RTXA") {
        Some(rest) => format!("A{rest}"),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_go_by_gpuhunts_names() {
        for (ours, theirs) in [
            ("RTX 4090", "RTX4090"),
            ("RTX A6000", "A6000"),
            ("RTX 6000 Ada", "RTX6000Ada"),
            ("A100 SXM 80GB", "A100"),
            ("H100 SXM", "H100"),
            ("H100 NVL", "H100NVL"),
            ("RTX 3090 Ti", "RTX3090Ti"),
            ("V100 SXM2 16GB", "V100"),
            ("RTX PRO 6000 Blackwell Server", "RTXPRO6000"),
        ] {
            assert_eq!(gpu_name(ours), theirs);
        }
    }
}
