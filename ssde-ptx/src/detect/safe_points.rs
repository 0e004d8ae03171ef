//! Safe reconvergence points (paper, Algorithm 2): the earliest points behind a loop where its lanes may meet again without keeping back a write
//! that others wait for.
//!
//! Such a point postdominates the loop's exits, the writes, and the branches on the ways to them. As the reconvergence point of a
//! branch must postdominate those of all branches before it, points are moved on until that of no loop is passed by another's.

use analysis::{Analyses, Block};
use cranelift_entity::{PrimaryMap, SecondaryMap};

use crate::detect::finding::SafePoint;
use crate::detect::loops::{Cycle, path};
use crate::detect::survey::{Detected, DetectedId, Survey};

/// The safe point of each detected loop; `None` for the end of the kernel.
pub(crate) fn points(facts: &Analyses, survey: &Survey) -> PrimaryMap<DetectedId, Option<SafePoint>> {
    let (detected, cycles) = (&survey.detected, &survey.cycles);
    let mut points: PrimaryMap<DetectedId, Option<SafePoint>> =
        detected.values().map(|found| point(facts, &cycles[found.cycle], found)).collect();
    // For each block, the detected loops that it is in.
    let mut around: SecondaryMap<Block, Vec<DetectedId>> = SecondaryMap::new();
    for (id, found) in detected {
        cycles[found.cycle].blocks(facts).iter().for_each(|&block| around[block].push(id));
    }
    loop {
        let mut changed = false;
        for (id, found) in detected {
            // On the ways from the loop's exits to its point.
            let before = path(facts, cycles[found.cycle].exits.iter().copied(), points[id].map(|point| point.block));
            let mut passed: Vec<DetectedId> = before.iter().flat_map(|&block| around[block].iter().copied()).collect();
            passed.sort_unstable();
            passed.dedup();
            for other in passed.into_iter().filter(|&other| other != id) {
                let moved = common(facts, points[id], points[other]);
                changed |= moved != points[id];
                points[id] = moved;
            }
        }
        // Each move leads up the postdominator tree.
        if !changed {
            return points;
        }
    }
}

/// The safe point of one loop by itself.
fn point(facts: &Analyses, cycle: &Cycle, found: &Detected) -> Option<SafePoint> {
    let mut point = cycle.meeting.map(start);
    for (write, blocked) in &found.writes {
        let behind = facts.cfg.block_of(*write).map(|block| {
            let index = facts.cfg.insts(block).iter().position(|inst| inst == write).unwrap_or(0);
            SafePoint { block, index: index + 1 }
        });
        point = common(facts, point, behind);
        for &branch in &blocked.parting {
            point = common(facts, point, facts.postdominators.ipdom(branch).map(start));
        }
    }
    for &branch in &found.on_the_way {
        point = common(facts, point, facts.postdominators.ipdom(branch).map(start));
    }
    // A point in the loop itself lets nobody out.
    while let Some(inside) = point.filter(|point| cycle.contains(facts, point.block)) {
        point = facts.postdominators.ipdom(inside.block).map(start);
    }
    point
}

fn start(block: Block) -> SafePoint {
    SafePoint { block, index: 0 }
}

/// The nearest point that postdominates both.
pub(crate) fn common(facts: &Analyses, one: Option<SafePoint>, other: Option<SafePoint>) -> Option<SafePoint> {
    let (one, other) = (one?, other?);
    let block = facts.postdominators.common(one.block, other.block)?;
    let index = [one, other].iter().filter(|point| point.block == block).map(|point| point.index).max();
    Some(SafePoint { block, index: index.unwrap_or(0) })
}
