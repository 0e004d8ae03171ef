//! The barrier of a cluster (PTX ISA, `barrier.cluster`), all of which is the one block here: threads arrive and go on, and wait later until all that have
//! not ended have arrived.
//!
//! Unlike the barriers of a block it counts threads, so that the lanes of a warp may arrive and wait apart from each other.

use cranelift_entity::PrimaryMap;

use super::barrier::{Arrival, Opened, places};
use super::warp::{WarpId, Warps};
use crate::api::rule::Rule;
use crate::exec::op::Ctx;
use crate::exec::rule_violations::Broken;
use crate::machines::Machine;
use crate::program::Program;
use crate::program::code::BarrierKind;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct ClusterBarrier {
    comers: PrimaryMap<WarpId, Comers>,
}

/// The lanes of one warp at the barrier.
#[derive(Clone, Copy, Debug, Default)]
struct Comers {
    /// Have arrived since it opened last.
    arrived: u32,
    /// It has opened for them, and they have not come to wait for that.
    open: u32,
    /// Wait.
    waiting: u32,
}

impl ClusterBarrier {
    pub(crate) fn new(warps: usize) -> ClusterBarrier {
        ClusterBarrier { comers: vec![Comers::default(); warps].into() }
    }

    /// Forgets everybody.
    pub(crate) fn clear(&mut self) {
        self.comers.values_mut().for_each(|comers| *comers = Comers::default());
    }

    /// Returns who has arrived and who waits, as words.
    pub(crate) fn words(&self) -> impl Iterator<Item = u32> {
        self.comers.values().flat_map(|&Comers { arrived, open, waiting }| [arrived, open, waiting])
    }

    /// Lets lanes arrive, or wait. Returns true if they wait.
    pub(crate) fn arrive(&mut self, ctx: &mut Ctx<'_>, arrival: Arrival) -> bool {
        let Arrival { kind, warp, lanes, inst, .. } = arrival;
        let waits = kind == BarrierKind::ClusterWait;
        let comers = &mut self.comers[warp];
        let between = comers.arrived | comers.open;
        let wrong = lanes & if waits { !between } else { between };
        if let Some(seen) = ctx.seen.as_mut().filter(|_| wrong != 0) {
            let rule = if waits { Rule::ClusterWaitFirst } else { Rule::ClusterArriveTwice };
            seen.note(Broken { rule, inst, lanes: wrong });
        }
        *if waits { &mut comers.waiting } else { &mut comers.arrived } |= lanes;
        waits
    }

    /// Opens if all have arrived, and lets those go on for whom it has opened.
    pub(crate) fn complete<M: Machine>(&mut self, program: &Program, warps: &mut Warps<M>) -> Opened {
        let mut opened = Opened::default();
        let mut both = warps.values().zip(self.comers.values());
        let all = both.all(|(warp, comers)| warp.machine.live() & !comers.arrived == 0);
        if all && self.comers.values().any(|comers| comers.arrived != 0) {
            for comers in self.comers.values_mut() {
                comers.open |= std::mem::take(&mut comers.arrived);
            }
            opened.barrier = true;
        }
        for (warp, comers) in warps.values_mut().zip(self.comers.values_mut()) {
            comers.open &= warp.machine.live();
            let goes = comers.open & comers.waiting;
            if goes == 0 {
                continue;
            }
            comers.open &= !goes;
            comers.waiting &= !goes;
            opened.moves = true;
            for place in places(program, &warp.machine, goes) {
                warp.machine.resume(place.lanes, place.next);
            }
        }
        opened
    }

    /// Returns true if nobody is there and nobody is expected.
    pub(crate) fn is_idle(&self) -> bool {
        self.words().all(|lanes| lanes == 0)
    }
}
