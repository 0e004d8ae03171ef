//! Counts what the scheduling of splits takes.

use std::ops::AddAssign;

/// The cost of scheduling splits. Only `aware` has splits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
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
        // A field that is forgotten here does not compile.
        let Scheduling {
            splits,
            reconvergences,
            timeouts,
            split_spills,
            split_fills,
            reconvergence_spills,
            reconvergence_fills,
            most_splits,
            most_reconvergences,
        } = other;
        self.splits += splits;
        self.reconvergences += reconvergences;
        self.timeouts += timeouts;
        self.split_spills += split_spills;
        self.split_fills += split_fills;
        self.reconvergence_spills += reconvergence_spills;
        self.reconvergence_fills += reconvergence_fills;
        self.most_splits = self.most_splits.max(most_splits);
        self.most_reconvergences = self.most_reconvergences.max(most_reconvergences);
    }
}
