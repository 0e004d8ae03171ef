//! The proofs about single loops, and the parts of them that hold together with the rest of the kernel.

use analysis::{Block, Loop};
use cranelift_entity::{EntitySet, PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;

use super::region::Region;
use crate::detect::alias::Location;
use crate::detect::relay::Lasting;
use crate::detect::spin_loops::WaitsId;

/// Names a [`Candidate`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct CandidateId(u32);
entity_impl!(CandidateId, "candidate");

/// All of them.
pub(super) type Candidates = PrimaryMap<CandidateId, Candidate>;

/// A loop that is looked at.
pub(super) struct Candidate {
    /// Those among the loops that may wait that it is.
    pub(super) waits: Vec<WaitsId>,
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
    candidates: &Candidates,
    written: &FxHashMap<Location, Vec<Block>>,
    lasting: &Lasting,
) -> Vec<CandidateId> {
    let all = |of: fn(&Leaves) -> &Vec<Location>| -> Vec<Location> {
        candidates.values().filter_map(Candidate::leaves).flat_map(of).copied().collect()
    };
    let (stores, wild, tame) = (all(|leaves| &leaves.stores), all(|leaves| &leaves.wild), all(|leaves| &leaves.tame));
    let calm = calm(candidates);
    let holds = |id: CandidateId| {
        let candidate = &candidates[id];
        let Some(leaves) = candidate.leaves() else { return true };
        let proved = |id: Loop| candidates.values().any(|other| other.id == Some(id) && other.proof.is_some());
        let touches = |place: &Location| leaves.reads.iter().any(|read| read.may_alias(place));
        let mut writers = written.iter().filter(|(place, _)| touches(place)).map(|(_, blocks)| blocks);
        let ended = !writers.any(|blocks| blocks.iter().any(|&block| lasting.contains(block)));
        if !ended || !calm.contains(id) || !leaves.needs.iter().all(|&id| proved(id)) || candidate.touches(&wild) {
            return false;
        }
        if !candidate.touches(&stores) {
            return true;
        }
        let as_wide = |place: &Location| leaves.width.is_some() && place.bytes() == leaves.width;
        !candidate.touches(&tame) && written.keys().filter(|place| touches(place)).all(as_wide)
    };
    candidates.keys().filter(|&id| !holds(id)).collect()
}

/// Returns which candidates make a limited number of changes, since those that may make changes where they read do.
fn calm(candidates: &Candidates) -> EntitySet<CandidateId> {
    let mut calm = EntitySet::new();
    calm.extend(candidates.keys().filter(|&id| candidates[id].tame().is_empty()));
    loop {
        let waits_for = |one: &Candidate, (id, other): (CandidateId, &Candidate)| {
            !calm.contains(id) && !one.covers(other) && one.touches(other.tame())
        };
        let settles = |&id: &CandidateId| {
            let one = &candidates[id];
            !calm.contains(id) && !candidates.iter().any(|other| waits_for(one, other))
        };
        let more: Vec<CandidateId> = candidates.keys().filter(settles).collect();
        if more.is_empty() {
            return calm;
        }
        calm.extend(more);
    }
}
