//! Asks one provider once and says what came: `cargo run --example fetch -- vast [URL [KEY]]`.
//! For whoever writes a source; URL may be that of a stand-in on this machine.
#![expect(clippy::print_stdout, reason = "it is there to print")]

use haggle::offer::Provider;
use haggle::provider::http::{Http, HttpOptions};
use haggle::provider::{ApiKey, Context, Sink, Update, run, source};
use haggle::units::UnixSeconds;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let name = words.first().map_or("", String::as_str);
    let provider = Provider::from_name(name).ok_or("which provider? vast, aws, …")?;
    let source = source(provider).ok_or("no source for this provider")?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let now = UnixSeconds(i64::try_from(now)?);
    let mut context = Context::new(Http::new(HttpOptions::default()), source.profile(), now);
    if let (Some(url), Some(endpoint)) = (words.get(1), source.profile().endpoints.first()) {
        context.addresses.0.insert(endpoint.variable.to_string(), url.clone());
    }
    let variable = source.profile().key_variable.unwrap_or("no key");
    context.key = words.get(2).map(|key| ApiKey { secret: key.clone().into(), variable });
    let (channel, mut updates) = tokio::sync::mpsc::channel(16);
    let (began, mut first, mut rows) = (Instant::now(), None, Vec::new());
    tokio::spawn(run(source, context, Sink { provider, generation: 1, channel }));
    while let Some(update) = updates.recv().await {
        match update {
            Update::Rows { offers, .. } => {
                first.get_or_insert(began.elapsed());
                rows.extend(offers);
            }
            Update::Progress { progress, .. } if progress.waiting_until.is_some() => {
                println!("waits until {:?}", progress.waiting_until);
            }
            Update::Progress { .. } => {}
            Update::Finished { outcome, .. } => {
                match outcome {
                    Ok(report) => println!("{report:?}"),
                    Err(error) => println!("failed: {error}"),
                }
                println!(
                    "{} rows, first after {first:?}, all after {:?}",
                    rows.len(),
                    began.elapsed()
                );
                break;
            }
        }
    }
    for offer in rows.iter().take(3) {
        println!("{offer:#?}");
    }
    Ok(())
}
