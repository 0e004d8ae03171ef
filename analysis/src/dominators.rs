//! Dominators and postdominators.
//!
//! Both are trees computed from semidominators (Georgiadis, Tarjan and Werneck's SEMI-NCA, 2006), on the graph from the
//! entry and on the reversed graph from a virtual exit. The iteration that is more common (petgraph's `simple_fast`) is quadratic in the depth of a nest
//! of loops. Each tree is numbered in pre- and postorder, so that asking
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
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap, entity_impl};
use petgraph::Direction;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use ptx_parser::{Flow, Kernel};

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
        // Of two blocks on one path to the root, neither is searched for.
        if self.is_above(b, a) {
            return Some(b);
        }
        let mut above = a;
        while !self.is_above(above, b) {
            above = self.parent[above].expand()?;
        }
        Some(above)
    }
}

fn node(block: Block) -> NodeIndex {
    NodeIndex::new(block.index())
}

fn block_of(node: NodeIndex) -> Block {
    Block::new(node.index())
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

/// A block by its place in the order in which a depth-first walk comes to blocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Visit(u32);
entity_impl!(Visit, "visit");

/// The part of the depth-first tree whose semidominators are known, with its paths shortened as they are followed.
struct Forest {
    /// The semidominator of a node; the node itself while that is not known.
    semi: PrimaryMap<Visit, Visit>,
    /// The node with the least semidominator on the path that was shortened to `above`.
    least: PrimaryMap<Visit, Visit>,
    /// The root is above itself.
    above: PrimaryMap<Visit, Visit>,
}

impl Forest {
    /// The node with the least semidominator on the path from a node up to the last one behind `done`, behind which all are known; the node itself if it
    /// is not behind that.
    fn least(&mut self, node: Visit, done: Visit) -> Visit {
        let mut path = Vec::new();
        let mut top = node;
        while self.above[top] > done {
            path.push(top);
            top = self.above[top];
        }
        let (end, mut least) = (self.above[top], self.least[top]);
        while let Some(below) = path.pop() {
            if self.semi[self.least[below]] > self.semi[least] {
                self.least[below] = least;
            }
            least = self.least[below];
            self.above[below] = end;
        }
        least
    }
}

/// The immediate dominators of all blocks in a graph, or in the graph with its edges reversed; none for the root and for what it does not lead to.
fn immediate_dominators(
    graph: &DiGraph<(), ()>,
    root: Block,
    along: Direction,
) -> SecondaryMap<Block, PackedOption<Block>> {
    // Blocks are numbered as a depth-first walk comes to them. All that follows is by these numbers.
    let mut number: SecondaryMap<Block, PackedOption<Visit>> = SecondaryMap::with_capacity(graph.node_count());
    let (mut order, mut parent) = (PrimaryMap::<Visit, Block>::new(), PrimaryMap::<Visit, Visit>::new());
    let mut stack = vec![(root, order.next_key())];
    while let Some((block, from)) = stack.pop() {
        if number[block].is_none() {
            let visit = order.push(block);
            number[block] = visit.into();
            parent.push(from);
            stack.extend(graph.neighbors_directed(node(block), along).map(|next| (block_of(next), visit)));
        }
    }
    let mut forest = Forest { semi: order.keys().collect(), least: order.keys().collect(), above: parent.clone() };
    for (at, &block) in order.iter().skip(1).rev() {
        let mut semi = parent[at];
        for before in graph.neighbors_directed(node(block), along.opposite()) {
            if let Some(before) = number[block_of(before)].expand() {
                let least = forest.least(before, at);
                semi = semi.min(forest.semi[least]);
            }
        }
        forest.semi[at] = semi;
    }
    let semi = forest.semi;
    let mut idom = parent;
    for at in order.keys().skip(1) {
        while idom[at] > semi[at] {
            idom[at] = idom[idom[at]];
        }
    }
    let mut found = SecondaryMap::with_capacity(graph.node_count());
    for (at, &block) in order.iter().skip(1) {
        found[block] = order[idom[at]].into();
    }
    found
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
        let found = immediate_dominators(&graph, cfg.entry(), Direction::Outgoing);
        let parent = |block| found[block].expand();
        Dominators { tree: Tree::of(cfg.reverse_postorder().iter().map(|&block| (block, parent(block)))) }
    }

    /// The immediate dominator; `None` for the entry and for unreachable blocks.
    #[must_use]
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.tree.parent[block].expand()
    }

    /// Returns true if every path from the entry to `b` goes through `a`. A block dominates itself; an unreachable one neither
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

    /// Returns how many blocks dominate a block, itself aside.
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
        let endless = endless_latches(cfg, &graph(cfg, |_, _| true));
        let found = immediate_postdominators(cfg, &endless, |block| cfg.exits(block));
        let pairs = cfg.blocks().map(|block| (block, found[block].flatten()));
        PostDominators { tree: Tree::of(pairs), endless }
    }

    /// Computes the tree of the paths that do not trap: a trap ends the grid, so that lanes which do not trap meet as if it were not there.
    /// Blocks from which every path traps, or goes on for ever, are in it as in [`PostDominators::of`].
    #[must_use]
    pub fn beside_traps(kernel: &Kernel, cfg: &Cfg) -> PostDominators {
        let traps =
            |block: Block| cfg.insts(block).last().is_some_and(|&inst| kernel.properties(inst).flow == Flow::Trap);
        if !cfg.blocks().any(traps) {
            return PostDominators::of(cfg);
        }
        let endless = endless_latches(cfg, &graph(cfg, |_, _| true));
        let found = immediate_postdominators(cfg, &endless, |block| cfg.exits(block) && !traps(block));
        let trapping = immediate_postdominators(cfg, &endless, |block| cfg.exits(block));
        let parent = |block| found[block].or(trapping[block]).flatten();
        let pairs = cfg.blocks().map(|block| (block, parent(block)));
        PostDominators { tree: Tree::of(pairs), endless }
    }

    /// The immediate postdominator, which is where the lanes of a warp that part at the end of the block meet again;
    /// `None` if that is the virtual exit.
    #[must_use]
    pub fn ipdom(&self, block: Block) -> Option<Block> {
        self.tree.parent[block].expand()
    }

    /// Returns true if every path from `b` to an exit goes through `a`. A block postdominates itself.
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

    /// Returns true if an artificial edge leads from a block to the exit: it is the latch of an endless loop.
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

/// For each block that leads to an exit, its immediate postdominator, which is `None` where that is the virtual exit; for the others `None`. Endless loops
/// have an exit at their latches.
fn immediate_postdominators(
    cfg: &Cfg,
    endless: &EntitySet<Block>,
    exits: impl Fn(Block) -> bool,
) -> SecondaryMap<Block, Option<Option<Block>>> {
    let mut graph = graph(cfg, |_, _| true);
    let exit = block_of(graph.add_node(()));
    for block in cfg.blocks().filter(|&block| exits(block) || endless.contains(block)) {
        graph.add_edge(node(block), node(exit), ());
    }
    let found = immediate_dominators(&graph, exit, Direction::Incoming);
    let parent = |found: Block| (found != exit).then_some(found);
    let mut parents = SecondaryMap::with_capacity(cfg.block_count());
    for block in cfg.blocks() {
        parents[block] = found[block].expand().map(parent);
    }
    parents
}

/// A strongly connected component.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Component(u32);
entity_impl!(Component, "component");

/// In strongly connected components without a way out, the blocks that lead to those where the component is entered.
fn endless_latches(cfg: &Cfg, graph: &DiGraph<(), ()>) -> EntitySet<Block> {
    let mut component: SecondaryMap<Block, PackedOption<Component>> = SecondaryMap::with_capacity(cfg.block_count());
    let components: PrimaryMap<Component, Vec<NodeIndex>> = kosaraju_scc(graph).into();
    for (id, members) in &components {
        members.iter().for_each(|&member| component[block_of(member)] = id.into());
    }
    let mut latches = EntitySet::new();
    for (id, members) in &components {
        let inside = |other: NodeIndex| component[block_of(other)] == id.into();
        let leaves =
            |&member: &NodeIndex| cfg.exits(block_of(member)) || graph.neighbors(member).any(|target| !inside(target));
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
        latches.extend(inner.map(block_of));
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
