//! The report of the timings, as JSON and as a table.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use crate::document::Document;

/// A kernel on a machine.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The kernel.
    pub kernel: String,
    /// The machine.
    pub machine: String,
    /// Host threads.
    pub threads: usize,
    /// True if undefined behaviour was looked for.
    pub undefined: bool,
    /// Warp instructions of a run.
    pub warp_instructions: u64,
    /// The best wall-clock time of a run, in seconds; launches only.
    pub seconds: f64,
    /// The best time of the native program with one thread, in the same run of the benchmark.
    pub native_seconds: f64,
}

impl Row {
    /// Returns how many times longer than native.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.seconds / self.native_seconds
    }
}

/// The result of the benchmark.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// `emulator`.
    pub suite: String,
    /// The C++ compiler's first line about itself.
    pub compiler: String,
    /// The C++ compiler's options.
    pub flags: String,
    /// The timings.
    pub rows: Vec<Row>,
}

impl Report {
    /// The report as text, with lines that end in `\n` and tables of any width.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.document().to_text(None)
    }

    /// The report for a reader: lines and tables.
    #[must_use]
    pub fn document(&self) -> Document {
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        table.set_header([
            "kernel",
            "machine",
            "checks",
            "threads",
            "Mwarp inst/s",
            "ms",
            "native ms",
            "x native",
            "x first",
        ]);
        table.column_iter_mut().skip(3).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        for row in &self.rows {
            let first = self.rows.iter().find(|other| other.kernel == row.kernel).map_or(1.0, |first| first.seconds);
            table.add_row([
                row.kernel.clone(),
                row.machine.clone(),
                if row.undefined { "undefined" } else { "none" }.into(),
                row.threads.to_string(),
                format!("{:.1}", row.warp_instructions as f64 / row.seconds / 1e6),
                format!("{:.2}", row.seconds * 1e3),
                format!("{:.2}", row.native_seconds * 1e3),
                format!("{:.1}", row.ratio()),
                format!("{:.2}", row.seconds / first),
            ]);
        }
        let mut text = Document::default();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "native: {}, {}, one thread", self.compiler, self.flags);
        text.table(table, 3);
        let _ = writeln!(
            text,
            "checks undefined: undefined behaviour is looked for; x native: times as long as native code; x first: as the kernel's first line"
        );
        text
    }
}
