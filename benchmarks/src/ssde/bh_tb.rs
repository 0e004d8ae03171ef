//! BH-TB: bodies into an empty tree, two to a thread.
//!
//! Cells are numbered in the order in which threads took them, so both trees are walked side by side.

use device::Argument;

use super::input::{Input, launch, wrong};
use super::octree::{EMPTY, Octree};
use crate::single_launch::{Value, from_f32, from_i32, to_i32};
use crate::variant::Source;
use crate::workload::Verdict;

pub(super) const SOURCE: Source =
    Source { text: include_str!("bh_tb.cu"), name: "benchmarks/src/ssde/bh_tb.cu", kernel: "bh_tb" };

pub(super) fn input(bodies: u32) -> Input {
    let tree = Octree::random(bodies);
    let axis = |axis| from_f32(&tree.coordinate(axis)[..bodies as usize]);
    let values = vec![
        Value::Scalar(Argument::from(tree.bodies())),
        Value::Scalar(Argument::from(tree.count())),
        Value::Input("x", axis(0)),
        Value::Input("y", axis(1)),
        Value::Input("z", axis(2)),
        Value::Output("child", from_i32(&vec![EMPTY; 8 * tree.cells.len()])),
        // The root is there before.
        Value::Output("bottom", from_i32(&[tree.count() - 1])),
    ];
    let description = format!("{bodies} bodies, {} cells", tree.count());
    let check = move |results: &[Vec<u8>]| verdict(&tree, &to_i32(&results[0]), &to_i32(&results[1]));
    Input::new(description, launch(bodies.div_ceil(2)), values, Box::new(check))
}

fn verdict(tree: &Octree, child: &[i32], bottom: &[i32]) -> Verdict {
    if bottom != [0] {
        return wrong(format!("{} cells were not used", bottom.first().copied().unwrap_or_default()));
    }
    let root = tree.bodies() + tree.count() - 1;
    let mut stack = vec![(root, root)];
    // As many pairs as there are nodes in the CPU's tree, however the other one is made.
    while let Some((expected, found)) = stack.pop() {
        match (tree.cell(expected), tree.cell(found)) {
            (Some(cell), Some(other)) if other < tree.cells.len() => {
                stack.extend(tree.cells[cell].iter().copied().zip(child[8 * other..8 * other + 8].iter().copied()));
            }
            _ if expected == found => {}
            _ => return wrong(format!("the tree has node {found} where the CPU's has {expected}")),
        }
    }
    Verdict::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_body_and_a_wrong_number_of_cells_are_noticed() {
        let tree = Octree::random(20);
        let mut child = tree.children();
        let says = |child: &[i32], bottom| verdict(&tree, child, &[bottom]).difference;
        assert_eq!(says(&child, 0), None);
        assert_eq!(says(&child, 2).unwrap(), "2 cells were not used");
        let at = child.iter().position(|&node| node == 7).unwrap();
        child[at] = EMPTY;
        assert_eq!(says(&child, 0).unwrap(), "the tree has node -1 where the CPU's has 7");
        child[at] = 1000;
        assert_eq!(says(&child, 0).unwrap(), "the tree has node 1000 where the CPU's has 7");
    }
}
