//! The octree that the Barnes-Hut programs build and read, built on the CPU.
//!
//! The cells of such a tree depend on the bodies alone, not on their order. Nodes are numbered as the kernels have
//! them: bodies first, then cells, the root last, and every cell above its children.

use std::collections::HashSet;

use crate::graph::random::Random;

/// No child.
pub(super) const EMPTY: i32 = -1;

/// Bodies in the unit cube and their tree.
pub(super) struct Octree {
    /// The positions of the bodies.
    pub(super) place: Vec<[f32; 3]>,
    /// Their masses.
    pub(super) mass: Vec<f32>,
    /// The children of each cell, the root's last.
    pub(super) cells: Vec<[i32; 8]>,
}

impl Octree {
    /// A tree of random bodies, denser towards the middle.
    pub(super) fn random(bodies: u32) -> Octree {
        let mut random = Random::new(65);
        let mut met = HashSet::new();
        let mut place = Vec::new();
        // Two bodies at one place would never be parted.
        while place.len() < bodies as usize {
            let at: [f32; 3] = std::array::from_fn(|_| {
                let side = 2.0 * random.unit() - 1.0;
                (0.5 + 0.5 * side * side.abs()) as f32
            });
            if met.insert(at.map(f32::to_bits)) {
                place.push(at);
            }
        }
        let mass = (0..bodies).map(|_| (0.5 + random.unit()) as f32).collect();
        Octree { cells: cells(&place), place, mass }
    }

    /// Returns how many bodies there are, which is the number of the first cell.
    pub(super) fn bodies(&self) -> i32 {
        self.place.len() as i32
    }

    /// Returns how many cells there are.
    pub(super) fn count(&self) -> i32 {
        self.cells.len() as i32
    }

    /// The children of all cells, one cell behind the other.
    pub(super) fn children(&self) -> Vec<i32> {
        self.cells.concat()
    }

    /// One coordinate of all nodes, zero for cells.
    pub(super) fn coordinate(&self, axis: usize) -> Vec<f32> {
        let mut all: Vec<f32> = self.place.iter().map(|place| place[axis]).collect();
        all.resize(self.place.len() + self.cells.len(), 0.0);
        all
    }

    /// Returns how many bodies lie in each cell.
    pub(super) fn bodies_of_cells(&self) -> Vec<i32> {
        let mut counts: Vec<i32> = Vec::with_capacity(self.cells.len());
        for children in &self.cells {
            let bodies = children.iter().filter(|&&node| node != EMPTY);
            let count = bodies.map(|&node| self.cell(node).map_or(1, |cell| counts[cell])).sum();
            counts.push(count);
        }
        counts
    }

    /// The bodies in the order in which a walk meets them that goes through each cell from its first child to its last
    /// and writes down at once where each begins.
    pub(super) fn order(&self) -> Vec<i32> {
        let mut order = Vec::with_capacity(self.place.len());
        let mut stack = vec![self.bodies() + self.count() - 1];
        while let Some(node) = stack.pop() {
            match self.cell(node) {
                Some(cell) => stack.extend(self.cells[cell].iter().rev().filter(|&&node| node != EMPTY)),
                None => order.push(node),
            }
        }
        order
    }

    /// Masses and centres of mass of all nodes, bodies first: x, y, z, mass.
    pub(super) fn centres(&self) -> Vec<[f32; 4]> {
        let body = |(place, &mass): (&[f32; 3], &f32)| [place[0], place[1], place[2], mass];
        let mut nodes: Vec<[f32; 4]> = self.place.iter().zip(&self.mass).map(body).collect();
        for children in &self.cells {
            let mut sum = [0.0; 4];
            for &node in children.iter().filter(|&&node| node != EMPTY) {
                let [x, y, z, mass] = nodes[node as usize];
                sum = [sum[0] + mass * x, sum[1] + mass * y, sum[2] + mass * z, sum[3] + mass];
            }
            nodes.push([sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3], sum[3]]);
        }
        nodes
    }

    /// The index of a node among the cells, if it is one.
    pub(super) fn cell(&self, node: i32) -> Option<usize> {
        usize::try_from(node - self.bodies()).ok()
    }
}

/// The tree by inserting one body after the other; the root comes last.
fn cells(place: &[[f32; 3]]) -> Vec<[i32; 8]> {
    let bodies = place.len() as i32;
    // While it grows, the root is the first cell, and cells are numbered upwards.
    let mut cells = vec![[EMPTY; 8]];
    for body in 0..place.len() {
        let (mut at, mut centre, mut half) = (0, [0.5; 3], 0.25);
        loop {
            let octant = octant(place[body], centre);
            let found = cells[at][octant];
            if found == EMPTY {
                cells[at][octant] = body as i32;
                break;
            }
            for (axis, centre) in centre.iter_mut().enumerate() {
                *centre += if octant >> axis & 1 == 1 { half } else { -half };
            }
            half *= 0.5;
            if found < bodies {
                // The body that is here moves into a cell of its own, and the next iteration looks at that.
                let mut cell = [EMPTY; 8];
                cell[self::octant(place[found as usize], centre)] = found;
                cells[at][octant] = bodies + cells.len() as i32;
                at = cells.len();
                cells.push(cell);
            } else {
                at = (found - bodies) as usize;
            }
        }
    }
    let last = bodies + cells.len() as i32 - 1;
    let renumber = |node: i32| if node >= bodies { last - (node - bodies) } else { node };
    cells.iter().rev().map(|children| children.map(renumber)).collect()
}

/// The octant of a cell in which a place lies: a bit per axis.
fn octant(place: [f32; 3], centre: [f32; 3]) -> usize {
    (0..3).map(|axis| usize::from(place[axis] > centre[axis]) << axis).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_close_bodies_are_parted_by_a_chain_of_cells() {
        let place = vec![[0.1; 3], [0.15; 3], [0.9; 3]];
        let cells = cells(&place);
        let of = |pairs: &[(usize, i32)]| {
            let mut cell = [EMPTY; 8];
            pairs.iter().for_each(|&(octant, node)| cell[octant] = node);
            cell
        };
        assert_eq!(cells, [of(&[(0, 0), (7, 1)]), of(&[(0, 3)]), of(&[(0, 4), (7, 2)])]);
        let tree = Octree { place, mass: vec![1.0, 3.0, 2.0], cells };
        assert_eq!((tree.order(), tree.bodies_of_cells()), (vec![0, 1, 2], vec![2, 2, 3]));
        assert_eq!(tree.centres()[3], [0.1375, 0.1375, 0.1375, 4.0]);
    }

    #[test]
    fn every_body_is_in_the_tree_once_and_cells_are_above_their_children() {
        let tree = Octree::random(500);
        let mut order = tree.order();
        order.sort_unstable();
        assert_eq!(order, (0..500).collect::<Vec<_>>());
        let below = |(cell, children): (usize, &[i32; 8])| children.iter().all(|&node| node < 500 + cell as i32);
        assert!(tree.cells.iter().enumerate().all(below));
        assert_eq!(tree.bodies_of_cells().last(), Some(&500));
    }
}
