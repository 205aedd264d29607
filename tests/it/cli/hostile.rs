//! Offers whose every text attacks the shell, through every export, run for real with harmless
//! programs in the place of those that would rent: nothing of the market's text is ever executed.

use super::House;
use haggle::market::synthetic;
use haggle::offer::{Offer, Provider, Text};
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Each runs `canary`, if a shell takes it for more than text.
const ATTACKS: [&str; 12] = [
    "$(canary)",
    "`canary`",
    "'; canary; '",
    "\"; canary; \"",
    "a; canary",
    "a && canary",
    "a | canary",
    "a\ncanary\n",
    "a\r\ncanary #",
    "END_OF_FILE\ncanary",
    "\\\"; canary; #",
    "\u{2028}canary\u{85}canary",
];

/// Programs that the exports call, all of which only write down that they were called.
const PROGRAMS: [&str; 16] = [
    "vastai",
    "runpodctl",
    "curl",
    "aws",
    "az",
    "gcloud",
    "tune",
    "pip",
    "python3",
    "torchrun",
    "axolotl",
    "llamafactory-cli",
    "sudo",
    "rclone",
    "hostname",
    "canary",
];

/// What the scripts may use of the machine's own.
const OWN: [&str; 9] = ["sh", "bash", "cat", "awk", "ls", "sleep", "head", "tr", "env"];

fn script(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A folder with nothing but harmless programs.
fn programs(house: &House) -> std::path::PathBuf {
    let folder = house.path("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let log = house.path("called");
    for name in PROGRAMS {
        let text = format!("#!/bin/sh\necho {name} >> '{}'\n", log.display());
        script(&folder.join(name), &text);
    }
    // A disk that is large enough.
    script(&folder.join("df"), "#!/bin/sh\nprintf 'a\\nb 9 9 9000000000 9 /\\n'\n");
    for name in OWN {
        let found =
            ["/usr/bin", "/bin"].iter().map(|f| Path::new(f).join(name)).find(|p| p.exists());
        if let Some(found) = found {
            std::os::unix::fs::symlink(found, folder.join(name)).unwrap();
        }
    }
    folder
}

/// Offers of every provider that can be rented, all of whose other words attack.
fn offers() -> Vec<Offer> {
    let ids = [
        (Provider::Vast, "12345678", None),
        (Provider::Runpod, "SECURE:NVIDIA GeForce RTX 4090", None),
        (Provider::Lambda, "gpu_1x_a10", Some("us-east-1")),
        (Provider::Tensordock, "hostnode:0d2f-11", None),
        (Provider::Vultr, "vcg-l40s-16c-180g-48vram", Some("ewr")),
        (Provider::Aws, "g5.2xlarge", Some("us-east-1")),
        (Provider::Azure, "Standard_NC24ads_A100_v4", Some("eastus")),
        (Provider::Gcp, "a2-highgpu-1g", Some("us-central1-a")),
    ];
    let mut all = Vec::new();
    for (number, attack) in ATTACKS.iter().enumerate() {
        for (provider, launch, place) in ids {
            let mut offer = synthetic::offer(provider, &format!("evil-{number}"));
            offer.launch_id = launch.into();
            offer.hardware.gpu_raw = Text::new(attack);
            offer.hardware.instance_type = Some(Text::new(attack));
            offer.host = Some(Text::new(attack));
            offer.place.raw = place.map_or_else(|| Text::new(attack), Text::new);
            all.push(offer.clone());
            // And one whose place, id and name attack together.
            offer.key = Text::new(&format!("worse-{number}"));
            offer.place.raw = Text::new(attack);
            offer.launch_id = Text::new(attack);
            all.push(offer);
        }
    }
    all
}

/// Shell lines of an export: the file itself, or the commands in a task file.
fn shell_lines(target: &str, text: &str) -> Option<String> {
    match target {
        "skypilot" => {
            let task: serde_json::Value = serde_saphyr::from_str(text).unwrap();
            Some(format!("{}\n{}", task["setup"].as_str()?, task["run"].as_str()?))
        }
        "dstack" => {
            let task: serde_json::Value = serde_saphyr::from_str(text).unwrap();
            let lines: Vec<&str> =
                task["commands"].as_array()?.iter().filter_map(|c| c.as_str()).collect();
            Some(lines.join("\n"))
        }
        "vastai" | "runpodctl" | "curl" | "aws" | "az" | "gcloud" | "torchtune" | "run-script" => {
            Some(text.to_owned())
        }
        _ => None,
    }
}

const VARIABLES: [&str; 12] = [
    "LAMBDA_API_KEY",
    "LAMBDA_SSH_KEY_NAME",
    "TENSORDOCK_API_KEY",
    "SSH_PUBLIC_KEY",
    "VULTR_API_KEY",
    "VULTR_SSH_KEY_ID",
    "AWS_KEY_NAME",
    "AWS_IMAGE_ID",
    "AZURE_RESOURCE_GROUP",
    "GCP_ZONE",
    "INSTANCE_ID",
    "CONTAINER_ID",
];

/// Every export of `offer` as one shell script, each part in a shell of its own.
fn exports(offer: &Offer) -> Vec<(&'static str, String)> {
    use haggle::estimate::quote::PriceKind;
    use haggle::estimate::{HardwareClass, bill, class};
    use haggle::export::{Context, EXPORTS};
    use haggle::setup::Draft;
    use haggle::units::UnixSeconds;
    let mut found = Vec::new();
    for framework in ["trl", "torchtune"] {
        let mut draft = Draft::default();
        draft.set(haggle::setup::Field::Framework, framework).unwrap();
        let setup = draft.resolve(haggle::model::find("Meta-Llama-3-8B").unwrap()).unwrap();
        let at = UnixSeconds(1_790_000_000);
        let estimate = class::estimate(&setup, &HardwareClass::from(&offer.hardware));
        let quote = bill::explain(&setup, offer, &estimate, PriceKind::OnDemand, at);
        let fit = &estimate.fit;
        let context =
            Context { offer, setup: &setup, fit, advice: &[], quote: &quote, at, wandb: None };
        for target in EXPORTS {
            let Ok(text) = target.write(&context) else { continue };
            found.extend(shell_lines(target.name, &text).map(|lines| (target.name, lines)));
        }
    }
    found
}

#[test]
fn nothing_that_a_market_writes_is_ever_executed() {
    let house = House::new();
    let bin = programs(&house);
    let mut all = String::new();
    let mut count = 0;
    for offer in offers() {
        for (target, lines) in exports(&offer) {
            let name = format!("{count}.sh");
            let file = house.write(&name, &lines);
            count += 1;
            // Where it ends does not matter; what it called does.
            let _ = writeln!(
                all,
                "echo 'script {target}' >> called; bash {} < /dev/null > /dev/null 2> said || true\n",
                file.display()
            );
        }
    }
    assert!(count > 200, "{count}");
    let file = house.write("all.sh", &all);
    let mut command = Command::new("/bin/sh");
    command.arg(&file).env_clear().env("PATH", &bin).current_dir(house.folder.path());
    for variable in VARIABLES {
        command.env(variable, "x");
    }
    let status = command.stdin(Stdio::null()).status().unwrap();
    assert!(status.success());
    let called = std::fs::read_to_string(house.path("called")).unwrap();
    assert!(!called.contains("canary"), "something of the market's was executed:\n{called}");
    for program in ["vastai", "runpodctl", "curl", "aws", "az", "gcloud", "tune", "python3"] {
        assert!(called.lines().any(|l| l == program), "{program} never ran, so nothing was tried");
    }
}

#[test]
fn the_canary_sings_when_it_is_run() {
    let house = House::new();
    let bin = programs(&house);
    let file = house.write("bad.sh", "echo \"a $(canary)\"\n");
    let status = Command::new("/bin/sh").arg(&file).env_clear().env("PATH", &bin).status().unwrap();
    assert!(status.success());
    assert!(std::fs::read_to_string(house.path("called")).unwrap().contains("canary"));
}
