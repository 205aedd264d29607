//! Files that are damaged, full, missing or not ours: one clear line, and the program goes on.

use super::*;
use crate::reliability;

/// A run that goes on: exit code 0, rows on standard output, and what it said.
fn goes_on(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    assert!(text(&output.stdout).lines().count() > 3, "{}", text(&output.stdout));
    assert!(!said.contains("panicked") && !said.contains("fault of its own"), "{said}");
    said
}

#[test]
fn a_cache_that_cannot_be_read_is_kept_aside_with_a_word() {
    let whole = market(400, 5);
    let mut newer = whole.clone();
    newer[8] = 9;
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x40;
    let mut cases = vec![
        ("a newer version", newer, "newer"),
        ("foreign", b"PK\x03\x04 not ours at all".to_vec(), "not a haggle snapshot"),
        ("damaged", flipped, "damaged"),
        ("empty", Vec::new(), "not a haggle snapshot"),
    ];
    for length in [4, 9, 17, 60, whole.len() / 3, whole.len() - 1] {
        cases.push(("truncated", whole[..length].to_vec(), "ends in the middle"));
    }
    for (kind, bytes, why) in cases {
        let home = Home::new();
        home.write(".cache/haggle/market.haggle", &bytes);
        let said = goes_on(&mut home.haggle(&["list", "--offline"]));
        let lines: Vec<&str> = said.lines().filter(|l| l.contains("saved market")).collect();
        assert_eq!(lines.len(), 1, "{kind}: {said}");
        assert!(lines[0].contains(why) && lines[0].contains(".unreadable"), "{kind}: {said}");
        let aside = home.path(".cache/haggle/market.haggle.unreadable");
        assert_eq!(std::fs::read(aside).unwrap(), bytes, "{kind}");
        let again = goes_on(&mut home.haggle(&["list", "--offline"]));
        assert!(!again.contains("saved market"), "{again}");
        // Named by the user, the same file is a mistake of one line and stays where it is.
        let named = home.write("named", &bytes);
        let output = home.haggle(&["list", "--from", "named"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{kind}");
        assert_eq!(super::said(&output).lines().count(), 1, "{}", super::said(&output));
        assert_eq!(std::fs::read(named).unwrap(), bytes);
        reliability::note("snapshots that cannot be read", kind, 2);
    }
}

#[test]
fn without_a_home_or_with_one_that_cannot_be_written_it_goes_on() {
    let home = Home::new();
    let server = Server::new(vast_alone((0..5).map(vast_row).collect()));
    let mut homeless = home.asking(&server, &["list"]);
    homeless.env_remove("HOME");
    goes_on(&mut homeless);
    // Nothing can be written below /proc, not even by root.
    let mut sealed = home.asking(&server, &["list"]);
    sealed.env("HOME", "/proc/nobody");
    goes_on(&mut sealed);
    for place in [None, Some("/proc/nobody")] {
        let words = ["learn", "--gpu", "RTX 4090", "--tokens-per-second", "3000"];
        let mut learn = home.haggle(&words);
        learn.env_remove("HOME");
        if let Some(place) = place {
            learn.env("HOME", place);
        }
        let output = learn.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(said(&output).lines().count(), 1, "{}", said(&output));
    }
    reliability::note("homes that are none", "missing and sealed", 4);
}

/// Runs `words` where no file can grow beyond one kilobyte, as on a disk that is full.
#[cfg(unix)]
fn on_a_full_disk(home: &Home, words: &[&str]) -> Output {
    let mut command = Command::new("bash");
    command
        .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "bash"])
        .arg(env!("CARGO_BIN_EXE_haggle"))
        .args(words)
        .env_clear()
        .env("HOME", home.folder.path())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .current_dir(home.folder.path())
        .stdin(Stdio::null());
    command.output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_one_line_and_the_old_file_stays() {
    let home = Home::new();
    home.write("market", market(2000, 3));
    home.write("kept", market(50, 4));
    let before = std::fs::read(home.path("kept")).unwrap();
    let list = ["list", "--limit", "1", "--format", "json", "--from", "market"];
    let listed = home.haggle(&list).output().unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let id = listed["offers"][0]["id"].as_str().unwrap();
    home.write("offer.json", "mine");
    let runs = "x".repeat(2000) + "\n";
    home.write(".local/share/haggle/runs.jsonl", &runs);
    for (what, words, file, old) in [
        (
            "--save",
            vec!["list", "--limit", "1", "--from", "market", "--save", "kept"],
            "kept",
            before.as_slice(),
        ),
        (
            "export",
            vec!["export", id, "--as", "json", "-o", "offer.json", "--from", "market"],
            "offer.json",
            b"mine",
        ),
        (
            "learn",
            vec!["learn", "--gpu", "RTX 4090", "--tokens-per-second", "3000"],
            ".local/share/haggle/runs.jsonl",
            runs.as_bytes(),
        ),
    ] {
        let output = on_a_full_disk(&home, &words);
        assert_eq!(output.status.code(), Some(1), "{what}: {}", said(&output));
        let said: Vec<String> =
            said(&output).lines().filter(|l| !l.contains("your runs")).map(str::to_owned).collect();
        assert_eq!(said.len(), 1, "{what}: {said:?}");
        assert_eq!(std::fs::read(home.path(file)).unwrap(), old, "{what}");
        reliability::note("full disks", what, 1);
    }
    let full = home.haggle(&["list", "--from", "market", "--save", "/dev/full"]).output().unwrap();
    assert_eq!(full.status.code(), Some(1), "{}", said(&full));
    let left: Vec<PathBuf> = files_below(home.folder.path())
        .into_iter()
        .filter(|f| f.file_name().unwrap().to_string_lossy().starts_with(".haggle-"))
        .filter(|f| f.extension().is_none_or(|e| e != "lock"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[cfg(unix)]
#[test]
fn a_cache_that_does_not_fit_on_the_disk_is_no_reason_to_fail() {
    let home = Home::new();
    // A cache that cannot be written is no reason to fail.
    let server = Server::new(vast_alone((0..50).map(vast_row).collect()));
    let mut url = Vec::new();
    for name in ADDRESSES {
        url.push(format!("HAGGLE_{name}_URL={}", server.url("/x")));
    }
    let mut command = Command::new("bash");
    command
        .args(["-c", "trap '' XFSZ; ulimit -f 1; exec env \"$@\"", "bash"])
        .args(&url)
        .args(["VAST_API_KEY=planted-0123456789-SECRET", env!("CARGO_BIN_EXE_haggle"), "list"])
        .env("HOME", home.folder.path())
        .env_remove("XDG_CACHE_HOME")
        .stdin(Stdio::null());
    goes_on(&mut command);
    // The record of requests is small enough; of the market there is no half.
    let left = files_below(&home.path(".cache"));
    let known = [".haggle-requests.json.lock", "requests.json"];
    assert!(left.iter().all(|f| known.iter().any(|name| f.ends_with(name))), "{left:?}");
    let record = std::fs::read(home.path(".cache/haggle/requests.json")).unwrap();
    serde_json::from_slice::<serde_json::Value>(&record).unwrap();
    reliability::note("full disks", "cache", 1);
}

#[test]
fn what_an_export_or_a_saved_market_replaces_is_kept_with_a_word() {
    let home = Home::new();
    home.write("market", market(60, 3));
    let list = ["list", "--limit", "1", "--format", "json", "--from", "market"];
    let listed = home.haggle(&list).output().unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let id = listed["offers"][0]["id"].as_str().unwrap();
    home.write("mine.yaml", "mine");
    let words = ["export", id, "--as", "yaml", "-o", "mine.yaml", "--from", "market"];
    let output = home.haggle(&words).output().unwrap();
    assert!(output.status.success() && said(&output).contains("kept as mine.yaml~"), "{output:?}");
    assert_eq!(std::fs::read_to_string(home.path("mine.yaml~")).unwrap(), "mine");
    home.write("diary", "dear diary");
    let output = home.haggle(&["list", "--from", "market", "--save", "diary"]).output().unwrap();
    assert!(said(&output).contains("kept as diary~"), "{output:?}");
    assert_eq!(std::fs::read_to_string(home.path("diary~")).unwrap(), "dear diary");
    let output = home.haggle(&["list", "--from", "market", "--save", "diary"]).output().unwrap();
    assert!(!said(&output).contains("kept as"), "a saved market is replaced by a newer one");
}

#[cfg(unix)]
#[test]
fn a_market_can_be_saved_into_a_pipe() {
    let home = Home::new();
    home.write("market", market(60, 3));
    let words = ["list", "--limit", "1", "--from", "market", "--save", "/dev/stdout"];
    let output = home.haggle(&words).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(output.stdout.starts_with(snapshot::MAGIC));
}

#[test]
fn files_with_hostile_names_and_words_stay_what_they_are() {
    let home = Home::new();
    home.write("--job.yaml", "method: \"\\e[31mlora\\u202e\"\n");
    let output = home.haggle(&["setup", "-f", "--job.yaml"]).output().unwrap();
    let message = said(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(!message.contains('\u{1b}') && !message.contains('\u{202e}'), "{message:?}");
    let evidence =
        "id,model,method,gpu\n\u{1b}]0;x\u{7}\u{202e}r,Meta-Llama-3-8B,lora,\u{9b}31mH100\n";
    home.write("e.csv", evidence);
    for format in ["table", "json", "csv", "yaml", "markdown"] {
        let output = home.haggle(&["evidence", "e.csv", "--format", format]).output().unwrap();
        let all = text(&output.stdout) + &said(&output);
        let bad = all.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
        assert!(bad.is_none(), "{format}: {bad:?} in {all:?}");
    }
}
