//! Chips: how many blocks fit, and how many lanes per cycle a multiprocessor takes of each class of instruction.

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
    };

    /// All chips.
    pub const ALL: &'static [Chip] = &[Chip::SM75, Chip::SM80, Chip::SM86, Chip::SM90];

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

    /// Results per clock cycle and multiprocessor of a class (CUDA C++ Programming Guide, "Throughput of Native
    /// Arithmetic Instructions"). Always a power of two.
    ///
    /// The guide does not list division, which is a sequence: it is given an eighth of the throughput of the multiply.
    /// Control, barriers and whatever else is not listed issue like integer arithmetic.
    #[must_use]
    pub fn throughput(&self, class: Class) -> u32 {
        let column = match self.capability {
            (7, _) => 0,
            (8, 0) => 1,
            (8, _) => 2,
            _ => 3,
        };
        let row: [u32; 4] = match class {
            Class::Half => [128, 256, 128, 256],
            Class::Single => [64, 64, 128, 128],
            Class::Double => [2, 32, 2, 64],
            Class::Transcendental | Class::Bits => [16; 4],
            Class::Division => [8; 4],
            Class::Shuffle | Class::Memory => [32; 4],
            Class::Convert => [64, 16, 16, 64],
            Class::ConvertWide => [2, 16, 2, 16],
            Class::Integer
            | Class::Compare
            | Class::Multiply
            | Class::Shift
            | Class::Vote
            | Class::Control
            | Class::Barrier
            | Class::Special
            | Class::Other => [64; 4],
        };
        row[column]
    }

    /// What one warp instruction of a class costs, in sixteenths of an issue cycle: 32 lanes over the throughput.
    #[must_use]
    pub fn cost(&self, class: Class, repeats: u8) -> u64 {
        u64::from(16 * 32 / self.throughput(class)) * u64::from(repeats.max(1))
    }
}
