//! Google Cloud: list prices out of gpuhunt's catalogue, as Google publishes none without a key.
//!
//! A row of the catalogue is a machine type in a zone, spot and on demand apart; prices are for the
//! whole machine, GPUs and local disks included. Rows of reservation products (DWS calendar mode,
//! previews) are dropped. Types that Google does not sell on demand keep their spot price alone.

use super::gpuhunt;
use super::listed::offers;
use super::source::{Context, KeyUse, Profile, Source};
use super::{FetchError, Fetching, Report, Sink};
use crate::offer::Provider;

static PROFILE: Profile = Profile {
    provider: Provider::Gcp,
    key: KeyUse::None,
    key_variable: None,
    endpoints: &[gpuhunt::GPUHUNT],
    limit: gpuhunt::LIMIT,
    refresh: gpuhunt::REFRESH,
    about: "list prices from gpuhunt's hourly catalogue; says nothing about what can be had",
};

/// The source.
#[derive(Debug)]
pub(super) struct Gcp;

impl Source for Gcp {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn fetch<'a>(&'a self, context: &'a Context, sink: &'a Sink) -> Fetching<'a> {
        Box::pin(fetch(context, sink))
    }
}

async fn fetch(context: &Context, sink: &Sink) -> Result<Report, FetchError> {
    let Some(listing) = gpuhunt::listing(context, "gcp").await? else {
        return Ok(Report { unchanged: true, ..Report::default() });
    };
    let made = listing.made.unwrap_or(context.now);
    let (offers, reserved) = offers(Provider::Gcp, &listing.items, made, gpuhunt::SOURCE);
    if offers.is_empty() {
        return Err(FetchError::Empty);
    }
    let mut rejected = listing.rejected;
    if reserved > 0 {
        rejected.push(("a reservation product or a preview", reserved));
    }
    let rows = offers.len();
    if !sink.rows(offers).await {
        return Err(FetchError::unheard());
    }
    gpuhunt::confirm(context, "gcp", &listing.version);
    Ok(Report { rows, coverage: Some(1.0), rejected, ..Report::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::catalogue;
    use crate::offer::{Availability, Flags, Offer, Price};
    use crate::units::{Gib, UnixSeconds, UsdPerHour};

    const CSV: &str = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data\n\
        a2-highgpu-1g,us-central1-a,3.673385,12,85,1,A100,40,False,,nvidia,,x86,{}\n\
        a2-highgpu-1g,us-central1-a,1.293,12,85,1,A100,40,True,,nvidia,,x86,{}\n\
        g2-standard-96,us-south1-ai1b,7.98,96,384,8,L4,24,False,,nvidia,,x86,{}\n\
        a4-highgpu-8g,us-central1-b,64.44,224,3968,8,B200,180,False,,nvidia,gcp-a4 gcp-dws-calendar-mode,x86,{}\n\
        a4-highgpu-8g,us-central1-b,90.216,224,3968,8,B200,180,False,,nvidia,gcp-a4,x86,{}\n\
        a4-highgpu-8g,us-central1-b,32.2,224,3968,8,B200,180,True,,nvidia,gcp-a4,x86,{}\n\
        a3-highgpu-8g,us-east4-c,88.5,208,1872,8,H100,80,False,,nvidia,,x86,{}\n\
        a3-highgpu-8g,us-east4-c,88.4,208,1872,8,H100,80,False,,nvidia,,x86,{}\n\
        g4-standard-6,us-central1-b,0.6,6,22.5,1,RTXPRO6000,12,False,,nvidia,gcp-g4,x86,{}\n";

    fn read() -> (Vec<Offer>, usize) {
        let listing = gpuhunt::read(CSV.as_bytes()).unwrap();
        offers(Provider::Gcp, &listing.items, UnixSeconds(1), "test")
    }

    fn of(key: &str) -> Offer {
        read().0.into_iter().find(|o| o.key.as_str() == key).unwrap()
    }

    fn card(offer: &Offer) -> &'static str {
        offer.hardware.gpu.and_then(|id| catalogue().get(id)).map_or("?", |g| g.name)
    }

    /// 12 × 0.031611 + 85 × 0.004237 + 2.933908 = 3.673385 $ (Google's SKUs of 2023-03).
    #[test]
    fn spot_and_on_demand_are_two_prices_of_one_offer() {
        let offer = of("a2-highgpu-1g/us-central1-a");
        assert_eq!(offer.price.on_demand, Some(UsdPerHour::new(3.673_385)));
        assert_eq!(offer.price.spot, Some(UsdPerHour::new(1.293)));
        assert_eq!((card(&offer), offer.hardware.vram), ("A100 SXM 40GB", Some(Gib::new(40.0))));
        assert_eq!(offer.availability, Availability::NotStated);
    }

    #[test]
    fn reservation_products_are_no_offers_and_reserved_types_have_no_on_demand_price() {
        let offer = of("a4-highgpu-8g/us-central1-b");
        assert_eq!(offer.price, Price { on_demand: None, spot: Some(UsdPerHour::new(32.2)) });
        assert_eq!(read().1, 1);
    }

    #[test]
    fn of_two_prices_the_higher_counts_and_the_row_says_so() {
        let offer = of("a3-highgpu-8g/us-east4-c");
        assert_eq!(offer.price.on_demand, Some(UsdPerHour::new(88.5)));
        assert!(offer.flags.has(Flags::CONFLICTING));
    }

    #[test]
    fn an_eighth_of_a_card_is_no_whole_card() {
        let offer = of("g4-standard-6/us-central1-b");
        assert_eq!((offer.hardware.gpus, offer.hardware.vram), (Some(0.125), Some(Gib::new(12.0))));
    }

    #[test]
    fn a_zone_ends_at_its_last_hyphen() {
        let offer = of("g2-standard-96/us-south1-ai1b");
        assert_eq!(offer.place.country.unwrap().code(), "US");
        assert_eq!((card(&offer), offer.hardware.gpus), ("L4", Some(8.0)));
    }
}
