//! The suite: compiles and rewrites each program, runs both kernels on every device, and holds the results against the CPU's
//! and against each other.

use std::sync::Arc;

use ::ccc::WARP;
use device::{LaunchConfig, Monitor, Selection};
use rayon::prelude::*;
use toolkit::Toolkit;

use super::paper::Paper;
use super::program::Program;
use super::report::{CccReport, CccRow, Collected, Occupancy, ProgramReport, Region};
use super::synthetic::{Loop, Synthetic, SyntheticRow};
use crate::error::Error;
use crate::graph::LIMIT;
use crate::grid_size::{Shape, chip};
use crate::progress::Steps;
use crate::variant::Resources;
use crate::variant::{Variant, Variants};
use crate::workload::{Instance, Threads};
use crate::workload::{Ran, Size};

/// The least number of tasks per thread, on the average, that the choice of a grid aims at. What is left on a warp's stacks at the end
/// runs with warps that are half full; after so many iterations that is little beside the rest.
const ITERATIONS: u32 = 128;

/// The choice of what to run.
#[derive(Clone, Debug)]
pub struct CccOptions {
    /// The programs.
    pub programs: Vec<Program>,
    /// The number of tasks of each program.
    pub size: Size,
    /// True if to run the synthetic kernels too.
    pub synthetic: bool,
    /// The devices to run on, for example [`emulators`](crate::emulators).
    pub devices: Vec<Selection>,
    /// The architecture to compile for, `sm_90`.
    pub arch: String,
    /// Threads per block.
    pub block: u32,
    /// Blocks per launch; without it, see [`Shape`]. A program that has a thread for each task always has as many as that takes.
    pub grid: Option<u32>,
    /// True if to show no progress bar, even on a terminal.
    pub quiet: bool,
    /// Ends the suite with what was measured so far, once it is interrupted.
    pub monitor: Arc<Monitor>,
}

impl Default for CccOptions {
    fn default() -> CccOptions {
        CccOptions {
            programs: Program::ALL.to_vec(),
            size: Size::Emulator,
            synthetic: false,
            devices: crate::emulators(&crate::MACHINES, "sm_90"),
            arch: "sm_90".into(),
            block: 256,
            grid: None,
            quiet: false,
            monitor: Arc::default(),
        }
    }
}

/// A suite with its inputs made and its launches chosen: what can be wrong without a compiler has been said.
pub struct Suite<'a> {
    options: &'a CccOptions,
    inputs: Vec<Input>,
}

/// A program with an input and a launch.
pub(crate) struct Input {
    program: Program,
    pub(crate) instance: Instance,
    pub(crate) config: LaunchConfig,
}

impl<'a> Suite<'a> {
    /// Makes the inputs and chooses the launches.
    ///
    /// # Errors
    /// What is wrong with the options.
    pub fn prepare(options: &'a CccOptions) -> Result<Suite<'a>, Error> {
        let prepare = |&program| Input::new(program, options.size, options.block, options.grid, &options.arch);
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
        let devices = crate::watched(&options.devices, &options.monitor);
        let is_over = || options.monitor.is_interrupted();
        // A program that was not measured to its end is left out.
        let run = |input: &Input| {
            if is_over() {
                return None;
            }
            let measured = Built::new(input.program, options.block, &options.arch, toolkit)
                .and_then(|built| built.measure(input, &devices));
            steps.advance();
            Some(measured).filter(|_| !is_over())
        };
        let programs: Vec<Result<ProgramReport, Error>> = inputs.par_iter().filter_map(run).collect();
        steps.finish();
        let synthetic = if options.synthetic && !is_over() { synthetic(options, toolkit)? } else { Vec::new() };
        Ok(CccReport {
            suite: "ccc".into(),
            device: options.devices.first().map_or("", |device| device.word()).into(),
            arch: options.arch.clone(),
            block: options.block,
            programs: programs.into_iter().collect::<Result<_, _>>()?,
            synthetic,
        })
    }
}

/// The synthetic kernels on the first of the devices, with whole warps.
fn synthetic(options: &CccOptions, toolkit: &Toolkit) -> Result<Vec<SyntheticRow>, Error> {
    let Some(device) = options.devices.first() else { return Ok(Vec::new()) };
    let block = options.block.next_multiple_of(WARP);
    let iterations = match options.size {
        Size::Paper => 1 << 30,
        _ => 1 << 17,
    };
    let Shape { grid, block, .. } = Shape::choose(iterations, ITERATIONS, block, options.grid, &options.arch)?;
    Synthetic::new(block, &options.arch, toolkit)?.run(Loop { iterations, grid, block }, device)
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
    pub(super) program: Program,
    pub(super) variants: Variants,
    resources: Vec<Resources>,
    pub(super) block: u32,
    pub(super) arch: String,
}

impl Built {
    /// Compiles and rewrites a program.
    ///
    /// # Errors
    /// As [`Source::build`](crate::Source::build).
    pub fn new(program: Program, block: u32, arch: &str, toolkit: &Toolkit) -> Result<Built, Error> {
        let variants = program.source().build(&program.rewrites(), block, arch, toolkit)?;
        let all = std::iter::once(&variants.original).chain(variants.rewritten.iter().map(|one| &one.variant));
        let resources = all.map(|variant| variant.resources(arch, toolkit)).collect::<Result<_, _>>()?;
        Ok(Built { program, variants, resources, block, arch: arch.into() })
    }

    /// Runs all variants with an input of this size on every device. The rows come by device, the original first.
    ///
    /// # Errors
    /// A size that the program or the device cannot have.
    pub fn run(&self, size: Size, grid: Option<u32>, devices: &[Selection]) -> Result<ProgramReport, Error> {
        self.measure(&Input::new(self.program, size, self.block, grid, &self.arch)?, devices)
    }

    fn measure(&self, input: &Input, devices: &[Selection]) -> Result<ProgramReport, Error> {
        let Input { instance, config, .. } = input;
        let compared = devices.par_iter().map(|device| self.compare(instance, device, config)).collect::<Vec<_>>();
        let mut rows = Vec::new();
        for device in compared {
            rows.extend(device?);
        }
        let collected = self.variants.rewritten.iter().zip(self.resources.iter().skip(1)).map(|(rewritten, after)| {
            let regions = rewritten.regions.iter();
            Collected {
                variant: rewritten.variant.name.clone(),
                context_bytes: regions.clone().map(|region| region.context_bytes).sum(),
                regions: regions
                    .map(|region| Region { line: region.line, context_bytes: region.context_bytes })
                    .collect(),
                occupancy: self.occupancy(after),
            }
        });
        Ok(ProgramReport {
            program: self.program.name().into(),
            input: instance.input.clone(),
            tasks: instance.tasks,
            grid: config.grid[0],
            block: self.block,
            collected: collected.collect(),
            resources: self.resources.clone(),
            paper: Paper::of(self.program),
            rows,
        })
    }

    /// Returns what a rewritten kernel leaves of the occupancy of the original, whose resources come first.
    fn occupancy(&self, after: &Resources) -> Occupancy {
        let multiprocessor = chip(&self.arch).multiprocessor();
        let share = |shared, registers| {
            let blocks = multiprocessor.resident_blocks(self.block, shared, registers);
            f64::from(blocks * self.block.div_ceil(WARP)) / f64::from(multiprocessor.threads / WARP)
        };
        let before = self.resources.first().unwrap_or(after);
        Occupancy {
            before: share(before.shared_bytes, Some(before.registers)),
            after: share(after.shared_bytes, Some(after.registers)),
            by_shared_memory: share(after.shared_bytes, None),
        }
    }

    /// All variants on one device; what a rewritten kernel leaves must also be the original's bits.
    fn compare(&self, instance: &Instance, device: &Selection, config: &LaunchConfig) -> Result<Vec<CccRow>, Error> {
        let Variants { original, rewritten } = &self.variants;
        let variants: Vec<&Variant> =
            std::iter::once(original).chain(rewritten.iter().map(|one| &one.variant)).collect();
        let run = |variant: &&Variant| {
            let mut device = device.open()?;
            instance.work.run(&mut *device, variant, config)
        };
        let mut all = variants.par_iter().map(run).collect::<Result<Vec<Ran>, Error>>()?;
        let (before, after) = all.split_at_mut(1);
        for ran in after {
            if ran.verdict.difference.is_none() && ran.result != before[0].result {
                ran.verdict.difference =
                    Some("the result is the CPU's but not the original kernel's bit for bit".into());
            }
        }
        let row = |(variant, ran): (&Variant, Ran)| CccRow {
            variant: variant.name.clone(),
            launches: ran.launches,
            launch_efficiency: ran.efficiency,
            results_equal: ran.verdict.difference.is_none(),
            difference: ran.verdict.difference,
            error: ran.verdict.error,
            run: ran.run,
        };
        Ok(variants.into_iter().zip(all).map(row).collect())
    }
}

impl Input {
    /// Makes the input, and chooses the launch.
    ///
    /// # Errors
    /// A size that the program or the device cannot have.
    pub(crate) fn new(program: Program, size: Size, block: u32, grid: Option<u32>, arch: &str) -> Result<Input, Error> {
        let instance = program.instance(program.tasks(size))?;
        let grid = match instance.threads {
            Threads::Stride => grid,
            Threads::One => Some(instance.tasks.div_ceil(block.max(1))),
        };
        let shape = Shape::choose(instance.tasks, ITERATIONS, block, grid, arch)?;
        let config = LaunchConfig::linear(shape.grid, shape.block);
        // A loop steps by all threads and must not overflow its 32-bit counter.
        if u128::from(instance.tasks) + config.threads() > u128::from(LIMIT) {
            return Err(Error::TooManyThreads { threads: config.threads(), tasks: instance.tasks });
        }
        Ok(Input { program, instance, config })
    }
}
