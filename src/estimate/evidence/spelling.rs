//! How people spell what a table of measurements states: `Yes`, `TRUE` and `on` are one setting,
//! `ZeRO-3`, `zero3` and `DeepSpeed ZeRO stage 3` another. Every cell is brought to one spelling at
//! the door, so that a capital letter changes no prediction. What no rule knows stays as it stands,
//! in lower case with hyphens, and is refused by name where it matters.

/// Lower case, one hyphen for each run of blanks, underscores and hyphens.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.trim().chars() {
        let c = if c == '_' || c.is_whitespace() { '-' } else { c.to_ascii_lowercase() };
        if !(c == '-' && out.ends_with('-')) {
            out.push(c);
        }
    }
    out
}

fn yes(word: &str) -> bool {
    matches!(word, "yes" | "true" | "on" | "1" | "y" | "enabled")
        || word.starts_with("yes(")
        || word.starts_with("yes-")
}

fn no(word: &str) -> bool {
    matches!(word, "no" | "false" | "off" | "0" | "n" | "none" | "disabled")
}

/// `full`, `lora`, `qlora`; anything else as written.
pub(super) fn method(text: &str) -> String {
    let word = plain(text);
    let known = match word.replace('-', "").as_str() {
        "full" | "fullft" | "fft" | "fullfinetune" | "fullfinetuning" | "fullparameter"
        | "fullparameters" | "fullsft" | "sft" => "full",
        "lora" => "lora",
        "qlora" => "qlora",
        _ => return word,
    };
    known.to_owned()
}

/// `yes`, `no`, `selective…`, `unsloth` (kept in main memory), or as written.
pub(super) fn checkpointing(text: &str) -> String {
    let word = plain(text);
    if yes(&word) || matches!(word.as_str(), "full" | "reentrant" | "non-reentrant") {
        "yes".into()
    } else if no(&word) {
        "no".into()
    } else if word.starts_with("offload") {
        "unsloth".into()
    } else {
        word
    }
}

/// `no` for plain attention.
pub(super) fn attention(text: &str) -> String {
    let word = plain(text);
    if no(&word) || matches!(word.as_str(), "eager" | "naive" | "math" | "plain") {
        "no".into()
    } else {
        word
    }
}

/// Without `torch.`.
pub(super) fn dtype(text: &str) -> String {
    let word = plain(text);
    word.strip_prefix("torch.").map_or(word.clone(), str::to_owned)
}

/// `nf4`, `nf4-dq`, `gptq-4bit`, `int8`, …
pub(super) fn quant(text: &str) -> String {
    let word = plain(text);
    let has = |part: &str| word.contains(part);
    let known = if no(&word) {
        ""
    } else if has("gptq") {
        if has("8") { "gptq-8bit" } else { "gptq-4bit" }
    } else if has("nf4") && has("torchao") {
        "nf4(torchao)"
    } else if has("nf4") && (has("dq") || has("double") || has("nested")) {
        "nf4-dq"
    } else if has("nf4") {
        "nf4"
    } else if has("int8") || has("8bit") || has("8-bit") {
        "int8"
    } else {
        return word;
    };
    known.to_owned()
}

/// `packed`, `no`, `dynamic-padding`, …
pub(super) fn packing(text: &str) -> String {
    let word = plain(text);
    if yes(&word) {
        "packed".into()
    } else if no(&word) {
        "no".into()
    } else {
        word
    }
}

/// How GPUs share the work, without blanks and hyphens: `fsdp`, `zero3`, `ddp`, `` for one GPU.
pub(super) fn sharding(text: &str) -> String {
    let word = plain(text).replace(['-', '='], "");
    let bare = ["deepspeed", "accelerate", "hf"].iter().fold(word.as_str(), |w, prefix| {
        w.strip_prefix(prefix).unwrap_or(w).trim_start_matches(['+', '/'])
    });
    let bare = bare.replace("stage", "").replace("fullshard", "").replace("fsdp1", "fsdp");
    if no(&bare) || matches!(bare.as_str(), "single" | "singlegpu" | "1gpu") {
        String::new()
    } else {
        bare
    }
}

/// `allocated`, `reserved`, `nvidia-smi`, or something vaguer.
pub(super) fn reading(text: &str) -> String {
    let word = plain(text);
    let known = [
        ("alloc", "allocated"),
        ("active", "allocated"),
        ("reserv", "reserved"),
        ("smi", "nvidia-smi"),
    ];
    let mut found = known.iter().filter(|(part, _)| word.contains(part)).map(|(_, kind)| *kind);
    match (found.next(), found.next()) {
        (Some(kind), None) => kind.to_owned(),
        _ => word,
    }
}

/// `ok`, `oom`, or as written.
pub(super) fn outcome(text: &str) -> String {
    let word = plain(text);
    if word.contains("oom") || word.contains("out-of-memory") || word.contains("outofmemory") {
        "oom".into()
    } else if yes(&word)
        || matches!(
            word.as_str(),
            "" | "ok" | "success" | "succeeded" | "passed" | "fits" | "ran" | "works" | "done"
        )
    {
        "ok".into()
    } else {
        word
    }
}

/// `no`, or what is moved where.
pub(super) fn offload(text: &str) -> String {
    let word = plain(text);
    if no(&word) { "no".into() } else { word.replace("optimizer-cpu", "optimizer") }
}

/// A list of layers, with commas between them.
pub(super) fn targets(text: &str) -> String {
    let words = text.to_ascii_lowercase();
    let apart = |c: char| !(c.is_alphanumeric() || "_-.()/".contains(c));
    words.split(apart).filter(|w| !w.is_empty()).collect::<Vec<_>>().join(",")
}

/// A number, also as `16.0`, `4,096` or `4_096`.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(value) = text.parse() {
        return Some(value);
    }
    let groups: Vec<&str> = text.split([',', '_']).collect();
    let (first, rest) = groups.split_first()?;
    let of_three = |g: &&str| g.split('.').next().is_some_and(|whole| whole.len() == 3);
    if rest.is_empty() || first.is_empty() || first.len() > 3 || !rest.iter().all(of_three) {
        return None;
    }
    groups.concat().parse().ok()
}

/// Tokens: a number, or `4k` for 4,096.
pub(super) fn length(text: &str) -> Option<f64> {
    let word = text.trim().to_ascii_lowercase();
    match word.strip_suffix('k') {
        Some(thousands) => Some(1024.0 * number(thousands)?),
        None => number(&word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_setting_has_many_spellings() {
        for text in ["Yes", "TRUE", "on", "1", "yes(reentrant)", "full", "Enabled"] {
            assert_eq!(checkpointing(text), "yes", "{text}");
        }
        for text in ["No", "False", "OFF", "0", "none"] {
            assert_eq!(checkpointing(text), "no", "{text}");
        }
        assert_eq!(checkpointing("selective op"), "selective-op");
        for text in ["zero3", "ZeRO-3", "DeepSpeed-ZeRO3", "deepspeed zero stage 3", "ZeRO_3"] {
            assert_eq!(sharding(text), "zero3", "{text}");
        }
        assert_eq!(sharding("FSDP FULL_SHARD"), "fsdp");
        assert_eq!(sharding("Single GPU"), "");
        for (text, kind) in [
            ("max_memory_reserved", "reserved"),
            ("Peak allocated", "allocated"),
            ("nvidia_smi", "nvidia-smi"),
            ("allocated or reserved", "allocated-or-reserved"),
            ("unspecified", "unspecified"),
        ] {
            assert_eq!(reading(text), kind);
        }
        assert_eq!(method("Full fine-tuning"), "full");
        assert_eq!(method("Q-LoRA"), "qlora");
        assert_eq!(method("full(pretrain)"), "full(pretrain)");
        assert_eq!(quant("int4 (GPTQ)"), "gptq-4bit");
        assert_eq!(quant("NF4 (bnb)"), "nf4");
        assert_eq!(outcome("CUDA out of memory"), "oom");
        assert_eq!(outcome("Success"), "ok");
        assert_eq!(targets("[\"q_proj\", 'v_proj']; o_proj"), "q_proj,v_proj,o_proj");
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        assert_eq!(number("4,096"), Some(4096.0));
        assert_eq!(number("1_234.5"), Some(1234.5));
        assert_eq!(number("4,09"), None);
        assert_eq!(number("1 is supported,"), None);
        assert_eq!(length("4k"), Some(4096.0));
        assert_eq!(length("2048.0"), Some(2048.0));
    }
}
