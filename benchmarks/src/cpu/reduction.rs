//! Reduction: the sum of integers by a tree, whose last six levels are one warp's in lockstep.
//!
//! The paper adds up 2^24 ones, and its translation without implicit synchronisation gives 200704 = (7/64)² · 2^24. There, the first lane does the last six additions
//! before all others: it adds 7 of 64 equal partial sums. So two launches did that, each with at least 64 partial sums, as ours do with blocks of 256 threads.

use device::{Device, LaunchConfig};

use super::case::Case;
use super::launches::{Launch, Launches, Parameter, once};
use crate::error::Error;
use crate::graph::random::Random;
use crate::single_launch::{from_i32, to_i32};
use crate::variant::Source;
use crate::workload::Verdict;

pub(super) const SOURCE: Source =
    Source { text: include_str!("reduction.cu"), name: "benchmarks/src/cpu/reduction.cu", kernel: "reduce" };

/// The most blocks of the first launch, and the threads of a block.
const BLOCKS: u32 = 256;

/// Numbers from 0 to 255, as the SDK has them.
pub(super) fn case(count: u32) -> Case {
    let mut random = Random::new(31);
    let numbers: Vec<i32> = (0..count).map(|_| random.below(256).cast_signed()).collect();
    let expected = numbers.iter().fold(0_i32, |sum, &number| sum.wrapping_add(number));
    let check = once(move |results| {
        Verdict::compare("sum", &to_i32(&results[0]), &[expected], 0.0, |a, b| f64::from(a.abs_diff(*b)))
    });
    let case = Case::new(format!("{count} integers"), launches(&numbers, check), "reduction", count);
    Case { opencl: Some("reduction"), ..case }
}

/// Adds up numbers.
pub(super) fn launches(numbers: &[i32], check: super::launches::Check) -> Launches {
    let count = numbers.len() as u32;
    let blocks = count.div_ceil(2 * BLOCKS).clamp(1, BLOCKS);
    let launch = |grid: u32, from: usize, to: usize, count: u32| Launch {
        kernel: SOURCE.kernel,
        config: LaunchConfig::linear(grid, BLOCKS),
        parameters: vec![Parameter::Buffer(from), Parameter::Buffer(to), count.into()],
    };
    Launches {
        buffers: vec![
            ("numbers", from_i32(numbers)),
            ("sums of blocks", vec![0; 4 * blocks as usize]),
            ("sum", vec![0; 4]),
        ],
        launches: vec![launch(blocks, 0, 1, count), launch(1, 1, 2, blocks)],
        results: vec![2],
        native_reads: vec![0],
        check,
    }
}

/// Returns the sum of `count` ones as a device has it.
///
/// # Errors
/// The device's error, or a launch that does not finish.
pub(super) fn sum_of_ones(count: u32, device: &mut dyn Device, ptx: &str) -> Result<i32, Error> {
    let launches = launches(&vec![1; count as usize], once(|_| Verdict::default()));
    let results = launches.results(device, ptx)?;
    let what = |verdict: Verdict| Error::Unfinished { what: verdict.difference.unwrap_or_default() };
    let results = results.map_err(what)?;
    Ok(to_i32(&results[0])[0])
}
