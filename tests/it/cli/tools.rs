//! Our files in the hands of the programs that they are for, where those are installed. Each test
//! says on standard error what it skips.

use super::{House, sample};
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs `program`; `None`, and a line that says so, when it is not installed.
fn tool(program: &str, arguments: &[&str], input: &str) -> Option<(bool, String)> {
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
fn the_manual_page_formats() {
    let page = House::new().run(&["man"]).out;
    if let Some((good, said)) = tool("man", &["--warnings", "-l", "-"], &page) {
        assert!(good && said.contains("--checkpoint-every"), "{said}");
    }
}
