//! Compiles what was asked for, and then times it, one program after the other: nothing else runs on the GPU, or on much of the host, meanwhile.

use ::ccc::WARP;
use device::LaunchConfig;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use toolkit::Toolkit;

use super::date::today;
use super::report::{GpuReport, GpuSummary, LeftOut, ProgramTimes, SUITE, SyntheticTimes, VariantTimes};
use super::rounds::{Rounds, Timed, time};
use crate::bfs::{self, BfsOptions};
use crate::ccc::{self, Case, Instance, Synthetic, Threads};
use crate::error::Error;
use crate::graph::LIMIT;
use crate::progress::Steps;
use crate::shape::{Shape, chip};
use crate::ssde::{self, Optimisation, Version, Versions};
use crate::variant::{Rewrite, Source, Variant, Variants};
use crate::work::{Size, Work};

/// What to time; as JSON, it tells another process the same.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Options {
    /// Breadth-first search of one graph; its devices, block and grid do not count.
    pub search: Option<BfsOptions>,
    /// Programs of the CCC paper.
    pub ccc: Vec<ccc::Program>,
    /// The synthetic kernels of its Figures 13 and 14.
    pub synthetic: bool,
    /// Programs of the SSDE paper.
    pub ssde: Vec<ssde::Program>,
    /// How many tasks each program has.
    pub size: Size,
    /// What to compile for: the architecture of the GPU, or of an older one.
    pub arch: String,
    /// Threads per block of the search and of the CCC paper's programs.
    pub block: u32,
    /// Blocks per launch of those that stride; as many as the GPU holds at once if not given (CCC paper, Section 3.1).
    pub grid: Option<u32>,
    /// Tasks that each of their threads has at least, on the average: fewer blocks are launched where there are not so many.
    pub share: u32,
    /// How often each variant runs.
    pub rounds: Rounds,
    /// Whether to show no progress bar, even on a terminal.
    pub quiet: bool,
}

impl Options {
    /// Nothing yet, for GPUs of an architecture.
    #[must_use]
    pub fn nothing(arch: &str) -> Options {
        Options {
            search: None,
            ccc: Vec::new(),
            synthetic: false,
            ssde: Vec::new(),
            size: Size::Gpu,
            arch: arch.to_owned(),
            block: 256,
            grid: None,
            share: 1,
            rounds: Rounds::default(),
            quiet: false,
        }
    }
}

/// What it is timed on.
pub struct Target<'a> {
    /// What the report says of it.
    pub summary: GpuSummary,
    /// Opens it, once for each program. A GPU's context is made anew unless the caller keeps one open.
    pub open: &'a dyn Fn() -> Result<Box<dyn Timed>, device::Error>,
}

/// Iterations of the synthetic kernels, all threads together. 34 MB are written and nothing is read, so that the L2 cache has nothing to keep; there are
/// 30 rows of two or three kernels, whose results are all copied and looked at.
const ITERATIONS: u32 = 1 << 23;

/// Programs with their inputs, as far as they are made: what can be wrong without a compiler has been said.
pub struct Suite<'a> {
    options: &'a Options,
    target: Target<'a>,
    search: Option<(String, bfs::Task)>,
}

impl<'a> Suite<'a> {
    /// Looks at the options, and reads or makes the graph of the search. The other inputs are made one after the other: together they are large.
    ///
    /// # Errors
    /// What is wrong with the options or the graph's file.
    pub fn prepare(options: &'a Options, target: Target<'a>) -> Result<Suite<'a>, Error> {
        options.ccc.iter().try_for_each(|program| ccc::Program::check(program.tasks(options.size)))?;
        options.ssde.iter().try_for_each(|program| ssde::Program::check(program.tasks(options.size)))?;
        let search = options.search.as_ref().map(bfs::task).transpose()?;
        let suite = Suite { options, target, search };
        suite.launch(1, Threads::Stride)?;
        Ok(suite)
    }

    /// Compiles and times everything.
    ///
    /// # Errors
    /// What the CUDA compiler, the rewriter or the device say of a kernel. A wrong result or a launch that does not finish is in the report.
    pub fn run(&self, toolkit: &Toolkit) -> Result<GpuReport, Error> {
        let options = self.options;
        let compiled = Compiled::new(options, toolkit)?;
        let programs = compiled.ccc.len() + compiled.ssde.len() + usize::from(self.search.is_some());
        let cases = if options.synthetic { Case::all() } else { Vec::new() };
        let steps = Steps::new("programs", (programs + cases.len()) as u64, options.quiet);
        let mut session = Session { suite: self, report: self.report(toolkit), steps, lost: None };
        if let (Some((name, task)), Some(variants)) = (&self.search, &compiled.search) {
            let config = self.launch(task.graph().vertices(), Threads::Stride)?;
            session.program("bfs", "bfs", || Ok((name.clone(), config, Box::new(task.clone()))), variants)?;
        }
        for (program, variants) in options.ccc.iter().zip(&compiled.ccc) {
            let input = || {
                let Instance { input, tasks, threads, work } = program.instance(program.tasks(options.size))?;
                Ok((input, self.launch(tasks, threads)?, work))
            };
            session.program("ccc", program.name(), input, variants)?;
        }
        for (program, versions) in options.ssde.iter().zip(&compiled.ssde) {
            session.freed(*program, versions)?;
        }
        session.synthetic(&cases, compiled.synthetic.as_ref())?;
        session.steps.finish();
        Ok(session.report)
    }

    /// The report before anything is timed.
    fn report(&self, toolkit: &Toolkit) -> GpuReport {
        let options = self.options;
        let mut notes = vec![
            "seconds lie between two CUDA events around each launch; copies and the host's part of a search are outside".to_owned(),
        ];
        if !options.ssde.is_empty() {
            notes.push(
                "ssde: at -O3; M, which may hang where lanes meet, is not run: S is what M+SSDE is held against"
                    .to_owned(),
            );
        }
        GpuReport {
            suite: SUITE.into(),
            device: format!("gpu ({})", self.target.summary.name),
            gpu: self.target.summary.clone(),
            pxrw_version: env!("CARGO_PKG_VERSION").into(),
            nvcc_version: toolkit.nvcc_version.clone(),
            date: today(),
            arch: options.arch.clone(),
            warmup: options.rounds.warmup,
            runs: options.rounds.runs,
            notes,
            programs: Vec::new(),
            synthetic: Vec::new(),
            left_out: Vec::new(),
            lock: Vec::new(),
            efficiency: Vec::new(),
        }
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

/// All kernels, before and after.
struct Compiled {
    search: Option<Vec<Variant>>,
    ccc: Vec<Vec<Variant>>,
    synthetic: Option<Synthetic>,
    ssde: Vec<Versions>,
}

impl Compiled {
    fn new(options: &Options, toolkit: &Toolkit) -> Result<Compiled, Error> {
        let Options { block, arch, .. } = options;
        let build = |source: Source<'_>, rewrites: &[Rewrite]| -> Result<Vec<Variant>, Error> {
            let Variants { original, rewritten } = source.build(rewrites, *block, arch, toolkit)?;
            Ok(std::iter::once(original).chain(rewritten.into_iter().map(|one| one.variant)).collect())
        };
        let search = options.search.as_ref().map(|_| build(bfs::SOURCE, &[Rewrite::usual()])).transpose()?;
        let ccc = options.ccc.par_iter().map(|program| build(program.source(), &program.rewrites()));
        let ccc = ccc.collect::<Result<_, Error>>()?;
        let synthetic = || Synthetic::new(block.next_multiple_of(WARP), arch, toolkit);
        let synthetic = options.synthetic.then(synthetic).transpose()?;
        let ssde = options.ssde.par_iter().map(|&program| {
            let level = Optimisation::Full;
            Versions::new(program, level, &program.compile(level, arch, toolkit)?)
        });
        Ok(Compiled { search, ccc, synthetic, ssde: ssde.collect::<Result<_, Error>>()? })
    }
}

/// An input in words, the launch, and what launches it.
type Input = (String, LaunchConfig, Box<dyn Work>);

/// What has been timed so far.
struct Session<'s> {
    suite: &'s Suite<'s>,
    report: GpuReport,
    steps: Steps,
    /// Why nothing more can be run: a launch did not finish, and the GPU is lost to this process.
    lost: Option<String>,
}

impl Session<'_> {
    /// One program, on a device of its own.
    fn program(
        &mut self,
        suite: &str,
        program: &str,
        input: impl FnOnce() -> Result<Input, Error>,
        variants: &[Variant],
    ) -> Result<(), Error> {
        if self.is_lost(suite, program) {
            return Ok(());
        }
        let (input, config, work) = input()?;
        let mut device = (self.suite.target.open)()?;
        let variants = match self.time(&mut *device, &*work, program, variants, &config) {
            Ok(variants) => variants,
            // A smaller GPU has no room for this one, and for others it has.
            Err(Error::Device(error @ device::Error::OutOfMemory { .. })) => {
                let (suite, program, reason) = (suite.into(), program.into(), error.to_string());
                self.report.left_out.push(LeftOut { suite, program, reason });
                self.steps.advance();
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let (suite, program) = (suite.to_owned(), program.to_owned());
        let [grid, ..] = config.grid;
        let [block, ..] = config.block;
        self.report.programs.push(ProgramTimes { suite, program, input, grid, block, variants });
        Ok(())
    }

    /// The synthetic kernels, on one device.
    fn synthetic(&mut self, cases: &[Case], synthetic: Option<&Synthetic>) -> Result<(), Error> {
        let Some(synthetic) = synthetic else { return Ok(()) };
        if self.is_lost("ccc", "synthetic") {
            return Ok(());
        }
        let iterations = match self.suite.options.size {
            Size::Paper => 1 << 30,
            Size::Tasks(tasks) => tasks,
            Size::Emulator | Size::Gpu => ITERATIONS,
        };
        let config = self.suite.launch(iterations, Threads::Stride)?;
        let config = LaunchConfig::linear(config.grid[0], config.block[0].next_multiple_of(WARP));
        let mut device = (self.suite.target.open)()?;
        for &case in cases {
            if self.is_lost("ccc", "synthetic") {
                break;
            }
            let variants = synthetic.variants(case);
            let Case { figure, takers, length } = case;
            let left_as_it_was = figure == 14 && variants.iter().all(|variant| variant.name != "ccc");
            let work = case.work(iterations);
            let variants = self.time(&mut *device, &work, "synthetic", &variants, &config)?;
            self.report.synthetic.push(SyntheticTimes { figure, takers, length, left_as_it_was, variants });
        }
        Ok(())
    }

    /// A program of the SSDE paper: S, and M after the elimination where that is not refused.
    fn freed(&mut self, program: ssde::Program, versions: &Versions) -> Result<(), Error> {
        if let Err(reason) = &versions.rewritten {
            let reason = format!("there is no M+SSDE: {reason}");
            self.report.left_out.push(LeftOut { suite: "ssde".into(), program: program.name().into(), reason });
            self.steps.advance();
            return Ok(());
        }
        let variants: Vec<Variant> =
            [Version::Simt, Version::Rewritten].iter().filter_map(|&version| versions.get(version).cloned()).collect();
        let size = self.suite.options.size;
        let input = move || -> Result<Input, Error> {
            let input = program.input(size)?;
            Ok((input.description.clone(), input.config, Box::new(input)))
        };
        self.program("ssde", program.name(), input, &variants)
    }

    fn time(
        &mut self,
        device: &mut dyn Timed,
        work: &dyn Work,
        program: &str,
        variants: &[Variant],
        config: &LaunchConfig,
    ) -> Result<Vec<VariantTimes>, Error> {
        let times = time(device, work, variants, config, self.suite.options.rounds, &|| ())?;
        self.steps.advance();
        if let Some(row) = times.iter().find(|row| !row.finished) {
            let what = row.difference.as_deref().unwrap_or("it did not finish");
            self.lost = Some(format!("`{program}` ({}) ended the measurement: {what}", row.variant));
        }
        Ok(times)
    }

    /// Whether the GPU is lost; then what was to be run is left out.
    fn is_lost(&mut self, suite: &str, program: &str) -> bool {
        let Some(reason) = self.lost.clone() else { return false };
        self.report.left_out.push(LeftOut { suite: suite.into(), program: program.into(), reason });
        true
    }
}
