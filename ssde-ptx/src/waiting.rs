//! Which writes a loop waits for, at first or second hand.
//!
//! A lane in a loop waits for a write of some thread. That thread may be in a loop itself before it comes to the write, in any warp, or be kept back
//! by a lane that is in one, on the other way of a branch; and that loop waits for another write; and so on. If the last one in such a row is kept back by the first lane, all of them wait for ever:
//!
//! ```text
//! warp 0, lane 0:  while (x == 0);                     waits for x, and keeps lane 1 back, which has left the loop
//! warp 0, lane 1:  …               f = 1;
//! warp 1:          while (f == 0);  x = 1;             waits for f
//! ```
//!
//! So what must not be blocked by a loop is not only what it waits for (paper, Algorithm 1), but also what loops wait for that may stand before that
//! or keep it back.

use analysis::{Analyses, Block};
use cranelift_entity::EntitySet;
use ptx_parser::{Inst, Kernel};

use crate::blocked::Region;
use crate::chain::{Direction, Link, has_clusters};
use crate::cycle::{Cycle, path};
use crate::memory::{effect, place};

/// The writes that the waiting loops of a kernel depend on.
pub(crate) struct Waiting {
    /// Everything that writes what others see.
    writes: Vec<Inst>,
    /// Per loop and write, whether the loop depends on it.
    relevant: Vec<Vec<bool>>,
    /// The loops that are links of a chain of CTAs.
    chained: Vec<bool>,
}

impl Waiting {
    /// For some loops, each with the reads that decide whether a lane leaves it, and with what it blocks.
    pub(crate) fn of<'a>(
        facts: &Analyses,
        kernel: &Kernel,
        loops: impl Iterator<Item = (&'a Cycle, &'a [Inst], &'a Region)>,
    ) -> Waiting {
        let insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().copied());
        let writes: Vec<Inst> = insts.filter(|&inst| effect(kernel, inst).writes).collect();
        let places: Vec<_> = writes.iter().map(|&write| place(facts, kernel, write)).collect();
        let mut awaited: Vec<Vec<bool>> = Vec::new();
        let mut directions: Vec<Option<Direction>> = Vec::new();
        let mut behind: Vec<EntitySet<Block>> = Vec::new();
        let mut regions: Vec<&Region> = Vec::new();
        for (cycle, insts, region) in loops {
            let reads: Vec<_> = insts.iter().map(|&read| place(facts, kernel, read)).collect();
            awaited.push(places.iter().map(|write| reads.iter().any(|read| read.may_alias(write))).collect());
            let pairs = (0..insts.len()).flat_map(|read| (0..writes.len()).map(move |write| (read, write)));
            let pairs = pairs.filter(|&(read, write)| reads[read].may_alias(&places[write]));
            let link = |inst: Inst| Link::of(facts, kernel, inst);
            directions.push(one(pairs.map(|(read, write)| link(insts[read])?.towards(&link(writes[write])?))));
            behind.push(path(facts, cycle.blocks.iter().copied(), None));
            regions.push(region);
        }
        let before = |number: usize, write: usize| {
            facts.cfg.block_of(writes[write]).is_some_and(|block| behind[number].contains(block))
        };
        let holds =
            |number: usize, write: usize| before(number, write) || regions[number].is_parallel(facts, writes[write]);
        // Of two loops, whether the first may wait for what threads do behind the second, or while no lane of theirs is in it.
        let direct =
            |one: usize, other: usize| (0..writes.len()).any(|write| awaited[one][write] && holds(other, write));
        let edges: Vec<Vec<usize>> =
            (0..awaited.len()).map(|one| (0..awaited.len()).filter(|&other| direct(one, other)).collect()).collect();
        let clusters = has_clusters(facts, kernel);
        let (mut relevant, mut chained) = (Vec::new(), Vec::new());
        for number in 0..awaited.len() {
            let all = closure(number, &edges);
            let depends = |write: usize| all.iter().any(|&one| awaited[one][write]);
            relevant.push((0..writes.len()).map(depends).collect());
            // One that nobody writes for is link of nothing.
            let links = all.iter().filter(|&&one| awaited[one].contains(&true));
            chained.push(!clusters && one(links.map(|&one| directions[one])).is_some());
        }
        Waiting { writes, relevant, chained }
    }

    /// Whether a loop, and all that it depends on, waits for what CTAs pass on in one direction; see the file `chain.rs`.
    pub(crate) fn is_chained(&self, number: usize) -> bool {
        self.chained[number]
    }

    /// The writes that a loop depends on.
    pub(crate) fn relevant(&self, number: usize) -> impl Iterator<Item = Inst> + '_ {
        let relevant = self.relevant[number].iter();
        self.writes.iter().zip(relevant).filter(|&(_, &relevant)| relevant).map(|(&write, _)| write)
    }
}

/// A loop and those that it may wait for, at any hand.
fn closure(number: usize, edges: &[Vec<usize>]) -> Vec<usize> {
    let mut all = vec![number];
    let mut at = 0;
    while let Some(&next) = all.get(at) {
        for &other in &edges[next] {
            if !all.contains(&other) {
                all.push(other);
            }
        }
        at += 1;
    }
    all
}

/// What all of some are, if they are the same.
fn one<T: PartialEq>(mut all: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = all.next()??;
    all.all(|other| other.as_ref() == Some(&first)).then_some(first)
}
