//! The loops found in all kernels at hand (the paper's Table IV): the kernels that the emulator's tests run, and those of all suites.
//!
//! Which detections are true is known by kernel: those in the M of a program that deadlocks, all of them, and no others.

use analysis::{Cfg, Dominators, Loops};
use ptx_parser::{KernelKind, Module};
use rayon::prelude::*;
use serde::Serialize;
use toolkit::{CudaSource, Toolkit};

use super::paper;
use super::program::{Form, Optimisation, Program};
use crate::error::Error;
use crate::variant::nvcc_options;

macro_rules! files {
    ($($path:literal,)*) => {
        /// The files that the programs of this suite do not have, by their paths in the repository.
        const FILES: &[(&str, &str)] = &[$(($path, include_str!(concat!("../../../", $path)))),*];
    };
}

files! {
    "tests/kernels/elementwise.cu",
    "tests/kernels/graphs.cu",
    "tests/kernels/linear.cu",
    "tests/kernels/numeric.cu",
    "tests/kernels/reductions.cu",
    "tests/kernels/scans.cu",
    "tests/kernels/sorting.cu",
    "tests/kernels/sync.cu",
    "examples/bfs.cu",
    "benchmarks/src/ccc/dqg.cu",
    "benchmarks/src/ccc/emies.cu",
    "benchmarks/src/ccc/ff.cu",
    "benchmarks/src/ccc/hash.cu",
    "benchmarks/src/ccc/iefa.cu",
    "benchmarks/src/ccc/rt.cu",
    "benchmarks/src/ccc/sssp.cu",
    "benchmarks/src/ccc/synthetic.cu",
    "benchmarks/src/emulator/kernels.cu",
}

/// A row of Table IV.
#[derive(Clone, Debug, Serialize)]
pub struct DetectionRow {
    /// `O0` or `O3`.
    pub optimisation: String,
    /// Entries; functions that they call count in what follows.
    pub kernels: usize,
    /// Branches that can go more than one way.
    pub branches: usize,
    /// Natural loops.
    pub loops: usize,
    /// Findings.
    pub detections: usize,
    /// Those in kernels that deadlock.
    pub true_detections: usize,
    /// All others.
    pub false_detections: usize,
    /// The latter over all loops, as in the paper.
    pub false_rate: f64,
    /// The kernels with false detections, and how many.
    pub falsely: Vec<(String, usize)>,
    /// Kernels that deadlock and in which nothing was found; there must be none.
    pub missed: Vec<String>,
    /// The paper's row, of other kernels.
    pub paper: paper::Detections,
}

/// The PTX of the files that are not the suite's, by level.
///
/// # Errors
/// What the compiler has against one.
pub(super) fn compile(optimisation: Optimisation, arch: &str, toolkit: &Toolkit) -> Result<Vec<String>, Error> {
    let compile = |&(name, text): &(&str, &str)| {
        // Directives in comments are nothing to the compiler.
        let text = annotate::in_comments(text).unwrap_or_else(|| text.to_owned());
        let source = CudaSource::new(text, name);
        Ok(toolkit.compile_to_ptx(&source, arch, &nvcc_options(optimisation.options().0))?.ptx)
    };
    FILES.par_iter().map(compile).collect()
}

impl DetectionRow {
    /// Looks at all kernels of some texts.
    ///
    /// # Errors
    /// A text that does not parse.
    pub(super) fn of<'t>(
        optimisation: Optimisation,
        texts: impl Iterator<Item = &'t str>,
    ) -> Result<DetectionRow, Error> {
        let deadlock: Vec<String> =
            Program::ALL.iter().filter(|one| one.deadlocks()).map(|one| one.kernel(Form::Mimd)).collect();
        let paper = paper::Detections::of(optimisation);
        let mut row = DetectionRow {
            optimisation: optimisation.name().into(),
            kernels: 0,
            branches: 0,
            loops: 0,
            detections: 0,
            true_detections: 0,
            false_detections: 0,
            false_rate: 0.0,
            falsely: Vec::new(),
            missed: Vec::new(),
            paper,
        };
        for text in texts {
            let module = Module::parse(text)?;
            for kernel in module.kernels().iter().filter(|kernel| kernel.has_body()) {
                let cfg = Cfg::of(kernel);
                row.kernels += usize::from(kernel.kind() == KernelKind::Entry);
                row.branches += cfg.blocks().filter(|&block| cfg.ways(block) > 1).count();
                row.loops += Loops::of(&cfg, &Dominators::of(&cfg)).iter().len();
                row.count(kernel.name(), ssde_ptx::find(&module, kernel).findings.len(), &deadlock);
            }
        }
        row.false_rate = row.false_detections as f64 / row.loops.max(1) as f64;
        Ok(row)
    }

    fn count(&mut self, kernel: &str, found: usize, deadlock: &[String]) {
        self.detections += found;
        let deadlocks = deadlock.iter().any(|name| name == kernel);
        match (deadlocks, found) {
            (true, 0) => self.missed.push(kernel.to_owned()),
            (true, _) => self.true_detections += found,
            (false, 0) => {}
            (false, _) => {
                self.false_detections += found;
                self.falsely.push((kernel.to_owned(), found));
            }
        }
    }
}
