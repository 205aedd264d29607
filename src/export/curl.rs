//! Lambda, TensorDock and Vultr by `curl`: their own APIs, as documented in 2026.
//!
//! The key stays a reference to the user's environment, and reaches curl on its standard input, so
//! that it never stands in the list of processes.

use super::{Context, Export, Purpose, Unsuitable, launch, note, shell};
use crate::offer::Provider;
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(super) const EXPORT: Export = Export {
    name: "curl",
    about: "the API call that creates the machine at Lambda, TensorDock or Vultr",
    purpose: Purpose::Launch,
    providers: &[Provider::Lambda, Provider::Tensordock, Provider::Vultr],
    framework: None,
    extension: "sh",
    render,
};

/// Stands in a body where a variable of the user's shell goes. No word from a market can hold it,
/// because `@` is in none of the sets that [`shell::word`] is called with.
const VARIABLE: &str = "@user-variable@";

/// One call.
struct Call {
    url: &'static str,
    key: &'static str,
    variable: &'static str,
    meaning: &'static str,
    body: Value,
    remark: &'static str,
    disk: String,
}

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    launch::on_demand_only(c, "this provider's call has no spot price")?;
    let call = match c.offer.provider {
        Provider::Lambda => lambda(c)?,
        Provider::Tensordock => tensordock(c)?,
        _ => vultr(c)?,
    };
    let body = shell::quote(&call.body.to_string())
        .replace(VARIABLE, &format!("'\"${}\"'", call.variable));
    let mut text = note::comment(c, "# ") + &call.disk;
    let _ = writeln!(text, "# {}", call.remark);
    text.push_str(&shell::require(&[
        (call.key, "the key of your account"),
        (call.variable, call.meaning),
    ]));
    let _ = write!(
        text,
        "printf 'header = \"Authorization: Bearer %s\"\\n' \"${}\" |\n  \
         curl --silent --show-error --fail-with-body --config - \\\n  \
         --header 'Content-Type: application/json' \\\n  --data {body} \\\n  {}\n",
        call.key, call.url
    );
    Ok(text)
}

fn lambda(c: &Context<'_>) -> Result<Call, Unsuitable> {
    let kind = shell::word("instance type", c.offer.launch_id.as_str(), "_-.")?;
    let region = shell::word("region", c.offer.place.raw.as_str(), "-")?;
    Ok(Call {
        url: "https://cloud.lambda.ai/api/v1/instance-operations/launch",
        key: "LAMBDA_API_KEY",
        variable: "LAMBDA_SSH_KEY_NAME",
        meaning: "the name of an SSH key that Lambda knows",
        body: json!({
            "region_name": region,
            "instance_type_name": kind,
            "ssh_key_names": [VARIABLE],
            "name": launch::label(c),
        }),
        remark: "If this call times out, list your instances before you repeat it: it may have worked.",
        disk: String::new(),
    })
}

/// Disks at TensorDock begin at 100 GB, in the bill too; processors come in pairs.
fn tensordock(c: &Context<'_>) -> Result<Call, Unsuitable> {
    let unknown = |what: &str| Unsuitable(format!("the offer does not say how much {what} it has"));
    let vcpus = c.offer.hardware.vcpus.ok_or_else(|| unknown("vCPUs"))?;
    let ram = c.offer.hardware.ram.ok_or_else(|| unknown("memory"))?;
    let (place, id) = match c.offer.launch_id.as_str().split_once(':') {
        Some(("hostnode", id)) => ("hostnode_id", id),
        Some(("location", id)) => ("location_id", id),
        _ => return Err(Unsuitable::because("the offer names neither a host nor a location")),
    };
    let id = shell::word("host or location", id, "-")?;
    let gpu = shell::word("GPU", c.offer.hardware.gpu_raw.as_str(), "-_.")?;
    let disk = launch::disk_gb(c, 100);
    Ok(Call {
        url: "https://dashboard.tensordock.com/api/v2/instances",
        key: "TENSORDOCK_API_KEY",
        variable: "SSH_PUBLIC_KEY",
        meaning: "your public SSH key, as in ~/.ssh/id_ed25519.pub",
        body: json!({"data": {"type": "virtualmachine", "attributes": {
            "name": launch::label(c),
            "type": "virtualmachine",
            "image": "ubuntu2404",
            "resources": {
                "vcpu_count": (vcpus / 2.0).floor().max(1.0) as u64 * 2,
                "ram_gb": ram.to_bytes().to_gb().get().round().max(1.0) as u64,
                "storage_gb": disk,
                "gpus": {gpu: {"count": launch::whole_gpus(c)?}},
            },
            place: id,
            "useDedicatedIp": true,
            "ssh_key": VARIABLE,
        }}}),
        remark: "Stopping the machine keeps the GPU on the bill; delete it to end the bill.",
        disk: launch::disk_remark(c, disk, "GB"),
    })
}

/// Ubuntu 22.04 is operating system 1743 at Vultr.
fn vultr(c: &Context<'_>) -> Result<Call, Unsuitable> {
    let plan = shell::word("plan", c.offer.launch_id.as_str(), "-")?;
    let region = shell::word("region", c.offer.place.raw.as_str(), "-")?;
    let metal = plan.starts_with("vbm-");
    Ok(Call {
        url: if metal {
            "https://api.vultr.com/v2/bare-metals"
        } else {
            "https://api.vultr.com/v2/instances"
        },
        key: "VULTR_API_KEY",
        variable: "VULTR_SSH_KEY_ID",
        meaning: "the id of an SSH key that Vultr knows",
        body: json!({
            "region": region,
            "plan": plan,
            "os_id": 1743,
            "label": launch::label(c),
            "sshkey_id": [VARIABLE],
        }),
        remark: "GPU plans must be opened for your account by Vultr's support once; stopped machines are billed in full, destroy them to end the bill.",
        disk: String::new(),
    })
}
