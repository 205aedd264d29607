//! What differs from provider to provider besides the prices: how long a machine takes to come up,
//! from when it is billed, and what is left after an interruption.

use crate::offer::{Basis, Provider};
use crate::units::{Gb, HOURS_PER_MONTH, HOURS_PER_TWELFTH, Hours, Range};

/// What of the start is not billed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Free {
    /// Everything is billed from the launch.
    Nothing,
    /// Until the machine passes its checks.
    Boot,
    /// Until the container runs.
    BootAndImage,
}

/// The terms of a provider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// From the launch call until the machine runs, image pull left out.
    pub(crate) boot: Range<Hours>,
    /// What the boot time rests on.
    pub(crate) boot_basis: Basis,
    /// What of the start is free.
    pub(crate) free: Free,
    /// A begun one of these is billed in full; zero where time is billed as it passes.
    pub(crate) step: Hours,
    /// The hours by which a monthly fee for disk becomes an hourly one.
    pub(crate) month: Hours,
    /// The disk survives an interruption; otherwise everything is fetched again.
    pub(crate) keeps_disk: bool,
    /// The smallest disk that can be rented.
    pub(crate) least_disk: Gb,
}

const fn minutes(low: f64, expected: f64, high: f64) -> Range<Hours> {
    Range::new(Hours::from_minutes(low), Hours::from_minutes(expected), Hours::from_minutes(high))
}

const PLAIN: Terms = Terms {
    // No figure is published for Lambda, TensorDock and Vultr.
    boot: minutes(3.0, 6.0, 10.0),
    boot_basis: Basis::Assumed,
    free: Free::Nothing,
    step: Hours::ZERO,
    month: Hours::new(HOURS_PER_MONTH),
    keeps_disk: false,
    least_disk: Gb::ZERO,
};

/// Vast.ai: docs of August 2026 say 1 to 5 minutes; GPU time is not billed while an instance is
/// "loading"; an outbid instance is paused and keeps its disk; a disk has 8 GB at least.
const VAST: Terms = Terms {
    boot: minutes(1.0, 3.0, 5.0),
    boot_basis: Basis::Listed,
    free: Free::BootAndImage,
    keeps_disk: true,
    least_disk: Gb::new(8.0),
    ..PLAIN
};

/// RunPod: docs of August 2026 say that a pod takes 2 to 5 minutes.
const RUNPOD: Terms = Terms { boot: minutes(2.0, 3.5, 5.0), boot_basis: Basis::Listed, ..PLAIN };

/// Lambda: billed from passing health checks, in increments of a minute (billing page).
const LAMBDA: Terms = Terms { free: Free::Boot, step: Hours::from_minutes(1.0), ..PLAIN };

/// TensorDock: an outbid machine keeps its storage (docs on spot instances); its hourly rate for disk
/// is that of 730 hours; disks begin at 100 GB (API pages).
const TENSORDOCK: Terms = Terms {
    keeps_disk: true,
    month: Hours::new(HOURS_PER_TWELFTH),
    least_disk: Gb::new(100.0),
    ..PLAIN
};

/// Vultr: billed by the hour (docs of September 2025).
const VULTR: Terms = Terms { step: Hours::new(1.0), ..PLAIN };

/// The three large clouds convert a month of disk by 730 hours.
const CLOUD: Terms =
    Terms { boot_basis: Basis::Measured, month: Hours::new(HOURS_PER_TWELFTH), ..PLAIN };

/// AWS: 2:17 to 2:42 minutes measured through SkyPilot (2022).
const AWS: Terms = Terms { boot: minutes(2.0, 2.5, 5.0), ..CLOUD };

/// Azure: 350 seconds measured through SkyPilot (June 2024).
const AZURE: Terms = Terms { boot: minutes(4.0, 6.0, 10.0), ..CLOUD };

/// Google Cloud: 2:40 to 3:02 minutes measured through SkyPilot (2022).
const GCP: Terms = Terms { boot: minutes(2.5, 3.0, 5.0), ..CLOUD };

impl Terms {
    /// The disk that is rented, and paid for, where `wanted` is asked for.
    pub(crate) fn disk(&self, wanted: Gb) -> Gb {
        wanted.max(self.least_disk)
    }

    /// The terms of `provider`.
    pub(crate) const fn of(provider: Provider) -> &'static Terms {
        match provider {
            Provider::Vast => &VAST,
            Provider::Runpod => &RUNPOD,
            Provider::Lambda => &LAMBDA,
            Provider::Tensordock => &TENSORDOCK,
            Provider::Vultr => &VULTR,
            Provider::Aws => &AWS,
            Provider::Azure => &AZURE,
            Provider::Gcp => &GCP,
            #[allow(unreachable_patterns, reason = "for providers that are added")]
            _ => &PLAIN,
        }
    }
}
