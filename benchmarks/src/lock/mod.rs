//! A naive spin lock, by what its PTX says of the target: does it end?
//!
//! A chip since Volta lets the threads of a warp go on by themselves, so that a thread that has the lock can give it back. PTX for `sm_60` and older was
//! written for chips that do not, and runs as it would there (CUDA C++ Programming Guide, "Independent Thread Scheduling": compute capability 6.x
//! code on 7.x and later). So whether a lock hangs is decided by one word of the text. The rewrite of `ssde-ptx` is to end in either case.
//!
//! ```text
//!                 .target sm_60      .target sm_70
//!  M              hangs              ends
//!  M+SSDE         ends               ends            with every thread counted
//! ```
//!
//! On the emulator `sm_60` is the machine with a reconvergence stack, `sm_70` the one that schedules threads independently. On a GPU each case is a
//! process of its own, which is ended if it does not end: that is for whoever starts processes to do, with the text of a [`Case`].

use device::{Argument, Device, EmulatorOptions, LaunchConfig, Machine, OutcomeKind, Selection};
use ptx_parser::Module;
use serde::{Deserialize, Serialize};
use ssde_ptx::{Done, treat};
use toolkit::{CudaSource, Toolkit};

use crate::error::Error;
use crate::shape::chip;

/// The kernel's name.
pub const KERNEL: &str = "count";

/// The file, for messages.
const FILE: &str = "benchmarks/src/lock/lock.cu";

/// The oldest architecture that the CUDA compiler knows; what it makes of the kernel has nothing that older ones lack.
const COMPILED_FOR: &str = "sm_75";

/// A PTX version that knows both targets and the compiler's line numbers.
const PTX_VERSION: (u32, u32) = (7, 0);

/// Warp instructions after which the emulator gives up. What ends takes some thousand.
const BUDGET: u64 = 100_000_000;

/// Blocks and threads per block: more than one warp, so that the lock is also taken by others.
pub const LAUNCH: (u32, u32) = (2, 64);

/// What the PTX is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// `sm_60`: lanes of a warp wait for each other where they meet.
    Sm60,
    /// `sm_70`: they are scheduled independently.
    Sm70,
}

impl Target {
    /// Both.
    pub const ALL: [Target; 2] = [Target::Sm60, Target::Sm70];

    /// Its name in PTX.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Target::Sm60 => "sm_60",
            Target::Sm70 => "sm_70",
        }
    }

    /// The emulator's machine that such code runs on.
    #[must_use]
    pub fn machine(self) -> Machine {
        match self {
            Target::Sm60 => Machine::Stack,
            Target::Sm70 => Machine::Its,
        }
    }
}

/// A version of the kernel for one target.
#[derive(Clone, Debug)]
pub struct Case {
    /// `M`, as it was written, or `M+SSDE`.
    pub version: &'static str,
    /// What it is for.
    pub target: Target,
    /// Its text.
    pub ptx: String,
}

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LockRow {
    /// `M` or `M+SSDE`.
    pub version: String,
    /// The PTX's target.
    pub target: Target,
    /// What it ran on.
    pub device: String,
    /// How it ended; none if it did not, and the process had to be ended.
    pub outcome: Option<OutcomeKind>,
    /// Whether each thread counted once, if it ended.
    pub right: Option<bool>,
    /// Seconds that the kernel took, where the device measures them.
    pub seconds: Option<f64>,
}

/// All cases on one device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LockReport {
    /// `lock`.
    pub suite: String,
    /// `emulator` or `gpu`.
    pub device: String,
    /// The cases.
    pub rows: Vec<LockRow>,
}

/// The cases: the kernel as it is and rewritten, for each target.
///
/// # Errors
/// What the CUDA compiler says, or [`Error::Refused`] if the rewriter refuses.
pub fn cases(toolkit: &Toolkit) -> Result<Vec<Case>, Error> {
    let source = CudaSource::new(include_str!("lock.cu"), FILE);
    let compiled = Module::parse(&toolkit.compile_to_ptx(&source, COMPILED_FOR, &[])?.ptx)?;
    let mut cases = Vec::new();
    for target in Target::ALL {
        let mut module = compiled.clone();
        module.set_version(PTX_VERSION.0, PTX_VERSION.1);
        let refused = |reason: String| Error::Refused { file: FILE.to_owned(), line: 2, reason };
        module.set_target(target.name()).map_err(|error| refused(error.to_string()))?;
        cases.push(Case { version: "M", target, ptx: module.to_string() });
        match treat(&mut module, KERNEL).map(|treated| treated.done) {
            Some(Done::Rewritten { .. }) => {}
            Some(Done::Refused(refusal)) => return Err(refused(refusal.to_string())),
            Some(Done::Clean | Done::Lockstep) | None => return Err(refused("nothing is found in it".to_owned())),
        }
        cases.push(Case { version: "M+SSDE", target, ptx: module.to_string() });
    }
    Ok(cases)
}

/// Threads that count.
#[must_use]
pub fn threads() -> u32 {
    LAUNCH.0 * LAUNCH.1
}

impl Case {
    /// Runs it on the emulator, on the machine that its target stands for.
    ///
    /// # Errors
    /// What the emulator says of a launch that cannot start.
    pub fn emulate(&self) -> Result<LockRow, Error> {
        let chip = chip(COMPILED_FOR);
        let options =
            EmulatorOptions { machine: self.target.machine(), step_budget: BUDGET, chip, ..EmulatorOptions::default() };
        let mut device = Selection::Emulator(options).open()?;
        self.run(&mut *device)
    }

    /// Runs it on a device. One that cannot give a launch up does not come back from what hangs.
    ///
    /// # Errors
    /// What the device says of a launch that cannot start.
    pub fn run(&self, device: &mut dyn Device) -> Result<LockRow, Error> {
        let kernel = device.load(&self.ptx, KERNEL)?;
        let (lock, total) = (device.alloc(4, "lock")?, device.alloc(4, "total")?);
        let config = LaunchConfig::linear(LAUNCH.0, LAUNCH.1);
        let report = device.launch(kernel, &config, &[Argument::Buffer(lock), Argument::Buffer(total)])?;
        let ended = report.outcome == OutcomeKind::Finished;
        let mut bytes = [0; 4];
        if ended {
            device.download(total, 0, &mut bytes)?;
        }
        Ok(LockRow {
            version: self.version.to_owned(),
            target: self.target,
            device: device.name(),
            outcome: Some(report.outcome),
            right: ended.then(|| u32::from_le_bytes(bytes) == threads()),
            seconds: report.time,
        })
    }
}

impl LockReport {
    /// Whether what was rewritten ended in every case, with the right count.
    #[must_use]
    pub fn is_freed(&self) -> bool {
        self.rows.iter().filter(|row| row.version != "M").all(|row| row.right == Some(true))
    }

    /// The report as text, with lines that end in `\n`.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "a spin lock, {} blocks of {} threads: does it end?\n{:8}{:16}{:34}outcome\n",
            LAUNCH.0, LAUNCH.1, "", ".target", "device"
        );
        for row in &self.rows {
            let outcome = match (row.outcome, row.right) {
                (None, _) => "hangs: the process was ended".to_owned(),
                (Some(OutcomeKind::Budget), _) => "hangs: the launch was given up".to_owned(),
                (Some(_), Some(true)) => "ends, every thread counted once".to_owned(),
                (Some(_), Some(false)) => "ends with a WRONG count".to_owned(),
                (Some(outcome), None) => format!("hangs: {outcome}"),
            };
            let seconds = row.seconds.map_or(String::new(), |seconds| format!(" ({:.1} us)", seconds * 1e6));
            text += &format!("{:8}{:16}{:34}{outcome}{seconds}\n", row.version, row.target.name(), row.device);
        }
        text
    }
}
