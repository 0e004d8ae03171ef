//! Programs whose threads wait for each other, by the `.target` of their PTX: which of them hang?
//!
//! A chip since Volta schedules the threads of a warp independently, so that a thread that has a lock can release it. PTX for `sm_60` and older was
//! written for chips that do not, and runs as it would there (CUDA C++ Programming Guide, "Independent Thread Scheduling": compute capability 6.x
//! code on 7.x and later). So one word of the text decides whether a lock hangs. The rewrite of `ssde-ptx` must end in either case.
//!
//! ```text
//!                 .target sm_60      .target sm_70
//!  M              hangs              ends
//!  M+SSDE         ends               ends            with the CPU's result
//! ```
//!
//! An [`Attempt`] is one cell of this table, for a naive spin lock or a program of the SSDE paper; a [`Case`] is its PTX with its input. On the
//! emulator `sm_60` is the machine with a reconvergence stack, `sm_70` the one that schedules threads independently. On a GPU a launch that does not end
//! loses the GPU to its process. Starting processes is the command line's job.

mod case;
mod report;

use device::Machine;
use serde::{Deserialize, Serialize};

use crate::ssde::{Program, Version};

pub use case::{Case, cases};
pub use report::{HangReport, HangRow};

/// A program whose threads wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// One spin lock that all threads take and release once.
    SpinLock,
    /// A program of the SSDE paper, with the emulator's input.
    Paper(Program),
}

impl Subject {
    /// The name in reports: `lock`, `ht`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Subject::SpinLock => "lock",
            Subject::Paper(program) => program.name(),
        }
    }
}

/// The architecture that PTX names in its `.target`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// `sm_60`: lanes of a warp wait for each other at reconvergence points.
    Sm60,
    /// `sm_70`: lanes are scheduled independently.
    Sm70,
}

impl Target {
    /// Both.
    pub const ALL: [Target; 2] = [Target::Sm60, Target::Sm70];

    /// Returns its name in PTX.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Target::Sm60 => "sm_60",
            Target::Sm70 => "sm_70",
        }
    }

    /// Returns the emulator's machine that schedules as such code expects.
    #[must_use]
    pub fn machine(self) -> Machine {
        match self {
            Target::Sm60 => Machine::Stack,
            Target::Sm70 => Machine::Its,
        }
    }
}

/// A version of a program for a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The program.
    pub subject: Subject,
    /// [`Version::Mimd`] or [`Version::Rewritten`].
    pub version: Version,
    /// The target of its PTX.
    pub target: Target,
}

impl Attempt {
    /// Returns those of the spin lock.
    #[must_use]
    pub fn spin_lock() -> Vec<Attempt> {
        Attempt::in_order(&[Subject::SpinLock], &Target::ALL)
    }

    /// Returns those of the spin lock and of all programs of the SSDE paper. M+SSDE of the programs is tried for `sm_60` alone, because the suite that takes times
    /// runs it for the GPU's own architecture.
    #[must_use]
    pub fn all() -> Vec<Attempt> {
        let papers = Program::ALL.map(Subject::Paper);
        let mut attempts = Attempt::spin_lock();
        attempts.extend(Attempt::in_order(&papers, &[Target::Sm60]));
        attempts.sort_by_key(|attempt| attempt.is_expected_to_hang());
        attempts
    }

    /// Returns M for both targets and M+SSDE for some.
    fn in_order(subjects: &[Subject], rewritten: &[Target]) -> Vec<Attempt> {
        let of = |&subject: &Subject| {
            let version = move |version, target| Attempt { subject, version, target };
            let plain = Target::ALL.map(|target| version(Version::Mimd, target));
            let rewritten = rewritten.iter().map(move |&target| version(Version::Rewritten, target));
            plain.into_iter().chain(rewritten).collect::<Vec<_>>()
        };
        let mut attempts: Vec<Attempt> = subjects.iter().flat_map(of).collect();
        attempts.sort_by_key(|attempt| attempt.is_expected_to_hang());
        attempts
    }

    /// Returns true for M for `sm_60` of a program that deadlocks on a SIMT stack. These attempts come last.
    #[must_use]
    pub fn is_expected_to_hang(&self) -> bool {
        let deadlocks = match self.subject {
            Subject::SpinLock => true,
            Subject::Paper(program) => program.deadlocks(),
        };
        deadlocks && self.version == Version::Mimd && self.target == Target::Sm60
    }
}
