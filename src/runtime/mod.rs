//! Where the program meets the world: sockets, files, the terminal, and the clock.

pub mod collect;
pub mod journal;
pub mod kept;
pub mod plain;
pub mod requests;
pub mod screen;
pub mod views;
pub mod watch;
pub mod world;

/// A core file would hold keys. Whatever the user's limit is, this process (and what it starts)
/// leaves none.
pub fn no_core_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Core);
    // Lowering a limit is always allowed; where it is not known, there are no core files.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: limit.maximum });
}
