//! The speed of the emulator, as ratios to native C++ of the same kernels, measured in the same run.
//!
//! Each kernel runs on each machine with one host thread and, on the first machine, with two, and while undefined behaviour is looked for; in
//! between, the native program runs, so that what disturbs the computer disturbs all of them. The best of some rounds counts. Results are compared each time.

pub(crate) mod programs;
mod report;

use std::borrow::Cow;
use std::sync::Arc;

use ::emulator::{Chip, Machine};
use device::{Checks, EmulatorOptions, Monitor, Selection};
use toolkit::{CudaSource, Toolkit};

use crate::error::Error;
use crate::native::{Call, Native};
use crate::progress::Steps;
use crate::variant::nvcc_options;
use programs::{Input, Ran};

pub use programs::Program;
pub use report::{Report, Row};

/// The kernels.
pub(crate) const SOURCE: &str = include_str!("kernels.cu");

/// The choice of what to time.
#[derive(Clone, Debug)]
pub struct Options {
    /// The kernels.
    pub programs: Vec<Program>,
    /// The machines.
    pub machines: Vec<Machine>,
    /// The architecture to compile for, `sm_90`.
    pub arch: String,
    /// The number of times that each is run; the best time counts.
    pub rounds: u32,
    /// True if to show no progress bar, even on a terminal.
    pub quiet: bool,
    /// Ends the suite with what was measured so far, once it is interrupted.
    pub monitor: Arc<Monitor>,
}

impl Default for Options {
    fn default() -> Options {
        let (programs, machines) = (Program::ALL.to_vec(), crate::MACHINES.to_vec());
        Options { programs, machines, arch: "sm_90".into(), rounds: 7, quiet: false, monitor: Arc::default() }
    }
}

/// A way to run a kernel.
#[derive(Clone, Copy, Debug)]
struct Way {
    machine: Machine,
    /// Host threads.
    threads: usize,
    /// Undefined behaviour is looked for, as `pxrw run` does.
    undefined: bool,
}

/// Compiles the kernels and times them.
///
/// # Errors
/// No C++ compiler, what the CUDA compiler says, a launch that does not finish, a result that is not the native one.
pub fn run(options: &Options, toolkit: &Toolkit) -> Result<Report, Error> {
    let native = Native::compile(&[])?;
    let source = CudaSource::new(SOURCE, "kernels.cu");
    let ptx = toolkit.compile_to_ptx(&source, &options.arch, &nvcc_options(&[]))?.ptx;
    let way = |&machine: &Machine| Way { machine, threads: 1, undefined: false };
    let mut ways: Vec<Way> = options.machines.iter().map(way).collect();
    if let Some(&first) = ways.first() {
        ways.extend([Way { threads: 2, ..first }, Way { undefined: true, ..first }]);
    }
    let steps = Steps::new("rounds", u64::from(options.rounds) * options.programs.len() as u64, options.quiet);
    let mut rows = Vec::new();
    'programs: for &program in &options.programs {
        let input = program.input();
        let buffers: Vec<Cow<'_, [u8]>> = input.parts.iter().map(|part| Cow::Borrowed(part.as_slice())).collect();
        let mut native_seconds = f64::INFINITY;
        let mut best: Vec<Option<Ran>> = ways.iter().map(|_| None).collect();
        for _ in 0..options.rounds {
            let call = Call { kernel: program.name(), size: input.size, buffers: &buffers };
            let ran = native.run(call, 3, 1);
            // A kernel with fewer rounds than the others is left out.
            if options.monitor.is_interrupted() {
                break 'programs;
            }
            let (seconds, results) = ran?;
            let expected = results.concat();
            native_seconds = native_seconds.min(seconds);
            for (way, best) in ways.iter().zip(&mut best) {
                let ran = once(&input, *way, options, &ptx)?;
                compare(program, *way, &ran.result, input.expected.as_ref().unwrap_or(&expected))?;
                if best.as_ref().is_none_or(|best| ran.seconds < best.seconds) {
                    *best = Some(ran);
                }
            }
            steps.advance();
        }
        let ran = ways.iter().zip(&best).filter_map(|(way, ran)| Some((way, ran.as_ref()?)));
        rows.extend(ran.map(|(way, ran)| Row {
            kernel: program.name().into(),
            machine: way.machine.name().into(),
            threads: way.threads,
            undefined: way.undefined,
            warp_instructions: ran.instructions,
            seconds: ran.seconds,
            native_seconds,
        }));
    }
    steps.finish();
    Ok(Report { suite: "emulator".into(), compiler: native.compiler.clone(), flags: native.flags.clone(), rows })
}

fn once(input: &Input, way: Way, options: &Options, ptx: &str) -> Result<Ran, Error> {
    let chip = Chip::from_name(&options.arch).unwrap_or(Chip::SM90);
    let Way { machine, threads, undefined } = way;
    let checks = Checks { undefined, ..Checks::default() };
    let emulator = EmulatorOptions { machine, threads, checks, chip, ..EmulatorOptions::default() };
    let mut device = Selection::Emulator(emulator).open()?;
    input.run(device.as_mut(), ptx)
}

/// Holds a result against the native one: whole numbers to the last bit, floats (whose products and roots both compilers round as
/// they like) up to a ten-thousandth.
fn compare(program: Program, way: Way, found: &[u8], expected: &[u8]) -> Result<(), Error> {
    let words = |bytes: &[u8]| bytes.as_chunks::<4>().0.to_vec();
    let close = |found: [u8; 4], expected: [u8; 4]| {
        let (a, b) = (f32::from_le_bytes(found), f32::from_le_bytes(expected));
        found == expected || program != Program::Bfs && (a - b).abs() <= 1e-4 * b.abs().max(1.0)
    };
    let (found, expected) = (words(found), words(expected));
    let differs = found.iter().zip(&expected).position(|(found, expected)| !close(*found, *expected));
    let number = |word: [u8; 4]| match program {
        Program::Bfs => i32::from_le_bytes(word).to_string(),
        _ => f32::from_le_bytes(word).to_string(),
    };
    match differs {
        Some(index) => Err(Error::Differs {
            kernel: program.name().into(),
            machine: way.machine.name().into(),
            index,
            found: number(found[index]),
            expected: number(expected[index]),
        }),
        None => Ok(()),
    }
}
