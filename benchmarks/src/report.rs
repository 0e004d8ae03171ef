//! What a suite reports: the JSON object of `pxrw bench`, and the rows of its table.

use device::RunReport;
use serde::Serialize;

/// What was measured of one variant of a program in one launch, or in all launches of a search.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The program.
    pub program: String,
    /// `original`, or the rewrite.
    pub variant: String,
    /// The level of the search that was visited; none for all levels together.
    pub level: Option<u32>,
    /// The number of vertices the level has.
    pub frontier: usize,
    /// True if the result is the CPU's.
    pub results_equal: bool,
    /// How it differs, if it does.
    pub difference: Option<String>,
    /// What the device says; its keys stand beside those above.
    #[serde(flatten)]
    pub run: RunReport,
}

/// The input of a graph suite.
#[derive(Clone, Debug, Serialize)]
pub struct GraphSummary {
    /// The file, or what was generated.
    pub name: String,
    /// The number of vertices.
    pub vertices: u32,
    /// The number of directed edges.
    pub edges: usize,
    /// Where the search starts.
    pub source: u32,
    /// The number of vertices it reaches.
    pub reached: usize,
    /// The number of levels that takes.
    pub levels: u32,
}

/// What ptxas says of a variant.
#[derive(Clone, Debug, Serialize)]
pub struct Resources {
    /// `original`, or the rewrite.
    pub variant: String,
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Bytes of shared memory per block.
    pub shared_bytes: u32,
    /// Bytes of registers that are stored to local memory for want of registers.
    pub spill_bytes: u32,
}

/// The result of a suite.
#[derive(Clone, Debug, Serialize)]
pub struct SuiteReport {
    /// The suite's name.
    pub suite: String,
    /// The device's.
    pub device: String,
    /// The architecture that the kernels were compiled for.
    pub arch: String,
    /// The input.
    pub graph: GraphSummary,
    /// Blocks per launch.
    pub grid: u32,
    /// Threads per block.
    pub block: u32,
    /// What each variant takes of a multiprocessor.
    pub resources: Vec<Resources>,
    /// What the reader should know about the input or the launch.
    pub notes: Vec<String>,
    /// What was measured.
    pub rows: Vec<Row>,
}

impl SuiteReport {
    /// Returns true if every variant computed what the CPU did.
    #[must_use]
    pub fn results_equal(&self) -> bool {
        self.rows.iter().all(|row| row.results_equal)
    }
}
