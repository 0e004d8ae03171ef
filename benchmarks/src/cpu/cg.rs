//! CG: 25 steps of conjugate gradients for a sparse, symmetric and positive definite matrix, in `float`.
//!
//! Each row has about as many elements as the smallest class of NPB's CG, at random columns, and a diagonal that is larger than their sum. The error is that of the solution
//! against the CPU's with `f64`, relative to its largest element.

use device::LaunchConfig;

use super::case::Case;
use super::floats::{close, signed_units};
use super::launches::{Launch, Launches, Parameter, once};
use crate::graph::random::Random;
use crate::single_launch::{from_f32, from_u32, to_f32};
use crate::variant::Source;

pub(super) const SOURCE: Source =
    Source { text: include_str!("cg.cu"), name: "benchmarks/src/cpu/cg.cu", kernel: "multiply" };

/// The steps of the method, as in NPB and in `native/paper.h`.
const STEPS: usize = 25;

/// Elements of a row beside the diagonal, on the average.
const ELEMENTS: u32 = 64;

/// Threads of a block, and blocks of a sum.
const BLOCK: u32 = 256;

/// A sparse matrix by rows.
struct Matrix {
    offsets: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl Matrix {
    /// Makes a symmetric one whose diagonal dominates.
    fn random(rows: u32) -> Matrix {
        let mut random = Random::new(37);
        let mut lists: Vec<Vec<(u32, f32)>> = vec![Vec::new(); rows as usize];
        for row in 0..rows {
            for _ in 0..ELEMENTS / 2 {
                let column = random.below(rows);
                let value = (2.0 * random.unit() - 1.0) as f32;
                if column != row {
                    lists[row as usize].push((column, value));
                    lists[column as usize].push((row, value));
                }
            }
        }
        let mut matrix = Matrix { offsets: vec![0], columns: Vec::new(), values: Vec::new() };
        for (row, mut list) in (0..rows).zip(lists) {
            let sum: f32 = list.iter().map(|(_, value)| value.abs()).sum();
            list.push((row, 1.0 + 1.25 * sum));
            list.sort_unstable_by_key(|&(column, _)| column);
            matrix.columns.extend(list.iter().map(|&(column, _)| column));
            matrix.values.extend(list.iter().map(|&(_, value)| value));
            matrix.offsets.push(matrix.columns.len() as u32);
        }
        matrix
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let row = |bounds: &[u32]| {
            let range = bounds[0] as usize..bounds[1] as usize;
            let elements = self.columns[range.clone()].iter().zip(&self.values[range]);
            elements.map(|(&column, &value)| f64::from(value) * x[column as usize]).sum()
        };
        self.offsets.windows(2).map(row).collect()
    }

    /// The solution after [`STEPS`] steps, in `f64`.
    fn solve(&self, b: &[f32]) -> Vec<f64> {
        let dot = |one: &[f64], other: &[f64]| -> f64 { one.iter().zip(other).map(|(one, other)| one * other).sum() };
        let mut x = vec![0.0; b.len()];
        let mut r: Vec<f64> = b.iter().copied().map(f64::from).collect();
        let mut p = r.clone();
        let mut rho = dot(&r, &r);
        for _ in 0..STEPS {
            let q = self.times(&p);
            let alpha = rho / dot(&p, &q);
            x.iter_mut().zip(&p).for_each(|(x, p)| *x += alpha * p);
            r.iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
            let before = rho;
            rho = dot(&r, &r);
            p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + rho / before * *p);
        }
        x
    }
}

/// The buffers by number.
mod buffer {
    pub(super) const OFFSETS: usize = 0;
    pub(super) const COLUMNS: usize = 1;
    pub(super) const VALUES: usize = 2;
    pub(super) const B: usize = 3;
    pub(super) const X: usize = 4;
    pub(super) const R: usize = 5;
    pub(super) const P: usize = 6;
    pub(super) const Q: usize = 7;
    pub(super) const PARTS: usize = 8;
    pub(super) const CURVATURE: usize = 9;
    /// The squares of the last two residuals, which take turns.
    pub(super) const RHO: [usize; 2] = [10, 11];
}

pub(super) fn case(rows: u32) -> Case {
    use buffer::{B, COLUMNS, CURVATURE, OFFSETS, P, PARTS, Q, R, RHO, VALUES, X};
    let matrix = Matrix::random(rows);
    let b = signed_units(rows as usize, 38);
    let expected = matrix.solve(&b);
    let elements = matrix.values.len();
    let zeros = || vec![0; 4 * rows as usize];
    let buffers = vec![
        ("offsets", from_u32(&matrix.offsets)),
        ("columns", from_u32(&matrix.columns)),
        ("values", from_f32(&matrix.values)),
        ("b", from_f32(&b)),
        ("x", zeros()),
        ("r", from_f32(&b)),
        ("p", from_f32(&b)),
        ("q", zeros()),
        ("parts", vec![0; 4 * BLOCK as usize]),
        ("curvature", vec![0; 4]),
        ("rho", vec![0; 4]),
        ("other rho", vec![0; 4]),
    ];
    let launch = |kernel, grid: u32, count: Option<u32>, buffers: &[usize]| Launch {
        kernel,
        config: LaunchConfig::linear(grid, BLOCK),
        parameters: count
            .map(|count| count.cast_signed().into())
            .into_iter()
            .chain(buffers.iter().map(|&buffer| Parameter::Buffer(buffer)))
            .collect(),
    };
    let each = rows.div_ceil(BLOCK);
    let dot = |one: usize, other: usize, to: usize| {
        [launch("dot", BLOCK, Some(rows), &[one, other, PARTS]), launch("collect", 1, None, &[PARTS, to])]
    };
    let mut launches = dot(R, R, RHO[0]).to_vec();
    for step in 0..STEPS {
        let (now, next) = (RHO[step % 2], RHO[(step + 1) % 2]);
        launches.push(launch("multiply", rows.div_ceil(BLOCK / 32), Some(rows), &[OFFSETS, COLUMNS, VALUES, P, Q]));
        launches.extend(dot(P, Q, CURVATURE));
        launches.push(launch("advance", each, Some(rows), &[now, CURVATURE, P, Q, X, R]));
        launches.extend(dot(R, R, next));
        launches.push(launch("turn", each, Some(rows), &[next, now, R, P]));
    }
    let check = once(move |results| close("element", &to_f32(&results[0]), &expected, 1e-4));
    let launches =
        Launches { buffers, launches, results: vec![X], native_reads: vec![OFFSETS, COLUMNS, VALUES, B], check };
    let input = format!("{rows} rows, {elements} elements, {STEPS} steps");
    Case::new(input, launches, "cg", rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_lead_to_the_solution() {
        let matrix = Matrix::random(300);
        let b = signed_units(300, 1);
        let residual: Vec<f64> =
            matrix.times(&matrix.solve(&b)).iter().zip(&b).map(|(found, &b)| (found - f64::from(b)).abs()).collect();
        let most = residual.iter().copied().fold(0.0, f64::max);
        assert!(most < 1e-9, "{most}");
    }
}
