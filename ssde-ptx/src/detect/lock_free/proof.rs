//! The proofs about single loops, and the parts of them that hold together with the rest of the kernel.

use analysis::{Block, Loop};
use rustc_hash::FxHashMap;

use super::region::Region;
use crate::detect::alias::Location;
use crate::detect::relay::Lasting;

/// A loop that is looked at.
pub(super) struct Candidate {
    /// The numbers of those among the loops that may wait that it is.
    pub(super) waits: Vec<usize>,
    /// The natural loop that it is, if it is one.
    pub(super) id: Option<Loop>,
    pub(super) region: Region,
    pub(super) proof: Option<Proof>,
}

/// A proof about one loop.
pub(super) enum Proof {
    Bounded,
    Leaves(Leaves),
}

/// A loop that a lane alone leaves.
pub(super) struct Leaves {
    /// The places that it reads to decide whether the lane leaves.
    pub(super) reads: Vec<Location>,
    /// The places that lanes store to while they stay.
    pub(super) stores: Vec<Location>,
    /// The width of the one place that lanes read that stay, if it is one.
    pub(super) width: Option<i64>,
    /// The places that lanes change by atomics while they stay: `tame` a limited number of times, `wild` any number.
    pub(super) tame: Vec<Location>,
    pub(super) wild: Vec<Location>,
    /// Loops in it of which the same must hold.
    pub(super) needs: Vec<Loop>,
    /// True if lanes that stay write anything that others see.
    pub(super) writes: bool,
}

impl Candidate {
    fn leaves(&self) -> Option<&Leaves> {
        match &self.proof {
            Some(Proof::Leaves(leaves)) => Some(leaves),
            _ => None,
        }
    }

    /// Returns where it reads what decides whether a lane alone leaves.
    pub(super) fn reads(&self) -> &[Location] {
        self.leaves().map_or(&[], |leaves| &leaves.reads)
    }

    fn tame(&self) -> &[Location] {
        self.leaves().map_or(&[], |leaves| &leaves.tame)
    }

    /// Returns true if a lane alone leaves it, and lanes that stay write nothing.
    pub(super) fn is_quiet(&self) -> bool {
        self.leaves().is_some_and(|leaves| !leaves.writes)
    }

    fn touches(&self, places: &[Location]) -> bool {
        places.iter().any(|place| self.reads().iter().any(|read| read.may_alias(place)))
    }

    /// Returns true if all that a lane does in another loop, it does in this one.
    fn covers(&self, other: &Candidate) -> bool {
        self.region.header == other.region.header
            && other.region.blocks.iter().all(|&block| self.region.contains(block))
    }
}

/// The candidates whose proofs do not hold beside the others and beside all that is written.
pub(super) fn failing(
    candidates: &[Candidate],
    written: &FxHashMap<Location, Vec<Block>>,
    lasting: &Lasting,
) -> Vec<usize> {
    let all = |of: fn(&Leaves) -> &Vec<Location>| -> Vec<Location> {
        candidates.iter().filter_map(Candidate::leaves).flat_map(of).copied().collect()
    };
    let (stores, wild, tame) = (all(|leaves| &leaves.stores), all(|leaves| &leaves.wild), all(|leaves| &leaves.tame));
    let calm = calm(candidates);
    let holds = |number: usize| {
        let candidate = &candidates[number];
        let Some(leaves) = candidate.leaves() else { return true };
        let proved = |id: Loop| candidates.iter().any(|other| other.id == Some(id) && other.proof.is_some());
        let touches = |place: &Location| leaves.reads.iter().any(|read| read.may_alias(place));
        let mut writers = written.iter().filter(|(place, _)| touches(place)).map(|(_, blocks)| blocks);
        let ended = !writers.any(|blocks| blocks.iter().any(|&block| lasting.contains(block)));
        if !ended || !calm[number] || !leaves.needs.iter().all(|&id| proved(id)) || candidate.touches(&wild) {
            return false;
        }
        if !candidate.touches(&stores) {
            return true;
        }
        let as_wide = |place: &Location| leaves.width.is_some() && place.bytes() == leaves.width;
        !candidate.touches(&tame) && written.keys().filter(|place| touches(place)).all(as_wide)
    };
    (0..candidates.len()).filter(|&number| !holds(number)).collect()
}

/// Returns which candidates make a limited number of changes, since those that may make changes where they read do.
fn calm(candidates: &[Candidate]) -> Vec<bool> {
    let mut calm: Vec<bool> = candidates.iter().map(|candidate| candidate.tame().is_empty()).collect();
    loop {
        let waits_for = |one: &Candidate, (number, other): (usize, &Candidate)| {
            !calm[number] && !one.covers(other) && one.touches(other.tame())
        };
        let settles = |&number: &usize| {
            let one = &candidates[number];
            !calm[number] && !candidates.iter().enumerate().any(|other| waits_for(one, other))
        };
        let more: Vec<usize> = (0..candidates.len()).filter(settles).collect();
        if more.is_empty() {
            return calm;
        }
        more.into_iter().for_each(|number| calm[number] = true);
    }
}
