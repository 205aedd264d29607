//! What follows from the setup alone: bytes to move and to keep, and hours that no offer changes.

use crate::setup::{Framework, Method, Optimizer, Precision, Setup, Target};
use crate::units::{Gb, Hours, Mbps, PerHour, Range, UsdPerGb, UsdPerGbMonth};

/// Mbit/s that a model hub delivers when nobody says otherwise: Vast.ai's documentation times
/// fetches of 16 to 80 GB at 0.3 to 1.3 Gbit/s.
pub(crate) const HUB: Mbps = Mbps::new(800.0);
/// Mbit/s that an image registry delivers at most. Assumed.
pub(crate) const REGISTRY: Mbps = Mbps::new(1000.0);
/// Download speed to reckon with where none is stated, slow to fast. Assumed.
pub(crate) const DOWNLOAD: Range<Mbps> =
    Range::new(Mbps::new(100.0), Mbps::new(500.0), Mbps::new(1000.0));
/// Upload speed to reckon with where none is stated, slow to fast. Assumed.
pub(crate) const UPLOAD: Range<Mbps> =
    Range::new(Mbps::new(50.0), Mbps::new(200.0), Mbps::new(1000.0));
/// A stated speed is a past test; on a bad day half of it comes through. Assumed.
pub(crate) const BAD_DAY: f64 = 0.5;
/// Logging and waiting for data, as a factor on pure training time. From published runs.
pub(crate) const LOADER: f64 = 1.05;
/// Training time that evaluation adds when nobody says otherwise. Assumed.
pub(crate) const EVALUATION: f64 = 0.03;
/// Hours until somebody ends the finished machine. Assumed.
pub(crate) const IDLE: Range<Hours> =
    Range::new(Hours::ZERO, Hours::from_minutes(15.0), Hours::new(1.0));
/// Interruptions per hour to reckon with at worst where nobody knows: public traces of contended
/// cards (AWS, 2020 to 2023) lie between 0.1 and 1.4, and a mean life of two hours among them.
pub(crate) const UNKNOWN_HAZARD: PerHour = PerHour::new(0.5);

/// Seconds to start the trainer: imports, CUDA, first step. Assumed.
const START_SECONDS: f64 = 60.0;
/// GB per second from disk to GPU. Assumed.
const LOAD_RATE: f64 = 1.0;
/// Seconds of a save before any byte is written. Assumed.
const SAVE_SECONDS: f64 = 5.0;
/// GB per second to disk: 100 GB in about four minutes.
const SAVE_RATE: f64 = 0.4;
/// Checkpoints on the disk at once: the last one, and the one being written.
const KEPT: f64 = 2.0;
/// An image takes this many times its download once unpacked.
const UNPACKED: f64 = 2.0;
/// A data set is downloaded and kept a second time as the trainer's cache.
const DATA_COPIES: f64 = 2.0;
/// The weights lie in the hub's cache, and a merged or converted copy is written at the end.
const WEIGHT_COPIES: f64 = 2.0;
/// Logs, packages, temporary files.
const SPARE: f64 = 5.0;

/// What follows from the setup alone: bytes to move, disk to rent, hours that do not depend on the
/// offer. Computed once per change of the setup.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Disk to rent.
    pub disk: Gb,
    /// Disk that the job needs: twice the weights, the image unpacked, the data set twice, two
    /// checkpoints and 5 GB, rounded up to 10.
    pub disk_needed: Gb,
    /// Container image, compressed.
    pub image: Gb,
    /// Weights to fetch: 16 bits each, whatever they are quantised to afterwards.
    pub weights: Gb,
    /// Data set to fetch.
    pub data: Gb,
    /// Result to bring home: adapters, or all weights in 16 bits.
    pub result: Gb,
    /// A checkpoint from which training can go on: trained weights and optimizer states.
    pub checkpoint: Gb,
    /// Tokens to train on, all epochs.
    pub tokens: f64,
    /// Hours to start the trainer and load the weights.
    pub load: Hours,
    /// Hours to write a checkpoint.
    pub save: Hours,
    /// Hours between checkpoints.
    pub interval: Hours,
    /// Training time that evaluation adds.
    pub evaluation: f64,
    /// Hours until somebody ends the finished machine.
    pub idle: Range<Hours>,
    /// What the model hub delivers at most.
    pub hub: Mbps,
    /// Boot time that the user gave.
    pub boot: Option<Hours>,
    /// Interruptions per hour that the user gave.
    pub hazard: Option<PerHour>,
    /// Price of traffic out that the user gave.
    pub egress: Option<UsdPerGb>,
    /// Price of traffic in that the user gave.
    pub ingress: Option<UsdPerGb>,
    /// Price of disk that the user gave.
    pub storage: Option<UsdPerGbMonth>,
    /// Network speeds that the user gave, in and out.
    pub network: [Option<Mbps>; 2],
}

impl Job {
    /// What follows from `setup` alone.
    pub fn new(setup: &Setup) -> Self {
        let given = &setup.assume;
        let params = setup.model.params as f64;
        let weights = Gb::new(2.0 * params / 1e9);
        let (result, checkpoint) = saved(setup, params);
        let needed = disk_needed(setup, weights, checkpoint);
        Self {
            disk: setup.disk.unwrap_or(needed),
            disk_needed: needed,
            image: setup.image,
            weights,
            data: setup.dataset,
            result,
            checkpoint,
            tokens: setup.tokens.get() * setup.epochs,
            load: Hours::from_seconds(START_SECONDS + weights.get() / LOAD_RATE),
            save: Hours::from_seconds(SAVE_SECONDS + checkpoint.get() / SAVE_RATE),
            interval: setup.checkpoint_every,
            evaluation: given.eval_share.unwrap_or(EVALUATION),
            idle: given.idle_hours.map_or(IDLE, |h| Range::exact(Hours::new(h))),
            hub: given.hub_mbps.map_or(HUB, Mbps::new),
            boot: given.boot_hours.map(Hours::new),
            hazard: given.hazard_per_hour.map(PerHour::new),
            egress: given.egress_usd_per_gb.map(UsdPerGb::new),
            ingress: given.ingress_usd_per_gb.map(UsdPerGb::new),
            storage: given.storage_usd_per_gb_month.map(UsdPerGbMonth::new),
            network: [given.download_mbps.map(Mbps::new), given.upload_mbps.map(Mbps::new)],
        }
    }

    /// Everything that is fetched: image, weights, data.
    pub fn fetched(&self) -> Gb {
        self.image + self.weights + self.data
    }
}

fn disk_needed(setup: &Setup, weights: Gb, checkpoint: Gb) -> Gb {
    let gb = WEIGHT_COPIES * weights.get()
        + UNPACKED * setup.image.get()
        + DATA_COPIES * setup.dataset.get()
        + KEPT * checkpoint.get()
        + SPARE;
    Gb::new((gb / 10.0).ceil() * 10.0)
}

/// Size of the result, and of a checkpoint.
fn saved(setup: &Setup, params: f64) -> (Gb, Gb) {
    let trained = if setup.method == Method::Full { params } else { adapters(setup) };
    let bytes = match (setup.method, setup.precision, setup.framework) {
        (Method::Full, Precision::Fp32Master, _) => 4.0,
        (Method::Full, ..) | (_, _, Framework::Torchtune) => 2.0,
        // PEFT keeps adapters in fp32.
        _ => 4.0,
    };
    let result = if setup.method == Method::Full { 2.0 } else { bytes };
    let states = match setup.optimizer {
        Optimizer::Adamw => 2.0 * bytes,
        Optimizer::Adamw8bit | Optimizer::PagedAdamw8bit => 2.0,
        // Adafactor keeps a row and a column per matrix: next to nothing.
        Optimizer::Adafactor | Optimizer::Sgd => 0.0,
    };
    (Gb::new(trained * result / 1e9), Gb::new(trained * (bytes + states) / 1e9))
}

/// Parameters of the adapters: r·(inputs + outputs) of every linear layer that carries one.
fn adapters(setup: &Setup) -> f64 {
    let (Some(lora), Ok(arch)) = (&setup.lora, &setup.model.architecture) else { return 0.0 };
    let (h, q, k) = (f64::from(arch.hidden), arch.q_width() as f64, arch.kv_width() as f64);
    let (f, copies) = arch.experts.map_or((f64::from(arch.intermediate), 1.0), |e| {
        (f64::from(e.intermediate), f64::from(e.count))
    });
    let sides = |target: Target| match target {
        Target::Q | Target::O => h + q,
        Target::K | Target::V => h + k,
        Target::Gate if !arch.gated_mlp => 0.0,
        Target::Gate | Target::Up | Target::Down => copies * (h + f),
    };
    let all = [Target::Q, Target::K, Target::V, Target::O, Target::Gate, Target::Up, Target::Down];
    let per_layer: f64 = all.into_iter().filter(|t| lora.targets.has(*t)).map(sides).sum();
    f64::from(lora.rank) * f64::from(arch.layers) * per_layer
}
