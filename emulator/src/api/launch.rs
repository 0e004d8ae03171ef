//! A launch: grid, block, arguments, and the machine to run them on; and the report that comes back.

use std::ops::AddAssign;
use std::sync::Arc;

use super::chip::Chip;
use super::error::Error;
use super::monitor::Monitor;
use super::outcome::Outcome;
use crate::memory::{Element, Pointer};
use crate::observe::checks::{Checks, Findings};
use crate::observe::trace::Trace;
use crate::program::Program;
use crate::stats::counts::{BlockCounts, ClassCounts, Counts, LineCounts};
use crate::stats::model::Model;

/// How warps are scheduled and where their lanes reconverge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Machine {
    /// One program counter per warp and a reconvergence stack: hardware before Volta.
    #[default]
    Stack,
    /// A program counter per thread, fair, reconverging where it can: Volta and later.
    Its,
    /// Every thread on its own, in an order drawn from the launch's seed: the meaning of the program.
    Mimd,
    /// Splits of a warp take turns; tables of splits and reconvergence points: ElTantawy and Aamodt, MICRO 2016.
    Aware,
}

impl Machine {
    /// All machines.
    pub const ALL: &'static [Machine] = &[Machine::Stack, Machine::Its, Machine::Mimd, Machine::Aware];

    /// Its name on the command line and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Machine::Stack => "stack",
            Machine::Its => "its",
            Machine::Mimd => "mimd",
            Machine::Aware => "aware",
        }
    }

    /// Says in one line what it is.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Machine::Stack => {
                "One program counter per warp and a reconvergence stack; the seed says which side of a branch runs first"
            }
            Machine::Its => "Independent thread scheduling: a program counter per thread",
            Machine::Mimd => "Every thread on its own, interleaved by the seed",
            Machine::Aware => "Adaptive warp reconvergence: splits of a warp take turns (MICRO 2016)",
        }
    }

    /// The machine of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Machine> {
        Machine::ALL.iter().copied().find(|machine| machine.name() == name)
    }
}

/// What the `aware` machine is to do ("MIMD Synchronization on SIMT Architectures", MICRO 2016, Section IV.B).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aware {
    /// Lanes that have waited at a reconvergence point while their warp issued so many instructions go on without the rest. `None`
    /// is never; a warp may then deadlock where `reconvergence` does not prevent it, as on the paper's machine.
    pub timeout: Option<u64>,
    /// Where lanes reconverge later than at the immediate postdominator of their branch.
    pub reconvergence: Vec<Reconvergence>,
    /// Entries of the split table that a warp has on chip; `None` is as many as it needs.
    pub split_entries: Option<u32>,
    /// Entries of the reconvergence table that a warp has on chip; `None` is as many as it needs.
    pub reconvergence_entries: Option<u32>,
    /// Which split runs next.
    pub order: Order,
}

impl Default for Aware {
    /// A timeout that loops of ordinary kernels do not reach, no delayed reconvergence, tables that never spill, and the paper's FIFO.
    fn default() -> Aware {
        Aware {
            timeout: Some(1 << 14),
            reconvergence: Vec::new(),
            split_entries: None,
            reconvergence_entries: None,
            order: Order::Fifo,
        }
    }
}

/// In which order the splits of a warp run on `aware`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// First in, first out, as in the paper: each runs a block of code when its turn comes.
    #[default]
    Fifo,
    /// In rounds, which the paper does not have: each runs until it takes a branch back, and splits that come to the same place become one,
    /// as in the multi-path machine that AWARE is made from (ElTantawy, Ma, O'Connor and Aamodt, "A Scalable Multi-Path
    /// Microarchitecture for Efficient GPU Control Flow", HPCA 2014: opportunistic reconvergence).
    Rounds,
}

impl Order {
    /// All orders.
    pub const ALL: [Order; 2] = [Order::Fifo, Order::Rounds];

    /// Returns what the command line calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Order::Fifo => "fifo",
            Order::Rounds => "rounds",
        }
    }
}

/// Delays the reconvergence of branches. Other branches follow as far as they must: the reconvergence point of a branch
/// postdominates those of all branches on the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconvergence {
    /// Which branches.
    pub branch: Branch,
    /// The label at which their lanes meet, a postdominator of each; `None` is the end of the kernel.
    pub point: Option<String>,
}

/// Names branches of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Branch {
    /// If a loop begins at the label, all branches that leave the loop; else the first branch behind the label.
    Label(String),
    /// The branch at a line of the PTX text, from 1.
    Line(u32),
}

/// What the scheduling of splits took. Only `aware` has splits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scheduling {
    /// Entries made in split tables.
    pub splits: u64,
    /// Entries made in reconvergence tables.
    pub reconvergences: u64,
    /// Groups of lanes that went on without the rest of those that they were to reconverge with.
    pub timeouts: u64,
    /// Splits that were put off the chip because the table was full, 12 bytes each.
    pub split_spills: u64,
    /// Splits that were fetched back to run.
    pub split_fills: u64,
    /// Reconvergence points that were put off the chip because the table was full, 16 bytes each.
    pub reconvergence_spills: u64,
    /// Reconvergence points that were fetched back because lanes arrived or left.
    pub reconvergence_fills: u64,
    /// The most splits that a warp had at a time.
    pub most_splits: u32,
    /// The most reconvergence points that a warp had at a time.
    pub most_reconvergences: u32,
}

impl AddAssign for Scheduling {
    fn add_assign(&mut self, other: Scheduling) {
        self.splits += other.splits;
        self.reconvergences += other.reconvergences;
        self.timeouts += other.timeouts;
        self.split_spills += other.split_spills;
        self.split_fills += other.split_fills;
        self.reconvergence_spills += other.reconvergence_spills;
        self.reconvergence_fills += other.reconvergence_fills;
        self.most_splits = self.most_splits.max(other.most_splits);
        self.most_reconvergences = self.most_reconvergences.max(other.most_reconvergences);
    }
}

/// How many blocks may be resident at a time. None is ever preempted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occupancy {
    /// This many in all.
    Blocks(u32),
    /// As many as the chip holds, given the registers per thread if they are known (`ptxas -v`).
    Chip {
        /// Registers per thread.
        registers: Option<u32>,
    },
}

/// One argument: its bytes, as many as the kernel's parameter has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg(Vec<u8>);

impl Arg {
    /// A number.
    #[must_use]
    pub fn value<T: Element>(value: T) -> Arg {
        let mut bytes = vec![0; T::BYTES];
        T::put_all(&[value], &mut bytes);
        Arg(bytes)
    }

    /// The bytes of a structure, laid out as the device does.
    #[must_use]
    pub fn bytes(bytes: &[u8]) -> Arg {
        Arg(bytes.to_vec())
    }
}

impl From<Pointer> for Arg {
    fn from(pointer: Pointer) -> Arg {
        Arg::value(pointer.address())
    }
}

macro_rules! args {
    ($($ty:ident),*) => { $(
        impl From<$ty> for Arg {
            fn from(value: $ty) -> Arg { Arg::value(value) }
        }
    )* };
}

args!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

/// Bytes of shared memory that the system reserves for itself (CUDA C++ Programming Guide, "Compute Capability 8.x", "Shared Memory").
pub(crate) const RESERVED_SHARED: u32 = 1 << 10;

/// Bytes of shared memory that a block of any kernel may have on every chip; for more, the launch must opt in (CUDA C++ Programming Guide, "Shared Memory" of
/// each compute capability).
pub const SHARED_WITHOUT_OPT_IN: u32 = 48 << 10;

/// Everything about a launch but the program and the memory.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z; at most 1024 in all.
    pub block: [u32; 3],
    /// Dynamic shared memory per block in bytes.
    pub shared_bytes: u32,
    /// The kernel may have more than 48 KiB of shared memory per block, static and dynamic (`cudaFuncSetAttribute` with
    /// `cudaFuncAttributeMaxDynamicSharedMemorySize`).
    pub opt_in_shared: bool,
    /// The arguments in the order of the kernel's parameters.
    pub args: Vec<Arg>,
    /// The machine.
    pub machine: Machine,
    /// Chooses the interleaving of threads on `mimd`, and which side of a branch runs first on `stack`: 0 is the taken side, 1 the other one, and any
    /// other number draws that for each branch. `its` and `aware` draw nothing.
    pub seed: u64,
    /// What the `aware` machine is to do; the others do not ask.
    pub aware: Aware,
    /// The launch ends with [`Outcome::Budget`] after about this many warp instructions; 0 means no limit.
    pub step_budget: u64,
    /// How many blocks are resident at a time.
    pub resident: Occupancy,
    /// All blocks are resident together and share a workspace, by which they can wait for each other (`cudaLaunchCooperativeKernel`).
    pub cooperative: bool,
    /// Host threads; with one, everything is deterministic even where the kernel races.
    pub threads: usize,
    /// The chip: its size, and the cost of instructions.
    pub chip: Chip,
    /// Bytes of the heap that `malloc` takes from; the first launch that allocates makes it (`cudaLimitMallocHeapSize`).
    pub heap_bytes: u64,
    /// Bytes of the buffer that `printf` writes to; what it prints beyond that overwrites the oldest (`cudaLimitPrintfFifoSize`).
    pub output_bytes: usize,
    /// Which accesses to memory are checked. A checked launch runs on one host thread.
    pub checks: Checks,
    /// Where a line per warp instruction goes. A traced launch runs on one host thread.
    pub trace: Option<Trace>,
    /// Who watches the launch, and may end it.
    pub monitor: Option<Arc<Monitor>>,
}

impl Launch {
    /// A launch of one-dimensional shape on the `stack` machine of an sm_90 chip, one host thread, and a budget of 2^40 steps.
    #[must_use]
    pub fn new(blocks: u32, threads: u32) -> Launch {
        Launch {
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
            shared_bytes: 0,
            opt_in_shared: false,
            args: Vec::new(),
            machine: Machine::Stack,
            seed: 0,
            aware: Aware::default(),
            step_budget: 1 << 40,
            resident: Occupancy::Chip { registers: None },
            cooperative: false,
            threads: 1,
            chip: Chip::SM90,
            heap_bytes: 8 << 20,
            output_bytes: 1 << 20,
            checks: Checks::default(),
            trace: None,
            monitor: None,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<Arg>) -> Launch {
        self.args.push(arg.into());
        self
    }

    /// Chooses the machine.
    #[must_use]
    pub fn on(mut self, machine: Machine) -> Launch {
        self.machine = machine;
        self
    }

    /// The parameter block of the kernel: every argument at its offset.
    pub(crate) fn parameters(&self, program: &Program) -> Result<Vec<u64>, Error> {
        if self.args.len() != program.params.len() {
            return Err(Error::ArgumentCount { expected: program.params.len(), given: self.args.len() });
        }
        let mut words = vec![0u64; (program.param_bytes as usize).div_ceil(8)];
        for (index, (arg, param)) in self.args.iter().zip(&program.params).enumerate() {
            if arg.0.len() as u64 != param.bytes {
                let (expected, given) = (param.bytes, arg.0.len() as u64);
                return Err(Error::ArgumentSize { index, name: param.name.to_string(), expected, given });
            }
            for (i, &byte) in arg.0.iter().enumerate() {
                let at = param.offset as usize + i;
                words[at / 8] |= u64::from(byte) << (8 * (at % 8));
            }
        }
        Ok(words)
    }

    /// Checks the shape and returns how many blocks are resident at a time.
    pub(crate) fn check(&self, program: &Program) -> Result<u64, Error> {
        let shape = |what: String| Err(Error::Shape { what });
        let threads: u64 = self.block.iter().map(|&n| u64::from(n)).product();
        if self.grid.contains(&0) || self.block.contains(&0) {
            return shape(format!("grid {:?} and block {:?} must not have a zero", self.grid, self.block));
        }
        if threads > 1024 || self.block[0] > 1024 || self.block[1] > 1024 || self.block[2] > 64 {
            return shape(format!(
                "a block of {:?} is {threads} threads; at most 1024 (x 1024, y 1024, z 64)",
                self.block
            ));
        }
        if self.grid[0] > i32::MAX as u32 || self.grid[1] > 65535 || self.grid[2] > 65535 {
            return shape(format!("a grid of {:?} is too large; at most 2147483647, 65535, 65535", self.grid));
        }
        let shared = u64::from(program.shared_bytes) + u64::from(self.shared_bytes);
        let limit = self.chip.most_shared_of_block();
        if shared > u64::from(limit) {
            return shape(format!("a block needs {shared} bytes of shared memory; {} has {limit}", self.chip.name));
        }
        if shared > u64::from(SHARED_WITHOUT_OPT_IN) && !self.opt_in_shared {
            let (declared, dynamic) = (program.shared_bytes, self.shared_bytes);
            return shape(format!(
                "a block needs {shared} bytes of shared memory, {declared} that the kernel declares and {dynamic} of the launch; \
                 unless the launch opts in to more, it has {SHARED_WITHOUT_OPT_IN}"
            ));
        }
        if let Some(limit) = program.max_threads.filter(|&limit| threads > u64::from(limit)) {
            return shape(format!("a block of {threads} threads; the kernel was compiled for at most {limit}"));
        }
        if [self.aware.split_entries, self.aware.reconvergence_entries].contains(&Some(0)) {
            return shape("the tables of `aware` need at least one entry each".into());
        }
        let resident = match self.resident {
            Occupancy::Blocks(blocks) => blocks,
            Occupancy::Chip { registers } => self.chip.resident_blocks(threads as u32, shared as u32, registers),
        };
        if resident == 0 {
            return shape(format!(
                "no block of {threads} threads and {shared} bytes of shared memory fits on {}",
                self.chip.name
            ));
        }
        let blocks: u64 = self.grid.iter().map(|&n| u64::from(n)).product();
        if self.cooperative && blocks > u64::from(resident) {
            return shape(format!(
                "a cooperative launch of {blocks} blocks, of which only {resident} are resident at a time; all must be"
            ));
        }
        Ok(u64::from(resident))
    }

    /// Bytes of shared memory of a block, static and dynamic, that the kernel may use.
    pub(crate) fn user_shared(&self, program: &Program) -> u32 {
        program.shared_bytes + self.shared_bytes
    }

    /// Bytes of shared memory of a block that there are. Behind what the kernel may use lies what the system reserves, if the kernel asks where that is.
    pub(crate) fn all_shared(&self, program: &Program) -> u32 {
        let user = self.user_shared(program);
        if program.reserved_shared { user.next_multiple_of(RESERVED_SHARED) + RESERVED_SHARED } else { user }
    }
}

/// A linear index of a block or thread in three dimensions; x comes first.
pub(crate) fn in_three(linear: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [(linear % x) as u32, (linear / x % y) as u32, (linear / (x * y)) as u32]
}

/// What a launch did.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// The sum over all instructions.
    pub counts: Counts,
    /// Per source line (`.loc`), in order of file and line; instructions without one come first, as line 0.
    pub lines: Vec<LineCounts>,
    /// Per line of the PTX text, in order.
    pub ptx_lines: Vec<LineCounts>,
    /// Per block of code that was run, in order of the PTX text.
    pub blocks: Vec<BlockCounts>,
    /// Per class of instructions that were run, the most issue cycles first.
    pub classes: Vec<ClassCounts>,
    /// Modelled cycles of the launch on the chip.
    pub model: Model,
    /// What the checks found.
    pub findings: Findings,
    /// The number of blocks that were allowed to be resident.
    pub resident_blocks: u64,
    /// What the scheduling of splits took; all zero but on `aware`.
    pub scheduling: Scheduling,
    /// What the kernel printed, in the order in which it happened.
    pub output: String,
    /// The number of `printf`s that were overwritten by later ones.
    pub output_lost: u64,
}
