//! What a divergent branch does: which blocks lanes can then reach apart, where they meet again on different paths,
//! and which loops they leave in different iterations.
//!
//! The influence region of a branch at the end of block `b` is what its successors reach without passing the immediate
//! postdominator of `b`, where the lanes meet again at the latest.
//!
//! # Joins
//!
//! A block is a join if two successors of `b` reach it on disjoint paths. Each successor starts with a label of its
//! own; labels flow along edges, and a block at which two different ones arrive is a join and passes on a label of its
//! own. This is the idea of Wei and others behind LLVM's `SyncDependenceAnalysis`. A path of disjoint blocks is meant
//! in the graph of block *instances*, in which each iteration of a loop has its own copy of the loop's blocks, so that
//! loops need care:
//!
//! - A loop that does not hold `b` is entered by its header alone, so that the header's label holds in all iterations:
//!   its back edges are ignored.
//! - For a loop that holds `b`, labels first flow through the rest of the current iteration. What arrives over back
//!   edges is the label of all of the following iterations, and it leaves over every exit edge. If lanes with another
//!   label left in the current iteration, the loop is left in different iterations, and blocks outside where both
//!   labels arrive are joins. The header is a join only if different labels arrive over its back edges: with one, all
//!   lanes that go on are in the same place.
//! - This is done from the innermost loop around `b` outwards.
//!
//! If lanes can get around the postdominator over a back edge (`continue`) while others wait there for them, they are
//! in different iterations when they meet; then the phis of header and postdominator are divergent without looking at
//! their inputs.
//!
//! In a region with an irreducible cycle, every block is taken for such a join.

use cranelift_entity::{EntitySet, SecondaryMap};

use crate::cfg::{Block, Cfg};
use crate::dominators::{Dominators, PostDominators};
use crate::loops::{Loop, Loops};

/// A block at which lanes arrive on different paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Join {
    pub(super) block: Block,
    /// Lanes may also arrive in different iterations, so that even equal inputs say nothing.
    pub(super) across_iterations: bool,
}

/// The effect of one divergent branch.
#[derive(Clone, Debug, Default)]
pub(super) struct Influence {
    /// The influence region.
    pub(super) blocks: Vec<Block>,
    pub(super) joins: Vec<Join>,
    /// The loops that lanes leave in different iterations.
    pub(super) loops: Vec<Loop>,
}

/// The tables needed, and scratch space that is reused from branch to branch.
pub(super) struct Influences<'a> {
    pub(super) cfg: &'a Cfg,
    pub(super) dominators: &'a Dominators,
    pub(super) postdominators: &'a PostDominators,
    pub(super) loops: &'a Loops,
    /// The number of the branch for which a block was last found in the region, and labelled.
    in_region: SecondaryMap<Block, u32>,
    labels: SecondaryMap<Block, (u32, Block)>,
    turn: u32,
    /// The blocks reachable from guarded returns so far.
    behind_returns: EntitySet<Block>,
}

impl<'a> Influences<'a> {
    pub(super) fn new(
        cfg: &'a Cfg,
        dominators: &'a Dominators,
        postdominators: &'a PostDominators,
        loops: &'a Loops,
    ) -> Self {
        let labels = SecondaryMap::with_default((0, cfg.entry()));
        Influences {
            cfg,
            dominators,
            postdominators,
            loops,
            in_region: SecondaryMap::new(),
            labels,
            turn: 0,
            behind_returns: EntitySet::new(),
        }
    }

    /// The effect of the branch at the end of `branch`, which is reachable.
    pub(super) fn of(&mut self, branch: Block) -> Influence {
        self.turn += 1;
        let meet = self.postdominators.ipdom(branch);
        let reducible = self.loops.irreducible().is_empty();
        if meet.is_none() && self.cfg.distinct_succs(branch).len() == 1 && reducible {
            // The others leave the kernel, and those that stay stay together. Only in an irreducible cycle, whose
            // passages no loop counts, is one passage not told from another; there the rule below holds.
            return Influence { blocks: self.behind_a_return(branch), ..Influence::default() };
        }
        let blocks = self.region(branch, meet);
        let irreducible = |block: &Block| self.loops.is_irreducible(*block);
        if blocks.iter().chain(&meet).chain([&branch]).any(irreducible) {
            let joins = blocks.iter().chain(&meet).map(|&block| Join { block, across_iterations: true }).collect();
            let holds_meet = |id: Loop| meet.is_some_and(|meet| self.loops.contains(id, meet));
            let loops = self.loops.around(branch).filter(|&id| !holds_meet(id)).collect();
            return Influence { joins, blocks, loops };
        }
        let around: Vec<Around> = self.loops.around(branch).map(Around::new).collect();
        let mut flow = Flow { tables: self, branch, meet, around, joins: Vec::new() };
        let mut order: Vec<(usize, usize, Block)> =
            blocks.iter().map(|&block| (flow.level(block), flow.rpo(block), block)).collect();
        order.sort_unstable();
        let loops = flow.run(&order);
        let mut joins = flow.joins;
        joins.sort_unstable_by_key(|join| (join.block, !join.across_iterations));
        joins.dedup_by_key(|join| join.block);
        Influence { blocks, joins, loops }
    }

    /// Whether lanes that parted at `branch` arrive at a join over the edge from `pred`; to be asked about the branch
    /// last passed to [`Influences::of`]. At a header, back edges and edges from outside belong to different instances
    /// of it.
    pub(super) fn arrives(&self, branch: Block, join: Block, pred: Block) -> bool {
        let influenced = pred == branch || self.in_region[pred] == self.turn;
        influenced && self.dominators.dominates(join, pred) == self.dominators.dominates(join, branch)
    }

    /// The region of a guarded return, without what was returned for another one: a kernel may hold thousands.
    fn behind_a_return(&mut self, branch: Block) -> Vec<Block> {
        let mut stack = self.cfg.distinct_succs(branch).to_vec();
        let mut region = Vec::new();
        while let Some(block) = stack.pop() {
            if self.behind_returns.insert(block) {
                region.push(block);
                stack.extend(self.cfg.distinct_succs(block));
            }
        }
        region
    }

    fn region(&mut self, branch: Block, meet: Option<Block>) -> Vec<Block> {
        let mut stack = self.cfg.distinct_succs(branch).to_vec();
        let mut region = Vec::new();
        while let Some(block) = stack.pop() {
            if Some(block) == meet || std::mem::replace(&mut self.in_region[block], self.turn) == self.turn {
                continue;
            }
            region.push(block);
            stack.extend(self.cfg.distinct_succs(block));
        }
        region
    }
}

/// What happened to a loop around the branch.
struct Around {
    id: Loop,
    /// The labels with which lanes left it in the current iteration.
    left: Vec<Block>,
    /// The label with which lanes go on to the next iteration.
    next: Option<Block>,
}

impl Around {
    fn new(id: Loop) -> Around {
        Around { id, left: Vec::new(), next: None }
    }
}

/// Labels on their way through the region of one branch.
struct Flow<'a, 'b> {
    tables: &'a mut Influences<'b>,
    branch: Block,
    meet: Option<Block>,
    /// The loops around the branch, innermost first; a block's level is the index of the first that holds it.
    around: Vec<Around>,
    joins: Vec<Join>,
}

impl Flow<'_, '_> {
    fn level(&self, block: Block) -> usize {
        let holds = |around: &Around| self.tables.loops.contains(around.id, block);
        self.around.iter().position(holds).unwrap_or(self.around.len())
    }

    fn rpo(&self, block: Block) -> usize {
        self.tables.cfg.rpo_index(block).unwrap_or(usize::MAX)
    }

    /// Lets the labels flow, given the region by level and then in reverse postorder, and returns the loops that are
    /// left in different iterations.
    fn run(&mut self, order: &[(usize, usize, Block)]) -> Vec<Loop> {
        for target in self.tables.cfg.distinct_succs(self.branch) {
            self.follow(self.branch, target, target);
        }
        let mut left_apart = Vec::new();
        let mut blocks = order.iter().peekable();
        for level in 0..=self.around.len() {
            while let Some(&(_, _, block)) = blocks.next_if(|(at, _, _)| *at == level) {
                let (turn, label) = self.tables.labels[block];
                if turn == self.tables.turn {
                    for target in self.tables.cfg.distinct_succs(block) {
                        self.follow(block, target, label);
                    }
                }
            }
            if level < self.around.len() {
                left_apart.extend(self.next_iterations(level));
            }
        }
        left_apart
    }

    /// Takes a label over an edge.
    fn follow(&mut self, from: Block, to: Block, label: Block) {
        let (inner, outer) = (self.level(from), self.level(to));
        for around in self.around.iter_mut().take(outer).skip(inner) {
            around.left.push(label);
        }
        if Some(to) == self.meet {
            self.arrive(to, label);
        } else if outer < self.around.len() && self.tables.loops.header(self.around[outer].id) == to {
            self.go_on(outer, to, label);
        } else if !self.tables.dominators.dominates(to, from) {
            self.arrive(to, label);
        }
    }

    fn arrive(&mut self, block: Block, label: Block) {
        let turn = self.tables.turn;
        let (last, old) = self.tables.labels[block];
        if last != turn {
            self.tables.labels[block] = (turn, label);
        } else if old != label {
            self.tables.labels[block] = (turn, block);
            self.joins.push(Join { block, across_iterations: false });
        }
    }

    /// Lanes reach the next iteration of a loop around the branch.
    fn go_on(&mut self, level: usize, header: Block, label: Block) {
        let next = &mut self.around[level].next;
        match *next {
            None => *next = Some(label),
            Some(old) if old != label => {
                *next = Some(header);
                self.joins.push(Join { block: header, across_iterations: false });
            }
            Some(_) => {}
        }
    }

    /// Lets the lanes that go on leave the loop in later iterations. Returns the loop if others left it before.
    fn next_iterations(&mut self, level: usize) -> Option<Loop> {
        let (id, next) = (self.around[level].id, self.around[level].next?);
        if let Some(meet) = self.meet.filter(|&meet| self.tables.loops.contains(id, meet)) {
            for block in [meet, self.tables.loops.header(id)] {
                self.joins.push(Join { block, across_iterations: true });
            }
            return None;
        }
        let apart = self.around[level].left.iter().any(|&label| label != next);
        for edge in self.tables.loops.exits(id).to_vec() {
            self.leave(level, edge.to, next);
        }
        apart.then_some(id)
    }

    /// Takes the label of a loop's later iterations over an exit edge.
    fn leave(&mut self, level: usize, to: Block, label: Block) {
        let outer = self.level(to);
        for around in self.around.iter_mut().take(outer).skip(level + 1) {
            around.left.push(label);
        }
        if Some(to) == self.meet {
            self.arrive(to, label);
        } else if outer < self.around.len() && self.tables.loops.header(self.around[outer].id) == to {
            self.go_on(outer, to, label);
        } else {
            self.arrive(to, label);
        }
    }
}
