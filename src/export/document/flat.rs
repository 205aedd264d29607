//! One line for each offer: the columns of CSV, in one table.

use super::{OfferDocument, name};
use crate::estimate::quote::ItemKind;

/// What stands in one cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    /// Words, perhaps foreign ones.
    Text(String),
    /// A figure; `None` is unknown.
    Number(Option<f64>),
}

impl Cell {
    /// What a reader sees; nothing where it is unknown.
    pub(crate) fn text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Number(number) => number.map(|n| n.to_string()).unwrap_or_default(),
        }
    }
}

type Column = (&'static str, fn(&OfferDocument) -> Cell);

fn text(value: impl Into<String>) -> Cell {
    Cell::Text(value.into())
}

fn yes_no(value: Option<bool>) -> Cell {
    text(value.map(|v| v.to_string()).unwrap_or_default())
}

/// The columns, left to right.
pub(crate) static COLUMNS: &[Column] = &[
    ("id", |o| text(o.id.as_str())),
    ("provider", |o| text(o.provider.name())),
    ("gpu", |o| text(o.gpu.unwrap_or_default())),
    ("gpu_raw", |o| text(o.gpu_raw.as_str())),
    ("gpus", |o| Cell::Number(o.gpus.and_then(|n| super::finite(n.0)))),
    ("vram_gib", |o| Cell::Number(o.vram_gib)),
    ("region", |o| text(o.region.raw.as_str())),
    ("country", |o| text(o.region.country.map(|c| c.code().to_owned()).unwrap_or_default())),
    ("on_demand_usd_per_hour", |o| Cell::Number(o.price.on_demand_usd_per_hour)),
    ("spot_usd_per_hour", |o| Cell::Number(o.price.spot_usd_per_hour)),
    ("reliability", |o| Cell::Number(o.reliability)),
    ("download_mbps", |o| Cell::Number(o.download_mbps)),
    ("upload_mbps", |o| Cell::Number(o.upload_mbps)),
    ("disk_gb", |o| Cell::Number(o.disk_gb)),
    ("verified", |o| yes_no(o.verified)),
    ("availability", |o| text(name(&o.availability))),
    ("source", |o| text(o.origin.source)),
    ("basis", |o| text(name(&o.origin.basis))),
    ("fetched_at", |o| text(o.origin.fetched_at.as_str())),
    ("flags", |o| text(o.flags.join(" "))),
    ("verdict", |o| text(name(&o.fit.verdict()))),
    ("needed_gib", |o| Cell::Number(o.fit.needed_gib())),
    ("headroom_gib", |o| Cell::Number(o.fit.headroom_gib())),
    ("pricing", |o| text(name(&o.quote.pricing()))),
    ("hours_low", |o| Cell::Number(o.quote.hours().and_then(|h| h.low))),
    ("hours_expected", |o| Cell::Number(o.quote.hours().and_then(|h| h.expected))),
    ("hours_high", |o| Cell::Number(o.quote.hours().and_then(|h| h.high))),
    ("gpu_time_usd", |o| item(o, ItemKind::GpuTime)),
    ("storage_usd", |o| item(o, ItemKind::Storage)),
    ("download_usd", |o| item(o, ItemKind::Download)),
    ("upload_usd", |o| item(o, ItemKind::Upload)),
    ("lost_work_usd", |o| item(o, ItemKind::LostWork)),
    ("idle_usd", |o| item(o, ItemKind::Idle)),
    ("minimum_charge_usd", |o| item(o, ItemKind::MinimumCharge)),
    ("total_usd_low", |o| Cell::Number(o.quote.total().and_then(|t| t.low))),
    ("total_usd_expected", |o| Cell::Number(o.quote.total().and_then(|t| t.expected))),
    ("total_usd_high", |o| Cell::Number(o.quote.total().and_then(|t| t.high))),
    ("unknown", |o| text(o.quote.unknown().join("; "))),
    ("assumptions", |o| {
        let pairs: Vec<_> =
            o.quote.assumptions().iter().map(|(k, v)| format!("{k}: {v}")).collect();
        text(pairs.join("; "))
    }),
    ("what_if", |o| text(o.quote.what_if().unwrap_or_default())),
];

fn item(offer: &OfferDocument, kind: ItemKind) -> Cell {
    Cell::Number(offer.quote.items().iter().find(|i| i.name == kind).and_then(|i| i.usd))
}
