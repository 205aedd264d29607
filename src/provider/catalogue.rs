//! Price catalogues as plain CSV files, in gpuhunt's and in SkyPilot's form: which form, whose
//! prices, and what each column means there.

use super::gpuhunt::{self, Item, Listing};
use super::{FetchError, listed, skypilot};
use crate::offer::{Offer, Provider};
use crate::units::UnixSeconds;

/// What a catalogue file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    /// Whose prices.
    pub provider: Provider,
    /// The offers: listed, never live.
    pub offers: Vec<Offer>,
    /// Rows that could not be used, by reason.
    pub rejected: Vec<(&'static str, usize)>,
}

/// Reads the catalogue file `name`, which was made at `made`. Whose prices it holds is told by its
/// name (`aws.csv`) or by how its machine types are called.
///
/// # Errors
/// [`FetchError::Unreadable`] when it is of another form or of nobody that we know;
/// [`FetchError::Empty`] when it holds no offers.
pub fn read(bytes: &[u8], name: &str, made: UnixSeconds) -> Result<Catalogue, FetchError> {
    let first = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
    let head = String::from_utf8_lossy(first);
    let has = |column: &str| head.split(',').any(|c| c.trim().trim_matches('"') == column);
    let (provider, listing, source) = if has("instance_name") {
        let listing = gpuhunt::read(bytes)?;
        let provider = named(name).or_else(|| told(&listing.items)).ok_or_else(nobody)?;
        (provider, listing, "gpuhunt catalogue file")
    } else if has("InstanceType") {
        let (provider, listing) = skypilot::read(bytes)?;
        (provider, listing, "SkyPilot catalogue file")
    } else {
        let columns = "its first line names neither gpuhunt's nor SkyPilot's columns";
        return Err(FetchError::Unreadable(columns.to_string()));
    };
    let Listing { items, mut rejected, .. } = listing;
    let (offers, reserved) = listed::offers(provider, &items, made, source);
    if reserved > 0 {
        rejected.push(("a reservation product or a preview", reserved));
    }
    if offers.is_empty() {
        return Err(FetchError::Empty);
    }
    Ok(Catalogue { provider, offers, rejected })
}

fn nobody() -> FetchError {
    FetchError::Unreadable(
        "whose prices are these? name the file after the provider: aws.csv, gcp.csv, …".to_string(),
    )
}

/// The provider that a file is named after.
fn named(name: &str) -> Option<Provider> {
    let stem = name.rsplit(['/', '\\']).next()?.split('.').next()?;
    match stem {
        "lambdalabs" => Some(Provider::Lambda),
        "vastai" => Some(Provider::Vast),
        stem => Provider::from_name(stem),
    }
}

/// The provider whose machine types are called like these.
fn told(items: &[Item]) -> Option<Provider> {
    items.iter().find_map(|item| skypilot::provider_of(&item.instance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::catalogue;
    use crate::offer::Availability;
    use crate::units::{Gib, UsdPerHour};

    const MADE: UnixSeconds = UnixSeconds(1);

    fn of<'a>(catalogue: &'a Catalogue, key: &str) -> &'a Offer {
        let keys: Vec<&str> = catalogue.offers.iter().map(|o| o.key.as_str()).collect();
        catalogue
            .offers
            .iter()
            .find(|o| o.key.as_str() == key)
            .unwrap_or_else(|| panic!("{keys:?}"))
    }

    type Figures = (&'static str, f64, Option<f64>, Option<f64>, Option<f64>);

    /// Card, count, GiB of one, on demand, spot.
    fn figures(offer: &Offer) -> Figures {
        let card = offer.hardware.gpu.and_then(|id| catalogue().get(id)).map_or("?", |g| g.name);
        let price = offer.price;
        (
            card,
            offer.hardware.gpus.unwrap(),
            offer.hardware.vram.map(Gib::get),
            price.on_demand.map(UsdPerHour::get),
            price.spot.map(UsdPerHour::get),
        )
    }

    #[test]
    fn gpuhunts_file_is_of_whom_its_name_says() {
        let csv = b"instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data\n\
            p5.48xlarge,us-east-1,55.04,192,2048,8,H100,80,False,,nvidia,,x86,{}\n";
        let file = read(csv, "/home/me/aws.csv", MADE).unwrap();
        assert_eq!(file.provider, Provider::Aws);
        let figures = figures(of(&file, "p5.48xlarge/us-east-1"));
        assert_eq!(figures, ("H100 SXM", 8.0, Some(80.0), Some(55.04), None));
        assert_eq!(read(csv, "catalog.csv", MADE).unwrap().provider, Provider::Aws);
        assert!(read(b"a,b\n1,2\n", "x.csv", MADE).is_err());
    }

    #[test]
    fn skypilots_aws_rows_of_several_zones_are_one_offer_at_the_lowest_spot_price() {
        let info =
            "\"{'Gpus': [{'Name': 'A100', 'Count': 8, 'MemoryInfo': {'SizeInMiB': 40960}}]}\"";
        let csv = format!(
            "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone,Arch\n\
             p4d.24xlarge,A100,8.0,96.0,1152.0,{info},30.09784,30.097800,ap-northeast-1,apne1-az1,x86_64\n\
             p4d.24xlarge,A100,8.0,96.0,1152.0,{info},30.09784,7.520500,ap-northeast-1,apne1-az4,x86_64\n\
             p5e.48xlarge,H200,8.0,192.0,2048.0,,,18.7,us-west-2,usw2-az1,x86_64\n\
             p5e.48xlarge,H200,8.0,192.0,2048.0,,,,us-west-2,usw2-az2,x86_64\n"
        );
        let file = read(csv.as_bytes(), "vms.csv", MADE).unwrap();
        let tokyo = figures(of(&file, "p4d.24xlarge/ap-northeast-1"));
        assert_eq!(tokyo, ("A100 SXM 40GB", 8.0, Some(40.0), Some(30.09784), Some(7.5205)));
        let spot_only = figures(of(&file, "p5e.48xlarge/us-west-2"));
        assert_eq!(spot_only, ("H200", 8.0, Some(141.0), None, Some(18.7)));
    }

    #[test]
    fn skypilots_google_machine_costs_host_and_cards_together_or_is_unknown() {
        let csv = "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice\n\
            a2-highgpu-1g,12.0,85.0,,,,asia-northeast1,asia-northeast1-a,0.94803,0.47407\n\
            ,,,A100,1,{'Gpus': [{'MemoryInfo': {'SizeInMiB': 40960}}]},asia-northeast1,asia-northeast1-a,2.933908,1.1\n\
            a2-highgpu-2g,24.0,170.0,,,,asia-northeast1,asia-northeast1-a,1.89606,0.94814\n\
            ,,,H100,8,{'Gpus': [{'MemoryInfo': {'SizeInMiB': 81920}}]},us-central1,us-central1-a,33.60608,24.0\n\
            a3-highgpu-8g,208,1872,,,,us-central1,us-central1-a,9.46,4.0\n";
        let file = read(csv.as_bytes(), "gcp.csv", MADE).unwrap();
        let whole = figures(of(&file, "a2-highgpu-1g/asia-northeast1-a"));
        assert_eq!((whole.0, whole.1), ("A100 SXM 40GB", 1.0));
        assert!((whole.3.unwrap() - 3.881_938).abs() < 1e-9, "never the host without its card");
        let keys: Vec<&str> = file.offers.iter().map(|o| o.key.as_str()).collect();
        assert!(!keys.contains(&"a2-highgpu-2g/asia-northeast1-a"), "a host without its cards");
        // 33.6 $ for eight H100 is a reservation product's price that the catalogue took by mistake.
        assert_eq!(figures(of(&file, "a3-highgpu-8g/us-central1-a")).3, None);
    }

    #[test]
    fn memory_is_per_card_whatever_the_column_holds() {
        let runpod = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Region,SpotPrice,Price,AvailabilityZone,GpuInfo\n\
            2x_A100-80GB_SECURE,A100-80GB,2.0,16.0,234.0,IN,2.78,2.78,AP-IN-1,\"{'Gpus': [{'Name': 'A100 PCIe', 'MemoryInfo': {'SizeInMiB': 80}}]}\"\n";
        let file = read(runpod.as_bytes(), "vms.csv", MADE).unwrap();
        let pod = figures(of(&file, "2x_A100-80GB_SECURE/AP-IN-1"));
        assert_eq!((pod.1, pod.2, pod.3, pod.4), (2.0, Some(80.0), Some(2.78), None));
        let vast = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region\n\
            2x-RTX_5090-32-65536,RTX5090,2,32,64.0,\"{'Gpus': [{'Name': 'RTX5090', 'Count': 2, 'MemoryInfo': {'SizeInMiB': 65214}}]}\",0.88,0.00,\"Denmark, DK, EU\"\n";
        let file = read(vast.as_bytes(), "vms.csv", MADE).unwrap();
        let offer = of(&file, "2x-RTX_5090-32-65536/Denmark, DK");
        let pair = figures(offer);
        assert_eq!((pair.0, pair.1, pair.4), ("RTX 5090", 2.0, None));
        assert!((pair.2.unwrap() - 31.843).abs() < 1e-3);
        assert_eq!(offer.place.country.unwrap().code(), "DK");
        let lambda = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n\
            gpu_8x_v100_n,V100,8.0,88.0,448.0,6.32,europe-central-1,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 16384}}]}\",\n";
        let file = read(lambda.as_bytes(), "vms.csv", MADE).unwrap();
        assert_eq!(figures(of(&file, "gpu_8x_v100_n/europe-central-1")).2, Some(16.0));
    }

    /// Catalogues say `H100` or `A100` for every kind of board, `RTX4060` for a 4060 Ti.
    #[test]
    fn the_kind_of_a_card_that_a_catalogue_drops_comes_from_the_machine_type() {
        let head = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n";
        for (line, card) in [
            ("gpu_1x_h100_pcie,H100,1,26,200,3.29,us-west-1,{'SizeInMiB': 81920},", "H100 PCIe"),
            ("gpu_1x_h100_sxm5,H100,1,26,200,4.29,us-west-1,{'SizeInMiB': 81920},", "H100 SXM"),
            ("gpu_1x_a100,A100,1,30,200,1.99,us-west-1,{'SizeInMiB': 40960},", "A100 PCIe 40GB"),
            ("1x-A100_PCIE-32-65536,A100,1,32,64,0.9,X,{'SizeInMiB': 81920},", "A100 PCIe 80GB"),
            ("1x-H100_NVL-32-65536,H100,1,32,64,2.1,X,{'SizeInMiB': 95830},", "H100 NVL"),
            (
                "4x-RTX_4060_Ti-32-65536,RTX4060,4,32,64,0.4,X,{'SizeInMiB': 65520},",
                "RTX 4060 Ti 16GB",
            ),
            (
                "4x-RTX_4070S_Ti-32-65536,RTX4070,4,32,64,0.4,X,{'SizeInMiB': 65504},",
                "RTX 4070 Ti SUPER",
            ),
            (
                "1x_A100-80GB_SECURE,A100-80GB,1,8,117,1.39,IN,\"{'Name': 'A100 PCIe', 'SizeInMiB': 80}\",",
                "A100 PCIe 80GB",
            ),
        ] {
            let file = read(format!("{head}{line}\n").as_bytes(), "vms.csv", MADE).unwrap();
            assert_eq!(figures(&file.offers[0]).0, card, "{line}");
        }
        let gpuhunt = b"instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data\n\
            NVIDIA H100 PCIe,EU-RO-1,2.39,16,188,1,H100,80,False,,nvidia,,x86,{}\n";
        let file = read(gpuhunt, "runpod.csv", MADE).unwrap();
        assert_eq!(figures(&file.offers[0]).0, "H100 PCIe");
    }

    #[test]
    fn azures_fraction_is_no_whole_card() {
        let csv = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,Generation\n\
            Standard_NV6ads_A10_v5,A10,0.167,6,55,A10,0.454,0.084,eastus,V2\n\
            Standard_NV4as_v4,MI25,1,4,14,MI25,0.233,0.04,eastus,V1\n\
            Standard_NC6s_v3,V100,1,6,112,V100,3.06,0.56,eastus,V1\n";
        let file = read(csv.as_bytes(), "vms.csv", MADE).unwrap();
        let slice = figures(of(&file, "Standard_NV6ads_A10_v5/eastus"));
        assert_eq!((slice.2, slice.3, slice.4), (Some(4.0), Some(0.454), Some(0.084)));
        assert!(slice.1 < 0.17);
        // The column says one card for an eighth of one.
        let eighth = figures(of(&file, "Standard_NV4as_v4/eastus"));
        assert_eq!((eighth.0, eighth.1, eighth.2), ("MI25", 0.125, Some(2.0)));
        let available = |key: &str| of(&file, key).availability;
        assert_eq!(available("Standard_NC6s_v3/eastus"), Availability::No, "retired, still priced");
        assert_eq!(available("Standard_NV6ads_A10_v5/eastus"), Availability::NotStated);
    }

    #[test]
    fn real_catalogues_are_read_whole_where_they_lie_at_hand() {
        for (file, least) in [
            ("azure_vms", 700),
            ("gcp_vms", 300),
            ("lambda_vms", 300),
            ("vast_vms", 30),
            ("aws_vms_part", 30),
        ] {
            let Some(path) = crate::shared(&format!("providers/samples/skypilot/{file}.csv"))
            else {
                eprintln!("skipped: no reference material here");
                return;
            };
            let bytes = std::fs::read(path).unwrap();
            let catalogue = read(&bytes, file, MADE).unwrap();
            assert!(catalogue.offers.len() >= least, "{file}: {}", catalogue.offers.len());
            for offer in &catalogue.offers {
                let price = offer.price.on_demand.or(offer.price.spot).unwrap().get();
                assert!(price > 0.0 && price < 1000.0, "{offer:?}");
                assert!(offer.hardware.vram.is_none_or(|v| v.get() <= 300.0), "{offer:?}");
            }
        }
    }
}
