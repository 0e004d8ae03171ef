//! AM: random elements, eight to a thread.

use device::Argument;

use super::input::{Input, differ, launch};
use crate::graph::random::Random;
use crate::single_launch::{Value, from_i32, to_i32};
use crate::variant::Source;
use crate::workload::Verdict;

pub(super) const SOURCE: Source =
    Source { text: include_str!("am.cu"), name: "benchmarks/src/ssde/am.cu", kernel: "am" };

/// There is a maximum for every `length` elements; for all of them, if there is no such number.
pub(super) fn input(elements: u32, length: Option<u32>) -> Input {
    let length = length.unwrap_or(elements);
    let mut random = Random::new(63);
    let element: Vec<i32> = (0..elements).map(|_| random.below(1 << 30).cast_signed()).collect();
    let largest = |part: &[i32]| part.iter().copied().fold(-1, i32::max);
    let expected: Vec<i32> = element.chunks(length as usize).map(largest).collect();
    let maxima = expected.len();
    let values = vec![
        Value::Scalar(Argument::from(elements.cast_signed())),
        Value::Scalar(Argument::from(length.cast_signed())),
        Value::Input("element", from_i32(&element)),
        Value::Output("maximum", from_i32(&vec![-1; maxima])),
        Value::Input("lock", from_i32(&vec![0; maxima])),
    ];
    let check = move |results: &[Vec<u8>]| Verdict::compare("maximum", &to_i32(&results[0]), &expected, 0.0, differ);
    Input::new(format!("{elements} elements, {maxima} maxima"), launch(elements.div_ceil(8)), values, Box::new(check))
}
