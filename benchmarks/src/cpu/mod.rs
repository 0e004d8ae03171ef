//! Kernels as code of the CPU: the paper's five programs and others, translated in each treatment of implicit synchronisation, beside native C++.
//!
//! ```text
//!  program.rs: kernels, inputs (reduction.rs, sorting.rs, cg.rs, dense.rs, common.rs, collected.rs) ── launches.rs ──┐
//!                                          ways.rs: devices for treatments and threads ── measure.rs: rounds ── report.rs ── render.rs, plot.rs
//!                                       native/: C++ of the same algorithms ──────────────────────┘
//! ```
//!
//! The paper is Guo, Zhang and Shen, "Correctly Treating Synchronizations in Compiling Fine-Grained SPMD-Threaded Programs for CPU" (PACT 2011). The kernels are written
//! in the style of its sources. Every result is compared with a reference in the same run, and a wrong one has no speed.

mod case;
mod cg;
mod collected;
mod common;
mod dense;
mod floats;
mod launches;
mod measure;
mod plot;
mod program;
mod reduction;
mod render;
mod report;
mod sorting;
mod ways;

use std::sync::Arc;
use std::time::Duration;

use ::cpu::{Cache, Sync};
use device::Monitor;
use rayon::prelude::*;
use toolkit::{Scratch, Toolkit};

use crate::error::Error;
use crate::native::Native;
use crate::progress::Steps;
use case::Case;
use measure::Measured;
use report::{Row, Rows};
use ways::{Code, Devices, Settings, Texts, Way};

pub use program::{Program, Size};
pub use report::{CodeReport, CpuReport, KnownAnswer, ProgramReport, Sum};

/// The options of native code beside those of every suite: those with which translated kernels are compiled.
const FLAGS: [&str; 3] = ["-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"];

/// The paper's sum of 2^24 ones without implicit synchronisation.
const PAPER_BASIC: (u32, i32) = (1 << 24, 200_704);

/// The choice of what to measure.
#[derive(Clone, Debug)]
pub struct CpuOptions {
    /// The programs.
    pub programs: Vec<Program>,
    /// The treatments of implicit synchronisation.
    pub treatments: Vec<Sync>,
    /// The size of their inputs.
    pub size: Size,
    /// Rounds that count.
    pub rounds: u32,
    /// The time after which a program begins no other round.
    pub limit: Duration,
    /// All host threads; 0 for as many as there are cores.
    pub threads: u32,
    /// The architecture to compile for, `sm_90`.
    pub arch: String,
    /// The compiled kernels of earlier runs; `None` to compile each time.
    pub cache: Option<Cache>,
    /// True if to show no progress bar, even on a terminal.
    pub quiet: bool,
    /// Ends the suite with what was measured so far, once it is interrupted.
    pub monitor: Arc<Monitor>,
}

impl Default for CpuOptions {
    fn default() -> CpuOptions {
        CpuOptions {
            programs: Program::ALL.to_vec(),
            treatments: Sync::ALL.to_vec(),
            size: Size::Usual,
            rounds: 7,
            limit: Duration::from_secs(5),
            threads: 0,
            arch: "sm_90".into(),
            cache: Cache::of_user(),
            quiet: false,
            monitor: Arc::default(),
        }
    }
}

/// A program that is compiled, with its input.
struct Built {
    program: Program,
    case: Case,
    texts: Texts,
    devices: Devices,
}

/// Compiles the kernels and times them.
///
/// # Errors
/// No C++ or C compiler, what the CUDA compiler says, a launch that cannot start. That a result is wrong is a row of the report, not an error.
pub fn run_suite(options: &CpuOptions, toolkit: &Toolkit) -> Result<CpuReport, Error> {
    let native = Native::compile(&FLAGS)?;
    let opencl = native.compile_opencl()?;
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, |count| count.get() as u32),
        threads => threads,
    };
    // With a cache, the devices of one program share what is compiled.
    let folder = Scratch::new()?;
    let cache = options.cache.clone().unwrap_or_else(|| Cache::in_folder(folder.path()));
    let setting = Setting { threads, opencl: opencl.is_some(), cache };
    let steps = Steps::new("programs", options.programs.len() as u64, options.quiet);
    let is_over = || options.monitor.is_interrupted();
    let mut programs = Vec::new();
    let mut known_answer = None;
    for &program in &options.programs {
        if is_over() {
            break;
        }
        let measure = || -> Result<(Built, Rows), Error> {
            let mut built = build(program, options, &setting, toolkit)?;
            let measured = Measured { case: &built.case, texts: &built.texts, native: &native };
            let rows = measured.time(&mut built.devices, options.rounds, options.limit, &is_over)?;
            Ok((built, rows))
        };
        let measured = measure();
        // A program that was not measured to its end is left out, and an interrupted one may have failed for that reason.
        if is_over() {
            break;
        }
        let (mut built, mut rows) = measured?;
        if program == Program::Reduction {
            known_answer = Some(sum_of_ones(&mut built, threads, options.size)?);
        }
        rows.rows.extend(built.devices.refused.iter().map(|(way, reason)| Row {
            code: way.code.name().to_owned(),
            threads: way.threads,
            times: Vec::new(),
            difference: None,
            error: 0.0,
            refused: Some(reason.clone()),
        }));
        programs.push(ProgramReport {
            program: program.name().to_owned(),
            of_the_paper: program.is_of_the_paper(),
            warp_synchronous: program.is_warp_synchronous(),
            input: built.case.input.clone(),
            launches: rows.launches,
            rounds: rows.rounds,
            codes: rows.summarised(),
        });
        steps.advance();
    }
    steps.finish();
    Ok(CpuReport {
        suite: "cpu".into(),
        processor: processor(),
        threads,
        compiler: native.compiler.clone(),
        flags: native.flags.clone(),
        opencl,
        arch: options.arch.clone(),
        programs,
        known_answer,
    })
}

/// What this machine has.
struct Setting {
    threads: u32,
    opencl: bool,
    cache: Cache,
}

/// Makes the input of a program, compiles its kernels and translates them.
fn build(program: Program, options: &CpuOptions, setting: &Setting, toolkit: &Toolkit) -> Result<Built, Error> {
    let case = program.case(options.size, &options.arch)?;
    let texts = program.texts(&options.arch, toolkit)?;
    let mut codes = vec![Code::Native];
    codes.extend((setting.opencl && case.opencl.is_some()).then_some(Code::OpenCl));
    codes.extend(options.treatments.iter().map(|&sync| Code::Translated(sync)));
    let collected = texts.rewritten.is_some() && options.treatments.contains(&Sync::Splitting);
    codes.extend(collected.then_some(Code::Rewritten));
    let ways = Way::all(setting.threads, &codes);
    let settings =
        Settings { cache: setting.cache.clone(), arch: options.arch.clone(), monitor: Arc::clone(&options.monitor) };
    let open = |ways: &[Way]| Devices::open(ways, &case, &texts, &settings);
    // The cache is filled by one way for each treatment, side by side.
    let first: Vec<Way> = ways.iter().copied().filter(|way| way.threads == 1).collect();
    first.par_iter().try_for_each(|way| open(&[*way]).map(|_| ()))?;
    let devices = open(&ways)?;
    Ok(Built { program, case, texts, devices })
}

/// Has each treatment add up ones.
fn sum_of_ones(built: &mut Built, threads: u32, size: Size) -> Result<KnownAnswer, Error> {
    let ones = built.program.count(size);
    let mut sums = Vec::new();
    for &sync in Sync::ALL {
        let way = Way { code: Code::Translated(sync), threads };
        if let Some(device) = built.devices.device(way) {
            let sum = reduction::sum_of_ones(ones, device, &built.texts.ptx)?;
            sums.push(Sum { code: sync.name().to_owned(), sum });
        }
    }
    let paper_basic = (ones == PAPER_BASIC.0).then_some(PAPER_BASIC.1);
    Ok(KnownAnswer { ones, paper_basic, sums })
}

/// Returns the name of the processor, where the system has it.
fn processor() -> String {
    let description = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let names = description.lines().filter(|line| line.starts_with("model name"));
    let name = names.filter_map(|line| line.split_once(':')).map(|(_, name)| name.trim().to_owned()).next();
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}
