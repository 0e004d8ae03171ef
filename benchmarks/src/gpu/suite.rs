//! Measures units one after the other on one device. Nothing else runs on the device, or on much of the host, meanwhile.
//!
//! The kernels are compiled before. A unit that fails is left out with the reason. A launch that does not finish loses the GPU to this process, so that
//! the units behind it are not measured here; the process that started this one continues with them in another process.

use std::time::Instant;

use ::ccc::WARP;
use device::LaunchConfig;
use serde::{Deserialize, Serialize};

use super::date::today;
use super::kernels::Kernels;
use super::options::Options;
use super::report::{GpuReport, GpuSummary, ProgramTimes, SUITE, SyntheticTimes, VariantTimes};
use super::rounds::{Timed, time};
use super::unit::Unit;
use crate::bfs::{self, BfsOptions};
use crate::ccc::{Case, Instance, Threads};
use crate::error::Error;
use crate::graph::LIMIT;
use crate::grid_size::{Shape, chip};
use crate::hangs::{self, Attempt};
use crate::single_launch::Once;
use crate::variant::Variant;
use crate::workload::{Size, Verdict, Work};

/// The device that units are measured on.
pub struct Target<'a> {
    /// The description of it in the report.
    pub summary: GpuSummary,
    /// Opens it, once for each unit. A GPU's context is made anew unless the caller keeps one open.
    pub open: &'a dyn Fn() -> Result<Box<dyn Timed>, device::Error>,
}

/// The results of some units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitResults {
    /// The units that were measured or left out.
    pub done: Vec<Unit>,
    /// The reason why this process cannot use the GPU any more; `None` while it can.
    pub lost: Option<String>,
    /// The results.
    pub report: GpuReport,
}

/// Iterations of the synthetic kernels, all threads together. 34 MB are written and nothing is read, so that the L2 cache has nothing to keep; there are
/// 30 rows of two or three kernels, whose results are all copied and looked at.
const ITERATIONS: u32 = 1 << 23;

/// Units, with their kernels and a device.
pub struct Suite<'a> {
    options: &'a Options,
    kernels: &'a Kernels,
    target: Target<'a>,
}

impl<'a> Suite<'a> {
    /// Returns a suite that measures units of these options on a device.
    #[must_use]
    pub fn new(options: &'a Options, kernels: &'a Kernels, target: Target<'a>) -> Suite<'a> {
        Suite { options, kernels, target }
    }

    /// Measures units, at least one of them, until `end`: a unit that would go beyond its share of the time has fewer rounds. `on_unit` is called after each unit with
    /// the results so far.
    pub fn run(&self, units: &[Unit], end: Option<Instant>, on_unit: &mut dyn FnMut(&UnitResults)) -> UnitResults {
        let report = GpuReport::nothing(self.options, self.kernels, &self.target.summary);
        let results = UnitResults { done: Vec::new(), lost: None, report };
        let mut session = Session { suite: self, results, end: None, device: None };
        for (index, &unit) in units.iter().enumerate() {
            let now = Instant::now();
            if index > 0 && end.is_some_and(|end| end <= now) {
                break;
            }
            let left = (units.len() - index) as u32;
            session.end = end.map(|end| now + end.saturating_duration_since(now) / left);
            if let Err(error) = session.measure(unit) {
                if let Error::Device(device::Error::Lost { what }) = &error {
                    session.results.lost = Some(what.clone());
                }
                session.results.report.left_out.push(unit.left_out(error.to_string()));
            }
            session.results.done.push(unit);
            on_unit(&session.results);
            if session.results.lost.is_some() {
                break;
            }
        }
        session.results
    }

    /// The launch for so many tasks.
    fn launch(&self, tasks: u32, threads: Threads) -> Result<LaunchConfig, Error> {
        let Options { block, grid, share, arch, .. } = self.options;
        let most = tasks.div_ceil((*block).max(1)).max(1);
        let resident =
            chip(arch).multiprocessor().resident_blocks(*block, 0, None) * self.target.summary.multiprocessors;
        let grid = match threads {
            Threads::Stride => grid.unwrap_or(resident.min(most.div_ceil((*share).max(1))).max(1)),
            Threads::One => most,
        };
        let shape = Shape::choose(tasks, 1, *block, Some(grid), arch)?;
        let config = LaunchConfig::linear(shape.grid, shape.block);
        // A loop steps by all threads and must not overflow its 32-bit counter.
        if u128::from(tasks) + config.threads() > u128::from(LIMIT) {
            return Err(Error::TooManyThreads { threads: config.threads(), tasks });
        }
        Ok(config)
    }
}

impl GpuReport {
    /// The report before anything is measured.
    #[must_use]
    pub fn nothing(options: &Options, kernels: &Kernels, summary: &GpuSummary) -> GpuReport {
        GpuReport {
            suite: SUITE.into(),
            device: format!("gpu ({})", summary.name),
            gpu: summary.clone(),
            pxrw_version: env!("CARGO_PKG_VERSION").into(),
            nvcc_version: kernels.nvcc_version.clone(),
            date: today(),
            arch: kernels.arch.clone(),
            warmup: options.rounds.warmup,
            runs: options.rounds.runs,
            notes: Vec::new(),
            programs: Vec::new(),
            synthetic: Vec::new(),
            left_out: Vec::new(),
            hangs: Vec::new(),
            efficiency: Vec::new(),
        }
    }
}

/// An input in words, the launch, and what launches it.
type Input = (String, LaunchConfig, Box<dyn Work>);

/// The results so far.
struct Session<'s> {
    suite: &'s Suite<'s>,
    results: UnitResults,
    /// The time until which the current unit may have more than one round.
    end: Option<Instant>,
    /// The device of the last row of synthetic kernels, which has loaded them all.
    device: Option<Box<dyn Timed>>,
}

impl Session<'_> {
    /// Measures one unit.
    fn measure(&mut self, unit: Unit) -> Result<(), Error> {
        let kernels = self.suite.kernels;
        let variants = match kernels.variants(unit) {
            Ok(variants) => variants,
            Err(reason) => {
                self.results.report.left_out.push(unit.left_out(reason));
                return Ok(());
            }
        };
        let kept = self.device.take();
        match unit {
            Unit::Synthetic(case) => self.synthetic(unit, case, variants, kept),
            Unit::Hang(attempt) => self.hang(attempt, variants),
            _ => {
                drop(kept);
                let (input, config, work) = self.input(unit)?;
                let variants = self.time(&mut *(self.suite.target.open)()?, &*work, unit, variants, &config)?;
                let (suite, program) = (unit.suite().to_owned(), unit.name());
                let ([grid, ..], [block, ..]) = (config.grid, config.block);
                self.results.report.programs.push(ProgramTimes { suite, program, input, grid, block, variants });
                Ok(())
            }
        }
    }

    /// Makes the input of a program.
    fn input(&self, unit: Unit) -> Result<Input, Error> {
        let (suite, size) = (self.suite, self.suite.options.size);
        match unit {
            Unit::Ccc(program) => {
                let Instance { input, tasks, threads, work } = program.instance(program.tasks(size))?;
                Ok((input, suite.launch(tasks, threads)?, work))
            }
            Unit::Ssde(program) => {
                let input = program.input(size)?;
                Ok((input.description.clone(), input.config, Box::new(input)))
            }
            Unit::Search => {
                let (name, task) = bfs::task(suite.options.search.as_ref().unwrap_or(&BfsOptions::default()))?;
                let config = suite.launch(task.graph().vertices(), Threads::Stride)?;
                Ok((name, config, Box::new(task)))
            }
            Unit::Empty | Unit::Synthetic(_) | Unit::Hang(_) => {
                let work = Once::new(Vec::new(), true, Box::new(|_| Verdict::default()));
                Ok(("one block".to_owned(), LaunchConfig::linear(1, suite.options.block), Box::new(work)))
            }
        }
    }

    /// A row of the synthetic kernels.
    fn synthetic(
        &mut self,
        unit: Unit,
        case: Case,
        variants: &[Variant],
        kept: Option<Box<dyn Timed>>,
    ) -> Result<(), Error> {
        let iterations = match self.suite.options.size {
            Size::Paper => 1 << 30,
            Size::Tasks(tasks) => tasks,
            Size::Emulator | Size::Gpu => ITERATIONS,
        };
        let config = self.suite.launch(iterations, Threads::Stride)?;
        let config = LaunchConfig::linear(config.grid[0], config.block[0].next_multiple_of(WARP));
        let mut device = match kept {
            Some(device) => device,
            None => (self.suite.target.open)()?,
        };
        let Case { figure, takers, length } = case;
        let left_as_it_was = figure == 14 && variants.iter().all(|variant| variant.name != "ccc");
        let variants = self.time(&mut *device, &case.work(iterations), unit, variants, &config)?;
        self.results.report.synthetic.push(SyntheticTimes { figure, takers, length, left_as_it_was, variants });
        self.device = Some(device);
        Ok(())
    }

    /// Runs a program that may hang. That it does is a result.
    fn hang(&mut self, attempt: Attempt, variants: &[Variant]) -> Result<(), Error> {
        let Some(variant) = variants.first().cloned() else { return Ok(()) };
        let mut device = (self.suite.target.open)()?;
        let row = hangs::Case { attempt, variant }.run(&mut *device)?;
        self.remark(&*device);
        if row.outcome != device::OutcomeKind::Finished {
            self.results.lost = Some(format!("`{}` did not end", Unit::Hang(attempt).name()));
        }
        self.results.report.hangs.push(row);
        Ok(())
    }

    fn time(
        &mut self,
        device: &mut dyn Timed,
        work: &dyn Work,
        unit: Unit,
        variants: &[Variant],
        config: &LaunchConfig,
    ) -> Result<Vec<VariantTimes>, Error> {
        let times = time(device, work, variants, config, self.suite.options.rounds, self.end)?;
        self.remark(device);
        if let Some(row) = times.iter().find(|row| !row.finished) {
            let what = row.difference.as_deref().unwrap_or("it did not finish");
            self.results.lost = Some(format!("{} ({}): {what}", unit.name(), row.variant));
        }
        Ok(times)
    }

    /// Adds the device's remarks on how it runs the code.
    fn remark(&mut self, device: &dyn Timed) {
        device.remarks().iter().for_each(|remark| self.results.report.note(remark.clone()));
    }
}
