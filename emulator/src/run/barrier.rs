//! The sixteen barriers of a block (PTX ISA, `bar`, `barrier`): who has arrived, and when everybody may go on.
//!
//! Barriers count warps. Each thread that comes to one, with `bar.arrive` too, waits for those of its warp that have not ended; then the warp
//! has arrived, as 32 threads however many it has, and those of its threads that came with `bar.arrive` go on. The others wait until as many
//! have arrived as the barrier is for. Whoever comes then is there for the next time.

use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};
use smallvec::SmallVec;

use super::cluster_barrier::ClusterBarrier;
use super::warp::{Warp, WarpId, Warps, values, words};
use crate::api::rule::Rule;
use crate::exec::compare::predicate;
use crate::exec::lanes::lanes;
use crate::exec::op::Ctx;
use crate::exec::rule_violations::Broken;
use crate::machines::{Machine, State};
use crate::program::Program;
use crate::program::code::{BarrierKind, BlockId, End};
use crate::program::listing::InstId;

/// The threads of a warp, as barriers count them.
const WARP: u32 = 32;

/// The lanes of one warp at one barrier.
#[derive(Clone, Copy, Debug, Default)]
struct Comers {
    /// Lanes that wait for the rest of their warp or for other warps.
    waiting: u32,
    /// Lanes at a `bar.arrive`, which wait for the rest of their warp alone.
    passing: u32,
    /// Waiting lanes that have arrived as a warp.
    counted: u32,
    /// Waiting lanes whose predicate holds (`bar.red`).
    holding: u32,
    /// The number of times that the warp has arrived since the barrier opened last.
    arrivals: u32,
}

/// The number of a barrier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct BarrierId(u32);
entity_impl!(BarrierId, "barrier");

#[derive(Clone, Debug)]
struct Barrier {
    comers: PrimaryMap<WarpId, Comers>,
    /// The sum of their arrivals.
    arrived: u32,
    /// The number of threads that it is for; all threads of the block if `None`.
    count: Option<u32>,
    /// Set where who came last came with a reduction.
    reduces: bool,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Barriers {
    list: PrimaryMap<BarrierId, Barrier>,
    /// One bit per barrier at which somebody is or has arrived.
    active: u32,
    cluster: ClusterBarrier,
    /// The same of the cluster's barrier.
    cluster_active: bool,
    /// Threads of the block.
    threads: u32,
}

/// A group of lanes that has come to a barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) kind: BarrierKind,
    /// 32-bit row of the barrier's number.
    pub(crate) id: u32,
    /// 32-bit row of the thread count, if one is given.
    pub(crate) count: Option<u32>,
    pub(crate) warp: WarpId,
    pub(crate) lanes: u32,
    /// Set where nobody else of the warp is to come.
    pub(crate) whole: bool,
    /// The instruction, for what is reported of it.
    pub(crate) inst: InstId,
}

/// The outcome of a look at all barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Opened {
    /// One has opened.
    pub(crate) barrier: bool,
    /// Somebody goes on.
    pub(crate) moves: bool,
}

impl Barriers {
    /// Barriers for a block of so many warps and threads.
    pub(crate) fn new(warps: usize, threads: u32) -> Barriers {
        let comers = vec![Comers::default(); warps].into();
        let barrier = Barrier { comers, arrived: 0, count: None, reduces: false };
        let cluster = ClusterBarrier::new(warps);
        Barriers { list: vec![barrier; 16].into(), active: 0, cluster, cluster_active: false, threads }
    }

    /// Returns true if somebody is at a barrier, or has arrived at one that has not opened.
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        self.active != 0 || self.cluster_active
    }

    fn active(&self) -> impl Iterator<Item = BarrierId> + use<> {
        lanes(self.active).map(BarrierId::new)
    }

    /// Forgets what a block that has ended left: warps that arrived at a barrier which did not open.
    pub(crate) fn clear(&mut self) {
        for id in self.active() {
            let barrier = &mut self.list[id];
            barrier.comers.values_mut().for_each(|comers| *comers = Comers::default());
            barrier.arrived = 0;
        }
        self.active = 0;
        if std::mem::take(&mut self.cluster_active) {
            self.cluster.clear();
        }
    }

    /// Passes the arrivals at each barrier to `add`, as words.
    pub(crate) fn fingerprint(&self, mut add: impl FnMut(u64)) {
        for id in self.active() {
            let Barrier { comers, arrived: _, count, reduces } = &self.list[id];
            add(u64::from(id.as_u32()) | u64::from(*reduces) << 8);
            add(u64::from(count.unwrap_or(u32::MAX)));
            for &Comers { waiting, passing, counted, holding, arrivals } in comers.values() {
                [waiting, passing, counted, holding, arrivals].map(u64::from).into_iter().for_each(&mut add);
            }
        }
        if self.cluster_active {
            self.cluster.words().for_each(|word| add(u64::from(word)));
        }
    }

    /// Lanes come to a barrier. Returns those that wait there, in parts that name different barriers; none if they go on.
    pub(crate) fn arrive(&mut self, ctx: &mut Ctx<'_>, arrival: Arrival) -> SmallVec<[u32; 1]> {
        if matches!(arrival.kind, BarrierKind::ClusterArrive | BarrierKind::ClusterWait) {
            self.cluster_active = true;
            let waits = self.cluster.arrive(ctx, arrival);
            return waits.then_some(arrival.lanes).into_iter().collect();
        }
        let (ids, counts) = (words(ctx, arrival.id), arrival.count.map(|row| words(ctx, row)));
        let mut parts = SmallVec::new();
        // To the end of the row even if its first words differ: that is vector code.
        let alike = |row: &[u32; 32]| row.iter().fold(0, |differs, word| differs | word ^ row[0]) == 0;
        if alike(ids) && counts.is_none_or(alike) {
            let named = (ids[0], counts.map(|counts| counts[0]));
            let waits = self.arrive_at(ctx, named, arrival);
            parts.extend(waits.then_some(arrival.lanes));
            return parts;
        }
        let mut named = ids.map(|id| (id, None));
        if let Some(counts) = counts {
            named.iter_mut().zip(counts).for_each(|((_, count), given)| *count = Some(*given));
        }
        let mut rest = arrival.lanes;
        while let Some((_, first)) = values(&named, rest).next() {
            let alike = values(&named, rest).filter(|(_, named)| *named == first);
            let part = alike.fold(0, |part, (lane, _)| part | 1 << lane);
            let whole = arrival.whole && part == arrival.lanes;
            if self.arrive_at(ctx, first, Arrival { lanes: part, whole, ..arrival }) {
                parts.push(part);
            }
            rest &= !part;
        }
        parts
    }

    /// The same for lanes that name one barrier and one count. Returns whether they wait.
    fn arrive_at(&mut self, ctx: &mut Ctx<'_>, (number, count): (u32, Option<u32>), arrival: Arrival) -> bool {
        let Arrival { kind, warp, lanes, whole, inst, .. } = arrival;
        let id = number & 15;
        let begins = self.active >> id & 1 == 0;
        let all = self.threads.next_multiple_of(WARP);
        self.active |= 1 << id;
        let barrier = &mut self.list[BarrierId(id)];
        let reduces = matches!(kind, BarrierKind::And(..) | BarrierKind::Or(..) | BarrierKind::Popc(..));
        if let Some(seen) = &mut ctx.seen {
            let mut broken = |rule| seen.note(Broken { rule, inst, lanes });
            if number > 15 {
                broken(Rule::BarrierNumber { number });
            }
            if let Some(count) = count.filter(|count| *count == 0 || count % WARP != 0) {
                broken(Rule::BarrierCount { count });
            }
            let (before, count) = (barrier.count.unwrap_or(all), count.unwrap_or(all));
            if !begins && before != count {
                broken(Rule::BarrierCounts { before, count });
            }
            if !begins && barrier.reduces != reduces {
                broken(Rule::BarrierKinds);
            }
            if barrier.comers[warp].arrivals != 0 {
                broken(Rule::BarrierTwice { number: id });
            }
        }
        (barrier.count, barrier.reduces) = (count, reduces);
        if let BarrierKind::And(pred, _) | BarrierKind::Or(pred, _) | BarrierKind::Popc(pred, _) = kind {
            barrier.comers[warp].holding |= predicate(ctx, pred) & lanes;
        }
        let comers = &mut barrier.comers[warp];
        match kind {
            BarrierKind::Arrive if whole => {
                comers.arrivals += 1;
                barrier.arrived += 1;
                return false;
            }
            BarrierKind::Arrive => comers.passing |= lanes,
            _ => comers.waiting |= lanes,
        }
        true
    }

    /// Counts the warp that has just had its turn wherever all its lanes have come, and lets everybody go on who has waited for that, or who
    /// waits at a barrier that is complete. `breaks`, if it is given, is told if the warp's lanes came to different aligned barriers.
    pub(crate) fn complete<M: Machine>(
        &mut self,
        program: &Program,
        warps: &mut Warps<M>,
        number: WarpId,
        mut breaks: Option<impl FnMut(Broken)>,
    ) -> Opened {
        let mut opened = Opened::default();
        if self.cluster_active {
            opened = self.cluster.complete(program, warps);
            self.cluster_active = !self.cluster.is_idle();
        }
        for id in self.active() {
            let barrier = &mut self.list[id];
            opened.moves |= barrier.gather(program, number, &mut warps[number], breaks.as_mut());
            if barrier.is_complete(warps) {
                let remain = barrier.release(program, warps);
                (opened.barrier, opened.moves) = (true, true);
                if !remain {
                    self.active &= !(1 << id.as_u32());
                }
            }
        }
        opened
    }
}

impl Barrier {
    /// Counts a warp if all its lanes are here. Returns true if lanes at `bar.arrive` go on.
    fn gather<M: Machine>(
        &mut self,
        program: &Program,
        number: WarpId,
        warp: &mut Warp<M>,
        breaks: Option<&mut impl FnMut(Broken)>,
    ) -> bool {
        let comers = &mut self.comers[number];
        let passing = comers.passing;
        let here = comers.waiting | passing;
        let new = here & !comers.counted;
        if new == 0 || warp.machine.live() & !here != 0 {
            return false;
        }
        comers.arrivals += 1;
        self.arrived += 1;
        comers.counted = comers.waiting;
        if passing == 0 && (breaks.is_none() || warp.machine.wait_together(new).is_some()) {
            return false;
        }
        let places = places(program, &warp.machine, new);
        if let (Some(breaks), [.., last]) = (breaks, places.as_slice())
            && places.len() > 1
            && places.iter().any(|place| place.aligned)
        {
            breaks(Broken { rule: Rule::BarrierDivergence, inst: last.inst, lanes: last.lanes });
        }
        if passing != 0 {
            comers.passing = 0;
            for place in places.into_iter().filter(|place| place.kind == BarrierKind::Arrive) {
                warp.machine.resume(place.lanes & passing, place.next);
            }
        }
        passing != 0
    }

    fn is_complete<M: Machine>(&self, warps: &Warps<M>) -> bool {
        let arrived = self.arrived;
        match self.count {
            Some(count) => arrived > 0 && arrived.saturating_mul(WARP) >= count,
            None => {
                let here = |(warp, comers): (&Warp<M>, &Comers)| comers.arrivals > 0 || warp.machine.live() == 0;
                // From the last one on, which most often comes last.
                arrived > 0 && warps.values().zip(self.comers.values()).rev().all(here)
            }
        }
    }

    /// Lets all go on who have arrived. Returns true if others remain, who wait for the rest of their warps.
    fn release<M: Machine>(&mut self, program: &Program, warps: &mut Warps<M>) -> bool {
        let (mut counted, mut holding) = (0, 0);
        for comers in self.comers.values() {
            counted += comers.counted.count_ones();
            holding += (comers.counted & comers.holding).count_ones();
        }
        self.arrived = 0;
        let mut remain = 0;
        for (warp, comers) in warps.values_mut().zip(self.comers.values_mut()) {
            let released = std::mem::take(&mut comers.counted);
            comers.arrivals = 0;
            comers.waiting &= !released;
            comers.holding &= !released;
            remain |= comers.waiting | comers.passing;
            if released == 0 {
                continue;
            }
            for Waiting { kind, lanes, next, .. } in places(program, &warp.machine, released) {
                match kind {
                    BarrierKind::And(_, row) => warp.set_pred(row, lanes, holding == counted),
                    BarrierKind::Or(_, row) => warp.set_pred(row, lanes, holding != 0),
                    BarrierKind::Popc(_, row) => warp.set_word(row, lanes, holding),
                    BarrierKind::Sync | BarrierKind::Arrive => {}
                    // Nobody comes to a barrier of the block with these.
                    BarrierKind::ClusterArrive | BarrierKind::ClusterWait => {}
                }
                warp.machine.resume(lanes, next);
            }
        }
        remain != 0
    }
}

/// A barrier instruction at which lanes wait.
pub(crate) struct Waiting {
    pub(crate) pc: BlockId,
    pub(crate) lanes: u32,
    kind: BarrierKind,
    pub(crate) next: BlockId,
    pub(crate) aligned: bool,
    inst: InstId,
}

/// The barrier instructions at which some of a warp's lanes wait.
pub(crate) fn places<M: Machine>(program: &Program, machine: &M, lanes: u32) -> SmallVec<[Waiting; 2]> {
    let mut places: SmallVec<[Waiting; 2]> = SmallVec::new();
    let mut add = |pc: BlockId, lanes: u32| {
        if let Some(place) = places.iter_mut().find(|place| place.pc == pc) {
            place.lanes |= lanes;
        } else if let End::Barrier { kind, next, aligned, inst, .. } = program.code.blocks[pc].end {
            places.push(Waiting { pc, lanes, kind, next, aligned, inst });
        }
    };
    if let Some(pc) = machine.wait_together(lanes) {
        add(pc, lanes);
        return places;
    }
    for group in machine.groups() {
        if group.state == State::Waiting && group.lanes & lanes != 0 {
            add(group.pc, group.lanes & lanes);
        }
    }
    places
}
