//! RunPod's REST v2 catalogue: cards with their prices, and the stock of each data centre for one
//! cloud and one number of GPUs at a time.

use super::offer::{Cloud, Kind, Listing, Stock, most, price};
use crate::offer::{Availability, Place};
use crate::provider::harvest::{Harvest, Reason, counts, list, tree};
use crate::provider::lenient::{Flag, Number, Words, lenient_object};
use crate::provider::{ApiKey, Context, FetchError};
use crate::units::UnixSeconds;
use serde_json::Value;

const SOURCE: &str = "RunPod catalogue (GET /v2/catalog/gpus)";
const PATH: &str = "/v2/catalog/gpus";
/// Numbers of GPUs that are asked for.
const COUNTS: [(u64, &str); 4] = [(1, "1"), (2, "2"), (4, "4"), (8, "8")];

lenient_object! {
    struct Row {
        id: Words,
        name: Words,
        memory: Number,
        secure: Flag,
        community: Flag,
        availability: Words,
    }
}

/// Asks for both clouds and the usual numbers of GPUs.
pub(super) async fn fetch(context: &Context, key: &ApiKey) -> Result<Harvest, FetchError> {
    let mut harvest = Harvest::default();
    for cloud in Cloud::BOTH {
        for (gpus, text) in COUNTS {
            let query = [
                ("include", "AVAILABILITY"),
                ("product", "POD"),
                ("count", text),
                ("cloud", cloud.name()),
            ];
            let call = context.call(super::ENDPOINT, PATH)?.query(&query).key(Some(key));
            let body = call.most_mb(super::MOST_MB).body().await?;
            read(&tree(&body.bytes)?, cloud, gpus, context.now, &mut harvest)?;
        }
    }
    Ok(harvest)
}

/// The offers of one answer.
fn read(
    answer: &Value,
    cloud: Cloud,
    gpus: u64,
    now: UnixSeconds,
    harvest: &mut Harvest,
) -> Result<(), FetchError> {
    let rows = list(answer, "gpus")
        .ok_or_else(|| FetchError::Unreadable("it holds no list of gpus".to_string()))?;
    for (_, row) in rows {
        match card(row, cloud, gpus, now, harvest) {
            // Each row comes in all answers; it is counted once.
            Err(why) if cloud == Cloud::Secure && gpus == 1 => harvest.reject(why),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

fn card(
    value: &Value,
    cloud: Cloud,
    gpus: u64,
    now: UnixSeconds,
    harvest: &mut Harvest,
) -> Result<(), Reason> {
    let row: Row = serde_json::from_value(value.clone()).map_err(|_| "a row that is no object")?;
    let kind = Kind::read(&row.id, &row.name, row.memory)?;
    let number = |path: &str| -> Number {
        let value = value.pointer(path).cloned();
        value.and_then(|v| serde_json::from_value(v).ok()).unwrap_or_default()
    };
    let (secure, community) = (number("/price/secure"), number("/price/community"));
    let (sold, own, other, stated) = match cloud {
        Cloud::Secure => (row.secure.0, secure, community, number("/maxCount/secure")),
        Cloud::Community => (row.community.0, community, secure, number("/maxCount/community")),
    };
    let some = Stock::is_some(row.availability.as_str());
    let Some(price) = price(cloud, sold, own, other, some)? else { return Ok(()) };
    // A ceiling of zero beside stock contradicts itself: one is offered, and not promised.
    let contradiction = stated.0 == Some(0.0);
    let most = most(stated);
    if !counts(most).contains(&gpus) {
        return Ok(());
    }
    let listing = Listing { kind: &kind, cloud, price, most, source: SOURCE, now };
    let says = match (contradiction, some) {
        (true, true) => Availability::NotStated,
        (false, true) => Availability::Yes,
        (_, false) => Availability::No,
    };
    let mut put = |place: &Place, here| {
        harvest.take(Ok(listing.offer(place, gpus, here, &Stock::default())));
    };
    let centres = value.get("dataCenters").and_then(Value::as_array).into_iter().flatten();
    let mut found = false;
    for centre in centres {
        let level = centre.get("availability").and_then(Value::as_str).unwrap_or("");
        if let Some(id) = centre.get("id").and_then(Value::as_str).filter(|_| Stock::is_some(level))
        {
            found = true;
            put(&Place::runpod(id), says);
        }
    }
    if !found {
        put(&Place::default(), says);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::catalogue;
    use serde_json::json;

    fn read_all(answer: &Value) -> Harvest {
        let mut harvest = Harvest::default();
        for cloud in Cloud::BOTH {
            for (gpus, _) in COUNTS {
                read(answer, cloud, gpus, UnixSeconds(0), &mut harvest).unwrap();
            }
        }
        harvest
    }

    fn row() -> Value {
        json!({"id": "NVIDIA GeForce RTX 4090", "name": "RTX 4090", "memory": 24, "secure": true,
            "community": true, "price": {"secure": 0.44, "community": 0.31},
            "maxCount": {"secure": 8, "community": 4}, "availability": "HIGH",
            "dataCenters": [{"id": "US-KS-2", "availability": "HIGH"},
                {"id": "EU-RO-1", "availability": "NONE"}]})
    }

    /// The documentation's example: 0.44 and 0.31 $/h for one GPU.
    #[test]
    fn the_price_grows_with_the_number_of_gpus() {
        for answer in [json!([row()]), json!({"gpus": [row()]})] {
            let harvest = read_all(&answer);
            let found: Vec<_> = harvest
                .offers()
                .iter()
                .map(|o| (o.launch_id.as_str(), o.price.on_demand.unwrap().get()))
                .collect();
            let (secure, community) =
                ("SECURE:NVIDIA GeForce RTX 4090", "COMMUNITY:NVIDIA GeForce RTX 4090");
            assert_eq!(
                found[..4],
                [(secure, 0.44), (secure, 0.88), (secure, 1.76), (secure, 3.52)]
            );
            assert_eq!(found[4..], [(community, 0.31), (community, 0.62), (community, 1.24)]);
            assert!(harvest.offers().iter().all(|o| o.place.raw.as_str() == "US-KS-2"));
            assert!(harvest.offers().iter().all(|o| o.price.spot.is_none()));
        }
    }

    #[test]
    fn a_slice_is_not_the_card_and_a_ceiling_of_zero_promises_nothing() {
        let slice = json!({"id": "PRO-6000-MIG-1g-24gb", "name": "PRO 6000 MIG 1g.24gb",
            "memory": 24, "secure": true, "community": false,
            "price": {"secure": 0.69, "community": 0.0}, "maxCount": {"secure": 0, "community": 0},
            "availability": "HIGH", "dataCenters": [{"id": "US-TX-3", "availability": "HIGH"}]});
        let harvest = read_all(&json!([slice]));
        let [offer] = harvest.offers() else { panic!("{:?}", harvest.offers()) };
        assert_eq!((offer.hardware.gpu, offer.hardware.gpus), (None, Some(1.0)));
        assert_eq!(offer.availability, Availability::NotStated);
        assert_eq!(offer.price.on_demand.unwrap().get(), 0.69);
    }

    #[test]
    fn one_bad_row_costs_one_row_and_is_counted_once() {
        let harvest = read_all(&json!([null, {"id": null}, {"id": "unknown", "memory": 0}, row()]));
        assert_eq!(harvest.rejected().iter().map(|(_, n)| n).sum::<usize>(), 3);
        assert_eq!(harvest.offers().len(), 7);
        let card = harvest.offers()[0].hardware.gpu.and_then(|id| catalogue().get(id)).unwrap();
        assert_eq!(card.name, "RTX 4090");
        let mut harvest = Harvest::default();
        let wrong = json!({"error": "no"});
        assert!(read(&wrong, Cloud::Secure, 1, UnixSeconds(0), &mut harvest).is_err());
    }
}
