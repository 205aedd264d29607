//! What the documents for people say, held against the program.

use std::collections::BTreeMap;
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(file(name)).unwrap()
}

/// Text before, between and after the marks of `block`.
fn parts(text: &str, block: &str) -> (String, String, String) {
    let begin = format!("<!-- {block}:begin");
    let end = format!("<!-- {block}:end -->");
    let start = text.find(&begin).unwrap_or_else(|| panic!("no place for {block}"));
    let inside = start + text[start..].find("-->\n").unwrap() + 4;
    let stop = inside + text[inside..].find(&end).unwrap();
    (text[..inside].into(), text[inside..stop].into(), text[stop..].into())
}

/// What was measured, and how far off the predictions are: one line for each kind of reading.
fn evidence_table() -> String {
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_haggle"))
        .args(["evidence", "--format", "json"])
        .env_clear()
        .output()
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let mut kinds: BTreeMap<String, Vec<(f64, bool)>> = BTreeMap::new();
    for row in json["rows"].as_array().unwrap() {
        let mut add = |kind: String, what: &str, low: &str, high: &str| {
            let figure = |name: &str| row[name].as_f64();
            let measured = figure(&format!("measured_{what}"));
            let predicted = figure(&format!("predicted_{what}"));
            if let (Some(m), Some(p), Some(low), Some(high)) =
                (measured, predicted, figure(low), figure(high))
            {
                let inside = low <= m && m <= high;
                kinds.entry(kind).or_default().push(((p / m - 1.0).abs(), inside));
            }
        };
        let kind = row["mem_kind"].as_str().unwrap_or_default();
        add(format!("memory, {kind}"), "gib", "low_gib", "high_gib");
        add(
            "speed, tokens/s".into(),
            "tokens_per_second",
            "low_tokens_per_second",
            "high_tokens_per_second",
        );
    }
    let mut table = String::from(
        "| reading | measurements | median error | 95 % are within | inside the band shown |\n|---|---:|---:|---:|---:|\n",
    );
    for (kind, mut rows) in kinds {
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let n = rows.len();
        let at = |share: f64| rows[(share * (n - 1) as f64).round() as usize].0 * 100.0;
        let inside = rows.iter().filter(|r| r.1).count() as f64 / n as f64 * 100.0;
        table +=
            &format!("| {kind} | {n} | {:.1} % | {:.1} % | {inside:.1} % |\n", at(0.5), at(0.95));
    }
    table
}

/// `HAGGLE_UPDATE_README=1 cargo test --test it documents` writes the table anew.
#[test]
fn the_readme_has_todays_errors() {
    let readme = read("README.md");
    let (before, written, after) = parts(&readme, "evidence");
    let table = evidence_table();
    if std::env::var_os("HAGGLE_UPDATE_README").is_some() {
        std::fs::write(file("README.md"), format!("{before}{table}{after}")).unwrap();
        return;
    }
    assert_eq!(written, table, "stale; run HAGGLE_UPDATE_README=1 cargo test --test it documents");
}

/// Lines in code fences that call the program, with lines that go on put together.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    let joined = text.replace("\\\n", " ");
    for line in joined.lines() {
        let line = line.trim();
        if let Some(kind) = line.strip_prefix("```") {
            inside = matches!(kind, "sh" | "yaml");
        } else if inside {
            let line = line.trim_start_matches("run: ");
            // Where completions and manual go is the reader's business.
            let writes = line.contains("> ~") || line.contains("$PROFILE");
            if line.starts_with("haggle ") && !writes {
                found.push(line.to_owned());
            }
        }
    }
    found
}

#[test]
fn every_command_in_the_documents_works() {
    let house = tempfile::tempdir().unwrap();
    let job = "model: Meta-Llama-3-8B\nmethod: qlora\ntokens: 50M\n";
    std::fs::write(house.path().join("job.yaml"), job).unwrap();
    let path = std::env::join_paths(
        std::iter::once(
            PathBuf::from(env!("CARGO_BIN_EXE_haggle")).parent().unwrap().to_path_buf(),
        )
        .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .unwrap();
    let mut count = 0;
    for document in ["README.md", "docs/ci.md"] {
        for command in commands(&read(document)) {
            count += 1;
            // Everything as it stands there, on the market that is built in.
            let line = command.replacen("haggle ", "haggle --offline ", 1);
            let output = std::process::Command::new("bash")
                .args(["-o", "pipefail", "-c", &line])
                .env_clear()
                .env("PATH", &path)
                .env("HOME", house.path())
                .env("GITHUB_STEP_SUMMARY", house.path().join("summary"))
                .current_dir(house.path())
                .output()
                .unwrap();
            let code = output.status.code();
            // 6 is a gate that does its work.
            assert!(
                matches!(code, Some(0 | 6)),
                "{document}: {line}: {code:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    assert!(count >= 6, "{count} commands found");
}

#[test]
fn links_lead_somewhere() {
    for document in
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/ci.md", "docs/query.md"]
    {
        let text = read(document);
        let folder = file(document).parent().unwrap().to_path_buf();
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split(')').next().unwrap();
            let outside = target.starts_with("http") || target.starts_with('#');
            let path = target.split('#').next().unwrap();
            assert!(outside || folder.join(path).exists(), "{document} leads to {target}");
        }
    }
}

/// `cargo package` takes what the build reads, and little else.
#[test]
fn the_package_holds_what_the_build_reads() {
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let include: Vec<&str> = manifest["package"]["include"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_str().unwrap())
        .collect();
    for needed in ["src/**", "assets/**", "README.md", "CHANGELOG.md", "LICENSE-*", "Cargo.lock"] {
        assert!(include.contains(&needed), "the package lacks {needed}");
    }
    for unneeded in ["tests", "benches", "fuzz", ".ci", ".github"] {
        assert!(!include.iter().any(|i| i.starts_with(unneeded)), "{unneeded} is in the package");
    }
}
