//! Counts of a GPU beside those of the emulator, as text.

use std::fmt::Write;

use super::counts::EfficiencyRow;
use crate::document::Document;
use crate::render::{columns, grouped, percent};

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
    use super::super::counts::Counted;
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
