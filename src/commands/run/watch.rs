//! A launch that takes its time: how far it is on a terminal, and Ctrl-C or SIGTERM ends it with a report.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use device::Monitor;
use indicatif::{ProgressBar, ProgressStyle};

use crate::interruption;

/// Launches that are over by then show nothing.
const PATIENCE: Duration = Duration::from_secs(2);
/// Between two looks at the launch.
const PAUSE: Duration = Duration::from_millis(100);

/// Runs a launch of so many blocks, and watches it meanwhile.
pub(super) fn while_watched<T>(monitor: &Arc<Monitor>, blocks: u64, launch: impl FnOnce() -> T) -> T {
    let on_interrupt = Arc::clone(monitor);
    let _reports = interruption::instead(move || on_interrupt.interrupt());
    if !std::io::stderr().is_terminal() {
        return launch();
    }
    let (done, is_done) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || show(monitor, blocks, &is_done));
        let result = launch();
        drop(done);
        result
    })
}

/// Shows how far a launch is until it is done.
fn show(monitor: &Monitor, blocks: u64, is_done: &Receiver<()>) {
    let start = Instant::now();
    let mut bar: Option<ProgressBar> = None;
    while is_done.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
        if start.elapsed() < PATIENCE {
            continue;
        }
        let bar = bar.get_or_insert_with(|| {
            let template = "{bar:30} {pos} of {len} blocks, {msg} warp instructions, {elapsed}";
            let style = ProgressStyle::with_template(template);
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(blocks).with_style(style).with_elapsed(start.elapsed())
        });
        bar.set_message(format!("{:.1} million", monitor.steps() as f64 / 1e6));
        bar.set_position(monitor.ended_blocks());
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}
