//! The loops that lanes may wait in, natural or not, and where the lanes of a warp that leave one wait for the others.

use analysis::{Analyses, Block};
use cranelift_entity::EntitySet;
use ptx_parser::Inst;

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
    /// Where the lanes that have left wait for the others; `None` where that is the end of the kernel.
    pub(crate) meeting: Option<Block>,
}

impl Cycle {
    /// Whether a block belongs to it.
    pub(crate) fn contains(&self, block: Block) -> bool {
        self.members.contains(block)
    }

    /// Its instructions, in textual order.
    pub(crate) fn insts<'a>(&'a self, facts: &'a Analyses) -> impl Iterator<Item = Inst> + 'a {
        self.blocks.iter().flat_map(|&block| facts.cfg.insts(block).iter().copied())
    }

    fn of(facts: &Analyses, blocks: Vec<Block>, meeting: Option<Block>) -> Cycle {
        let mut members = EntitySet::new();
        members.extend(blocks.iter().copied());
        let (mut exits, mut deciding) = (Vec::new(), Vec::new());
        for &block in &blocks {
            let outside = facts.cfg.distinct_succs(block).into_iter().filter(|&next| !members.contains(next));
            let before = exits.len();
            let mut leaves = facts.cfg.exits(block);
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
        let entered = |&block: &Block| {
            block == facts.cfg.entry() || facts.cfg.preds(block).iter().any(|&pred| !members.contains(pred))
        };
        let entries = blocks.iter().copied().filter(entered).collect();
        Cycle { blocks, members, entries, exits, deciding, meeting }
    }
}

/// All of them, by the first branch that lanes part at.
///
/// Lanes wait for others in a loop exactly where a branch can be come to again before the point where the lanes that it parts meet: those that
/// get to the point wait while the others go round. So each branch makes a loop of the ways back to it that avoid its point. Of a natural loop
/// with one exit that is the loop itself; where several back edges lead to one header, where loops are entered at several blocks, and where
/// such loops lie in one another, it is what the machine does.
pub(crate) fn cycles(facts: &Analyses) -> Vec<Cycle> {
    let mut cycles: Vec<Cycle> = Vec::new();
    for branch in facts.cfg.blocks().filter(|&block| facts.cfg.ways(block) > 1) {
        let point = facts.postdominators.ipdom(branch);
        let (ahead, behind) = (reach(facts, branch, point, true), reach(facts, branch, point, false));
        if !ahead.contains(branch) {
            continue;
        }
        let blocks: Vec<Block> =
            facts.cfg.blocks().filter(|&block| ahead.contains(block) && behind.contains(block)).collect();
        if cycles.iter().all(|cycle| cycle.meeting != point || cycle.blocks != blocks) {
            cycles.push(Cycle::of(facts, blocks, point));
        }
    }
    cycles
}

/// What a block leads to, or what leads to it, without a point; the block itself only if it comes to itself.
fn reach(facts: &Analyses, start: Block, point: Option<Block>, forwards: bool) -> EntitySet<Block> {
    let next = |block: Block| match forwards {
        true => facts.cfg.distinct_succs(block).to_vec(),
        false => facts.cfg.preds(block).to_vec(),
    };
    let mut seen = EntitySet::new();
    let mut work = next(start);
    while let Some(block) = work.pop() {
        if Some(block) != point && seen.insert(block) {
            work.extend(next(block));
        }
    }
    seen
}

/// The blocks on the ways from some to another one, without the latter; all that they lead to if there is none.
pub(crate) fn path(facts: &Analyses, from: impl IntoIterator<Item = Block>, end: Option<Block>) -> EntitySet<Block> {
    let mut seen = EntitySet::new();
    let mut work: Vec<Block> = from.into_iter().collect();
    while let Some(block) = work.pop() {
        if Some(block) != end && seen.insert(block) {
            work.extend(facts.cfg.distinct_succs(block));
        }
    }
    seen
}
