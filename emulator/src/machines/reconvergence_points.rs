//! Reconvergence points later than the immediate postdominator, for launches that ask for them (AWARE's delayed
//! reconvergence).
//!
//! The computation has two steps. First, the branches that the launch names get the points that it names. Each point is
//! a postdominator of its branch. Then other branches follow, as Section IV.B of the paper requires. The point of a
//! branch must postdominate the points of all branches on the paths from it to that point. Otherwise lanes would wait
//! at an inner point for others that are held back at an outer one. A point that violates this moves to the nearest
//! postdominator of both, until no point moves. Points only move towards the exit, so this terminates.

use std::sync::Arc;

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::api::error::Error;
use crate::api::options::{Branch, Reconvergence};
use crate::program::Program;
use crate::program::code::{End, NO_BLOCK};
use crate::program::graph::{meeting_points, successors};

/// Per block, where the lanes of its branch meet; `None` if nothing is delayed.
pub(crate) fn points(program: &Program, delayed: &[Reconvergence]) -> Result<Option<Arc<[u32]>>, Error> {
    if delayed.is_empty() {
        return Ok(None);
    }
    let graph = Graph::of(program);
    let mut points: Vec<u32> = program.code.blocks.iter().map(|block| meet(&block.end).unwrap_or(NO_BLOCK)).collect();
    for wish in delayed {
        let branches = graph.branches(&wish.branch)?;
        for branch in branches {
            points[branch as usize] = graph.point(branch, wish.point.as_deref())?;
        }
    }
    graph.settle(&mut points);
    Ok(Some(points.into()))
}

/// Returns where the lanes of a branch meet; none if a block does not end in one.
fn meet(end: &End) -> Option<u32> {
    match end {
        End::Branch { meet, .. } | End::Switch { meet, .. } => Some(*meet),
        _ => None,
    }
}

struct Graph<'p> {
    program: &'p Program,
    /// The immediate postdominator of every block.
    postdominator: Vec<u32>,
}

impl Graph<'_> {
    fn of(program: &Program) -> Graph<'_> {
        Graph { program, postdominator: meeting_points(&program.code.blocks, &program.code.switches) }
    }

    fn next(&self, block: u32) -> impl Iterator<Item = u32> + use<> {
        successors(&self.program.code.blocks[block as usize].end, &self.program.code.switches).into_iter()
    }

    fn is_branch(&self, block: u32) -> bool {
        meet(&self.program.code.blocks[block as usize].end).is_some()
    }

    /// The blocks that a label begins: several if its function is called at several places.
    fn labelled(&self, label: &str) -> Result<Vec<u32>, Error> {
        let labels = &self.program.code.labels;
        let found: Vec<u32> = labels.iter().filter(|(name, _)| **name == *label).map(|(_, block)| *block).collect();
        if found.is_empty() {
            let mut known: Vec<String> = labels.iter().map(|(name, _)| format!("`{name}`")).collect();
            known.dedup();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            return Err(Error::NoLabel { label: label.into(), known });
        }
        Ok(found)
    }

    fn branches(&self, wanted: &Branch) -> Result<Vec<u32>, Error> {
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
                let stands_there = |block: &u32| {
                    let insts = self.program.code.blocks[*block as usize].insts.clone();
                    insts.last().is_some_and(|inst| self.program.listing.insts[inst as usize].ptx_line == *line)
                };
                let blocks = 0..self.program.code.blocks.len() as u32;
                branches.extend(blocks.filter(|&block| self.is_branch(block)).filter(stands_there));
                format!("no branch stands at PTX line {line}")
            }
        };
        if branches.is_empty() { Err(Error::Reconvergence { what: missing }) } else { Ok(branches) }
    }

    /// The branch at the end of the straight-line code that a block begins.
    fn first_branch(&self, mut block: u32) -> Option<u32> {
        for _ in 0..self.program.code.blocks.len() {
            if self.is_branch(block) {
                return Some(block);
            }
            block = self.next(block).next()?;
        }
        None
    }

    /// The branches that leave the natural loop of a header; none if the block is no header.
    fn loop_exits(&self, header: u32) -> Vec<u32> {
        let count = self.program.code.blocks.len();
        let mut graph = DiGraph::<(), ()>::with_capacity(count, 2 * count);
        let nodes: Vec<NodeIndex> = (0..count).map(|_| graph.add_node(())).collect();
        let mut before = vec![Vec::new(); count];
        for block in 0..count as u32 {
            for next in self.next(block) {
                graph.add_edge(nodes[block as usize], nodes[next as usize], ());
                before[next as usize].push(block);
            }
        }
        let dominators = simple_fast(&graph, nodes[0]);
        let dominated = |block: u32| {
            let mut above = dominators.dominators(nodes[block as usize]).into_iter().flatten();
            above.any(|node| node.index() == header as usize)
        };
        let mut within = vec![false; count];
        let mut work: Vec<u32> = before[header as usize].iter().copied().filter(|&block| dominated(block)).collect();
        if work.is_empty() {
            return Vec::new();
        }
        within[header as usize] = true;
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut within[block as usize], true) {
                work.extend(before[block as usize].iter().filter(|&&block| dominated(block)));
            }
        }
        let leaves = |block: &u32| {
            within[*block as usize] && self.is_branch(*block) && self.next(*block).any(|next| !within[next as usize])
        };
        (0..count as u32).filter(leaves).collect()
    }

    /// Returns true if a block, or the exit as [`NO_BLOCK`], is a proper postdominator of another.
    fn postdominates(&self, block: u32, mut of: u32) -> bool {
        while of != NO_BLOCK {
            of = self.postdominator[of as usize];
            if of == block {
                return true;
            }
        }
        false
    }

    /// The point that the launch wants for a branch.
    fn point(&self, branch: u32, label: Option<&str>) -> Result<u32, Error> {
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
    fn common(&self, one: u32, other: u32) -> u32 {
        let mut at = one;
        while at != NO_BLOCK && at != other && !self.postdominates(at, other) {
            at = self.postdominator[at as usize];
        }
        at
    }

    /// Moves points up until that of every branch postdominates those of all branches on the way to it.
    fn settle(&self, points: &mut [u32]) {
        let branches: Vec<u32> = (0..points.len() as u32).filter(|&block| self.is_branch(block)).collect();
        loop {
            let mut moved = false;
            for &branch in &branches {
                for inner in self.region(branch, points[branch as usize]) {
                    if self.is_branch(inner) {
                        let point = self.common(points[branch as usize], points[inner as usize]);
                        moved |= std::mem::replace(&mut points[branch as usize], point) != point;
                    }
                }
            }
            if !moved {
                return;
            }
        }
    }

    /// The blocks on the ways from a branch to its point.
    fn region(&self, branch: u32, point: u32) -> Vec<u32> {
        let mut seen = vec![false; self.program.code.blocks.len()];
        let mut work: Vec<u32> = self.next(branch).collect();
        let mut region = Vec::new();
        while let Some(block) = work.pop() {
            if block != point && !std::mem::replace(&mut seen[block as usize], true) {
                region.push(block);
                work.extend(self.next(block));
            }
        }
        region
    }
}
