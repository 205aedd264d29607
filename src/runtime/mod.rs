//! Where the program meets the world: sockets, files, the terminal, and the clock.

pub mod collect;
pub mod screen;
pub mod views;
