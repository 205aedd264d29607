//! What changes with providers, as events for the log.

use crate::session::{Light, Status};
use crate::units::UnixSeconds;

/// Remembers what was told last, so that each change is told once.
#[derive(Debug, Default)]
pub struct Journal {
    lights: Vec<Light>,
}

impl Journal {
    /// Tells what has changed.
    pub fn note(&mut self, statuses: &[Status], now: UnixSeconds) {
        if !tracing::enabled!(tracing::Level::ERROR) {
            return;
        }
        let lights: Vec<Light> = statuses.iter().map(|s| s.light).collect();
        let before = std::mem::replace(&mut self.lights, lights);
        for (i, status) in statuses.iter().enumerate() {
            if before.get(i) == Some(&status.light) {
                continue;
            }
            let (provider, light) = (status.provider.name(), status.light.word());
            let line = status.line(now);
            match (&status.error, status.light) {
                (_, Light::Waiting | Light::Fetching) | (None, _) => {
                    tracing::info!("{provider} {light}: {line}");
                }
                (Some(error), _) if error.is_our_fault() => {
                    tracing::error!("{provider} {light}: {line}");
                }
                (Some(_), _) => tracing::warn!("{provider} {light}: {line}"),
            }
        }
    }
}
