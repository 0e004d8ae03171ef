//! Fits a launch to a kernel: its parameter block, its shared memory, and whether its blocks fit on the chip.

use super::storage::Storage;
use crate::api::error::Error;
use crate::api::launch::Launch;
use crate::api::options::Occupancy;

/// Bytes of shared memory that the system reserves for itself (CUDA C++ Programming Guide, "Compute Capability 8.x", "Shared Memory").
pub(crate) const RESERVED_SHARED: u32 = 1 << 10;

/// Bytes of shared memory that a block of any kernel may have on every chip; for more, the launch must opt in (CUDA C++ Programming Guide, "Shared Memory" of
/// each compute capability).
pub const SHARED_WITHOUT_OPT_IN: u32 = 48 << 10;

impl Launch {
    /// The parameter block of the kernel: every argument at its offset.
    pub(crate) fn parameters(&self, storage: &Storage) -> Result<Vec<u64>, Error> {
        if self.args.len() != storage.params.len() {
            return Err(Error::ArgumentCount { expected: storage.params.len(), given: self.args.len() });
        }
        let mut words = vec![0u64; (storage.param_bytes as usize).div_ceil(8)];
        for (index, (arg, param)) in self.args.iter().zip(&storage.params).enumerate() {
            if arg.0.len() as u64 != param.bytes {
                let (expected, given) = (param.bytes, arg.0.len() as u64);
                return Err(Error::ArgumentSize { index, name: param.name.to_string(), expected, given });
            }
            for (at, &byte) in (param.offset as usize..).zip(&arg.0) {
                // The block ends behind its last parameter.
                if let Some(word) = words.get_mut(at / 8) {
                    *word |= u64::from(byte) << (8 * (at % 8));
                }
            }
        }
        Ok(words)
    }

    /// Checks the shape and returns how many blocks are resident at a time.
    pub(crate) fn check(&self, storage: &Storage, max_threads: Option<u32>) -> Result<u64, Error> {
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
        let shared = u64::from(storage.shared_bytes) + u64::from(self.shared_bytes);
        let limit = self.chip.most_shared_of_block();
        if shared > u64::from(limit) {
            return shape(format!("a block needs {shared} bytes of shared memory; {} has {limit}", self.chip.name));
        }
        if shared > u64::from(SHARED_WITHOUT_OPT_IN) && !self.opt_in_shared {
            let (declared, dynamic) = (storage.shared_bytes, self.shared_bytes);
            return shape(format!(
                "a block needs {shared} bytes of shared memory, {declared} that the kernel declares and {dynamic} of the launch; \
                 unless the launch opts in to more, it has {SHARED_WITHOUT_OPT_IN}"
            ));
        }
        if let Some(limit) = max_threads.filter(|&limit| threads > u64::from(limit)) {
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
    pub(crate) fn user_shared(&self, storage: &Storage) -> u32 {
        storage.shared_bytes + self.shared_bytes
    }

    /// Bytes of shared memory of a block that there are. Behind what the kernel may use lies what the system reserves, if the kernel asks where that is.
    pub(crate) fn all_shared(&self, storage: &Storage) -> u32 {
        let user = self.user_shared(storage);
        if storage.reserved_shared { user.next_multiple_of(RESERVED_SHARED) + RESERVED_SHARED } else { user }
    }
}
