//! HASH: as many pairs as fill nine tenths of the table (the paper's load factor). With four hash functions every pair finds a place
//! there; chains of hundreds are rare.
//!
//! Where a pair ends depends on the order in which pairs come, so the table itself is not compared: it must hold every pair once, at
//! a place where one of the four hash functions finds it.

use std::collections::HashSet;

use device::Argument;
use rayon::prelude::*;

use crate::graph::random::Random;
use crate::single_launch::{Once, Value, from_u64, to_u64};
use crate::variant::Source;
use crate::workload::Verdict;
use crate::workload::{Instance, Threads};

pub(super) const SOURCE: Source =
    Source { text: include_str!("hash.cu"), name: "benchmarks/src/ccc/hash.cu", kernel: "hash" };

const EMPTY: u64 = u64::MAX;

pub(super) fn instance(tasks: u32) -> Instance {
    // The few slots that a tiny table has more of let it find room for every pair.
    let slots = (u64::from(tasks) * 10 / 9 + 4) as u32;
    let mut random = Random::new(90);
    let mut keys = HashSet::new();
    let mut pairs = Vec::new();
    while pairs.len() < tasks as usize {
        let pair = random.next();
        let key = (pair >> 32) as u32;
        if key != u32::MAX && keys.insert(key) {
            pairs.push(pair);
        }
    }
    let expected = pairs.clone();
    let check = move |results: &[Vec<u8>]| verdict(&to_u64(&results[0]), &expected);
    let values = vec![
        Value::Scalar(Argument::from(tasks.cast_signed())),
        Value::Scalar(Argument::from(slots)),
        Value::Input("pair", from_u64(&pairs)),
        Value::Output("table", from_u64(&vec![EMPTY; slots as usize])),
    ];
    Instance {
        input: format!("{tasks} pairs, {slots} slots"),
        tasks,
        threads: Threads::Stride,
        work: Box::new(Once::new(values, false, Box::new(check))),
    }
}

/// Returns where a hash function puts a key; the kernel's `place`.
fn place(key: u32, function: usize, slots: u32) -> usize {
    const MULTIPLIERS: [u32; 4] = [0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f];
    let mixed = (key ^ key >> 15).wrapping_mul(MULTIPLIERS[function]);
    ((u64::from(mixed ^ mixed >> 13) * u64::from(slots)) >> 32) as usize
}

fn verdict(table: &[u64], pairs: &[u64]) -> Verdict {
    let wrong = |what: String| Verdict { difference: Some(what), error: 0.0 };
    let stored = table.iter().filter(|&&pair| pair != EMPTY).count();
    if stored != pairs.len() {
        return wrong(format!("the table holds {stored} pairs, there are {}", pairs.len()));
    }
    let found =
        |pair: u64| (0..4).any(|function| table[place((pair >> 32) as u32, function, table.len() as u32)] == pair);
    match pairs.par_iter().find_first(|&&pair| !found(pair)) {
        Some(pair) => wrong(format!("pair {pair:#x} is at none of its places")),
        None => Verdict::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_a_doubled_and_a_misplaced_pair_are_noticed() {
        let pairs = [7_u64 << 32 | 1, 9_u64 << 32 | 2];
        let mut table = vec![EMPTY; 64];
        for &pair in &pairs {
            table[place((pair >> 32) as u32, 2, 64)] = pair;
        }
        assert_eq!(verdict(&table, &pairs), Verdict::default());
        let says = |table: &[u64]| verdict(table, &pairs).difference.unwrap();
        let at = place(7, 2, 64);
        let mut lost = table.clone();
        lost[at] = EMPTY;
        assert_eq!(says(&lost), "the table holds 1 pairs, there are 2");
        let free = (0..64).find(|&slot| table[slot] == EMPTY && (0..4).all(|f| place(7, f, 64) != slot)).unwrap();
        lost[free] = pairs[0];
        assert_eq!(says(&lost), "pair 0x700000001 is at none of its places");
    }
}
