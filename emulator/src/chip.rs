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

use ptx_parser::Class;

/// What a launch needs to know of a device.
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

    /// How many blocks one multiprocessor holds at a time; 0 if not even one fits. `registers` is per thread, from `ptxas -v`, if known.
    /// Warps take whole warps of threads, and registers in units of 256 per warp.
    #[must_use]
    pub fn blocks_per_multiprocessor(&self, threads: u32, shared_bytes: u32, registers: Option<u32>) -> u32 {
        let warps = threads.div_ceil(32).max(1);
        let by_threads = self.threads / (warps * 32);
        let shared = if shared_bytes > 0 || self.reserved_shared_bytes > 0 {
            (shared_bytes + self.reserved_shared_bytes).next_multiple_of(128)
        } else {
            0
        };
        let by_shared = self.shared_bytes.checked_div(shared).unwrap_or(u32::MAX);
        let by_registers = registers
            .filter(|&n| n > 0)
            .map_or(u32::MAX, |registers| self.registers / ((registers * 32).next_multiple_of(256) * warps));
        self.blocks.min(by_threads).min(by_shared).min(by_registers)
    }

    /// How many blocks the whole device holds at a time.
    #[must_use]
    pub fn resident_blocks(&self, threads: u32, shared_bytes: u32, registers: Option<u32>) -> u32 {
        self.blocks_per_multiprocessor(threads, shared_bytes, registers) * self.multiprocessors
    }

    /// Results per clock cycle and multiprocessor of a class (CUDA C++ Best Practices Guide, formerly Programming Guide,
    /// "Throughput of Native Arithmetic Instructions"). Always a power of two.
    ///
    /// The guide does not list division, which is a sequence: it is given an eighth of the throughput of the multiply.
    /// Control, barriers and whatever else is not listed issue like integer arithmetic, at 64. Since compute capability 12.0 the guide has
    /// 128 for integer addition and 64 for logic, which are one class here: it is given what the guide says of addition.
    #[must_use]
    pub fn throughput(&self, class: Class) -> u32 {
        let column = match self.capability {
            (7, _) => 0,
            (8, 0) => 1,
            (8, _) => 2,
            (9, _) => 3,
            (10, 0) => 4,
            (10, _) => 5,
            _ => 6,
        };
        let row: [u32; 7] = match class {
            Class::Half => [128, 256, 128, 256, 128, 128, 128],
            Class::Single => [64, 64, 128, 128, 128, 128, 128],
            Class::Double => [2, 32, 2, 64, 64, 2, 2],
            Class::Transcendental | Class::Bits => [16; 7],
            Class::Division => [8; 7],
            Class::Shuffle | Class::Memory => [32; 7],
            Class::Convert => [64, 16, 16, 64, 64, 64, 16],
            Class::ConvertWide => [2, 16, 2, 16, 16, 2, 2],
            Class::Integer | Class::Compare => [64, 64, 64, 64, 64, 64, 128],
            Class::Multiply | Class::Shift => [64; 7],
            Class::Vote | Class::Control | Class::Barrier | Class::Special | Class::Other => [64; 7],
        };
        row[column]
    }

    /// What one warp instruction of a class costs, in sixteenths of an issue cycle: 32 lanes over the throughput.
    #[must_use]
    pub fn cost(&self, class: Class, repeats: u8) -> u64 {
        u64::from(16 * 32 / self.throughput(class)) * u64::from(repeats.max(1))
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
