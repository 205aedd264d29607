//! Setups from flags, from `job.yaml`, from settings, and what the program says about itself.

use super::House;

#[test]
fn a_printed_setup_reads_back_equal() {
    let house = House::new();
    let words =
        ["setup", "--model", "Qwen2.5-7B", "--method", "lora", "--tokens", "50M", "--print"];
    let first = house.run(&words);
    assert_eq!(first.code, 0, "{first:?}");
    let job = house.write("job.yaml", &first.out);
    let second = house.run(&["setup", "-f", job.to_str().unwrap(), "--print"]);
    assert_eq!(second.out, first.out);
    let json = house.run(&["setup", "-f", job.to_str().unwrap(), "--format", "json"]).json();
    assert_eq!(json["setup"]["tokens"], 50_000_000);
    assert_eq!(json["setup"]["method"], "lora");
}

#[test]
fn weights_other_than_the_named_ones_are_not_taken_without_a_word() {
    let house = House::new();
    let other = house.run(&["setup", "--print", "--model", "Llama-3-8B-Instruct"]);
    assert!(other.out.contains("model: meta-llama/Meta-Llama-3-8B\n"), "{other:?}");
    assert!(other.err.contains("counted as meta-llama/Meta-Llama-3-8B"), "{other:?}");
    let same = house.run(&["setup", "--print", "--model", "llama-3-8b"]);
    assert_eq!((same.code, same.err.as_str()), (0, ""), "{same:?}");
}

#[test]
fn flags_win_over_the_file_and_the_file_over_the_settings() {
    let house = House::new();
    let settings =
        house.write("config.toml", "[setup]\nseq_len = 512\nepochs = 3.0\nlora_rank = 4\n");
    let job = house.write("job.yaml", "seq_len: 1024\nepochs: 2\n");
    let ran = house.run(&[
        "setup",
        "--config",
        settings.to_str().unwrap(),
        "-f",
        job.to_str().unwrap(),
        "--seq-len",
        "2048",
        "--format",
        "json",
    ]);
    let setup = &ran.json()["setup"];
    assert_eq!((setup["seq_len"].as_u64(), setup["epochs"].as_f64()), (Some(2048), Some(2.0)));
    assert_eq!(setup["lora_rank"], 4);
}

#[test]
fn a_broken_file_is_a_mistake_with_its_line() {
    let house = House::new();
    let settings = house.write("config.toml", "[setup]\nmodel = \"x\"\ncolour = 1\n");
    let ran = house.run(&["config", "--config", settings.to_str().unwrap()]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("config.toml:"), "{ran:?}");
    let job = house.write("job.yaml", "seqlen: 4\n");
    let ran = house.run(&["setup", "-f", job.to_str().unwrap()]);
    assert!(ran.code == 2 && ran.err.contains("no field `seqlen`"), "{ran:?}");
}

#[test]
fn keys_are_never_printed() {
    let house = House::new();
    let secret = "sk-very-secret-0123456789abcdef";
    for words in [vec!["config"], vec!["config", "--format", "json"]] {
        let output = house.haggle(&words).env("VAST_API_KEY", secret).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(!said.contains("secret"), "{said}");
        assert!(said.contains("VAST_API_KEY") && said.contains("…cdef"), "{said}");
    }
}

/// A card, fields, and what the one line about them must say.
type Impossible<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [&'a str]);
const IMPOSSIBLE: [Impossible<'_>; 6] = [
    ("RTX 4090", &[("lora_rank", "0")], &["lora-rank", "at least 1"]),
    ("RTX 4090", &[("lora_rank", "5000")], &["lora-rank", "hidden size", "at most 4096"]),
    ("H100 SXM", &[("method", "full"), ("gpus", "1"), ("shard", "fsdp")], &["shard", "2 or more"]),
    ("T4", &[("precision", "bf16"), ("attention", "sdpa")], &["precision", "no bf16", "fp16"]),
    ("H100 SXM", &[("model", "gpt-oss-20b"), ("quant", "nf4")], &["quant", "fused", "lora"]),
    ("H100 SXM", &[("framework", "unsloth"), ("gpus", "4"), ("shard", "fsdp")], &["shard", "ddp"]),
];

#[test]
fn what_cannot_run_is_one_line_from_flags_and_from_a_file() {
    let house = House::new();
    for (gpu, fields, wanted) in IMPOSSIBLE {
        let flags = fields.iter().flat_map(|(name, value)| {
            [format!("--{}", name.replace('_', "-")), (*value).to_owned()]
        });
        let flags: Vec<String> = flags.collect();
        let job = house.folder.path().join("impossible.yaml");
        let lines = fields.iter().map(|(name, value)| format!("{name}: {value}\n"));
        std::fs::write(&job, lines.collect::<String>()).unwrap();
        let by_flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        for words in [by_flags, vec!["-f", job.to_str().unwrap()]] {
            let ran = house.run(&[&["estimate", "--gpu", gpu], &words[..]].concat());
            assert_eq!(ran.code, 2, "{words:?} {ran:?}");
            assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
            assert!(wanted.iter().all(|word| ran.err.contains(word)), "{wanted:?} {ran:?}");
        }
    }
}

/// Memory is that of each card, however many there are; speed is that of one machine.
#[test]
fn more_cards_than_a_machine_has_have_no_speed() {
    let house = House::new();
    let estimate = |gpus: &str| {
        let words = ["estimate", "--gpu", "H100 SXM", "--gpus", gpus, "--format", "json"];
        house.run(&words).json()
    };
    assert!(estimate("16")["speed"]["tokens_per_second"]["expected"].as_f64().unwrap() > 0.0);
    let many = estimate("99");
    assert!(many["speed"]["tokens_per_second"].is_null(), "{many}");
    assert!(many["fit"]["needed_gib"].as_f64().unwrap() > 0.0);
    let page = house.run(&["estimate", "--gpu", "H100 SXM", "--gpus", "99"]);
    assert!(page.out.contains("more than 16 GPUs"), "{page:?}");
}

#[test]
fn a_setup_beyond_the_context_is_estimated_and_refused() {
    let house = House::new();
    let words =
        ["estimate", "--gpu", "H100 SXM", "--model", "Meta-Llama-3-8B", "--seq-len", "16384"];
    let ran = house.run(&[&words[..], &["--format", "json"]].concat());
    assert_eq!(ran.code, 2, "{ran:?}");
    if ran.err.contains("no card in the catalogue") {
        eprintln!("SKIPPED: the catalogue is empty");
        return;
    }
    let json = ran.json();
    assert_eq!(json["fit"]["verdict"], "unknown");
    assert!(json["fit"]["allocated_gib"].as_f64().unwrap() > 0.0);
    assert!(ran.err.contains("8192"), "{ran:?}");
}

#[test]
fn help_and_completions_are_what_they_were() {
    let house = House::new();
    insta::assert_snapshot!("help", house.run(&["--help"]).out);
    for command in ["list", "estimate", "export", "watch"] {
        insta::assert_snapshot!(format!("help_{command}"), house.run(&["help", command]).out);
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = house.run(&["completions", shell]);
        assert_eq!(ran.code, 0);
        // PowerShell and Elvish are given commands and options only.
        let values = ["Meta-Llama-3-8B", "paged-adamw-8bit", "tensordock", "skypilot"];
        let values = if shell.len() <= 4 { &values[..] } else { &[] };
        for word in values.iter().chain(&["pareto", "--checkpoint-every"]) {
            assert!(
                ran.out.contains(word.trim_start_matches('-')),
                "{shell} does not complete {word}"
            );
        }
    }
    for shell in ["elvish", "powershell"] {
        let script = house.run(&["completions", shell]).out;
        let telling = ["'--as'", "'--method'", "'--provider'", "has-key", "ContainsKey"];
        let lines: Vec<&str> = script
            .lines()
            .filter(|line| telling.iter().any(|word| line.contains(word)))
            .filter(|line| !line.contains("CompletionResult"))
            .collect();
        insta::assert_snapshot!(format!("completions_{shell}"), lines.join("\n"));
    }
    let man = house.run(&["man"]).out;
    let gate = man.split(".SH \"HAGGLE GATE\"").nth(1).unwrap().split(".SH").next().unwrap();
    let sections: Vec<&str> = man.lines().filter(|l| l.starts_with(".SH")).collect();
    insta::assert_snapshot!("man", format!("{}\n{gate}", sections.join("\n")));
    for section in [".TH haggle", "HAGGLE LIST", "HAGGLE EXPORT", "micro\\-batch"] {
        assert!(man.contains(section), "no {section} in the manual page");
    }
}

#[test]
fn a_run_that_was_recorded_is_used_first() {
    let house = House::new();
    let setup = ["--gpu", "RTX 4090", "--model", "Qwen2.5-7B", "--method", "qlora"];
    let estimate = || house.run(&[&["estimate", "--format", "json"], &setup[..]].concat()).json();
    let before = estimate();
    assert_ne!(before["speed"]["tokens_per_second"]["expected"], 4321.0);
    let learn = [&["learn", "--tokens-per-second", "4321", "--peak-gib", "17.5"], &setup[..]];
    let learnt = house.run(&learn.concat());
    assert_eq!(learnt.code, 0, "{learnt:?}");
    let after = estimate();
    assert_eq!(after["speed"]["tokens_per_second"]["expected"], 4321.0);
    assert_eq!(after["speed"]["basis"], "measured");
    let wrong = house.run(&["learn", "--gpu", "RTX 4090", "--tokens-per-second", "-3"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
}

#[test]
fn a_log_says_what_happened_and_holds_no_key() {
    let house = House::new();
    let log = house.path("haggle.log");
    let output = house
        .haggle(&["list", "--provider", "vast", "--log", log.to_str().unwrap()])
        .env("HAGGLE_VAST_URL", "http://127.0.0.1:9")
        .env("VAST_API_KEY", "sk-very-secret-0123456789abcdef")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.contains("vast stale") && text.contains("no connection"), "{text}");
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn colours_come_when_asked_for_and_never_into_a_pipe() {
    let house = House::new();
    let market = house.market(super::sample());
    assert!(!house.on(&market, &["list"]).out.contains('\u{1b}'));
    let painted = house.on(&market, &["list", "--color", "always"]).out;
    assert!(painted.starts_with("\u{1b}[1m"), "{painted}");
    let json = house.on(&market, &["list", "--color", "always", "--format", "json"]).out;
    assert!(!json.contains('\u{1b}'));
}
