//! The loops that lanes may wait in, natural or not, and where the lanes of a warp that leave one wait for the others.

use analysis::{Analyses, Block, Loop};
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap, entity_impl};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use ptx_parser::Inst;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::detect::reachability::Component;

/// Names a [`Cycle`] of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CycleId(u32);
entity_impl!(CycleId, "cycle");

/// A loop, or a cycle that is entered at several blocks.
#[derive(Clone, Debug)]
pub(crate) struct Cycle {
    shape: Shape,
    /// The first block at which it is entered; its first block in textual order if it is entered nowhere.
    pub(crate) begin: Block,
    /// The blocks at which it is entered; the header for a natural loop.
    pub(crate) entries: Vec<Block>,
    /// The blocks outside that its edges lead to, each once.
    pub(crate) exits: Vec<Block>,
    /// The blocks whose last instruction decides whether a lane leaves.
    pub(crate) deciding: Vec<Block>,
    /// The block where the lanes that have left wait for the others; `None` if that is the end of the kernel.
    pub(crate) meeting: Option<Block>,
}

/// The blocks of a cycle. Those of a natural loop are not listed again: in a nest, that would be quadratic in its depth.
#[derive(Clone, Debug)]
enum Shape {
    Natural(Loop),
    /// Blocks in textual order, and the same as a set.
    Listed(Vec<Block>, EntitySet<Block>),
}

impl Cycle {
    /// Returns true if a block belongs to it.
    pub(crate) fn contains(&self, facts: &Analyses, block: Block) -> bool {
        match &self.shape {
            Shape::Natural(id) => facts.loops.contains(*id, block),
            Shape::Listed(_, members) => members.contains(block),
        }
    }

    /// The natural loop that it is, if it is one.
    pub(crate) fn natural(&self) -> Option<Loop> {
        match self.shape {
            Shape::Natural(id) => Some(id),
            Shape::Listed(..) => None,
        }
    }

    /// Its blocks in textual order.
    pub(crate) fn blocks<'a>(&'a self, facts: &'a Analyses) -> &'a [Block] {
        match &self.shape {
            Shape::Natural(id) => facts.loops.blocks(*id),
            Shape::Listed(blocks, _) => blocks,
        }
    }

    /// Returns how many blocks it has.
    pub(crate) fn size(&self, facts: &Analyses) -> usize {
        match &self.shape {
            Shape::Natural(id) => facts.loops.size(*id),
            Shape::Listed(blocks, _) => blocks.len(),
        }
    }

    /// Its instructions, in textual order.
    pub(crate) fn insts<'a>(&'a self, facts: &'a Analyses) -> impl Iterator<Item = Inst> + 'a {
        self.blocks(facts).iter().flat_map(|&block| facts.cfg.insts(block).iter().copied())
    }

    /// The smallest natural loop around a cycle of another shape: who stays in the one for ever stays in the other.
    pub(crate) fn around(&self, facts: &Analyses) -> Option<Cycle> {
        let Shape::Listed(blocks, _) = &self.shape else { return None };
        let holds = |&id: &Loop| blocks.iter().all(|&block| facts.loops.contains(id, block));
        let id = facts.loops.around(*blocks.first()?).find(holds)?;
        let cycle = Cycle::listed(facts, facts.loops.blocks(id).to_vec(), self.meeting)?;
        Some(Cycle { shape: Shape::Natural(id), ..cycle })
    }

    /// The cycle of some blocks in textual order; `None` if there are none.
    fn listed(facts: &Analyses, blocks: Vec<Block>, meeting: Option<Block>) -> Option<Cycle> {
        let mut members = EntitySet::new();
        members.extend(blocks.iter().copied());
        let (mut exits, mut deciding) = (Vec::new(), Vec::new());
        let mut known = FxHashSet::default();
        for &block in &blocks {
            let outside = facts.cfg.distinct_succs(block).into_iter().filter(|&next| !members.contains(next));
            let mut leaves = facts.cfg.exits(block);
            for next in outside {
                leaves = true;
                exits.extend(known.insert(next).then_some(next));
            }
            if leaves {
                deciding.push(block);
            }
        }
        let entered = |&block: &Block| {
            block == facts.cfg.entry() || facts.cfg.preds(block).iter().any(|&pred| !members.contains(pred))
        };
        let entries: Vec<Block> = blocks.iter().copied().filter(entered).collect();
        let begin = *entries.first().or(blocks.first())?;
        Some(Cycle { shape: Shape::Listed(blocks, members), begin, entries, exits, deciding, meeting })
    }
}

/// All of them, by the first branch that lanes part at.
///
/// Lanes wait for others in a loop exactly where a branch can be come to again before the point where the lanes that it parts meet: those that
/// get to the point wait while the others go round. So each branch makes a loop of the ways back to it that avoid its point. Of a natural loop
/// with one exit that is the loop itself; where several back edges lead to one header, where loops are entered at several blocks, and where
/// such loops lie in one another, it is what the machine does.
pub(crate) fn cycles(facts: &Analyses) -> PrimaryMap<CycleId, Cycle> {
    let mut search = Search::of(facts);
    let mut cycles: PrimaryMap<CycleId, Cycle> = PrimaryMap::new();
    let (mut loops, mut lists) = (FxHashSet::default(), FxHashSet::default());
    for branch in facts.cfg.blocks().filter(|&block| facts.cfg.ways(block) > 1) {
        // Nobody goes round in a loop that nothing leads to.
        if !search.is_in_cycle(branch) || !facts.cfg.is_reachable(branch) {
            continue;
        }
        let point = facts.postdominators.ipdom(branch);
        match search.natural(branch, point) {
            Some(id) => {
                if loops.insert((id, point)) {
                    _ = cycles.push(search.cycle_of(id, point));
                }
            }
            None => {
                let blocks = search.ways_back(branch, point);
                if !blocks.is_empty() && lists.insert((point, blocks.clone())) {
                    cycles.extend(Cycle::listed(facts, blocks, point));
                }
            }
        }
    }
    cycles
}

/// The natural loops in some cycles that are none of these themselves, each with the cycles that it is in.
pub(crate) fn inner(facts: &Analyses, cycles: &PrimaryMap<CycleId, Cycle>) -> Vec<(Cycle, Vec<CycleId>)> {
    let listed: FxHashSet<Loop> = cycles.values().filter_map(Cycle::natural).collect();
    let mut search = None;
    let mut found = Vec::new();
    for id in facts.loops.iter().filter(|id| !listed.contains(id)) {
        let is_in = |cycle: &Cycle| {
            !cycle.entries.contains(&facts.loops.header(id))
                && facts.loops.blocks(id).iter().all(|&block| cycle.contains(facts, block))
        };
        let holders: Vec<CycleId> = cycles.keys().filter(|&cycle| is_in(&cycles[cycle])).collect();
        if let Some(&first) = holders.first() {
            let search = search.get_or_insert_with(|| Search::of(facts));
            found.push((search.cycle_of(id, cycles[first].meeting), holders));
        }
    }
    found
}

/// The strongly connected component of each block. No cycle leaves one.
pub(crate) fn components(facts: &Analyses) -> SecondaryMap<Block, Component> {
    // Overwritten for each block.
    let mut component = SecondaryMap::with_default(Component::new(0));
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(facts.cfg.block_count(), 2 * facts.cfg.block_count());
    facts.cfg.blocks().for_each(|_| _ = graph.add_node(()));
    let node = |block: Block| NodeIndex::new(block.index());
    for block in facts.cfg.blocks() {
        for next in facts.cfg.distinct_succs(block) {
            graph.add_edge(node(block), node(next), ());
        }
    }
    for (number, members) in kosaraju_scc(&graph).iter().enumerate() {
        members.iter().for_each(|member| component[Block::new(member.index())] = Component::new(number));
    }
    component
}

/// The blocks that are in a cycle of any kind: with another one in their component, or led to by themselves.
fn cyclic(facts: &Analyses, component: &SecondaryMap<Block, Component>) -> EntitySet<Block> {
    let mut cyclic = EntitySet::new();
    for block in facts.cfg.blocks() {
        for next in facts.cfg.distinct_succs(block) {
            if component[next] == component[block] {
                cyclic.insert(block);
                cyclic.insert(next);
            }
        }
    }
    cyclic
}

/// The search for cycles, with what is known of all blocks and scratch space.
struct Search<'a> {
    facts: &'a Analyses,
    /// The strongly connected component of each block.
    component: SecondaryMap<Block, Component>,
    /// The blocks that are in a cycle of any kind.
    cyclic: EntitySet<Block>,
    /// Per loop, the blocks in it that end the kernel, and those that unreachable code leads to.
    ends: SecondaryMap<Loop, Vec<Block>>,
    led_to: SecondaryMap<Loop, Vec<Block>>,
    /// The walk in which a block was last come to.
    seen: SecondaryMap<Block, usize>,
    walks: usize,
    /// For a loop and a point: true if the ways out of the loop lead back to it without the point.
    returns: FxHashMap<(Loop, Option<Block>), bool>,
}

impl<'a> Search<'a> {
    fn of(facts: &'a Analyses) -> Search<'a> {
        let component = components(facts);
        let cyclic = cyclic(facts, &component);
        let (mut ends, mut led_to): (SecondaryMap<Loop, Vec<Block>>, SecondaryMap<Loop, Vec<Block>>) =
            Default::default();
        for block in facts.cfg.blocks() {
            if facts.cfg.exits(block) {
                facts.loops.around(block).for_each(|id| ends[id].push(block));
            }
            if facts.cfg.preds(block).iter().any(|&pred| !facts.cfg.is_reachable(pred)) {
                facts.loops.around(block).for_each(|id| led_to[id].push(block));
            }
        }
        let (seen, returns) = (SecondaryMap::new(), Default::default());
        Search { facts, component, cyclic, ends, led_to, seen, walks: 0, returns }
    }

    fn is_in_cycle(&self, block: Block) -> bool {
        self.cyclic.contains(block)
    }

    /// The natural loop that is the cycle of a branch: the outermost around it without its point, if no way out of that comes back without the point.
    fn natural(&mut self, branch: Block, point: Option<Block>) -> Option<Loop> {
        let facts = self.facts;
        let without = |&id: &Loop| point.is_none_or(|point| !facts.loops.contains(id, point));
        let id = facts.loops.around(branch).take_while(without).last()?;
        if let Some(&returns) = self.returns.get(&(id, point)) {
            return (!returns).then_some(id);
        }
        let out = facts.loops.exits(id).iter().map(|edge| edge.to);
        let reached = self.walk(branch, out.collect(), point, |block| facts.cfg.distinct_succs(block));
        let returns = reached.iter().any(|&block| facts.loops.contains(id, block));
        self.returns.insert((id, point), returns);
        (!returns).then_some(id)
    }

    /// The blocks on the ways from a branch back to it without a point, in textual order; none if there is no such way.
    fn ways_back(&mut self, branch: Block, point: Option<Block>) -> Vec<Block> {
        let facts = self.facts;
        let next = |block: Block| facts.cfg.distinct_succs(block);
        let mut ahead = EntitySet::new();
        ahead.extend(self.walk(branch, next(branch), point, next));
        if !ahead.contains(branch) {
            return Vec::new();
        }
        let before = |block: Block| SmallVec::from_slice(facts.cfg.preds(block));
        let mut blocks = self.walk(branch, before(branch), point, before);
        blocks.retain(|&block| ahead.contains(block));
        blocks.sort_unstable();
        blocks
    }

    /// Returns what some blocks lead to, within the component of a branch and without a point.
    fn walk(
        &mut self,
        branch: Block,
        from: SmallVec<[Block; 2]>,
        point: Option<Block>,
        next: impl Fn(Block) -> SmallVec<[Block; 2]>,
    ) -> Vec<Block> {
        self.walks += 1;
        let (mut work, mut reached) = (from, Vec::new());
        while let Some(block) = work.pop() {
            let inside = Some(block) != point && self.component[block] == self.component[branch];
            if inside && std::mem::replace(&mut self.seen[block], self.walks) != self.walks {
                reached.push(block);
                work.extend(next(block));
            }
        }
        reached
    }

    /// The cycle that is a natural loop.
    fn cycle_of(&self, id: Loop, meeting: Option<Block>) -> Cycle {
        let edges = self.facts.loops.exits(id);
        let mut known = FxHashSet::default();
        let exits = edges.iter().map(|edge| edge.to).filter(|&to| known.insert(to)).collect();
        let sorted = |mut blocks: Vec<Block>| {
            blocks.sort_unstable();
            blocks.dedup();
            blocks
        };
        let deciding = sorted(edges.iter().map(|edge| edge.from).chain(self.ends[id].iter().copied()).collect());
        let header = self.facts.loops.header(id);
        let entries = sorted(std::iter::once(header).chain(self.led_to[id].iter().copied()).collect());
        let begin = entries.first().map_or(header, |&first| first.min(header));
        Cycle { shape: Shape::Natural(id), begin, entries, exits, deciding, meeting }
    }
}

/// The blocks of a kernel of which something holds, and the natural loops that have one.
pub(crate) struct Having {
    blocks: EntitySet<Block>,
    loops: EntitySet<Loop>,
}

impl Having {
    /// Looks at each block once.
    pub(crate) fn of(facts: &Analyses, holds: impl Fn(Block) -> bool) -> Having {
        let mut having = Having { blocks: EntitySet::new(), loops: EntitySet::new() };
        for block in facts.cfg.blocks().filter(|&block| holds(block)) {
            having.blocks.insert(block);
            let mut around = facts.loops.innermost(block);
            // What is around a loop that has one was noted with it.
            while let Some(id) = around.filter(|&id| having.loops.insert(id)) {
                around = facts.loops.parent(id);
            }
        }
        having
    }

    /// Returns true if a cycle has such a block.
    pub(crate) fn is_in(&self, cycle: &Cycle) -> bool {
        match &cycle.shape {
            Shape::Natural(id) => self.loops.contains(*id),
            Shape::Listed(blocks, _) => blocks.iter().any(|&block| self.blocks.contains(block)),
        }
    }
}

/// The blocks on the ways from some to another one, without the latter; all that they lead to if there is none.
pub(crate) fn path(facts: &Analyses, from: impl IntoIterator<Item = Block>, end: Option<Block>) -> FxHashSet<Block> {
    let mut seen = FxHashSet::default();
    let mut work: Vec<Block> = from.into_iter().collect();
    while let Some(block) = work.pop() {
        if Some(block) != end && seen.insert(block) {
            work.extend(facts.cfg.distinct_succs(block));
        }
    }
    seen
}
