//! The sixteen barriers of a block (PTX ISA, `bar`, `barrier`): who has arrived, and when everybody may go on.
//!
//! Barriers count threads. A warp whose lanes have all arrived counts in full, lanes that never existed or have ended included, so that a
//! partial warp fills the places that a thread count gives it.

use smallvec::SmallVec;

use crate::cta::Warp;
use crate::exec::Ctx;
use crate::exec::compare::predicate;
use crate::machines::{Machine, State};
use crate::program::{BarrierKind, End, Program};

#[derive(Clone, Debug)]
struct Barrier {
    /// Per warp, the lanes that wait here.
    arrived: Vec<u32>,
    /// Per warp, of those, the lanes whose predicate holds (`bar.red`).
    holding: Vec<u32>,
    /// Per warp, the lanes that came by with `bar.arrive` and did not wait.
    passing: Vec<u32>,
    /// Threads of such lanes beyond those: of warps that came by in full or several times.
    passed: u32,
    /// The number of threads that it is for; all threads of the block if `None`.
    count: Option<u32>,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Barriers {
    list: Vec<Barrier>,
    /// One bit per barrier at which somebody has arrived.
    active: u32,
}

/// A group of lanes that has come to a barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) kind: BarrierKind,
    /// 32-bit row of the barrier's number.
    pub(crate) id: u32,
    /// 32-bit row of the thread count, if one is given.
    pub(crate) count: Option<u32>,
    pub(crate) warp: usize,
    pub(crate) lanes: u32,
    /// Whether these are all lanes of the warp that have not ended.
    pub(crate) whole: bool,
}

impl Barriers {
    /// Barriers for a block of so many warps.
    pub(crate) fn new(warps: usize) -> Barriers {
        let per_warp = vec![0; warps];
        let [arrived, holding, passing] = [per_warp.clone(), per_warp.clone(), per_warp];
        let barrier = Barrier { arrived, holding, passing, passed: 0, count: None };
        Barriers { list: vec![barrier; 16], active: 0 }
    }

    /// Whether somebody has arrived anywhere.
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        self.active != 0
    }

    /// Forgets what a block that has ended left: threads counted at a barrier that nobody waited for.
    pub(crate) fn clear(&mut self) {
        for id in (0..16).filter(|id| self.active >> id & 1 != 0) {
            self.list[id].arrived.fill(0);
            self.list[id].passing.fill(0);
            self.list[id].passed = 0;
        }
        self.active = 0;
    }

    /// Who has arrived where, as words.
    pub(crate) fn fingerprint(&self, mut add: impl FnMut(u64)) {
        for id in (0..16).filter(|id| self.active >> id & 1 != 0) {
            let Barrier { arrived, holding, passing, passed, count } = &self.list[id];
            add(id as u64);
            add(u64::from(*passed) << 32 | u64::from(count.unwrap_or(u32::MAX)));
            arrived.iter().chain(passing).for_each(|&lanes| add(u64::from(lanes)));
            holding.iter().zip(arrived).for_each(|(&holding, arrived)| add(u64::from(holding & arrived)));
        }
    }

    /// Lanes come to a barrier. Returns whether they wait there.
    pub(crate) fn arrive(&mut self, ctx: &Ctx<'_>, arrival: Arrival) -> bool {
        let Arrival { kind, warp, lanes, .. } = arrival;
        let lane = lanes.trailing_zeros() as usize & 31;
        let id = ctx.r32[arrival.id as usize].0[lane] & 15;
        self.active |= 1 << id;
        let barrier = &mut self.list[id as usize];
        barrier.count = arrival.count.map(|row| ctx.r32[row as usize].0[lane]);
        if let BarrierKind::And(pred, _) | BarrierKind::Or(pred, _) | BarrierKind::Popc(pred, _) = kind {
            let holding = &mut barrier.holding[warp];
            *holding = *holding & !lanes | predicate(ctx, pred) & lanes;
        }
        if kind == BarrierKind::Arrive {
            if arrival.whole {
                barrier.passed += 32;
            } else {
                barrier.pass(warp, lanes);
            }
            return false;
        }
        barrier.arrived[warp] |= lanes;
        true
    }

    /// Lets everybody go on who waits at a barrier that is complete. Returns whether there was one.
    pub(crate) fn complete<M: Machine>(&mut self, program: &Program, warps: &mut [Warp<M>]) -> bool {
        let active = self.active;
        for id in (0..16usize).filter(|id| active >> id & 1 != 0) {
            if self.list[id].is_complete(warps) {
                self.list[id].release(program, warps);
                self.active &= !(1 << id);
            }
        }
        self.active != active
    }
}

impl Barrier {
    /// Some lanes of a warp come by and do not wait. Those that are here for the second time begin anew.
    fn pass(&mut self, warp: usize, lanes: u32) {
        let passing = &mut self.passing[warp];
        if *passing & lanes != 0 {
            self.passed += std::mem::take(passing).count_ones();
        }
        *passing |= lanes;
    }

    fn is_complete<M: Machine>(&self, warps: &[Warp<M>]) -> bool {
        let mut warps = warps.iter().map(|warp| warp.machine.live()).zip(&self.arrived);
        let Some(count) = self.count else { return warps.all(|(live, arrived)| live & !arrived == 0) };
        let arrived = warps.zip(&self.passing).map(|((live, arrived), passing)| match arrived | passing {
            0 => 0,
            arrived if live & !arrived == 0 => 32,
            arrived => arrived.count_ones(),
        });
        arrived.sum::<u32>().saturating_add(self.passed) >= count
    }

    fn release<M: Machine>(&mut self, program: &Program, warps: &mut [Warp<M>]) {
        let arrived: u32 = self.arrived.iter().map(|lanes| lanes.count_ones()).sum();
        let both = self.arrived.iter().zip(&self.holding);
        let holding: u32 = both.map(|(arrived, holding)| (arrived & holding).count_ones()).sum();
        self.passed = 0;
        self.passing.fill(0);
        for (warp, lanes) in warps.iter_mut().zip(&mut self.arrived) {
            let released = std::mem::take(lanes);
            if released == 0 {
                continue;
            }
            let mut places: SmallVec<[u32; 4]> = SmallVec::new();
            for group in warp.machine.groups() {
                if group.state == State::Waiting && group.lanes & released != 0 && !places.contains(&group.pc) {
                    places.push(group.pc);
                }
            }
            for pc in places {
                let End::Barrier { kind, next, .. } = program.blocks[pc as usize].end else { continue };
                let lanes = warp.machine.waiting_at(pc) & released;
                match kind {
                    BarrierKind::And(_, row) => warp.set_pred(row, lanes, holding == arrived),
                    BarrierKind::Or(_, row) => warp.set_pred(row, lanes, holding != 0),
                    BarrierKind::Popc(_, row) => warp.set_word(row, lanes, holding),
                    BarrierKind::Sync | BarrierKind::Arrive => {}
                }
                warp.machine.resume(lanes, next);
            }
        }
    }
}
