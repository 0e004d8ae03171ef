//! The programs by name.

use serde::{Deserialize, Serialize};
use toolkit::Toolkit;

use super::input::Input;
use super::{am, atm, bh_fc, bh_sm, bh_st, bh_tb, cp_ds, figure4, ht, tl};
use crate::error::Error;
use crate::variant::Source;
use crate::workload::Size;

/// A program of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Program {
    /// A chained hash table.
    Ht,
    /// Transfers between accounts.
    Atm,
    /// The distance solver of a cloth.
    CpDs,
    /// Barnes-Hut: building the tree.
    BhTb,
    /// Barnes-Hut: masses of its cells.
    BhSm,
    /// Barnes-Hut: the order of the bodies.
    BhSt,
    /// Barnes-Hut: forces.
    BhFc,
    /// A lock for every few threads.
    TlFine,
    /// A lock for all.
    TlCoarse,
    /// The maxima of parts of an array.
    AmFine,
    /// The maximum of an array.
    AmCoarse,
    /// Figure 4: the write that frees a loop comes behind it.
    Behind,
    /// Figure 4: it is on the other side of a branch.
    Parallel,
    /// Figure 4: it is on one of two ways that lead on.
    Branches,
    /// Figure 4: it takes more iterations of a loop around.
    Around,
}

/// A form of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As one writes it for threads of a CPU; the paper's M.
    Mimd,
    /// Restructured by hand for a SIMT stack; the paper's S.
    Simt,
}

/// The optimisations that the compiler may do before the PTX is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimisation {
    /// Nothing: `-Xcicc -O0`.
    None,
    /// The compiler's default: `-O3`.
    Full,
}

impl Optimisation {
    /// Both, the paper's first one first.
    pub const ALL: [Optimisation; 2] = [Optimisation::None, Optimisation::Full];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Optimisation::None => "O0",
            Optimisation::Full => "O3",
        }
    }

    /// Returns what nvcc is told, and what ptxas is told.
    pub(super) fn options(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Optimisation::None => (&["-Xcicc", "-O0"], &["-O0"]),
            Optimisation::Full => (&[], &[]),
        }
    }
}

/// The most tasks: kernels count with an `int`, and some have twelve words per task.
const LARGEST: u32 = 1 << 24;

impl Program {
    /// All of them, in the order of the paper's Table I, and then Figure 4's.
    pub const ALL: [Program; 15] = [
        Program::Ht,
        Program::Atm,
        Program::CpDs,
        Program::BhTb,
        Program::BhSm,
        Program::BhSt,
        Program::BhFc,
        Program::TlFine,
        Program::TlCoarse,
        Program::AmFine,
        Program::AmCoarse,
        Program::Behind,
        Program::Parallel,
        Program::Branches,
        Program::Around,
    ];

    /// Says in one line what it is.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Program::Ht => "A chained hash table; tasks are entries",
            Program::Atm => "Transfers between accounts; tasks are transfers",
            Program::CpDs => "Distance solver of a cloth; tasks are particles",
            Program::BhTb => "Barnes-Hut, building the tree; tasks are bodies",
            Program::BhSm => "Barnes-Hut, masses of cells; tasks are bodies",
            Program::BhSt => "Barnes-Hut, order of the bodies; tasks are bodies",
            Program::BhFc => "Barnes-Hut, forces; tasks are bodies",
            Program::TlFine => "A lock for every few threads; tasks are threads",
            Program::TlCoarse => "A lock for all; tasks are threads",
            Program::AmFine => "Maxima of parts of an array; tasks are elements",
            Program::AmCoarse => "The maximum of an array; tasks are elements",
            Program::Behind => "Figure 4, the write behind the loop; tasks are threads",
            Program::Parallel => "Figure 4, the write on the other side of a branch; tasks are threads",
            Program::Branches => "Figure 4, the write on one of two ways; tasks are threads",
            Program::Around => "Figure 4, the write after more iterations around; tasks are threads",
        }
    }

    /// The program's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Program::Ht => "ht",
            Program::Atm => "atm",
            Program::CpDs => "cp-ds",
            Program::BhTb => "bh-tb",
            Program::BhSm => "bh-sm",
            Program::BhSt => "bh-st",
            Program::BhFc => "bh-fc",
            Program::TlFine => "tl-fg",
            Program::TlCoarse => "tl-cg",
            Program::AmFine => "am-fg",
            Program::AmCoarse => "am-cg",
            Program::Behind => "fig4-behind",
            Program::Parallel => "fig4-parallel",
            Program::Branches => "fig4-branches",
            Program::Around => "fig4-around",
        }
    }

    /// The file with the kernels of both forms, and the name of M's.
    #[must_use]
    pub fn source(self) -> Source<'static> {
        match self {
            Program::Ht => ht::SOURCE,
            Program::Atm => atm::SOURCE,
            Program::CpDs => cp_ds::SOURCE,
            Program::BhTb => bh_tb::SOURCE,
            Program::BhSm => bh_sm::SOURCE,
            Program::BhSt => bh_st::SOURCE,
            Program::BhFc => bh_fc::SOURCE,
            Program::TlFine | Program::TlCoarse => tl::SOURCE,
            Program::AmFine | Program::AmCoarse => am::SOURCE,
            Program::Behind => figure4::source("behind"),
            Program::Parallel => figure4::source("parallel"),
            Program::Branches => figure4::source("branches"),
            Program::Around => figure4::source("around"),
        }
    }

    /// The name of the kernel of a form. M is S where no machine deadlocks.
    #[must_use]
    pub fn kernel(self, form: Form) -> String {
        let mimd = self.source().kernel;
        if form == Form::Simt && self.deadlocks() { format!("{mimd}_simt") } else { mimd.into() }
    }

    /// Returns true if M deadlocks on a SIMT stack.
    #[must_use]
    pub fn deadlocks(self) -> bool {
        !matches!(self, Program::BhSm | Program::BhFc)
    }

    /// The PTX of both forms.
    ///
    /// # Errors
    /// What the compiler has against it.
    pub fn compile(self, optimisation: Optimisation, arch: &str, toolkit: &Toolkit) -> Result<String, Error> {
        self.source().ptx(optimisation.options().0, arch, toolkit)
    }

    /// Returns how many tasks (entries, transfers, particles, bodies, elements; of the others threads) its input has.
    #[must_use]
    pub fn tasks(self, size: Size) -> u32 {
        match (size, self) {
            (Size::Tasks(tasks), _) => tasks,
            (Size::Emulator, Program::Ht | Program::Atm | Program::AmFine | Program::AmCoarse) => 1 << 13,
            (Size::Emulator, Program::CpDs) => 1 << 12,
            (Size::Emulator, Program::BhTb | Program::BhSm | Program::BhSt | Program::BhFc) => 1 << 11,
            (Size::Emulator, Program::TlFine | Program::TlCoarse) => 1 << 9,
            // 84 MB of entries and chains, 67 of transfers and accounts: more than the 50 MB of an H200's L2.
            (Size::Gpu, Program::Ht) => 1 << 23,
            (Size::Gpu, Program::Atm) => 1 << 22,
            // The paper's sizes, or Figure 4's 64 threads, would be over in a few microseconds; a time of those is that of the launch.
            (Size::Gpu, Program::AmFine) => 1 << 24,
            (Size::Gpu, Program::TlFine) => 1 << 20,
            (Size::Gpu, Program::Parallel) => 1 << 22,
            // These queue for one lock, or each for the one before it.
            (Size::Gpu, Program::Behind | Program::Branches | Program::Around) => 1 << 10,
            // In all others threads take locks one after the other, or walk a tree that is small whatever is in it: the paper's sizes.
            (Size::Gpu, _) => self.tasks(Size::Paper),
            (Size::Paper, Program::Ht) => 80_000,
            (Size::Paper, Program::Atm) => 122_000,
            (Size::Paper, Program::AmFine | Program::AmCoarse) => 133_000,
            // The paper does not say how large its cloth is.
            (Size::Paper, Program::CpDs) => 1 << 16,
            (Size::Paper, Program::BhTb | Program::BhSm | Program::BhSt | Program::BhFc) => 30_000,
            (Size::Paper, Program::TlFine | Program::TlCoarse) => 3_000,
            (_, Program::Behind | Program::Parallel | Program::Branches | Program::Around) => 1 << 6,
        }
    }

    /// Checks that a program can have so many tasks.
    ///
    /// # Errors
    /// [`Error::Tasks`] for more than that, or none at all.
    pub(crate) fn check(tasks: u32) -> Result<(), Error> {
        if (1..=LARGEST).contains(&tasks) { Ok(()) } else { Err(Error::Tasks { tasks, limit: LARGEST }) }
    }

    /// An input of this size, the same on each run.
    ///
    /// # Errors
    /// [`Error::Tasks`] for more tasks than the program's input can have, or none at all.
    pub fn input(self, size: Size) -> Result<Input, Error> {
        let tasks = self.tasks(size);
        Program::check(tasks)?;
        Ok(match self {
            Program::Ht => ht::input(tasks),
            // The paper's transfers hardly ever meet, so small inputs have fewer accounts.
            Program::Atm => atm::input(tasks, if size == Size::Paper { 1_000_000 } else { tasks / 2 + 2 }),
            Program::CpDs => cp_ds::input(tasks),
            Program::BhTb => bh_tb::input(tasks),
            Program::BhSm => bh_sm::input(tasks),
            Program::BhSt => bh_st::input(tasks),
            Program::BhFc => bh_fc::input(tasks),
            Program::TlFine => tl::input(tasks, Some(4)),
            Program::TlCoarse => tl::input(tasks, None),
            Program::AmFine => am::input(tasks, Some(64)),
            Program::AmCoarse => am::input(tasks, None),
            Program::Behind => figure4::behind(tasks),
            Program::Parallel => figure4::parallel(tasks),
            Program::Branches => figure4::branches(tasks),
            Program::Around => figure4::around(tasks),
        })
    }
}
