//! The paper's synthetic kernels: what CCC does for paths that more or fewer lanes take (Figure 13), and that are longer or shorter
//! (Figure 14).
//!
//! Figure 13 is of what collecting does, so that its paths are collected whatever that costs. In Figure 14 the directive says which share of the lanes
//! takes the path, `probability(0.25)`, and the rewriter leaves a path in its place where collecting it would cost more than it saves; beside that
//! stands what collecting it would have done. Where the device counts instructions by line, a further kernel is what the rewriter makes of a
//! profile of the same launch.

use std::sync::Arc;

use ::ccc::{Options, Profile, WARP};
use device::{Argument, LaunchConfig, RunReport, Selection};
use frontend::{Compiled, Report};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use toolkit::Toolkit;

use crate::error::Error;
use crate::grid_size::chip;
use crate::single_launch::{Once, Value, from_f32, to_f32};
use crate::variant::{Rewrite, Source, Variant};
use crate::workload::{Verdict, Work};

/// The kernels of all lengths are in one file; they are called by their mangled names.
const SOURCE: Source =
    Source { text: include_str!("synthetic.cu"), name: "benchmarks/src/ccc/synthetic.cu", kernel: "synthetic" };

/// The file with the kernels.
pub(crate) fn synthetic_source() -> Source<'static> {
    SOURCE
}

/// The multiply-adds of the path that Figure 13 is about.
const LENGTH: u32 = 20;

/// The lengths of paths for which there are kernels.
const LENGTHS: [u32; 9] = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/// The numbers of lanes that take the path in Figure 13.
const TAKERS: [u32; 12] = [1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 30, 32];

/// A quarter and three quarters of the lanes take the path in Figure 14.
const SHARES: [u32; 2] = [8, 24];

/// A kernel that was run before and after CCC.
#[derive(Clone, Debug, Serialize)]
pub struct SyntheticRow {
    /// The paper's figure that it belongs to.
    pub figure: u32,
    /// The number of lanes of a warp that take the path in each iteration.
    pub takers: u32,
    /// The number of multiply-adds it has.
    pub length: u32,
    /// True if all kernels computed what the CPU does.
    pub results_equal: bool,
    /// Before.
    pub original: RunReport,
    /// After, as the rewriter makes it of the row's directive, which says in Figure 14 how many lanes take the path.
    pub ccc: RunReport,
    /// After, with the path collected whatever that costs.
    pub collected: RunReport,
    /// After, as a profile of the same launch has it; none where the device counts no lines.
    pub profiled: Option<RunReport>,
}

impl SyntheticRow {
    /// Warp execution efficiency before and after, from 0 to 1.
    #[must_use]
    pub fn efficiency(&self) -> Option<(f64, f64)> {
        let of = |run: &RunReport| run.counts.warp_execution_efficiency();
        Some((of(&self.original)?, of(&self.ccc)?))
    }

    /// Warp instructions before over those after.
    #[must_use]
    pub fn issue_speedup(&self) -> Option<f64> {
        self.speedup_of(&self.ccc)
    }

    /// The same with the path collected whatever that costs.
    #[must_use]
    pub fn collected_speedup(&self) -> Option<f64> {
        self.speedup_of(&self.collected)
    }

    /// The same where a profile decides.
    #[must_use]
    pub fn profiled_speedup(&self) -> Option<f64> {
        self.speedup_of(self.profiled.as_ref()?)
    }

    fn speedup_of(&self, after: &RunReport) -> Option<f64> {
        let of = |run: &RunReport| run.counts.warp_instructions.map(|count| count as f64);
        Some(of(&self.original)? / of(after)?)
    }
}

/// A row of the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The paper's figure that it belongs to.
    pub figure: u32,
    /// Lanes of a warp that take the path in each iteration.
    pub takers: u32,
    /// Multiply-adds of the path.
    pub length: u32,
}

impl Case {
    /// Those of both figures.
    pub(crate) fn all() -> Vec<Case> {
        let divergence = TAKERS.iter().map(|&takers| Case { figure: 13, takers, length: LENGTH });
        let lengths = SHARES.iter().flat_map(|&takers| LENGTHS.map(|length| Case { figure: 14, takers, length }));
        divergence.chain(lengths).collect()
    }

    /// The launch and its check, with so many iterations, all threads together.
    pub(crate) fn work(self, iterations: u32) -> impl Work + use<> {
        work(iterations, self.takers, self.length)
    }
}

/// The size of a synthetic kernel's loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Iterations of the loop, all threads together.
    pub iterations: u32,
    /// Blocks.
    pub grid: u32,
    /// Threads per block: whole warps.
    pub block: u32,
}

/// The kernels, compiled and rewritten.
#[derive(Clone, Debug)]
pub struct Synthetic {
    original: Variant,
    collected: Variant,
    /// With a directive that says nothing of the path.
    silent: Arc<Compiled>,
    /// With one that says which share of the lanes takes it, for each of [`SHARES`].
    stated: Vec<Arc<Compiled>>,
    options: Options,
}

impl Synthetic {
    /// Compiles and rewrites them for blocks of one size.
    ///
    /// # Errors
    /// As [`Source::build`].
    pub fn new(block: u32, arch: &str, toolkit: &Toolkit) -> Result<Synthetic, Error> {
        let silent = SOURCE.compile(arch, toolkit)?;
        let stated = SHARES.map(|takers| {
            let directive = format!("#CCC if probability({})", f64::from(takers) / f64::from(WARP));
            let text = SOURCE.text.replace("#CCC if", &directive);
            Source { text: &text, ..SOURCE }.compile(arch, toolkit).map(Arc::new)
        });
        let Rewrite { name, options } = Rewrite::usual();
        let options = Options { block: Some(block), multiprocessor: chip(arch).multiprocessor(), ..options };
        let collected = SOURCE.rewrite(&silent, name, &options)?.variant;
        let stated = stated.into_iter().collect::<Result<_, _>>()?;
        let original = SOURCE.variant("original", silent.ptx.clone());
        Ok(Synthetic { original, collected, silent: Arc::new(silent), stated, options })
    }

    /// The rows of both figures.
    ///
    /// # Errors
    /// What the device says of a launch; a wrong result is in its row.
    pub fn run(&self, size: Loop, device: &Selection) -> Result<Vec<SyntheticRow>, Error> {
        let row = |Case { figure, takers, length }| self.row(size, figure, takers, length, device);
        Case::all().into_par_iter().map(row).collect()
    }

    /// Returns what is compared with the original in a row, under the names of [`SyntheticRow`]'s fields: the original first, then `ccc` where it is another kernel
    /// than `collected`, and `collected`. Without `ccc` in Figure 14, the rewriter left the kernel as it was.
    pub(crate) fn variants(&self, Case { figure, takers, length }: Case) -> Vec<Variant> {
        let stated = SHARES.iter().position(|&share| figure == 14 && share == takers);
        let decided = stated.and_then(|share| self.rewritten(&self.stated[share], length, Vec::new()));
        let named =
            |word: &str, variant: &Variant| Variant { name: word.into(), kernel: name(length), ..variant.clone() };
        let mut variants = vec![named("original", &self.original)];
        variants.extend(decided.map(|decided| named("ccc", &decided)));
        variants.push(named("collected", &self.collected));
        variants
    }

    /// One row: a path of `length` multiply-adds that `takers` lanes take. There are kernels of 1, 2, 5, 10, 20, 50, 100, 200 and 500.
    ///
    /// # Errors
    /// As [`Synthetic::run`].
    pub fn row(
        &self,
        size: Loop,
        figure: u32,
        takers: u32,
        length: u32,
        device: &Selection,
    ) -> Result<SyntheticRow, Error> {
        let work = work(size.iterations, takers, length);
        let config = LaunchConfig::linear(size.grid, size.block);
        let run = |variant: &Variant| {
            let variant = Variant { kernel: name(length), ..variant.clone() };
            work.run(&mut *device.open()?, &variant, &config)
        };
        let original = run(&self.original)?;
        let mut results_equal = original.verdict.difference.is_none();
        let mut after = |variant: Option<Variant>| -> Result<RunReport, Error> {
            // A kernel that is left as it is is the original.
            let Some(variant) = variant else { return Ok(original.run.clone()) };
            let ran = run(&variant)?;
            results_equal &= ran.verdict.difference.is_none() && ran.result == original.result;
            Ok(ran.run)
        };
        let collected = after(Some(self.collected.clone()))?;
        let stated = SHARES.iter().position(|&share| figure == 14 && share == takers);
        let ccc = match stated {
            Some(share) => after(self.rewritten(&self.stated[share], length, Vec::new()))?,
            None => collected.clone(),
        };
        // A profile is of what is rewritten: the kernel with its markers.
        let marked = self.silent.marked_module().map_err(|problem| Error::Unmarked { file: problem })?;
        let profile = profile(&run(&SOURCE.variant("marked", marked.to_string()))?.run);
        let profiled = profile.map(|profile| after(self.rewritten(&self.silent, length, vec![profile]))).transpose()?;
        Ok(SyntheticRow { figure, takers, length, results_equal, original: original.run, ccc, collected, profiled })
    }

    /// Returns what the rewriter makes of one of the kernels; none if it leaves it as it is.
    fn rewritten(&self, compiled: &Compiled, length: u32, profiles: Vec<Profile>) -> Option<Variant> {
        let options = Options { kernels: Some(vec![name(length)]), profiles, ..self.options.clone() };
        let rewritten = compiled.rewrite(&options);
        let changed = rewritten.reports.iter().any(Report::is_rewritten);
        changed.then(|| SOURCE.variant("decided", rewritten.module.to_string()))
    }
}

/// Returns how often the instructions of a launch were executed.
fn profile(run: &RunReport) -> Option<Profile> {
    let lines = run.detail.as_ref()?.ptx_lines.iter();
    let lines = lines.map(|line| (line.site.ptx_line, (line.counts.warp_instructions, line.counts.active_lanes)));
    Some(Profile { kernel: run.kernel.clone(), lines: lines.collect() })
}

/// `synthetic<LENGTH>(int, int, float *)`, mangled.
fn name(length: u32) -> String {
    format!("_Z9syntheticILi{length}EEviiPf")
}

fn work(iterations: u32, takers: u32, length: u32) -> Once {
    let value = |i: u32| (0..length).fold(i as f32, |value, _| value.mul_add(0.75, 1.0));
    let taken = |i: u32| ((i + (i >> 5) * 7) & 31) < takers;
    let expected: Vec<f32> = (0..iterations).into_par_iter().map(|i| if taken(i) { value(i) } else { 0.0 }).collect();
    let check = move |results: &[Vec<u8>]| {
        let differ = |found: &f32, expected: &f32| f64::from(u8::from(found.to_bits() != expected.to_bits()));
        Verdict::compare("value", &to_f32(&results[0]), &expected, 0.0, differ)
    };
    let values = vec![
        Value::Scalar(Argument::from(iterations.cast_signed())),
        Value::Scalar(Argument::from(takers.cast_signed())),
        Value::Output("out", from_f32(&vec![0.0; iterations as usize])),
    ];
    Once::new(values, true, Box::new(check))
}
