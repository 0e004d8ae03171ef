//! `pxrw bench worker`: the process that measures units. It reads a request, and writes the results so far after each unit.

use std::fs;
use std::io::Read;
use std::mem::ManuallyDrop;
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use benchmarks::gpu::{Kernels, Options, Suite, Target, Timed, Unit, UnitResults};
use device::{Gpu, GpuOptions};
use serde::{Deserialize, Serialize};

use crate::Verdict;
use crate::arguments::WorkerSuite;
use crate::commands::suite::explain;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::output;

/// The units to measure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// The programs, sizes and rounds.
    pub(super) options: Options,
    /// The folder with the kernels.
    pub(super) kernels: PathBuf,
    /// The units, in this order.
    pub(super) units: Vec<Unit>,
    /// The time for all of them, from the start of the process; later rounds and units are left out.
    pub(super) limit: Option<Duration>,
    /// The number of the GPU.
    pub(super) ordinal: u32,
    /// The time for a launch.
    pub(super) timeout: Duration,
    /// Bytes of the buffer that is filled before each launch.
    pub(super) scratch_bytes: u64,
}

/// Measures the units of a request. The process ends when a pipe that is its standard input does: its caller is gone then.
pub(in crate::commands) fn run(options: &WorkerSuite) -> Result<Verdict, Failure> {
    let start = Instant::now();
    watch_caller();
    let cannot = |error: &dyn std::fmt::Display| Diagnostic::error(format!("cannot read what is to be run: {error}"));
    let text = fs::read_to_string(&options.request).map_err(|error| cannot(&error))?;
    let request: Request = serde_json::from_str(&text).map_err(|error| cannot(&error))?;
    let kernels = Kernels::load(&request.kernels).map_err(|error| cannot(&error))?;
    let Request { ordinal, timeout, scratch_bytes, .. } = request;
    // It stays open, so that the context is made once. Closing it would wait for a launch that was given up; the end of the process does not.
    let kept = Gpu::open(&GpuOptions { ordinal, timeout: Some(timeout), scratch_bytes: 0 });
    let kept = ManuallyDrop::new(kept.map_err(|error| explain(error.into()))?);
    let open = || {
        let gpu = Gpu::open(&GpuOptions { ordinal, timeout: Some(timeout), scratch_bytes })?;
        Ok(Box::new(gpu) as Box<dyn Timed>)
    };
    let target = Target { summary: kept.properties().into(), open: &open };
    let mut written = Ok(());
    let mut write = |results: &UnitResults| {
        written = output::json(results).and_then(|json| output::write(Some(&options.output), json.as_bytes()));
    };
    let end = request.limit.map(|limit| start + limit);
    let results = Suite::new(&request.options, &kernels, target).run(&request.units, end, &mut write);
    written?;
    if results.lost.is_some() {
        device::exit_now(0);
    }
    Ok(Verdict::Done)
}

/// Ends the process when its standard input does. Another program between the caller and this process may give it no pipe; then nothing is watched.
fn watch_caller() {
    if !fs::metadata("/dev/stdin").is_ok_and(|stdin| stdin.file_type().is_fifo()) {
        return;
    }
    std::thread::spawn(|| {
        let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
        device::exit_now(2);
    });
}
