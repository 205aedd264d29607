//! `vastai create instance …`, as the vast-cli of 2026-08 reads it. A bid (`--bid_price`) is for
//! the whole offer, in dollars per hour, without storage; at least 8 GB of disk.

use super::{Context, Export, Purpose, Unsuitable, image, launch, note, shell};
use crate::offer::Provider;

pub(super) const EXPORT: Export = Export {
    name: "vastai",
    about: "the vastai command that rents the offer",
    purpose: Purpose::Launch,
    providers: &[Provider::Vast],
    framework: None,
    extension: "sh",
    render,
};

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    let id = c.offer.launch_id.as_str();
    if id.is_empty() || id.len() > 19 || !id.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Unsuitable::because("the offer's number at Vast.ai is not made of digits"));
    }
    let mut command = shell::Command::new("vastai create instance")
        .argument(id)
        .option("--image", image::container(c))
        .option("--disk", &launch::disk_gb(c, 8).to_string())
        .option("--label", &launch::label(c))
        .switch("--ssh")
        .switch("--direct")
        .switch("--cancel-unavail");
    if c.spot() {
        let bid = c.offer.price.spot.ok_or_else(|| {
            Unsuitable::because("the quote is for spot, but the offer has no lowest bid")
        })?;
        command = command.option("--bid_price", &launch::price(bid.get()));
    }
    Ok(format!("{}{}", note::comment(c, "# "), command.finish()))
}
