//! The order in which lanes pass through a section: a gate before each block that they may be led to.
//!
//! ```text
//!     GATE 1:  @state > 1 bra GATE 2;  state = 0      who is on his way to a later gate goes on to the next one
//!              loop A: try; @failed bra …             whoever would go round is led to the next gate with a number
//!     GATE 2:  @state > 2 bra SWITCH;  state = 0      that no gate opens for
//!              loop B …
//!     SWITCH:  @state is that of a gate and the number bra GATE 1
//! ```
//!
//! All lanes come by all gates in turn. So those that go on from one loop to the next one try there together with those that have to try again, and
//! each gate is the reconvergence point of the branches between it and the one before, which that one dominates.
//!
//! What stands between two gates is a *segment*. No edge leads past a gate: a block that one would lead to gets a gate of its own, and
//! lanes come there by the gates between, with its number.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use analysis::{Analyses, Block};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::rewrite::section::Section;

/// The gates of a section.
#[derive(Clone, Debug)]
pub(crate) struct Gates {
    /// The blocks behind the gates, in order. The number of each gate is one more than its index.
    pub(crate) blocks: Vec<Block>,
    /// The number of the gate before a block.
    numbers: FxHashMap<Block, usize>,
    /// Per block of the section, the number of the gate before its segment.
    segments: SecondaryMap<Block, usize>,
}

impl Gates {
    /// The gates of a section; `None` if lanes would be led into the middle of a loop that does not go round by its switch.
    pub(crate) fn of(facts: &Analyses, section: &Section) -> Option<Gates> {
        let steps: Vec<(Block, Block)> = section
            .blocks()
            .filter(|&block| section.leads_from(block))
            .flat_map(|block| facts.cfg.distinct_succs(block).into_iter().map(move |next| (block, next)))
            .filter(|edge| section.contains(edge.1) && !section.is_turn(*edge))
            .collect();
        let order = ordered(section, &steps);
        let turned_to = section.turned_to();
        let outside = |block: Block| facts.cfg.preds(block).iter().any(|&pred| !section.leads_from(pred));
        let mut gates: FxHashSet<Block> =
            section.blocks().filter(|&block| outside(block) || turned_to.contains(&block)).collect();
        loop {
            let segments = segments(&order, &gates)?;
            let past = |&&(from, to): &&(Block, Block)| segments[from] < segments[to] && !gates.contains(&to);
            // An edge that leads past a gate still does when there are more of them.
            let more: Vec<Block> = steps.iter().filter(past).map(|&(_, to)| to).collect();
            if more.is_empty() {
                let mut blocks: Vec<Block> = gates.into_iter().collect();
                blocks.sort_unstable_by_key(|&block| segments[block]);
                let numbers = blocks.iter().enumerate().map(|(index, &block)| (block, index + 1)).collect();
                return Some(Gates { blocks, numbers, segments });
            }
            gates.extend(more);
        }
    }

    /// The number of the gate before a block's segment.
    pub(crate) fn segment(&self, block: Block) -> usize {
        self.segments[block]
    }

    /// The number of the gate of a block, if it has one.
    pub(crate) fn number(&self, block: Block) -> Option<usize> {
        self.numbers.get(&block).copied()
    }
}

/// Names a strongly connected component of a section, a loop or a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct PartId(u32);
entity_impl!(PartId, "part");

/// The blocks of a section in the order of its edges, loops as one, and else in textual order.
fn ordered(section: &Section, steps: &[(Block, Block)]) -> Vec<Vec<Block>> {
    let mut graph: DiGraphMap<Block, ()> = DiGraphMap::new();
    section.blocks().for_each(|block| {
        graph.add_node(block);
    });
    steps.iter().for_each(|&(from, to)| {
        graph.add_edge(from, to, ());
    });
    let mut parts: PrimaryMap<PartId, Vec<Block>> = kosaraju_scc(&graph).into();
    parts.values_mut().for_each(|part| part.sort_unstable());
    let mut part_of: SecondaryMap<Block, PackedOption<PartId>> = SecondaryMap::new();
    for (id, part) in &parts {
        part.iter().for_each(|&block| part_of[block] = id.into());
    }
    let mut before: SecondaryMap<PartId, usize> = SecondaryMap::new();
    let mut behind: SecondaryMap<PartId, Vec<PartId>> = SecondaryMap::new();
    let edges = steps.iter().filter_map(|&(from, to)| part_of[from].expand().zip(part_of[to].expand()));
    for (from, to) in edges.filter(|(from, to)| from != to) {
        before[to] += 1;
        behind[from].push(to);
    }
    let ready = parts.keys().filter(|&id| before[id] == 0);
    let in_order = |id: PartId| Reverse((parts[id].first(), id));
    let mut work: BinaryHeap<_> = ready.map(in_order).collect();
    let mut order = Vec::new();
    while let Some(Reverse((_, id))) = work.pop() {
        for &next in &behind[id] {
            before[next] -= 1;
            if before[next] == 0 {
                work.push(in_order(next));
            }
        }
        order.push(parts[id].clone());
    }
    order
}

/// Per block, the number of gates up to it; `None` if there are two in one loop.
fn segments(order: &[Vec<Block>], gates: &FxHashSet<Block>) -> Option<SecondaryMap<Block, usize>> {
    let mut segments = SecondaryMap::new();
    let mut number = 0;
    for part in order {
        match part.iter().filter(|block| gates.contains(block)).count() {
            0 => {}
            1 => number += 1,
            _ => return None,
        }
        part.iter().for_each(|&block| segments[block] = number);
    }
    Some(segments)
}
