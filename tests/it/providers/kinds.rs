//! The kinds of fault that other clients of these markets have shipped, one test for each, named
//! after the kind. Figures are those of the reports; a fault that types rule out has no test.

use super::*;
use crate::support::server::{Answer, Asked, Server};
use haggle::offer::{Availability, Basis, Flags};
use haggle::provider::catalogue;
use haggle::units::Gib;
use serde_json::{Value, json};

/// A catalogue file in SkyPilot's form.
fn skypilot(rows: &str) -> catalogue::Catalogue {
    let head = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n";
    catalogue::read(format!("{head}{rows}").as_bytes(), "vms.csv", NOW).unwrap()
}

const GPUHUNT: &str = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data\n";

/// A catalogue file in gpuhunt's form, of the provider after which it is named.
fn gpuhunt(name: &str, rows: &str) -> catalogue::Catalogue {
    catalogue::read(format!("{GPUHUNT}{rows}").as_bytes(), name, NOW).unwrap()
}

fn of<'a>(catalogue: &'a catalogue::Catalogue, key: &str) -> &'a Offer {
    let found = catalogue.offers.iter().find(|o| o.key.as_str() == key);
    found.unwrap_or_else(|| panic!("no {key} among {:?}", catalogue.offers))
}

fn vast(rows: Value) -> Server {
    let text = json!({"offers": rows}).to_string();
    Server::new(move |_| Answer::json(text.clone()))
}

fn ask(id: u64, changes: Value) -> Value {
    let mut row = json!({"id": id, "machine_id": id, "num_gpus": 1, "gpu_name": "RTX 4090", "gpu_ram": 24564,
        "dph_base": 0.34, "dph_total": 0.35, "min_bid": 0.2, "storage_cost": 0.15, "disk_space": 900.0,
        "geolocation": "Texas, US", "rentable": true, "rented": false});
    for (name, value) in changes.as_object().unwrap() {
        row[name] = value.clone();
    }
    row
}

/// One answer of Azure's price list.
fn azure(rows: Vec<Value>) -> Server {
    Server::new(move |_| Answer::json(json!({"Items": rows, "NextPageLink": null}).to_string()))
}

/// A price of a size in eastus.
fn meter(size: &str, words: &str, price: f64, changes: Value) -> Value {
    let mut row = json!({"currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": price, "armRegionName": "eastus",
        "effectiveStartDate": "2026-08-01T00:00:00Z", "meterId": format!("{size}{words}{price}"),
        "meterName": format!("{size}{words}"), "productName": "Virtual Machines", "skuId": "s",
        "skuName": size, "unitOfMeasure": "1 Hour", "type": "Consumption", "isPrimaryMeterRegion": true,
        "armSkuName": format!("Standard_{size}")});
    for (name, value) in changes.as_object().unwrap() {
        row[name] = value.clone();
    }
    row
}

// Prices: of what, and for how much of it.

#[test]
fn a_host_without_the_price_of_its_gpu_is_no_offer() {
    let file = skypilot(
        "a2-highgpu-1g,,,12,85,,0.94803,0.47,us-central1,us-central1-a\n\
         a2-highgpu-2g,,,24,170,,1.89,0.94,us-central1,us-central1-a\n\
         ,A100,1,,,,2.933908,1.1,us-central1,us-central1-a\n",
    );
    let [offer] = file.offers.as_slice() else { panic!("{:?}", file.offers) };
    assert!((on_demand(offer).unwrap() - 3.881_938).abs() < 1e-9);
}

#[test]
fn an_accelerator_of_another_kind_has_no_price_of_a_gpu() {
    let file = skypilot(
        "a2-highgpu-1g,,,12,85,,0.94803,0.47,us-central1,us-central1-a\n\
         ,A100,1,,,,2.933908,1.1,us-central1,us-central1-a\n\
         ,tpu-v6e-1,1,,,,700.0,700.0,us-central1,us-central1-a\n",
    );
    assert_eq!(file.offers.len(), 1);
}

#[tokio::test]
async fn of_two_prices_for_one_thing_neither_order_nor_chance_decides() {
    let size = "NC24ads_A100_v4";
    let (low, high) = (meter(size, "", 3.0, json!({})), meter(size, "", 3.673, json!({})));
    for rows in [vec![low.clone(), high.clone()], vec![high, low]] {
        let fetched = fetch(Provider::Azure, &azure(rows), None).await;
        let offer = fetched.offer("NC24ads_A100_v4/eastus");
        assert_eq!(on_demand(offer), Some(3.673));
        assert!(offer.flags.has(Flags::CONFLICTING));
    }
    let plan = |price: f64| json!({"id": "vcg-l40s", "locations": ["ewr"], "gpu_type": "NVIDIA_L40S", "gpu_count": 1, "hourly_cost": price});
    for prices in [[0.9, 1.671], [1.671, 0.9]] {
        let plans = prices.map(plan);
        let server = Server::new(move |asked| {
            let member = asked.path.rsplit('/').next().unwrap().split('?').next().unwrap();
            let (member, rows) = match member {
                "plans" => ("plans", json!(plans)),
                "plans-metal" => ("plans_metal", json!([])),
                other => (other, json!([])),
            };
            let mut answer = json!({"meta": {"links": {"next": ""}}});
            answer[member] = rows;
            Answer::json(answer.to_string())
        });
        let fetched = fetch(Provider::Vultr, &server, None).await;
        let offer = fetched.offer("vcg-l40s@ewr");
        assert_eq!(on_demand(offer), Some(1.671));
        assert!(offer.flags.has(Flags::CONFLICTING));
    }
}

#[test]
fn duplicate_rows_do_not_bend_the_price() {
    let row = "p5.48xlarge,us-east-1,55.04,192,2048,8,H100,80,False,,nvidia,,x86,{}\n";
    let file = gpuhunt("aws.csv", &row.repeat(3));
    let [offer] = file.offers.as_slice() else { panic!("{:?}", file.offers) };
    assert_eq!(on_demand(offer), Some(55.04));
    assert!(!offer.flags.has(Flags::CONFLICTING));
}

#[test]
fn the_sixth_decimal_is_no_conflict() {
    let file = gpuhunt(
        "aws.csv",
        "p4d.24xlarge,us-east-1,21.957642,96,1152,8,A100,40,False,,nvidia,,x86,{}\n\
         p4d.24xlarge,us-east-1,21.95764,96,1152,8,A100,40,False,,nvidia,,x86,{}\n",
    );
    assert!(!file.offers[0].flags.has(Flags::CONFLICTING));
}

#[tokio::test]
async fn a_bid_floor_is_never_the_price_on_demand() {
    let server = vast(json!([
        ask(
            1,
            json!({"gpu_name": "B200", "num_gpus": 8, "dph_base": null, "dph_total": null, "min_bid": 0.01})
        ),
        ask(2, json!({"min_bid": null})),
    ]));
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    let bid = fetched.offer("1-8");
    assert_eq!((on_demand(bid), spot(bid)), (None, Some(0.01)));
    let full = fetched.offer("2-1");
    assert_eq!((on_demand(full), spot(full)), (Some(0.34), None));
}

#[tokio::test]
async fn prices_are_for_the_whole_offer_bids_too() {
    let server = vast(json!([ask(1, json!({"num_gpus": 8, "dph_base": 2.72, "min_bid": 1.6}))]));
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    let offer = fetched.offer("1-8");
    assert_eq!((on_demand(offer), spot(offer)), (Some(2.72), Some(1.6)));
}

#[tokio::test]
async fn the_hours_price_holds_no_disk_whatever_disk_the_host_has() {
    let server = vast(json!([
        ask(1, json!({"dph_base": 0.34, "dph_total": 4.54, "storage_total_cost": 4.2})),
        ask(2, json!({"dph_base": null, "dph_total": 0.55, "storage_total_cost": 0.2})),
        ask(3, json!({"dph_base": null, "dph_total": 0.55, "storage_total_cost": null})),
    ]));
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    assert_eq!(on_demand(fetched.offer("1-1")), Some(0.34));
    assert!((on_demand(fetched.offer("2-1")).unwrap() - 0.35).abs() < 1e-9);
    assert_eq!(on_demand(fetched.offer("3-1")), None, "with a disk of unknown price it is unknown");
    let storage = fetched.offer("1-1").fees.storage.map(|f| f.get());
    assert_eq!(storage, Some(0.15), "the disk is billed by its own rate");
}

#[tokio::test]
async fn spot_above_on_demand_is_marked_and_not_offered_as_a_saving() {
    let server = vast(json!([ask(1, json!({"dph_base": 1.93, "min_bid": 2.4}))]));
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    assert!(fetched.offers[0].flags.has(Flags::SPOT_NOT_CHEAPER));
}

#[tokio::test]
async fn eight_for_less_than_four_are_marked() {
    let rows = vec![
        meter("NC24ads_A100_v4", " Spot", 0.9, json!({"meterId": "a"})),
        meter("NC48ads_A100_v4", " Spot", 1.8, json!({"meterId": "b"})),
        meter("NC96ads_A100_v4", " Spot", 0.7, json!({"meterId": "c"})),
    ];
    let fetched = fetch(Provider::Azure, &azure(rows), None).await;
    let odd = |size: &str| fetched.offer(&format!("{size}/eastus")).flags.has(Flags::ODD_PRICE);
    assert!(odd("NC96ads_A100_v4"));
    assert!(!odd("NC48ads_A100_v4") && !odd("NC24ads_A100_v4"));
}

#[test]
fn a_machine_with_one_card_and_many_processors_is_no_odd_one() {
    let file = gpuhunt(
        "aws.csv",
        "g4dn.xlarge,us-east-1,0.526,4,16,1,T4,16,False,,nvidia,,x86,{}\n\
         g4dn.16xlarge,us-east-1,4.352,64,256,1,T4,16,False,,nvidia,,x86,{}\n\
         g4dn.12xlarge,us-east-1,3.912,48,192,4,T4,16,False,,nvidia,,x86,{}\n",
    );
    assert!(file.offers.iter().all(|o| o.flags == Flags::default()), "{:?}", file.offers);
}

#[test]
fn zero_and_missing_prices_are_unknown_never_free() {
    let file = skypilot(
        "p5e.48xlarge,H200,8,192,2048,,,18.7,us-west-2,usw2-az1\n\
         p4d.24xlarge,A100,8,96,1152,,0.00,0.00,us-west-2,usw2-az1\n\
         p4d.24xlarge,A100,8,96,1152,,,,us-east-2,use2-az1\n",
    );
    let [offer] = file.offers.as_slice() else { panic!("{:?}", file.offers) };
    assert_eq!((on_demand(offer), spot(offer)), (None, Some(18.7)));
}

#[test]
fn a_preview_at_no_price_and_reservation_products_are_no_offers() {
    let file = gpuhunt(
        "gcp.csv",
        "g4-standard-48,us-central1-b,0.0,48,180,1,RTXPRO6000,96,False,,nvidia,gcp-g4-preview,x86,{}\n\
         a3-highgpu-8g,us-central1-a,33.6,208,1872,8,H100,80,False,,nvidia,gcp-dws-calendar-mode,x86,{}\n\
         a3-highgpu-8g,us-central1-a,88.49,208,1872,8,H100,80,False,,nvidia,,x86,{}\n",
    );
    let [offer] = file.offers.as_slice() else { panic!("{:?}", file.offers) };
    assert_eq!(on_demand(offer), Some(88.49));
}

#[test]
fn what_google_sells_for_spot_alone_has_no_price_on_demand() {
    let file = gpuhunt(
        "gcp.csv",
        "a4-highgpu-8g,us-central1-b,90.216,224,3968,8,B200,180,False,,nvidia,gcp-a4,x86,{}\n\
         a4-highgpu-8g,us-central1-b,32.2,224,3968,8,B200,180,True,,nvidia,gcp-a4,x86,{}\n",
    );
    assert_eq!((on_demand(&file.offers[0]), spot(&file.offers[0])), (None, Some(32.2)));
}

#[test]
fn a_type_under_two_spellings_has_its_price_under_both() {
    let file = gpuhunt(
        "gcp.csv",
        "a3-megagpu-8g,us-east4-c,93.4,208,1872,8,H100,80,False,,nvidia,,x86,{}\n",
    );
    assert_eq!(card(&file.offers[0]), "H100 SXM");
    let file = skypilot(
        "a3-megagpu-8g,,,208,1872,,9.46,4.0,us-east4,us-east4-c\n\
         ,H100-MEGA,8,,,,83.9,22.1,us-east4,us-east4-c\n",
    );
    assert_eq!((card(&file.offers[0]), on_demand(&file.offers[0])), ("H100 SXM", Some(93.36)));
}

// Cards: which, how many, how much memory.

#[test]
fn memory_of_all_cards_together_is_not_that_of_one() {
    let file = gpuhunt(
        "aws.csv",
        "g6.12xlarge,us-east-1,4.6016,48,192,4,L4,91.5,False,,nvidia,,x86,{}\n\
         g6.48xlarge,us-east-1,13.3504,192,768,8,L4,183.1,False,,nvidia,,x86,{}\n",
    );
    for offer in &file.offers {
        assert_eq!(offer.hardware.vram, Some(Gib::new(24.0)), "{}", offer.key);
    }
}

#[tokio::test]
async fn memory_a_little_below_nominal_is_the_cards_and_less_is_a_slice() {
    let server = vast(json!([
        ask(1, json!({"gpu_name": "L4", "gpu_ram": 22888})),
        ask(2, json!({"gpu_name": "L40S", "gpu_ram": 46068})),
        ask(3, json!({"gpu_name": "H100 NVL", "gpu_ram": 95830})),
        ask(4, json!({"gpu_name": "A10", "gpu_ram": 4096})),
    ]));
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    let cards: Vec<&str> = fetched.offers.iter().map(card).collect();
    assert_eq!(cards, ["L4", "L40S", "H100 NVL", "?"]);
    assert_eq!(fetched.offer("4-1").hardware.vram, Some(Gib::new(4.0)));
}

#[test]
fn variants_of_one_name_are_told_apart() {
    let file = gpuhunt(
        "runpod.csv",
        "a,US-TX-1,1.0,8,64,1,A100,40,False,,nvidia,,x86,{}\n\
         b,US-TX-1,1.0,8,64,1,A100,80,False,,nvidia,,x86,{}\n\
         c,US-TX-1,1.0,8,64,1,H100,94,False,,nvidia,,x86,{}\n\
         d,US-TX-1,1.0,8,64,1,H100,80,False,,nvidia,,x86,{}\n",
    );
    let cards: Vec<&str> = file.offers.iter().map(card).collect();
    assert_eq!(cards, ["A100 SXM 40GB", "A100 SXM 80GB", "H100 NVL", "H100 SXM"]);
}

#[tokio::test]
async fn counts_come_from_what_is_inside_not_from_a_name() {
    let rows = vec![
        meter("ND96isr_H100_v5", "", 98.32, json!({})),
        meter("NV6ads_A10_v5", "", 0.454, json!({})),
        meter("NC8ads_A10_v4", "", 1.1, json!({})),
    ];
    let fetched = fetch(Provider::Azure, &azure(rows), None).await;
    let gpus = |size: &str| fetched.offer(&format!("{size}/eastus")).hardware.gpus.unwrap();
    assert_eq!(gpus("ND96isr_H100_v5"), 8.0);
    assert!((gpus("NV6ads_A10_v5") - 1.0 / 6.0).abs() < 1e-4);
    assert_eq!(gpus("NC8ads_A10_v4"), 0.5);
}

#[tokio::test]
async fn a_type_of_which_nobody_says_what_is_inside_is_a_row_without_invented_figures() {
    let rows = vec![
        meter("ND96isr_H100_v5", "", 98.32, json!({})),
        meter("ND96isr_R200_v7", "", 120.0, json!({})),
        meter("NV12s_v3", "", 1.14, json!({})),
    ];
    let fetched = fetch(Provider::Azure, &azure(rows), None).await;
    // The price is a price: the row stays, without a card, a count or a memory that nobody states.
    let row = fetched.offer("ND96isr_R200_v7/eastus");
    let hardware = &row.hardware;
    assert_eq!((hardware.gpu, hardware.gpus, hardware.vram), (None, None, None));
    assert_eq!(hardware.gpu_raw.as_str(), "Standard_ND96isr_R200_v7");
    assert_eq!(on_demand(row), Some(120.0));
    let report = fetched.outcome.unwrap();
    let names: Vec<(&str, usize)> =
        report.unknown_types.iter().map(|(name, rows)| (name.as_str(), *rows)).collect();
    assert_eq!(names, [("Standard_ND96isr_R200_v7", 1)], "and the retired M60 size is not");
    assert_eq!(report.rejected, [("a size that is retired", 1)]);
}

#[tokio::test]
async fn machines_without_a_gpu_and_other_accelerators_are_passed_over() {
    let server = Server::new(|asked: &Asked| {
        if asked.path != "/spot.json" {
            return Answer::status(403, "");
        }
        let size = |name: &str| json!({"size": name, "valueColumns": [{"name": "linux", "prices": {"USD": "1.5"}}]});
        let sizes: Vec<Value> =
            ["inf2.xlarge", "trn1.2xlarge", "dl1.24xlarge", "m5.large", "g9.xlarge", "g5.xlarge"]
                .map(size)
                .into();
        let regions = json!([{"region": "us-east-1", "instanceTypes": [{"type": "gpuCurrentGen", "sizes": sizes}]}]);
        Answer::json(json!({"config": {"regions": regions}}).to_string())
    });
    let fetched = fetch(Provider::Aws, &server, None).await;
    assert_eq!(fetched.keys(), ["g5.xlarge/us-east-1", "g9.xlarge/us-east-1"]);
    assert_eq!(fetched.offer("g9.xlarge/us-east-1").hardware.gpus, None);
    let unknown = fetched.outcome.unwrap().unknown_types;
    assert_eq!(unknown.len(), 1);
    assert_eq!(unknown[0].0.as_str(), "g9.xlarge");
}

#[tokio::test]
async fn one_region_that_cannot_be_read_does_not_end_the_list() {
    let server = Server::new(|asked: &Asked| {
        if asked.path != "/spot.json" {
            return Answer::status(404, "");
        }
        let size = json!({"size": "g5.xlarge", "valueColumns": [{"name": "linux", "prices": {"USD": "0.5"}}]});
        let region = |name: &str| json!({"region": name, "instanceTypes": [{"sizes": [size]}]});
        let broken = json!({"region": "ap-south-1", "instanceTypes": "soon"});
        let regions =
            json!([region("us-east-1"), broken, 7, region("ap-northeast-1"), region("zz-new-1")]);
        Answer::json(json!({"config": {"regions": regions}}).to_string())
    });
    let fetched = fetch(Provider::Aws, &server, None).await;
    let keys = ["g5.xlarge/ap-northeast-1", "g5.xlarge/us-east-1", "g5.xlarge/zz-new-1"];
    assert_eq!(fetched.keys(), keys, "and a region that nobody knows yet is one");
    assert_eq!(fetched.offer("g5.xlarge/zz-new-1").place.country, None);
}

#[tokio::test]
async fn names_that_say_nothing_take_the_types_own_card() {
    let file = gpuhunt(
        "aws.csv",
        "p5en.48xlarge,us-east-1,63.296,192,2048,8,NVIDIA,141,False,,nvidia,,x86,{}\n\
         g5g.xlarge,us-east-1,0.42,4,8,1,T4g,16,False,,nvidia,,arm64,{}\n",
    );
    assert_eq!(card(of(&file, "p5en.48xlarge/us-east-1")), "H200");
    let arm = of(&file, "g5g.xlarge/us-east-1");
    assert!(arm.flags.has(Flags::ARM_HOST), "an x86 image does not start there");
}

#[tokio::test]
async fn a_figure_in_the_wrong_unit_is_unknown() {
    // Main memory in bytes, memory of the card in gigabytes where mebibytes belong.
    let file =
        gpuhunt("runpod.csv", "a,US-TX-1,0.34,8,45097156608,1,RTX4090,24,False,,nvidia,,x86,{}\n");
    assert_eq!(file.offers[0].hardware.ram, None);
    let server = vast(json!([ask(1, json!({"gpu_name": "A100 SXM4", "gpu_ram": 80}))]));
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    assert_eq!(card(&fetched.offers[0]), "?", "a card of 80 MiB is none that we know");
}

#[tokio::test]
async fn unknown_memory_is_unknown_not_zero() {
    let server = vast(json!([
        ask(1, json!({"gpu_name": "A100 SXM4", "gpu_ram": null})),
        ask(2, json!({"gpu_name": "A100 SXM4", "gpu_ram": 0})),
    ]));
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    for offer in &fetched.offers {
        assert_eq!((offer.hardware.vram, card(offer)), (None, "?"), "40 or 80 nobody knows");
    }
}

#[tokio::test]
async fn an_unknown_card_stays_a_row_under_its_own_name() {
    let server = vast(json!([ask(1, json!({"gpu_name": "RTX 7090 Ti", "gpu_ram": 40960}))]));
    let fetched = fetch(Provider::Vast, &server, Some(KEY)).await;
    let hardware = &fetched.offers[0].hardware;
    assert_eq!((hardware.gpu, hardware.gpu_raw.as_str()), (None, "RTX 7090 Ti"));
    assert_eq!(hardware.vram, Some(Gib::new(40.0)));
}

// What can be had, where, and since when.

#[test]
fn a_catalogue_never_says_that_something_can_be_had() {
    let file = gpuhunt(
        "lambdalabs.csv",
        "gpu_1x_h100_pcie,us-east-1,3.29,26,214.7,1,H100,80,False,1099,nvidia,,x86,{}\n\
         gpu_1x_h100_pcie,us-west-1,3.29,26,214.7,1,H100,80,False,1099,nvidia,,x86,{}\n",
    );
    for offer in &file.offers {
        assert_eq!(offer.availability, Availability::NotStated);
        assert_eq!((offer.origin.basis, offer.origin.fetched_at), (Basis::Listed, NOW));
    }
}

#[test]
fn a_new_region_of_a_list_is_a_row_with_its_own_code() {
    let file = gpuhunt(
        "azure.csv",
        "Standard_NC24ads_A100_v4,moonbase2,3.673,24,220,1,A100,80,False,,nvidia,,x86,{}\n",
    );
    let place = &file.offers[0].place;
    assert_eq!((place.raw.as_str(), place.country), ("moonbase2", None));
}

#[tokio::test]
async fn old_spot_prices_are_called_old() {
    let server = Server::new(|asked: &Asked| {
        if asked.path != "/spot.json" {
            return Answer::status(404, "");
        }
        let size = json!({"size": "g5.xlarge", "valueColumns": [{"name": "linux", "prices": {"USD": "0.5"}}]});
        let regions = json!([{"region": "us-east-1", "instanceTypes": [{"sizes": [size]}]}]);
        let file = Answer::json(json!({"config": {"regions": regions}}).to_string());
        file.with("Last-Modified", "Mon, 13 May 2024 10:00:00 GMT")
    });
    let fetched = fetch(Provider::Aws, &server, None).await;
    assert_eq!(fetched.offers[0].origin.fetched_at, UnixSeconds(1_715_594_400));
    let note = fetched.outcome.unwrap().coverage_note.unwrap();
    assert!(note.contains("the spot prices are more than a day old"), "{note}");
}

#[tokio::test]
async fn null_where_a_code_was_costs_nothing_else() {
    let server = Server::new(|asked: &Asked| {
        let stock = json!({"stockStatus": "High", "availableGpuCounts": null});
        if asked.body.contains("dataCenterId") {
            return Answer::json(
                json!({"data": {"gpuTypes": [{"id": "NVIDIA L4", "p0": stock}]}}).to_string(),
            );
        }
        let card = json!({"id": "NVIDIA L4", "displayName": null, "memoryInGb": 24, "secureCloud": true,
            "communityCloud": false, "securePrice": 0.39, "communityPrice": null,
            "maxGpuCountSecureCloud": 1, "secure": stock, "community": null});
        let data = json!({"gpuTypes": [card, null], "countryCodes": [null, "SE"],
            "dataCenters": [{"id": null, "listed": true}, {"id": "EU-RO-1", "listed": true}]});
        Answer::json(json!({"data": data}).to_string())
    });
    let fetched = fetch(Provider::Runpod, &server, None).await;
    assert_eq!(fetched.keys(), ["secure.EU-RO-1.NVIDIA_L4.x1"]);
    assert_eq!(on_demand(&fetched.offers[0]), Some(0.39));
}

#[tokio::test]
async fn rows_that_a_shifting_page_repeats_are_one_row() {
    let server = Server::new(|asked: &Asked| {
        let next = format!("http://{}/api/retail/prices?$skip=2", asked.header("host").unwrap());
        let (a, b, c) = (
            meter("NC24ads_A100_v4", "", 3.673, json!({})),
            meter("NC48ads_A100_v4", "", 7.346, json!({})),
            meter("NC96ads_A100_v4", "", 14.692, json!({})),
        );
        let (rows, next) = if asked.path.contains("skip") {
            (vec![b, c], json!(null))
        } else {
            (vec![a, b], json!(next))
        };
        Answer::json(json!({"Items": rows, "NextPageLink": next}).to_string())
    });
    let fetched = fetch(Provider::Azure, &server, None).await;
    assert_eq!(fetched.offers.len(), 3);
    assert!(fetched.offers.iter().all(|o| !o.flags.has(Flags::CONFLICTING)));
}

#[tokio::test]
async fn a_list_longer_than_we_follow_is_shown_as_far_and_said() {
    let server = Server::new(|asked: &Asked| {
        let at = asked.path.rsplit("skip=").next().and_then(|n| n.parse::<u32>().ok()).unwrap_or(0);
        let next =
            format!("http://{}/api/retail/prices?$skip={}", asked.header("host").unwrap(), at + 1);
        let row =
            meter("NC24ads_A100_v4", "", 3.673, json!({"armRegionName": format!("region{at}")}));
        Answer::json(json!({"Items": [row], "NextPageLink": next}).to_string())
    });
    let fetched = fetch(Provider::Azure, &server, None).await;
    assert_eq!(fetched.offers.len(), server.asked().len());
    let report = fetched.outcome.unwrap();
    assert_eq!(report.coverage, None, "how much is missing nobody knows");
    assert!(report.coverage_note.unwrap().contains("more would have followed"));
}
