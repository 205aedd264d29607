//! Our files in the hands of the programs that they are for, where those are installed. Each test
//! says on standard error what it skips.

use super::{House, sample};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// Runs `program`; `None`, and a line that says so, when it is not installed.
pub(super) fn tool(program: &str, arguments: &[&str], input: &str) -> Option<(bool, String)> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("SKIPPED: {program} is not installed");
        return None;
    };
    // A program that does not read its input is free not to.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    Some((output.status.success(), said.into_owned()))
}

#[test]
fn python_reads_our_yaml_as_we_meant_it() {
    let house = House::new();
    let market = house.market(sample());
    let yaml = house.on(&market, &["list", "--limit", "20", "--format", "yaml"]).out;
    let check = "
import sys
try:
    import yaml
except ImportError:
    print('no yaml'); sys.exit(0)
doc = yaml.safe_load(sys.stdin)
assert doc['shown'] == 20, doc['shown']
for o in doc['offers']:
    c = o['region']['country']
    assert c is None or isinstance(c, str), c
    assert isinstance(o['gpus'], (int, float))
";
    if let Some((good, said)) = tool("python3", &["-c", check], &yaml) {
        assert!(good, "{said}");
        if said.contains("no yaml") {
            eprintln!("SKIPPED: PyYAML is not installed");
        }
    }
}

#[test]
fn pythons_jsonschema_agrees_with_our_schema() {
    let house = House::new();
    let market = house.market(sample());
    let schema = house.run(&["schema"]).json();
    let list = house.on(&market, &["list", "--limit", "20", "--format", "json"]).json();
    let input = serde_json::json!({"schema": schema, "list": list}).to_string();
    let check = "
import json, sys
try:
    import jsonschema
except ImportError:
    print('no jsonschema'); sys.exit(0)
d = json.load(sys.stdin)
jsonschema.Draft202012Validator.check_schema(d['schema'])
jsonschema.validate(d['list'], d['schema'])
";
    if let Some((good, said)) = tool("python3", &["-c", check], &input) {
        assert!(good, "{said}");
        if said.contains("no jsonschema") {
            eprintln!("SKIPPED: jsonschema is not installed");
        }
    }
}

#[test]
fn completions_load_in_their_shells() {
    let house = House::new();
    for (shell, arguments) in
        [("bash", vec!["-n"]), ("zsh", vec!["-n"]), ("fish", vec!["--no-execute"])]
    {
        let script = house.run(&["completions", shell]).out;
        if let Some((good, said)) = tool(shell, &arguments, &script) {
            assert!(good, "{shell}: {said}");
        }
    }
}

#[test]
fn completion_offers_models_cards_providers_and_fields() {
    let house = House::new();
    let script = house.run(&["completions", "bash"]).out;
    let ask = |words: &str| {
        let probe = format!(
            "{script}\nCOMP_WORDS=({words})\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
             _haggle haggle \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
        );
        tool("bash", &[], &probe)
    };
    let fish = house.write("haggle.fish", &house.run(&["completions", "fish"]).out);
    let in_fish = |words: &str| {
        let probe = format!("source {}; complete -C '{words}'", fish.display());
        tool("fish", &["-c", &probe], "")
    };
    for (line, wanted) in [
        ("haggle list --model Qwen2.5-7", "Qwen2.5-7B"),
        ("haggle estimate --gpu H100-S", "H100-SXM"),
        ("haggle list --provider tens", "tensordock"),
        ("haggle list --sort tot", "total"),
        ("haggle list vra", "vram"),
        ("haggle export x --as sky", "skypilot"),
        ("haggle par", "pareto"),
    ] {
        for (shell, answer) in [("bash", ask(line)), ("fish", in_fish(line))] {
            let Some((_, said)) = answer else { continue };
            // What fish is told holds no words that stand without an option.
            if shell == "fish" && wanted == "vram" {
                continue;
            }
            // fish puts what it means behind the word.
            let words: Vec<&str> = said.lines().filter_map(|l| l.split('\t').next()).collect();
            assert!(words.contains(&wanted), "{shell}: {line}: {said}");
        }
    }
}

#[test]
fn the_manual_page_formats() {
    let page = House::new().run(&["man"]).out;
    if let Some((good, said)) = tool("man", &["--warnings", "-l", "-"], &page) {
        assert!(good && said.contains("--checkpoint-every"), "{said}");
    }
    if let Some((_, said)) = tool("mandoc", &["-T", "lint", "-W", "warning"], &page) {
        let wrong: Vec<&str> = said.lines().filter(|l| !l.contains("missing date")).collect();
        assert_eq!(wrong, [""; 0]);
    }
}

/// A market with one offer of each provider, with the ids that its source fills in.
pub(super) fn rentable() -> Vec<haggle::offer::Offer> {
    use haggle::market::synthetic;
    use haggle::offer::Provider;
    let ids = [
        (Provider::Vast, "12345678", "Norway, NO"),
        (Provider::Runpod, "SECURE:NVIDIA GeForce RTX 4090", "EU-RO-1"),
        (Provider::Lambda, "gpu_1x_a10", "us-east-1"),
        (Provider::Vultr, "vcg-l40s-16c-180g-48vram", "ewr"),
        (Provider::Aws, "g5.2xlarge", "us-east-1"),
        (Provider::Azure, "Standard_NC24ads_A100_v4", "eastus"),
        (Provider::Gcp, "a2-highgpu-1g", "us-central1-a"),
    ];
    ids.into_iter()
        .map(|(provider, launch, place)| {
            let mut offer = synthetic::offer(provider, "a");
            offer.launch_id = launch.into();
            offer.place.raw = place.into();
            offer.price.spot = offer.price.on_demand.map(|p| p * 0.4);
            offer
        })
        .collect()
}

/// The next request: its first line, and its body; `None` at the end.
pub(super) fn request(reader: &mut impl BufRead) -> Option<(String, String)> {
    let mut first = String::new();
    if reader.read_line(&mut first).ok()? == 0 {
        return None;
    }
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((first, String::from_utf8(body).ok()?))
}

/// Answers each request on `listener` as Vast.ai does after a create, and keeps what came.
fn answer(listener: &std::net::TcpListener) -> Option<(String, String)> {
    for stream in listener.incoming() {
        let mut stream = stream.ok()?;
        let (first, body) = request(&mut BufReader::new(stream.try_clone().ok()?))?;
        let json = r#"{"success":true,"new_contract":1}"#;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
        write!(stream, "{head}content-length: {}\r\n\r\n{json}", json.len()).ok()?;
        if first.starts_with("PUT") {
            return Some((first, body));
        }
    }
    None
}

#[test]
fn vasts_own_program_sends_what_the_offer_implies() {
    let house = House::new();
    let market = house.market(rentable());
    for spot in [false, true] {
        let pricing = if spot { "spot" } else { "on-demand" };
        let words = ["export", "vast:a", "--as", "vastai", "--pricing", pricing];
        let script = house.on(&market, &[&words[..], &["--disk", "150GB"]].concat()).out;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let script = format!("{} --url {url} --api-key test --raw\n", script.trim_end());
        // Without the program, nobody would ever call.
        let Some((true, _)) = tool("vastai", &["--help"], "") else { return };
        let server = std::thread::spawn(move || answer(&listener));
        let home = house.path("home");
        std::fs::create_dir_all(&home).unwrap();
        let runs = format!("export HOME={}\n{script}", home.display());
        let (good, said) = tool("sh", &["-e"], &runs).unwrap();
        assert!(good, "{said}\n{script}");
        let (line, body) = server.join().unwrap().unwrap();
        assert!(line.starts_with("PUT /api/v0/asks/12345678/"), "{line}");
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["disk"].as_f64(), Some(150.0), "{body}");
        assert_eq!(body["price"].as_f64(), spot.then_some(0.2), "{body}");
        assert_eq!(body["cancel_unavail"], true, "{body}");
        assert!(body["label"].as_str().unwrap().starts_with("haggle-meta-llama-3-8b"), "{body}");
        assert!(body["image"].as_str().unwrap().starts_with("pytorch/pytorch:"), "{body}");
    }
}

/// Runs a Python check on an export, unless `module` is missing.
fn python_check(module: &str, check: &str, text: &str, what: &str) {
    let program = format!(
        "import sys\ntry:\n    import {module}\nexcept ImportError:\n    print('no {module}'); sys.exit(0)\n{check}"
    );
    if let Some((good, said)) = tool("python3", &["-c", &program], text) {
        assert!(good, "{what}: {said}\n{text}");
        if said.contains(&format!("no {module}")) {
            eprintln!("SKIPPED: {module} is not installed");
        }
        said.lines().filter(|l| l.starts_with("SKIPPED")).for_each(|l| eprintln!("{l}"));
    }
}

#[test]
fn skypilot_and_dstack_read_their_tasks() {
    let house = House::new();
    let market = house.market(rentable());
    let sky = "
import json, tempfile
for name, text in json.load(sys.stdin):
    with tempfile.NamedTemporaryFile('w', suffix='.yaml', delete=False) as f:
        f.write(text)
    try:
        task = sky.Task.from_yaml(f.name)
    except Exception as e:
        # It looks instance types up in lists that it fetches.
        if 'Failed to resolve' in str(e) or 'onnection' in type(e).__name__:
            print('SKIPPED', name, 'the catalogue cannot be fetched')
            continue
        raise
    assert task.num_nodes == 1 and task.run and task.setup, (name, task)
";
    let dstack = "
import json, yaml
from dstack._internal.core.models.configurations import parse_apply_configuration
for name, text in json.load(sys.stdin):
    conf = parse_apply_configuration(yaml.safe_load(text))
    conf = getattr(conf, 'root', conf)
    assert conf.type == 'task' and conf.commands, (name, conf)
";
    for (target, module, check, count) in
        [("skypilot", "sky", sky, 6), ("dstack", "dstack", dstack, 7)]
    {
        let mut tasks = Vec::new();
        for id in ["vast:a", "runpod:a", "lambda:a", "vultr:a", "aws:a", "azure:a", "gcp:a"] {
            let ran = house.on(&market, &["export", id, "--as", target]);
            if ran.code == 2 {
                assert!(ran.err.contains("is for offers of"), "{ran:?}");
                continue;
            }
            assert_eq!(ran.code, 0, "{ran:?}");
            tasks.push((id, ran.out));
        }
        assert_eq!(tasks.len(), count, "{target}");
        let input = serde_json::to_string(&tasks).unwrap();
        python_check(module, check, &input, target);
    }
}
