//! The plan of the house, checked: who may import whom, what may stand only in one place, and how
//! long a file may be.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room and the rooms below it that it may name.
const ROOMS: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("gpu", &["units"]),
    ("model", &["units"]),
    ("offer", &["units", "gpu"]),
    ("setup", &["units", "gpu", "model"]),
    ("estimate", &["units", "gpu", "model", "setup", "offer"]),
    ("market", &["units", "gpu", "model", "setup", "offer", "estimate"]),
    ("snapshot", &["units", "gpu", "offer"]),
    ("export", &["units", "gpu", "model", "setup", "offer", "estimate", "market"]),
    ("provider", &["units", "gpu", "model", "setup", "offer"]),
    ("config", &["units", "offer", "setup", "provider"]),
    (
        "session",
        &[
            "units", "gpu", "model", "setup", "offer", "estimate", "market", "snapshot", "export",
            "provider", "config",
        ],
    ),
    (
        "app",
        &[
            "units", "gpu", "model", "setup", "offer", "estimate", "market", "snapshot", "export",
            "provider", "config", "session",
        ],
    ),
    (
        "ui",
        &[
            "units", "gpu", "model", "setup", "offer", "estimate", "market", "snapshot", "export",
            "provider", "config", "session", "app",
        ],
    ),
    ("tty", &["app", "offer", "units"]),
];

/// What may be named only in some rooms: the text, the rooms, why.
const ONLY_IN: &[(&str, &[&str], &str)] = &[
    ("println!", &["cli"], "what is printed is the command line's business"),
    ("eprintln!", &["cli"], "what is printed is the command line's business"),
    ("std::env::", &["config", "cli", "main"], "the environment is read in one place"),
    ("std::fs", &["config", "runtime", "cli"], "the middle of the house is pure"),
    ("SystemTime::now", &["runtime", "cli"], "time is handed in"),
    ("Timestamp::now", &["runtime", "cli"], "time is handed in"),
    ("ratatui", &["ui"], "only the view knows how it is drawn"),
    ("crossterm", &["tty"], "only the terminal's edge knows the terminal"),
    ("tokio", &["provider", "runtime", "cli"], "the middle of the house does not wait"),
    ("reqwest", &["provider"], "only providers speak HTTP"),
];

const LONGEST_FILE: usize = 600;

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The room that a file stands in: the first folder below `src`, or the file's own name.
fn room(path: &Path) -> String {
    let inside = path.strip_prefix(source()).unwrap();
    let first = inside.iter().next().unwrap().to_string_lossy();
    first.trim_end_matches(".rs").to_string()
}

/// The lines that run in the product: no tests, no comments.
fn product_lines(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim() == "#[cfg(test)]"
            && !text.lines().nth(number + 1).unwrap_or("").trim_end().ends_with(';')
        {
            break;
        }
        if !line.trim_start().starts_with("//") {
            lines.push((number + 1, line));
        }
    }
    lines
}

fn files() -> Vec<(PathBuf, String, String)> {
    let mut paths = Vec::new();
    rust_files(&source(), &mut paths);
    paths.sort();
    assert!(paths.len() > 10, "the sources are not where this test looks");
    paths
        .into_iter()
        .filter(|p| p.file_stem().is_none_or(|s| s != "tests"))
        .map(|p| {
            let text = fs::read_to_string(&p).unwrap();
            let room = room(&p);
            (p, room, text)
        })
        .collect()
}

fn rooms_named(line: &str) -> Vec<String> {
    let mut named = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        let rest = &line[at + 7..];
        if let Some(group) = rest.strip_prefix('{') {
            for part in group.split(['{', '}', ',']) {
                let word = part.trim().split("::").next().unwrap_or("").trim();
                if !word.is_empty() {
                    named.push(word.to_string());
                }
            }
        } else {
            let word: String =
                rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            named.push(word);
        }
    }
    named
}

#[test]
fn the_picture_in_the_architecture_page_is_true() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md"));
    let page = page.unwrap();
    let picture = page.split("<!-- rooms:begin -->").nth(1).unwrap();
    let picture = picture.split("<!-- rooms:end -->").next().unwrap();
    let drawn: Vec<(&str, Vec<&str>)> = picture
        .lines()
        .filter_map(|line| line.split_once('─'))
        .map(|(room, below)| (room.trim(), below.split_whitespace().collect()))
        .filter(|(room, _)| !room.contains("cli"))
        .collect();
    let planned: Vec<(&str, Vec<&str>)> =
        ROOMS.iter().map(|(room, below)| (*room, below.to_vec())).collect();
    assert_eq!(drawn, planned);
}

#[test]
fn arrows_never_point_up() {
    let mut wrong = Vec::new();
    for (path, room, text) in files() {
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else { continue };
        for (number, line) in product_lines(&text) {
            for named in rooms_named(line) {
                let is_room = ROOMS.iter().any(|(r, _)| *r == named)
                    || ["cli", "runtime"].contains(&named.as_str());
                if is_room && named != room && !allowed.contains(&named.as_str()) {
                    wrong.push(format!("{}:{number}: {room} names {named}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that point up:\n{}", wrong.join("\n"));
}

#[test]
fn every_room_is_on_the_plan() {
    for (path, room, _) in files() {
        let known = ROOMS.iter().any(|(r, _)| *r == room)
            || ["lib", "main", "cli", "runtime"].contains(&room.as_str());
        assert!(known, "{} stands in a room that is not on the plan", path.display());
    }
}

#[test]
fn some_things_stand_only_in_their_one_place() {
    let mut wrong = Vec::new();
    for (path, room, text) in files() {
        for (number, line) in product_lines(&text) {
            for (what, rooms, why) in ONLY_IN {
                let code = line.split("//").next().unwrap_or("");
                if code.contains(what) && !rooms.contains(&room.as_str()) && !code.contains('"') {
                    wrong.push(format!("{}:{number}: {what} ({why})", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "out of place:\n{}", wrong.join("\n"));
}

#[test]
fn files_stay_small_and_say_what_they_own() {
    let mut wrong = Vec::new();
    for (path, _, text) in files() {
        let length = match text.find("\n#[cfg(test)]\nmod ") {
            Some(at) => text[..at].lines().count(),
            None => text.lines().count(),
        };
        if length > LONGEST_FILE {
            wrong.push(format!("{}: {length} lines", path.display()));
        }
        if !text.starts_with("//!") {
            wrong.push(format!("{}: does not say what it owns", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_left_open() {
    let marks = ["todo!(", "unimplemented!(", "TODO", "FIXME", "XXX", "HACK"];
    for (path, _, text) in files() {
        for (number, line) in text.lines().enumerate() {
            let open = marks.iter().find(|m| line.contains(**m));
            assert!(open.is_none(), "{}:{}: {}", path.display(), number + 1, line.trim());
        }
    }
}
