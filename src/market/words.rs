//! The words for codes: one place, for queries, completion and cells.

use super::query::Field;
use super::table::{Mark, availability, verified};
use crate::offer::{Availability, Basis, Link};

/// The word for a link; `None` where nobody says.
pub(crate) const fn link_word(link: Link) -> Option<&'static str> {
    match link {
        Link::Nvlink => Some("nvlink"),
        Link::PcieFull => Some("pcie-full"),
        Link::PcieSlow => Some("pcie-slow"),
        Link::Unknown => None,
    }
}

/// The word for a basis.
pub(crate) const fn basis_name(basis: Basis) -> &'static str {
    match basis {
        Basis::Live => "live",
        Basis::Listed => "listed",
        Basis::Measured => "measured",
        Basis::Modelled => "modelled",
        Basis::Assumed => "assumed",
        Basis::Unknown => "unknown",
    }
}

/// The word for whether the machine is verified; `None` where nobody says.
pub(crate) const fn verified_word(verified: Option<bool>) -> Option<&'static str> {
    match verified {
        Some(true) => Some("yes"),
        Some(false) => Some("no"),
        None => None,
    }
}

/// The word for whether it can be had; `None` where nobody says.
pub(crate) const fn availability_word(availability: Availability) -> Option<&'static str> {
    match availability {
        Availability::Yes => Some("yes"),
        Availability::No => Some("no"),
        Availability::NotStated => None,
    }
}

/// The word for a row's small code, of the fields `mark`, `verified` and `avail`.
pub(crate) fn state_word(field: Field, code: u8) -> Option<&'static str> {
    match field {
        Field::Mark => Some(Mark::from_code(code).name()),
        Field::Verified => verified_word(verified(code)),
        _ => availability_word(availability(code)),
    }
}
