//! Reads behind a loop of values that change in it. Where lanes leave the loop in different iterations, these see different values.
//!
//! A value that changes in a loop and is read outside is read behind all loops between the innermost one in which it changes and the innermost one that
//! holds the reader too. To list the reads for each of these would be quadratic in the depth of a nest. Each read is kept once,
//! at the place of the inner loop with the depth of the outermost one that it leaves, and is taken out with the first of them
//! that is asked about.

use std::ops::Range;

use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};

use crate::cfg::{Block, Cfg};
use crate::loop_invariance::Invariance;
use crate::loops::{Loop, Loops};
use crate::ssa::{User, Value, Values};

/// A read of a value behind a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Read(u32);
entity_impl!(Read, "read");

/// A node of a binary tree. The root is at 1.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Node(u32);
entity_impl!(Node, "node");

impl Node {
    fn root() -> Node {
        Node::new(1)
    }

    fn children(self) -> [Node; 2] {
        [Node::new(2 * self.index()), Node::new(2 * self.index() + 1)]
    }
}

/// The reads that have not been taken.
pub(super) struct Escapes {
    /// In the order of the blocks, their values, and the readers of those.
    reads: PrimaryMap<Read, (Value, User)>,
    /// The reads in the order of the loops in which their values change, with where those begin.
    places: Vec<(usize, Read)>,
    /// A binary tree over the depths of the outermost loops that reads leave, in the order of `places`: each node has the least depth below it. The
    /// leaves are in the second half.
    depths: PrimaryMap<Node, u32>,
}

impl Escapes {
    /// Collects the reads.
    pub(super) fn of(cfg: &Cfg, loops: &Loops, values: &Values, invariance: &Invariance) -> Escapes {
        let (mut reads, mut left) = (PrimaryMap::new(), Vec::new());
        for block in cfg.blocks().filter(|&block| loops.innermost(block).is_some()) {
            let defs = cfg.insts(block).iter().flat_map(|&inst| values.defs(inst)).map(|(_, def)| *def);
            for value in values.phis(block).iter().copied().chain(defs) {
                let Some(id) = invariance.changes_in(value) else { continue };
                for &user in values.users(value) {
                    let Some(at) = place_of(cfg, values, user).filter(|&at| !loops.contains(id, at)) else { continue };
                    let common = loops.innermost(at).and_then(|other| loops.common_of(id, other));
                    let depth = common.map_or(0, |common| loops.depth(common)) + 1;
                    left.push((loops.extent(id).start, reads.push((value, user)), depth));
                }
            }
        }
        left.sort_unstable();
        let leaves = left.len().next_power_of_two();
        let mut depths = vec![u32::MAX; leaves];
        depths.extend(left.iter().map(|&(.., depth)| depth));
        depths.resize(2 * leaves, u32::MAX);
        let places = left.into_iter().map(|(start, read, _)| (start, read)).collect();
        let mut escapes = Escapes { reads, places, depths: depths.into() };
        for node in escapes.depths.keys().take(leaves).skip(1).rev() {
            escapes.depths[node] = escapes.least_below(node);
        }
        escapes
    }

    /// Takes the reads behind a loop of what changes in it, but for those that were taken before, in their order.
    pub(super) fn take(&mut self, loops: &Loops, id: Loop) -> Vec<(Value, User)> {
        let (extent, depth) = (loops.extent(id), loops.depth(id));
        let index = |start: usize| self.places.partition_point(|&(place, _)| place < start);
        let mut taken = Vec::new();
        self.collect(
            Node::root(),
            0..self.depths.len() / 2,
            &(index(extent.start)..index(extent.end)),
            depth,
            &mut taken,
        );
        taken.sort_unstable();
        taken.into_iter().map(|read| self.reads[read]).collect()
    }

    /// Takes the reads below a node, which covers some indices, that are in a range and leave a loop of this depth.
    fn collect(&mut self, node: Node, covered: Range<usize>, wanted: &Range<usize>, depth: u32, taken: &mut Vec<Read>) {
        let apart = covered.end <= wanted.start || wanted.end <= covered.start;
        if apart || self.depths[node] > depth {
            return;
        }
        if covered.len() == 1 {
            self.depths[node] = u32::MAX;
            taken.extend(self.places.get(covered.start).map(|&(_, read)| read));
            return;
        }
        let middle = covered.start.midpoint(covered.end);
        let [left, right] = node.children();
        self.collect(left, covered.start..middle, wanted, depth, taken);
        self.collect(right, middle..covered.end, wanted, depth, taken);
        self.depths[node] = self.least_below(node);
    }

    /// The least depth below a node that is no leaf.
    fn least_below(&self, node: Node) -> u32 {
        let [left, right] = node.children();
        self.depths[left].min(self.depths[right])
    }
}

/// The block in which a value is read.
fn place_of(cfg: &Cfg, values: &Values, user: User) -> Option<Block> {
    match user {
        User::Phi(phi) => Some(values.block(phi)),
        User::Inst(inst) => cfg.block_of(inst),
    }
}
