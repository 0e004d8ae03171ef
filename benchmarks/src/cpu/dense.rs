//! SGEMM and TransposeNew: dense matrices, with barriers only.
//!
//! The error of SGEMM is relative to the largest element of the CPU's product, which is computed with `f64`; a transposed matrix has the same bits.

use device::LaunchConfig;
use rayon::prelude::*;

use super::case::Case;
use super::floats::{close, signed_units};
use super::launches::{Launch, Launches, Parameter, once};
use crate::single_launch::{from_f32, to_f32};
use crate::variant::Source;
use crate::workload::Verdict;

pub(super) const SGEMM: Source =
    Source { text: include_str!("sgemm.cu"), name: "benchmarks/src/cpu/sgemm.cu", kernel: "sgemm" };
pub(super) const TRANSPOSE: Source =
    Source { text: include_str!("transpose.cu"), name: "benchmarks/src/cpu/transpose.cu", kernel: "transpose" };

/// The factors of the product and of what was there before, as `native/paper.h` has them.
const FACTORS: [f32; 2] = [1.25, 0.5];

/// A product of square matrices by columns; the side is a multiple of 64.
pub(super) fn sgemm(side: u32) -> Case {
    let n = side as usize;
    let [a, b, c] = [33, 34, 35].map(|seed| signed_units(n * n, seed));
    let expected = product(&a, &b, &c, n);
    let launch = Launch {
        kernel: SGEMM.kernel,
        config: LaunchConfig { grid: [side / 64, side / 16, 1], block: [16, 4, 1], ..LaunchConfig::linear(1, 1) },
        parameters: vec![
            Parameter::Buffer(0),
            side.cast_signed().into(),
            Parameter::Buffer(1),
            side.cast_signed().into(),
            Parameter::Buffer(2),
            side.cast_signed().into(),
            side.cast_signed().into(),
            FACTORS[0].into(),
            FACTORS[1].into(),
        ],
    };
    let check = once(move |results| close("element", &to_f32(&results[0]), &expected, 1e-5));
    let launches = Launches {
        buffers: vec![("A", from_f32(&a)), ("B", from_f32(&b)), ("C", from_f32(&c))],
        launches: vec![launch],
        results: vec![2],
        native_reads: vec![0, 1, 2],
        check,
    };
    Case::new(format!("{side} x {side} matrices"), launches, "sgemm", side)
}

/// The product of matrices by columns, in `f64`.
fn product(a: &[f32], b: &[f32], c: &[f32], n: usize) -> Vec<f64> {
    let [alpha, beta] = FACTORS.map(f64::from);
    let column = |j: usize| {
        let mut sums = vec![0.0_f64; n];
        for (of_a, &factor) in a.chunks(n).zip(&b[j * n..(j + 1) * n]) {
            sums.iter_mut().zip(of_a).for_each(|(sum, &element)| *sum += f64::from(element) * f64::from(factor));
        }
        let before = c[j * n..(j + 1) * n].iter();
        sums.into_iter().zip(before).map(|(sum, &before)| alpha * sum + beta * f64::from(before)).collect::<Vec<_>>()
    };
    (0..n).into_par_iter().flat_map(column).collect()
}

/// A square matrix; the side is a multiple of 32.
pub(super) fn transpose(side: u32) -> Case {
    let n = side as usize;
    let before = signed_units(n * n, 36);
    let mut expected = vec![0.0; n * n];
    for (y, row) in before.chunks(n).enumerate() {
        row.iter().enumerate().for_each(|(x, &element)| expected[x * n + y] = element);
    }
    let launch = Launch {
        kernel: TRANSPOSE.kernel,
        config: LaunchConfig { grid: [side / 32, side / 32, 1], block: [32, 8, 1], ..LaunchConfig::linear(1, 1) },
        parameters: vec![
            Parameter::Buffer(0),
            Parameter::Buffer(1),
            side.cast_signed().into(),
            side.cast_signed().into(),
        ],
    };
    let check = once(move |results| {
        let differ = |a: &f32, b: &f32| f64::from(u8::from(a.to_bits() != b.to_bits()));
        Verdict::compare("element", &to_f32(&results[0]), &expected, 0.0, differ)
    });
    let launches = Launches {
        buffers: vec![("in", from_f32(&before)), ("out", vec![0; 4 * n * n])],
        launches: vec![launch],
        results: vec![1],
        native_reads: vec![0],
        check,
    };
    Case::new(format!("a {side} x {side} matrix"), launches, "transpose", side)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_by_columns() {
        // [1 3; 2 4] [5 7; 6 8] = [23 31; 34 46]
        let found = product(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0], &[2.0, 0.0, 0.0, 4.0], 2);
        assert_eq!(found, [1.25 * 23.0 + 1.0, 1.25 * 34.0, 1.25 * 31.0, 1.25 * 46.0 + 2.0]);
    }
}
