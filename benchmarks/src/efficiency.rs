//! Is the warp execution efficiency that the emulator counts that of a GPU?
//!
//! The same PTX runs in the same launches on the same inputs, on a GPU that a profiler watches and on the emulator:
//!
//! ```text
//!  programs of both papers ──┬─ the GPU, in a process of its own ── Nsight Compute ──┐
//!                            └─ the emulator, machine `its` ── counts ──────────────┴── a row for each kernel ── by how much they differ
//! ```
//!
//! They do not count the same instructions: the GPU executes what its driver makes of the PTX, in which short branches are gone, loops are unrolled and
//! predicates stand where there were jumps. So both counts of instructions are in the row, and the efficiency without lanes whose guard is false as well.
//!
//! To start the process with the profiler is for whoever starts processes to do.

use std::collections::HashMap;
use std::fmt::Write;

use device::{Emulated, EmulatorOptions, Machine};
use rayon::prelude::*;
use serde::Serialize;

use crate::ccc;
use crate::document::Document;
use crate::gpu::{
    Counted, EfficiencyRow, GpuReport, GpuSummary, Kernels, LeftOut, Options, Suite, Target, Timed, UnitResults,
    WATCHED, agreement,
};
use crate::grid_size::chip;
use crate::ssde;
use crate::workload::Size;

/// Tasks per thread. What collects contexts has little to collect from with fewer.
const SHARE: u32 = 128;

/// All kernels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EfficiencyReport {
    /// `efficiency`.
    pub suite: String,
    /// The GPU's name: `gpu (NVIDIA H200)`.
    pub device: String,
    /// The architecture that the kernels were compiled for.
    pub arch: String,
    /// The version of Nsight Compute.
    pub profiler: String,
    /// The kernels that were counted on both.
    pub rows: Vec<EfficiencyRow>,
    /// The others.
    pub left_out: Vec<LeftOut>,
}

/// Returns what is to be run on both: the programs of both papers, on inputs that the emulator gets through if no number of tasks is given.
#[must_use]
pub fn options(arch: &str, tasks: Option<u32>) -> Options {
    Options {
        ccc: ccc::Program::ALL.to_vec(),
        ssde: ssde::Program::ALL.to_vec(),
        size: tasks.map_or(Size::Emulator, Size::Tasks),
        share: SHARE,
        rounds: WATCHED,
        ..Options::nothing(arch)
    }
}

/// Runs the same on the emulator, with the grids of the GPU: all programs side by side, on as many threads as the host has.
#[must_use]
pub fn emulate(options: &Options, summary: &GpuSummary, kernels: &Kernels) -> GpuReport {
    // Each program has one thread of the host, as is the default: kernels that queue for a lock have the same counts each time.
    let emulator = EmulatorOptions { machine: Machine::Its, chip: chip(&options.arch), ..EmulatorOptions::default() };
    let results = |unit| -> UnitResults {
        let open = || Ok(Box::new(Emulated::new(emulator.clone())) as Box<dyn Timed>);
        let target = Target { summary: summary.clone(), open: &open };
        Suite::new(options, kernels, target).run(&[unit], None, &mut |_| ())
    };
    let all: Vec<UnitResults> = options.units().into_par_iter().map(results).collect();
    let mut report = GpuReport::nothing(options, kernels, summary);
    all.into_iter().for_each(|results| report.append(results.report));
    report
}

/// Pairs the kernels of a GPU's report, which a profiler has counted, with those of the emulator's. A kernel with a wrong result is left out, as is one that is
/// in one of the reports alone.
#[must_use]
pub fn compare(on_gpu: &GpuReport, emulated: &GpuReport) -> (Vec<EfficiencyRow>, Vec<LeftOut>) {
    let all = |report: &'_ GpuReport| -> HashMap<String, (Option<Counted>, Option<String>)> {
        let variants = report.programs.iter().flat_map(|program| &program.variants);
        let seen = variants.map(|variant| (variant.counted, variant.difference.clone()));
        report.keys().into_iter().zip(seen).collect()
    };
    let (emulated_too, mut rows) = (all(emulated), Vec::new());
    let mut left_out: Vec<LeftOut> = on_gpu.left_out.iter().chain(&emulated.left_out).cloned().collect();
    let keys = on_gpu.keys();
    let variants =
        on_gpu.programs.iter().flat_map(|program| program.variants.iter().map(move |variant| (program, variant)));
    for (key, (program, variant)) in keys.iter().zip(variants) {
        let (emulator, wrong) = emulated_too.get(key).cloned().unwrap_or_default();
        let wrong = match (&variant.difference, wrong) {
            (Some(what), _) => Some(format!("on the GPU: {what}")),
            (None, what) => what.map(|what| format!("on the emulator: {what}")),
        };
        match (variant.counted, emulator, wrong) {
            (Some(gpu), Some(emulator), None) => rows.push(EfficiencyRow {
                suite: program.suite.clone(),
                program: program.program.clone(),
                input: program.input.clone(),
                variant: variant.variant.clone(),
                gpu,
                emulator,
            }),
            (_, _, wrong) => left_out.push(LeftOut {
                suite: program.suite.clone(),
                program: format!("{} ({})", program.program, variant.variant),
                reason: wrong.unwrap_or_else(|| "it was not counted on both".to_owned()),
            }),
        }
    }
    (rows, left_out)
}

impl EfficiencyReport {
    /// Returns true if every kernel was counted on both.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.rows.is_empty() && self.left_out.is_empty()
    }

    /// The report as text, with lines that end in `\n` and tables of any width.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.document().to_text(None)
    }

    /// The report for a reader: lines and tables.
    #[must_use]
    pub fn document(&self) -> Document {
        let mut text = Document::default();
        // Writing to a document cannot fail.
        let _ = writeln!(text, "{}, compiled for {}, Nsight Compute {}", self.device, self.arch, self.profiler);
        text.append(agreement(&self.rows));
        for one in &self.left_out {
            let _ = writeln!(text, "{one}");
        }
        text
    }
}
