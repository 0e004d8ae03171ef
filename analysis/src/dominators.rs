//! Dominators and postdominators.
//!
//! Both are trees computed by Cooper, Harvey and Kennedy's algorithm (petgraph's `simple_fast`), on the graph from the
//! entry and on the reversed graph from a virtual exit. Each tree is numbered in pre- and postorder, so that asking
//! whether one block dominates another takes constant time.
//!
//! # Loops without an exit
//!
//! A block that can never leave the kernel has no path to the exit, hence no postdominator by the definition. As
//! usual, an artificial edge to the exit is added for such endless loops, here from the latches: where a strongly
//! connected component without a way out is entered at some blocks, from each block in it that leads to one of them.
//! So blocks ahead of the loop and inside an iteration keep their postdominators, and nothing postdominates across
//! iterations: every endless path takes such an edge again and again.

use std::fmt::Write as _;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, EntitySet, SecondaryMap};
use petgraph::Direction;
use petgraph::algo::dominators::simple_fast;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::Reversed;
use ptx_parser::Kernel;

use crate::cfg::{Block, Cfg};

/// A tree over blocks, under a virtual root where it has several roots.
#[derive(Clone, Debug, Default)]
struct Tree {
    parent: SecondaryMap<Block, PackedOption<Block>>,
    children: SecondaryMap<Block, Vec<Block>>,
    roots: Vec<Block>,
    /// Pre- and postorder numbers from one counter; `(0, 0)` for a block that is not in the tree.
    interval: SecondaryMap<Block, (u32, u32)>,
    depth: SecondaryMap<Block, u32>,
}

impl Tree {
    /// Makes the tree of `(block, parent)` pairs, given in the order in which children shall be listed.
    fn of(pairs: impl Iterator<Item = (Block, Option<Block>)>) -> Tree {
        let mut tree = Tree::default();
        for (block, parent) in pairs {
            tree.parent[block] = parent.into();
            match parent {
                Some(parent) => tree.children[parent].push(block),
                None => tree.roots.push(block),
            }
        }
        let mut clock = 0;
        let mut stack: Vec<(Block, usize)> = Vec::new();
        for &root in &tree.roots {
            stack.push((root, 0));
            while let Some((block, next)) = stack.last_mut() {
                if *next == 0 {
                    clock += 1;
                    tree.interval[*block].0 = clock;
                }
                match tree.children[*block].get(*next) {
                    Some(&child) => {
                        *next += 1;
                        tree.depth[child] = tree.depth[*block] + 1;
                        stack.push((child, 0));
                    }
                    None => {
                        clock += 1;
                        tree.interval[*block].1 = clock;
                        stack.pop();
                    }
                }
            }
        }
        tree
    }

    fn contains(&self, block: Block) -> bool {
        self.interval[block].0 != 0
    }

    fn is_above(&self, above: Block, below: Block) -> bool {
        let ((first, last), (start, end)) = (self.interval[above], self.interval[below]);
        first != 0 && start != 0 && first <= start && end <= last
    }

    fn common(&self, a: Block, b: Block) -> Option<Block> {
        if !self.contains(a) || !self.contains(b) {
            return None;
        }
        let (mut a, mut b) = (a, b);
        while a != b {
            if self.depth[a] >= self.depth[b] {
                a = self.parent[a].expand()?;
            } else {
                b = self.parent[b].expand()?;
            }
        }
        Some(a)
    }
}

fn node(block: Block) -> NodeIndex {
    NodeIndex::new(block.index())
}

/// The blocks as nodes of the same numbers; `keep` says which edges are taken over.
pub(crate) fn graph(cfg: &Cfg, keep: impl Fn(Block, Block) -> bool) -> DiGraph<(), ()> {
    let mut graph = DiGraph::with_capacity(cfg.block_count() + 1, 2 * cfg.block_count());
    for _ in cfg.blocks() {
        graph.add_node(());
    }
    for block in cfg.blocks() {
        for target in cfg.distinct_succs(block).into_iter().filter(|&target| keep(block, target)) {
            graph.add_edge(node(block), node(target), ());
        }
    }
    graph
}

/// The dominator tree: a block dominates another one if every path from the entry to the other goes through it.
/// Unreachable blocks are not in the tree.
#[derive(Clone, Debug)]
pub struct Dominators {
    tree: Tree,
}

impl Dominators {
    /// Computes the tree.
    #[must_use]
    pub fn of(cfg: &Cfg) -> Dominators {
        let graph = graph(cfg, |_, _| true);
        let found = simple_fast(&graph, node(cfg.entry()));
        let parent = |block| found.immediate_dominator(node(block)).map(|parent| Block::new(parent.index()));
        Dominators { tree: Tree::of(cfg.reverse_postorder().iter().map(|&block| (block, parent(block)))) }
    }

    /// The immediate dominator; `None` for the entry and for unreachable blocks.
    #[must_use]
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.tree.parent[block].expand()
    }

    /// Whether every path from the entry to `b` goes through `a`. A block dominates itself; an unreachable one neither
    /// dominates nor is dominated.
    #[must_use]
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        self.tree.is_above(a, b)
    }

    /// The blocks whose immediate dominator this is, in reverse postorder.
    #[must_use]
    pub fn children(&self, block: Block) -> &[Block] {
        &self.tree.children[block]
    }

    /// How many blocks dominate a block, itself aside.
    #[must_use]
    pub(crate) fn depth(&self, block: Block) -> u32 {
        self.tree.depth[block]
    }

    /// The nearest block that dominates both; `None` if one of them is unreachable.
    #[must_use]
    pub fn common(&self, a: Block, b: Block) -> Option<Block> {
        self.tree.common(a, b)
    }

    /// One line per block: its immediate dominator.
    #[must_use]
    pub fn describe(&self, kernel: &Kernel, cfg: &Cfg) -> String {
        describe(kernel, cfg, "dominated by", |block| match self.idom(block) {
            Some(idom) => cfg.name(kernel, idom),
            None if self.tree.contains(block) => "-".to_owned(),
            None => "(unreachable)".to_owned(),
        })
    }
}

/// The postdominator tree: a block postdominates another one if every path from the other to an exit goes through it.
/// Its root is a virtual exit. Unreachable blocks are in the tree. For blocks that cannot reach an exit, see the head
/// of this file.
#[derive(Clone, Debug)]
pub struct PostDominators {
    tree: Tree,
    endless: EntitySet<Block>,
}

impl PostDominators {
    /// Computes the tree.
    #[must_use]
    pub fn of(cfg: &Cfg) -> PostDominators {
        let mut graph = graph(cfg, |_, _| true);
        let endless = endless_latches(cfg, &graph);
        let exit = graph.add_node(());
        for block in cfg.blocks().filter(|&block| cfg.exits(block) || endless.contains(block)) {
            graph.add_edge(node(block), exit, ());
        }
        let found = simple_fast(Reversed(&graph), exit);
        let parent = |block| found.immediate_dominator(node(block)).filter(|&parent| parent != exit);
        let pairs = cfg.blocks().map(|block| (block, parent(block).map(|parent| Block::new(parent.index()))));
        PostDominators { tree: Tree::of(pairs), endless }
    }

    /// The immediate postdominator, which is where the lanes of a warp that part at the end of the block meet again;
    /// `None` if that is the virtual exit.
    #[must_use]
    pub fn ipdom(&self, block: Block) -> Option<Block> {
        self.tree.parent[block].expand()
    }

    /// Whether every path from `b` to an exit goes through `a`. A block postdominates itself.
    #[must_use]
    pub fn postdominates(&self, a: Block, b: Block) -> bool {
        self.tree.is_above(a, b)
    }

    /// The blocks whose immediate postdominator this is (the virtual exit for `None`), in textual order.
    #[must_use]
    pub fn children(&self, block: Option<Block>) -> &[Block] {
        block.map_or(&self.tree.roots, |block| &self.tree.children[block])
    }

    /// The nearest block that postdominates both; `None` if that is the virtual exit.
    #[must_use]
    pub fn common(&self, a: Block, b: Block) -> Option<Block> {
        self.tree.common(a, b)
    }

    /// Whether an artificial edge leads from a block to the exit: it is the latch of an endless loop.
    #[must_use]
    pub fn is_endless_latch(&self, block: Block) -> bool {
        self.endless.contains(block)
    }

    /// One line per block: its immediate postdominator.
    #[must_use]
    pub fn describe(&self, kernel: &Kernel, cfg: &Cfg) -> String {
        describe(kernel, cfg, "postdominated by", |block| {
            let ipdom = self.ipdom(block).map_or_else(|| "exit".to_owned(), |ipdom| cfg.name(kernel, ipdom));
            if self.is_endless_latch(block) { ipdom + " (endless loop)" } else { ipdom }
        })
    }
}

/// In strongly connected components without a way out, the blocks that lead to those where the component is entered.
fn endless_latches(cfg: &Cfg, graph: &DiGraph<(), ()>) -> EntitySet<Block> {
    let mut component = vec![0usize; cfg.block_count()];
    let components = kosaraju_scc(graph);
    for (number, members) in components.iter().enumerate() {
        members.iter().for_each(|member| component[member.index()] = number);
    }
    let mut latches = EntitySet::new();
    for (number, members) in components.iter().enumerate() {
        let inside = |other: NodeIndex| component[other.index()] == number;
        let leaves = |&member: &NodeIndex| {
            cfg.exits(Block::new(member.index())) || graph.neighbors(member).any(|target| !inside(target))
        };
        if members.iter().any(leaves) {
            continue;
        }
        let sources = |member| graph.neighbors_directed(member, Direction::Incoming);
        let entered = |member: &NodeIndex| sources(*member).any(|source| !inside(source));
        let mut entries: Vec<NodeIndex> = members.iter().copied().filter(entered).collect();
        if entries.is_empty() {
            // Nothing leads to this loop at all; any of its blocks will do.
            entries.extend(members.iter().copied().min());
        }
        let inner = entries.into_iter().flat_map(sources).filter(|&source| inside(source));
        latches.extend(inner.map(|source| Block::new(source.index())));
    }
    latches
}

fn describe(kernel: &Kernel, cfg: &Cfg, relation: &str, parent: impl Fn(Block) -> String) -> String {
    let mut text = String::new();
    for block in cfg.blocks() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} {relation} {}", cfg.name(kernel, block), parent(block));
    }
    text
}
