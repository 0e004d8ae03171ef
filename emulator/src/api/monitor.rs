//! A launch as seen from outside while it runs: how far it is, and a way to end it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shared between a launch and whoever watches it from another thread. Looked at whenever a block has had some
/// ten thousand instructions, or has ended.
#[derive(Debug, Default)]
pub struct Monitor {
    interrupted: AtomicBool,
    ended: AtomicU64,
    steps: AtomicU64,
}

impl PartialEq for Monitor {
    /// A monitor is equal to itself only.
    fn eq(&self, other: &Monitor) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Monitor {}

impl Monitor {
    /// Asks the launch to end; its outcome is then [`Outcome::Interrupted`](crate::Outcome::Interrupted).
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// Returns true if somebody asked for that.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Returns how many blocks have ended.
    #[must_use]
    pub fn ended_blocks(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }

    /// Returns how many warp instructions have run, about.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Some instructions have run, and some blocks have ended.
    pub(crate) fn advance(&self, steps: u64, ended: u64) {
        self.steps.fetch_add(steps, Ordering::Relaxed);
        self.ended.fetch_add(ended, Ordering::Relaxed);
    }
}
