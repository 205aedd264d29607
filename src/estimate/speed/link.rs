//! What a GPU can exchange with the others of its machine, in bytes per second.
//!
//! These are assumptions, not fits: published runs seldom say how the cards were joined. An
//! unknown link is taken for a usual rented board, and the band is stretched over what else it
//! might be.

use crate::gpu::Gpu;
use crate::offer::Link;
use crate::units::Range;

/// Part of the stated NVLink bandwidth (both directions) that collectives reach per GPU:
/// 230 of 600 GB/s on A100, 340 of 900 on H100.
const NVLINK_SHARE: f64 = 0.38;
/// Where a card is said to be joined by NVLink but its rate is not stated: A100's.
const NVLINK_USUAL: f64 = 600.0;
/// Sixteen lanes of generation 4 through the host.
const PCIE_FULL: f64 = 12e9;
/// What a usual rented board gives.
const PCIE_USUAL: f64 = 5e9;
/// Few lanes, old generation.
const PCIE_POOR: f64 = 2.7e9;

/// Slow, expected and fast rate of `link` between cards of `gpu`.
pub(crate) fn rate(link: Link, gpu: &Gpu) -> Range<f64> {
    let nvlink = gpu.nvlink.map_or(NVLINK_USUAL, crate::units::GbPerSecond::get);
    let nvlink = nvlink * 1e9 * NVLINK_SHARE;
    match link {
        Link::Nvlink => Range::exact(nvlink),
        // Boards of these kinds exist only with all cards joined.
        Link::Unknown if gpu.is_on_joined_board() => Range::exact(nvlink),
        Link::PcieFull => Range::new(PCIE_USUAL, PCIE_FULL, PCIE_FULL),
        Link::PcieSlow => Range::new(PCIE_POOR, PCIE_USUAL, PCIE_USUAL),
        Link::Unknown => Range::new(PCIE_POOR, PCIE_USUAL, PCIE_FULL),
    }
}
