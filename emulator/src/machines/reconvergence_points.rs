//! Reconvergence points later than the immediate postdominator, for launches that ask for them (AWARE's delayed
//! reconvergence).
//!
//! The computation has two steps. First, the branches that the launch names get the points that it names. Each point is
//! a postdominator of its branch. Then other branches follow, as Section IV.B of the paper requires. The point of a
//! branch must postdominate the points of all branches on the paths from it to that point. Otherwise lanes would wait
//! at an inner point for others that are held back at an outer one. A point that violates this moves to the nearest
//! postdominator of both, until no point moves. Points only move towards the exit, so this terminates.

use std::sync::Arc;

use cranelift_entity::{BoxedSlice, EntityRef, EntitySet, PrimaryMap, SecondaryMap};
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::api::error::Error;
use crate::api::options::{Branch, Reconvergence};
use crate::program::Program;
use crate::program::code::{Block, BlockId, ENTRY, End, NO_BLOCK};
use crate::program::graph::{meeting_points, successors};

/// The reconvergence point of each block's branch.
pub(crate) type Points = BoxedSlice<BlockId, BlockId>;

/// Per block, where the lanes of its branch meet; `None` if nothing is delayed.
pub(crate) fn points(program: &Program, delayed: &[Reconvergence]) -> Result<Option<Arc<Points>>, Error> {
    if delayed.is_empty() {
        return Ok(None);
    }
    let graph = Graph::of(program);
    let found = program.code.blocks.values().map(|block| meet(&block.end).unwrap_or(NO_BLOCK));
    let mut points = PrimaryMap::from_iter(found).into_boxed_slice();
    for wish in delayed {
        let branches = graph.branches(&wish.branch)?;
        for branch in branches {
            points[branch] = graph.point(branch, wish.point.as_deref())?;
        }
    }
    graph.settle(&mut points);
    Ok(Some(Arc::new(points)))
}

/// Returns where the lanes of a branch meet; none if a block does not end in one.
fn meet(end: &End) -> Option<BlockId> {
    match end {
        End::Branch { meet, .. } | End::Switch { meet, .. } => Some(*meet),
        _ => None,
    }
}

struct Graph<'p> {
    program: &'p Program,
    /// The immediate postdominator of every block.
    postdominator: PrimaryMap<BlockId, BlockId>,
}

impl Graph<'_> {
    fn of(program: &Program) -> Graph<'_> {
        Graph { program, postdominator: meeting_points(&program.code.blocks, &program.code.switches) }
    }

    fn next(&self, block: BlockId) -> impl Iterator<Item = BlockId> + use<> {
        successors(&self.program.code.blocks[block].end, &self.program.code.switches).into_iter()
    }

    fn is_branch(&self, block: BlockId) -> bool {
        meet(&self.program.code.blocks[block].end).is_some()
    }

    /// The blocks that a label begins: several if its function is called at several places.
    fn labelled(&self, label: &str) -> Result<Vec<BlockId>, Error> {
        let labels = &self.program.code.labels;
        let found: Vec<BlockId> = labels.iter().filter(|(name, _)| **name == *label).map(|(_, block)| *block).collect();
        if found.is_empty() {
            let mut known: Vec<String> = labels.iter().map(|(name, _)| format!("`{name}`")).collect();
            known.dedup();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            return Err(Error::NoLabel { label: label.into(), known });
        }
        Ok(found)
    }

    fn branches(&self, wanted: &Branch) -> Result<Vec<BlockId>, Error> {
        let mut branches = Vec::new();
        let missing = match wanted {
            Branch::Label(label) => {
                for block in self.labelled(label)? {
                    let exits = self.loop_exits(block);
                    if exits.is_empty() {
                        branches.extend(self.first_branch(block));
                    } else {
                        branches.extend(exits);
                    }
                }
                format!("no branch follows the label `{label}`")
            }
            Branch::Line(line) => {
                let stands_there = |block: &Block| {
                    block.insts().next_back().is_some_and(|inst| self.program.listing.insts[inst].ptx_line == *line)
                };
                let there = self.program.code.blocks.iter().filter(|(_, block)| stands_there(block));
                branches.extend(there.map(|(id, _)| id).filter(|&id| self.is_branch(id)));
                format!("no branch stands at PTX line {line}")
            }
        };
        if branches.is_empty() { Err(Error::Reconvergence { what: missing }) } else { Ok(branches) }
    }

    /// The branch at the end of the straight-line code that a block begins.
    fn first_branch(&self, mut block: BlockId) -> Option<BlockId> {
        for _ in 0..self.program.code.blocks.len() {
            if self.is_branch(block) {
                return Some(block);
            }
            block = self.next(block).next()?;
        }
        None
    }

    /// The branches that leave the natural loop of a header; none if the block is no header.
    fn loop_exits(&self, header: BlockId) -> Vec<BlockId> {
        let blocks = &self.program.code.blocks;
        let node = |block: BlockId| NodeIndex::new(block.index());
        let mut graph = DiGraph::<(), ()>::with_capacity(blocks.len(), 2 * blocks.len());
        for _ in blocks.keys() {
            graph.add_node(());
        }
        let mut before: SecondaryMap<BlockId, Vec<BlockId>> = SecondaryMap::new();
        for block in blocks.keys() {
            for next in self.next(block) {
                graph.add_edge(node(block), node(next), ());
                before[next].push(block);
            }
        }
        let dominators = simple_fast(&graph, node(ENTRY));
        let dominated = |block: BlockId| {
            let mut above = dominators.dominators(node(block)).into_iter().flatten();
            above.any(|above| above == node(header))
        };
        let mut work: Vec<BlockId> = before[header].iter().copied().filter(|&block| dominated(block)).collect();
        if work.is_empty() {
            return Vec::new();
        }
        let mut within = EntitySet::new();
        within.insert(header);
        while let Some(block) = work.pop() {
            if within.insert(block) {
                work.extend(before[block].iter().filter(|&&block| dominated(block)));
            }
        }
        let leaves = |block: &BlockId| self.is_branch(*block) && self.next(*block).any(|next| !within.contains(next));
        within.iter().filter(leaves).collect()
    }

    /// Returns true if a block, or the exit as [`NO_BLOCK`], is a proper postdominator of another.
    fn postdominates(&self, block: BlockId, mut of: BlockId) -> bool {
        while of != NO_BLOCK {
            of = self.postdominator[of];
            if of == block {
                return true;
            }
        }
        false
    }

    /// The point that the launch wants for a branch.
    fn point(&self, branch: BlockId, label: Option<&str>) -> Result<BlockId, Error> {
        let Some(label) = label else { return Ok(NO_BLOCK) };
        let mut candidates = self.labelled(label)?;
        candidates.retain(|&block| self.postdominates(block, branch));
        // Where a function is called several times, the branch has the label of its own call.
        let nearest = candidates.iter().find(|&&one| candidates.iter().all(|&other| !self.postdominates(one, other)));
        nearest.copied().ok_or_else(|| {
            let site = self.program.block_site(branch, true);
            let what = format!(
                "{site}: not all ways from this branch lead to the label `{label}`, so that lanes cannot meet there"
            );
            Error::Reconvergence { what }
        })
    }

    /// The nearest place that all lanes of two come to, if the two are places that lanes of a common branch come to.
    fn common(&self, one: BlockId, other: BlockId) -> BlockId {
        let mut at = one;
        while at != NO_BLOCK && at != other && !self.postdominates(at, other) {
            at = self.postdominator[at];
        }
        at
    }

    /// Moves points up until that of every branch postdominates those of all branches on the way to it.
    fn settle(&self, points: &mut Points) {
        let branches: Vec<BlockId> = points.keys().filter(|&block| self.is_branch(block)).collect();
        loop {
            let mut moved = false;
            for &branch in &branches {
                for inner in self.region(branch, points[branch]) {
                    if self.is_branch(inner) {
                        let point = self.common(points[branch], points[inner]);
                        moved |= std::mem::replace(&mut points[branch], point) != point;
                    }
                }
            }
            if !moved {
                return;
            }
        }
    }

    /// The blocks on the ways from a branch to its point.
    fn region(&self, branch: BlockId, point: BlockId) -> Vec<BlockId> {
        let mut seen = EntitySet::new();
        let mut work: Vec<BlockId> = self.next(branch).collect();
        let mut region = Vec::new();
        while let Some(block) = work.pop() {
            if block != point && seen.insert(block) {
                region.push(block);
                work.extend(self.next(block));
            }
        }
        region
    }
}
