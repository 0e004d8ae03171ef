//! The report of a launch.

use serde::Serialize;

use super::checks::Findings;
use super::outcome::Outcome;
use crate::stats::counts::{BlockCounts, ClassCounts, Counts, LineCounts, with_ratios};
use crate::stats::model::Model;
use crate::stats::scheduling::Scheduling;

/// The report of a launch. Its fields are the keys of the JSON report; how it ended, and what the scheduling took, stand in the
/// report that all devices give.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The outcome of the launch.
    #[serde(skip)]
    pub outcome: Outcome,
    /// The sum over all instructions.
    #[serde(flatten, serialize_with = "with_ratios")]
    pub counts: Counts,
    /// Per source line (`.loc`), in order of file and line; instructions without one come first, as line 0.
    pub lines: Vec<LineCounts>,
    /// Per line of the PTX text, in order.
    pub ptx_lines: Vec<LineCounts>,
    /// Per block of code that was run, in order of the PTX text.
    pub blocks: Vec<BlockCounts>,
    /// Per class of instructions that were run, the most issue cycles first.
    pub classes: Vec<ClassCounts>,
    /// Modelled cycles of the launch on the chip.
    #[serde(rename = "modelled")]
    pub model: Model,
    /// The findings of the checks.
    #[serde(flatten)]
    pub findings: Findings,
    /// The number of blocks that were allowed to be resident.
    pub resident_blocks: u64,
    /// The cost of scheduling splits; zero on all machines but `aware`.
    #[serde(skip)]
    pub scheduling: Scheduling,
    /// The text that the kernel printed, in the order in which it was printed.
    pub output: String,
    /// The number of `printf`s that were overwritten by later ones.
    pub output_lost: u64,
}
