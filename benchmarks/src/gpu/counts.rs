//! Counts of a kernel's warps, on one device or on two, and the table that shows both.

use std::fmt::Write;

use device::Counts;
use serde::{Deserialize, Serialize};
use toolkit::Activity;

use crate::document::{Document, columns, grouped, percent};

/// The instructions of a run, all its launches together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// Instructions that warps executed: the machine's own on a GPU, those of PTX on an emulator.
    pub warp_instructions: u64,
    /// The same, counted once for each active lane.
    pub active_lanes: u64,
    /// The same, counted once for each lane whose guard was true.
    pub thread_instructions: u64,
    /// The average share of a warp's 32 lanes that are active, from 0 to 1.
    pub warp_execution_efficiency: f64,
    /// The same without the lanes whose guard is false, from 0 to 1.
    pub warp_nonpred_execution_efficiency: f64,
    /// The activity of the multiprocessors and the memory; `None` on an emulator.
    #[serde(default)]
    pub activity: Option<Activity>,
}

impl Counted {
    /// Returns the counts of a device; `None` where it lacks one, and where there was no instruction.
    #[must_use]
    pub fn of(counts: &Counts) -> Option<Counted> {
        Some(Counted {
            warp_instructions: counts.warp_instructions?,
            active_lanes: counts.active_lanes?,
            thread_instructions: counts.thread_instructions?,
            warp_execution_efficiency: counts.warp_execution_efficiency()?,
            warp_nonpred_execution_efficiency: counts.warp_nonpred_execution_efficiency()?,
            activity: None,
        })
    }
}

/// A kernel that was counted on both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EfficiencyRow {
    /// `ccc` or `ssde`.
    pub suite: String,
    /// The program.
    pub program: String,
    /// Its input in words.
    pub input: String,
    /// `original`, `ccc`, …; of the SSDE programs `S`, `M+SSDE`.
    pub variant: String,
    /// By Nsight Compute, of the instructions of the GPU.
    pub gpu: Counted,
    /// By the emulator, of those of the PTX.
    pub emulator: Counted,
}

impl EfficiencyRow {
    /// By how much the emulator's warp execution efficiency is above the GPU's, from -1 to 1.
    #[must_use]
    pub fn difference(&self) -> f64 {
        self.emulator.warp_execution_efficiency - self.gpu.warp_execution_efficiency
    }
}

/// Shows how far the emulator's warp execution efficiency is from a GPU's: a table and a sentence, in lines that end in `\n`.
#[must_use]
pub fn agreement(rows: &[EfficiencyRow]) -> Document {
    let mut table = columns(
        &[
            "program",
            "variant",
            "warp execution\nefficiency\non the GPU",
            "on the\nemulator\n(its)",
            "difference\nin points",
            "without false\nguards\non the GPU",
            "on the\nemulator\n(its)",
            "warp\ninstructions\nof the GPU",
            "of\nPTX",
        ],
        2,
    );
    let mut last = None;
    for row in rows {
        let EfficiencyRow { program, variant, gpu, emulator, .. } = row;
        let first = last.replace(program) != Some(program);
        table.add_row([
            if first { program.clone() } else { String::new() },
            variant.clone(),
            percent(gpu.warp_execution_efficiency),
            percent(emulator.warp_execution_efficiency),
            format!("{:+.1}", 100.0 * row.difference()),
            percent(gpu.warp_nonpred_execution_efficiency),
            percent(emulator.warp_nonpred_execution_efficiency),
            grouped(gpu.warp_instructions),
            grouped(emulator.warp_instructions),
        ]);
    }
    let mut text = Document::default();
    text.table(table, 2);
    // Writing to a document cannot fail.
    let _ = writeln!(text, "{}", in_a_sentence(rows));
    text
}

/// Summarises the rows in a sentence.
fn in_a_sentence(rows: &[EfficiencyRow]) -> String {
    let apart = |row: &EfficiencyRow| row.difference().abs();
    let Some(furthest) = rows.iter().max_by(|one, other| apart(one).total_cmp(&apart(other))) else {
        return "no kernel was counted on both".to_owned();
    };
    let mean = rows.iter().map(apart).sum::<f64>() / rows.len() as f64;
    format!(
        "{} {}: the emulator's warp execution efficiency is {:.1} points from the GPU's on the average, and {:.1} at most ({}, {})",
        rows.len(),
        if rows.len() == 1 { "kernel" } else { "kernels" },
        100.0 * mean,
        100.0 * apart(furthest),
        furthest.program,
        furthest.variant
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(warp_instructions: u64, active_lanes: u64) -> Counted {
        let share = active_lanes as f64 / (32.0 * warp_instructions as f64);
        Counted {
            warp_instructions,
            active_lanes,
            thread_instructions: active_lanes / 2,
            warp_execution_efficiency: share,
            warp_nonpred_execution_efficiency: share / 2.0,
            activity: None,
        }
    }

    fn row(variant: &str, gpu: Counted, emulator: Counted) -> EfficiencyRow {
        let (suite, program, input) = ("ccc".into(), "iefa".into(), "3 values".into());
        EfficiencyRow { suite, program, input, variant: variant.into(), gpu, emulator }
    }

    #[test]
    fn the_text_says_how_far_apart_they_are() {
        let rows = [
            row("original", counted(1000, 16_000), counted(2000, 33_920)),
            row("ccc", counted(1000, 30_400), counted(3000, 86_400)),
        ];
        let text = agreement(&rows).to_text(None);
        for expected in [
            "│ iefa    ┆ original ┆",
            "50.0 %",
            "+3.0",
            "-5.0",
            "2 kernels: the emulator's warp execution efficiency is 4.0 points from the GPU's on the average, and 5.0 at most (iefa, ccc)",
        ] {
            assert!(text.contains(expected), "no `{expected}` in\n{text}");
        }
        assert!(agreement(&[]).to_text(None).contains("no kernel was counted on both"));
    }
}
