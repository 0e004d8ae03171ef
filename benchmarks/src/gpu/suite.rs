//! Measures parts one after the other on one device: nothing else runs on it, or on much of the host, meanwhile.
//!
//! Its kernels are compiled before. A part that fails is left out with the reason; a launch that does not finish takes the GPU with it, up to the end of the
//! process, so that the parts behind it are not done. Who started the process goes on with them in another one.

use std::time::Duration;

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
use crate::hangs::{self, Attempt};
use crate::once::Once;
use crate::shape::{Shape, chip};
use crate::variant::Variant;
use crate::work::{Size, Verdict, Work};

/// What it is measured on.
pub struct Target<'a> {
    /// What the report says of it.
    pub summary: GpuSummary,
    /// Opens it, once for each part. A GPU's context is made anew unless the caller keeps one open.
    pub open: &'a dyn Fn() -> Result<Box<dyn Timed>, device::Error>,
}

/// What came of some parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The parts that were measured or left out.
    pub done: Vec<Unit>,
    /// The reason why nothing more can be run in the process; none if all was done.
    pub lost: Option<String>,
    /// Their results.
    pub report: GpuReport,
}

/// Iterations of the synthetic kernels, all threads together. 34 MB are written and nothing is read, so that the L2 cache has nothing to keep; there are
/// 30 rows of two or three kernels, whose results are all copied and looked at.
const ITERATIONS: u32 = 1 << 23;

/// Parts, with their kernels and a device.
pub struct Suite<'a> {
    options: &'a Options,
    kernels: &'a Kernels,
    target: Target<'a>,
}

impl<'a> Suite<'a> {
    /// A suite that measures what the options say on a device.
    #[must_use]
    pub fn new(options: &'a Options, kernels: &'a Kernels, target: Target<'a>) -> Suite<'a> {
        Suite { options, kernels, target }
    }

    /// Measures parts, each with fewer rounds where they would take longer than `limit`. `on_unit` is called after each with what there is so far.
    pub fn run(&self, units: &[Unit], limit: Option<Duration>, on_unit: &mut dyn FnMut(&Part)) -> Part {
        let report = GpuReport::nothing(self.options, self.kernels, &self.target.summary);
        let mut session =
            Session { suite: self, part: Part { done: Vec::new(), lost: None, report }, limit, device: None };
        for &unit in units {
            if let Err(error) = session.measure(unit) {
                if let Error::Device(device::Error::Lost { what }) = &error {
                    session.part.lost = Some(what.clone());
                }
                session.part.report.left_out.push(unit.left_out(error.to_string()));
            }
            session.part.done.push(unit);
            on_unit(&session.part);
            if session.part.lost.is_some() {
                break;
            }
        }
        session.part
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

/// What has been measured so far.
struct Session<'s> {
    suite: &'s Suite<'s>,
    part: Part,
    limit: Option<Duration>,
    /// The device of the last row of synthetic kernels, which has loaded them all.
    device: Option<Box<dyn Timed>>,
}

impl Session<'_> {
    /// Measures one part.
    fn measure(&mut self, unit: Unit) -> Result<(), Error> {
        let kernels = self.suite.kernels;
        let variants = match kernels.variants(unit) {
            Ok(variants) => variants,
            Err(reason) => {
                self.part.report.left_out.push(unit.left_out(reason));
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
                self.part.report.programs.push(ProgramTimes { suite, program, input, grid, block, variants });
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
        self.part.report.synthetic.push(SyntheticTimes { figure, takers, length, left_as_it_was, variants });
        self.device = Some(device);
        Ok(())
    }

    /// A program that may hang, which is a result and no failure.
    fn hang(&mut self, attempt: Attempt, variants: &[Variant]) -> Result<(), Error> {
        let Some(variant) = variants.first().cloned() else { return Ok(()) };
        let mut device = (self.suite.target.open)()?;
        let row = hangs::Case { attempt, variant }.run(&mut *device)?;
        self.remark(&*device);
        if row.outcome != Some(device::OutcomeKind::Finished) {
            self.part.lost = Some(format!("`{}` did not end", Unit::Hang(attempt).name()));
        }
        self.part.report.hangs.push(row);
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
        let times = time(device, work, variants, config, self.suite.options.rounds, self.limit)?;
        self.remark(device);
        if let Some(row) = times.iter().find(|row| !row.finished) {
            let what = row.difference.as_deref().unwrap_or("it did not finish");
            self.part.lost = Some(format!("{} ({}): {what}", unit.name(), row.variant));
        }
        Ok(times)
    }

    /// Adds what the device says of how it runs the code.
    fn remark(&mut self, device: &dyn Timed) {
        device.remarks().iter().for_each(|remark| self.part.report.note(remark.clone()));
    }
}
