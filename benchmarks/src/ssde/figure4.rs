//! The scenarios of the paper's Figure 4, as small as they can be.

use device::Argument;

use super::input::{Input, differ, launch, threads};
use crate::graph::random::Random;
use crate::single_launch::{Check, Value, from_i32, to_i32};
use crate::variant::Source;
use crate::workload::Verdict;

/// Their kernels are in one file.
pub(super) fn source(kernel: &'static str) -> Source<'static> {
    Source { text: include_str!("figure4.cu"), name: "benchmarks/src/ssde/figure4.cu", kernel }
}

/// Compares all integers that the kernel wrote, one output behind the other.
fn equal(expected: Vec<i32>) -> Check {
    Box::new(move |results| {
        let found: Vec<i32> = results.iter().flat_map(|bytes| to_i32(bytes)).collect();
        Verdict::compare("result", &found, &expected, 0.0, differ)
    })
}

/// Values below 200, so that some are small and some are large to the kernel; positive.
fn values(count: u32) -> Vec<i32> {
    let mut random = Random::new(64);
    (0..count).map(|_| 1 + random.below(199).cast_signed()).collect()
}

pub(super) fn behind(tasks: u32) -> Input {
    let config = launch(tasks);
    let threads = threads(&config).cast_signed();
    let values = vec![Value::Output("lock", from_i32(&[0])), Value::Output("counter", from_i32(&[0]))];
    Input::new(format!("{threads} threads"), config, values, equal(vec![0, threads]))
}

pub(super) fn parallel(tasks: u32) -> Input {
    let config = launch(tasks.next_multiple_of(2));
    let threads = threads(&config);
    let none = || from_i32(&vec![0; threads as usize / 2]);
    let values = vec![
        Value::Input("ping", none()),
        Value::Input("pong", none()),
        Value::Output("out", from_i32(&vec![0; threads as usize])),
    ];
    let pairs = 0..threads.cast_signed() / 2;
    let expected = pairs.flat_map(|pair| [3 * pair + 2, 3 * pair + 1]).collect();
    Input::new(format!("{threads} threads"), config, values, equal(expected))
}

pub(super) fn branches(tasks: u32) -> Input {
    let config = launch(tasks);
    let value = values(threads(&config));
    let (small, large): (Vec<i32>, Vec<i32>) = value.iter().partition(|&&value| value < 100);
    let expected = vec![0, small.iter().sum(), large.len() as i32, large.iter().copied().max().unwrap_or_default()];
    let description = format!("{} threads", value.len());
    let values = vec![
        Value::Output("lock", from_i32(&[0])),
        Value::Output("small", from_i32(&[0])),
        Value::Output("large", from_i32(&[0, 0])),
        Value::Input("value", from_i32(&value)),
    ];
    Input::new(description, config, values, equal(expected))
}

pub(super) fn around(tasks: u32) -> Input {
    const SHARE: u32 = 4;
    let config = launch(tasks);
    let threads = threads(&config);
    let value = values(SHARE * threads);
    let sums = value.iter().scan(0_i32, |sum, &value| {
        *sum = sum.wrapping_add(value);
        Some(*sum)
    });
    let expected = sums.collect();
    let values = vec![
        Value::Scalar(Argument::from(SHARE.cast_signed())),
        Value::Input("value", from_i32(&value)),
        Value::Output("sum", from_i32(&vec![0; value.len()])),
    ];
    Input::new(format!("{threads} threads, {} values", value.len()), config, values, equal(expected))
}
