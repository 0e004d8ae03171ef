//! A progress bar on standard error, where that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Counts steps of which the number is known.
pub(crate) struct Steps(ProgressBar);

impl Steps {
    /// Starts counting to `total`. indicatif draws nothing by itself where standard error is not a terminal.
    pub(crate) fn new(what: &'static str, total: u64, quiet: bool) -> Steps {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(total), target).with_message(what);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}, {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Steps(bar)
    }

    pub(crate) fn advance(&self) {
        self.0.inc(1);
    }

    /// Takes the bar off the screen.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Drop for Steps {
    /// An error ends the count early; no torn bar stays behind.
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
