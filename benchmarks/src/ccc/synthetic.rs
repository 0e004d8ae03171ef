//! The paper's synthetic kernels: what CCC does for paths that more or fewer lanes take (Figure 13), and that are longer or shorter
//! (Figure 14).

use device::{Argument, LaunchConfig, RunReport, Selection};
use rayon::prelude::*;
use serde::Serialize;
use toolkit::Toolkit;

use super::once::{Once, Value, from_f32, to_f32};
use super::work::{Verdict, Work};
use crate::error::Error;
use crate::variant::{Rewrite, Source, Variant};

/// The kernels of all lengths are in one file; they are called by their mangled names.
const SOURCE: Source =
    Source { text: include_str!("synthetic.cu"), name: "benchmarks/src/ccc/synthetic.cu", kernel: "synthetic" };

/// The multiply-adds of the path that Figure 13 is about.
const LENGTH: u32 = 20;

/// The lengths of paths for which there are kernels.
const LENGTHS: [u32; 9] = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/// How many lanes take the path in Figure 13.
const TAKERS: [u32; 12] = [1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 30, 32];

/// A quarter and three quarters of the lanes take the path in Figure 14.
const SHARES: [u32; 2] = [8, 24];

/// A kernel that was run before and after CCC.
#[derive(Clone, Debug, Serialize)]
pub struct SyntheticRow {
    /// The paper's figure that it belongs to.
    pub figure: u32,
    /// How many lanes of a warp take the path in each iteration.
    pub takers: u32,
    /// How many multiply-adds it has.
    pub length: u32,
    /// Whether both kernels computed what the CPU does.
    pub results_equal: bool,
    /// Before.
    pub original: RunReport,
    /// After.
    pub ccc: RunReport,
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
        let of = |run: &RunReport| run.counts.warp_instructions.map(|count| count as f64);
        Some(of(&self.original)? / of(&self.ccc)?)
    }
}

/// How much there is to do.
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
    ccc: Variant,
}

impl Synthetic {
    /// Compiles and rewrites them for blocks of one size.
    ///
    /// # Errors
    /// As [`Source::build`].
    pub fn new(block: u32, arch: &str, toolkit: &Toolkit) -> Result<Synthetic, Error> {
        let variants = SOURCE.build(&[Rewrite::usual()], block, arch, toolkit)?;
        let Some(ccc) = variants.rewritten.into_iter().next() else {
            return Err(Error::Unmarked { file: SOURCE.name.to_owned() });
        };
        Ok(Synthetic { original: variants.original, ccc: ccc.variant })
    }

    /// The rows of both figures.
    ///
    /// # Errors
    /// What the device says of a launch; a wrong result is in its row.
    pub fn run(&self, size: Loop, device: &Selection) -> Result<Vec<SyntheticRow>, Error> {
        let divergence = TAKERS.map(|takers| (13, takers, LENGTH));
        let lengths = SHARES.iter().flat_map(|&takers| LENGTHS.map(|length| (14, takers, length)));
        let cases: Vec<(u32, u32, u32)> = divergence.into_iter().chain(lengths).collect();
        cases.into_par_iter().map(|(figure, takers, length)| self.row(size, figure, takers, length, device)).collect()
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
        let (original, ccc) = (run(&self.original)?, run(&self.ccc)?);
        let right = [&original, &ccc].iter().all(|ran| ran.verdict.difference.is_none());
        let results_equal = right && original.result == ccc.result;
        Ok(SyntheticRow { figure, takers, length, results_equal, original: original.run, ccc: ccc.run })
    }
}

/// `synthetic<LENGTH>(int, int, float *)`, mangled.
fn name(length: u32) -> String {
    format!("_Z9syntheticILi{length}EEviiPf")
}

fn work(iterations: u32, takers: u32, length: u32) -> Once {
    let value = |i: u32| (0..length).fold(i as f32, |value, _| value.mul_add(0.75, 1.0));
    let taken = |i: u32| ((i + (i >> 5) * 7) & 31) < takers;
    let expected: Vec<f32> = (0..iterations).map(|i| if taken(i) { value(i) } else { 0.0 }).collect();
    let check = move |results: &[Vec<u8>]| {
        let differ = |found: &f32, expected: &f32| f64::from(u8::from(found.to_bits() != expected.to_bits()));
        Verdict::compare("value", &to_f32(&results[0]), &expected, 0.0, differ)
    };
    let values = vec![
        Value::Scalar(Argument::from(iterations.cast_signed())),
        Value::Scalar(Argument::from(takers.cast_signed())),
        Value::Output("out", from_f32(&vec![0.0; iterations as usize])),
    ];
    Once { values, ordered: true, check: Box::new(check) }
}
