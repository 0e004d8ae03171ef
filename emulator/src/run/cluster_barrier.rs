//! The barrier of a cluster (PTX ISA, `barrier.cluster`), all of which is the one block here: threads arrive and go on, and wait later until all that have
//! not ended have arrived.
//!
//! Unlike the barriers of a block it counts threads, so that the lanes of a warp may arrive and wait apart from each other.

use super::barrier::{Arrival, Opened, places};
use super::warp::Warp;
use crate::api::rule::Rule;
use crate::exec::op::Ctx;
use crate::exec::rule_violations::Broken;
use crate::machines::Machine;
use crate::program::Program;
use crate::program::code::BarrierKind;

/// See the module. All lists have a word of lanes per warp.
#[derive(Clone, Debug)]
pub(crate) struct ClusterBarrier {
    /// Have arrived since it opened last.
    arrived: Vec<u32>,
    /// It has opened for them, and they have not come to wait for that.
    open: Vec<u32>,
    /// Wait.
    waiting: Vec<u32>,
}

impl ClusterBarrier {
    pub(crate) fn new(warps: usize) -> ClusterBarrier {
        let none = vec![0; warps];
        ClusterBarrier { arrived: none.clone(), open: none.clone(), waiting: none }
    }

    /// Forgets everybody.
    pub(crate) fn clear(&mut self) {
        [&mut self.arrived, &mut self.open, &mut self.waiting].into_iter().for_each(|list| list.fill(0));
    }

    /// Returns who has arrived and who waits, as words.
    pub(crate) fn words(&self) -> impl Iterator<Item = u32> {
        [&self.arrived, &self.open, &self.waiting].into_iter().flatten().copied()
    }

    /// Lets lanes arrive, or wait. Returns true if they wait.
    pub(crate) fn arrive(&mut self, ctx: &mut Ctx<'_>, arrival: Arrival) -> bool {
        let Arrival { kind, warp, lanes, inst, .. } = arrival;
        let waits = kind == BarrierKind::ClusterWait;
        let between = self.arrived[warp] | self.open[warp];
        let wrong = lanes & if waits { !between } else { between };
        if let Some(seen) = ctx.seen.as_mut().filter(|_| wrong != 0) {
            let rule = if waits { Rule::ClusterWaitFirst } else { Rule::ClusterArriveTwice };
            seen.note(Broken { rule, inst, lanes: wrong });
        }
        let list = if waits { &mut self.waiting } else { &mut self.arrived };
        list[warp] |= lanes;
        waits
    }

    /// Opens if all have arrived, and lets those go on for whom it has opened.
    pub(crate) fn complete<M: Machine>(&mut self, program: &Program, warps: &mut [Warp<M>]) -> Opened {
        let mut opened = Opened::default();
        let all = warps.iter().zip(&self.arrived).all(|(warp, arrived)| warp.machine.live() & !arrived == 0);
        if all && self.arrived.iter().any(|lanes| *lanes != 0) {
            for (open, arrived) in self.open.iter_mut().zip(&mut self.arrived) {
                *open |= std::mem::take(arrived);
            }
            opened.barrier = true;
        }
        for (number, warp) in warps.iter_mut().enumerate() {
            self.open[number] &= warp.machine.live();
            let goes = self.open[number] & self.waiting[number];
            if goes == 0 {
                continue;
            }
            self.open[number] &= !goes;
            self.waiting[number] &= !goes;
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
