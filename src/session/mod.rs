//! What both faces of the program share: the market being filled, and how each provider fares.

mod embedded;
mod status;
mod stock;

pub use embedded::embedded;
pub use status::{Light, RowsFrom, Status, left_out, unknown};
pub use stock::Stock;
