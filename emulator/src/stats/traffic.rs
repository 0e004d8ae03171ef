//! Counts of what memory instructions cause.

use std::ops::AddAssign;

/// The traffic that memory instructions caused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Traffic {
    /// Warp-level accesses to global memory.
    pub requests: u64,
    /// 32-byte sectors of global memory that they touched, each counted once per access.
    pub sectors: u64,
    /// Warp-level accesses to shared memory.
    pub shared_requests: u64,
    /// Passes over the 32 banks of shared memory that they took.
    ///
    /// An access whose words are in different banks takes one. Else lanes that access 8 bytes each go by half warps, 16 bytes by quarters, and
    /// each of these takes as many passes as one bank is asked for different words.
    pub shared_wavefronts: u64,
    /// Those among the passes that there are because a half or quarter warp asked a bank for two words.
    #[serde(rename = "bank_conflicts")]
    pub shared_conflicts: u64,
    /// Atomics of single lanes.
    pub atomics: u64,
    /// Those among them that met an earlier lane of their warp at the same address.
    pub atomics_serialised: u64,
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Traffic) {
        // A field that is forgotten here does not compile.
        let Traffic {
            requests,
            sectors,
            shared_requests,
            shared_wavefronts,
            shared_conflicts,
            atomics,
            atomics_serialised,
        } = other;
        self.requests += requests;
        self.sectors += sectors;
        self.shared_requests += shared_requests;
        self.shared_wavefronts += shared_wavefronts;
        self.shared_conflicts += shared_conflicts;
        self.atomics += atomics;
        self.atomics_serialised += atomics_serialised;
    }
}
