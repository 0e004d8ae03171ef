//! AWARE, adaptive warp reconvergence (ElTantawy and Aamodt, "MIMD Synchronization on SIMT Architectures", MICRO 2016, Section IV.B).
//!
//! A warp is a table of splits, groups of lanes at one place, and a table of the points where they reconverge. One split
//! runs at a time, the one at the output of a FIFO:
//!
//! - **A branch that parts** its lanes takes the split out of the table and puts one per side in, at the end of the FIFO, the side that
//!   is not taken first. If they do not meet where the split would have met its siblings, the reconvergence table gets an entry, with
//!   all of them pending. Lanes that a branch sends straight to their reconvergence point arrive there at once.
//! - **A reconvergence point** takes the split out; its lanes are no longer pending. When none is, the entry becomes a split.
//! - **A barrier** or `.sync` operation marks the split as blocked; it goes round in the FIFO without running until it is released.
//! - **Any other end of a block** sends the split to the end of the FIFO. The paper says that splits change at divergent branches, and
//!   (of the loop in its Figure 6b) that a split gets to the tail once a branch is executed that does not diverge. Only the latter
//!   lets siblings of a spinning split run at all, so that is what is done here, whatever the end of the block is.
//!
//! **Rounds.** The launch may ask for another order than first in, first out ([`Order::Rounds`]). In a round, each split runs until it takes a
//! branch back, to a block that does not stand behind it in the text; then it waits for the next round. Of those that may run, the one that came
//! into the FIFO last goes first. A split that comes to where another one of the same point stands, and is not blocked, becomes one with it,
//! without anybody having waited: lanes that come round an outer loop join those that still spin in it. What two splits become may run
//! in the later of their rounds.
//!
//! **Delayed reconvergence.** The launch may name another point for a branch than its immediate postdominator; see `reconvergence_points.rs`.
//!
//! **Timeout.** Lanes that have waited at a point while their warp issued more instructions than the launch allows become a split
//! without the rest; they may still meet it at the next point. Where nothing but lanes that wait is left, or only lanes that repeat themselves,
//! nothing would happen until then, and it happens at once.
//!
//! **Fairness.** The FIFO has at most 32 entries, since splits share no lanes, and every one of them that is not blocked runs a block of
//! code when it comes to the output; that takes at most twice as many passes if the tables spill. (Watched turns, in which a
//! split runs until it repeats itself, are bounded and followed by others.) A round ends, since every loop has a branch back, and lanes that
//! take one, also to where they meet others, wait for the next round; so each split that is not blocked runs in each round. Lanes that have arrived run again after the timeout. So with
//! a timeout no lane waits for ever that is not blocked. Without one, lanes wait at their reconvergence point for all that are
//! pending there: the paper's Figure 1 deadlocks as on a stack, unless the reconvergence of its loop is delayed behind the
//! release of the lock.

mod split_order;
mod tables;

use std::sync::Arc;

use super::reconvergence_points;
use super::{Group, Groups, Machine, Setup, State};
use crate::api::options::Order;
use crate::program::code::{BlockId, NO_BLOCK};
use crate::stats::scheduling::Scheduling;
use tables::{NONE, Point, Points, Split, Splits};

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Aware {
    splits: Splits,
    points: Points,
    live: u32,
    timeout: Option<u64>,
    /// Per block, where the lanes of its branch meet, if not where the program says.
    delayed: Option<Arc<reconvergence_points::Points>>,
    /// Instructions that the warp has issued.
    clock: u64,
    /// The value of `clock` after which the first point times out.
    deadline: u64,
    watched: bool,
    /// Lanes that were seen to repeat themselves in this turn.
    resting: u32,
    order: Order,
    /// The round that is run, where there are any.
    round: u64,
    scheduling: Scheduling,
}

impl Aware {
    fn insert(&mut self, pc: BlockId, lanes: u32, point: u16, round: u64) -> u16 {
        let rpc = self.points.get(point).map_or(NO_BLOCK, |point| point.pc);
        self.splits.insert(Split::new(pc, rpc, lanes, point, round), &mut self.scheduling)
    }

    /// Lanes have come to their reconvergence point, behind which they may run in a round.
    fn arrive(&mut self, index: u16, lanes: u32, round: u64) {
        let clock = self.clock;
        let Some(point) = self.points.touch(index, &mut self.scheduling) else { return };
        if point.arrived() == 0 {
            point.since = clock;
        }
        point.pending &= !lanes;
        point.round = point.round.max(round);
        self.complete(index);
        self.set_deadline();
    }

    /// Turns a point into a split, if nobody is pending.
    fn complete(&mut self, index: u16) {
        let Some(&point) = self.points.get(index) else { return };
        if point.pending == 0 {
            if let Some(entry) = self.points.touch(index, &mut self.scheduling) {
                entry.lanes = 0;
            }
            if point.lanes != 0 {
                self.place(point.pc, point.lanes, point.parent, point.round);
            }
        }
    }

    /// Lets the lanes that have arrived at a point go on without the rest.
    fn release(&mut self, index: u16) {
        let Some(point) = self.points.touch(index, &mut self.scheduling) else { return };
        let Point { pc, parent, round, .. } = *point;
        let lanes = point.arrived();
        point.lanes = point.pending;
        self.scheduling.timeouts += 1;
        self.place(pc, lanes, parent, round);
        self.set_deadline();
    }

    /// The same for those that arrived first of all; false if there are none or there is no timeout.
    fn release_oldest(&mut self) -> bool {
        let arrived = self.points.iter().filter(|(_, point)| point.arrived() != 0);
        let oldest = arrived.min_by_key(|(_, point)| point.since).map(|(index, _)| index);
        match oldest.filter(|_| self.timeout.is_some()) {
            Some(index) => {
                self.release(index);
                true
            }
            None => false,
        }
    }

    fn set_deadline(&mut self) {
        let arrived = self.points.iter().filter(|(_, point)| point.arrived() != 0);
        let first = arrived.map(|(_, point)| point.since).min();
        self.deadline = match (first, self.timeout) {
            (Some(since), Some(timeout)) => since.saturating_add(timeout),
            _ => u64::MAX,
        };
    }

    #[cold]
    fn expire(&mut self) {
        while self.clock > self.deadline && self.release_oldest() {}
    }
}

impl Machine for Aware {
    const WAITS: bool = true;

    fn new(setup: &Setup) -> Aware {
        Aware {
            splits: Splits::new(setup.aware.split_entries),
            points: Points::new(setup.aware.reconvergence_entries),
            live: 0,
            timeout: setup.aware.timeout,
            delayed: setup.points.clone(),
            clock: 0,
            deadline: u64::MAX,
            watched: false,
            resting: 0,
            order: setup.aware.order,
            round: 0,
            scheduling: Scheduling::default(),
        }
    }

    fn start(&mut self, entry: BlockId, lanes: u32, _: u64) {
        self.splits.clear();
        self.points.clear();
        (self.live, self.clock, self.deadline, self.resting, self.round) = (lanes, 0, u64::MAX, 0, 0);
        self.insert(entry, lanes, NONE, 0);
        self.choose();
    }

    #[inline(always)]
    fn current(&self) -> Option<(BlockId, u32)> {
        self.splits.get(self.splits.now).map(|split| (split.pc, split.lanes))
    }

    fn live(&self) -> u32 {
        self.live
    }

    #[inline(always)]
    fn goto(&mut self, pc: BlockId) {
        let several = self.splits.fifo.len() > 1;
        if let Some(split) = self.splits.get_mut(self.splits.now) {
            let from = split.pc;
            split.pc = pc;
            if several || pc == split.rpc {
                self.switch(from);
            }
        }
    }

    fn split(&mut self, parts: &[(BlockId, u32)], meet: BlockId) {
        let Some(&Split { pc: from, rpc, lanes, point, .. }) = self.splits.get(self.splits.now) else { return };
        let meet = self.delayed.as_ref().and_then(|points| points.get(from).copied()).unwrap_or(meet);
        self.splits.remove(self.splits.now);
        let point = if meet == NO_BLOCK || meet == rpc {
            point
        } else {
            self.points.insert(Point::new(meet, lanes, point), &mut self.scheduling)
        };
        let rpc = self.points.get(point).map_or(NO_BLOCK, |point| point.pc);
        for &(pc, lanes) in parts.iter().rev() {
            let round = self.round_after(from, pc);
            if pc == rpc && point != NONE {
                self.arrive(point, lanes, round);
            } else {
                self.place(pc, lanes, point, round);
            }
        }
        self.choose();
    }

    fn exit(&mut self, lanes: u32, next: BlockId) {
        self.live &= !lanes;
        let involved: Vec<u16> =
            self.points.iter().filter(|(_, point)| point.lanes & lanes != 0).map(|(index, _)| index).collect();
        for index in involved {
            if let Some(point) = self.points.touch(index, &mut self.scheduling) {
                point.lanes &= !lanes;
                point.pending &= !lanes;
            }
            self.complete(index);
        }
        self.set_deadline();
        match self.splits.get_mut(self.splits.now) {
            Some(split) if split.lanes & !lanes != 0 => {
                split.lanes &= !lanes;
                self.goto(next);
            }
            _ => {
                self.splits.remove(self.splits.now);
                self.choose();
            }
        }
    }

    fn wait(&mut self, parts: &[u32]) {
        let Some(split) = self.splits.get_mut(self.splits.now) else { return };
        split.blocked = true;
        let whole = *split;
        if let Some((first, rest)) = parts.split_first() {
            split.lanes = *first;
            for &lanes in rest {
                let index = self.insert(whole.pc, lanes, whole.point, whole.round);
                if let Some(part) = self.splits.get_mut(index) {
                    part.blocked = true;
                }
            }
        }
        self.choose();
    }

    fn resume(&mut self, lanes: u32, pc: BlockId) {
        let freed: Vec<u16> = self
            .splits
            .iter()
            .filter(|(_, split)| split.blocked && split.lanes & lanes != 0)
            .map(|(index, _)| index)
            .collect();
        for index in freed {
            let Some(split) = self.splits.get_mut(index) else { continue };
            (split.blocked, split.pc) = (false, pc);
            let Split { rpc, lanes, point, .. } = *split;
            if pc == rpc && point != NONE {
                self.splits.remove(index);
                self.arrive(point, lanes, self.round);
            }
        }
        if self.splits.now == NONE {
            self.choose();
        }
    }

    fn rotate(&mut self) {}

    fn give_way(&mut self) {
        if let Some((_, lanes)) = self.current() {
            self.resting |= lanes;
        }
        if !self.runs_any() {
            // Everybody repeats itself until lanes that have arrived time out.
            self.release_oldest();
        }
        self.splits.renew(self.splits.now);
        self.choose();
    }

    fn groups(&self) -> Groups {
        let splits = self.splits.iter().map(|(_, split)| {
            let state = if split.blocked { State::Waiting } else { State::Ready };
            Group { pc: split.pc, lanes: split.lanes, state }
        });
        let arrived = |point: &Point| Group { pc: point.pc, lanes: point.arrived(), state: State::Arrived };
        let points = self.points.iter().map(|(_, point)| arrived(point)).filter(|group| group.lanes != 0);
        splits.chain(points).collect()
    }

    fn waiting(&self) -> u32 {
        self.splits.iter().filter(|(_, split)| split.blocked).fold(0, |all, (_, split)| all | split.lanes)
    }

    fn releases(&self) -> bool {
        self.timeout.is_some()
    }

    #[inline(always)]
    fn begin(&mut self, watched: bool) {
        (self.watched, self.resting) = (watched, 0);
        if self.splits.now == NONE {
            self.choose();
        }
    }

    #[inline(always)]
    fn issued(&mut self, instructions: u32) {
        self.clock += u64::from(instructions);
        if self.clock > self.deadline {
            self.expire();
        }
    }

    fn scheduling(&self) -> Scheduling {
        self.scheduling
    }
}
