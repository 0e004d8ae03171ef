//! One launch, or many to take their times.
//!
//! ```text
//!  one launch:    [memset]  start  kernel  stop  ── wait ──> stop - start
//!  many:          kernel … kernel   [memset]  start  kernel  stop   [memset]  start  kernel  stop … ── wait ──> one time for each
//!                 (warm-up)
//! ```
//!
//! The events are taken by the GPU, between what stands before and behind them in the stream. While the GPU is idle, the way of a launch from
//! the host to it, some microseconds, lies between `start` and the kernel. Many launches are in the stream before the first of them
//! is waited for, but a kernel that is shorter than that way still catches up with the host.
//!
//! The memset, if [`GpuOptions::scratch_bytes`](super::GpuOptions) asks for it, mends both. It overwrites a buffer that no kernel uses, which
//! removes the kernel's data from the L2 cache, so that each launch begins with the same cache. And while the GPU is busy with it, the
//! host queues `start`, the kernel and `stop`, so that the host's latency is not between the events.

use std::ffi::c_void;
use std::thread::sleep;
use std::time::{Duration, Instant};

use cust::event::{Event, EventStatus};
use cust::function::{BlockSize, Function, GridSize};

use super::{CudaCode, Gpu, Lost, driver, event, failed};
use crate::pack::pack;
use crate::{Argument, Counts, Error, KernelHandle, LaunchConfig, OutcomeKind, RunReport};

/// The way in which a launch ended.
enum Ended {
    /// All of its threads came to their end.
    Finished,
    /// The kernel did what it may not.
    Fault(CudaCode),
    /// It was given up after so long.
    Late(Duration),
}

/// The shortest and the longest time between two looks at a launch that may take only so long.
const PAUSES: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(10));

impl Gpu {
    /// Runs a kernel and says how long it took.
    pub(super) fn launch_once(
        &mut self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        arguments: &[Argument],
    ) -> Result<RunReport, Error> {
        let mut times = Vec::new();
        let ended = self.run(kernel, config, arguments, (0, 1), &mut times)?;
        let (outcome, message) = match ended {
            Ended::Finished => (OutcomeKind::Finished, None),
            Ended::Fault(code) => (OutcomeKind::Fault, Some(format!("{code}; {}", code.remedy()))),
            Ended::Late(timeout) => (OutcomeKind::Budget, Some(late(timeout))),
        };
        Ok(RunReport {
            kernel: self.loaded(kernel)?.kernel.name().to_owned(),
            machine: None,
            outcome,
            line: None,
            message,
            time: times.first().copied(),
            counts: Counts::default(),
            detail: None,
            printed: None,
            scheduling: None,
        })
    }

    /// Runs a kernel `warmup` times and then `runs` times, and gives the seconds that each of the latter took. All of them work on the
    /// same buffers, one after the other: what a run leaves there, the next one finds.
    ///
    /// # Errors
    /// A launch that cannot start, as for [`Device::launch`](crate::Device::launch), or [`Error::Unfinished`] for one that faults or is given up.
    pub fn time(
        &mut self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        arguments: &[Argument],
        warmup: u32,
        runs: u32,
    ) -> Result<Vec<f64>, Error> {
        let mut times = Vec::new();
        let what = match self.run(kernel, config, arguments, (warmup, runs), &mut times)? {
            Ended::Finished => return Ok(times),
            Ended::Fault(code) => format!("{code}; {}", code.remedy()),
            Ended::Late(timeout) => late(timeout),
        };
        Err(Error::Unfinished { kernel: self.loaded(kernel)?.kernel.name().to_owned(), what })
    }

    /// Launches a kernel so many times and adds the seconds of those that are not for warming up.
    fn run(
        &mut self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        arguments: &[Argument],
        (warmup, runs): (u32, u32),
        times: &mut Vec<f64>,
    ) -> Result<Ended, Error> {
        self.enter()?;
        let loaded = self.loaded(kernel)?;
        let address = |buffer| Ok(self.allocated(buffer)?.memory.as_device_ptr().as_raw());
        let values = pack(&loaded.kernel, arguments, address)?;
        let function = self.function(loaded, config)?;
        let events = (0..runs).map(|_| Ok((event()?, event()?))).collect::<Result<Vec<_>, Error>>()?;
        // The driver may refuse a launch for a reason that has no name here; what comes after an accepted launch is the kernel's doing.
        let queued = self.queue(&function, config, &values, warmup, &events);
        let queued = queued.map_err(|(code, first)| (code, if first { code.is_fault() } else { code.ends_a_kernel() }));
        let collect = |()| self.collect(&events, times).map_err(|code| (code, code.ends_a_kernel()));
        let ended = match queued.and_then(collect) {
            Ok(ended) => ended,
            Err((code, true)) => Ended::Fault(code),
            Err((code, false)) => return Err(failed("launch the kernel")(code)),
        };
        driver::flush_output();
        self.lost = match &ended {
            Ended::Finished => None,
            Ended::Fault(code) => Some(self.lost(kernel, &format!("ended by {code}"), false)?),
            Ended::Late(timeout) => Some(self.lost(kernel, &format!("still runs after {timeout:?}"), true)?),
        };
        // Events of a launch that still runs go as well: the driver takes them back when they have happened.
        Ok(ended)
    }

    fn lost(&self, kernel: KernelHandle, how: &str, running: bool) -> Result<Lost, Error> {
        Ok(Lost { what: format!("kernel `{}` {how}", self.loaded(kernel)?.kernel.name()), running })
    }

    /// Puts all launches into the stream. With an error comes whether it is about the first launch.
    fn queue(
        &self,
        function: &Function<'_>,
        config: &LaunchConfig,
        values: &[Vec<u8>],
        warmup: u32,
        events: &[(Event, Event)],
    ) -> Result<(), (CudaCode, bool)> {
        for index in 0..warmup {
            self.put(function, config, values).map_err(|code| (code, index == 0))?;
        }
        for (index, events) in events.iter().enumerate() {
            let put = self.put_timed(function, config, values, events);
            put.map_err(|code| (code, warmup == 0 && index == 0))?;
        }
        Ok(())
    }

    /// Puts one launch between its events into the stream, behind a memset if there is scratch memory.
    fn put_timed(
        &self,
        function: &Function<'_>,
        config: &LaunchConfig,
        values: &[Vec<u8>],
        (start, stop): &(Event, Event),
    ) -> Result<(), CudaCode> {
        if let Some(scratch) = &self.held.scratch {
            scratch.overwrite(&self.held.stream)?;
        }
        start.record(&self.held.stream)?;
        self.put(function, config, values)?;
        Ok(stop.record(&self.held.stream)?)
    }

    /// Puts one launch into the stream.
    fn put(&self, function: &Function<'_>, config: &LaunchConfig, values: &[Vec<u8>]) -> Result<(), CudaCode> {
        // The driver copies as many bytes of each as the parameter has.
        let mut parameters: Vec<*mut c_void> = values.iter().map(|value| value.as_ptr().cast_mut().cast()).collect();
        if config.cooperative {
            // SAFETY: as below.
            return unsafe { driver::launch_together(function, &self.held.stream, config, &mut parameters) };
        }
        let ([x, y, z], block) = (config.grid, config.block);
        let (grid, block) = (GridSize::xyz(x, y, z), BlockSize::xyz(block[0], block[1], block[2]));
        // SAFETY: there is a value for each parameter, of its size; the driver copies them before it returns. What the kernel does with its
        // buffers is the kernel's: a wrong access is an error of the GPU's, not of this process's memory.
        Ok(unsafe { self.held.stream.launch(function, grid, block, config.dynamic_shared, &parameters) }?)
    }

    /// Waits for all launches and adds their times; how the first one ended that did not finish, or else the last one.
    fn collect(&self, events: &[(Event, Event)], times: &mut Vec<f64>) -> Result<Ended, CudaCode> {
        for (start, stop) in events {
            if let Some(timeout) = self.timeout.filter(|&timeout| !is_over(stop, timeout)) {
                return Ok(Ended::Late(timeout));
            }
            stop.synchronize()?;
            // The driver says it in milliseconds.
            times.push(f64::from(stop.elapsed_time_f32(start)?) / 1000.0);
        }
        // It also has the driver print what the kernel did.
        self.held.stream.synchronize()?;
        Ok(Ended::Finished)
    }
}

/// Waits until an event has happened, or an error, but not longer than so long.
fn is_over(event: &Event, timeout: Duration) -> bool {
    let (start, mut pause) = (Instant::now(), PAUSES.0);
    while event.query() == Ok(EventStatus::NotReady) {
        let Some(left) = timeout.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) else { return false };
        sleep(pause.min(left));
        pause = PAUSES.1.min(pause * 2);
    }
    true
}

fn late(timeout: Duration) -> String {
    format!("the launch did not end within {timeout:?}; it runs on until this process ends")
}
