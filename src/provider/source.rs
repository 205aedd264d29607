//! What every source tells about itself, and what it is given to work with.

use super::http::{Address, Call, Caller, Http, RateLimit};
use super::{FetchError, Fetching, Sink, Update};
use crate::offer::{Place, Provider};
use crate::units::UnixSeconds;
use futures_util::FutureExt;
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Longest time that a whole refresh of one provider may take.
const LONGEST_REFRESH: Duration = Duration::from_mins(4);

/// A source of offers. Adding one: a file with an `impl Source`, and a line in the registry.
pub trait Source: Send + Sync {
    /// What it tells about itself.
    fn profile(&self) -> &'static Profile;

    /// The places that are asked for one by one, each with the provider's own code; none where the
    /// whole market comes at once.
    fn regions(&self) -> Vec<(&'static str, Place)> {
        Vec::new()
    }

    /// Of the places that are asked for one by one, those that are asked for when nobody names any.
    fn usual_regions(&self) -> &'static [&'static str] {
        &[]
    }

    /// Fetches the whole market of this provider into `sink`.
    fn fetch<'a>(&'a self, context: &'a Context, sink: &'a Sink) -> Fetching<'a>;
}

/// What a source tells about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Who.
    pub provider: Provider,
    /// What a key is good for.
    pub key: KeyUse,
    /// Variable that holds the key.
    pub key_variable: Option<&'static str>,
    /// Addresses, the main one first.
    pub endpoints: &'static [Endpoint],
    /// What the provider documents, or less.
    pub limit: RateLimit,
    /// Time between automatic refreshes.
    pub refresh: Duration,
    /// What is asked, and where that is described; for people.
    pub about: &'static str,
}

/// What a key is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyUse {
    /// Nothing.
    None,
    /// Shows more.
    Optional,
    /// Without it there is no live answer.
    Required,
}

/// An address that can be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Variable that replaces it.
    pub variable: &'static str,
    /// Where it really is.
    pub address: &'static str,
}

/// Addresses that replace the providers' own, by the variable of their endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addresses(pub BTreeMap<String, String>);

impl Addresses {
    /// The address of an endpoint.
    pub fn of(&self, endpoint: Endpoint) -> Result<Address, FetchError> {
        Address::parse(self.0.get(endpoint.variable).map_or(endpoint.address, String::as_str))
    }

    /// Is the endpoint replaced?
    pub fn replaces(&self, endpoint: Endpoint) -> bool {
        self.0.contains_key(endpoint.variable)
    }
}

/// A provider's key.
#[derive(Clone, Debug)]
pub struct ApiKey {
    /// The key; shown by nothing but `expose_secret`.
    pub secret: SecretString,
    /// The variable that would hold it, for messages.
    pub variable: &'static str,
}

impl ApiKey {
    /// The last four characters, of long keys only.
    pub fn hint(&self) -> String {
        let key = self.secret.expose_secret();
        let length = key.chars().count();
        let shown = if length >= 16 { 4 } else { 0 };
        format!("…{}", key.chars().skip(length - shown).collect::<String>())
    }
}

/// What a source is given to work with.
#[derive(Clone, Debug)]
pub struct Context {
    /// The shared client.
    pub http: Http,
    /// Addresses that replace the providers' own.
    pub addresses: Addresses,
    /// This provider's key, if there is one.
    pub key: Option<ApiKey>,
    /// When the fetch began.
    pub now: UnixSeconds,
    /// The providers' own codes of the regions in view, for sources that ask region by region;
    /// empty: the usual ones.
    pub regions: Vec<String>,
    /// Who calls; [`run`] sets it up.
    pub caller: Caller,
}

impl Context {
    /// A context for one source, in which nobody is told about waiting.
    pub fn new(http: Http, profile: &Profile, now: UnixSeconds) -> Context {
        let caller = Caller {
            name: profile.provider.name(),
            limit: profile.limit,
            key_variable: profile.key_variable,
            listener: None,
        };
        let (addresses, regions) = (Addresses::default(), Vec::new());
        Context { http, addresses, key: None, now, regions, caller }
    }

    /// A request for `path` (beginning with `/`) below an endpoint.
    pub fn call(&self, endpoint: Endpoint, path: &str) -> Result<Call<'_>, FetchError> {
        let url = self.addresses.of(endpoint)?.join(path)?;
        Ok(Call::new(&self.http, &self.caller, url))
    }

    /// A request for a link that an answer from this endpoint held.
    pub fn follow(&self, endpoint: Endpoint, link: &str) -> Result<Call<'_>, FetchError> {
        let url = self.addresses.of(endpoint)?.follow(link)?;
        Ok(Call::new(&self.http, &self.caller, url))
    }
}

/// Runs one fetch from beginning to end: rows and progress go to `sink`, and at the end its outcome,
/// whatever happens: a source that panics costs its own fetch.
pub async fn run(source: &'static dyn Source, mut context: Context, sink: Sink) {
    context.caller.listener = Some((sink.clone(), context.now, Instant::now()));
    let fetching = AssertUnwindSafe(source.fetch(&context, &sink)).catch_unwind();
    let outcome = match timeout(LONGEST_REFRESH, fetching).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(fault)) => Err(FetchError::fault(fault.as_ref())),
        Err(_) => Err(FetchError::Timeout(LONGEST_REFRESH.as_secs())),
    };
    let (provider, generation) = (sink.provider, sink.generation);
    // Nobody listens any more when this fails, which is all there is to know.
    let _ = sink.channel.send(Update::Finished { provider, generation, outcome }).await;
}
