//! The choices of a launch: the machine and what it is to do, how many blocks are resident, and the arguments.

use crate::memory::{Element, Pointer};

/// A machine: the scheduling of warps and the reconvergence of their lanes.
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

/// The options of the `aware` machine ("MIMD Synchronization on SIMT Architectures", MICRO 2016, Section IV.B).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aware {
    /// Lanes that have waited at a reconvergence point while their warp issued so many instructions go on without the rest. `None`
    /// is never; a warp may then deadlock where `reconvergence` does not prevent it, as on the paper's machine.
    pub timeout: Option<u64>,
    /// The branches whose lanes reconverge later than at the immediate postdominator.
    pub reconvergence: Vec<Reconvergence>,
    /// Entries of the split table that a warp has on chip; `None` is as many as it needs.
    pub split_entries: Option<u32>,
    /// Entries of the reconvergence table that a warp has on chip; `None` is as many as it needs.
    pub reconvergence_entries: Option<u32>,
    /// The order in which splits run.
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
    /// The branches whose reconvergence is delayed.
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

/// The number of blocks that may be resident at a time. A resident block is never preempted.
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
pub struct Arg(pub(crate) Vec<u8>);

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
