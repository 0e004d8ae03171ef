//! EMIES: observers and sources in a cube of 6 by 6 by 6 boxes.
//!
//! The error is that of an observer's potential, relative to the sum of all strengths' absolute values, which is what boxes at the
//! distance of 1 could give. The CPU sums in double precision.

use device::Argument;
use rayon::prelude::*;

use crate::graph::random::Random;
use crate::single_launch::{Once, Value, from_f32, from_i32, from_u64, to_f32, to_u64};
use crate::variant::Source;
use crate::workload::Verdict;
use crate::workload::{Instance, Threads};

pub(super) const SOURCE: Source =
    Source { text: include_str!("emies.cu"), name: "benchmarks/src/ccc/emies.cu", kernel: "emies" };

/// Boxes along each side of the cube; a box has sides of length 1. A thread has an iteration for each box, and what is left on the
/// stacks after the last one should be little beside all of them.
const SIDE: usize = 6;

/// Sources per box on the average, as in the paper, and observers in a row that are in one box: the method puts both into boxes first.
const SOURCES: u32 = 64;

/// Boxes whose centre is nearer are summed source by source.
const RADIUS: f32 = 1.25;

/// Sums of some hundred rounded terms.
const BOUND: f64 = 1e-5;

struct Domain {
    /// The index of each box's first source; one more entry than there are boxes.
    first: Vec<i32>,
    /// Place and strength.
    sources: Vec<[f32; 4]>,
    /// Centre, strength and dipole.
    boxes: Vec<[f32; 7]>,
}

pub(super) fn instance(tasks: u32) -> Instance {
    let mut random = Random::new(64);
    let domain = Domain::new(&mut random);
    let occupied = u64::from(tasks.div_ceil(SOURCES));
    let observer = |index: u32| {
        // A few observers are in boxes all over the cube.
        let corner = corner((u64::from(index / SOURCES) * (SIDE * SIDE * SIDE) as u64 / occupied) as usize);
        let [x, y, z] = corner.map(|edge| edge + random.unit() as f32);
        [x, y, z, 0.0]
    };
    let observers: Vec<[f32; 4]> = (0..tasks).map(observer).collect();
    let boxes = domain.boxes.len();
    let values = vec![
        Value::Scalar(Argument::from(tasks.cast_signed())),
        Value::Scalar(Argument::from(boxes as i32)),
        Value::Scalar(Argument::from(RADIUS)),
        Value::Input("observer", from_f32(observers.as_flattened())),
        Value::Input("box", from_f32(domain.boxes.as_flattened())),
        Value::Input("first", from_i32(&domain.first)),
        Value::Input("source", from_f32(domain.sources.as_flattened())),
        Value::Output("far_field", from_f32(&vec![0.0; tasks as usize])),
        Value::Output("near_field", from_u64(&vec![0; tasks as usize])),
    ];
    let total: f64 = domain.sources.iter().map(|source| f64::from(source[3]).abs()).sum();
    let expected: Vec<f64> = observers.par_iter().map(|observer| domain.potential(observer)).collect();
    let check = move |results: &[Vec<u8>]| {
        let near = to_u64(&results[1]).into_iter().map(|sum| sum.cast_signed() as f64 / 4_294_967_296.0);
        let found: Vec<f64> =
            to_f32(&results[0]).into_iter().zip(near).map(|(far, near)| f64::from(far) + near).collect();
        Verdict::compare("observer", &found, &expected, BOUND, |found, expected| (found - expected).abs() / total)
    };
    Instance {
        input: format!("{tasks} observers, {boxes} boxes of some {SOURCES} sources"),
        tasks,
        threads: Threads::One,
        work: Box::new(Once::new(values, true, Box::new(check))),
    }
}

/// Returns where a box begins.
fn corner(index: usize) -> [f32; 3] {
    [index % SIDE, index / SIDE % SIDE, index / SIDE / SIDE].map(|step| step as f32)
}

impl Domain {
    fn new(random: &mut Random) -> Domain {
        let boxes = SIDE * SIDE * SIDE;
        let mut domain = Domain { first: vec![0], sources: Vec::new(), boxes: Vec::new() };
        // Sources anywhere in the cube: how many there are in each box.
        let mut count = vec![0; boxes];
        (0..boxes as u32 * SOURCES).for_each(|_| count[random.below(boxes as u32) as usize] += 1);
        for (index, &count) in count.iter().enumerate() {
            let corner = corner(index);
            let centre = corner.map(|edge| edge + 0.5);
            let mut whole = [centre[0], centre[1], centre[2], 0.0, 0.0, 0.0, 0.0];
            for _ in 0..count {
                let at = corner.map(|edge| edge + random.unit() as f32);
                let strength = random.unit() as f32 - 0.5;
                domain.sources.push([at[0], at[1], at[2], strength]);
                whole[3] += strength;
                (0..3).for_each(|axis| whole[4 + axis] += strength * (at[axis] - centre[axis]));
            }
            domain.first.push(domain.sources.len() as i32);
            domain.boxes.push(whole);
        }
        domain
    }

    fn potential(&self, observer: &[f32; 4]) -> f64 {
        let from = |place: &[f32]| [0, 1, 2].map(|axis| f64::from(observer[axis]) - f64::from(place[axis]));
        let mut sum = 0.0;
        for (range, whole) in self.first.windows(2).zip(&self.boxes) {
            // Which boxes are near is decided as the kernel does it, with its rounding.
            let [dx, dy, dz] = [0, 1, 2].map(|axis| observer[axis] - whole[axis]);
            let near = dz.mul_add(dz, dy.mul_add(dy, dx * dx)) < RADIUS * RADIUS;
            if near {
                for source in &self.sources[range[0] as usize..range[1] as usize] {
                    let squared: f64 = from(source).iter().map(|d| d * d).sum();
                    sum += f64::from(source[3]) / (squared + 1e-4).sqrt();
                }
            } else {
                let apart = from(whole);
                let squared: f64 = apart.iter().map(|d| d * d).sum();
                let dipole: f64 = apart.iter().zip(&whole[4..]).map(|(d, &moment)| d * f64::from(moment)).sum();
                sum += (f64::from(whole[3]) + dipole / squared) / squared.sqrt();
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_far_field_is_about_the_sum_over_the_sources() {
        let domain = Domain::new(&mut Random::new(64));
        assert_eq!(domain.boxes.len(), 216);
        let total: f64 = domain.sources.iter().map(|source| f64::from(source[3]).abs()).sum();
        let observer = [-10.0, 2.0, 2.0, 0.0];
        let direct: f64 = domain
            .sources
            .iter()
            .map(|&[x, y, z, strength]| {
                let squared = (x + 10.0).powi(2) + (y - 2.0).powi(2) + (z - 2.0).powi(2);
                f64::from(strength) / f64::from(squared).sqrt()
            })
            .sum();
        assert!((domain.potential(&observer) - direct).abs() < 1e-5 * total, "{direct} of {total}");
    }
}
