//! CP-DS: a crumpled cloth, a square of particles with constraints between neighbours, eight constraints to a thread.
//!
//! Where particles end depends on the order of the constraints. What does not: how often each is moved, which a lost
//! lock shows, and where the middle of the cloth is; and the constraints must be closer to what they ask for than
//! before.

use device::Argument;

use super::input::{Input, differ, launch, wrong};
use crate::graph::random::Random;
use crate::single_launch::{Value, from_f32, from_i32, to_f32, to_i32};
use crate::variant::Source;
use crate::workload::Verdict;

pub(super) const SOURCE: Source =
    Source { text: include_str!("cp_ds.cu"), name: "benchmarks/src/ssde/cp_ds.cu", kernel: "cp_ds" };

const SWEEPS: i32 = 2;

/// The distance that neighbours want to have.
const LENGTH: f32 = 1.0;

/// The most that the middle may move by rounding, in the unit of [`LENGTH`].
const DRIFT: f64 = 1e-3;

pub(super) fn input(particles: u32) -> Input {
    let side = particles.isqrt().max(2);
    let mut pairs = Vec::new();
    for row in 0..side {
        for column in 0..side {
            let at = row * side + column;
            let right = (column + 1 < side).then_some((at, at + 1));
            let down = (row + 1 < side).then_some((at, at + side));
            pairs.extend(right.into_iter().chain(down));
        }
    }
    let mut random = Random::new(66);
    let mut crumple = |at: u32| at as f32 + (random.unit() - 0.5) as f32;
    let position: Vec<f32> =
        (0..side * side).flat_map(|at| [crumple(at % side), crumple(at / side), crumple(0)]).collect();
    let constraint = pairs.iter().flat_map(|&(first, second)| [first, second, LENGTH.to_bits()]);
    let constraint: Vec<i32> = constraint.map(u32::cast_signed).collect();
    let values = vec![
        Value::Scalar(Argument::from(SWEEPS)),
        Value::Scalar(Argument::from(pairs.len() as i32)),
        Value::Input("constraint", from_i32(&constraint)),
        Value::Output("position", from_f32(&position)),
        Value::Output("moves", from_i32(&vec![0; (side * side) as usize])),
        Value::Input("lock", from_i32(&vec![0; (side * side) as usize])),
    ];
    let description = format!("{side} by {side} particles, {} constraints, {SWEEPS} sweeps", pairs.len());
    let config = launch((pairs.len() as u32).div_ceil(8));
    let check = move |results: &[Vec<u8>]| verdict(&pairs, &position, &to_f32(&results[0]), &to_i32(&results[1]));
    Input::new(description, config, values, Box::new(check))
}

fn verdict(pairs: &[(u32, u32)], before: &[f32], after: &[f32], moves: &[i32]) -> Verdict {
    let mut expected = vec![0; moves.len()];
    for &(first, second) in pairs {
        expected[first as usize] += SWEEPS;
        expected[second as usize] += SWEEPS;
    }
    let counted = Verdict::compare("count of moves", moves, &expected, 0.0, differ);
    if counted.difference.is_some() {
        return counted;
    }
    for axis in 0..3 {
        let middle = |all: &[f32]| {
            let sum: f64 = all.iter().skip(axis).step_by(3).map(|&at| f64::from(at)).sum();
            sum / moves.len() as f64
        };
        let drift = (middle(after) - middle(before)).abs();
        // A NaN is no number to be below the bound.
        if drift.is_nan() || drift > DRIFT {
            return wrong(format!("the middle of the cloth has moved by {drift}"));
        }
    }
    let (was, is) = (violation(pairs, before), violation(pairs, after));
    if is < was { Verdict::default() } else { wrong(format!("the constraints are {is} off, and {was} before")) }
}

/// Returns how far constraints are from what they ask for, in all.
fn violation(pairs: &[(u32, u32)], position: &[f32]) -> f64 {
    let off = |&(first, second): &(u32, u32)| {
        let way = (0..3).map(|axis| position[3 * second as usize + axis] - position[3 * first as usize + axis]);
        let square: f32 = way.map(|way| way * way).sum();
        f64::from((square.sqrt() - LENGTH).abs())
    };
    pairs.iter().map(off).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_moves_a_drift_and_worse_constraints_are_noticed() {
        let before = [0.0, 0.0, 0.0, 2.0, 0.0, 0.0];
        let says = |after: [f32; 6], moves: [i32; 2]| verdict(&[(0, 1)], &before, &after, &moves).difference;
        assert_eq!(says([0.5, 0.0, 0.0, 1.5, 0.0, 0.0], [2, 2]), None);
        let counts = says(before, [2, 1]).unwrap();
        assert_eq!(counts, "count of moves 1 is 1, the CPU says 2");
        assert_eq!(says([0.5, 0.0, 0.0, 2.5, 0.0, 0.0], [2, 2]).unwrap(), "the middle of the cloth has moved by 0.5");
        assert_eq!(says(before, [2, 2]).unwrap(), "the constraints are 1 off, and 1 before");
    }
}
