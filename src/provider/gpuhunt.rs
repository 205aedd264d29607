//! The catalogue that gpuhunt publishes (v3): a version in a text file, and for each provider a zip
//! with one CSV. A list: it never says that something can be had.

use super::FetchError;
use super::http::RateLimit;
use super::lenient::number;
use super::source::{Context, Endpoint};
use crate::units::UnixSeconds;
use serde::Deserialize;
use std::io::{Cursor, Read};
use std::time::Duration;

/// Where it is published.
pub const GPUHUNT: Endpoint = Endpoint {
    variable: "HAGGLE_GPUHUNT_URL",
    address: "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com",
};
/// As named in origins.
pub const SOURCE: &str = "gpuhunt catalogue v3";
/// Not documented; a bucket paid for by others, so we are gentle.
pub const LIMIT: RateLimit = RateLimit::per(60, 60);
/// It is written every hour.
pub const REFRESH: Duration = Duration::from_hours(1);

/// Bytes that a CSV may unfold to.
const MOST_BYTES: u64 = 64 << 20;

/// A row of the catalogue. Prices are $/h for the whole machine; memory in GB, that of a card per card.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Machine type.
    pub instance: String,
    /// Region or zone.
    pub location: String,
    /// $/h for the machine.
    pub price: f64,
    /// Is that the spot price?
    pub spot: bool,
    /// Processor threads.
    pub cpu: Option<f64>,
    /// Main memory, GB.
    pub memory: Option<f64>,
    /// Cards.
    pub gpu_count: f64,
    /// Which.
    pub gpu_name: String,
    /// Memory of one card, GB.
    pub gpu_memory: Option<f64>,
    /// Included disk, GB; `None` where it can be chosen.
    pub disk: Option<f64>,
    /// Words that mark special products: `gcp-dws-calendar-mode`.
    pub flags: Vec<String>,
    /// `x86` or `arm`.
    pub arch: String,
}

/// A catalogue as fetched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// Rows with GPUs.
    pub items: Vec<Item>,
    /// When it was made; `None` when the version does not say.
    pub made: Option<UnixSeconds>,
    /// Rows that could not be used, by reason.
    pub rejected: Vec<(&'static str, usize)>,
    /// The version.
    pub version: String,
}

/// Fetches the catalogue of one provider, as gpuhunt names it. `None` when it is the one that was
/// taken last time ([`confirm`]).
pub async fn listing(context: &Context, name: &str) -> Result<Option<Listing>, FetchError> {
    let version = context.call(GPUHUNT, &format!("/v3/{name}/version"))?.most_mb(1).text().await?;
    let version = version.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if version.is_empty() || version.len() > 64 || !version.chars().all(plain) {
        return Err(FetchError::Unreadable("the version is none".to_string()));
    }
    if context.http.is_known(&memo(context, name), version) {
        return Ok(None);
    }
    let path = format!("/v3/{name}/{version}/catalog.zip");
    let body = context.call(GPUHUNT, &path)?.body().await?;
    let csv = unzip(&body.bytes, &format!("{name}.csv"))?;
    let mut listing = read(&csv)?;
    listing.made = made(version);
    listing.version = version.to_string();
    Ok(Some(listing))
}

/// Remembers that this version was taken, so that [`listing`] need not fetch it again.
pub fn confirm(context: &Context, name: &str, version: &str) {
    context.http.know(&memo(context, name), version);
}

fn memo(context: &Context, name: &str) -> String {
    let address = context.addresses.0.get(GPUHUNT.variable).map_or(GPUHUNT.address, String::as_str);
    format!("gpuhunt {name} {address}")
}

/// The day in a version such as `20260819-4711`, at noon.
fn made(version: &str) -> Option<UnixSeconds> {
    let part = |range: std::ops::Range<usize>| version.get(range)?.parse::<i16>().ok();
    let (year, month, day) = (part(0..4)?, part(4..6)?, part(6..8)?);
    let date = jiff::civil::Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    let noon = jiff::tz::TimeZone::UTC.to_timestamp(date.at(12, 0, 0, 0)).ok()?;
    Some(UnixSeconds(noon.as_second()))
}

fn unzip(bytes: &[u8], name: &str) -> Result<Vec<u8>, FetchError> {
    let broken = |_| FetchError::Unreadable("the zip archive is broken".to_string());
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    let file = archive
        .by_name(name)
        .map_err(|_| FetchError::Unreadable(format!("the zip archive holds no {name}")))?;
    let mut text = Vec::new();
    file.take(MOST_BYTES + 1)
        .read_to_end(&mut text)
        .map_err(|_| FetchError::Unreadable("the zip archive is broken".to_string()))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(FetchError::TooLarge(MOST_BYTES / 1_000_000));
    }
    Ok(text)
}

#[derive(Deserialize)]
struct Line {
    instance_name: String,
    location: String,
    price: String,
    #[serde(default)]
    cpu: String,
    #[serde(default)]
    memory: String,
    #[serde(default)]
    gpu_count: String,
    #[serde(default)]
    gpu_name: String,
    #[serde(default)]
    gpu_memory: String,
    spot: String,
    #[serde(default)]
    disk_size: String,
    #[serde(default)]
    flags: String,
    #[serde(default)]
    cpu_arch: String,
}

/// Reads the CSV. Rows without GPUs are passed over; rows that make no sense are counted.
pub fn read(csv: &[u8]) -> Result<Listing, FetchError> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(csv);
    let headers = reader.byte_headers().map(|h| h.iter().any(|f| f == b"instance_name"));
    if !headers.is_ok_and(|known| known) {
        return Err(FetchError::Unreadable("it has not the columns of gpuhunt".to_string()));
    }
    let mut rejected = std::collections::BTreeMap::<&'static str, usize>::new();
    let mut listing = Listing::default();
    for line in reader.deserialize::<Line>() {
        let item = line.map_err(|_| "a line that is no row").and_then(|line| item(&line));
        match item {
            Ok(Some(item)) => listing.items.push(item),
            Ok(None) => {}
            Err(why) => *rejected.entry(why).or_default() += 1,
        }
    }
    listing.rejected = rejected.into_iter().collect();
    Ok(listing)
}

fn item(line: &Line) -> Result<Option<Item>, &'static str> {
    if line.gpu_name.trim().is_empty() {
        return Ok(None);
    }
    let positive = |text: &str| number(text).filter(|v| *v > 0.0 && *v < 1e7);
    let gpu_count = positive(&line.gpu_count).ok_or("no GPU count")?;
    if line.instance_name.trim().is_empty() || line.location.trim().is_empty() {
        return Err("no name or no place");
    }
    let spot = match line.spot.trim() {
        "True" | "true" => true,
        "False" | "false" => false,
        _ => return Err("neither spot nor on demand"),
    };
    Ok(Some(Item {
        price: positive(&line.price).ok_or("no price")?,
        instance: line.instance_name.trim().to_string(),
        location: line.location.trim().to_string(),
        spot,
        cpu: positive(&line.cpu),
        memory: positive(&line.memory),
        gpu_count,
        gpu_name: line.gpu_name.trim().to_string(),
        gpu_memory: positive(&line.gpu_memory),
        disk: positive(&line.disk_size),
        flags: line.flags.split_whitespace().map(str::to_string).collect(),
        arch: line.cpu_arch.trim().to_string(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_sense_are_counted_and_the_others_kept() {
        let csv = b"instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data\n\
            m-1,eu-1,2.5,8,64.0,1,A10,24.0,False,100.0,nvidia,one two,x86,\"{\"\"k\"\": 1}\"\n\
            m-1,eu-1,0,8,64,1,A10,24,True,,nvidia,,x86,{}\n\
            cpu-1,eu-1,0.1,8,64,0,,,False,,,,x86,{}\n\
            m-2,,1.0,8,64,1,L4,24,False,,nvidia,,x86,{}\n\
            short,eu\n";
        let listing = read(csv).unwrap();
        assert_eq!(listing.items.len(), 1);
        let item = &listing.items[0];
        assert_eq!((item.price, item.gpu_memory, item.spot), (2.5, Some(24.0), false));
        assert_eq!(item.flags, ["one", "two"]);
        let counts: usize = listing.rejected.iter().map(|(_, n)| n).sum();
        assert_eq!(counts, 3);
        assert!(read(b"a,b\n1,2\n").is_err());
    }

    #[test]
    fn the_day_is_read_from_the_version() {
        assert_eq!(made("20260819-4711"), Some(UnixSeconds(1_787_140_800)));
        assert_eq!(made("20261399-1"), None);
        assert_eq!(made("latest"), None);
    }
}
