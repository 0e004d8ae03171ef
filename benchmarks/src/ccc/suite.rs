//! The suite: compiles and rewrites each program, runs both kernels on every device, and holds the results against the CPU's
//! and against each other.

use device::{LaunchConfig, Selection};
use rayon::prelude::*;
use toolkit::Toolkit;

use super::paper::Paper;
use super::program::Program;
use super::report::{CccReport, CccRow, ProgramReport, Region};
use super::work::{Instance, Ran, Threads};
use crate::error::Error;
use crate::graph::LIMIT;
use crate::progress::Steps;
use crate::report::Resources;
use crate::shape::Shape;
use crate::variant::Pair;

/// What to run.
#[derive(Clone, Debug)]
pub struct CccOptions {
    /// The programs.
    pub programs: Vec<Program>,
    /// How many tasks each of them has; without it, [`Program::tasks`].
    pub tasks: Option<u32>,
    /// What to run on, for example [`emulators`](crate::emulators).
    pub devices: Vec<Selection>,
    /// What to compile for, `sm_90`.
    pub arch: String,
    /// Threads per block.
    pub block: u32,
    /// Blocks per launch; without it, see [`Shape`]. A program that has a thread for each task always has as many as that takes.
    pub grid: Option<u32>,
    /// Whether to show no progress bar, even on a terminal.
    pub quiet: bool,
}

impl Default for CccOptions {
    fn default() -> CccOptions {
        CccOptions {
            programs: Program::ALL.to_vec(),
            tasks: None,
            devices: crate::emulators(&crate::MACHINES, "sm_90"),
            arch: "sm_90".into(),
            block: 256,
            grid: None,
            quiet: false,
        }
    }
}

/// A suite with its inputs made and its launches chosen: what can be wrong without a compiler has been said.
pub struct Suite<'a> {
    options: &'a CccOptions,
    inputs: Vec<Input>,
}

/// A program with an input and a launch.
struct Input {
    program: Program,
    instance: Instance,
    config: LaunchConfig,
}

impl<'a> Suite<'a> {
    /// Makes the inputs and chooses the launches.
    ///
    /// # Errors
    /// What is wrong with the options.
    pub fn prepare(options: &'a CccOptions) -> Result<Suite<'a>, Error> {
        let prepare = |&program| Input::new(program, options.tasks, options.block, options.grid, &options.arch);
        let inputs = options.programs.iter().map(prepare).collect::<Result<_, _>>()?;
        Ok(Suite { options, inputs })
    }

    /// Compiles, rewrites, runs and compares.
    ///
    /// # Errors
    /// What the CUDA compiler, the rewriter or the device say of a kernel. That a variant's result is wrong is a row of the
    /// report, not an error.
    pub fn run(&self, toolkit: &Toolkit) -> Result<CccReport, Error> {
        let Suite { options, inputs } = self;
        let steps = Steps::new("programs", inputs.len() as u64, options.quiet);
        let run = |input: &Input| {
            let built = Built::new(input.program, options.block, &options.arch, toolkit)?;
            let report = built.measure(input, &options.devices);
            steps.advance();
            report
        };
        let programs: Vec<Result<ProgramReport, Error>> = inputs.par_iter().map(run).collect();
        steps.finish();
        Ok(CccReport {
            suite: "ccc".into(),
            device: options.devices.first().map_or("", |device| device.word()).into(),
            arch: options.arch.clone(),
            block: options.block,
            programs: programs.into_iter().collect::<Result<_, _>>()?,
        })
    }
}

/// Prepares and runs the suite.
///
/// # Errors
/// As [`Suite::prepare`] and [`Suite::run`].
pub fn run_suite(options: &CccOptions, toolkit: &Toolkit) -> Result<CccReport, Error> {
    Suite::prepare(options)?.run(toolkit)
}

/// A program that is compiled and rewritten for blocks of one size; it runs with any input.
#[derive(Clone, Debug)]
pub struct Built {
    program: Program,
    pair: Pair,
    resources: [Resources; 2],
    block: u32,
    arch: String,
}

impl Built {
    /// Compiles and rewrites a program.
    ///
    /// # Errors
    /// As [`Source::build`](crate::Source::build).
    pub fn new(program: Program, block: u32, arch: &str, toolkit: &Toolkit) -> Result<Built, Error> {
        let pair = program.source().build(block, arch, toolkit)?;
        let resources = [pair.original.resources(arch, toolkit)?, pair.rewritten.resources(arch, toolkit)?];
        Ok(Built { program, pair, resources, block, arch: arch.into() })
    }

    /// Runs both kernels with `tasks` tasks on every device. The rows come by device, the original first.
    ///
    /// # Errors
    /// A size that the program or the device cannot have.
    pub fn run(&self, tasks: Option<u32>, grid: Option<u32>, devices: &[Selection]) -> Result<ProgramReport, Error> {
        self.measure(&Input::new(self.program, tasks, self.block, grid, &self.arch)?, devices)
    }

    fn measure(&self, input: &Input, devices: &[Selection]) -> Result<ProgramReport, Error> {
        let Input { instance, config, .. } = input;
        let pairs = devices.par_iter().map(|device| self.compare(instance, device, config)).collect::<Vec<_>>();
        let mut rows = Vec::new();
        for pair in pairs {
            rows.extend(pair?);
        }
        let regions = self.pair.regions.iter();
        let regions: Vec<Region> =
            regions.map(|region| Region { line: region.line, context_bytes: region.context_bytes }).collect();
        Ok(ProgramReport {
            program: self.program.name().into(),
            input: instance.input.clone(),
            tasks: instance.tasks,
            grid: config.grid[0],
            block: self.block,
            context_bytes: regions.iter().map(|region| region.context_bytes).sum(),
            regions,
            resources: self.resources.to_vec(),
            paper: Paper::of(self.program),
            rows,
        })
    }

    /// The original and the rewritten kernel on one device; the second result must also be the first one's bits.
    fn compare(&self, instance: &Instance, device: &Selection, config: &LaunchConfig) -> Result<[CccRow; 2], Error> {
        let run = |variant| {
            let mut device = device.open()?;
            instance.work.run(&mut *device, variant, config)
        };
        let (before, after) = rayon::join(|| run(&self.pair.original), || run(&self.pair.rewritten));
        let (before, mut after) = (before?, after?);
        if after.verdict.difference.is_none() && after.result != before.result {
            after.verdict.difference = Some("the result is the CPU's but not the original kernel's bit for bit".into());
        }
        let row = |variant: &str, ran: Ran| CccRow {
            variant: variant.into(),
            launches: ran.launches,
            results_equal: ran.verdict.difference.is_none(),
            difference: ran.verdict.difference,
            error: ran.verdict.error,
            run: ran.run,
        };
        Ok([row(&self.pair.original.name, before), row(&self.pair.rewritten.name, after)])
    }
}

impl Input {
    fn new(program: Program, tasks: Option<u32>, block: u32, grid: Option<u32>, arch: &str) -> Result<Input, Error> {
        let instance = program.instance(tasks.unwrap_or_else(|| program.tasks()))?;
        let grid = match instance.threads {
            Threads::Stride => grid,
            Threads::One => Some(instance.tasks.div_ceil(block.max(1))),
        };
        let shape = Shape::choose(instance.tasks, block, grid, arch)?;
        let config = LaunchConfig::linear(shape.grid, shape.block);
        // A loop steps by all threads and must not overflow its 32-bit counter.
        if u128::from(instance.tasks) + config.threads() > u128::from(LIMIT) {
            return Err(Error::TooManyThreads { threads: config.threads(), tasks: instance.tasks });
        }
        Ok(Input { program, instance, config })
    }
}
