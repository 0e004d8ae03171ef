//! BH-FC: forces on the bodies of a tree, two to a thread.
//!
//! A warp has 32 bodies that lie beside each other in the tree's order. The CPU decides as the warp does, for all of
//! them at once, with the same rounding; what it adds up then differs only by fused multiplications.

use device::Argument;

use super::input::{Input, launch_warps};
use super::octree::{EMPTY, Octree};
use crate::single_launch::{Value, from_f32, from_i32, to_f32};
use crate::variant::Source;
use crate::workload::Verdict;

pub(super) const SOURCE: Source =
    Source { text: include_str!("bh_fc.cu"), name: "benchmarks/src/ssde/bh_fc.cu", kernel: "bh_fc" };

/// The square of a distance from which on a body takes the children of the root for one body each: cells of side 1/2
/// seen under an opening angle of a half.
const NEAR: f32 = 1.0;

/// Added to every squared distance, so that near bodies do not pull without bound.
const SOFTENING: f32 = 1e-4;

/// The error of a force, relative to the largest.
const BOUND: f64 = 1e-4;

pub(super) fn input(bodies: u32) -> Input {
    let tree = Octree::random(bodies);
    let (order, centres) = (tree.order(), tree.centres());
    let part = |part: usize| from_f32(&centres.iter().map(|centre| centre[part]).collect::<Vec<_>>());
    let values = vec![
        Value::Scalar(Argument::from(tree.bodies())),
        Value::Scalar(Argument::from(tree.count())),
        Value::Scalar(Argument::from(NEAR)),
        Value::Input("order", from_i32(&order)),
        Value::Input("child", from_i32(&tree.children())),
        Value::Input("x", part(0)),
        Value::Input("y", part(1)),
        Value::Input("z", part(2)),
        Value::Input("mass", part(3)),
        Value::Output("force", from_f32(&vec![f32::NAN; 3 * bodies as usize])),
    ];
    let expected = forces(&tree, &order, &centres);
    let largest = expected.iter().fold(f32::MIN_POSITIVE, |most, force| most.max(force.abs()));
    let check = move |results: &[Vec<u8>]| {
        let error = |found: &f32, expected: &f32| f64::from((found - expected).abs() / largest);
        Verdict::compare("force", &to_f32(&results[0]), &expected, BOUND, error)
    };
    let description = format!("{bodies} bodies, {} cells", tree.count());
    Input::new(description, launch_warps(bodies.div_ceil(2)), values, Box::new(check))
}

/// The forces on all bodies, three numbers each.
fn forces(tree: &Octree, order: &[i32], centres: &[[f32; 4]]) -> Vec<f32> {
    let mut forces = vec![0.0; 3 * order.len()];
    for warp in order.chunks(32) {
        let mut stack = vec![(tree.cells.len() - 1, NEAR)];
        while let Some((cell, limit)) = stack.pop() {
            for &node in tree.cells[cell].iter().filter(|&&node| node != EMPTY) {
                let centre = centres[node as usize];
                let far = |&body: &i32| apart(tree.place[body as usize], centre).1 >= limit;
                match tree.cell(node).filter(|_| !warp.iter().all(far)) {
                    Some(cell) => stack.push((cell, limit * 0.25)),
                    None => warp.iter().for_each(|&body| pull(&mut forces, body, tree, centre)),
                }
            }
        }
    }
    forces
}

/// The way from a body to a node, and its square as the kernel rounds it.
fn apart(body: [f32; 3], [x, y, z, _]: [f32; 4]) -> ([f32; 3], f32) {
    let [dx, dy, dz] = [x - body[0], y - body[1], z - body[2]];
    ([dx, dy, dz], dx.mul_add(dx, dy.mul_add(dy, dz.mul_add(dz, SOFTENING))))
}

fn pull(forces: &mut [f32], body: i32, tree: &Octree, centre: [f32; 4]) {
    let (way, square) = apart(tree.place[body as usize], centre);
    let pull = centre[3] / (square * square.sqrt());
    for (force, way) in forces[3 * body as usize..].iter_mut().zip(way) {
        *force += way * pull;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_comes_near_to_the_sum_over_all_pairs() {
        let tree = Octree::random(300);
        let walked = forces(&tree, &tree.order(), &tree.centres());
        let mut summed = vec![0.0; 900];
        for body in 0..300 {
            for other in tree.centres().into_iter().take(300) {
                pull(&mut summed, body, &tree, other);
            }
        }
        let largest = summed.iter().fold(0.0_f32, |most, force| most.max(force.abs()));
        let worst = walked.iter().zip(&summed).fold(0.0_f32, |worst, (one, other)| worst.max((one - other).abs()));
        assert!(worst > 0.0 && worst < 0.02 * largest, "{worst} of {largest}");
    }
}
