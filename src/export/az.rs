//! `az vm create …`, with Microsoft's HPC image of Ubuntu, which holds the NVIDIA driver. A spot
//! machine is capped at the price on demand (`--max-price -1`) and deleted when it is evicted.

use super::{Context, Export, Purpose, Unsuitable, launch, note, shell};
use crate::offer::Provider;

pub(super) const EXPORT: Export = Export {
    name: "az",
    about: "the az command that creates the virtual machine",
    purpose: Purpose::Launch,
    providers: &[Provider::Azure],
    framework: None,
    extension: "sh",
    render,
};

/// The image's own disk, in GiB.
const LEAST_DISK: u64 = 64;

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    let size = shell::word("size", c.offer.launch_id.as_str(), "_-.")?;
    let region = shell::word("region", c.offer.place.raw.as_str(), "-")?;
    let mut command = shell::Command::new("az vm create")
        .variable("--resource-group", "AZURE_RESOURCE_GROUP")
        .option("--name", &launch::label(c))
        .option("--location", region)
        .option("--size", size)
        .option("--image", "microsoft-dsvm:ubuntu-hpc:2204:latest")
        .option("--os-disk-size-gb", &launch::disk_gib(c, LEAST_DISK).to_string())
        .option("--os-disk-delete-option", "Delete")
        .option("--nic-delete-option", "Delete")
        .option("--admin-username", "haggle")
        .switch("--generate-ssh-keys");
    if c.spot() {
        command = command
            .option("--priority", "Spot")
            .option("--max-price", "-1")
            .option("--eviction-policy", "Delete");
    }
    Ok(format!(
        "{}{}# Shutting down from inside keeps the machine on the bill; az vm delete ends it.\n{}{}",
        note::comment(c, "# "),
        launch::disk_remark(c, LEAST_DISK, "GiB"),
        shell::require(&[("AZURE_RESOURCE_GROUP", "the resource group to create it in")]),
        command.finish()
    ))
}
