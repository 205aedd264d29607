//! On a panic the terminal is given back first; then the message can be read.

use super::restore;
use std::panic;
use std::sync::Once;

static INSTALLED: Once = Once::new();

/// Puts our hook before the one that is there. Further calls do nothing.
pub fn install() {
    INSTALLED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore();
            before(info);
        }));
    });
}
