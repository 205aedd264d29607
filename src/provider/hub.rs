//! Models by their id on the Hugging Face hub: `config.json`, and the number of parameters that the
//! hub read off the safetensors files. An answer can be kept, so that a model is asked for once a
//! month.

use super::http::{Address, Call, Caller, Http, RateLimit};
use super::{ApiKey, FetchError};
use crate::model::{self, Model};
use crate::offer::Text;
use crate::units::UnixSeconds;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// Where the hub really is; `HAGGLE_HF_URL` replaces it.
pub const HUB: &str = "https://huggingface.co";
/// The variable that holds the token.
pub const TOKEN: &str = "HF_TOKEN";
/// Configurations do not change; repositories are replaced now and then.
const FRESH_SECONDS: i64 = 30 * 86_400;
/// A configuration is a few kilobytes, the hub's card of a large repository some hundred.
const MOST_MB: u64 = 4;
/// What the hub allows without an account: 500 requests in five minutes.
const LIMIT: RateLimit = RateLimit::per(400, 300);
/// Longest part of an id that the hub allows.
const LONGEST_PART: usize = 96;

/// Why a model cannot be had, in one line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HubError {
    /// It is no id.
    #[error("`{0}` is no Hugging Face id; one is written organisation/name")]
    NoId(String),
    /// The hub does not show it, without a token.
    #[error("{0} is not on the hub, or gated or private; accept its terms there and set {TOKEN}")]
    NeedsToken(String),
    /// The hub does not show it to the holder of this token.
    #[error("the token in {TOKEN} may not read {0}; accept its terms on the hub with that account")]
    Denied(String),
    /// The hub does not have it, or it has no `config.json`.
    #[error("{0} is not on the hub, or has no config.json")]
    NotThere(String),
    /// Nothing was kept of it, and nothing may be fetched.
    #[error("{0} was never fetched, and we are offline; use a path to its config.json")]
    Offline(String),
    /// The hub cannot be reached.
    #[error("the hub: {0}")]
    Fetch(#[from] FetchError),
    /// Its architecture is not modelled; the reason.
    #[error("{0}")]
    Refused(String),
}

/// The hub, with a client of its own, so that its pace borrows nobody's.
#[derive(Debug)]
pub struct Hub {
    http: Http,
    address: Address,
    key: Option<ApiKey>,
    caller: Caller,
}

/// What the hub said of a model; worth keeping.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// When.
    pub at: UnixSeconds,
    config: String,
    parameters: Option<u64>,
    gated: bool,
}

impl Answer {
    /// Is it new enough not to ask again?
    pub fn is_fresh(&self, now: UnixSeconds) -> bool {
        self.at <= now && self.at.age_at(now) <= FRESH_SECONDS
    }

    /// The model that it describes.
    pub fn model(&self, id: &str) -> Result<Model, HubError> {
        let model = model::from_config(id, self.config.as_bytes(), self.parameters)
            .map_err(|why| HubError::Refused(Text::new(&why).to_string()))?;
        Ok(Model { gated: self.gated, ..model })
    }
}

/// The hub's card of a repository, as far as we read it.
#[derive(Deserialize)]
struct Card {
    #[serde(default)]
    gated: serde_json::Value,
    #[serde(default)]
    safetensors: Option<Safetensors>,
}

#[derive(Deserialize)]
struct Safetensors {
    #[serde(default)]
    total: Option<u64>,
}

impl Hub {
    /// The hub at `base` (or where it really is), asked with `token`.
    pub fn new(
        http: Http,
        base: Option<&str>,
        token: Option<SecretString>,
    ) -> Result<Hub, HubError> {
        Ok(Hub {
            http,
            address: Address::parse(base.unwrap_or(HUB))?,
            key: token.map(|secret| ApiKey { secret, variable: TOKEN }),
            caller: Caller { name: "hub", limit: LIMIT, key_variable: Some(TOKEN), listener: None },
        })
    }

    /// Asks for the model of that id.
    pub async fn fetch(&self, id: &str, now: UnixSeconds) -> Result<Answer, HubError> {
        if !is_id(id) {
            return Err(HubError::NoId(Text::new(id).to_string()));
        }
        let card = self.call(&format!("/api/models/{id}"))?;
        let card: Card = card.json().await.map_err(|e| meaning(id, e))?;
        let config = self.call(&format!("/{id}/resolve/main/config.json"))?;
        let config = config.text().await.map_err(|e| meaning(id, e))?;
        Ok(Answer {
            at: now,
            config,
            parameters: card.safetensors.and_then(|s| s.total).filter(|n| *n > 0),
            gated: card.gated.is_string() || card.gated == true,
        })
    }

    fn call(&self, path: &str) -> Result<Call<'_>, HubError> {
        let url = self.address.join(path)?;
        Ok(Call::new(&self.http, &self.caller, url).key(self.key.as_ref()).most_mb(MOST_MB))
    }
}

/// What a refusal means here: the hub answers 401 both for what is gated and for what is not there,
/// as long as it does not know who asks.
fn meaning(id: &str, error: FetchError) -> HubError {
    let id = id.to_owned();
    match error {
        FetchError::NeedsKey(_) | FetchError::Status { status: 401 | 403, .. } => {
            HubError::NeedsToken(id)
        }
        FetchError::BadKey { .. } => HubError::Denied(id),
        FetchError::Status { status: 404, .. } => HubError::NotThere(id),
        error => HubError::Fetch(error),
    }
}

/// `organisation/name`, in the hub's own letters; nothing that could lead elsewhere in an address or
/// in a folder.
pub fn is_id(text: &str) -> bool {
    let good = |part: &str| {
        (1..=LONGEST_PART).contains(&part.len())
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
            && part.bytes().any(|b| b.is_ascii_alphanumeric())
            && !part.starts_with('.')
            && !part.contains("..")
            && !part.contains("--")
    };
    matches!(text.split_once('/'), Some((organisation, name)) if good(organisation) && good(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_lead_nowhere_else() {
        for good in ["meta-llama/Meta-Llama-3-8B", "Qwen/Qwen2.5-0.5B", "01-ai/Yi-1.5-6B"] {
            assert!(is_id(good), "{good}");
        }
        for bad in [
            "Meta-Llama-3-8B",
            "a/b/c",
            "/b",
            "a/",
            "../etc/passwd",
            "a/..",
            "a/b?x=1",
            "a/b#c",
            "a/b%2f",
            "a b/c",
            "a/.hidden",
            "a--b/c",
            "",
            "é/b",
        ] {
            assert!(!is_id(bad), "{bad}");
        }
    }
}
