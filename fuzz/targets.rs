//! What is fuzzed, and what must hold whatever the bytes are. Each target takes bytes as a stranger
//! would send them and stops the process when a promise is broken: no panic, no number that is none,
//! no word that a terminal, a shell, a spreadsheet, a YAML or JSON reader or a file system would obey.
//!
//! `cargo fuzz run NAME` runs one of them under libFuzzer; `tests/it/fuzz.rs` replays the corpora
//! with seeded mutations in every run of the tests.

use haggle::app::keymap::Keymap;
use haggle::config::FileConfig;
use haggle::estimate::advice::Counsel;
use haggle::estimate::bill::{self, RowFacts};
use haggle::estimate::{HardwareClass, class, evidence};
use haggle::export::document::{ListDocument, OfferDocument};
use haggle::export::{self, EXPORTS, Purpose, shell};
use haggle::market::{Ask, Query, Table, View};
use haggle::offer::{Offer, Provider, Text, harmless};
use haggle::provider::http::{Http, HttpOptions, RateLimit};
use haggle::provider::{self, ApiKey, Context, FetchError, Sink, Update, catalogue};
use haggle::session::Stock;
use haggle::setup::runs::Runs;
use haggle::setup::{Draft, Setup};
use haggle::snapshot::{self, Packing, Snapshot};
use haggle::units::UnixSeconds;
use serde_json::Value;
use std::io::Write;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// 2026-12-01 00:00 UTC: the only clock here.
const NOW: UnixSeconds = UnixSeconds(1_796_083_200);
/// A key that must stay out of everything.
const KEY: &str = "planted-0123456789-SECRET";

/// A target: bytes in, nothing out, or the process stops.
pub(crate) type Target = fn(&[u8]);

/// All targets by name.
pub(crate) const TARGETS: &[(&str, Target)] = &[
    ("query", query),
    ("settings", settings),
    ("keymap", keymap),
    ("job", job),
    ("snapshot", market_file),
    ("catalogue", catalogue_file),
    ("evidence", evidence_file),
    ("runs", runs),
    ("model", model),
    ("text", text),
    ("vast", |b| fetch(Provider::Vast, b)),
    ("runpod", |b| fetch(Provider::Runpod, b)),
    ("lambda", |b| fetch(Provider::Lambda, b)),
    ("tensordock", |b| fetch(Provider::Tensordock, b)),
    ("vultr", |b| fetch(Provider::Vultr, b)),
    ("aws", |b| fetch(Provider::Aws, b)),
    ("azure", |b| fetch(Provider::Azure, b)),
    ("gcp", |b| fetch(Provider::Gcp, b)),
];

/// Runs the target of that name.
#[allow(dead_code, reason = "libFuzzer runs targets by name, the tests all of them")]
pub(crate) fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    target.unwrap_or_else(|| panic!("there is no target {name}")).1(bytes);
}

fn setup() -> &'static Setup {
    static SETUP: OnceLock<Setup> = OnceLock::new();
    SETUP.get_or_init(|| {
        let draft = Draft::default();
        let model = haggle::model::find(draft.model_name()).unwrap();
        draft.resolve(model).unwrap()
    })
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table::new();
        table.insert(1, &haggle::market::synthetic::market(60, 7));
        table
    })
}

/// A query: read, printed, read again, asked, completed.
fn query(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut cursor = text.len() / 2;
    while !text.is_char_boundary(cursor) {
        cursor -= 1;
    }
    haggle::market::complete(text, cursor, table());
    match Query::parse(text) {
        Err(error) => {
            assert!(text.get(error.span.clone()).is_some(), "{error:?} points nowhere");
            says_nothing_harmful(&harmless(&error.to_string()));
        }
        Ok(query) => {
            let printed = query.to_string();
            let again = Query::parse(&printed);
            assert_eq!(again.as_ref(), Ok(&query), "printed as {printed:?}");
            let mut view = View::new();
            view.refresh(table(), &Ask { setup: setup(), query: &query, sort: &[], now: NOW });
            let hidden: usize = view.excluded().iter().map(|e| e.count).sum();
            assert_eq!(view.shown() + hidden, view.total(), "rows are lost in {text:?}");
        }
    }
}

/// The settings file, and the keymap that it makes.
fn settings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match FileConfig::parse(text, "config.toml") {
        Ok(config) => {
            let keys = config.keys.iter().map(|(name, keys)| (name.as_str(), keys.as_slice()));
            Keymap::new(keys).1.iter().for_each(|line| says_nothing_harmful(&harmless(line)));
            resolve(&config.setup);
        }
        Err(error) => says_nothing_harmful(&harmless(&error.to_string())),
    }
}

/// Keys: a line for each action, its name, blanks, keys.
fn keymap(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().map(|line| {
        let (name, keys) = line.split_once(' ').unwrap_or((line, ""));
        (name.to_owned(), keys.split(',').map(str::to_owned).collect::<Vec<_>>())
    });
    let changes: Vec<(String, Vec<String>)> = lines.collect();
    let borrowed = changes.iter().map(|(name, keys)| (name.as_str(), keys.as_slice()));
    Keymap::new(borrowed).1.iter().for_each(|line| says_nothing_harmful(&harmless(line)));
}

/// A setup file.
fn job(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Draft::from_yaml(text) {
        Ok(draft) => {
            let printed = draft.to_yaml().unwrap();
            assert_eq!(Draft::from_yaml(&printed).as_ref(), Ok(&draft), "printed as {printed}");
            resolve(&draft);
        }
        Err(error) => {
            assert!(!error.contains('\n'), "{error}");
            says_nothing_harmful(&harmless(&error));
        }
    }
}

/// A setup that is accepted can be priced on every card that it names.
fn resolve(draft: &Draft) {
    let model = haggle::model::find(draft.model_name());
    let model = model.or_else(|_| haggle::model::find(Draft::default().model_name()));
    let Ok(setup) = draft.resolve(model.unwrap()) else { return };
    let offers = haggle::market::synthetic::market(4, 9);
    judge(&offers, &setup);
}

/// A saved market: the bytes as they are, and as the rows of a chunk whose frame is right, which
/// checksums would otherwise keep from being looked at.
fn market_file(bytes: &[u8]) {
    saved(bytes);
    if let Some((rows, raw)) = bytes.split_first() {
        saved(&framed(u32::from(*rows) % 64, raw));
    }
}

/// How many offers the bytes hold when they are taken as a chunk's number of rows and its content.
#[allow(dead_code, reason = "the tests make sure that a seed gets that far")]
pub(crate) fn rows_of_chunk(bytes: &[u8]) -> usize {
    let Some((rows, raw)) = bytes.split_first() else { return 0 };
    snapshot::decode(&framed(u32::from(*rows) % 64, raw)).map_or(0, |m| m.offers.len())
}

fn framed(rows: u32, raw: &[u8]) -> Vec<u8> {
    let mut whole = snapshot::encode(&Snapshot::default(), Packing::Stored);
    whole.truncate(whole.len() - 12);
    let mut crc = flate2::Crc::new();
    crc.update(raw);
    let length = u32::try_from(raw.len()).unwrap_or_default();
    for number in [rows, length, length, crc.sum()] {
        whole.extend(number.to_le_bytes());
    }
    whole.extend(raw);
    whole.extend(0_u32.to_le_bytes());
    whole.extend(u64::from(rows).to_le_bytes());
    whole
}

fn saved(bytes: &[u8]) {
    let Ok(market) = snapshot::decode(bytes) else { return };
    let again = snapshot::decode(&snapshot::encode(&market, Packing::Deflated));
    let again = again.expect("what was read can be written and read");
    assert_eq!(again.offers.len(), market.offers.len());
    for offer in &market.offers {
        is_clean(offer);
    }
    judge(market.offers.get(..3).unwrap_or(&market.offers), setup());
    let mut stock = Stock::new();
    let head = market.head.clone();
    stock.load(&Snapshot { head, offers: market.offers }, haggle::session::RowsFrom::Saved);
    for status in stock.statuses() {
        says_nothing_harmful(&status.line(NOW));
    }
}

/// A catalogue in gpuhunt's or SkyPilot's form; the first line may name the file.
fn catalogue_file(bytes: &[u8]) {
    for name in ["gcp.csv", "prices.csv"] {
        match catalogue::read(bytes, name, NOW) {
            Ok(read) => judge_all(&read.offers),
            Err(error) => says_nothing_harmful(&error.to_string()),
        }
    }
}

/// A table of measurements.
fn evidence_file(bytes: &[u8]) {
    match evidence::evidence(bytes) {
        Ok(found) => {
            for row in &found.rows {
                let value = serde_json::to_value(row).unwrap();
                figures(&value, &mut |_, figure| assert!(figure.is_finite()));
                words(&value, &mut says_nothing_harmful);
            }
            for group in &found.groups {
                figures(&serde_json::to_value(group).unwrap(), &mut |_, figure| {
                    assert!(figure.is_finite());
                });
            }
        }
        Err(error) => says_nothing_harmful(&harmless(&error)),
    }
}

/// Runs that were recorded.
fn runs(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (read, wrong) = Runs::parse(&text);
    for line in &wrong {
        says_nothing_harmful(&harmless(line));
    }
    for run in &read {
        let (again, wrong) = Runs::parse(&run.line());
        assert!(wrong.is_empty() && again.iter().next() == Some(run), "{run:?}");
        let speed = run.tokens_per_second.get();
        assert!(speed.is_finite() && speed > 0.0, "{run:?}");
        assert!(run.peak.is_none_or(|p| p.get().is_finite() && p.get() > 0.0), "{run:?}");
    }
}

/// A model's `config.json`; what is accepted must be priced without a number that is none.
fn model(bytes: &[u8]) {
    match haggle::model::from_config("org/name", bytes, None) {
        Ok(model) => {
            let model = Arc::new(model);
            let offers = haggle::market::synthetic::market(4, 11);
            for method in ["full", "lora", "qlora"] {
                let mut draft = Draft::default();
                draft.set(haggle::setup::Field::Method, method).unwrap();
                if let Ok(setup) = draft.resolve(Arc::clone(&model)) {
                    judge(&offers, &setup);
                }
            }
        }
        Err(error) => says_nothing_harmful(&harmless(&error)),
    }
}

/// The sanitisers, one for each place where text can end.
fn text(bytes: &[u8]) {
    let raw = String::from_utf8_lossy(bytes);
    // The terminal, and everything that is kept.
    let (clean, _) = Text::clean(&raw);
    says_nothing_harmful(clean.as_str());
    says_nothing_harmful(&harmless(&raw));
    assert!(clean.as_str().chars().count() <= 97);
    // A shell.
    let quoted = shell::quote(&raw);
    assert_eq!(shell_words(&quoted), Some(vec![raw.to_string()]), "{quoted:?}");
    if let Ok(word) = shell::word("id", &raw, ".-") {
        assert!(!word.starts_with('-') && !word.contains(|c: char| " ;$`'\"\\\n".contains(c)));
    }
    let label = shell::label(&raw);
    let named = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    assert!(label.chars().all(named) && label.len() <= 60 && !label.starts_with('-'));
    // A file name.
    assert!(!label.contains(['/', '.']));
    let id = haggle::provider::hub::is_id(&raw);
    assert!(!id || !raw.contains("..") && raw.matches('/').count() == 1);
    // A spreadsheet.
    let table = export::csv_of_rows(&["a".to_owned()], &[vec![raw.to_string()]]).unwrap();
    let mut reader = csv::ReaderBuilder::new().from_reader(table.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    for cell in rows.iter().flatten() {
        let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
        assert!(!formula || cell.parse::<f64>().is_ok(), "{cell:?}");
    }
    // Markdown: one cell stays one cell.
    let cell = export::markdown_text(&raw);
    assert!(!cell.contains(['\n', '\r', '<']), "{cell:?}");
    // JSON and YAML read back what was said.
    let json: Value =
        serde_json::from_str(&serde_json::to_string(clean.as_str()).unwrap()).unwrap();
    assert_eq!(json, Value::from(clean.as_str()));
    let yaml: String =
        serde_saphyr::from_str(&serde_saphyr::to_string(&clean).unwrap()).expect("YAML");
    assert_eq!(yaml, clean.as_str());
    // All of them at once: an offer whose every word is foreign.
    for mut offer in haggle::market::synthetic::market(2, 5) {
        offer.hardware.gpu_raw = clean.clone();
        offer.place.raw = clean.clone();
        offer.host = Some(clean.clone());
        offer.launch_id = clean.clone();
        offer.key = clean.clone();
        judge(&[offer], setup());
    }
}

/// One whole fetch of a provider. The input is a small script: `@@ key` gives it a key; `@@ 503
/// /path` says what comes for addresses that hold `/path` (200 where no status stands), up to the
/// next such line; without any such line all of it is the answer to everything. Zip archives are
/// packed here, so that what is in them is reached.
fn fetch(provider: Provider, bytes: &[u8]) {
    // An answer that holds our mark itself proves nothing.
    if String::from_utf8_lossy(bytes).contains("planted") {
        return;
    }
    let (answers, with_key) = script(bytes);
    let http = Http::played(options(), move |url, _| answer(&answers, url));
    let source = provider::source(provider).unwrap();
    let mut context = Context::new(http, source.profile(), NOW);
    context.caller.limit = RateLimit::per(100_000, 1);
    for endpoint in source.profile().endpoints {
        context.addresses.0.insert(endpoint.variable.to_owned(), "http://127.0.0.1:9/".to_owned());
    }
    let variable = source.profile().key_variable.unwrap_or("NO_KEY");
    context.key = with_key.then(|| ApiKey { secret: KEY.to_owned().into(), variable });
    let (offers, outcome) = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
        .block_on(collect(provider, context));
    match &outcome {
        Ok(report) => {
            let said = format!("{report:?}");
            assert!(!said.contains("planted"), "{said}");
            report.coverage_note.iter().for_each(|note| says_nothing_harmful(note));
            assert!(report.coverage.is_none_or(|c| (0.0..=1.0).contains(&c)), "{report:?}");
        }
        Err(error) => {
            assert!(!matches!(error, FetchError::Fault(_)), "{error}");
            says_nothing_harmful(&error.to_string());
            assert!(!error.to_string().contains("planted"), "{error}");
        }
    }
    for offer in &offers {
        assert_eq!(offer.provider, provider);
    }
    judge_all(&offers);
}

fn options() -> HttpOptions {
    HttpOptions {
        tries: 1,
        backoff: Duration::ZERO,
        patience: Duration::ZERO,
        grace: Duration::from_mins(10),
        total: Duration::from_mins(10),
        random: || 0.0,
        ..HttpOptions::default()
    }
}

async fn collect(
    provider: Provider,
    context: Context,
) -> (Vec<Offer>, Result<provider::Report, FetchError>) {
    let (channel, mut updates) = tokio::sync::mpsc::channel(64);
    let sink = Sink { provider, generation: 1, channel };
    let source = provider::source(provider).unwrap();
    let fetching = tokio::spawn(provider::run(source, context, sink));
    let mut offers = Vec::new();
    let mut ended = None;
    while let Some(update) = updates.recv().await {
        match update {
            Update::Rows { offers: rows, .. } => offers.extend(rows),
            Update::Progress { .. } => {}
            Update::Finished { outcome, .. } => ended = Some(outcome),
        }
    }
    fetching.await.expect("a source that panics");
    (offers, ended.expect("a fetch always ends with a word"))
}

/// What comes for an address that holds the second part.
type Answer = (u16, String, Vec<u8>);

fn script(bytes: &[u8]) -> (Vec<Answer>, bool) {
    let mut answers: Vec<Answer> = Vec::new();
    let mut key = false;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        let head = std::str::from_utf8(line).ok().and_then(|l| l.trim_end().strip_prefix("@@ "));
        match head {
            Some("key") => key = true,
            Some(head) => {
                let (status, needle) = head.split_once(' ').unwrap_or(("200", head));
                let status = status.parse().ok().filter(|s| (200..600).contains(s)).unwrap_or(200);
                answers.push((status, needle.to_owned(), Vec::new()));
            }
            None => match answers.last_mut() {
                Some(answer) => answer.2.extend_from_slice(line),
                None => answers.push((200, String::new(), line.to_vec())),
            },
        }
    }
    (answers, key)
}

fn answer(answers: &[Answer], url: &str) -> (u16, Vec<u8>) {
    let found = answers.iter().find(|(_, needle, _)| url.contains(needle.as_str()));
    let Some((status, _, body)) = found else { return (404, Vec::new()) };
    let raw = !url.contains("/catalog.zip") || body.starts_with(b"PK");
    (*status, if raw { body.clone() } else { zipped(url, body) })
}

fn zipped(url: &str, body: &[u8]) -> Vec<u8> {
    let name = url.split("/v3/").nth(1).and_then(|p| p.split('/').next()).unwrap_or("x");
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    archive.start_file(format!("{name}.csv"), stored).unwrap();
    archive.write_all(body).unwrap();
    archive.finish().unwrap().into_inner()
}

/// Some of many offers are priced and written, all are looked at.
fn judge_all(offers: &[Offer]) {
    offers.iter().for_each(is_clean);
    judge(offers.get(..2).unwrap_or(offers), setup());
    judge(offers.get(offers.len().saturating_sub(2)..).unwrap_or_default(), setup());
}

/// Foreign words are harmless, figures are figures.
fn is_clean(offer: &Offer) {
    let id = offer.id();
    let h = &offer.hardware;
    let texts = [Some(&offer.key), Some(&offer.launch_id), offer.host.as_ref()];
    let more = [Some(&h.gpu_raw), h.instance_type.as_ref(), Some(&offer.place.raw)];
    for text in texts.into_iter().chain(more).flatten() {
        says_nothing_harmful(text.as_str());
    }
    assert!(h.gpus.is_none_or(|n| n.is_finite() && n > 0.0), "{id}: {:?} GPUs", h.gpus);
    let fees = &offer.fees;
    let figures = [
        h.vram.map(|v| v.get()),
        h.vcpus,
        h.ram.map(|v| v.get()),
        h.cuda_max,
        offer.price.on_demand.map(|v| v.get()),
        offer.price.spot.map(|v| v.get()),
        fees.storage.map(|v| v.get()),
        fees.storage_stopped.map(|v| v.get()),
        fees.egress.map(|v| v.get()),
        fees.ingress.map(|v| v.get()),
        fees.minimum.map(|v| v.get()),
        fees.monthly_cap.map(|v| v.get()),
        offer.reliability.map(|v| v.get()),
        offer.download.map(|v| v.get()),
        offer.upload.map(|v| v.get()),
        offer.disk.map(|v| v.get()),
        offer.max_rental.map(|v| v.get()),
    ];
    for figure in figures.into_iter().flatten() {
        assert!(figure.is_finite() && figure >= 0.0, "{id} holds {figure}: {offer:?}");
    }
}

/// Prices offers and writes them in every way there is.
fn judge(offers: &[Offer], setup: &Setup) {
    let mut table = Table::new();
    table.insert(1, offers);
    let mut view = View::new();
    let everything = Query::default();
    view.refresh(&table, &Ask { setup, query: &everything, sort: &[], now: NOW });
    let lines = view.window(&table, 0, 4).to_vec();
    for line in lines {
        let Some(offer) = table.offer(line.row) else { continue };
        let hardware = HardwareClass::from(&offer.hardware);
        let class = class::estimate(setup, &hardware);
        let quote = bill::explain(setup, &offer, &class, line.kind, NOW);
        let card = hardware.gpu.and_then(|id| haggle::gpu::catalogue().get(id));
        let counsel = card.map(|c| Counsel::of(setup, c, &hardware)).unwrap_or_default();
        let advice = counsel.on(&RowFacts::from(&offer), offer.hardware.gpus, line.kind);
        let document = OfferDocument::new(&offer, &class.fit, &advice, &quote);
        is_sound(&document);
        let mut list = ListDocument::new(NOW, String::new(), setup);
        list.offers = vec![document];
        let json = serde_json::to_string(&list).unwrap();
        let yaml = serde_saphyr::to_string(&list).unwrap();
        let same: Value = serde_saphyr::from_str(&yaml).expect("YAML that reads back");
        let wanted: Value = serde_json::from_str(&json).unwrap();
        is_same("", &same, &wanted);
        let context = export::Context {
            offer: &offer,
            setup,
            fit: &class.fit,
            advice: &advice,
            quote: &quote,
            at: NOW,
            wandb: None,
        };
        for target in EXPORTS {
            match target.write(&context) {
                Ok(text) => is_harmless(target.name, target.purpose, &text),
                Err(why) => says_nothing_harmful(&why.to_string()),
            }
        }
    }
}

/// No figure of an offer's document is infinite, none is negative that must not be, low ≤ high.
fn is_sound(document: &OfferDocument) {
    let value = serde_json::to_value(document).unwrap();
    figures(&value, &mut |name, figure| {
        assert!(figure.is_finite(), "{name}: {figure}");
        let signed = ["headroom_gib", "age_seconds", "_change"];
        let may_be_negative = signed.iter().any(|n| name.ends_with(n));
        assert!(may_be_negative || figure >= 0.0, "{name}: {figure} in {value}");
    });
    words(&value, &mut says_nothing_harmful);
    ranges(&value);
}

/// YAML and JSON say the same; numbers may be spelled differently.
fn is_same(path: &str, yaml: &Value, json: &Value) {
    match (yaml, json) {
        (Value::Object(a), Value::Object(b)) => {
            assert!(a.keys().eq(b.keys()), "{path}: {yaml} is not {json}");
            a.iter().for_each(|(k, v)| is_same(&format!("{path}.{k}"), v, &b[k]));
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{path}");
            a.iter().zip(b).for_each(|(v, w)| is_same(path, v, w));
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            assert!((a - b).abs() <= 1e-12 * b.abs(), "{path}: {a} is not {b}");
        }
        _ => assert_eq!(yaml, json, "{path}"),
    }
}

fn ranges(value: &Value) {
    let number = |name: &str| value.get(name).and_then(Value::as_f64);
    if let (Some(low), Some(high)) = (number("low"), number("high")) {
        assert!(low <= high * (1.0 + 1e-9), "{value}");
    }
    match value {
        Value::Array(list) => list.iter().for_each(ranges),
        Value::Object(map) => map.values().for_each(ranges),
        _ => {}
    }
}

/// Calls `each` with every number and the path that leads there.
fn figures(value: &Value, each: &mut impl FnMut(&str, f64)) {
    fn walk(path: &str, value: &Value, each: &mut impl FnMut(&str, f64)) {
        match value {
            Value::Number(n) => each(path, n.as_f64().unwrap_or(f64::NAN)),
            Value::Array(list) => list.iter().for_each(|v| walk(path, v, each)),
            Value::Object(map) => {
                map.iter().for_each(|(k, v)| walk(&format!("{path}.{k}"), v, each));
            }
            _ => {}
        }
    }
    walk("", value, each);
}

/// Calls `each` with every text.
fn words(value: &Value, each: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(list) => list.iter().for_each(|v| words(v, each)),
        Value::Object(map) => map.values().for_each(|v| words(v, each)),
        _ => {}
    }
}

/// Nothing that a terminal obeys, that turns a line round, or that cannot be seen.
pub(crate) fn says_nothing_harmful(text: &str) {
    let bad = text.chars().find(|c| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || matches!(c, '\u{feff}' | '\u{61c}' | '\u{e0000}'..='\u{e007f}')
    });
    assert!(bad.is_none(), "{bad:?} in {text:?}");
}

/// An export holds only its own lines, whatever the offer said.
pub(crate) fn is_harmless(name: &str, purpose: Purpose, text: &str) {
    for line in text.lines() {
        says_nothing_harmful(&line.replace('\t', " "));
    }
    match (name, purpose) {
        ("csv", _) => {
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            for row in reader.records() {
                for cell in &row.expect("CSV") {
                    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
                    assert!(!formula || cell.parse::<f64>().is_ok(), "{cell:?}");
                }
            }
        }
        (_, Purpose::Launch) => commands(name, text),
        _ => {}
    }
}

/// Every command of a script begins with a word of ours, and every other word is one word.
fn commands(name: &str, text: &str) {
    const OURS: &[&str] = &[
        ":",
        "set",
        "printf",
        "vastai",
        "runpodctl",
        "curl",
        "aws",
        "az",
        "gcloud",
        "export",
        "if",
        "fi",
    ];
    let joined = text.replace("\\\n", " ");
    for line in logical_lines(&joined) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let first = line.split_whitespace().next().unwrap_or_default();
        let assigned = first.split_once('=').is_some_and(|(n, _)| {
            !n.is_empty() && n.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        });
        assert!(OURS.contains(&first) || assigned, "{name} runs {first:?}:\n{text}");
    }
}

/// Lines, where a line break inside quotes is none.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let (mut single, mut double, mut comment) = (false, false, false);
    for c in text.chars() {
        match c {
            '\n' if !single && !double => {
                comment = false;
                lines.push(String::new());
                continue;
            }
            '#' if !single && !double && lines.last().is_some_and(|l| l.trim().is_empty()) => {
                comment = true;
            }
            '\'' if !double && !comment => single = !single,
            '"' if !single && !comment => double = !double,
            _ => {}
        }
        if let Some(line) = lines.last_mut() {
            line.push(if c == '\n' { ' ' } else { c });
        }
    }
    lines
}

/// The words that a POSIX shell makes of `line`, where nothing is expanded; `None` where quotes stay
/// open or something bare would be expanded.
pub(crate) fn shell_words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut open) = (Vec::new(), None::<String>, false);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                open = !open;
                word.get_or_insert_default();
            }
            c if open => word.get_or_insert_default().push(c),
            '\\' => word.get_or_insert_default().push(chars.next()?),
            ' ' | '\t' => words.extend(word.take()),
            c if "$`\"*?[]{}()<>|&;!#~\n".contains(c) => return None,
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    (!open).then_some(words)
}
