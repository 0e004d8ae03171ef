//! The loops that lanes may wait in, natural or not, and where the lanes of a warp that leave one meet again.

use analysis::{Analyses, Block};
use cranelift_entity::EntitySet;

/// A loop, or a cycle that is entered at several blocks.
#[derive(Clone, Debug)]
pub(crate) struct Cycle {
    /// Its blocks in textual order.
    pub(crate) blocks: Vec<Block>,
    members: EntitySet<Block>,
    /// Where it is entered: the header of a natural loop.
    pub(crate) entries: Vec<Block>,
    /// The blocks outside that its edges lead to, each once.
    pub(crate) exits: Vec<Block>,
    /// The blocks whose last instruction decides whether a lane leaves.
    pub(crate) deciding: Vec<Block>,
    /// The reconvergence point of the exits; `None` where that is the end of the kernel.
    pub(crate) meeting: Option<Block>,
}

impl Cycle {
    /// Whether a block belongs to it.
    pub(crate) fn contains(&self, block: Block) -> bool {
        self.members.contains(block)
    }

    fn of(facts: &Analyses, blocks: Vec<Block>, entries: Vec<Block>) -> Cycle {
        let mut members = EntitySet::new();
        members.extend(blocks.iter().copied());
        let (mut exits, mut deciding) = (Vec::new(), Vec::new());
        let mut ends = false;
        for &block in &blocks {
            let outside = facts.cfg.distinct_succs(block).into_iter().filter(|&next| !members.contains(next));
            let before = exits.len();
            let mut leaves = facts.cfg.exits(block);
            ends |= leaves;
            for next in outside {
                leaves = true;
                if !exits[..before].contains(&next) {
                    exits.push(next);
                }
            }
            if leaves {
                deciding.push(block);
            }
        }
        let meet = |one: Option<Block>, other: &Block| facts.postdominators.common(one?, *other);
        let meeting = match exits.split_first() {
            // A lane that ends in the loop never comes to another block.
            Some((&first, others)) if !ends => others.iter().fold(Some(first), meet),
            _ => None,
        };
        Cycle { blocks, members, entries, exits, deciding, meeting }
    }
}

/// All of them, natural loops first.
///
/// Where several back edges lead to one header, as from an inner loop at the very beginning of an outer one or from a `continue`, each makes a
/// loop of its own, because lanes that go round by one of them leave what the others go round by.
pub(crate) fn cycles(facts: &Analyses) -> Vec<Cycle> {
    let natural = facts.loops.iter().flat_map(|id| {
        let header = facts.loops.header(id);
        let mut bodies: Vec<Vec<Block>> = Vec::new();
        for &latch in facts.loops.latches(id) {
            let body = body(facts, header, latch);
            if !bodies.contains(&body) {
                bodies.push(body);
            }
        }
        let mut all = facts.loops.blocks(id).to_vec();
        all.sort();
        if !bodies.contains(&all) {
            bodies.push(all);
        }
        bodies.into_iter().map(move |blocks| Cycle::of(facts, blocks, vec![header]))
    });
    let irreducible = facts.loops.irreducible().iter().map(|cycle| {
        let blocks = around(facts, cycle.entries[0]);
        Cycle::of(facts, blocks, cycle.entries.clone())
    });
    natural.chain(irreducible).collect()
}

/// The natural loop of one back edge: what reaches the latch without the header, in textual order.
fn body(facts: &Analyses, header: Block, latch: Block) -> Vec<Block> {
    let mut seen = EntitySet::new();
    seen.insert(header);
    let mut work = vec![latch];
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            work.extend(facts.cfg.preds(block).iter().copied());
        }
    }
    facts.cfg.blocks().filter(|&block| seen.contains(block)).collect()
}

/// The blocks of the cycle around a block, loops that lie in it included and those that it lies in left out: what it reaches and is
/// reached from without the back edges of the latter.
fn around(facts: &Analyses, start: Block) -> Vec<Block> {
    let outer: Vec<_> = facts.loops.around(start).collect();
    let back = |from: Block, to: Block| {
        outer.iter().any(|&id| facts.loops.header(id) == to && facts.loops.latches(id).contains(&from))
    };
    let reach = |forwards: bool| {
        let mut seen = EntitySet::new();
        let mut work = vec![start];
        while let Some(block) = work.pop() {
            if seen.insert(block) {
                match forwards {
                    true => work.extend(facts.cfg.distinct_succs(block).into_iter().filter(|&to| !back(block, to))),
                    false => work.extend(facts.cfg.preds(block).iter().copied().filter(|&from| !back(from, block))),
                }
            }
        }
        seen
    };
    let (ahead, behind) = (reach(true), reach(false));
    facts.cfg.blocks().filter(|&block| ahead.contains(block) && behind.contains(block)).collect()
}
