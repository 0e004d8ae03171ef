//! Reads behind a loop of values that change in it. Where lanes leave the loop in different iterations, these see different values.
//!
//! A value that changes in a loop and is read outside is read behind all loops between the innermost one in which it changes and the innermost one that
//! holds the reader too. To list the reads for each of these would be quadratic in the depth of a nest. Each read is kept once,
//! at the place of the inner loop with the depth of the outermost one that it leaves, and is taken out with the first of them
//! that is asked about.

use std::ops::Range;

use crate::cfg::{Block, Cfg};
use crate::loop_invariance::Invariance;
use crate::loops::{Loop, Loops};
use crate::ssa::{User, Value, Values};

/// The reads that have not been taken.
pub(super) struct Escapes {
    /// In the order of the blocks, their values, and the readers of those.
    reads: Vec<(Value, User)>,
    /// The numbers of the reads in the order of the loops in which their values change, with where those begin.
    places: Vec<(usize, usize)>,
    /// A binary tree over the depths of the outermost loops that reads leave, in the order of `places`: each node has the least depth below it. The root is
    /// at 1, the leaves are in the second half.
    depths: Vec<u32>,
}

impl Escapes {
    /// Collects the reads.
    pub(super) fn of(cfg: &Cfg, loops: &Loops, values: &Values, invariance: &Invariance) -> Escapes {
        let (mut reads, mut left) = (Vec::new(), Vec::new());
        for block in cfg.blocks().filter(|&block| loops.innermost(block).is_some()) {
            let defs = cfg.insts(block).iter().flat_map(|&inst| values.defs(inst)).map(|(_, def)| *def);
            for value in values.phis(block).iter().copied().chain(defs) {
                let Some(id) = invariance.changes_in(value) else { continue };
                for &user in values.users(value) {
                    let Some(at) = place_of(cfg, values, user).filter(|&at| !loops.contains(id, at)) else { continue };
                    let common = loops.innermost(at).and_then(|other| loops.common_of(id, other));
                    left.push((loops.extent(id).start, common.map_or(0, |common| loops.depth(common)) + 1));
                    reads.push((value, user));
                }
            }
        }
        let mut places: Vec<(usize, usize)> =
            left.iter().enumerate().map(|(read, &(start, _))| (start, read)).collect();
        places.sort_unstable();
        let leaves = places.len().next_power_of_two();
        let mut depths = vec![u32::MAX; leaves];
        depths.extend(places.iter().map(|&(_, read)| left[read].1));
        depths.resize(2 * leaves, u32::MAX);
        for node in (1..leaves).rev() {
            depths[node] = depths[2 * node].min(depths[2 * node + 1]);
        }
        Escapes { reads, places, depths }
    }

    /// Takes the reads behind a loop of what changes in it, but for those that were taken before, in their order.
    pub(super) fn take(&mut self, loops: &Loops, id: Loop) -> Vec<(Value, User)> {
        let (extent, depth) = (loops.extent(id), loops.depth(id));
        let index = |start: usize| self.places.partition_point(|&(place, _)| place < start);
        let mut taken = Vec::new();
        self.collect(1, 0..self.depths.len() / 2, &(index(extent.start)..index(extent.end)), depth, &mut taken);
        taken.sort_unstable();
        taken.into_iter().map(|read| self.reads[read]).collect()
    }

    /// Takes the reads below a node, which covers some indices, that are in a range and leave a loop of this depth.
    fn collect(
        &mut self,
        node: usize,
        covered: Range<usize>,
        wanted: &Range<usize>,
        depth: u32,
        taken: &mut Vec<usize>,
    ) {
        let apart = covered.end <= wanted.start || wanted.end <= covered.start;
        if apart || self.depths[node] > depth {
            return;
        }
        if covered.len() == 1 {
            self.depths[node] = u32::MAX;
            taken.push(self.places[covered.start].1);
            return;
        }
        let middle = covered.start.midpoint(covered.end);
        self.collect(2 * node, covered.start..middle, wanted, depth, taken);
        self.collect(2 * node + 1, middle..covered.end, wanted, depth, taken);
        self.depths[node] = self.depths[2 * node].min(self.depths[2 * node + 1]);
    }
}

/// The block in which a value is read.
fn place_of(cfg: &Cfg, values: &Values, user: User) -> Option<Block> {
    match user {
        User::Phi(phi) => Some(values.block(phi)),
        User::Inst(inst) => cfg.block_of(inst),
    }
}
