//! Kernels that the paper does not have: those of the emulator's suite, and loops that end for each thread at another time.
//!
//! Whole numbers must be the CPU's. Floats may differ where products and sums are fused, relative to the CPU's largest one.

use std::borrow::Cow;

use device::{Device, LaunchConfig};
use rayon::prelude::*;

use super::case::Case;
use super::floats::{close, signed_units};
use super::launches::{Check, Launch, Launches, Parameter, Runs, once};
use crate::emulator::{Program, programs::Input};
use crate::error::Error;
use crate::native::Counterpart;
use crate::single_launch::{from_f32, to_f32, to_i32, to_u32};
use crate::variant::Source;
use crate::workload::Verdict;

pub(super) const SHARED: Source =
    Source { text: crate::emulator::SOURCE, name: "benchmarks/src/emulator/kernels.cu", kernel: "saxpy" };
pub(super) const LOOPS: Source =
    Source { text: include_str!("loops.cu"), name: "benchmarks/src/cpu/loops.cu", kernel: "collatz" };

/// The most steps of a point, as `native/common.h` has it.
const MOST_STEPS: u16 = 256;

/// The steps of the stencil, as `native/common.h` has them.
const SWEEPS: usize = 4;

/// A kernel of the emulator's suite.
struct Shared {
    input: Input,
    check: Check,
}

impl Counterpart for Shared {
    fn buffers(&self) -> Vec<Cow<'_, [u8]>> {
        self.input.parts.iter().map(|part| Cow::Borrowed(part.as_slice())).collect()
    }

    fn verdict(&self, results: &[Vec<u8>]) -> Verdict {
        (self.check)(results)
    }
}

impl Runs for Shared {
    fn run(&self, device: &mut dyn Device, ptx: &str) -> Result<Verdict, Error> {
        let ran = self.input.run(device, ptx)?;
        Ok((self.check)(&[ran.result]))
    }
}

/// A kernel of the emulator's suite with an input of this size.
pub(super) fn shared(program: Program, size: u32) -> Case {
    let input = program.input_of(size);
    let n = size as usize;
    let floats = |index: usize| to_f32(&input.parts[index]);
    let (kernel, words, check): (&'static str, String, Check) = match program {
        Program::Saxpy => {
            let sums: Vec<f64> =
                floats(0).iter().zip(floats(1)).map(|(&x, y)| 1.5 * f64::from(x) + f64::from(y)).collect();
            (
                "saxpy",
                format!("{size} elements"),
                once(move |results| close("element", &to_f32(&results[0]), &sums, 1e-6)),
            )
        }
        Program::Nbody => {
            let forces = forces(&floats(0));
            (
                "nbody-side-by-side",
                format!("{size} bodies"),
                once(move |results| close("component", &to_f32(&results[0]), &forces, 1e-4)),
            )
        }
        Program::Matmul => {
            let product = product(&floats(0), &floats(1), n);
            (
                "matmul",
                format!("{size} x {size} matrices"),
                once(move |results| close("element", &to_f32(&results[0]), &product, 1e-5)),
            )
        }
        Program::Bfs => {
            let expected = to_i32(input.expected.as_deref().unwrap_or_default());
            let differ = |a: &i32, b: &i32| f64::from(u8::from(a != b));
            let check = once(move |results| {
                Verdict::compare("the level of vertex", &to_i32(&results[0]), &expected, 0.0, differ)
            });
            ("bfs", format!("{size} vertices, {} edges", input.parts[2].len() / 4), check)
        }
    };
    let opencl = (program != Program::Bfs).then_some(program.name());
    let kernels = vec![program.name()];
    Case { input: words, kernels, work: Box::new(Shared { input, check }), native: (kernel, size), opencl }
}

/// The forces on bodies (x, y, z, mass), in `f64`; the last component is the mass.
fn forces(bodies: &[f32]) -> Vec<f64> {
    let bodies: Vec<[f64; 4]> = bodies.as_chunks::<4>().0.iter().map(|body| body.map(f64::from)).collect();
    let force = |me: &[f64; 4]| {
        let mut sum = [0.0; 3];
        for other in &bodies {
            let way: [f64; 3] = std::array::from_fn(|axis| other[axis] - me[axis]);
            let square = way.iter().map(|part| part * part).sum::<f64>() + f64::from(0.01_f32);
            let scale = other[3] / (square * square.sqrt());
            (0..3).for_each(|axis| sum[axis] += way[axis] * scale);
        }
        [sum[0], sum[1], sum[2], me[3]]
    };
    bodies.par_iter().flat_map_iter(force).collect()
}

/// The product of matrices by rows, in `f64`.
fn product(a: &[f32], b: &[f32], n: usize) -> Vec<f64> {
    let row = |of_a: &[f32]| {
        let mut sums = vec![0.0_f64; n];
        for (&factor, of_b) in of_a.iter().zip(b.chunks(n)) {
            sums.iter_mut().zip(of_b).for_each(|(sum, &element)| *sum += f64::from(factor) * f64::from(element));
        }
        sums
    };
    a.par_chunks(n).flat_map_iter(row).collect()
}

/// Steps of Collatz for 1 to `count`.
pub(super) fn collatz(count: u32) -> Case {
    let steps = |first: u32| {
        let (mut n, mut done) = (u64::from(first) + 1, 0_u32);
        while n != 1 {
            n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
            done += 1;
        }
        done
    };
    let expected: Vec<u32> = (0..count).into_par_iter().map(steps).collect();
    let differ = |a: &u32, b: &u32| f64::from(u8::from(a != b));
    let launches = Launches {
        buffers: vec![("steps", vec![0; 4 * count as usize])],
        launches: vec![Launch {
            kernel: "collatz",
            config: LaunchConfig::linear(count.div_ceil(256), 256),
            parameters: vec![Parameter::Buffer(0), count.into()],
        }],
        results: vec![0],
        native_reads: Vec::new(),
        check: once(move |results| Verdict::compare("the steps of", &to_u32(&results[0]), &expected, 0.0, differ)),
    };
    Case::new(format!("{count} numbers"), launches, "collatz", count)
}

/// A picture of `side` by `side` points.
pub(super) fn mandelbrot(side: u32) -> Case {
    let point = |index: u32| {
        let scale = 3.0_f32 / side as f32;
        let (cx, cy) = ((index % side) as f32 * scale - 2.25, (index / side) as f32 * scale - 1.5);
        let (mut x, mut y, mut step) = (0.0_f32, 0.0_f32, 0_u16);
        while step < MOST_STEPS && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            step += 1;
        }
        i32::from(step)
    };
    let expected: Vec<i32> = (0..side * side).into_par_iter().map(point).collect();
    let differ = |a: &i32, b: &i32| f64::from(a.abs_diff(*b));
    let launches = Launches {
        buffers: vec![("picture", vec![0; 4 * (side * side) as usize])],
        launches: vec![Launch {
            kernel: "mandelbrot",
            config: tiles(side, [16, 16]),
            parameters: vec![Parameter::Buffer(0), side.cast_signed().into(), i32::from(MOST_STEPS).into()],
        }],
        results: vec![0],
        native_reads: Vec::new(),
        check: once(move |results| Verdict::compare("point", &to_i32(&results[0]), &expected, 0.0, differ)),
    };
    Case::new(format!("{side} x {side} points, {MOST_STEPS} steps"), launches, "mandelbrot", side)
}

/// Sweeps over a grid of `side` by `side` elements.
pub(super) fn stencil(side: u32) -> Case {
    let n = side as usize;
    let before = signed_units(n * n, 39);
    let mut expected = before.clone();
    for _ in 0..SWEEPS {
        expected = sweep(&expected, n);
    }
    let launch = |sweep: usize| Launch {
        kernel: "stencil",
        config: tiles(side, [32, 8]),
        parameters: vec![
            Parameter::Buffer(sweep % 2),
            Parameter::Buffer((sweep + 1) % 2),
            side.cast_signed().into(),
            side.cast_signed().into(),
        ],
    };
    let differ = |a: &f32, b: &f32| f64::from(u8::from(a.to_bits() != b.to_bits()));
    let launches = Launches {
        buffers: vec![("one", from_f32(&before)), ("other", from_f32(&before))],
        launches: (0..SWEEPS).map(launch).collect(),
        results: vec![0],
        native_reads: vec![0],
        check: once(move |results| Verdict::compare("element", &to_f32(&results[0]), &expected, 0.0, differ)),
    };
    Case::new(format!("{side} x {side} elements, {SWEEPS} sweeps"), launches, "stencil", side)
}

fn sweep(before: &[f32], n: usize) -> Vec<f32> {
    let element = |i: usize| {
        let (x, y) = (i % n, i / n);
        if x == 0 || y == 0 || x == n - 1 || y == n - 1 {
            return before[i];
        }
        0.5 * before[i] + 0.125 * (before[i - 1] + before[i + 1] + before[i - n] + before[i + n])
    };
    (0..before.len()).into_par_iter().map(element).collect()
}

/// A square in blocks of this size.
fn tiles(side: u32, block: [u32; 2]) -> LaunchConfig {
    let grid = [side.div_ceil(block[0]), side.div_ceil(block[1]), 1];
    LaunchConfig { grid, block: [block[0], block[1], 1], ..LaunchConfig::linear(1, 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_keeps_the_edge() {
        let before: Vec<f32> = (0..9_u8).map(f32::from).collect();
        let mut expected = before.clone();
        expected[4] = 0.5 * 4.0 + 0.125 * (3.0 + 5.0 + 1.0 + 7.0);
        assert_eq!(sweep(&before, 3), expected);
    }

    #[test]
    fn two_bodies_attract_each_other() {
        let found = forces(&[0.0, 0.0, 0.0, 2.0, 3.0, 0.0, 4.0, 5.0]);
        let scale = 1.0 / (25.0_f64 + f64::from(0.01_f32)).powf(1.5);
        let expected = [15.0 * scale, 0.0, 20.0 * scale, 2.0, -6.0 * scale, 0.0, -8.0 * scale, 5.0];
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn products_are_by_rows() {
        assert_eq!(product(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0], 2), [19.0, 22.0, 43.0, 50.0]);
    }
}
