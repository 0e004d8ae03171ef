//! `pxrw bench worker`: the process that measures parts. It does what a file says, and writes what there is so far after each part.

use std::fs;
use std::io::Read;
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::time::Duration;

use benchmarks::gpu::{Kernels, Options, Part, Suite, Target, Timed, Unit};
use device::{Gpu, GpuOptions};
use serde::{Deserialize, Serialize};

use crate::Verdict;
use crate::arguments::WorkerSuite;
use crate::commands::bench::explain;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::output;

/// What a worker does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// How parts are measured.
    pub(super) options: Options,
    /// The folder with their kernels.
    pub(super) kernels: PathBuf,
    /// The parts, in this order.
    pub(super) units: Vec<Unit>,
    /// How long each of them may take; more rounds are left out.
    pub(super) limit: Option<Duration>,
    /// The number of the GPU.
    pub(super) ordinal: u32,
    /// How long a launch may take.
    pub(super) timeout: Duration,
    /// Bytes of the buffer that is filled before each launch.
    pub(super) scratch_bytes: u64,
}

/// Does it. The process ends when its standard input does, because whoever asked is gone then.
pub(in crate::commands) fn run(options: &WorkerSuite) -> Result<Verdict, Failure> {
    std::thread::spawn(|| {
        let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
        // An orderly end would wait for a launch that does not end.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    });
    let cannot = |error: &dyn std::fmt::Display| Diagnostic::error(format!("cannot read what is to be run: {error}"));
    let text = fs::read_to_string(&options.request).map_err(|error| cannot(&error))?;
    let request: Request = serde_json::from_str(&text).map_err(|error| cannot(&error))?;
    let kernels = Kernels::load(&request.kernels).map_err(|error| cannot(&error))?;
    let Request { ordinal, timeout, scratch_bytes, .. } = request;
    let describe = Gpu::describe(ordinal).map_err(|error| explain(error.into()))?;
    // It stays open, so that the context is made once. To give it back would wait for a launch that was given up; the end of the process does not.
    let kept = Gpu::open(&GpuOptions { ordinal, timeout: Some(timeout), scratch_bytes: 0 });
    let _kept = ManuallyDrop::new(kept.map_err(|error| explain(error.into()))?);
    let open = || {
        let gpu = Gpu::open(&GpuOptions { ordinal, timeout: Some(timeout), scratch_bytes })?;
        Ok(Box::new(gpu) as Box<dyn Timed>)
    };
    let target = Target { summary: (&describe).into(), open: &open };
    let mut written = Ok(());
    let mut write = |part: &Part| {
        written = output::json(part).and_then(|json| output::write(Some(&options.output), json.as_bytes()));
    };
    Suite::new(&request.options, &kernels, target).run(&request.units, request.limit, &mut write);
    written.map(|()| Verdict::Done)
}
