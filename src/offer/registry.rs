//! The providers: one line each. Whatever lists them all is made of these lines: the type and its
//! names here, the sources that are asked (`provider::registry`), the words of the query.

use serde::{Deserialize, Serialize};

/// The registry: what a provider is, its type and its source's, the module of its source, whose name
/// is that of queries, ids and JSON; and other names that people write. In the order in which they are
/// started and listed; new ones at the end, because saved markets number them (sixteen at most).
macro_rules! each_provider {
    ($make:ident) => {
        $make! {
            "Vast.ai, a market of other people's machines." Vast vast ["vast.ai", "vastai"];
            "RunPod." Runpod runpod ["runpod.io"];
            "Lambda." Lambda lambda ["lambdalabs", "lambda-labs"];
            "TensorDock." Tensordock tensordock [];
            "Vultr." Vultr vultr [];
            "Amazon Web Services." Aws aws ["amazon", "ec2"];
            "Microsoft Azure." Azure azure ["microsoft"];
            "Google Cloud." Gcp gcp ["google", "gce"];
        }
    };
}
pub(crate) use each_provider;

macro_rules! names {
    ($($about:literal $provider:ident $module:ident [$($other:literal),*];)*) => {
        /// A provider of GPUs.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(rename_all = "lowercase")]
        pub enum Provider {
            $(#[doc = $about] $provider,)*
        }

        impl Provider {
            /// All of them, in the order in which they are listed.
            pub const ALL: [Provider; [$($about),*].len()] = [$(Provider::$provider),*];

            /// The name used in queries, ids and JSON, and the other names that people write.
            pub const NAMES: [(&'static str, &'static [&'static str]); Self::ALL.len()] =
                [$((stringify!($module), &[$($other),*])),*];

            /// The name used in queries, ids and JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Provider::$provider => stringify!($module),)*
                }
            }
        }
    };
}
each_provider!(names);

impl Provider {
    /// The provider of that name.
    pub fn from_name(name: &str) -> Option<Provider> {
        Provider::ALL.into_iter().find(|p| p.name().eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_has_one_name_everywhere() {
        let mut words = std::collections::HashSet::new();
        for (provider, (name, others)) in Provider::ALL.into_iter().zip(Provider::NAMES) {
            assert_eq!(serde_json::to_string(&provider).unwrap(), format!("\"{name}\""));
            assert_eq!((provider.name(), Provider::from_name(name)), (name, Some(provider)));
            for word in std::iter::once(&name).chain(others) {
                assert!(words.insert(*word), "{word} stands for two");
            }
        }
        assert!(Provider::ALL.len() <= 16, "the table notes finished fetches in sixteen bits");
    }
}
