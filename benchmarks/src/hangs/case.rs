//! The PTX of an attempt, and its launch.

use device::{Device, EmulatorOptions, LaunchConfig, OutcomeKind, Selection};
use ptx_parser::Module;
use ssde_ptx::{Done, treat};
use toolkit::Toolkit;

use super::{Attempt, HangRow, Subject};
use crate::error::Error;
use crate::grid_size::chip;
use crate::single_launch::{Once, Value, from_u32, to_u32};
use crate::ssde::{Form, Version};
use crate::variant::{Source, Variant};
use crate::workload::{Size, Verdict, Work};

/// The spin lock.
const SPIN_LOCK: Source =
    Source { text: include_str!("lock.cu"), name: "benchmarks/src/hangs/lock.cu", kernel: "count" };

/// The oldest architecture that the CUDA compiler knows. Its PTX of these kernels has nothing that older ones lack.
const COMPILED_FOR: &str = "sm_75";

/// A PTX version that knows both targets and the compiler's line numbers.
const PTX_VERSION: (u32, u32) = (7, 0);

/// Warp instructions after which the emulator gives up. A spin lock that ends takes some thousand.
const BUDGET: u64 = 100_000_000;

/// Blocks and threads per block of the spin lock: two warps of two blocks, so that other warps also hold the lock.
const LAUNCH: (u32, u32) = (2, 64);

/// An attempt with its PTX.
#[derive(Clone, Debug)]
pub struct Case {
    /// The attempt.
    pub attempt: Attempt,
    /// The kernel.
    pub variant: Variant,
}

/// Compiles a program and makes the cases of some attempts from it. All attempts are of one program. One that cannot be rewritten has the reason in the
/// place of its case.
///
/// # Errors
/// The CUDA compiler's error.
pub fn cases(attempts: &[Attempt], toolkit: &Toolkit) -> Result<Vec<Result<Case, String>>, Error> {
    let Some(first) = attempts.first() else { return Ok(Vec::new()) };
    let source = first.subject.source();
    let compiled = Module::parse(&source.ptx(&[], COMPILED_FOR, toolkit)?)?;
    Ok(attempts.iter().map(|&attempt| Case::new(attempt, compiled.clone())).collect())
}

impl Subject {
    /// The file with the kernel.
    pub(crate) fn source(self) -> Source<'static> {
        match self {
            Subject::SpinLock => SPIN_LOCK,
            Subject::Paper(program) => program.source(),
        }
    }

    /// The name of the kernel as one writes it for threads of a CPU.
    fn kernel(self) -> String {
        match self {
            Subject::SpinLock => SPIN_LOCK.kernel.to_owned(),
            Subject::Paper(program) => program.kernel(Form::Mimd),
        }
    }

    /// The launch and its check.
    fn work(self) -> Result<(LaunchConfig, Box<dyn Work>), Error> {
        match self {
            Subject::SpinLock => Ok((LaunchConfig::linear(LAUNCH.0, LAUNCH.1), Box::new(spin_lock()))),
            Subject::Paper(program) => {
                let input = program.input(Size::Emulator)?;
                Ok((input.config, Box::new(input)))
            }
        }
    }
}

/// Every thread of the launch counts once.
fn spin_lock() -> Once {
    let check = |results: &[Vec<u8>]| {
        let (counted, threads) = (to_u32(&results[0])[0], LAUNCH.0 * LAUNCH.1);
        let wrong = || format!("{counted} of {threads} threads are counted");
        Verdict { difference: (counted != threads).then(wrong), error: 0.0 }
    };
    let values = vec![Value::Input("lock", from_u32(&[0])), Value::Output("total", from_u32(&[0]))];
    Once::new(values, true, Box::new(check))
}

impl Case {
    /// Sets the target, and rewrites the kernel where the attempt is of the rewritten version. A kernel in which nothing is found is its own rewritten version.
    fn new(attempt: Attempt, mut module: Module) -> Result<Case, String> {
        let Attempt { subject, version, target } = attempt;
        module.set_version(PTX_VERSION.0, PTX_VERSION.1);
        module.set_target(target.name()).map_err(|error| error.to_string())?;
        let kernel = subject.kernel();
        if version == Version::Rewritten {
            match treat(&mut module, &kernel).map(|treated| treated.done) {
                Some(Done::Rewritten { .. } | Done::Clean) => {}
                Some(Done::Refused(refusal)) => return Err(refusal.to_string()),
                Some(Done::Lockstep) => return Err("a loop of it needs lanes that run in lockstep".to_owned()),
                None => return Err(format!("there is no kernel `{kernel}`")),
            }
        }
        let variant = Variant { name: version.name().to_owned(), ptx: module.to_string(), kernel };
        Ok(Case { attempt, variant })
    }

    /// Runs it on the emulator, on the machine that its target stands for.
    ///
    /// # Errors
    /// The emulator's error for a launch that cannot start.
    pub fn emulate(&self) -> Result<HangRow, Error> {
        let (machine, chip) = (self.attempt.target.machine(), chip(COMPILED_FOR));
        let options = EmulatorOptions { machine, step_budget: BUDGET, chip, ..EmulatorOptions::default() };
        self.run(&mut *Selection::Emulator(options).open()?)
    }

    /// Runs it on a device. A device that cannot give up a launch does not return from one that hangs.
    ///
    /// # Errors
    /// The device's error for a launch that cannot start.
    pub fn run(&self, device: &mut dyn Device) -> Result<HangRow, Error> {
        let Attempt { subject, version, target } = self.attempt;
        let (config, work) = subject.work()?;
        let ran = work.run(device, &self.variant, &config)?;
        let ended = ran.run.outcome == OutcomeKind::Finished;
        Ok(HangRow {
            program: subject.name().to_owned(),
            version: version.name().to_owned(),
            target,
            device: device.name(),
            outcome: ran.run.outcome,
            message: ran.run.message.filter(|_| !ended),
            right: ended.then_some(ran.verdict.difference.is_none()),
            seconds: ran.run.time.filter(|_| ended),
        })
    }
}
