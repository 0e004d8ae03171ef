//! In which order the splits of a warp run, and which become one; see the module above.

use super::Aware;
use super::tables::{NONE, Split};
use crate::api::options::Order;
use crate::program::code::BlockId;

impl Aware {
    /// Lanes come to a place: they become one with a split that stands there, where that is the order, or a new one.
    pub(super) fn place(&mut self, pc: BlockId, lanes: u32, point: u16, round: u64) {
        if self.order == Order::Fifo || !self.join(pc, lanes, point, round) {
            self.insert(pc, lanes, point, round);
        }
    }

    /// Adds lanes to the split that stands at a place, if one does.
    fn join(&mut self, pc: BlockId, lanes: u32, point: u16, round: u64) -> bool {
        let found = self.splits.at(pc, point);
        found.inspect(|&index| self.splits.join(index, lanes, round, &mut self.scheduling)).is_some()
    }

    /// In which round lanes may run that go from one block to another.
    pub(super) fn round_after(&self, from: BlockId, to: BlockId) -> u64 {
        self.round + u64::from(to <= from)
    }

    /// The next split that can run comes to the output of the FIFO.
    pub(super) fn choose(&mut self) {
        self.splits.now = NONE;
        if !self.runs_any() {
            self.resting = 0;
        }
        // Nothing happens until lanes that have arrived time out.
        if !self.runs_any() && !self.release_oldest() {
            return;
        }
        match self.order {
            Order::Fifo => self.choose_first(),
            Order::Rounds => self.choose_of_round(),
        }
    }

    /// Chooses the first of the splits that can run.
    fn choose_first(&mut self) {
        // Two passes: one that fills an entry, and one in which it runs.
        for _ in 0..2 * self.splits.fifo.len() {
            let Some(&index) = self.splits.fifo.front() else { return };
            if self.runs(index) && self.splits.is_on_chip(index, &mut self.scheduling) {
                self.splits.now = index;
                return;
            }
            self.splits.fifo.rotate_left(1);
        }
    }

    /// Chooses the last of the splits that can run in this round. If there are none, the round is over.
    fn choose_of_round(&mut self) {
        let first = self.splits.iter().filter(|(index, _)| self.runs(*index)).map(|(_, split)| split.round).min();
        self.round = self.round.max(first.unwrap_or_default());
        let all = 0..self.splits.fifo.len();
        // Two passes, as above.
        for at in all.clone().rev().chain(all.rev()) {
            let Some(&index) = self.splits.fifo.get(at) else { continue };
            let due = self.splits.get(index).is_some_and(|split| split.round <= self.round);
            if due && self.runs(index) && self.splits.is_on_chip(index, &mut self.scheduling) {
                self.splits.now = index;
                return;
            }
        }
    }

    /// Returns true if a split waits for nothing but its turn.
    fn runs(&self, index: u16) -> bool {
        self.splits.get(index).is_some_and(|split| !split.blocked && split.lanes & !self.resting != 0)
    }

    pub(super) fn runs_any(&self) -> bool {
        self.splits.fifo.iter().any(|&index| self.runs(index))
    }

    /// The split that runs has come from one block to another, which is its reconvergence point, or while there are others.
    pub(super) fn switch(&mut self, from: BlockId) {
        let Some(&Split { pc, rpc, lanes, point, .. }) = self.splits.get(self.splits.now) else { return };
        let round = self.round_after(from, pc);
        if pc == rpc && point != NONE {
            self.splits.remove(self.splits.now);
            self.arrive(point, lanes, round);
            self.choose();
        } else if !self.watched && self.splits.fifo.len() > 1 {
            let now = self.splits.now;
            if self.order == Order::Fifo {
                self.splits.renew(now);
            } else if self.join(pc, lanes, point, round) {
                self.splits.remove(now);
            } else if round == self.round {
                return;
            } else if let Some(split) = self.splits.get_mut(now) {
                split.round = round;
                self.splits.renew(now);
            }
            self.choose();
        }
    }
}
