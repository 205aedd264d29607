//! The market of one run: what was saved, and what the providers answer now.
//!
//! All sources are asked side by side. Nobody waits longer than [`Wish::patience`]; a provider that
//! has not finished by then keeps the rows that it has sent, and its status says so.

use super::journal::Journal;
use super::requests;
use crate::config::{Env, FileConfig, Paths, find_key, store};
use crate::market::Query;
use crate::offer::{Place, Provider, Text};
use crate::provider::http::Http;
use crate::provider::{
    Addresses, ApiKey, Context, FetchError, Profile, Sink, Source, Update, catalogue, registry, run,
};
use crate::session::{Light, RowsFrom, Status, Stock, embedded};
use crate::snapshot::{self, Decoder, Head, Packing, ProviderState, Snapshot, SnapshotError};
use crate::units::UnixSeconds;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

/// Updates that may wait to be read.
const CHANNEL: usize = 64;
/// What a saved market says about itself.
const NOTE: &str = concat!("saved by haggle ", env!("CARGO_PKG_VERSION"));

/// What market is wanted.
#[derive(Debug)]
pub struct Wish<'a> {
    /// The environment, for addresses and keys.
    pub env: &'a Env,
    /// Where files lie.
    pub paths: &'a Paths,
    /// The settings.
    pub config: &'a FileConfig,
    /// Whose offers; empty is everybody's.
    pub providers: &'a [Provider],
    /// Nobody is asked.
    pub offline: bool,
    /// This saved market instead of the usual ones; nobody is asked.
    pub from: Option<&'a Path>,
    /// How long to wait for answers.
    pub patience: Duration,
    /// What is looked for: some sources are asked for the regions in view only.
    pub query: Option<&'a Query>,
    /// The id of an offer that is asked for by name, wherever it is.
    pub offer: Option<&'a str>,
}

/// Why a saved market cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct CollectError {
    /// The file.
    pub file: String,
    /// What is wrong with it.
    pub problem: String,
}

impl Wish<'_> {
    fn wants(&self, provider: Provider) -> bool {
        self.providers.is_empty() || self.providers.contains(&provider)
    }

    /// Is this provider to be asked?
    fn asks(&self, profile: &Profile) -> bool {
        let live = !self.offline && self.from.is_none();
        let enabled = self.config.provider(profile.provider).enabled != Some(false);
        live && enabled && self.wants(profile.provider)
    }

    /// What a source is given to work with: addresses, key, client.
    pub fn context(&self, http: &Http, profile: &Profile, now: UnixSeconds) -> Context {
        let mut addresses = Addresses::default();
        for endpoint in profile.endpoints {
            if let Some(url) = self.env.get(endpoint.variable) {
                addresses.0.insert(endpoint.variable.to_owned(), url.to_owned());
            }
        }
        let own = self.config.provider(profile.provider).url;
        if let (Some(main), Some(url)) = (profile.endpoints.first(), own) {
            addresses.0.entry(main.variable.to_owned()).or_insert(url);
        }
        let found = find_key(profile.provider, self.env, self.paths);
        let key = found.zip(profile.key_variable);
        Context {
            addresses,
            key: key.map(|(key, variable)| ApiKey { secret: key.secret, variable }),
            ..Context::new(http.clone(), profile, now)
        }
    }

    /// The regions of `source` that the query may show, and that of the offer that is named; none
    /// where the usual ones will do.
    fn regions_in_view(&self, source: &dyn Source) -> Vec<String> {
        let all = source.regions();
        let shown = |place: &Place| self.query.is_none_or(|query| query.may_show(place));
        let named = |code: &str| {
            let id = self.offer.and_then(|id| id.strip_suffix(code));
            id.is_some_and(|rest| rest.ends_with('/'))
        };
        let mut seen: Vec<&str> =
            all.iter().filter(|(_, place)| shown(place)).map(|(code, _)| *code).collect();
        if seen.len() == all.len() {
            seen.clear();
        }
        let named = all.iter().map(|(code, _)| *code).find(|code| named(code));
        if let Some(named) = named.filter(|code| !seen.contains(code)) {
            if seen.is_empty() {
                seen = source.usual_regions().to_vec();
            }
            seen.push(named);
        }
        seen.into_iter().map(str::to_owned).collect()
    }

    /// Where a saved market would lie: the file that is named, or the cache.
    fn saved(&self) -> Option<PathBuf> {
        let cache = || self.paths.market_cache().filter(|file| file.exists());
        self.from.map(Path::to_path_buf).or_else(cache)
    }

    /// Reads the saved market into an empty stock.
    fn read_saved(&self, file: &Path) -> Result<Stock, CollectError> {
        let wrong = |problem: String| CollectError { file: file.display().to_string(), problem };
        let bytes = std::fs::read(file).map_err(|e| wrong(store::problem(&e)))?;
        let mut stock = Stock::new();
        let wanted = |provider| self.wants(provider);
        if is_catalogue(file) {
            let saved = catalogue_file(file, &bytes).map_err(|e| match e {
                FetchError::Unreadable(why) => wrong(why),
                FetchError::Empty => wrong("it holds no offers".to_string()),
                other => wrong(other.to_string()),
            })?;
            take(&mut stock, saved, RowsFrom::Saved, wanted);
        } else {
            let read = Decoder::new(&bytes)
                .and_then(|chunks| fill(&mut stock, chunks, RowsFrom::Saved, wanted, usize::MAX));
            read.map_err(|e| wrong(e.to_string()))?;
        }
        Ok(stock)
    }
}

fn is_catalogue(file: &Path) -> bool {
    file.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"))
}

/// Takes in the chunks of a snapshot, at most so many; the offers never lie in memory twice.
fn fill(
    stock: &mut Stock,
    mut chunks: Decoder<'_>,
    from: RowsFrom,
    wanted: impl Fn(Provider) -> bool,
    most: usize,
) -> Result<(), SnapshotError> {
    let mut head = chunks.head().clone();
    head.providers.retain(|state| wanted(state.provider));
    stock.load_head(&head, from);
    for _ in 0..most {
        let Some(mut offers) = chunks.next_chunk()? else { break };
        offers.retain(|offer| wanted(offer.provider));
        stock.load_rows(&offers);
    }
    stock.load_end(&head, from);
    Ok(())
}

/// A price catalogue in gpuhunt's or SkyPilot's form, as old as its file.
fn catalogue_file(file: &Path, bytes: &[u8]) -> Result<Snapshot, FetchError> {
    let changed = std::fs::metadata(file).and_then(|m| m.modified()).ok();
    let age = changed.and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
    let made = UnixSeconds(age.map_or(0, |a| a.as_secs().cast_signed()));
    let read = catalogue::read(bytes, &file.to_string_lossy(), made)?;
    let rejected: usize = read.rejected.iter().map(|(_, n)| n).sum();
    let note = format!("catalogue {}, {rejected} rows of no use", file.display());
    let state = ProviderState {
        provider: read.provider,
        rows: read.offers.len(),
        fetched_at: Some(made),
        coverage: None,
        coverage_note: None,
        error: None,
    };
    let head = Head { at: made, note: Text::new(&note), providers: vec![state] };
    Ok(Snapshot { head, offers: read.offers })
}

/// What was saved and, for providers of whom nothing was, what is built in; of those that are
/// wanted. Nobody is asked.
///
/// # Errors
/// [`CollectError`] when the file that was named cannot be read.
pub fn load(wish: &Wish<'_>) -> Result<Stock, CollectError> {
    let mut stock = Stock::new();
    if let Some(file) = wish.saved() {
        match wish.read_saved(&file) {
            Ok(saved) => stock = saved,
            Err(wrong) if wish.from.is_some() => return Err(wrong),
            // A cache that cannot be read is put aside, as it can be fetched again.
            Err(wrong) => {
                let kept = match store::keep_aside(&file) {
                    Ok(aside) => format!("it is kept as {}", aside.display()),
                    Err(_) => "it stays where it is".to_owned(),
                };
                stock.remark(format!("the saved market cannot be used: {wrong}; {kept}"));
            }
        }
    }
    if wish.from.is_none() {
        let missing: Vec<Provider> =
            stock.statuses().iter().filter(|s| s.rows == 0).map(|s| s.provider).collect();
        let wanted = |provider| wish.wants(provider) && missing.contains(&provider);
        if !missing.is_empty() {
            take(&mut stock, embedded().unwrap_or_default(), RowsFrom::Embedded, wanted);
        }
    }
    Ok(stock)
}

/// The beginning of a saved market that is too large to be read before the first frame: its first
/// offers, and how many there are. `None` when there is no such market, and [`load`] is as fast.
pub fn glance(wish: &Wish<'_>) -> Option<(Stock, usize)> {
    /// Smaller files are read in a few milliseconds.
    const LARGE: u64 = 2 << 20;
    /// Enough for the first chunk of a snapshot: 8,192 rows of about 120 bytes.
    const BEGINNING: u64 = 2 << 20;
    let file = wish.saved().filter(|file| !is_catalogue(file))?;
    let file = std::fs::File::open(file).ok()?;
    if file.metadata().ok()?.len() < LARGE {
        return None;
    }
    let mut beginning = Vec::new();
    file.take(BEGINNING).read_to_end(&mut beginning).ok()?;
    let chunks = Decoder::new(&beginning).ok()?;
    let rows = chunks.head().providers.iter().map(|state| state.rows).sum();
    let mut stock = Stock::new();
    fill(&mut stock, chunks, RowsFrom::Saved, |provider| wish.wants(provider), 1).ok()?;
    Some((stock, rows))
}

fn take(
    stock: &mut Stock,
    mut market: Snapshot,
    from: RowsFrom,
    wanted: impl Fn(Provider) -> bool,
) {
    market.offers.retain(|offer| wanted(offer.provider));
    market.head.providers.retain(|state| wanted(state.provider));
    stock.load_head(&market.head, from);
    stock.load_rows(&market.offers);
    stock.load_end(&market.head, from);
}

/// Starts fetches, whose updates all come through one channel. Must be used within a tokio runtime.
#[derive(Debug)]
pub struct Fetcher {
    http: Http,
    channel: mpsc::Sender<Update>,
    /// The regions that were asked for one by one, because a query showed them.
    asked: Mutex<BTreeSet<(Provider, String)>>,
}

impl Fetcher {
    /// A fetcher, and where its updates come out. The channel ends when the fetcher and all its
    /// fetches have.
    pub fn new(paths: &Paths) -> (Fetcher, mpsc::Receiver<Update>) {
        let (channel, updates) = mpsc::channel(CHANNEL);
        (Fetcher { http: requests::client(paths), channel, asked: Mutex::default() }, updates)
    }

    /// The providers who would be asked for regions that the query of `wish` shows and that they have
    /// not been asked for yet.
    pub fn newly_in_view(&self, wish: &Wish<'_>) -> Vec<Provider> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let sources = registry().iter().filter(|source| wish.asks(source.profile()));
        let providers = sources.filter_map(|source| {
            let provider = source.profile().provider;
            let regions = wish.regions_in_view(*source);
            regions.into_iter().any(|r| !asked.contains(&(provider, r))).then_some(provider)
        });
        providers.collect()
    }

    /// Asks the providers that `wish` names, those of `only` where it is not empty. Returns how many
    /// were asked.
    pub fn start(
        &self,
        wish: &Wish<'_>,
        only: &[Provider],
        stock: &mut Stock,
        now: UnixSeconds,
    ) -> usize {
        let sources = registry().iter().copied().filter(|s| wish.asks(s.profile()));
        let named = |p: Provider| only.is_empty() || only.contains(&p);
        let sources: Vec<&'static dyn Source> =
            sources.filter(|s| named(s.profile().provider)).collect();
        for source in &sources {
            let profile = source.profile();
            let generation = stock.begin(profile.provider);
            let sink =
                Sink { provider: profile.provider, generation, channel: self.channel.clone() };
            let context = wish.context(&self.http, profile, now);
            let regions = wish.regions_in_view(*source);
            let named = regions.iter().map(|region| (profile.provider, region.clone()));
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).extend(named);
            tokio::spawn(run(*source, Context { regions, ..context }, sink));
        }
        sources.len()
    }
}

/// Collects the market. `progress` hears after every update.
///
/// # Errors
/// [`CollectError`] when the file that was named cannot be read.
pub fn collect(
    wish: &Wish<'_>,
    now: UnixSeconds,
    progress: impl FnMut(&Stock),
) -> Result<Stock, CollectError> {
    let mut stock = load(wish)?;
    if registry().iter().any(|s| wish.asks(s.profile())) {
        fetch(wish, &mut stock, (now, progress));
        if wish.providers.is_empty() && stock.statuses().iter().any(|s| s.light == Light::Done) {
            // Without a cache the next run asks again, which is no reason to fail this one.
            let _ = remember(&stock, now, wish.paths);
        }
    }
    Ok(stock)
}

/// Writes the market where the next start looks for it first.
///
/// # Errors
/// What the file system says.
pub fn remember(stock: &Stock, now: UnixSeconds, paths: &Paths) -> std::io::Result<()> {
    keep(stock, now, paths.market_cache(), Packing::Stored)
}

/// Writes the market to `file`. A saved market that is there is replaced; anything else is kept
/// beside it, and the answer says where.
///
/// # Errors
/// What the file system says.
pub fn save(stock: &Stock, now: UnixSeconds, file: &Path) -> std::io::Result<Option<PathBuf>> {
    let bytes = snapshot::encode(&stock.snapshot(now, NOTE), Packing::Deflated);
    if is_snapshot(file) {
        return store::write_whole(file, &bytes).map(|()| None);
    }
    store::replace(file, &bytes)
}

/// Does the file begin as our markets do?
fn is_snapshot(file: &Path) -> bool {
    // Reading from a pipe or a terminal would wait for somebody to write.
    if !std::fs::metadata(file).is_ok_and(|m| m.is_file()) {
        return false;
    }
    let mut start = [0; snapshot::MAGIC.len()];
    let read = std::fs::File::open(file).and_then(|mut f| f.read_exact(&mut start));
    read.is_ok() && start == *snapshot::MAGIC
}

fn keep(
    stock: &Stock,
    now: UnixSeconds,
    file: Option<PathBuf>,
    packing: Packing,
) -> std::io::Result<()> {
    let Some(file) = file else { return Ok(()) };
    store::write_whole(&file, &snapshot::encode(&stock.snapshot(now, NOTE), packing))
}

/// Asks everybody side by side and fills `stock` until the last has finished or patience ends.
fn fetch(
    wish: &Wish<'_>,
    stock: &mut Stock,
    (now, mut progress): (UnixSeconds, impl FnMut(&Stock)),
) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let Ok(runtime) = runtime else {
        let asked = registry().iter().map(|s| s.profile()).filter(|p| wish.asks(p));
        for profile in asked {
            stock.begin(profile.provider);
            let error = FetchError::Network("this system gives us no threads".to_owned());
            finish(stock, profile.provider, error, now);
        }
        return;
    };
    runtime.block_on(async {
        let (fetcher, mut updates) = Fetcher::new(wish.paths);
        let mut journal = Journal::default();
        fetcher.start(wish, &[], stock, now);
        drop(fetcher);
        let end = Instant::now() + wish.patience;
        loop {
            match timeout_at(end, updates.recv()).await {
                Ok(Some(update)) => stock.apply(update, now),
                Ok(None) | Err(_) => break,
            }
            journal.note(stock.statuses(), now);
            progress(stock);
            if only_waits_are_left(wish, stock, now) {
                break;
            }
        }
        give_up(wish, stock, now);
        journal.note(stock.statuses(), now);
    });
    runtime.shutdown_background();
}

/// The seconds that a provider's rate limit makes us wait, if that is longer than our patience.
fn hopeless_wait(wish: &Wish<'_>, status: &Status, now: UnixSeconds) -> Option<u64> {
    let wait = status.progress.waiting_until?.0.saturating_sub(now.0);
    u64::try_from(wait).ok().filter(|wait| *wait > wish.patience.as_secs())
}

/// Are all that have not finished held up by rate limits for longer than we would wait?
fn only_waits_are_left(wish: &Wish<'_>, stock: &Stock, now: UnixSeconds) -> bool {
    let mut busy = stock.statuses().iter().filter(|s| s.light.is_busy()).peekable();
    busy.peek().is_some() && busy.all(|s| hopeless_wait(wish, s, now).is_some())
}

/// Ends every fetch that is still under way.
fn give_up(wish: &Wish<'_>, stock: &mut Stock, now: UnixSeconds) {
    let late = stock.statuses().iter().filter(|s| s.light.is_busy());
    let late: Vec<_> = late.map(|s| (s.provider, hopeless_wait(wish, s, now))).collect();
    for (provider, wait) in late {
        let error = match wait {
            Some(_) => FetchError::RateLimited { retry_after_seconds: wait },
            None => FetchError::Timeout(wish.patience.as_secs()),
        };
        finish(stock, provider, error, now);
    }
}

/// Ends the fetch of `provider` with an error.
fn finish(stock: &mut Stock, provider: Provider, error: FetchError, now: UnixSeconds) {
    let generation =
        stock.statuses().iter().find(|s| s.provider == provider).map_or(0, |s| s.generation);
    stock.apply(Update::Finished { provider, generation, outcome: Err(error) }, now);
}
