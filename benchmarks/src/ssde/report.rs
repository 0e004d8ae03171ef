//! The suite's report: the JSON object of `pxrw bench ssde`.

use serde::Serialize;

use super::claims::Hold;
use super::detections::DetectionRow;
use super::figures::Figures;
use super::row::SsdeRow;
use super::static_code::CodeRow;

/// A program's input.
#[derive(Clone, Debug, Serialize)]
pub struct InputRow {
    /// The program.
    pub program: String,
    /// Its input in words.
    pub input: String,
    /// Blocks.
    pub grid: u32,
    /// Threads per block.
    pub block: u32,
    /// True if M deadlocks on a stack.
    pub deadlocks: bool,
}

/// The result of the suite.
#[derive(Clone, Debug, Serialize)]
pub struct SsdeReport {
    /// `ssde`.
    pub suite: String,
    /// The device's name.
    pub device: String,
    /// The architecture that the kernels were compiled for.
    pub arch: String,
    /// The programs with their inputs.
    pub programs: Vec<InputRow>,
    /// The measurements.
    pub rows: Vec<SsdeRow>,
    /// Table III.
    pub static_code: Vec<CodeRow>,
    /// Table IV; empty if only some programs were asked for.
    pub detections: Vec<DetectionRow>,
    /// Figures 9 to 12, and the averages, from the rows.
    pub figures: Figures,
    /// The statements that must hold, each with its result.
    pub holds: Vec<Hold>,
}

impl SsdeReport {
    /// Returns true if every launch ended as it must, with the right result. That an average is worse than the paper's is no error.
    #[must_use]
    pub fn as_expected(&self) -> bool {
        self.rows.iter().all(|row| row.as_expected) && self.detections.iter().all(|row| row.missed.is_empty())
    }
}
