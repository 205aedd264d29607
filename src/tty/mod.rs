//! The terminal's edge: what is switched on and off, what comes in, the clipboard. The only room
//! that names the terminal library.
//!
//! Nothing here asks the terminal a question, so nothing here can wait for an answer.

pub mod clipboard;
mod guard;
mod hook;
mod input;
mod out;

pub use guard::{Guard, Wants, restore};
pub use hook::{install as install_hook, say_the_rest};
pub use input::events;
pub use out::{Frames, Out, size};
