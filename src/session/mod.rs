//! What both faces of the program share.

mod status;

pub use status::{Light, RowsFrom, Status};
