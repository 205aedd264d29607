//! The run script ends the bill, whatever happens: run here with programs that only write down how
//! they were called.

use super::House;
use super::tools::rentable;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Programs that a run script calls, each with what it does besides writing its words down.
const PROGRAMS: [(&str, &str); 9] = [
    ("vastai", ""),
    ("runpodctl", ""),
    ("az", ""),
    ("gcloud", ""),
    ("sudo", ""),
    ("rclone", ""),
    ("pip", ""),
    ("curl", "case \"$*\" in *--config*) cat >> \"$LOG\" ;; esac"),
    ("df", "printf 'head\\nx 1 1 %s 1\\n' \"$FREE_KB\""),
];
/// The training leaves a file behind; then it fails, or somebody ends the script.
const TRAINS: &str = "mkdir -p output && echo weights > output/model
[ \"$TRAINING\" = stopped ] && kill -TERM \"$(cat pid)\" && exec sleep 600
[ \"$TRAINING\" = good ]";

struct Machine {
    house: House,
    programs: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let house = House::new();
        let programs = house.path("bin");
        std::fs::create_dir(&programs).unwrap();
        let all = PROGRAMS.into_iter().chain([("python3", TRAINS), ("torchrun", TRAINS)]);
        for (name, does) in all {
            let text = format!("#!/bin/bash\necho \"{name} $*\" >> \"$LOG\"\n{does}\n");
            executable(&programs.join(name), &text);
        }
        Self { house, programs }
    }

    /// Runs the script for the offer of `provider`: its exit code, and what was called.
    fn run(&self, provider: &str, variables: &[(&str, &str)]) -> (Option<i32>, Vec<String>) {
        let market = self.house.market(rentable());
        let offer = format!("{provider}:a");
        let script = self.house.on(&market, &["export", &offer, "--as", "run-script"]);
        assert_eq!(script.code, 0, "{script:?}");
        let folder = self.house.path(&format!("machine-{provider}-{}", variables.len()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("run.sh"), script.out).unwrap();
        let log = folder.join("log");
        std::fs::write(&log, "").unwrap();
        let path = format!("{}:/usr/bin:/bin", self.programs.display());
        let status = Command::new("bash")
            .args(["-c", "echo $$ > pid; exec bash run.sh"])
            .current_dir(&folder)
            .env_clear()
            .envs([("CONTAINER_ID", "77"), ("CONTAINER_API_KEY", "own"), ("FREE_KB", "900000000")])
            .envs([("RUNPOD_POD_ID", "pod"), ("INSTANCE_ID", "i-1"), ("LAMBDA_API_KEY", "lk")])
            .envs([("VULTR_API_KEY", "vk"), ("TRAINING", "good")])
            .envs(variables.iter().copied())
            .env("PATH", path)
            .env("HOME", &folder)
            .env("LOG", &log)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        let called = std::fs::read_to_string(&log).unwrap();
        (status.code(), called.lines().map(str::to_owned).collect())
    }
}

fn executable(file: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(file, text).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

const REMOTE: (&str, &str) = ("CHECKPOINT_REMOTE", "s3:bucket/run");
/// How the machine of each provider is ended.
const ENDS: [(&str, &str); 7] = [
    ("vast", "vastai destroy instance 77 --api-key own --yes"),
    ("runpod", "runpodctl pod delete pod"),
    ("lambda", "https://cloud.lambda.ai/api/v1/instance-operations/terminate"),
    ("vultr", "--request DELETE https://api.vultr.com/v2/instances/i-1"),
    ("aws", "sudo shutdown -h now"),
    ("azure", "az vm delete --yes"),
    ("gcp", "gcloud compute instances delete"),
];

#[test]
fn the_machine_is_ended_when_the_result_is_safe() {
    let machine = Machine::new();
    for (provider, end) in ENDS {
        let (code, called) = machine.run(provider, &[REMOTE]);
        assert_eq!(code, Some(0), "{provider}: {called:?}");
        let saved = called.iter().rposition(|c| c.starts_with("rclone copy --update output"));
        let ended = called.iter().rposition(|c| c.contains(end));
        assert!(saved.is_some() && saved < ended, "{provider}: {called:?}");
    }
    let key = |called: &[String], key: &str| {
        let command = called.iter().any(|c| c.starts_with("curl") && c.contains(key));
        assert!(!command, "the key stands in a command line: {called:?}");
    };
    key(&machine.run("lambda", &[REMOTE]).1, "lk");
}

#[test]
fn the_machine_is_ended_also_when_the_training_fails_or_is_stopped() {
    let machine = Machine::new();
    for (training, code) in [("bad", 1), ("stopped", 143)] {
        let (ended, called) = machine.run("vast", &[REMOTE, ("TRAINING", training)]);
        assert_eq!(ended, Some(code), "{training}: {called:?}");
        let last: Vec<&String> = called.iter().filter(|c| !c.starts_with("pip")).collect();
        let saved = last[last.len() - 2].starts_with("rclone copy --update");
        assert!(saved && last[last.len() - 1].contains("destroy instance 77"), "{called:?}");
    }
    let (code, called) = machine.run("vast", &[REMOTE, ("FREE_KB", "1000"), ("A", "b")]);
    assert_eq!(code, Some(1), "{called:?}");
    assert!(!called.iter().any(|c| c.contains("train")), "no disk, and yet: {called:?}");
    assert!(called.last().unwrap().contains("destroy instance 77"), "{called:?}");
}

#[test]
fn a_result_that_lies_nowhere_else_is_kept() {
    let machine = Machine::new();
    for (provider, stop) in [
        ("vast", "vastai stop instance 77 --api-key own"),
        ("runpod", "runpodctl pod stop pod"),
        ("azure", "az vm deallocate"),
        ("gcp", "sudo shutdown -h now"),
    ] {
        let (code, called) = machine.run(provider, &[]);
        assert_eq!(code, Some(0), "{provider}: {called:?}");
        assert!(called.last().unwrap().contains(stop), "{provider}: {called:?}");
    }
    // These cannot: the user decides before the training begins.
    for provider in ["lambda", "vultr", "aws"] {
        let (code, called) = machine.run(provider, &[]);
        assert_eq!((code, called.len()), (Some(2), 0), "{provider}: {called:?}");
        let (code, called) = machine.run(provider, &[("KEEP_MACHINE", "1")]);
        assert_eq!(code, Some(0), "{provider}: {called:?}");
        let last = called.last().unwrap();
        assert!(last.starts_with("python3") || last.starts_with("torchrun"), "{called:?}");
    }
}
