//! TL: threads that take a lock eight times each and count under it.

use device::Argument;

use super::input::{Input, differ, launch, threads};
use crate::single_launch::{Value, from_i32, to_i32};
use crate::variant::Source;
use crate::workload::Verdict;

pub(super) const SOURCE: Source =
    Source { text: include_str!("tl.cu"), name: "benchmarks/src/ssde/tl.cu", kernel: "tl" };

const ROUNDS: i32 = 8;

/// `sharers` threads have a lock in common; all of them, if there is no such number.
pub(super) fn input(tasks: u32, sharers: Option<u32>) -> Input {
    let config = launch(tasks);
    let threads = threads(&config);
    let sharers = sharers.unwrap_or(threads);
    let locks = threads.div_ceil(sharers);
    let counts = move |lock: u32| (threads - lock * sharers).min(sharers).cast_signed() * ROUNDS;
    let expected: Vec<i32> = (0..locks).map(counts).collect();
    let values = vec![
        Value::Scalar(Argument::from(ROUNDS)),
        Value::Scalar(Argument::from(sharers.cast_signed())),
        Value::Output("counter", from_i32(&vec![0; locks as usize])),
        Value::Input("lock", from_i32(&vec![0; locks as usize])),
    ];
    let check = move |results: &[Vec<u8>]| Verdict::compare("counter", &to_i32(&results[0]), &expected, 0.0, differ);
    Input::new(format!("{threads} threads, {locks} locks, {ROUNDS} rounds"), config, values, Box::new(check))
}
