//! Ends a command as a signal asks, and leaves nothing behind; `pxrw nvcc` has a way of its own ([`crate::commands::nvcc`]), which is nvcc's.
//!
//! | signal | exit status |
//! | --- | --- |
//! | SIGINT (Ctrl-C) | 130 |
//! | SIGTERM | 143 |
//! | SIGHUP | 129 |
//!
//! The child processes end first. Then the folders for temporary files are removed, and a file that is being written is completed. A command with
//! something to report says by [`instead`] what the first signal does; the second one ends the process in any case.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::output;

/// The signals that end a process.
const ENDING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// The exit status after a signal, less its number, as shells have it.
const SIGNALLED: usize = 128;

/// The last signal that came; 0 for none. The handler itself writes it, so that a child that died of the same signal is not taken for one that failed.
static RECEIVED: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// True once a command has taken a signal as a wish to end with a report.
static TAKEN: AtomicBool = AtomicBool::new(false);

type Action = Box<dyn Fn() + Send>;

/// The action of the first signal, instead of the process's end.
static INSTEAD: Mutex<Option<Action>> = Mutex::new(None);

fn action() -> MutexGuard<'static, Option<Action>> {
    INSTEAD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True while signals end the process.
static WATCHING: AtomicBool = AtomicBool::new(false);

/// Has signals end the process while the result exists. `None` if they do so anyway.
pub(crate) fn watch_meanwhile() -> Option<Meanwhile> {
    (!WATCHING.load(Ordering::SeqCst)).then(|| {
        watch();
        Meanwhile(())
    })
}

/// While this exists, signals end the process; afterwards whoever handles them next does.
pub(crate) struct Meanwhile(());

impl Drop for Meanwhile {
    fn drop(&mut self) {
        WATCHING.store(false, Ordering::SeqCst);
    }
}

/// Has signals end the process from now on. One that the process was started to ignore stays ignored.
pub(crate) fn watch() {
    let ignored = ignored_signals();
    let wanted: Vec<i32> = ENDING.into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0).collect();
    let received = RECEIVED.get_or_init(Arc::default);
    // Without the thread, signals have their default effect.
    let Ok(mut signals) = Signals::new(&wanted) else { return };
    for &signal in &wanted {
        let _ = signal_hook::flag::register_usize(signal, Arc::clone(received), signal as usize);
    }
    WATCHING.store(true, Ordering::SeqCst);
    thread::spawn(move || {
        for signal in signals.forever().take_while(|_| WATCHING.load(Ordering::SeqCst)) {
            let action = action();
            match &*action {
                Some(action) if !TAKEN.swap(true, Ordering::SeqCst) => action(),
                _ => {
                    // The command may wait for this process, or for the lock.
                    drop(action);
                    end(signal);
                }
            }
        }
    });
}

/// Ends the process.
fn end(signal: i32) -> ! {
    toolkit::end_all();
    let _complete = output::hold_writes();
    // An orderly end may wait for a launch on a GPU.
    device::exit_now(status_after(signal as usize))
}

/// While this exists, the first signal does something else than to end the process.
pub(crate) struct Instead(());

/// Has the first signal do something else than to end the process, while the result exists.
pub(crate) fn instead(act: impl Fn() + Send + 'static) -> Instead {
    *action() = Some(Box::new(act));
    Instead(())
}

impl Drop for Instead {
    fn drop(&mut self) {
        *action() = None;
    }
}

/// Returns unless a signal is ending the process. What failed because of the signal is not told.
pub(crate) fn pass() {
    let received = RECEIVED.get().is_some_and(|received| received.load(Ordering::SeqCst) != 0);
    while received && WATCHING.load(Ordering::SeqCst) && !TAKEN.load(Ordering::SeqCst) {
        thread::sleep(Duration::from_secs(1));
    }
}

/// The exit status of a command that a signal ended with a report.
pub(crate) fn status() -> u8 {
    let signal = RECEIVED.get().map_or(0, |received| received.load(Ordering::SeqCst));
    // Of a launch that was interrupted without a signal, nobody knows.
    status_after(if signal == 0 { SIGINT as usize } else { signal })
}

fn status_after(signal: usize) -> u8 {
    u8::try_from(SIGNALLED + signal).unwrap_or(u8::MAX)
}

/// The signals that this process was started to ignore, as a mask.
pub(crate) fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
