//! Measures units on a GPU, each in a process: once for their times, and once more under Nsight Compute for their counts.
//!
//! This process makes no context on the GPU, so that a GPU in exclusive-process mode is free for the workers.

use std::time::{Duration, Instant};

use benchmarks::gpu::{GpuReport, GpuSummary, Options, Rounds, Unit, WATCHED};
use device::{Gpu, GpuProperties};
use toolkit::Profiler;

use super::budget::{Budget, HANG};
use super::kernels::Prepared;
use super::processes::{self, Worker};
use super::worker::Request;
use crate::arguments::{Common, Given, Timing, Watched};
use crate::commands::suite::explain;
use crate::failure::Failure;
use crate::output;

/// A figure, or the reason why it is not measured.
pub(super) type Measured<T> = Result<T, String>;

/// Bytes that are filled before each launch. They replace the data in the L2 cache of every GPU of today, and take the GPU longer than the host needs to queue the
/// launch. A larger cache is filled twice; a small memory gives an eighth of itself.
const SCRATCH: u64 = 128 << 20;

/// The time for a launch, if the user does not say.
pub(super) const TIMEOUT: Duration = Duration::from_secs(60);

/// The time that a process may take beside its share and a launch: the driver starts, and an input without an estimate is made.
const BESIDE: Duration = Duration::from_secs(60);

/// The same for a process that has small inputs alone.
const BESIDE_HANG: Duration = Duration::from_secs(20);

/// The least time in which Nsight Compute counts a unit, and the most: it launches each kernel several times.
const LEAST_WATCHED: Duration = Duration::from_secs(10);
const LONGEST_WATCHED: Duration = Duration::from_secs(3600);

/// The number of units that must fail for one reason, and none succeed, until all others are left out for it.
const SAME_REASON: usize = 3;

/// A GPU that units are measured on.
pub(super) struct Session<'a> {
    watched: &'a Watched,
    properties: GpuProperties,
    /// The architecture to compile for.
    pub(super) arch: String,
    /// The time for a launch.
    pub(super) timeout: Duration,
    /// The time for a launch that is expected to hang.
    pub(super) hang_timeout: Duration,
}

impl<'a> Session<'a> {
    /// Asks the driver for the GPU's properties.
    pub(super) fn open(watched: &'a Watched, given: &Given, common: &'a Common) -> Result<Session<'a>, Failure> {
        let properties = Gpu::describe(watched.ordinal).map_err(|error| explain(error.into()))?;
        let arch = if given.names("arch") { common.arch.clone() } else { properties.arch() };
        let timeout = watched.timeout.unwrap_or(TIMEOUT);
        Ok(Session { watched, properties, arch, timeout, hang_timeout: HANG })
    }

    /// Returns the GPU's properties.
    pub(super) fn properties(&self) -> &GpuProperties {
        &self.properties
    }

    /// Returns the GPU's description in reports.
    pub(super) fn summary(&self) -> GpuSummary {
        self.properties().into()
    }

    /// Returns options without any program.
    pub(super) fn nothing(&self, timing: &Timing) -> Options {
        Options { rounds: Rounds { warmup: timing.warmup, runs: timing.runs }, ..Options::nothing(&self.arch) }
    }

    fn scratch_bytes(&self) -> u64 {
        SCRATCH.max(2 * self.properties.l2_bytes).min(self.properties.memory_bytes / 8)
    }

    /// Returns a request for units of which one process measures all, or as many as it can.
    fn request(&self, options: &Options, prepared: &Prepared, units: &[Unit]) -> Request {
        let hangs = |unit: &Unit| matches!(unit, Unit::Hang(attempt) if attempt.is_expected_to_hang());
        Request {
            options: options.clone(),
            kernels: prepared.folder.clone(),
            units: units.to_vec(),
            limit: None,
            ordinal: self.watched.ordinal,
            timeout: if units.iter().any(hangs) { self.hang_timeout } else { self.timeout },
            scratch_bytes: self.scratch_bytes(),
        }
    }

    /// Measures the times of all units. Prints a line on standard error for each, and calls `on_unit` with the results so far and the units that are still to be measured.
    pub(super) fn time(
        &self,
        options: &Options,
        prepared: &Prepared,
        budget: &mut Budget,
        on_unit: &mut dyn FnMut(&GpuReport, &[Unit]),
    ) -> GpuReport {
        let mut report = GpuReport::nothing(options, &prepared.kernels, &self.summary());
        report.note(format!(
            "seconds lie between two CUDA events around each launch, which is queued behind a memset of {} bytes: its data is not in the L2 cache, and the host's way to the GPU is not in the time",
            self.scratch_bytes()
        ));
        if !options.ssde.is_empty() {
            report.note("ssde: at -O3; M+SSDE is compared with S".to_owned());
        }
        let mut pending = options.units();
        for group in processes::groups(&options.units()) {
            let mut left = group;
            while !left.is_empty() {
                if let Some(reason) = reason_to_stop(&report, budget) {
                    pending.iter().for_each(|unit| report.left_out.push(unit.left_out(reason.clone())));
                    output::stderr_line(&format!("{} units are left out: {reason}", pending.len()));
                    return report;
                }
                let request = Request { limit: budget.share(&left), ..self.request(options, prepared, &left) };
                let began = Instant::now();
                let results = self.run_worker(&request, prepared, &mut left, budget);
                print_lines(&results, began.elapsed());
                report.append(results);
                report.mark_short();
                pending.retain(|unit| budget.is_pending(*unit));
                on_unit(&report, &pending);
            }
        }
        report
    }

    /// Runs a worker for the units that are left, and returns their results. Removes from `left` the units that it finished, and the one in which it failed.
    fn run_worker(
        &self,
        request: &Request,
        prepared: &Prepared,
        left: &mut Vec<Unit>,
        budget: &mut Budget,
    ) -> GpuReport {
        let mut report = GpuReport::nothing(&request.options, &prepared.kernels, &self.summary());
        let run = processes::run(request, patience(request, budget));
        let Worker { results, failed } = run.unwrap_or_else(|error| Worker {
            results: None,
            failed: Some(format!("its process cannot be started: {error}")),
        });
        if let Some(results) = results {
            left.retain(|unit| !results.done.contains(unit));
            results.done.into_iter().for_each(|unit| budget.done(unit));
            report.append(results.report);
        }
        let nothing = left.len() == request.units.len();
        let failed = failed.or_else(|| nothing.then(|| "its process ended without a result".to_owned()));
        if let (Some(reason), false) = (failed, left.is_empty()) {
            let unit = left.remove(0);
            report.left_out.push(unit.left_out(reason));
            budget.done(unit);
        }
        report
    }

    /// Looks for Nsight Compute; without it nothing is counted, which is no error.
    pub(super) fn profiler(&self) -> Result<Measured<Profiler>, Failure> {
        let found = Profiler::locate(self.watched.ncu.as_deref())?;
        Ok(found.ok_or_else(|| "Nsight Compute's `ncu` is not found; `--ncu` names it".to_owned()))
    }

    /// Counts what warps do in all units that are not about time alone, each group in a process that Nsight Compute watches.
    ///
    /// # Errors
    /// The reason why nothing can be counted.
    pub(super) fn count(
        &self,
        options: &Options,
        prepared: &Prepared,
        profiler: &Profiler,
        budget: &mut Budget,
        on_unit: &mut dyn FnMut(&GpuReport, &[Unit]),
    ) -> Measured<GpuReport> {
        let options = Options { rounds: WATCHED, empty: false, hangs: Vec::new(), ..options.clone() };
        let mut report = GpuReport::nothing(&options, &prepared.kernels, &self.summary());
        let mut counted = false;
        for group in processes::groups(&options.units()) {
            let time = budget.remaining().unwrap_or(LONGEST_WATCHED);
            if time < LEAST_WATCHED || processes::is_interrupted() {
                let over = "there was no time left to count it";
                let reason = if processes::is_interrupted() { "the measurement was interrupted" } else { over };
                group.iter().for_each(|&unit| leave_out(&mut report, budget, unit, reason));
                continue;
            }
            let request = Request { scratch_bytes: 0, ..self.request(&options, prepared, &group) };
            let began = Instant::now();
            match processes::count(&request, profiler, (time / 2).max(LEAST_WATCHED)) {
                Ok(results) => {
                    counted = true;
                    let names: Vec<String> = results.done.iter().map(|unit| unit.name()).collect();
                    output::stderr_line(&format!(
                        "counted: {} ({:.1} s)",
                        names.join(", "),
                        began.elapsed().as_secs_f64()
                    ));
                    report.append(results.report);
                    let missing = group.iter().filter(|unit| !results.done.contains(unit));
                    missing
                        .for_each(|&unit| leave_out(&mut report, budget, unit, "not counted: its process ended early"));
                }
                // Counters that are kept for the administrator are kept from all units.
                Err(reason) if !counted && reason.contains("ERR_NVGPUCTRPERM") => return Err(reason),
                Err(reason) => {
                    let reason = format!("not counted: {reason}");
                    group.iter().for_each(|&unit| leave_out(&mut report, budget, unit, &reason));
                }
            }
            group.iter().for_each(|&unit| budget.done(unit));
            report.forget_times();
            let pending: Vec<Unit> = options.units().into_iter().filter(|unit| budget.is_pending(*unit)).collect();
            on_unit(&report, &pending);
        }
        match report.left_out.first() {
            Some(one) if !counted => Err(one.reason.trim_start_matches("not counted: ").to_owned()),
            _ => Ok(report),
        }
    }
}

/// Returns the reason why no more units are measured: an interruption, the end of the time, or that all have failed for one reason.
fn reason_to_stop(report: &GpuReport, budget: &Budget) -> Option<String> {
    if processes::is_interrupted() {
        return Some("the measurement was interrupted".to_owned());
    }
    if budget.is_over() {
        return Some("there was no time left for it".to_owned());
    }
    let first = &report.left_out.first()?.reason;
    let nothing = report.programs.is_empty() && report.synthetic.is_empty() && report.hangs.is_empty();
    let same = report.left_out.len() >= SAME_REASON && report.left_out.iter().all(|one| one.reason == *first);
    (nothing && same).then(|| first.clone())
}

/// Returns the time after which a worker that has not finished another unit is killed; `None` where there is no limit.
fn patience(request: &Request, budget: &Budget) -> Option<Duration> {
    if request.units.iter().all(|unit| matches!(unit, Unit::Hang(_))) {
        return Some(request.timeout + BESIDE_HANG);
    }
    let longest = budget.remaining()? + BESIDE_HANG;
    Some((request.limit? + request.timeout + BESIDE).min(longest))
}

/// Leaves a unit out, and prints the reason.
fn leave_out(report: &mut GpuReport, budget: &mut Budget, unit: Unit, reason: &str) {
    budget.done(unit);
    let one = unit.left_out(reason.to_owned());
    output::stderr_line(&one.to_string());
    report.left_out.push(one);
}

/// Prints the results of some units on standard error, a line for each.
fn print_lines(report: &GpuReport, took: Duration) {
    let lines = report.lines();
    let last = lines.len().saturating_sub(1);
    for (index, line) in lines.iter().enumerate() {
        let seconds = if index == last { format!(" ({:.1} s)", took.as_secs_f64()) } else { String::new() };
        output::stderr_line(&format!("{line}{seconds}"));
    }
}
