//! Times of the papers' programs on a GPU, before and after a rewrite.
//!
//! ```text
//!  options ── unit.rs: units ── kernels.rs: compile all, once ──> a folder, on this machine or another one
//!                                      │
//!   in a process for each unit: suite.rs: input, device ──> rounds.rs: warm-up, rounds of all variants ──> report.rs
//!                                                             │ ../scoped_device.rs: buffers are given back         │
//!                                                             └ statistics.rs: median, quartiles           │
//!   the same once more, watched by a profiler ── attribution.rs: which launches are whose ────────────────┤
//!                                                                                                          v
//!                                                              merge.rs: one report ──> render.rs, plot.rs, JSON that is read again
//! ```
//!
//! The room knows a GPU by its trait [`Timed`] alone: a device whose reports have times. The tests have one that is an emulator with made-up
//! times, so that results are really computed and checked. What cannot be measured without a GPU is in no table of this repository.
//!
//! A launch that faults or does not end loses the GPU to its process. [`UnitResults`] then name the units that were done, and the process that started
//! it continues with the others.

mod attribution;
mod counts;
mod date;
mod kernels;
mod merge;
mod options;
mod plot;
mod rehearsal;
mod render;
mod report;
mod rounds;
mod statistics;
mod suite;
mod tables;
#[cfg(test)]
mod tests;
mod unit;

pub use attribution::WATCHED;
pub use counts::{Counted, EfficiencyRow, agreement};
pub use kernels::{FolderError, Kernels, hash_of};
pub use merge::NOT_COUNTED;
pub use options::{Options, Rounds};
pub use rehearsal::{Rehearsal, UnitCost, rehearse};
pub use report::{GpuReport, GpuSummary, LeftOut, ProgramTimes, SUITE, SyntheticTimes, Taken, VariantTimes};
pub use rounds::Timed;
pub use statistics::Summary;
pub use suite::{Suite, Target, UnitResults};
pub use unit::Unit;
