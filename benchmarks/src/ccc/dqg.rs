//! DQG: points around the atoms of 40 molecules of 2 to 80 atoms.
//!
//! The error is that of a point's weight, which lies between 0 and 1. The CPU computes in double precision.

use device::Argument;

use super::once::{Once, Value, from_f32, from_i32, from_u64, to_f32, to_u64};
use super::work::{Instance, Threads, Verdict};
use crate::graph::random::Random;
use crate::variant::Source;

pub(super) const SOURCE: Source =
    Source { text: include_str!("dqg.cu"), name: "benchmarks/src/ccc/dqg.cu", kernel: "dqg" };

/// As in the paper.
const MOST_ATOMS: u32 = 80;

/// Molecules of 2, 4, … 80 atoms.
const MOLECULES: u32 = 40;

/// A product of up to 80 rounded factors over a sum of as many.
const BOUND: f64 = 2e-4;

struct Molecules {
    /// Where a molecule's atoms begin; one more than there are molecules.
    first: Vec<i32>,
    /// Their places, and nothing.
    atoms: Vec<[f32; 4]>,
}

pub(super) fn instance(tasks: u32) -> Instance {
    let mut random = Random::new(2);
    let molecules = Molecules::new(&mut random);
    let mut of = Vec::new();
    let mut points = Vec::new();
    for _ in 0..tasks {
        let molecule = random.below(MOLECULES) as usize;
        let atoms = molecules.of(molecule);
        let centre = random.below(atoms.len() as u32);
        let at = atoms[centre as usize];
        let mut near = |axis: usize| at[axis] + (2.0 * random.unit() - 1.0) as f32;
        points.push([near(0), near(1), near(2), centre as f32]);
        of.push(molecule as i32);
    }
    let expected: Vec<f64> =
        points.iter().zip(&of).map(|(point, &molecule)| weight(point, molecules.of(molecule as usize))).collect();
    let check = move |results: &[Vec<u8>]| {
        let total = to_u64(&results[1]).into_iter().map(|sum| sum as f64 / 1_099_511_627_776.0);
        let found: Vec<f64> =
            to_f32(&results[0]).into_iter().zip(total).map(|(own, all)| f64::from(own) / all).collect();
        Verdict::compare("point", &found, &expected, BOUND, |found, expected| (found - expected).abs())
    };
    let values = vec![
        Value::Scalar(Argument::from(tasks.cast_signed())),
        Value::Scalar(Argument::from(MOST_ATOMS.cast_signed())),
        Value::Input("point", from_f32(points.as_flattened())),
        Value::Input("molecule", from_i32(&of)),
        Value::Input("first", from_i32(&molecules.first)),
        Value::Input("atom", from_f32(molecules.atoms.as_flattened())),
        Value::Output("home", from_f32(&vec![0.0; tasks as usize])),
        Value::Output("total", from_u64(&vec![0; tasks as usize])),
    ];
    Instance {
        input: format!("{tasks} points, molecules of 2 to {MOST_ATOMS} atoms"),
        tasks,
        threads: Threads::Stride,
        work: Box::new(Once { values, ordered: true, check: Box::new(check) }),
    }
}

impl Molecules {
    /// Atoms in a lattice, moved a little, so that no two are in one place.
    fn new(random: &mut Random) -> Molecules {
        let mut molecules = Molecules { first: vec![0], atoms: Vec::new() };
        for molecule in 1..=MOLECULES {
            for atom in 0..2 * molecule {
                let mut place = |step: u32| (2.0 * f64::from(step) + random.unit()) as f32;
                molecules.atoms.push([place(atom % 4), place(atom / 4 % 4), place(atom / 16), 0.0]);
            }
            molecules.first.push(molecules.atoms.len() as i32);
        }
        molecules
    }

    fn of(&self, molecule: usize) -> &[[f32; 4]] {
        &self.atoms[self.first[molecule] as usize..self.first[molecule + 1] as usize]
    }
}

/// Becke's weight of a point for the atom that it belongs to.
fn weight(point: &[f32; 4], atoms: &[[f32; 4]]) -> f64 {
    let distance = |a: &[f32; 4], b: &[f32; 4]| {
        (0..3).map(|axis| (f64::from(a[axis]) - f64::from(b[axis])).powi(2)).sum::<f64>().sqrt()
    };
    let step = |mu: f64| mu * (1.5 - 0.5 * mu * mu);
    let cell = |own: usize| {
        let others = atoms.iter().enumerate().filter(|&(other, _)| other != own);
        let factor = |other: &[f32; 4]| {
            let mu = (distance(point, &atoms[own]) - distance(point, other)) / distance(&atoms[own], other);
            0.5 * (1.0 - step(step(step(mu))))
        };
        others.map(|(_, other)| factor(other)).product::<f64>()
    };
    let total: f64 = (0..atoms.len()).map(cell).sum();
    cell(point[3] as usize) / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_all_atoms_add_up_to_one() {
        let molecules = Molecules::new(&mut Random::new(2));
        let atoms = molecules.of(9);
        assert_eq!(atoms.len(), 20);
        let weights = (0..20).map(|centre| weight(&[1.0, 2.0, 3.0, centre as f32], atoms));
        assert!((weights.sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn halfway_between_two_atoms_both_weigh_the_same() {
        let atoms = [[0.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]];
        assert_eq!(weight(&[1.0, 0.5, 0.0, 0.0], &atoms), 0.5);
        assert!(weight(&[0.1, 0.0, 0.0, 0.0], &atoms) > 0.99);
    }
}
