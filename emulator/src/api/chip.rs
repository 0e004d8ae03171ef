//! Chips: how many blocks fit, and how many lanes per cycle a multiprocessor takes of each class of instruction.
//!
//! What is certain and what is not:
//!
//! - Blocks and shared memory of a multiprocessor, and the unit of registers, are those of the occupancy calculator that comes with the
//!   toolkit (`cuda_occupancy.h` of CUDA 13.0), compared for every chip here.
//! - Multiprocessors and bandwidth are those of one product per compute capability, as its data sheet has them.
//! - Throughputs up to 9.0 are those of the guide's table. The columns of 10.0, 10.3 and 12.x are one reading of a later edition of it, for
//!   which no second source was found.
//!
//! Two compute capabilities that nvcc compiles for are missing. Of 8.8 the calculator says 16 blocks and 100 KiB, but no product is
//! named. 11.0 (Jetson Thor) has 20 multiprocessors of 24 blocks and 228 KiB, but no published throughputs were found.

use analysis::Multiprocessor;
use ptx_parser::Class;

/// The properties of a device that a launch needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chip {
    /// Its name in reports.
    pub name: &'static str,
    /// Compute capability, `(9, 0)`.
    pub capability: (u32, u32),
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Threads that a multiprocessor holds.
    pub threads: u32,
    /// Blocks that a multiprocessor holds.
    pub blocks: u32,
    /// Registers of a multiprocessor.
    pub registers: u32,
    /// Bytes of shared memory of a multiprocessor.
    pub shared_bytes: u32,
    /// Bytes of shared memory that the system takes of every block.
    pub reserved_shared_bytes: u32,
    /// Bytes that its memory delivers per clock cycle: the published bandwidth over the boost clock.
    pub memory_bytes_per_cycle: u32,
}

impl Chip {
    /// Turing, as in a T4.
    pub const SM75: Chip = Chip {
        name: "sm_75",
        capability: (7, 5),
        multiprocessors: 40,
        threads: 1024,
        blocks: 16,
        registers: 65536,
        shared_bytes: 64 << 10,
        reserved_shared_bytes: 0,
        memory_bytes_per_cycle: 201,
    };
    /// Ampere, as in an A100.
    pub const SM80: Chip = Chip {
        name: "sm_80",
        capability: (8, 0),
        multiprocessors: 108,
        threads: 2048,
        blocks: 32,
        registers: 65536,
        shared_bytes: 164 << 10,
        reserved_shared_bytes: 1 << 10,
        memory_bytes_per_cycle: 1103,
    };
    /// Ampere, as in an RTX 3090.
    pub const SM86: Chip = Chip {
        name: "sm_86",
        capability: (8, 6),
        multiprocessors: 82,
        threads: 1536,
        blocks: 16,
        registers: 65536,
        shared_bytes: 100 << 10,
        reserved_shared_bytes: 1 << 10,
        memory_bytes_per_cycle: 552,
    };
    /// Ampere, as in a Jetson AGX Orin.
    pub const SM87: Chip = Chip {
        name: "sm_87",
        capability: (8, 7),
        multiprocessors: 16,
        threads: 1536,
        blocks: 16,
        registers: 65536,
        shared_bytes: 164 << 10,
        reserved_shared_bytes: 1 << 10,
        memory_bytes_per_cycle: 157,
    };
    /// Ada, as in an RTX 4090.
    pub const SM89: Chip = Chip {
        name: "sm_89",
        capability: (8, 9),
        multiprocessors: 128,
        threads: 1536,
        blocks: 24,
        registers: 65536,
        shared_bytes: 100 << 10,
        reserved_shared_bytes: 1 << 10,
        memory_bytes_per_cycle: 400,
    };
    /// Hopper, as in an H200.
    pub const SM90: Chip = Chip {
        name: "sm_90",
        capability: (9, 0),
        multiprocessors: 132,
        threads: 2048,
        blocks: 32,
        registers: 65536,
        shared_bytes: 228 << 10,
        reserved_shared_bytes: 1 << 10,
        memory_bytes_per_cycle: 2424,
    };
    /// Blackwell, as in a B200.
    pub const SM100: Chip = Chip {
        name: "sm_100",
        capability: (10, 0),
        multiprocessors: 148,
        threads: 2048,
        blocks: 32,
        registers: 65536,
        shared_bytes: 228 << 10,
        reserved_shared_bytes: 1 << 10,
        memory_bytes_per_cycle: 4071,
    };
    /// Blackwell, as in a B300.
    pub const SM103: Chip = Chip {
        name: "sm_103",
        capability: (10, 3),
        multiprocessors: 148,
        threads: 2048,
        blocks: 32,
        registers: 65536,
        shared_bytes: 228 << 10,
        reserved_shared_bytes: 1 << 10,
        memory_bytes_per_cycle: 4071,
    };
    /// Blackwell, as in an RTX 5090.
    pub const SM120: Chip = Chip {
        name: "sm_120",
        capability: (12, 0),
        multiprocessors: 170,
        threads: 1536,
        blocks: 24,
        registers: 65536,
        shared_bytes: 100 << 10,
        reserved_shared_bytes: 1 << 10,
        memory_bytes_per_cycle: 744,
    };
    /// Blackwell, as in a GB10.
    pub const SM121: Chip = Chip {
        name: "sm_121",
        capability: (12, 1),
        multiprocessors: 48,
        threads: 1536,
        blocks: 24,
        registers: 65536,
        shared_bytes: 100 << 10,
        reserved_shared_bytes: 1 << 10,
        memory_bytes_per_cycle: 113,
    };

    /// All chips.
    pub const ALL: &'static [Chip] = &[
        Chip::SM75,
        Chip::SM80,
        Chip::SM86,
        Chip::SM87,
        Chip::SM89,
        Chip::SM90,
        Chip::SM100,
        Chip::SM103,
        Chip::SM120,
        Chip::SM121,
    ];

    /// The chip of a name, `sm_90` or `sm_90a`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Chip> {
        let base = name.strip_suffix(['a', 'f']).unwrap_or(name);
        Chip::ALL.iter().find(|chip| chip.name == base).cloned()
    }

    /// The most bytes of shared memory that a block may have, if its launch opts in to that.
    #[must_use]
    pub fn most_shared_of_block(&self) -> u32 {
        self.shared_bytes - self.reserved_shared_bytes
    }

    /// The limits of one of its multiprocessors.
    #[must_use]
    pub fn multiprocessor(&self) -> Multiprocessor {
        Multiprocessor {
            capability: self.capability,
            threads: self.threads,
            blocks: self.blocks,
            registers: self.registers,
            shared_bytes: self.shared_bytes,
            reserved_shared_bytes: self.reserved_shared_bytes,
        }
    }

    /// Returns how many blocks one multiprocessor holds at a time, see [`Multiprocessor::resident_blocks`].
    #[must_use]
    pub fn blocks_per_multiprocessor(&self, threads: u32, shared_bytes: u32, registers: Option<u32>) -> u32 {
        self.multiprocessor().resident_blocks(threads, shared_bytes, registers)
    }

    /// Returns how many blocks the whole device holds at a time.
    #[must_use]
    pub fn resident_blocks(&self, threads: u32, shared_bytes: u32, registers: Option<u32>) -> u32 {
        self.blocks_per_multiprocessor(threads, shared_bytes, registers) * self.multiprocessors
    }

    /// Results per clock cycle and multiprocessor of a class, see [`Multiprocessor::throughput`].
    #[must_use]
    pub fn throughput(&self, class: Class) -> u32 {
        self.multiprocessor().throughput(class)
    }

    /// Returns what one warp instruction of a class costs, see [`Multiprocessor::cost`].
    #[must_use]
    pub fn cost(&self, class: Class, repeats: u8) -> u64 {
        self.multiprocessor().cost(class, repeats)
    }
}

/// The name of a class of instructions in reports.
#[must_use]
pub fn class_name(class: Class) -> &'static str {
    match class {
        Class::Half => "half",
        Class::Single => "single",
        Class::Double => "double",
        Class::Transcendental => "transcendental",
        Class::Division => "division",
        Class::Integer => "integer",
        Class::Compare => "compare",
        Class::Multiply => "multiply",
        Class::Shift => "shift",
        Class::Bits => "bits",
        Class::Shuffle => "shuffle",
        Class::Vote => "vote",
        Class::Convert => "convert",
        Class::ConvertWide => "convert-wide",
        Class::Memory => "memory",
        Class::Control => "control",
        Class::Barrier => "barrier",
        Class::Special => "special",
        Class::Other => "other",
    }
}
