//! Times of the papers' programs on a GPU, before and after a rewrite.
//!
//! ```text
//!  suite.rs ── compile all ──> for each program: input, device ──> rounds.rs: warm-up, rounds of all variants ──> report.rs
//!                                                                     │ held.rs: buffers are given back            │
//!                                                                     └ statistics.rs: median, quartiles           ├─> render.rs, plot.rs
//!                                                                                                                  └─> JSON, read again
//!  the same once more, watched by a profiler ── attribution.rs: which launches are whose ──> the report
//! ```
//!
//! The room knows a GPU by its trait [`Timed`] alone: a device whose reports have times. The tests have one that is an emulator with made-up
//! times, so that results are really computed and checked. What cannot be measured without a GPU is in no table of this repository.
//!
//! A launch that faults or does not end takes the GPU with it, up to the end of the process: the report then has what was timed before, and the
//! names of what was left out.

mod agreement;
mod attribution;
mod counts;
mod date;
mod held;
mod plot;
mod render;
mod report;
mod rounds;
mod statistics;
mod suite;
mod tables;
#[cfg(test)]
mod tests;

pub use agreement::agreement;
pub use attribution::WATCHED;
pub use counts::{Counted, EfficiencyRow};
pub use report::{GpuReport, GpuSummary, LeftOut, ProgramTimes, SUITE, SyntheticTimes, Taken, VariantTimes};
pub use rounds::{Rounds, Timed};
pub use statistics::Summary;
pub use suite::{Options, Suite, Target};
