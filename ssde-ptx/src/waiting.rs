//! Which writes a loop waits for, at first or second hand.
//!
//! A lane in a loop waits for a write of some thread. That thread may be in a loop itself before it comes to the write, in any warp, and
//! wait for another one; and so on. If the last one in such a row is kept back by the first lane, all of them wait for ever:
//!
//! ```text
//! warp 0, lane 0:  while (x == 0);                     waits for x, and keeps lane 1 back, which has left the loop
//! warp 0, lane 1:  …               f = 1;
//! warp 1:          while (f == 0);  x = 1;             waits for f
//! ```
//!
//! So what must not be blocked by a loop is not only what it waits for (paper, Algorithm 1), but also what loops wait for that may stand before that.

use analysis::{Analyses, Block};
use cranelift_entity::EntitySet;
use ptx_parser::{Inst, Kernel};

use crate::cycle::{Cycle, path};
use crate::memory::{effect, place};

/// The writes that the waiting loops of a kernel depend on.
pub(crate) struct Waiting {
    /// Everything that writes what others see.
    writes: Vec<Inst>,
    /// Per loop and write, whether the loop depends on it.
    relevant: Vec<Vec<bool>>,
}

impl Waiting {
    /// For some loops, each with the reads that decide whether a lane leaves it.
    pub(crate) fn of<'a>(
        facts: &Analyses,
        kernel: &Kernel,
        loops: impl Iterator<Item = (&'a Cycle, &'a [Inst])>,
    ) -> Waiting {
        let insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().copied());
        let writes: Vec<Inst> = insts.filter(|&inst| effect(kernel, inst).writes).collect();
        let places: Vec<_> = writes.iter().map(|&write| place(facts, kernel, write)).collect();
        let mut awaited: Vec<Vec<bool>> = Vec::new();
        let mut behind: Vec<EntitySet<Block>> = Vec::new();
        for (cycle, reads) in loops {
            let reads: Vec<_> = reads.iter().map(|&read| place(facts, kernel, read)).collect();
            awaited.push(places.iter().map(|write| reads.iter().any(|read| read.may_alias(write))).collect());
            behind.push(path(facts, cycle.blocks.iter().copied(), None));
        }
        let before = |number: usize, write: usize| {
            facts.cfg.block_of(writes[write]).is_some_and(|block| behind[number].contains(block))
        };
        // Of two loops, whether the first may wait for what threads in the second do behind that one.
        let direct =
            |one: usize, other: usize| (0..writes.len()).any(|write| awaited[one][write] && before(other, write));
        let edges: Vec<Vec<usize>> =
            (0..awaited.len()).map(|one| (0..awaited.len()).filter(|&other| direct(one, other)).collect()).collect();
        let relevant = (0..awaited.len()).map(|number| {
            let mut seen = vec![false; awaited.len()];
            let mut work = vec![number];
            let mut all = vec![false; writes.len()];
            while let Some(next) = work.pop() {
                if !std::mem::replace(&mut seen[next], true) {
                    all.iter_mut().zip(&awaited[next]).for_each(|(all, &own)| *all |= own);
                    work.extend(&edges[next]);
                }
            }
            all
        });
        let relevant = relevant.collect();
        Waiting { writes, relevant }
    }

    /// The writes that a loop depends on.
    pub(crate) fn relevant(&self, number: usize) -> impl Iterator<Item = Inst> + '_ {
        let relevant = self.relevant[number].iter();
        self.writes.iter().zip(relevant).filter(|&(_, &relevant)| relevant).map(|(&write, _)| write)
    }
}
