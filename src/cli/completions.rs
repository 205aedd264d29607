//! `haggle completions SHELL`: names of commands and options, and the words that options take
//! (models, cards, providers, fields, …).
//!
//! The generator writes those words for bash, zsh and fish. What it writes for PowerShell and Elvish
//! knows commands and options only, so the words are put in here.

use super::args::Cli;
use super::failure::Failure;
use super::out;
use clap::CommandFactory;
use clap_complete::Shell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub(super) fn run(shell: Shell) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "haggle", &mut bytes);
    let script = String::from_utf8_lossy(&bytes);
    match shell {
        Shell::PowerShell => out::data(&powershell(&script)),
        Shell::Elvish => out::data(&elvish(&script)),
        _ => out::data(&script),
    }
}

/// The words that each option takes, by the option: `--method` → full, lora, qlora.
fn words() -> BTreeMap<String, Vec<String>> {
    let root = Cli::command();
    let mut words = BTreeMap::new();
    for command in std::iter::once(&root).chain(root.get_subcommands()) {
        for option in command.get_arguments() {
            let Some(long) = option.get_long() else { continue };
            let values = option.get_possible_values();
            // A switch has `true` and `false`, which nobody writes.
            if option.get_action().takes_values() && !values.is_empty() {
                let names = values.iter().map(|v| v.get_name().to_owned());
                // PowerShell would make two words of `q,v`.
                let names = names.filter(|name| !name.contains(',')).collect();
                words.insert(format!("--{long}"), names);
            }
        }
    }
    words
}

fn powershell(script: &str) -> String {
    let mut table = String::from("    $values = @{\n");
    for (option, values) in words() {
        let list: Vec<String> = values.iter().map(|v| format!("'{v}'")).collect();
        let _ = writeln!(table, "        '{option}' = @({})", list.join(", "));
    }
    table.push_str(
        "    }
    $previous = $commandElements |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        Select-Object -Last 1
    if ($previous -and $values.ContainsKey($previous.Extent.Text)) {
        return $values[$previous.Extent.Text] |
            Where-Object { $_ -like \"$wordToComplete*\" } |
            ForEach-Object {
                [CompletionResult]::new($_, $_, [CompletionResultType]::ParameterValue, $_)
            }
    }

",
    );
    let at = "    $completions = @(switch";
    script.replacen(at, &format!("{table}{at}"), 1)
}

fn elvish(script: &str) -> String {
    let mut table = String::from("    var values = [\n");
    for (option, values) in words() {
        let list: Vec<String> = values.iter().map(|v| format!("'{v}'")).collect();
        let _ = writeln!(table, "        &'{option}'= [{}]", list.join(" "));
    }
    table.push_str("    ]\n");
    let choose = "    if (has-key $values $words[-2]) {
        all $values[$words[-2]]
    } elif (has-key $completions $command) {
        $completions[$command]
    }
";
    script.replacen("    $completions[$command]\n", &format!("{table}{choose}"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_known_with_their_words_and_no_word_needs_quoting() {
        let words = words();
        assert_eq!(words["--method"], ["full", "lora", "qlora"]);
        assert!(words["--gpu"].contains(&"H100-SXM".to_owned()), "{:?}", words["--gpu"]);
        assert!(words["--sort"].contains(&"total".to_owned()));
        assert!(!words.contains_key("--strict"));
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        for word in words.values().flatten() {
            assert!(word.chars().all(plain), "a shell would take {word} apart");
        }
    }
}
