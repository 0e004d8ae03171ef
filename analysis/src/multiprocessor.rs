//! The capacity of a multiprocessor, and its throughput for each class of instructions. They are the units for the costs of a rewrite.
//!
//! The numbers of a chip are in the emulator's table of chips, which says where they come from; the throughputs are the guide's.

use ptx_parser::Class;

/// The limits of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiprocessor {
    /// Compute capability, `(9, 0)`.
    pub capability: (u32, u32),
    /// Threads that it holds.
    pub threads: u32,
    /// Blocks that it holds.
    pub blocks: u32,
    /// Registers.
    pub registers: u32,
    /// Bytes of shared memory.
    pub shared_bytes: u32,
    /// Bytes of shared memory that the system takes of every block.
    pub reserved_shared_bytes: u32,
}

/// Shared memory is given out in units of so many bytes.
const SHARED_UNIT: u32 = 128;

impl Multiprocessor {
    /// That of compute capability 9.0, the one that programs are compiled for unless something else is said.
    pub const HOPPER: Multiprocessor = Multiprocessor {
        capability: (9, 0),
        threads: 2048,
        blocks: 32,
        registers: 65536,
        shared_bytes: 228 << 10,
        reserved_shared_bytes: 1 << 10,
    };

    /// Returns how many blocks it holds at a time; 0 if not even one fits. `registers` is per thread, from `ptxas -v`, if known.
    /// Warps take whole warps of threads, and registers in units of 256 per warp (`cuda_occupancy.h`).
    #[must_use]
    pub fn resident_blocks(&self, threads: u32, shared_bytes: u32, registers: Option<u32>) -> u32 {
        let warps = threads.div_ceil(32).max(1);
        let by_threads = self.threads / (warps * 32);
        let shared = if shared_bytes > 0 || self.reserved_shared_bytes > 0 {
            (shared_bytes + self.reserved_shared_bytes).next_multiple_of(SHARED_UNIT)
        } else {
            0
        };
        let by_shared = self.shared_bytes.checked_div(shared).unwrap_or(u32::MAX);
        let by_registers = registers
            .filter(|&n| n > 0)
            .map_or(u32::MAX, |registers| self.registers / ((registers * 32).next_multiple_of(256) * warps));
        self.blocks.min(by_threads).min(by_shared).min(by_registers)
    }

    /// The most bytes of shared memory that each of so many blocks may have if all of them are to be resident.
    #[must_use]
    pub fn shared_of_each(&self, blocks: u32) -> u32 {
        let share = self.shared_bytes / blocks.max(1) / SHARED_UNIT * SHARED_UNIT;
        share.saturating_sub(self.reserved_shared_bytes)
    }

    /// Results per clock cycle of a class (CUDA C++ Best Practices Guide, formerly Programming Guide, "Throughput of Native Arithmetic
    /// Instructions"). Always a power of two.
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

    /// Returns what one warp instruction of a class costs, in sixteenths of an issue cycle: 32 lanes over the throughput.
    #[must_use]
    pub fn cost(&self, class: Class, repeats: u8) -> u64 {
        u64::from(16 * 32 / self.throughput(class)) * u64::from(repeats.max(1))
    }
}
