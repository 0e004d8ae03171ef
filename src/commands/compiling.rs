//! A C compiler that takes its time: a line on a terminal says so.

use std::io::IsTerminal;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// What is compiled by then shows nothing.
const PATIENCE: Duration = Duration::from_secs(2);
/// Between two changes of the line.
const PAUSE: Duration = Duration::from_millis(100);

/// Compiles, and says on a terminal that it takes long.
pub(super) fn while_compiling<T>(compile: impl FnOnce() -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return compile();
    }
    let (done, is_done) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || show(&is_done));
        let result = compile();
        drop(done);
        result
    })
}

/// Shows for how long it has been compiled, until it is done.
fn show(is_done: &Receiver<()>) {
    let start = Instant::now();
    let mut bar: Option<ProgressBar> = None;
    while is_done.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
        if start.elapsed() < PATIENCE {
            continue;
        }
        let bar = bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{spinner} compiling the translated kernel, {elapsed}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
            ProgressBar::new_spinner().with_style(style).with_elapsed(start.elapsed())
        });
        bar.tick();
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}
