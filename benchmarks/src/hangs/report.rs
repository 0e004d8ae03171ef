//! The outcomes of the attempts, as a table and as JSON.

use std::fmt::Write;

use device::OutcomeKind;
use serde::{Deserialize, Serialize};

use super::Target;
use crate::document::Document;
use crate::document::columns;
use crate::ssde::Version;

/// The outcome of an attempt.
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
    /// The outcome of the launch. `budget` on a GPU: it did not end in time, see `message`.
    pub outcome: OutcomeKind,
    /// The device's message on a launch that did not finish; `None` if it did.
    pub message: Option<String>,
    /// True if the result is the CPU's; `None` if the launch did not finish.
    pub right: Option<bool>,
    /// Seconds of the one launch, which was not warmed up; `None` where the device does not measure them.
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
    /// Returns true if the outcome is as it must be: a rewritten kernel ends with the right result. M may hang, but a result that it has is right.
    #[must_use]
    pub fn is_as_expected(&self) -> bool {
        self.right == Some(true) || (self.right.is_none() && self.version == Version::Mimd.name())
    }

    /// Returns the attempt and its outcome: `ht (M, sm_60): does not end: …`.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} ({}, {}): {}", self.program, self.version, self.target.name(), self.words())
    }

    /// Returns the outcome in words.
    fn words(&self) -> String {
        let message = self.message.as_deref().unwrap_or("no message");
        match (self.outcome, self.right) {
            (_, Some(true)) => "ends, result as the CPU's".to_owned(),
            (_, Some(false)) => "ends with a WRONG result".to_owned(),
            (OutcomeKind::Budget, None) => format!("does not end: {message}"),
            (OutcomeKind::Fault, None) => format!("faults: {message}"),
            (outcome, None) => format!("hangs: {outcome}"),
        }
    }
}

impl HangReport {
    /// Returns true if every outcome is as it must be.
    #[must_use]
    pub fn is_as_expected(&self) -> bool {
        self.rows.iter().all(HangRow::is_as_expected)
    }

    /// The report as text, with lines that end in `\n` and tables of any width.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.document().to_text(None)
    }

    /// The report for a reader: lines and tables.
    #[must_use]
    pub fn document(&self) -> Document {
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
        let mut text = Document::default();
        // Writing to a document cannot fail.
        let _ = writeln!(text, "threads that wait for each other, by the target of their PTX: which of them hang?");
        text.table(table, 2);
        text
    }
}
