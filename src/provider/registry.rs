//! All sources, out of the registry of providers ([`crate::offer`]).

use super::Source;
use crate::offer::Provider;

macro_rules! sources {
    ($($about:literal $provider:ident $module:ident [$($other:literal),*];)*) => {
        /// Every source, in the order in which they are started and listed.
        static SOURCES: &[&dyn Source] = &[$(&super::$module::$provider),*];
    };
}
crate::offer::each_provider!(sources);

/// Every source.
pub fn registry() -> &'static [&'static dyn Source] {
    SOURCES
}

/// The source of a provider.
pub fn source(provider: Provider) -> Option<&'static dyn Source> {
    SOURCES.iter().copied().find(|s| s.profile().provider == provider)
}
