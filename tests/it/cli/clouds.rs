//! The launch commands of the big clouds, run by their own programs against a server on this machine:
//! what arrives there is what the offer and the setup imply. Skipped, visibly, where a program is not
//! installed; Azure's asks for an account as soon as it has understood the command.

use super::House;
use super::tools::{rentable, request, tool};
use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// First line and body of each request.
type Heard = Arc<Mutex<Vec<(String, String)>>>;

/// Answers every request with `reply`, and remembers it.
fn recorder(reply: &'static str) -> (String, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let heard = Heard::default();
    let kept = heard.clone();
    let reply = reply.replace("@URL@", &address);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (kept, reply) = (kept.clone(), reply.clone());
            std::thread::spawn(move || converse(&stream, &reply, &kept));
        }
    });
    (address, heard)
}

fn converse(stream: &TcpStream, reply: &str, kept: &Heard) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut writer = stream;
    loop {
        kept.lock().unwrap().push(request(&mut reader)?);
        let kind = if reply.starts_with('<') { "text/xml" } else { "application/json" };
        write!(
            writer,
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{reply}",
            reply.len()
        )
        .ok()?;
    }
}

/// The exported script of `id`, with `more` behind its last line.
fn script(house: &House, id: &str, target: &str, pricing: &str, more: &str) -> String {
    let market = house.market(rentable());
    let words = ["export", id, "--as", target, "--pricing", pricing, "--disk", "150GB"];
    let ran = house.on(&market, &words);
    assert_eq!(ran.code, 0, "{ran:?}");
    let home = house.path("home");
    std::fs::create_dir_all(&home).unwrap();
    format!("export HOME={}\n{} {more}\n", home.display(), ran.out.trim_end())
}

#[test]
fn amazons_own_program_sends_what_the_offer_implies() {
    let Some((true, _)) = tool("aws", &["--version"], "") else { return };
    let house = House::new();
    for pricing in ["on-demand", "spot"] {
        let (url, heard) = recorder(
            "<RunInstancesResponse><reservationId>r</reservationId><instancesSet/></RunInstancesResponse>",
        );
        let more = format!("--endpoint-url {url} --no-sign-request --output json");
        let script = script(&house, "aws:a", "aws", pricing, &more);
        let (good, said) = tool("sh", &["-e"], &format!("AWS_KEY_NAME=mine\n{script}")).unwrap();
        assert!(good, "{said}\n{script}");
        let heard = heard.lock().unwrap();
        let body = &heard.iter().find(|(_, body)| body.contains("RunInstances")).unwrap().1;
        let mut wanted = vec![
            "InstanceType=g5.2xlarge",
            "KeyName=mine",
            "MinCount=1",
            "MaxCount=1",
            // 150 GB are 139.7 GiB.
            "BlockDeviceMapping.1.Ebs.VolumeSize=140",
            "BlockDeviceMapping.1.Ebs.DeleteOnTermination=true",
            "InstanceInitiatedShutdownBehavior=terminate",
            "TagSpecification.1.Tag.1.Value=haggle-meta-llama-3-8b-qlora",
        ];
        let spot = "InstanceMarketOptions.MarketType=spot";
        if pricing == "spot" {
            wanted.push(spot);
        } else {
            assert!(!body.contains(spot), "{body}");
        }
        for field in wanted {
            assert!(body.split('&').any(|f| f == field), "no {field} in {body}");
        }
    }
}

#[test]
fn googles_own_program_sends_what_the_offer_implies() {
    let Some((true, _)) = tool("gcloud", &["--version"], "") else { return };
    let house = House::new();
    let (url, heard) = recorder(
        r#"{"kind":"compute#operation","name":"o","status":"DONE","selfLink":"@URL@/compute/v1/projects/p/zones/us-central1-a/operations/o","targetLink":"x"}"#,
    );
    let script = script(&house, "gcp:a", "gcloud", "spot", "--async");
    let token = house.write("token", "none\n");
    let folder = house.path("gcloud");
    let before = format!(
        "export CLOUDSDK_CONFIG={} CLOUDSDK_CORE_PROJECT=p CLOUDSDK_CORE_DISABLE_PROMPTS=1 CLOUDSDK_AUTH_ACCESS_TOKEN_FILE={} CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE={url}/compute/v1/\n",
        folder.display(),
        token.display()
    );
    let (good, said) = tool("sh", &["-e"], &format!("{before}{script}")).unwrap();
    assert!(good, "{said}\n{script}");
    let heard = heard.lock().unwrap();
    let (line, body) = heard.iter().find(|(line, _)| line.starts_with("POST")).unwrap();
    assert!(line.contains("/zones/us-central1-a/instances"), "{line}");
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert!(body["machineType"].as_str().unwrap().ends_with("/a2-highgpu-1g"), "{body}");
    assert_eq!(body["name"], "haggle-meta-llama-3-8b-qlora");
    assert_eq!(body["disks"][0]["initializeParams"]["diskSizeGb"], "140");
    assert_eq!(body["disks"][0]["autoDelete"], true);
    assert_eq!(body["scheduling"]["provisioningModel"], "SPOT");
    assert_eq!(body["scheduling"]["instanceTerminationAction"], "DELETE");
    assert_eq!(body["scheduling"]["onHostMaintenance"], "TERMINATE");
}

#[test]
fn azures_own_program_understands_the_command() {
    let Some((true, _)) = tool("az", &["version"], "") else { return };
    let house = House::new();
    for pricing in ["on-demand", "spot"] {
        let script = script(&house, "azure:a", "az", pricing, "");
        let folder = house.path("az");
        let before =
            format!("AZURE_RESOURCE_GROUP=g\nexport AZURE_CONFIG_DIR={}\n", folder.display());
        let (good, said) = tool("sh", &["-e"], &format!("{before}{script}")).unwrap();
        // What it does not understand, it says before it asks who is there.
        assert!(!good && said.contains("az login"), "{said}\n{script}");
    }
}
