//! All sources. Adding a provider adds one line here.

use super::Source;
use crate::offer::Provider;

/// Every source, in the order in which they are started and listed.
#[rustfmt::skip]
static SOURCES: &[&dyn Source] = &[
    &super::vast::Vast,
    &super::runpod::Runpod,
    &super::lambda::Lambda,
    &super::tensordock::Tensordock,
    &super::vultr::Vultr,
    &super::aws::Aws,
    &super::azure::Azure,
    &super::gcp::Gcp,
];

/// Every source.
pub fn registry() -> &'static [&'static dyn Source] {
    SOURCES
}

/// The source of a provider.
pub fn source(provider: Provider) -> Option<&'static dyn Source> {
    SOURCES.iter().copied().find(|s| s.profile().provider == provider)
}
