//! What came of the attempts, as a table and as JSON.

use device::OutcomeKind;
use serde::{Deserialize, Serialize};

use super::Target;
use crate::render::columns;

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HangRow {
    /// `lock`, or a program of the SSDE paper.
    pub program: String,
    /// `M` or `M+SSDE`.
    pub version: String,
    /// The PTX's target.
    pub target: Target,
    /// The device's name: `gpu (NVIDIA H200)`.
    pub device: String,
    /// The outcome of the launch; `None` if it did not end and its process was killed.
    pub outcome: Option<OutcomeKind>,
    /// Whether the result is the CPU's; `None` if the launch did not end.
    pub right: Option<bool>,
    /// Seconds that the kernel took; `None` where the device does not measure them.
    pub seconds: Option<f64>,
}

/// All attempts on one device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HangReport {
    /// `lock`.
    pub suite: String,
    /// `emulator` or `gpu`.
    pub device: String,
    /// The attempts.
    pub rows: Vec<HangRow>,
}

impl HangRow {
    /// Whether the launch ended with a result that is not the CPU's.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.right == Some(false)
    }

    /// The attempt and its outcome: `ht (M, sm_60): hangs: the launch was given up`.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} ({}, {}): {}", self.program, self.version, self.target.name(), self.words())
    }

    /// The outcome in words.
    fn words(&self) -> String {
        let seconds = self.seconds.map_or(String::new(), |seconds| format!(" ({:.1} us)", seconds * 1e6));
        let outcome = match (self.outcome, self.right) {
            (None, _) => "hangs: the process was killed".to_owned(),
            (Some(OutcomeKind::Budget), _) => "hangs: the launch was given up".to_owned(),
            (Some(_), Some(true)) => "ends, result as the CPU's".to_owned(),
            (Some(_), Some(false)) => "ends with a WRONG result".to_owned(),
            (Some(OutcomeKind::Fault), None) => "faults".to_owned(),
            (Some(outcome), None) => format!("hangs: {outcome}"),
        };
        outcome + &seconds
    }
}

impl HangReport {
    /// Whether every rewritten kernel ended with the right result, and nothing ended with a wrong one.
    #[must_use]
    pub fn is_freed(&self) -> bool {
        self.rows.iter().all(|row| !row.is_wrong() && (row.version == "M" || row.right == Some(true)))
    }

    /// The report as text, with lines that end in `\n`.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut table = columns(&["program", "version", ".target", "device", "outcome"], 5);
        for row in &self.rows {
            table.add_row([
                row.program.clone(),
                row.version.clone(),
                row.target.name().to_owned(),
                row.device.clone(),
                row.words(),
            ]);
        }
        format!("threads that wait for each other, by the target of their PTX: which of them hang?\n{table}\n")
    }
}
