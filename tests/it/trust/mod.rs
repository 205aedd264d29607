//! Nothing lost, nobody let in: the promises of `SECURITY.md`, kept by the program as a process. What
//! is counted here stands in `docs/reliability.md`.

mod files;
mod kills;
mod load;
mod network;
mod secrets;
mod terminal;

use crate::support::server::{Answer, Asked, Server};
use haggle::market::synthetic;
use haggle::offer::Provider;
use haggle::snapshot::{self, Head, Packing, ProviderState, Snapshot};
use haggle::units::UnixSeconds;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Every provider's variable, and what stands in an address behind the server's own.
const ADDRESSES: [&str; 9] =
    ["VAST", "RUNPOD", "LAMBDA", "TENSORDOCK", "VULTR", "AWS", "AZURE", "GPUHUNT", "HF"];

/// A home of its own, and the program in it.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn cache(&self) -> PathBuf {
        self.path(".cache/haggle/market.haggle")
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The program with an environment that holds nothing but this home.
    fn haggle(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_haggle"));
        command
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(self.folder.path())
            .args(words)
            .stdin(Stdio::null());
        command
    }

    /// The same, asking `server` in the place of everybody.
    fn asking(&self, server: &Server, words: &[&str]) -> Command {
        let mut command = self.haggle(words);
        for name in ADDRESSES {
            let path = format!("/{}", name.to_lowercase());
            command.env(format!("HAGGLE_{name}_URL"), server.url(&path));
        }
        command
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a run said on its standard error.
fn said(output: &Output) -> String {
    text(&output.stderr)
}

fn market(rows: usize, seed: u64) -> Vec<u8> {
    let providers = Provider::ALL.map(|provider| ProviderState {
        provider,
        rows: rows / 8,
        fetched_at: Some(UnixSeconds(synthetic::MADE_AT)),
        coverage: None,
        coverage_note: None,
        error: None,
    });
    let head = Head {
        at: UnixSeconds(synthetic::MADE_AT),
        providers: providers.to_vec(),
        ..Head::default()
    };
    let snapshot = Snapshot { head, offers: synthetic::market(rows, seed) };
    snapshot::encode(&snapshot, Packing::Stored)
}

/// All files below `folder`.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// One offer as Vast.ai sends it.
fn vast_row(number: usize) -> serde_json::Value {
    serde_json::json!({
        "id": 1000 + number, "machine_id": 50 + number, "host_id": 7, "gpu_name": "RTX 4090",
        "num_gpus": 1, "gpu_ram": 24564, "gpu_total_ram": 24564, "cuda_max_good": 12.4,
        "cpu_cores": 32, "cpu_cores_effective": 16.0, "cpu_ram": 64000, "disk_space": 500.5,
        "inet_up": 800.1, "inet_down": 900.2, "inet_up_cost": 0.01, "inet_down_cost": 0.001,
        "dph_base": 0.4 + number as f64 * 1e-5, "dph_total": 0.42 + number as f64 * 1e-5,
        "storage_cost": 0.15, "min_bid": 0.2, "reliability2": 0.995, "verification": "verified",
        "geolocation": "Norway, NO", "rentable": true, "rented": false, "duration": 864000.0,
    })
}

/// A market in which only Vast.ai has something.
fn vast_alone(rows: Vec<serde_json::Value>) -> impl Fn(&Asked) -> Answer + Send + Sync + 'static {
    let body = serde_json::json!({"success": true, "offers": rows}).to_string();
    move |asked| {
        if asked.path.contains("/bundles") {
            Answer::json(body.clone())
        } else {
            Answer::status(404, "{}")
        }
    }
}
