//! BH-SM: masses and centres of mass of a tree's cells, four cells to a thread.
//!
//! The compiler may fuse a multiplication with an addition, so results are as near to the CPU's as single precision
//! lets them be.

use device::Argument;

use super::input::{Input, launch};
use super::octree::Octree;
use crate::single_launch::{Value, from_f32, from_i32, to_f32};
use crate::variant::Source;
use crate::workload::Verdict;

pub(super) const SOURCE: Source =
    Source { text: include_str!("bh_sm.cu"), name: "benchmarks/src/ssde/bh_sm.cu", kernel: "bh_sm" };

/// The error of a result, relative to it: sums of eight terms in a tree a dozen levels deep.
const BOUND: f64 = 1e-5;

pub(super) fn input(bodies: u32) -> Input {
    let tree = Octree::random(bodies);
    // The mass of a cell is negative until it is known.
    let mut mass = tree.mass.clone();
    mass.resize(tree.place.len() + tree.cells.len(), -1.0);
    let values = vec![
        Value::Scalar(Argument::from(tree.bodies())),
        Value::Scalar(Argument::from(tree.count())),
        Value::Input("child", from_i32(&tree.children())),
        Value::Output("x", from_f32(&tree.coordinate(0))),
        Value::Output("y", from_f32(&tree.coordinate(1))),
        Value::Output("z", from_f32(&tree.coordinate(2))),
        Value::Output("mass", from_f32(&mass)),
    ];
    let centres = tree.centres();
    let expected: Vec<f32> = (0..4).flat_map(|part| centres.iter().map(move |centre| centre[part])).collect();
    let check = move |results: &[Vec<u8>]| {
        let found: Vec<f32> = results.iter().flat_map(|bytes| to_f32(bytes)).collect();
        let error = |found: &f32, expected: &f32| (f64::from(*found) / f64::from(*expected) - 1.0).abs();
        Verdict::compare("value", &found, &expected, BOUND, error)
    };
    let description = format!("{bodies} bodies, {} cells", tree.count());
    Input::new(description, launch(tree.count().cast_unsigned().div_ceil(4)), values, Box::new(check))
}
