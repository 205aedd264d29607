//! The columns themselves: one vector a field, all of one length, a row a slot.
//!
//! Numbers are `f64` with NaN for unknown, so that an offer leaves the table exactly as it came
//! in; whatever many rows share is a code into a dictionary. About 115 bytes a row.

/// The value that stands for "unknown" in a column of numbers.
pub(crate) const UNKNOWN: f64 = f64::NAN;
/// The code that stands for "none".
pub(crate) const NONE: u32 = u32::MAX;

macro_rules! columns {
    ($($(#[$doc:meta])* $name:ident: $ty:ty,)*) => {
        /// One encoded row.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Row { $($(#[$doc])* pub(crate) $name: $ty,)* }

        /// All rows, column by column.
        #[derive(Debug, Default)]
        pub(crate) struct Columns { $($(#[$doc])* pub(crate) $name: Vec<$ty>,)* }

        impl Columns {
            /// Adds a row at the end. Room grows by an eighth, so that little is ever unused.
            pub(crate) fn push(&mut self, row: Row) {
                if self.text.len() == self.text.capacity() {
                    let more = (self.text.len() / 8).max(256);
                    $(self.$name.reserve_exact(more);)*
                }
                $(self.$name.push(row.$name);)*
            }

            /// Replaces a row.
            pub(crate) fn set(&mut self, slot: usize, row: Row) {
                $(if let Some(cell) = self.$name.get_mut(slot) { *cell = row.$name; })*
            }

            /// A copy of a row.
            pub(crate) fn row(&self, slot: usize) -> Option<Row> {
                Some(Row { $($name: *self.$name.get(slot)?,)* })
            }

            /// Bytes held.
            pub(crate) fn bytes(&self) -> usize {
                0 $(+ self.$name.capacity() * std::mem::size_of::<$ty>())*
            }

            /// Gives back what was reserved and is not used.
            pub(crate) fn shrink(&mut self) {
                $(self.$name.shrink_to_fit();)*
            }
        }
    };
}

columns! {
    /// Where key and launch id lie in the arena.
    text: u32,
    /// Code of the host, [`NONE`] where nobody names one.
    host: u32,
    /// Code of the hardware class.
    class: u32,
    /// Code of the place.
    place: u32,
    /// Code of the card's raw name and the machine type.
    label: u32,
    /// Code of the fees.
    fees: u32,
    /// Code of origin and hazard.
    terms: u32,
    /// Code of processor threads and CUDA version.
    shape: u32,
    /// $/h on demand.
    on_demand: f64,
    /// $/h spot.
    spot: f64,
    /// Share of time up, 0–1.
    reliability: f64,
    /// Mbit/s down.
    download: f64,
    /// Mbit/s up.
    upload: f64,
    /// GB of disk.
    disk: f64,
    /// GiB of main memory.
    ram: f64,
    /// Hours that one may rent at most.
    rental: f64,
    /// When it was fetched, seconds since 1970 (until 2106).
    fetched: u32,
    /// When its offer was first seen, seconds since 1970.
    first: u32,
    /// Which fetch brought it.
    generation: u64,
    /// How often the slot has changed hands.
    stamp: u32,
    /// [`crate::offer::Flags`].
    flags: u16,
    /// Provider.
    provider: u8,
    /// Availability in the low two bits, `verified` in the next two.
    state: u8,
    /// [`super::Mark`].
    mark: u8,
}

impl Row {
    /// Do two rows of one key say the same, apart from when and how they were fetched?
    pub(crate) fn same_figures(&self, other: &Row) -> bool {
        let numbers = |r: &Row| {
            [r.on_demand, r.spot, r.reliability, r.download, r.upload, r.disk, r.ram, r.rental]
                .map(f64::to_bits)
        };
        let codes = |r: &Row| [r.host, r.class, r.place, r.label, r.fees, r.terms, r.shape];
        numbers(self) == numbers(other) && codes(self) == codes(other) && self.state == other.state
    }
}

/// A number from an offer, as a column keeps it: whatever is not a finite figure of at least zero
/// is unknown.
pub(crate) fn known(value: Option<f64>) -> f64 {
    value.filter(|v| v.is_finite() && *v >= 0.0).unwrap_or(UNKNOWN)
}

/// A number from a column, as an offer has it.
pub(crate) fn option(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}
