//! SortingNetworks: arrays of 1024 keys with values, sorted twice: by the bitonic network and by odd-even merges.
//!
//! Every array must have the CPU's order of keys, and each value must still be with its key.

use device::LaunchConfig;

use super::case::Case;
use super::launches::{Launch, Launches, Parameter, once};
use crate::graph::random::Random;
use crate::single_launch::{from_u32, to_u32};
use crate::variant::Source;
use crate::workload::Verdict;

pub(super) const SOURCE: Source =
    Source { text: include_str!("sorting.cu"), name: "benchmarks/src/cpu/sorting.cu", kernel: "bitonic" };

/// Keys of an array.
const LENGTH: usize = 1024;

pub(super) fn case(arrays: u32) -> Case {
    let mut random = Random::new(32);
    let count = arrays as usize * LENGTH;
    let keys: Vec<u32> = (0..count).map(|_| (random.next() >> 32) as u32).collect();
    let values: Vec<u32> = (0..count as u32).collect();
    let mut sorted = keys.clone();
    sorted.chunks_mut(LENGTH).for_each(<[u32]>::sort_unstable);
    let launch = |kernel, to: usize| Launch {
        kernel,
        config: LaunchConfig::linear(arrays, LENGTH as u32 / 2),
        parameters: [0, 1, to, to + 1].map(Parameter::Buffer).to_vec(),
    };
    let buffer = || vec![0; 4 * count];
    let launches = Launches {
        buffers: vec![
            ("keys", from_u32(&keys)),
            ("values", from_u32(&values)),
            ("keys of bitonic sort", buffer()),
            ("values of bitonic sort", buffer()),
            ("keys of odd-even merges", buffer()),
            ("values of odd-even merges", buffer()),
        ],
        launches: vec![launch("bitonic", 2), launch("oddeven", 4)],
        results: vec![2, 3, 4, 5],
        native_reads: vec![0, 1],
        check: once(move |results| {
            let of = |network: &str, at: usize| {
                verdict(network, &to_u32(&results[at]), &to_u32(&results[at + 1]), &keys, &sorted)
            };
            let bitonic = of("bitonic sort", 0);
            if bitonic.difference.is_some() { bitonic } else { of("odd-even merges", 2) }
        }),
    };
    Case::new(format!("{arrays} arrays of {LENGTH} keys"), launches, "sorting", arrays)
}

/// Checks the keys, and that the value of each key is a place where that key was, used once.
fn verdict(network: &str, found: &[u32], values: &[u32], keys: &[u32], sorted: &[u32]) -> Verdict {
    let differ = |a: &u32, b: &u32| f64::from(u8::from(a != b));
    let verdict = Verdict::compare(&format!("{network}: key"), found, sorted, 0.0, differ);
    if verdict.difference.is_some() {
        return verdict;
    }
    let mut used = vec![false; keys.len()];
    let fits = |(&key, &value): (&u32, &u32)| {
        let place = value as usize;
        keys.get(place) == Some(&key) && !std::mem::replace(&mut used[place], true)
    };
    match found.iter().zip(values).map(fits).position(|fits| !fits) {
        Some(index) => {
            let what =
                format!("{network}: value {index} is {}, which is not that of key {}", values[index], found[index]);
            Verdict { difference: Some(what), error: 1.0 }
        }
        None => verdict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_must_be_in_order_and_values_with_them() {
        let (keys, sorted) = ([7, 3, 7], [3, 7, 7]);
        let say =
            |found: &[u32], values: &[u32]| verdict("n", found, values, &keys, &sorted).difference.unwrap_or_default();
        assert_eq!(say(&[3, 7, 7], &[1, 2, 0]), "");
        assert_eq!(say(&[3, 7, 7], &[1, 0, 2]), "");
        assert_eq!(say(&[7, 3, 7], &[0, 1, 2]), "n: key 0 is 7, the CPU says 3");
        assert_eq!(say(&[3, 7, 7], &[1, 0, 0]), "n: value 2 is 0, which is not that of key 7");
        assert_eq!(say(&[3, 7, 7], &[0, 1, 2]), "n: value 0 is 0, which is not that of key 3");
        assert_eq!(say(&[3, 7, 7], &[9, 0, 2]), "n: value 0 is 9, which is not that of key 3");
    }
}
