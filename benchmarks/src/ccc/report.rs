//! The suite's report: the JSON object of `pxrw bench ccc`.

use device::RunReport;
use serde::Serialize;

use super::paper::Paper;
use super::synthetic::SyntheticRow;
use crate::variant::Resources;

/// The measurements of one variant of a program on one device, in all its launches together.
#[derive(Clone, Debug, Serialize)]
pub struct CccRow {
    /// `original`, `ccc`, or another way of rewriting.
    pub variant: String,
    /// The number of launches the program took.
    pub launches: u32,
    /// Warp execution efficiency, the average over the launches, as the paper has it (Figure 12): a launch with little to do counts as much
    /// as a long one. The key `warp_execution_efficiency` is that of all instructions.
    pub launch_efficiency: Option<f64>,
    /// True if the result is the CPU's, within the program's error, and the rewritten kernel's is the original's bit for bit.
    pub results_equal: bool,
    /// The difference of the results, if there is one.
    pub difference: Option<String>,
    /// The largest error against the CPU, in the measure that the program's file states; 0 for equal bits.
    pub error: f64,
    /// The device's report; its keys are beside those above.
    #[serde(flatten)]
    pub run: RunReport,
}

/// A region that is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Region {
    /// The line of its `if` in the program's CUDA file.
    pub line: u32,
    /// Bytes of one context.
    pub context_bytes: u32,
}

/// The regions that a way of rewriting a program collects.
#[derive(Clone, Debug, Serialize)]
pub struct Collected {
    /// The way: `ccc`, or another.
    pub variant: String,
    /// Bytes of the contexts of all regions: what the stacks take per thread.
    pub context_bytes: u32,
    /// The regions.
    pub regions: Vec<Region>,
    /// The change of the resident warps.
    pub occupancy: Occupancy,
}

/// Resident warps over the most that a multiprocessor of the architecture holds, by the published rules, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Occupancy {
    /// The occupancy of the original kernel, by its registers and shared memory.
    pub before: f64,
    /// The occupancy of the rewritten kernel.
    pub after: f64,
    /// The occupancy of the rewritten kernel if only its shared memory counted, and not its registers.
    pub by_shared_memory: f64,
}

/// A program on every device.
#[derive(Clone, Debug, Serialize)]
pub struct ProgramReport {
    /// The program's name.
    pub program: String,
    /// Its input in words.
    pub input: String,
    /// The number of tasks the input has.
    pub tasks: u32,
    /// Blocks per launch.
    pub grid: u32,
    /// Threads per block.
    pub block: u32,
    /// The regions that each way of rewriting collects.
    pub collected: Vec<Collected>,
    /// The resources of the original and of the rewritten kernels, by ptxas.
    pub resources: Vec<Resources>,
    /// The paper's results for the program.
    pub paper: Paper,
    /// The measurements: by device, the original first.
    pub rows: Vec<CccRow>,
}

/// The result of the suite.
#[derive(Clone, Debug, Serialize)]
pub struct CccReport {
    /// `ccc`.
    pub suite: String,
    /// The device's name.
    pub device: String,
    /// The architecture that the kernels were compiled for.
    pub arch: String,
    /// Threads per block.
    pub block: u32,
    /// The programs.
    pub programs: Vec<ProgramReport>,
    /// The synthetic kernels, on the first of the devices; none if they were not asked for.
    pub synthetic: Vec<SyntheticRow>,
}

/// The values of a program on one device before and after CCC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Change {
    /// Warp execution efficiency, from 0 to 1, the average over the launches.
    pub(super) efficiency: (f64, f64),
    /// Warp instructions.
    pub(super) instructions: (u64, u64),
}

impl Change {
    /// Returns what a device measured of two variants, if it counts instructions.
    pub(super) fn of(before: &CccRow, after: &CccRow) -> Option<Change> {
        Some(Change {
            efficiency: (before.launch_efficiency?, after.launch_efficiency?),
            instructions: (before.run.counts.warp_instructions?, after.run.counts.warp_instructions?),
        })
    }

    /// Warp instructions before over those after.
    pub(super) fn issue_speedup(&self) -> f64 {
        self.instructions.0 as f64 / self.instructions.1 as f64
    }
}

impl ProgramReport {
    /// The original and a rewritten kernel on the same machine, for each machine and each way of rewriting.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&CccRow, &CccRow)> {
        // By device, the original first.
        let rows = self.rows.chunks(1 + self.collected.len());
        rows.filter_map(|rows| rows.split_first())
            .flat_map(|(before, after)| after.iter().map(move |after| (before, after)))
    }
}

impl CccReport {
    /// Returns true if every variant of every program computed what it must.
    #[must_use]
    pub fn results_equal(&self) -> bool {
        self.programs.iter().flat_map(|program| &program.rows).all(|row| row.results_equal)
            && self.synthetic.iter().all(|row| row.results_equal)
    }
}
