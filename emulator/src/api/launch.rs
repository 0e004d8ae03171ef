//! A launch: grid, block, arguments, and the machine to run them on.

use std::sync::Arc;

use super::checks::Checks;
use super::chip::Chip;
use super::monitor::Monitor;
use super::options::{Arg, Aware, Machine, Occupancy};
use super::trace::Trace;

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
    /// The options of the `aware` machine; they have no effect on other machines.
    pub aware: Aware,
    /// The launch ends with [`Outcome::Budget`](crate::Outcome::Budget) after about this many warp instructions; 0 means no limit.
    pub step_budget: u64,
    /// The number of blocks that are resident at a time.
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
    /// The checks that the launch makes. A launch that checks memory runs on one host thread.
    pub checks: Checks,
    /// The destination of the trace: one line per warp instruction. A traced launch runs on one host thread.
    pub trace: Option<Trace>,
    /// The monitor that watches the launch, and may end it.
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
}

/// A linear index of a block or thread in three dimensions; x comes first.
pub(crate) fn in_three(linear: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [(linear % x) as u32, (linear / x % y) as u32, (linear / (x * y)) as u32]
}
