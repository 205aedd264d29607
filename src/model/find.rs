//! From what somebody types to a built-in model: name, Hugging Face id, or close to either.

use super::Model;
use super::catalogue::{catalogue, measured};
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use std::sync::Arc;

/// No built-in model is meant for certain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("no built-in model `{asked}`{}", hint(.near))]
pub struct NotFound {
    /// What was typed.
    pub asked: String,
    /// Names that come close, best first.
    pub near: Vec<String>,
}

fn hint(near: &[String]) -> String {
    if near.is_empty() {
        "; any other goes by its Hugging Face id or the path of its config.json".into()
    } else {
        format!("; did you mean {}?", near.join(", "))
    }
}

/// The built-in model of that name or id. Case, `-hf`, `-instruct`, `Meta-` and the like are
/// forgiven where one shape is left; an id of somebody else's repository is not taken for ours.
pub fn find(asked: &str) -> Result<Arc<Model>, NotFound> {
    let asked = asked.trim();
    let exact =
        |m: &&Arc<Model>| m.id.eq_ignore_ascii_case(asked) || m.name.eq_ignore_ascii_case(asked);
    if let Some(model) = catalogue().iter().find(exact) {
        return Ok(model.clone());
    }
    let by_core = if asked.contains('/') { None } else { same_core(asked, catalogue()) };
    by_core.ok_or_else(|| NotFound { asked: asked.to_owned(), near: nearest(asked) })
}

/// Is `model`, found for `asked`, another training of the same shape (`-Instruct` for `-Base`)? Its
/// figures hold, but a file made for it would train other weights than the ones named.
pub fn is_other_training(asked: &str, model: &Model) -> bool {
    let trained = |name: &str| -> Vec<String> {
        const TRAININGS: &[&str] = &["instruct", "chat", "it", "preview"];
        words(name).filter(|w| TRAININGS.contains(&w.as_str())).collect()
    };
    let asked = asked.trim();
    !asked.eq_ignore_ascii_case(&model.id) && trained(asked) != trained(&model.name)
}

/// As [`find`], but also takes a copy in another repository (`NousResearch/Llama-2-70b-hf`,
/// `unsloth/llama-3-8b-bnb-4bit`) for the model it names, and knows those that appear in published
/// measurements only: for measurements, not for setups.
pub fn find_like(asked: &str) -> Option<Arc<Model>> {
    let name = asked.rsplit('/').next().unwrap_or(asked);
    find(asked)
        .ok()
        .or_else(|| same_core(name, catalogue()))
        .or_else(|| same_core(name, measured()))
}

/// The model whose name has the same core; `None` when two different shapes have.
fn same_core(asked: &str, among: &[Arc<Model>]) -> Option<Arc<Model>> {
    let wanted = squeezed(asked);
    if wanted.is_empty() {
        return None;
    }
    let mut found: Option<&Arc<Model>> = None;
    for model in among.iter().filter(|m| squeezed(&m.name) == wanted) {
        match found {
            None => found = Some(model),
            Some(first) if first.params == model.params => {}
            Some(_) => return None,
        }
    }
    found.cloned()
}

/// The core of a name without what stands between its words: `llama2-7b` is `Llama-2-7b`, and
/// `phi-1.5` is `phi-1_5`.
fn squeezed(name: &str) -> String {
    let mut dotted: Vec<char> = name.chars().collect();
    for at in 1..dotted.len().saturating_sub(1) {
        let between_digits = dotted[at - 1].is_ascii_digit() && dotted[at + 1].is_ascii_digit();
        if dotted[at] == '_' && between_digits {
            dotted[at] = '.';
        }
    }
    core(&dotted.into_iter().collect::<String>()).concat()
}

/// The words of a name that tell shapes apart, in lower case.
fn core(name: &str) -> Vec<String> {
    const SAME_SHAPE: &[&str] = &[
        "meta", "hf", "instruct", "chat", "base", "it", "pt", "preview", "gptq", "awq", "bnb",
        "4bit", "8bit", "int4", "unsloth",
    ];
    words(name).filter(|w| !SAME_SHAPE.contains(&w.as_str()) && !is_tuning_tag(w)).collect()
}

/// The words of a name, in lower case.
fn words(name: &str) -> impl Iterator<Item = String> {
    let words = name.split(|c: char| c == '-' || c == '_' || c.is_whitespace());
    words.filter(|w| !w.is_empty()).map(str::to_ascii_lowercase)
}

/// `v1.0` of TinyLlama's chat model names a tuning, not a shape; `v0.1` and `v0.3` of Mistral differ.
fn is_tuning_tag(word: &str) -> bool {
    word == "v1.0"
}

fn nearest(asked: &str) -> Vec<String> {
    let matcher = SkimMatcherV2::default().ignore_case();
    let last = asked.rsplit('/').next().unwrap_or(asked);
    let mut scored: Vec<(i64, &Arc<Model>)> =
        catalogue().iter().filter_map(|m| Some((matcher.fuzzy_match(&m.name, last)?, m))).collect();
    if scored.is_empty() {
        let words = core(last);
        scored = catalogue()
            .iter()
            .filter_map(|m| {
                let theirs = core(&m.name);
                let shared = words.iter().filter(|w| theirs.contains(w)).map(|_| 1).sum::<i64>();
                (shared > 0).then_some((shared, m))
            })
            .collect();
    }
    scored.sort_by_key(|(score, m)| (-score, m.name.len()));
    scored.into_iter().take(4).map(|(_, m)| m.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_names_are_understood() {
        for (asked, name) in [
            ("Meta-Llama-3-8B", "Meta-Llama-3-8B"),
            ("meta-llama/Meta-Llama-3-8B", "Meta-Llama-3-8B"),
            ("llama-3-8b", "Meta-Llama-3-8B"),
            ("Llama-3-8B-Instruct", "Meta-Llama-3-8B"),
            ("llama 3.1 8b", "Llama-3.1-8B"),
            ("Llama-2-7B", "Llama-2-7b-hf"),
            ("TinyLlama-1.1B", "TinyLlama-1.1B-Chat-v1.0"),
            ("Mistral-7B-v0.3", "Mistral-7B-Instruct-v0.3"),
            ("Gemma-2-2B", "gemma-2-2b"),
            ("Phi-3-mini-4k", "Phi-3-mini-4k-instruct"),
            ("qwen2.5-7b-instruct", "Qwen2.5-7B"),
            ("Mixtral-8x7B-v0.1", "Mixtral-8x7B-Instruct-v0.1"),
            ("llama2-7b", "Llama-2-7b-hf"),
            ("llama3-8b", "Meta-Llama-3-8B"),
            ("llama3.2-3b", "Llama-3.2-3B"),
            ("phi-1.5", "phi-1_5"),
        ] {
            assert_eq!(find(asked).map(|m| m.name.clone()).as_deref(), Ok(name), "{asked}");
        }
    }

    #[test]
    fn another_training_of_the_same_shape_is_told_from_the_one_named() {
        for (asked, other) in [
            ("Llama-3-8B-Instruct", true),
            ("Mixtral-8x7B-v0.1", true),
            ("qwen2.5-7b-instruct", true),
            ("llama-3-8b", false),
            ("Qwen2.5-7B-Base", false),
            ("Mixtral-8x7B-Instruct-v0.1", false),
            (" mistralai/mixtral-8x7b-instruct-v0.1", false),
        ] {
            assert_eq!(is_other_training(asked, &find(asked).unwrap()), other, "{asked}");
        }
    }

    #[test]
    fn somebody_elses_repository_is_not_taken_for_ours() {
        assert!(find("someone/Llama-3-8B").is_err());
        let like = find_like("NousResearch/Llama-2-70b-hf").unwrap();
        assert_eq!(like.name, "Llama-2-70b-hf");
        assert_eq!(find_like("TechxGenus/Meta-Llama-3-8B-GPTQ").unwrap().name, "Meta-Llama-3-8B");
        assert_eq!(find_like("someone/Novel-3B"), None);
    }

    #[test]
    fn a_near_miss_gets_suggestions() {
        let error = find("lama-3-8b").unwrap_err();
        assert!(error.near.contains(&"Meta-Llama-3-8B".to_owned()), "{error}");
        assert!(find("zzzzzz").unwrap_err().to_string().contains("config.json"));
        assert!(find("").is_err());
    }
}
