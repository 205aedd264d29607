//! The model that somebody means: a built-in one, a `config.json` on this machine, or any other by
//! its Hugging Face id.

use super::call::Call;
use super::failure::{Failure, Reason};
use crate::config::find_hub_token;
use crate::config::store::write_whole;
use crate::model::{self, Model};
use crate::provider::hub::{Answer, Hub, HubError, is_id};
use crate::runtime::requests;
use crate::units::UnixSeconds;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The model that `name` means.
pub(super) fn model(call: &Call, name: &str) -> Result<Arc<Model>, Failure> {
    if let Some(file) = config_file(name) {
        let json =
            std::fs::read(&file).map_err(|e| Failure::file(Reason::Usage, "model:", &file, &e))?;
        let model = model::from_config(name, &json, None)
            .map_err(|e| Failure::usage(format!("model: {e}")))?;
        return Ok(Arc::new(model));
    }
    match model::find(name) {
        Ok(model) => Ok(model),
        Err(_) if is_id(name.trim()) => from_hub(call, name.trim()).map(Arc::new),
        Err(error) => Err(Failure::usage(format!("model: {error}"))),
    }
}

/// What the hub says of `id`, or said not long ago. What is old is better than nothing when the hub
/// cannot be reached.
fn from_hub(call: &Call, id: &str) -> Result<Model, Failure> {
    let now = UnixSeconds(jiff::Timestamp::now().as_second());
    let file = call.paths.hub_answer(id);
    let kept: Option<Answer> = file
        .as_ref()
        .and_then(|f| std::fs::read(f).ok())
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let answer = match kept {
        Some(kept) if call.global.offline || kept.is_fresh(now) => kept,
        None if call.global.offline => return Err(failure(&HubError::Offline(id.to_owned()))),
        old => match ask(call, id, now) {
            Ok(answer) => {
                // A cache that cannot be written is no reason to fail.
                if let (Some(file), Ok(json)) = (&file, serde_json::to_vec(&answer)) {
                    let _ = write_whole(file, &json);
                }
                answer
            }
            Err(HubError::Fetch(error)) => old.ok_or_else(|| failure(&HubError::Fetch(error)))?,
            Err(error) => return Err(failure(&error)),
        },
    };
    answer.model(id).map_err(|e| failure(&e))
}

fn ask(call: &Call, id: &str, now: UnixSeconds) -> Result<Answer, HubError> {
    let base = call.env.get("HAGGLE_HF_URL").or(call.config.hub_url.as_deref());
    let token = find_hub_token(&call.env, &call.paths).map(|key| key.secret);
    let hub = Hub::new(requests::client(&call.paths), base, token)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| crate::provider::FetchError::Network(e.to_string()))?;
    runtime.block_on(hub.fetch(id, now))
}

/// What cannot be reached is a failure; what cannot be used is a mistake.
fn failure(error: &HubError) -> Failure {
    let reason = match error {
        HubError::Fetch(_) => Reason::Failed,
        _ => Reason::Usage,
    };
    Failure::new(reason, format!("model: {error}"))
}

/// The `config.json` that `name` points to, if it points to one.
fn config_file(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.is_dir() {
        return Some(path.join("config.json"));
    }
    let is_path =
        name.starts_with(['.', '/', '~']) || path.extension().is_some_and(|e| e == "json");
    (is_path || path.is_file()).then(|| path.to_path_buf())
}
