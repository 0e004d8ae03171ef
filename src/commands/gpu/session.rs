//! A GPU, and what is measured on it: parts in processes, once for their times, and once more under Nsight Compute for their counts.
//!
//! This process does not use the GPU itself. One that is in exclusive-process mode is then free for the workers.

use std::time::{Duration, Instant};

use benchmarks::gpu::{GpuReport, GpuSummary, Options, Part, Rounds, Unit, WATCHED};
use device::{Gpu, GpuProperties};
use toolkit::Profiler;

use super::budget::{Budget, HANG};
use super::kernels::Prepared;
use super::processes::{self, Failed, Left};
use super::worker::Request;
use crate::arguments::{Common, Given, Timing, Watched};
use crate::commands::bench::explain;
use crate::failure::Failure;

/// A figure, or why it is not measured.
pub(super) type Measured<T> = Result<T, String>;

/// Bytes that are filled before each launch: they take other data out of the L2 cache of every GPU of today, and keep it busy for as long as the host needs to queue the
/// launch. A larger cache has twice its size, a small memory an eighth of it.
const SCRATCH: u64 = 128 << 20;

/// How long a watched process may take at least, and at most: Nsight Compute launches each kernel several times.
const LEAST_WATCHED: Duration = Duration::from_secs(60);
const LONGEST_WATCHED: Duration = Duration::from_secs(3600);

/// A GPU that parts are measured on.
pub(super) struct Session<'a> {
    watched: &'a Watched,
    properties: GpuProperties,
    /// The architecture to compile for.
    pub(super) arch: String,
    /// How long a launch may take.
    pub(super) timeout: Duration,
    /// How long a launch of what may hang may take.
    pub(super) hang_timeout: Duration,
}

impl<'a> Session<'a> {
    /// Asks the driver for the GPU.
    pub(super) fn open(watched: &'a Watched, given: &Given, common: &'a Common) -> Result<Session<'a>, Failure> {
        let properties = Gpu::describe(watched.ordinal).map_err(|error| explain(error.into()))?;
        let arch = if given.names("arch") { common.arch.clone() } else { properties.arch() };
        Ok(Session { watched, properties, arch, timeout: watched.timeout, hang_timeout: HANG })
    }

    /// What the driver says of it.
    pub(super) fn properties(&self) -> &GpuProperties {
        &self.properties
    }

    /// What reports say of it.
    pub(super) fn summary(&self) -> GpuSummary {
        self.properties().into()
    }

    /// Nothing to measure yet.
    pub(super) fn nothing(&self, timing: &Timing) -> Options {
        Options { rounds: Rounds { warmup: timing.warmup, runs: timing.runs }, ..Options::nothing(&self.arch) }
    }

    fn scratch_bytes(&self) -> u64 {
        SCRATCH.max(2 * self.properties.l2_bytes).min(self.properties.memory_bytes / 8)
    }

    fn request(&self, options: &Options, prepared: &Prepared, units: &[Unit]) -> Request {
        Request {
            options: options.clone(),
            kernels: prepared.folder.clone(),
            units: units.to_vec(),
            limit: None,
            ordinal: self.watched.ordinal,
            timeout: self.timeout,
            scratch_bytes: self.scratch_bytes(),
        }
    }

    /// Takes the times of all parts, each group in processes of its own. There is a line on standard error for each; `on_part` is called with what there is so far.
    pub(super) fn time(
        &self,
        options: &Options,
        prepared: &Prepared,
        budget: &mut Budget,
        on_part: &mut dyn FnMut(&GpuReport),
    ) -> GpuReport {
        let mut report = GpuReport::nothing(options, &prepared.kernels, &self.summary());
        report.note(format!(
            "seconds lie between two CUDA events around each launch, which is queued behind a memset of {} bytes: its data is not in the L2 cache, and the host's way to the GPU is not in the time",
            self.scratch_bytes()
        ));
        if !options.ssde.is_empty() {
            report.note("ssde: at -O3; S is what M+SSDE is held against".to_owned());
        }
        for group in processes::groups(&options.units()) {
            let mut left = group;
            while let Some(&first) = left.first() {
                if budget.is_over() {
                    left.drain(..)
                        .for_each(|unit| leave_out(&mut report, budget, unit, "there was no time left for it"));
                    break;
                }
                let mut request = Request { limit: budget.share(first), ..self.request(options, prepared, &left) };
                if matches!(first, Unit::Hang(_)) {
                    request.timeout = self.hang_timeout;
                }
                let began = Instant::now();
                let done = self.take(&request, prepared, &mut left, budget);
                say(&done, began.elapsed());
                report.append(done);
                on_part(&report);
            }
        }
        report.mark_short();
        report
    }

    /// Runs a worker for the parts that are left, takes those that it did from them, and the one that it failed in; returns their results.
    fn take(&self, request: &Request, prepared: &Prepared, left: &mut Vec<Unit>, budget: &mut Budget) -> GpuReport {
        let mut report = GpuReport::nothing(&request.options, &prepared.kernels, &self.summary());
        let Left { part, failed } = processes::run(request).unwrap_or_else(|error| {
            let reason = format!("its process cannot be started: {error}");
            Left { part: None, failed: Some(Failed::Ended(reason)) }
        });
        if let Some(Part { done, report: own, .. }) = part {
            left.retain(|unit| !done.contains(unit));
            done.into_iter().for_each(|unit| budget.done(unit));
            report.append(own);
        }
        let failed = failed.or_else(|| {
            let nothing = left.len() == request.units.len();
            nothing.then(|| Failed::Ended("its process ended without a result".to_owned()))
        });
        if let (Some(failed), false) = (failed, left.is_empty()) {
            let unit = left.remove(0);
            match (unit, &failed) {
                (Unit::Hang(attempt), Failed::Killed(_)) => report.hangs.push(attempt.killed(report.device.clone())),
                _ => report.left_out.push(unit.left_out(failed.reason().to_owned())),
            }
            budget.done(unit);
        }
        report
    }

    /// Looks for Nsight Compute; without it nothing is counted, which is no error.
    pub(super) fn profiler(&self) -> Result<Measured<Profiler>, Failure> {
        let found = Profiler::locate(self.watched.ncu.as_deref())?;
        Ok(found.ok_or_else(|| "Nsight Compute's `ncu` is not found; `--ncu` names it".to_owned()))
    }

    /// Counts what warps do in all parts that are not about time alone, each group in a process that Nsight Compute watches.
    ///
    /// # Errors
    /// The reason why nothing can be counted.
    pub(super) fn count(
        &self,
        options: &Options,
        prepared: &Prepared,
        profiler: &Profiler,
        budget: &mut Budget,
        on_part: &mut dyn FnMut(&GpuReport),
    ) -> Measured<GpuReport> {
        let options = Options { rounds: WATCHED, empty: false, hangs: Vec::new(), ..options.clone() };
        let mut report = GpuReport::nothing(&options, &prepared.kernels, &self.summary());
        let mut counted_once = false;
        for group in processes::groups(&options.units()) {
            if budget.is_over() {
                let reason = "there was no time left to count it";
                group.iter().for_each(|&unit| leave_out(&mut report, budget, unit, reason));
                continue;
            }
            let request = Request { scratch_bytes: 0, ..self.request(&options, prepared, &group) };
            let (began, left) = (Instant::now(), budget.remaining().map_or(LONGEST_WATCHED, |left| left / 2));
            match processes::count(&request, profiler, left.max(LEAST_WATCHED)) {
                Ok(part) => {
                    counted_once = true;
                    let names: Vec<String> = group.iter().map(|unit| unit.name()).collect();
                    let what =
                        if names.len() == 1 { names[0].clone() } else { format!("{} synthetic kernels", names.len()) };
                    eprintln!("counted: {what} ({:.1} s)", began.elapsed().as_secs_f64());
                    report.append(part.report);
                }
                // Counters that are kept for the administrator are kept from all.
                Err(reason) if !counted_once && reason.contains("ERR_NVGPUCTRPERM") => return Err(reason),
                Err(reason) => {
                    let reason = format!("not counted: {reason}");
                    group.iter().for_each(|&unit| leave_out(&mut report, budget, unit, &reason));
                }
            }
            group.iter().for_each(|&unit| budget.done(unit));
            on_part(&report);
        }
        report.forget_times();
        let reasons: Vec<&String> = report.left_out.iter().map(|one| &one.reason).collect();
        match reasons.first() {
            Some(reason) if !counted_once => Err(reason.trim_start_matches("not counted: ").to_owned()),
            _ => Ok(report),
        }
    }
}

/// Leaves a part out, and says so.
fn leave_out(report: &mut GpuReport, budget: &mut Budget, unit: Unit, reason: &str) {
    budget.done(unit);
    let one = unit.left_out(reason.to_owned());
    eprintln!("{one}");
    report.left_out.push(one);
}

/// Says what came of some parts, on standard error, a line for each.
fn say(report: &GpuReport, took: Duration) {
    let lines = report.lines();
    let last = lines.len().saturating_sub(1);
    for (index, line) in lines.iter().enumerate() {
        let seconds = if index == last { format!(" ({:.1} s)", took.as_secs_f64()) } else { String::new() };
        eprintln!("{line}{seconds}");
    }
}
