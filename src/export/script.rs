//! A script that runs the job on the rented machine and ends the machine's bill afterwards,
//! whatever happens: disk check, training, checkpoint upload on a timer, trap.

use super::{Context, Export, Purpose, Unsuitable, launch, note, shell, template, trainer};
use crate::offer::Provider;

pub(super) const EXPORT: Export = Export {
    name: "run-script",
    about: "a shell script for the machine: check, train, upload, end the bill",
    purpose: Purpose::Engine,
    providers: &Provider::ALL,
    framework: None,
    extension: "sh",
    render,
};

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    let plan = trainer::plan(c, None)?;
    let minutes = (c.setup.checkpoint_every.get() * 60.0).round().max(1.0);
    let file = match &plan.file {
        Some((name, text)) => write_file(name, text),
        None => String::new(),
    };
    let (destroy, stop) = ends(c.offer.provider);
    let decide = if stop == CANNOT_STOP { DECIDE } else { "" };
    let values = [
        ("NOTE", note::comment(c, "# ")),
        ("DISK", free_disk(c).to_string()),
        ("MINUTES", format!("{minutes:.0}")),
        ("DESTROY", indent(destroy)),
        ("STOP", indent(stop)),
        ("FILE", file),
        ("INSTALL", indent(&plan.install)),
        ("KEY", key(c)),
        ("DECIDE", decide.to_owned()),
        ("RUN", indent(&plan.run)),
    ];
    Ok(template::fill(include_str!("templates/run.sh.txt"), &values))
}

/// The key of Weights & Biases, where the job reports there.
fn key(c: &Context<'_>) -> String {
    let needed = c.wandb.map(|_| [("WANDB_API_KEY", "the key of your account")]);
    needed.map_or_else(String::new, |needed| shell::require(&needed))
}

/// The lines of a function's body.
fn indent(text: &str) -> String {
    text.trim_end().lines().map(|l| ["  ", l].concat()).collect::<Vec<_>>().join("\n")
}

/// What must be free at the start: the disk to rent without the image, which lies on it already.
fn free_disk(c: &Context<'_>) -> u64 {
    let need = launch::disk(c).get() - 2.0 * c.setup.image.get();
    need.max(1.0).ceil() as u64
}

/// A here-document that the shell does not touch. Its end mark is one that the text does not hold.
pub(super) fn write_file(name: &str, text: &str) -> String {
    let mut mark = "END_OF_FILE".to_owned();
    while text.lines().any(|line| line == mark) {
        mark.push('_');
    }
    format!("cat > {} <<'{mark}'\n{}\n{mark}\n", shell::quote(name), text.trim_end())
}

/// Ends the bill through the API of a provider whose machines do not know their own number.
const LAMBDA: &str = r#"# INSTANCE_ID and the key come from you.
printf 'header = "Authorization: Bearer %s"\n' "$LAMBDA_API_KEY" |
  curl --silent --show-error --fail-with-body --config - \
  --header 'Content-Type: application/json' \
  --data "{\"instance_ids\":[\"$INSTANCE_ID\"]}" \
  https://cloud.lambda.ai/api/v1/instance-operations/terminate"#;
const TENSORDOCK: &str = r#"# INSTANCE_ID and the key come from you.
printf 'header = "Authorization: Bearer %s"\n' "$TENSORDOCK_API_KEY" |
  curl --silent --show-error --fail-with-body --config - --request DELETE \
  "https://dashboard.tensordock.com/api/v2/instances/$INSTANCE_ID""#;
const VULTR: &str = r#"# INSTANCE_ID and the key come from you.
printf 'header = "Authorization: Bearer %s"\n' "$VULTR_API_KEY" |
  curl --silent --show-error --fail-with-body --config - --request DELETE \
  "https://api.vultr.com/v2/instances/$INSTANCE_ID""#;
const AZURE: &str = r#"# The machine needs an identity with the role Virtual Machine Contributor.
az login --identity --output none &&
  az vm delete --yes --ids "$(curl --silent --header Metadata:true \
    'http://169.254.169.254/metadata/instance/compute/resourceId?api-version=2021-02-01&format=text')""#;
const AZURE_STOP: &str = r#"az login --identity --output none &&
  az vm deallocate --ids "$(curl --silent --header Metadata:true \
    'http://169.254.169.254/metadata/instance/compute/resourceId?api-version=2021-02-01&format=text')""#;
const GCP: &str = r#"# Needs the scope compute-rw; without it, the machine stops and its disk stays on the bill.
zone=$(curl --silent --header 'Metadata-Flavor: Google' \
  http://metadata.google.internal/computeMetadata/v1/instance/zone)
gcloud compute instances delete "$(hostname)" --zone "${zone##*/}" --quiet || sudo shutdown -h now"#;

/// Where no way is known.
const CANNOT_END: &str =
    "# How this provider's machines are ended from inside is not known: end it yourself.\nfalse";
/// Where a stopped machine loses its disk, or costs as much as before.
const CANNOT_STOP: &str = "# Stopping here would lose the disk or save nothing.\nfalse";
/// Said at the start, because at the end nobody may be there to decide.
const DECIDE: &str = r#"if [ -z "$CHECKPOINT_REMOTE" ] && [ "$KEEP_MACHINE" != 1 ]; then
  echo "this machine cannot stop and keep its disk: set CHECKPOINT_REMOTE, so that it can be" >&2
  echo "ended when the result is safe, or KEEP_MACHINE=1 to leave it running, and paid" >&2
  exit 2
fi
"#;

/// How a machine ends its own bill, and how it stops with its disk kept, where that is possible.
fn ends(provider: Provider) -> (&'static str, &'static str) {
    match provider {
        // Each instance knows its number and has a key that is good for it alone.
        Provider::Vast => (
            "pip install --quiet vastai\nvastai destroy instance \"$CONTAINER_ID\" --api-key \"$CONTAINER_API_KEY\" --yes",
            "pip install --quiet vastai\nvastai stop instance \"$CONTAINER_ID\" --api-key \"$CONTAINER_API_KEY\"",
        ),
        // The volume below /workspace outlives a stop, at twice its price.
        // A pod's own runpodctl may be of version 2 or 1.
        Provider::Runpod => (
            "runpodctl pod delete \"$RUNPOD_POD_ID\" || runpodctl remove pod \"$RUNPOD_POD_ID\"",
            "runpodctl pod stop \"$RUNPOD_POD_ID\" || runpodctl stop pod \"$RUNPOD_POD_ID\"",
        ),
        Provider::Lambda => (LAMBDA, CANNOT_STOP),
        Provider::Tensordock => (TENSORDOCK, CANNOT_STOP),
        Provider::Vultr => (VULTR, CANNOT_STOP),
        // Started by our command, an instance that shuts down is terminated, disk and all.
        Provider::Aws => ("sudo shutdown -h now", CANNOT_STOP),
        Provider::Azure => (AZURE, AZURE_STOP),
        Provider::Gcp => (GCP, "sudo shutdown -h now"),
        #[allow(unreachable_patterns, reason = "for providers that are added")]
        _ => (CANNOT_END, CANNOT_STOP),
    }
}

#[cfg(test)]
mod tests {
    use super::write_file;

    #[test]
    fn a_file_that_holds_the_end_mark_gets_another() {
        let text = write_file("a.py", "x\nEND_OF_FILE\ny\n");
        assert!(text.starts_with("cat > a.py <<'END_OF_FILE_'\n"), "{text}");
        assert!(text.ends_with("\nEND_OF_FILE_\n"), "{text}");
    }
}
