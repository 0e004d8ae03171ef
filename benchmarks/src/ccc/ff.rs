//! FF: random points, each with a random variation, counted in a picture of 64 by 64 pixels.
//!
//! The error is the share of the points that are counted in another pixel than the CPU's. Sines and powers of the two are rounded
//! differently, so that a point next to the edge of a pixel may land on the other side; more than a thousandth of all points
//! and a few more is wrong.

use device::Argument;
use rayon::prelude::*;

use crate::graph::random::Random;
use crate::single_launch::{Once, Value, from_f32, from_i32, from_u32, to_u32};
use crate::variant::Source;
use crate::workload::Verdict;
use crate::workload::{Instance, Threads};

pub(super) const SOURCE: Source =
    Source { text: include_str!("ff.cu"), name: "benchmarks/src/ccc/ff.cu", kernel: "ff" };

/// Pixels on each side of the picture.
const SIDE: u32 = 64;

pub(super) fn instance(tasks: u32) -> Instance {
    let mut random = Random::new(10);
    let coordinates: Vec<f32> = (0..2 * tasks).map(|_| (4.0 * random.unit() - 2.0) as f32).collect();
    let variations: Vec<i32> = (0..tasks).map(|_| random.below(10).cast_signed()).collect();
    let (points, _) = coordinates.as_chunks::<2>();
    let blank = || vec![0_u32; (SIDE * SIDE) as usize];
    let counted = points.par_iter().zip(&variations).fold(blank, |mut picture, (&[x, y], &variation)| {
        if let Some(pixel) = pixel(vary(variation, x, y)) {
            picture[pixel] += 1;
        }
        picture
    });
    let expected = counted.reduce(blank, |one, other| one.iter().zip(other).map(|(one, other)| one + other).collect());
    let check = move |results: &[Vec<u8>]| verdict(&to_u32(&results[0]), &expected, tasks);
    let values = vec![
        Value::Scalar(Argument::from(tasks.cast_signed())),
        Value::Scalar(Argument::from(SIDE.cast_signed())),
        Value::Input("position", from_f32(&coordinates)),
        Value::Input("variation", from_i32(&variations)),
        Value::Output("histogram", from_u32(&vec![0; (SIDE * SIDE) as usize])),
    ];
    Instance {
        input: format!("{tasks} points, 10 variations"),
        tasks,
        threads: Threads::Stride,
        work: Box::new(Once::new(values, true, Box::new(check))),
    }
}

/// A point that moves to another pixel changes two of them.
fn verdict(found: &[u32], expected: &[u32], points: u32) -> Verdict {
    let changed: u64 = found.iter().zip(expected).map(|(&a, &b)| u64::from(a.abs_diff(b))).sum();
    let error = changed as f64 / 2.0 / f64::from(points);
    let wrong = changed > 4 + u64::from(points) / 500;
    let what = || format!("{} of {points} points are counted in other pixels than the CPU's", changed.div_ceil(2));
    Verdict { difference: wrong.then(what), error }
}

/// The variations of the fractal flame algorithm that the kernel has.
fn vary(variation: i32, x: f32, y: f32) -> (f32, f32) {
    let squared = x * x + y * y;
    let length = squared.sqrt();
    let theta = x.atan2(y);
    match variation {
        0 => (x, y),
        1 => (x / (squared + 1e-6), y),
        2 => (x / (squared + 1e-6), y / (squared + 1e-6)),
        3 => ((x - y) * (x + y) / (length + 1e-6), 2.0 * x * y / (length + 1e-6)),
        4 => (if x < 0.0 { 2.0 * x } else { x }, if y < 0.0 { 0.5 * y } else { y }),
        5 => (2.0 * y / (length + 1.0), 2.0 * x / (length + 1.0)),
        6 => (4.0 * x / (squared + 4.0), 4.0 * y / (squared + 4.0)),
        7 => {
            let radius = length.powf(theta.sin());
            (radius * theta.cos(), radius * theta.sin())
        }
        8 => {
            let turn = 0.2 * (y.atan2(x) + std::f32::consts::TAU * (x.to_bits() % 5) as f32);
            let radius = length.powf(0.2);
            (radius * turn.cos(), radius * turn.sin())
        }
        _ => {
            let turned = 1.25 * y.atan2(x) + std::f32::consts::FRAC_PI_4;
            let around = turned.cos().abs().powf(1.7) + turned.sin().abs().powf(1.7);
            let scale = (length - 0.1) * around.powf(-1.6) / (length + 1e-6);
            (x * scale, y * scale)
        }
    }
}

fn pixel((x, y): (f32, f32)) -> Option<usize> {
    let side = SIDE as f32;
    let (column, row) = ((x + 2.0) * 0.25 * side, (y + 2.0) * 0.25 * side);
    let seen = column >= 0.0 && column < side && row >= 0.0 && row < side;
    seen.then(|| row as usize * SIDE as usize + column as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_points_on_the_edge_of_a_pixel_are_no_difference() {
        assert_eq!(verdict(&[10, 20], &[11, 19], 3000).difference, None);
        let verdict = verdict(&[10, 40], &[20, 20], 3000);
        assert_eq!(verdict.difference.as_deref(), Some("15 of 3000 points are counted in other pixels than the CPU's"));
        assert_eq!(verdict.error, 0.005);
    }

    #[test]
    fn the_picture_is_the_square_from_minus_two_to_two() {
        assert_eq!(pixel((-2.0, -2.0)), Some(0));
        assert_eq!(pixel((0.0, 0.0)), Some(32 * 64 + 32));
        assert_eq!(pixel((2.0, 0.0)), None);
        assert_eq!(pixel((f32::NAN, 0.0)), None);
    }
}
