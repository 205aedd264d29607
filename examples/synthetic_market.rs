//! Writes a synthetic market, shaped like the real one, as a snapshot for `haggle --from FILE`.
//!
//! ```text
//! cargo run --release --example synthetic_market -- --offers 1000000 --out FILE [--seed N] [--deflate]
//! ```

use haggle::market::synthetic;
use haggle::offer::Provider;
use haggle::snapshot::{Encoder, Head, Packing, ProviderState};
use haggle::units::UnixSeconds;
use std::io::Write;
use std::process::ExitCode;

struct Options {
    offers: usize,
    seed: u64,
    packing: Packing,
    out: std::path::PathBuf,
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let (mut offers, mut seed, mut packing, mut out) = (60_000, 1, Packing::Stored, None);
    while let Some(option) = args.next() {
        let mut value = || args.next().ok_or(format!("{option} needs a value"));
        match option.as_str() {
            "--offers" => offers = value()?.parse().map_err(|e| format!("--offers: {e}"))?,
            "--seed" => seed = value()?.parse().map_err(|e| format!("--seed: {e}"))?,
            "--out" => out = Some(value()?.into()),
            "--deflate" => packing = Packing::Deflated,
            other => return Err(format!("there is no option {other}")),
        }
    }
    let out = out.ok_or("--out FILE says where to write")?;
    Ok(Options { offers, seed, packing, out })
}

fn write(options: &Options) -> Result<usize, String> {
    let offers = synthetic::market(options.offers, options.seed);
    let state = |provider: Provider| ProviderState {
        provider,
        rows: offers.iter().filter(|o| o.provider == provider).count(),
        fetched_at: Some(UnixSeconds(synthetic::MADE_AT)),
        coverage: None,
        coverage_note: None,
        error: None,
    };
    let head = Head {
        at: UnixSeconds(synthetic::MADE_AT),
        note: "a synthetic market, nothing in it can be rented".into(),
        providers: Provider::ALL.into_iter().map(state).collect(),
    };
    let mut encoder = Encoder::new(&head, options.packing);
    encoder.push(&offers);
    let bytes = encoder.finish();
    let name = options.out.display();
    let mut file = std::fs::File::create(&options.out).map_err(|e| format!("{name}: {e}"))?;
    file.write_all(&bytes).map_err(|e| format!("{name}: {e}"))?;
    Ok(bytes.len())
}

fn main() -> ExitCode {
    let written = options(std::env::args().skip(1)).and_then(|o| Ok((write(&o)?, o)));
    let mut err = std::io::stderr();
    match written {
        Ok((bytes, options)) => {
            let out = options.out.display();
            let _ = writeln!(err, "{} offers, {bytes} bytes: {out}", options.offers);
            ExitCode::SUCCESS
        }
        Err(problem) => {
            let _ = writeln!(err, "{problem}");
            ExitCode::FAILURE
        }
    }
}
