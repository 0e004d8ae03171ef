//! HT: entries with random keys, four to a bucket on the average, two to a thread (the paper's 80 thousand and 40
//! thousand).
//!
//! The order within a chain is that in which threads came, so chains are walked: each entry must be in that of its
//! bucket, once.

use device::Argument;

use super::input::{Input, launch, wrong};
use crate::graph::random::Random;
use crate::single_launch::{Value, from_i32, from_u32, to_i32};
use crate::variant::Source;
use crate::workload::Verdict;

pub(super) const SOURCE: Source =
    Source { text: include_str!("ht.cu"), name: "benchmarks/src/ssde/ht.cu", kernel: "ht" };

const NONE: i32 = -1;

pub(super) fn input(entries: u32) -> Input {
    let buckets = entries.div_ceil(4);
    let mut random = Random::new(61);
    let keys: Vec<u32> = (0..entries).map(|_| (random.next() >> 32) as u32).collect();
    let values = vec![
        Value::Scalar(Argument::from(entries.cast_signed())),
        Value::Scalar(Argument::from(buckets)),
        Value::Input("key", from_u32(&keys)),
        Value::Output("head", from_i32(&vec![NONE; buckets as usize])),
        Value::Output("next", from_i32(&vec![NONE; entries as usize])),
        Value::Output("lock", from_i32(&vec![0; buckets as usize])),
    ];
    let check = move |results: &[Vec<u8>]| verdict(&keys, &to_i32(&results[0]), &to_i32(&results[1]), &results[2]);
    let description = format!("{entries} entries, {buckets} buckets");
    Input::new(description, launch(entries.div_ceil(2)), values, Box::new(check))
}

/// The kernel's `bucket_of`.
fn bucket_of(key: u32, buckets: u32) -> usize {
    let mixed = (key ^ key >> 15).wrapping_mul(0x9e37_79b1);
    ((u64::from(mixed ^ mixed >> 13) * u64::from(buckets)) >> 32) as usize
}

fn verdict(keys: &[u32], head: &[i32], next: &[i32], lock: &[u8]) -> Verdict {
    let mut met = vec![false; keys.len()];
    for (bucket, &first) in head.iter().enumerate() {
        let mut at = first;
        while at != NONE {
            let Some(entry) = usize::try_from(at).ok().filter(|&entry| entry < keys.len()) else {
                return wrong(format!("the chain of bucket {bucket} has an entry {at}, which there is not"));
            };
            if bucket_of(keys[entry], head.len() as u32) != bucket {
                return wrong(format!("entry {entry} is in bucket {bucket}, where it does not belong"));
            }
            if std::mem::replace(&mut met[entry], true) {
                return wrong(format!("entry {entry} is in a chain twice"));
            }
            at = next[entry];
        }
    }
    if let Some(lost) = met.iter().position(|&met| !met) {
        return wrong(format!("entry {lost} is in no chain"));
    }
    if lock.iter().any(|&byte| byte != 0) { wrong("a lock is still taken".into()) } else { Verdict::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_a_doubled_and_a_misplaced_entry_are_noticed() {
        let keys = [1, 2];
        let (one, two) = (bucket_of(1, 2), bucket_of(2, 2));
        assert_ne!(one, two, "the keys of this test are in different buckets");
        let says = |head: [i32; 2], next: [i32; 2], lock: u8| verdict(&keys, &head, &next, &[lock]).difference;
        let mut head = [NONE; 2];
        (head[one], head[two]) = (0, 1);
        assert_eq!(says(head, [NONE; 2], 0), None);
        assert_eq!(says(head, [NONE; 2], 1).unwrap(), "a lock is still taken");
        assert_eq!(says(head, [0, NONE], 0).unwrap(), "entry 0 is in a chain twice");
        assert_eq!(
            says([head[1], head[0]], [NONE; 2], 0).unwrap().split(", ").nth(1),
            Some("where it does not belong")
        );
        head[two] = NONE;
        assert_eq!(says(head, [NONE; 2], 0).unwrap(), "entry 1 is in no chain");
    }
}
