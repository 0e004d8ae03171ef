//! DQG: points around the atoms of 40 molecules of 2 to 80 atoms.
//!
//! The error is that of a point's weight, which lies between 0 and 1. The CPU computes in double precision.

use device::Argument;
use rayon::prelude::*;

use crate::graph::random::Random;
use crate::single_launch::{Once, Value, from_f32, from_i32, from_u64, to_u64};
use crate::variant::Source;
use crate::workload::Verdict;
use crate::workload::{Instance, Threads};

pub(super) const SOURCE: Source =
    Source { text: include_str!("dqg.cu"), name: "benchmarks/src/ccc/dqg.cu", kernel: "dqg" };

/// As in the paper.
const MOST_ATOMS: u32 = 80;

/// Molecules of 2, 4, … 80 atoms.
const MOLECULES: u32 = 40;

/// A product of up to 80 rounded factors over a sum of as many.
const BOUND: f64 = 2e-4;

struct Molecules {
    /// The index of each molecule's first atom; one more entry than there are molecules.
    first: Vec<usize>,
    /// The index of each molecule's first pair, and its number of atoms.
    begins: Vec<[i32; 2]>,
    /// The places of the atoms.
    atoms: Vec<[f32; 3]>,
}

pub(super) fn instance(tasks: u32) -> Instance {
    let mut random = Random::new(2);
    let molecules = Molecules::new(&mut random);
    let (mut of, mut centres) = (Vec::new(), Vec::new());
    let mut points = Vec::new();
    for _ in 0..tasks {
        let molecule = random.below(MOLECULES) as usize;
        let atoms = molecules.of(molecule);
        let centre = random.below(atoms.len() as u32);
        let at = atoms[centre as usize];
        let mut near = |axis: usize| at[axis] + (2.0 * random.unit() - 1.0) as f32;
        points.push([near(0), near(1), near(2), molecules.last_pair(molecule, centre) as f32]);
        centres.push(centre as usize);
        of.push(molecule as i32);
    }
    let weight = |index: usize| weight(&points[index], molecules.of(of[index] as usize), centres[index]);
    let expected: Vec<f64> = (0..points.len()).into_par_iter().map(weight).collect();
    let check = move |results: &[Vec<u8>]| {
        let sums = to_u64(&results[0]);
        let weight = |&[others, own]: &[u64; 2]| own as f64 / (own + others) as f64;
        let found: Vec<f64> = sums.as_chunks::<2>().0.iter().map(weight).collect();
        Verdict::compare("point", &found, &expected, BOUND, |found, expected| (found - expected).abs())
    };
    let values = vec![
        Value::Scalar(Argument::from(tasks.cast_signed())),
        Value::Scalar(Argument::from(MOST_ATOMS.cast_signed())),
        Value::Input("point", from_f32(points.as_flattened())),
        Value::Input("molecule", from_i32(&of)),
        Value::Input("molecules", from_i32(molecules.begins.as_flattened())),
        Value::Input("pair", from_f32(molecules.pairs().as_flattened())),
        Value::Output("sums", from_u64(&vec![0; 2 * tasks as usize])),
    ];
    Instance {
        input: format!("{tasks} points, molecules of 2 to {MOST_ATOMS} atoms"),
        tasks,
        threads: Threads::Stride,
        work: Box::new(Once::new(values, true, Box::new(check))),
    }
}

impl Molecules {
    /// Atoms in a lattice, moved a little, so that no two are in one place.
    fn new(random: &mut Random) -> Molecules {
        let mut molecules = Molecules { first: vec![0], begins: Vec::new(), atoms: Vec::new() };
        let mut pairs = 0;
        for molecule in 1..=MOLECULES {
            for atom in 0..2 * molecule {
                let mut place = |step: u32| (2.0 * f64::from(step) + random.unit()) as f32;
                molecules.atoms.push([place(atom % 4), place(atom / 4 % 4), place(atom / 16)]);
            }
            molecules.first.push(molecules.atoms.len());
            let atoms = (2 * molecule).cast_signed();
            molecules.begins.push([pairs, atoms]);
            pairs += atoms * atoms;
        }
        molecules
    }

    fn of(&self, molecule: usize) -> &[[f32; 3]] {
        &self.atoms[self.first[molecule]..self.first[molecule + 1]]
    }

    /// The last pair of an atom's row.
    fn last_pair(&self, molecule: usize, atom: u32) -> i32 {
        let [begin, atoms] = self.begins[molecule];
        begin + (atom.cast_signed() + 1) * atoms - 1
    }

    /// For each atom the places of its molecule's and one over how far they are apart from it, nothing for itself, negative for the last.
    fn pairs(&self) -> Vec<[f32; 4]> {
        let mut pairs = Vec::new();
        for atoms in (0..self.begins.len()).map(|molecule| self.of(molecule)) {
            for own in atoms {
                let apart = |other: &[f32; 3]| if other == own { 0.0 } else { 1.0 / distance(own, other) };
                pairs.extend(atoms.iter().map(|other| [other[0], other[1], other[2], apart(other) as f32]));
                pairs.last_mut().into_iter().for_each(|last: &mut [f32; 4]| last[3] = -last[3]);
            }
        }
        pairs
    }
}

/// Returns how far two places are apart.
fn distance(a: &[f32], b: &[f32]) -> f64 {
    (0..3).map(|axis| (f64::from(a[axis]) - f64::from(b[axis])).powi(2)).sum::<f64>().sqrt()
}

/// Becke's weight of a point for an atom.
fn weight(point: &[f32; 4], atoms: &[[f32; 3]], centre: usize) -> f64 {
    let step = |mu: f64| mu * (1.5 - 0.5 * mu * mu);
    let cell = |own: usize| {
        let others = atoms.iter().enumerate().filter(|&(other, _)| other != own);
        let factor = |other: &[f32; 3]| {
            let mu = (distance(point, &atoms[own]) - distance(point, other)) / distance(&atoms[own], other);
            0.5 * (1.0 - step(step(step(mu))))
        };
        others.map(|(_, other)| factor(other)).product::<f64>()
    };
    let total: f64 = (0..atoms.len()).map(cell).sum();
    cell(centre) / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_all_atoms_add_up_to_one() {
        let molecules = Molecules::new(&mut Random::new(2));
        let atoms = molecules.of(9);
        assert_eq!(atoms.len(), 20);
        let weights = (0..20).map(|centre| weight(&[1.0, 2.0, 3.0, 0.0], atoms, centre));
        assert!((weights.sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn halfway_between_two_atoms_both_weigh_the_same() {
        let atoms = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        assert_eq!(weight(&[1.0, 0.5, 0.0, 0.0], &atoms, 0), 0.5);
        assert!(weight(&[0.1, 0.0, 0.0, 0.0], &atoms, 0) > 0.99);
    }

    #[test]
    fn a_row_has_nothing_for_its_own_atom_and_ends_with_a_sign() {
        let molecules = Molecules::new(&mut Random::new(2));
        let pairs = molecules.pairs();
        // The second molecule has four atoms, behind the four pairs of the first.
        assert_eq!(molecules.begins[1], [4, 4]);
        assert_eq!(molecules.last_pair(1, 0), 7);
        let row: Vec<f32> = pairs[4..8].iter().map(|pair| pair[3]).collect();
        assert!(row[0] == 0.0 && row[1] > 0.0 && row[2] > 0.0 && row[3] < 0.0, "{row:?}");
        assert!(pairs[19][3] == 0.0 && pairs[19][3].is_sign_negative());
        assert_eq!(pairs.len() as i32, 1 + molecules.last_pair(39, 79));
    }
}
