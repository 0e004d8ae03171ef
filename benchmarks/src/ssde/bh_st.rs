//! BH-ST: the order of the bodies of a tree, four cells to a thread.

use device::Argument;

use super::input::{Input, differ, launch};
use super::octree::Octree;
use crate::single_launch::{Value, from_i32, to_i32};
use crate::variant::Source;
use crate::workload::Verdict;

pub(super) const SOURCE: Source =
    Source { text: include_str!("bh_st.cu"), name: "benchmarks/src/ssde/bh_st.cu", kernel: "bh_st" };

pub(super) fn input(bodies: u32) -> Input {
    let tree = Octree::random(bodies);
    let expected = tree.order();
    // Nobody knows where a cell begins but the root's.
    let mut start = vec![-1; tree.cells.len()];
    if let Some(root) = start.last_mut() {
        *root = 0;
    }
    let values = vec![
        Value::Scalar(Argument::from(tree.bodies())),
        Value::Scalar(Argument::from(tree.count())),
        Value::Input("child", from_i32(&tree.children())),
        Value::Input("count", from_i32(&tree.bodies_of_cells())),
        Value::Input("start", from_i32(&start)),
        Value::Output("order", from_i32(&vec![-1; bodies as usize])),
    ];
    let check = move |results: &[Vec<u8>]| Verdict::compare("place", &to_i32(&results[0]), &expected, 0.0, differ);
    let description = format!("{bodies} bodies, {} cells", tree.count());
    Input::new(description, launch(tree.count().cast_unsigned().div_ceil(4)), values, Box::new(check))
}
