//! Where the program meets the world: sockets, files and the clock.

pub mod collect;
