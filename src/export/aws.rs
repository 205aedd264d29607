//! `aws ec2 run-instances …`. The image is Amazon's Deep Learning Base AMI, found through its
//! public SSM parameter; volumes are counted in GiB; an instance that shuts itself down is
//! terminated and its disk deleted.

use super::{Context, Export, Purpose, Unsuitable, launch, note, shell};
use crate::offer::Provider;

pub(super) const EXPORT: Export = Export {
    name: "aws",
    about: "the aws command that starts the instance",
    purpose: Purpose::Launch,
    providers: &[Provider::Aws],
    framework: None,
    extension: "sh",
    render,
};

/// The image's own volume, in GiB.
const LEAST_DISK: u64 = 80;

fn render(c: &Context<'_>) -> Result<String, Unsuitable> {
    let kind = shell::word("instance type", c.offer.launch_id.as_str(), ".-")?;
    let place = shell::word("region", c.offer.place.raw.as_str(), "-")?;
    let (region, zone) = region_and_zone(place);
    let label = launch::label(c);
    let disk = serde_json::json!([{"DeviceName": "/dev/sda1", "Ebs": {
        "VolumeSize": launch::disk_gib(c, LEAST_DISK), "VolumeType": "gp3", "DeleteOnTermination": true,
    }}]);
    let mut command = shell::Command::new("aws ec2 run-instances")
        .option("--region", region)
        .option("--instance-type", kind)
        .option("--count", "1");
    command = match ami(kind) {
        Some(parameter) => command.option("--image-id", parameter),
        None => command.variable("--image-id", "AWS_IMAGE_ID"),
    };
    command = command
        .variable("--key-name", "AWS_KEY_NAME")
        .option("--block-device-mappings", &disk.to_string())
        .option("--instance-initiated-shutdown-behavior", "terminate")
        .option(
            "--tag-specifications",
            &format!("ResourceType=instance,Tags=[{{Key=Name,Value={label}}}]"),
        );
    if let Some(zone) = zone {
        command = command.option("--placement", &format!("AvailabilityZone={zone}"));
    }
    if c.spot() {
        let market = serde_json::json!({"MarketType": "spot", "SpotOptions": {
            "SpotInstanceType": "one-time", "InstanceInterruptionBehavior": "terminate",
        }});
        command = command.option("--instance-market-options", &market.to_string());
    }
    let mut needed = vec![("AWS_KEY_NAME", "the name of an EC2 key pair in this region")];
    if ami(kind).is_none() {
        needed.push(("AWS_IMAGE_ID", "an AMI whose driver knows this GPU"));
    }
    let note = note::comment(c, "# ") + &launch::disk_remark(c, LEAST_DISK, "GiB");
    Ok(format!("{note}{}{}", shell::require(&needed), command.finish()))
}

/// The zone is the region and a letter: `us-east-1a`.
fn region_and_zone(place: &str) -> (&str, Option<&str>) {
    let mut chars = place.chars().rev();
    match (chars.next(), chars.next()) {
        (Some('a'..='z'), Some('0'..='9')) => (&place[..place.len() - 1], Some(place)),
        _ => (place, None),
    }
}

/// The image for an instance type; `None` for cards that its driver does not know (Volta, AMD).
fn ami(kind: &str) -> Option<&'static str> {
    let family = kind.split('.').next().unwrap_or(kind);
    match family {
        "p2" | "p3" | "p3dn" | "g2" | "g3" | "g3s" | "g4ad" => None,
        "g5g" | "p6e-gb200" => Some(
            "resolve:ssm:/aws/service/deeplearning/ami/arm64/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id",
        ),
        _ => Some(
            "resolve:ssm:/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_told_from_regions() {
        assert_eq!(region_and_zone("us-east-1"), ("us-east-1", None));
        assert_eq!(region_and_zone("us-east-1b"), ("us-east-1", Some("us-east-1b")));
    }

    #[test]
    fn cards_that_the_image_does_not_know_need_another() {
        assert!(ami("p3.2xlarge").is_none());
        assert!(ami("g5.2xlarge").unwrap().contains("x86_64"));
        assert!(ami("g5g.xlarge").unwrap().contains("arm64"));
    }
}
