//! The effects of a divergent branch. They are the blocks that lanes then reach apart, the blocks where different paths meet again, and the
//! loops that lanes leave in different iterations.
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
//!
//! # Time
//!
//! Regions overlap: in a nest of loops, all of them together are quadratic in its depth. They are nested, though. If a
//! block of a region ends in a branch, both meeting points postdominate it, and a path that passes the outer one before
//! the inner one would make each postdominate the other. So the inner region is part of the outer one, and a region that
//! was walked over once is jumped over later ([`Influences::fresh`]).
//!
//! A branch that leads directly to its postdominator, like that of a loop with one exit or of an `if` without an `else`,
//! has one label only that flows. Its joins are known without a walk ([`Influences::one_sided`]).

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap, entity_impl};

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
    /// The blocks of the influence region that no earlier branch has influenced.
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
    /// The branch last asked about and where its lanes meet, and the turn for which its region was walked over.
    branch: Block,
    meet: Option<Block>,
    walked: u32,
    /// The blocks that some branch has influenced. For each, a block that postdominates it, or the end of the kernel: everything
    /// that it leads to without passing that is influenced as well.
    influenced: EntitySet<Block>,
    until: SecondaryMap<Block, PackedOption<Block>>,
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
            branch: cfg.entry(),
            meet: None,
            walked: 0,
            influenced: EntitySet::new(),
            until: SecondaryMap::new(),
        }
    }

    /// The effect of the branch at the end of `branch`, which is reachable.
    pub(super) fn of(&mut self, branch: Block) -> Influence {
        self.turn += 1;
        let meet = self.postdominators.ipdom(branch);
        (self.branch, self.meet) = (branch, meet);
        let reducible = self.loops.irreducible().is_empty();
        if meet.is_none() && self.cfg.distinct_succs(branch).len() == 1 && reducible {
            // The others leave the kernel, and those that stay stay together. Only in an irreducible cycle, whose
            // passages no loop counts, is one passage not told from another; there the rule below holds.
            return Influence { blocks: self.fresh(branch, meet), ..Influence::default() };
        }
        if let Some((meet, other)) = meet.and_then(|meet| Some((meet, self.only_other(branch, meet)?)))
            && reducible
            && let Some((joins, loops)) = self.one_sided(branch, meet, other)
        {
            return Influence { blocks: self.fresh(branch, Some(meet)), joins: sorted(joins), loops };
        }
        let region = self.region(branch, meet);
        let blocks = self.fresh(branch, meet);
        let irreducible = |block: &Block| self.loops.is_irreducible(*block);
        if region.iter().chain(&meet).chain([&branch]).any(irreducible) {
            let joins = region.iter().chain(&meet).map(|&block| Join { block, across_iterations: true }).collect();
            let holds_meet = |id: Loop| meet.is_some_and(|meet| self.loops.contains(id, meet));
            let loops = self.loops.around(branch).filter(|&id| !holds_meet(id)).collect();
            return Influence { joins, blocks, loops };
        }
        let around: PrimaryMap<Level, Around> = self.loops.around(branch).map(Around::new).collect();
        let mut flow = Flow { tables: self, branch, meet, around, joins: Vec::new() };
        let mut order: Vec<(Level, usize, Block)> =
            region.iter().map(|&block| (flow.level(block), flow.rpo(block), block)).collect();
        order.sort_unstable();
        let loops = flow.run(&order);
        let joins = sorted(flow.joins);
        Influence { blocks, joins, loops }
    }

    /// Returns true if lanes that parted at `branch` arrive at a join over the edge from `pred`; to be asked about the branch
    /// last passed to [`Influences::of`]. At a header, back edges and edges from outside belong to different instances
    /// of it.
    pub(super) fn arrives(&mut self, join: Block, pred: Block) -> bool {
        let branch = self.branch;
        if self.dominators.dominates(join, pred) != self.dominators.dominates(join, branch) {
            return false;
        }
        pred == branch || self.leads_to(pred).unwrap_or_else(|| self.is_in_region(pred))
    }

    /// Tells by dominators if another block is in the region of the branch last asked about; `None` where they do not say. If the branch
    /// dominates it and the meeting point does not, some path from the entry leads from one to the other without
    /// passing that point. If it is the other way round, no path does.
    fn leads_to(&self, block: Block) -> Option<bool> {
        let after = |above: Block, below: Block| self.dominators.dominates(above, below);
        let is_after_meet = self.meet.is_some_and(|meet| after(meet, block));
        match (after(self.branch, block), is_after_meet) {
            (true, false) => Some(true),
            (_, true) if self.meet.is_some_and(|meet| !after(meet, self.branch)) => Some(false),
            _ => None,
        }
    }

    fn is_in_region(&mut self, block: Block) -> bool {
        if self.walked != self.turn {
            self.region(self.branch, self.meet);
        }
        self.in_region[block] == self.turn
    }

    /// The other one of two ways of a branch, the first of which leads to the point where its lanes meet at once.
    fn only_other(&self, branch: Block, meet: Block) -> Option<Block> {
        match *self.cfg.distinct_succs(branch).as_slice() {
            [one, other] if one == meet => Some(other),
            [one, other] if other == meet => Some(one),
            _ => None,
        }
    }

    /// The joins of a branch to its meeting point, and the loops that are left in different iterations; `None` where only
    /// the flow of labels tells them.
    ///
    /// One label flows from the other way, and every path from there comes to the meeting point, which is a join.
    /// The loops around the branch without that point are left at once by those that go there; the others go on
    /// if their way is in the loop. A loop with that point is gone round by lanes that reach a back edge ahead of it.
    fn one_sided(&self, branch: Block, meet: Block, other: Block) -> Option<(Vec<Join>, Vec<Loop>)> {
        let holds = |id: Loop, block: Block| self.loops.contains(id, block);
        let mut around = self.loops.around(branch).peekable();
        let (mut left, mut inside) = (Vec::new(), None);
        while let Some(id) = around.next_if(|&id| !holds(id, meet)) {
            left.extend(holds(id, other).then_some(id));
            inside = Some(id);
        }
        let (mut joins, mut across) = (Vec::new(), false);
        for id in around {
            let header = self.loops.header(id);
            if self.any_leads(self.loops.latches(id).iter().map(|&latch| (latch, header)), other, inside)? {
                joins.push(Join { block: header, across_iterations: true });
                across = true;
            }
            // Lanes that do not leave this loop without passing the point are in no iteration of those around it.
            if !self.any_leads(self.loops.exits(id).iter().map(|edge| (edge.from, edge.to)), other, inside)? {
                break;
            }
        }
        joins.push(Join { block: meet, across_iterations: across });
        Some((joins, left))
    }

    /// Tells if lanes come to one of some edges by the way of the branch that does not lead to the meeting point, in one iteration of the loops
    /// around both. A block above the branch is reached in another iteration, unless it is in the outermost loop
    /// around the branch alone, `inside`.
    fn any_leads(
        &self,
        edges: impl Iterator<Item = (Block, Block)>,
        other: Block,
        inside: Option<Loop>,
    ) -> Option<bool> {
        let is_above = |block: Block| {
            self.dominators.dominates(block, self.branch) && !inside.is_some_and(|id| self.loops.contains(id, block))
        };
        let mut known = true;
        for (from, to) in edges {
            let leads = match from {
                from if from == self.branch => Some(to == other),
                from if is_above(from) => Some(false),
                from => self.leads_to(from),
            };
            match leads {
                Some(true) => return Some(true),
                Some(false) => {}
                None => known = false,
            }
        }
        known.then_some(false)
    }

    /// The blocks in the region of a branch that were in that of no branch before.
    fn fresh(&mut self, branch: Block, meet: Option<Block>) -> Vec<Block> {
        let mut stack = self.cfg.distinct_succs(branch).to_vec();
        let mut fresh = Vec::new();
        while let Some(block) = stack.pop() {
            let Some(block) = self.behind_influenced(block) else { continue };
            let ends = meet.is_some_and(|meet| block == meet || !self.postdominators.postdominates(meet, block));
            if !ends {
                self.influenced.insert(block);
                self.until[block] = meet.into();
                fresh.push(block);
                stack.extend(self.cfg.distinct_succs(block));
            }
        }
        fresh
    }

    /// The block itself if no branch has influenced it, or else the first one behind it of which that holds and that postdominates it;
    /// `None` if that is the end of the kernel. Shortens the way there for the next question.
    fn behind_influenced(&mut self, block: Block) -> Option<Block> {
        let mut end = Some(block);
        while let Some(at) = end.filter(|&at| self.influenced.contains(at)) {
            end = self.until[at].expand();
        }
        let mut at = Some(block);
        while let Some(passed) = at.filter(|&at| Some(at) != end) {
            at = self.until[passed].expand();
            self.until[passed] = end.into();
        }
        end
    }

    fn region(&mut self, branch: Block, meet: Option<Block>) -> Vec<Block> {
        self.walked = self.turn;
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

/// Joins by their blocks, each once.
fn sorted(mut joins: Vec<Join>) -> Vec<Join> {
    joins.sort_unstable_by_key(|join| (join.block, !join.across_iterations));
    joins.dedup_by_key(|join| join.block);
    joins
}

/// A loop around the branch by its place among these, or what is outside of all of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Level(u32);
entity_impl!(Level, "level");

/// The state of a loop around the branch.
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
    /// The loops around the branch, innermost first; a block's level is that of the first that holds it.
    around: PrimaryMap<Level, Around>,
    joins: Vec<Join>,
}

impl Flow<'_, '_> {
    fn level(&self, block: Block) -> Level {
        let around = self.around.as_values_slice();
        Level::new(around.partition_point(|around| !self.tables.loops.contains(around.id, block)))
    }

    /// Returns true if a block is the header of the loop of a level.
    fn is_header(&self, level: Level, block: Block) -> bool {
        self.around.get(level).is_some_and(|around| self.tables.loops.header(around.id) == block)
    }

    fn rpo(&self, block: Block) -> usize {
        self.tables.cfg.rpo_index(block).unwrap_or(usize::MAX)
    }

    /// Lets the labels flow, given the region by level and then in reverse postorder, and returns the loops that are
    /// left in different iterations.
    fn run(&mut self, order: &[(Level, usize, Block)]) -> Vec<Loop> {
        for target in self.tables.cfg.distinct_succs(self.branch) {
            self.follow(self.branch, target, target);
        }
        let mut left_apart = Vec::new();
        let mut blocks = order.iter().peekable();
        for level in self.around.keys().chain([self.around.next_key()]) {
            while let Some(&(_, _, block)) = blocks.next_if(|(at, _, _)| *at == level) {
                let (turn, label) = self.tables.labels[block];
                if turn == self.tables.turn {
                    for target in self.tables.cfg.distinct_succs(block) {
                        self.follow(block, target, label);
                    }
                }
            }
            if self.around.is_valid(level) {
                left_apart.extend(self.next_iterations(level));
            }
        }
        left_apart
    }

    /// Takes a label over an edge.
    fn follow(&mut self, from: Block, to: Block, label: Block) {
        let (inner, outer) = (self.level(from), self.level(to));
        for around in self.around.values_mut().take(outer.index()).skip(inner.index()) {
            around.left.push(label);
        }
        if Some(to) == self.meet {
            self.arrive(to, label);
        } else if self.is_header(outer, to) {
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
    fn go_on(&mut self, level: Level, header: Block, label: Block) {
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
    fn next_iterations(&mut self, level: Level) -> Option<Loop> {
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
    fn leave(&mut self, level: Level, to: Block, label: Block) {
        let outer = self.level(to);
        for around in self.around.values_mut().take(outer.index()).skip(level.index() + 1) {
            around.left.push(label);
        }
        if Some(to) == self.meet {
            self.arrive(to, label);
        } else if self.is_header(outer, to) {
            self.go_on(outer, to, label);
        } else {
            self.arrive(to, label);
        }
    }
}
