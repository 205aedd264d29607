//! Planted keys, and a look at everything that the program wrote, showed or sent, in every fault.

use super::*;
use crate::reliability;
use crate::screen::Term;
use portable_pty::CommandBuilder;
use std::collections::BTreeMap;

/// A key for each variable; every one of them begins with the same letters.
const KEYS: [(&str, &str); 6] = [
    ("VAST_API_KEY", "planted-vast-0123456789abcdefghijklmnop"),
    ("RUNPOD_API_KEY", "planted-runpod-0123456789abcdefghijklmn"),
    ("LAMBDA_API_KEY", "planted-lambda-0123456789abcdefghijklmn"),
    ("TENSORDOCK_API_KEY", "planted-tensordock-0123456789abcdefghij"),
    ("VULTR_API_KEY", "planted-vultr-0123456789abcdefghijklmno"),
    ("HF_TOKEN", "planted-hf-0123456789abcdefghijklmnopqr"),
];

/// What must show up nowhere.
const MARK: &str = "planted-";

/// What a server does with every request.
type Conduct = Box<dyn Fn(&Asked) -> Answer + Send + Sync>;

fn faults() -> Vec<(&'static str, Conduct)> {
    fn said(status: u16) -> Conduct {
        Box::new(move |_| Answer::status(status, r#"{"msg":"no"}"#))
    }
    // A service that repeats the key: as it is, in JSON, at the end of a long message, in a row.
    let parrot = |asked: &Asked| asked.header("authorization").unwrap_or("nobody").to_owned();
    vec![
        ("401", said(401)),
        ("403", said(403)),
        ("404", said(404)),
        ("429", said(429)),
        ("500", said(500)),
        ("garbage", Box::new(|_| Answer::bytes(vec![0xff; 64]))),
        (
            "html",
            Box::new(|_| Answer::status(200, "<html>x</html>").with("Content-Type", "text/html")),
        ),
        (
            "redirect",
            Box::new(|_| Answer::status(302, "").with("Location", "http://127.0.0.2:9/x")),
        ),
        ("repeats the key", Box::new(move |a| Answer::status(400, &parrot(a)))),
        (
            "repeats the key in JSON",
            Box::new(move |a| {
                Answer::status(422, &serde_json::json!({"msg": parrot(a)}).to_string())
            }),
        ),
        (
            "repeats the key far behind",
            Box::new(move |a| Answer::status(400, &format!("{}{}", "x".repeat(60), parrot(a)))),
        ),
        ("rows", Box::new(|asked| vast_alone((0..20).map(vast_row).collect())(asked))),
    ]
}

/// Does any file below the home hold a key, apart from those that were put there?
fn no_file_holds_a_key(home: &Home, but: &[PathBuf]) -> u64 {
    let mut looked = 0;
    for file in files_below(home.folder.path()) {
        let bytes = std::fs::read(&file).unwrap();
        if !but.contains(&file) {
            assert!(!text(&bytes).contains(MARK), "{} holds a key", file.display());
        }
        looked += 1;
    }
    looked
}

fn armed(command: &mut Command) -> &mut Command {
    command.envs(KEYS).env("RUST_BACKTRACE", "1")
}

/// All commands against a server that behaves like `answer`.
fn no_command_shows_a_key(fault: &str, answer: Conduct) {
    let home = Home::new();
    let server = Server::new(answer);
    let mut looked = 0;
    for words in [
        &["list", "--log", "log", "--log-level", "debug", "--save", "saved"][..],
        &["list", "--format", "json", "--strict"],
        &["providers", "--format", "json"],
        &["doctor"],
        &["config"],
        &["estimate", "--gpu", "RTX 4090", "--model", "someone/some-model"],
        &["best", "--format", "yaml"],
        &["export", "vast:51-1", "--as", "curl", "-o", "launch.sh"],
        &["export", "vast:51-1", "--as", "vastai", "-o", "launch2.sh"],
    ] {
        let child = armed(&mut home.asking(&server, words))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let line = std::fs::read(format!("/proc/{}/cmdline", child.id())).unwrap_or_default();
        assert!(!text(&line).contains(MARK));
        let output = child.wait_with_output().unwrap();
        let all = text(&output.stdout) + &said(&output);
        assert!(!all.contains(MARK), "{fault}: {words:?} shows a key:\n{all}");
        looked += 2 + no_file_holds_a_key(&home, &[]);
    }
    assert!(home.path("log").exists());
    for asked in server.asked() {
        assert!(!asked.path.contains(MARK) && !asked.body.contains(MARK), "{asked:?}");
        for (name, value) in &asked.headers {
            assert!(!value.contains(MARK) || name.eq_ignore_ascii_case("authorization"));
        }
        let whose = asked.path.split('/').nth(1).unwrap();
        if let Some(key) = asked.header("authorization") {
            assert!(key.contains(&format!("{MARK}{whose}")), "{whose} was sent {key}");
        }
        looked += 1;
    }
    reliability::note("places searched for keys", fault, looked);
}

#[test]
fn keys_are_nowhere_but_in_the_header_of_their_own_host() {
    std::thread::scope(|scope| {
        for (fault, answer) in faults() {
            scope.spawn(move || no_command_shows_a_key(fault, answer));
        }
    });
}

#[test]
fn a_key_never_follows_to_another_host() {
    let thief = Server::new(|_| Answer::json("{}"));
    let elsewhere = thief.url("/stolen");
    let server = Server::new(move |_| Answer::status(307, "").with("Location", &elsewhere));
    let home = Home::new();
    for words in
        [&["list"][..], &["estimate", "--gpu", "RTX 4090", "--model", "someone/some-model"]]
    {
        armed(&mut home.asking(&server, words)).output().unwrap();
    }
    assert!(!server.asked().is_empty());
    assert!(thief.asked().is_empty());
    reliability::note("places searched for keys", "another host", server.asked().len() as u64);
}

#[test]
fn the_screen_shows_no_key_and_copies_none() {
    let home = Home::new();
    let server = Server::new(vast_alone((0..20).map(vast_row).collect()));
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_haggle"));
    command.args(["--log", "log", "--log-level", "debug"]);
    let mut env: BTreeMap<String, String> =
        KEYS.iter().map(|(name, key)| ((*name).to_owned(), (*key).to_owned())).collect();
    for name in ADDRESSES {
        env.insert(format!("HAGGLE_{name}_URL"), server.url(&format!("/{}", name.to_lowercase())));
    }
    let env: Vec<(&str, &str)> = env.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let folder = home.folder.path().to_owned();
    let mut term = Term::spawn(home.folder, command, 160, 45, &env);
    term.until_text("? help");
    term.until_text("vast 20");
    term.keys("f\u{15}provider:vast\r");
    term.until_text("vast:5");
    term.keys("yY");
    term.until(|_, raw| text(raw).contains("\u{1b}]52;c;"));
    term.keys("e\r");
    term.until_text("wrote ");
    term.keys("r\u{3}");
    assert_eq!(term.end(), 0);
    let raw = text(&term.raw);
    assert!(!raw.contains(MARK));
    let copied = raw.split("\u{1b}]52;c;").skip(1).map(|rest| rest.split('\u{1b}').next().unwrap());
    let mut looked = 1;
    for sequence in copied {
        let decoded = unbase64(sequence);
        assert!(!text(&decoded).contains(MARK));
        assert!(decoded.len() > 20);
        looked += 1;
    }
    assert!(looked > 1, "nothing was copied");
    for file in files_below(&folder) {
        assert!(!text(&std::fs::read(&file).unwrap()).contains(MARK), "{}", file.display());
        looked += 1;
    }
    reliability::note("places searched for keys", "screen, clipboard, log", looked);
}

/// Base64 (RFC 4648) read back.
fn unbase64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for c in text.bytes() {
        let Some(value) = LETTERS.iter().position(|l| *l == c) else { continue };
        bits = (bits << 6) | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    bytes
}

#[cfg(unix)]
#[test]
fn a_file_of_keys_that_others_can_read_is_warned_of_and_no_core_file_is_left() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let server = Server::new(vast_alone((0..3).map(vast_row).collect()));
    let keys = home.write(".config/haggle/keys.toml", "vast = \"planted-file-0123456789\"\n");
    for (mode, warned) in [(0o644, true), (0o640, true), (0o600, false)] {
        std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(mode)).unwrap();
        let output = home.asking(&server, &["list", "--limit", "1"]).output().unwrap();
        assert_eq!(said(&output).contains("chmod 600"), warned, "{mode:o}: {}", said(&output));
        assert!(!said(&output).contains(MARK));
    }
    no_file_holds_a_key(&home, &[keys]);
    // What is started under an open limit has set its own to nought.
    let limits = Command::new("bash")
        .args(["-c", "ulimit -S -c unlimited 2>/dev/null; exec \"$@\"", "bash"])
        .arg(env!("CARGO_BIN_EXE_haggle"))
        .args(["watch", "--offline", "--until", "price<1000", "--exec", "ulimit -S -c >&2"])
        .env("HOME", home.folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(limits.status.success(), "{}", said(&limits));
    assert!(said(&limits).lines().any(|l| l == "0"), "{}", said(&limits));
}
