//! Natural loops and their nesting; irreducible cycles.
//!
//! A natural loop is what can reach a back edge `latch -> header` (an edge whose target dominates its source) without
//! going through the header. Loops that share a header are one loop. Two loops are nested or disjoint.
//!
//! Cycles that are entered at several blocks have no header and hence are no natural loops: once all back edges are
//! taken away, every remaining cycle is of this kind, and [`Loops::irreducible`] lists them.
//!
//! Only blocks that the entry reaches take part.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::OnceLock;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap, entity_impl};
use petgraph::algo::kosaraju_scc;
use ptx_parser::Kernel;

use crate::cfg::{Block, Cfg};
use crate::dominators::{Dominators, graph};

/// A natural loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loop(u32);
entity_impl!(Loop, "loop");

/// An edge into or out of a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopEdge {
    /// The block that it leaves.
    pub from: Block,
    /// The block that it leads to.
    pub to: Block,
}

/// A cycle that is entered at several blocks: the blocks of a strongly connected component of the graph without back
/// edges.
#[derive(Clone, Debug)]
pub struct IrreducibleCycle {
    /// Its blocks in textual order.
    pub blocks: Vec<Block>,
    /// Those of them to which edges lead from outside.
    pub entries: Vec<Block>,
}

#[derive(Clone, Debug)]
struct LoopData {
    header: Block,
    latches: Vec<Block>,
    /// The range of its blocks in [`Loops::arranged`].
    range: Range<usize>,
    /// Its blocks in textual order, once somebody has asked for them.
    blocks: OnceLock<Vec<Block>>,
    parent: Option<Loop>,
    depth: u32,
    entering: Vec<LoopEdge>,
    exits: Vec<LoopEdge>,
}

/// The loops of a kernel.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: PrimaryMap<Loop, LoopData>,
    innermost: SecondaryMap<Block, PackedOption<Loop>>,
    /// The blocks of all loops, those of each in one piece: its own blocks, then those of each loop in it. A set for each loop would take room that is
    /// quadratic in the depth of a nest.
    arranged: Vec<Block>,
    /// The index of a block in `arranged`; `usize::MAX` for a block in no loop.
    place: SecondaryMap<Block, usize>,
    irreducible: Vec<IrreducibleCycle>,
    in_irreducible: EntitySet<Block>,
}

impl Loops {
    /// Finds the loops.
    #[must_use]
    pub fn of(cfg: &Cfg, dominators: &Dominators) -> Loops {
        let mut found = Loops {
            loops: PrimaryMap::new(),
            innermost: SecondaryMap::with_capacity(cfg.block_count()),
            arranged: Vec::new(),
            place: SecondaryMap::with_default(usize::MAX),
            irreducible: Vec::new(),
            in_irreducible: EntitySet::new(),
        };
        found.collect_headers(cfg, dominators);
        found.nest(cfg);
        found.fill(cfg);
        found.collect_irreducible(cfg, dominators);
        found
    }

    /// One loop per header, in reverse postorder, which puts an outer loop before those in it.
    fn collect_headers(&mut self, cfg: &Cfg, dominators: &Dominators) {
        for &header in cfg.reverse_postorder() {
            let is_latch = |&block: &Block| dominators.dominates(header, block);
            let latches: Vec<Block> = cfg.preds(header).iter().copied().filter(is_latch).collect();
            if !latches.is_empty() {
                self.loops.push(LoopData {
                    header,
                    latches,
                    range: 0..0,
                    blocks: OnceLock::new(),
                    parent: None,
                    depth: 0,
                    entering: Vec::new(),
                    exits: Vec::new(),
                });
            }
        }
    }

    /// Finds each block's innermost loop and each loop's parent. Inner loops come first, and a walk that meets one
    /// goes on from the header of its outermost loop so far, so that each block is walked over once per loop that is
    /// its innermost.
    fn nest(&mut self, cfg: &Cfg) {
        let mut outermost: SecondaryMap<Loop, PackedOption<Loop>> = SecondaryMap::new();
        let ids: Vec<Loop> = self.loops.keys().collect();
        for &id in ids.iter().rev() {
            let header = self.loops[id].header;
            let mut stack = self.loops[id].latches.clone();
            while let Some(block) = stack.pop() {
                match self.innermost[block].expand() {
                    None => {
                        self.innermost[block] = id.into();
                        if block != header {
                            stack.extend(cfg.preds(block).iter().filter(|&&pred| cfg.is_reachable(pred)));
                        }
                    }
                    Some(inner) => {
                        let outer = root(&mut outermost, inner);
                        if outer != id {
                            self.loops[outer].parent = Some(id);
                            outermost[outer] = id.into();
                            let preds = cfg.preds(self.loops[outer].header).iter();
                            stack.extend(preds.filter(|&&pred| cfg.is_reachable(pred)));
                        }
                    }
                }
            }
        }
    }

    fn fill(&mut self, cfg: &Cfg) {
        self.arrange(cfg);
        for id in self.loops.keys() {
            self.loops[id].depth = self.loops[id].parent.map_or(1, |parent| self.loops[parent].depth + 1);
            let header = self.loops[id].header;
            let outside = cfg.preds(header).iter().copied();
            let outside = outside.filter(|&pred| !self.contains(id, pred) && cfg.is_reachable(pred));
            self.loops[id].entering = outside.map(|from| LoopEdge { from, to: header }).collect();
        }
        for from in cfg.blocks() {
            for to in cfg.distinct_succs(from) {
                let mut around = self.innermost(from);
                while let Some(id) = around.filter(|&id| !self.contains(id, to)) {
                    self.loops[id].exits.push(LoopEdge { from, to });
                    around = self.loops[id].parent;
                }
            }
        }
    }

    /// Puts the blocks of each loop next to each other. An outer loop comes before those in it.
    fn arrange(&mut self, cfg: &Cfg) {
        let held = || cfg.blocks().filter_map(|block| Some((block, self.innermost[block].expand()?)));
        let mut own: SecondaryMap<Loop, usize> = SecondaryMap::new();
        held().for_each(|(_, id)| own[id] += 1);
        let mut sizes = own.clone();
        for id in self.loops.keys().rev() {
            if let Some(parent) = self.loops[id].parent {
                sizes[parent] += sizes[id];
            }
        }
        // Where the next loop in a loop begins, and the next block of its own stands.
        let (mut inner, mut next): (SecondaryMap<Loop, usize>, SecondaryMap<Loop, usize>) = Default::default();
        let mut outermost = 0;
        let mut ranges: SecondaryMap<Loop, Range<usize>> = SecondaryMap::new();
        for id in self.loops.keys() {
            let begin = self.loops[id].parent.map_or(&mut outermost, |parent| &mut inner[parent]);
            let start = *begin;
            *begin += sizes[id];
            (next[id], inner[id]) = (start, start + own[id]);
            ranges[id] = start..start + sizes[id];
        }
        for (block, id) in held() {
            self.place[block] = next[id];
            next[id] += 1;
        }
        self.arranged = held().map(|(block, _)| block).collect();
        self.arranged.sort_unstable_by_key(|&block| self.place[block]);
        self.loops.iter_mut().for_each(|(id, data)| data.range = ranges[id].clone());
    }

    fn collect_irreducible(&mut self, cfg: &Cfg, dominators: &Dominators) {
        let forward = graph(cfg, |from, to| cfg.is_reachable(from) && !dominators.dominates(to, from));
        for component in kosaraju_scc(&forward) {
            if component.len() < 2 {
                continue;
            }
            let mut blocks: Vec<Block> = component.into_iter().map(|node| Block::new(node.index())).collect();
            blocks.sort_unstable();
            let members: EntitySet<Block> = set_of(&blocks);
            let from_outside = |&pred: &Block| !members.contains(pred) && cfg.is_reachable(pred);
            let is_entry = |block: &Block| cfg.preds(*block).iter().any(from_outside);
            let entries = blocks.iter().copied().filter(is_entry).collect();
            self.in_irreducible.extend(blocks.iter().copied());
            self.irreducible.push(IrreducibleCycle { blocks, entries });
        }
        self.irreducible.sort_by_key(|cycle| cycle.blocks.first().copied());
    }

    /// All loops, outer ones before those in them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Loop> + use<> {
        self.loops.keys()
    }

    /// The block that every iteration starts with, and the only one through which the loop is entered.
    #[must_use]
    pub fn header(&self, id: Loop) -> Block {
        self.loops[id].header
    }

    /// The blocks in the loop that lead back to the header, in textual order.
    #[must_use]
    pub fn latches(&self, id: Loop) -> &[Block] {
        &self.loops[id].latches
    }

    /// The blocks of the loop in textual order, those of inner loops included.
    #[must_use]
    pub fn blocks(&self, id: Loop) -> &[Block] {
        let LoopData { blocks, range, .. } = &self.loops[id];
        blocks.get_or_init(|| {
            let mut blocks = self.arranged[range.clone()].to_vec();
            blocks.sort_unstable();
            blocks
        })
    }

    /// Returns how many blocks a loop has, those of inner loops included.
    #[must_use]
    pub fn size(&self, id: Loop) -> usize {
        self.loops[id].range.len()
    }

    /// Returns true if a block is in the loop.
    #[must_use]
    pub fn contains(&self, id: Loop, block: Block) -> bool {
        self.loops[id].range.contains(&self.place[block])
    }

    /// The loop next around this one.
    #[must_use]
    pub fn parent(&self, id: Loop) -> Option<Loop> {
        self.loops[id].parent
    }

    /// Returns how many loops there are around and including this one: 1 for an outermost loop.
    #[must_use]
    pub fn depth(&self, id: Loop) -> u32 {
        self.loops[id].depth
    }

    /// The edges from outside to the header.
    #[must_use]
    pub fn entering(&self, id: Loop) -> &[LoopEdge] {
        &self.loops[id].entering
    }

    /// The edges that leave the loop. Blocks that leave the kernel from inside it are not among them: ask
    /// [`Cfg::exits`].
    #[must_use]
    pub fn exits(&self, id: Loop) -> &[LoopEdge] {
        &self.loops[id].exits
    }

    /// The innermost loop around a block.
    #[must_use]
    pub fn innermost(&self, block: Block) -> Option<Loop> {
        self.innermost[block].expand()
    }

    /// The loops around a block, from the innermost outwards.
    pub fn around(&self, block: Block) -> impl Iterator<Item = Loop> + '_ {
        std::iter::successors(self.innermost(block), |&id| self.parent(id))
    }

    /// The places of a loop's blocks in an order of all blocks in loops, in which those of each loop are in one piece.
    pub(crate) fn extent(&self, id: Loop) -> Range<usize> {
        self.loops[id].range.clone()
    }

    /// The innermost loop that is or is around both loops. Takes time in proportion to the nearer one's distance from it.
    pub(crate) fn common_of(&self, a: Loop, b: Loop) -> Option<Loop> {
        let holds = |outer: Loop, inner: Loop| self.contains(outer, self.header(inner));
        let (mut above, mut other) = (a, b);
        loop {
            if holds(above, b) {
                return Some(above);
            }
            if holds(other, a) {
                return Some(other);
            }
            (above, other) = (self.parent(above)?, self.parent(other)?);
        }
    }

    /// The innermost loop that holds both blocks.
    #[must_use]
    pub fn common(&self, a: Block, b: Block) -> Option<Loop> {
        self.around(a).find(|&id| self.contains(id, b))
    }

    /// The cycles that have several entries, by their first block.
    #[must_use]
    pub fn irreducible(&self) -> &[IrreducibleCycle] {
        &self.irreducible
    }

    /// Returns true if a block is in an irreducible cycle.
    #[must_use]
    pub fn is_irreducible(&self, block: Block) -> bool {
        self.in_irreducible.contains(block)
    }

    /// A paragraph per loop, indented by its depth, then a line per irreducible cycle.
    #[must_use]
    pub fn describe(&self, kernel: &Kernel, cfg: &Cfg) -> String {
        let mut text = String::new();
        let edges = |edges: &[LoopEdge]| {
            let edge = |edge: &LoopEdge| format!("{} -> {}", cfg.name(kernel, edge.from), cfg.name(kernel, edge.to));
            let texts: Vec<String> = edges.iter().map(edge).collect();
            if texts.is_empty() { "-".to_owned() } else { texts.join(", ") }
        };
        for (id, data) in &self.loops {
            let indent = "  ".repeat(data.depth as usize - 1);
            let parent = data.parent.map(|parent| format!(" in {parent}")).unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{indent}{id}{parent}: header {}", cfg.name(kernel, data.header));
            let _ = writeln!(text, "{indent}  latches {}", cfg.names(kernel, data.latches.iter().copied()));
            let _ = writeln!(text, "{indent}  blocks {}", cfg.names(kernel, self.blocks(id).iter().copied()));
            let _ = writeln!(text, "{indent}  entered by {}", edges(&data.entering));
            let _ = writeln!(text, "{indent}  left by {}", edges(&data.exits));
        }
        for cycle in &self.irreducible {
            let (blocks, entries) = (&cycle.blocks, &cycle.entries);
            let blocks = cfg.names(kernel, blocks.iter().copied());
            let _ = writeln!(text, "irreducible: {blocks}; entered at {}", cfg.names(kernel, entries.iter().copied()));
        }
        text
    }
}

fn set_of(blocks: &[Block]) -> EntitySet<Block> {
    let mut set = EntitySet::new();
    set.extend(blocks.iter().copied());
    set
}

/// The outermost loop known so far around `id`, shortening the way to it for the next question.
fn root(outermost: &mut SecondaryMap<Loop, PackedOption<Loop>>, id: Loop) -> Loop {
    let mut root = id;
    while let Some(outer) = outermost[root].expand() {
        root = outer;
    }
    let mut at = id;
    while let Some(outer) = outermost[at].expand() {
        outermost[at] = root.into();
        at = outer;
    }
    root
}
