//! OFFER: what can be rented, with its fit and its quote.

use super::{BillDocument, Count, FitDocument, finite, rfc3339};
use crate::estimate::fit::{Advice, Fit};
use crate::estimate::quote::Quote;
use crate::gpu;
use crate::offer::{Availability, Basis, Continent, Country, Fees, Offer, Price, Provider};
use serde::Serialize;

/// One offer, as scripts see it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfferDocument {
    pub(crate) id: String,
    pub(crate) provider: Provider,
    pub(crate) gpu: Option<&'static str>,
    pub(crate) gpu_raw: String,
    pub(crate) gpus: Option<Count>,
    pub(crate) vram_gib: Option<f64>,
    pub(crate) region: RegionDocument,
    pub(crate) price: PriceDocument,
    pub(crate) fees: FeesDocument,
    pub(crate) reliability: Option<f64>,
    pub(crate) download_mbps: Option<f64>,
    pub(crate) upload_mbps: Option<f64>,
    pub(crate) disk_gb: Option<f64>,
    pub(crate) verified: Option<bool>,
    pub(crate) availability: Availability,
    pub(crate) origin: OriginDocument,
    pub(crate) flags: Vec<&'static str>,
    pub(crate) fit: FitDocument,
    pub(crate) quote: BillDocument,
}

/// Where it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RegionDocument {
    pub(crate) raw: String,
    pub(crate) country: Option<Country>,
    pub(crate) continent: Option<Continent>,
}

/// Dollars per hour for the whole offer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PriceDocument {
    pub(crate) on_demand_usd_per_hour: Option<f64>,
    pub(crate) spot_usd_per_hour: Option<f64>,
}

/// What else costs money.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct FeesDocument {
    storage_usd_per_gb_month: Option<f64>,
    storage_stopped_usd_per_gb_month: Option<f64>,
    egress_usd_per_gb: Option<f64>,
    ingress_usd_per_gb: Option<f64>,
    minimum_seconds: Option<f64>,
    monthly_cap_hours: Option<f64>,
}

/// Where the figures come from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct OriginDocument {
    pub(crate) source: &'static str,
    pub(crate) basis: Basis,
    pub(crate) fetched_at: String,
}

impl OfferDocument {
    /// From an offer and what was estimated for it.
    pub fn new(offer: &Offer, fit: &Fit, advice: &[Advice], quote: &Quote) -> Self {
        Self {
            id: offer.id(),
            provider: offer.provider,
            gpu: offer.hardware.gpu.and_then(|id| gpu::catalogue().get(id)).map(|g| g.name),
            gpu_raw: offer.hardware.gpu_raw.as_str().to_owned(),
            gpus: offer.hardware.gpus.map(Count),
            vram_gib: offer.hardware.vram.and_then(|v| finite(v.get())),
            region: RegionDocument {
                raw: offer.place.raw.as_str().to_owned(),
                country: offer.place.country,
                continent: offer.place.continent,
            },
            price: PriceDocument::new(&offer.price),
            fees: FeesDocument::new(&offer.fees),
            reliability: offer.reliability.and_then(|r| finite(r.get())),
            download_mbps: offer.download.and_then(|d| finite(d.get())),
            upload_mbps: offer.upload.and_then(|u| finite(u.get())),
            disk_gb: offer.disk.and_then(|d| finite(d.get())),
            verified: offer.verified,
            availability: offer.availability,
            origin: OriginDocument {
                source: offer.origin.source,
                basis: offer.origin.basis,
                fetched_at: rfc3339(offer.origin.fetched_at),
            },
            flags: offer.flags.names(),
            fit: FitDocument::new(fit, advice),
            quote: BillDocument::new(quote),
        }
    }
}

impl PriceDocument {
    fn new(price: &Price) -> Self {
        Self {
            on_demand_usd_per_hour: price.on_demand.and_then(|p| finite(p.get())),
            spot_usd_per_hour: price.spot.and_then(|p| finite(p.get())),
        }
    }
}

impl FeesDocument {
    fn new(fees: &Fees) -> Self {
        Self {
            storage_usd_per_gb_month: fees.storage.and_then(|f| finite(f.get())),
            storage_stopped_usd_per_gb_month: fees.storage_stopped.and_then(|f| finite(f.get())),
            egress_usd_per_gb: fees.egress.and_then(|f| finite(f.get())),
            ingress_usd_per_gb: fees.ingress.and_then(|f| finite(f.get())),
            minimum_seconds: fees.minimum.and_then(|h| finite(h.seconds())),
            monthly_cap_hours: fees.monthly_cap.and_then(|h| finite(h.get())),
        }
    }
}
