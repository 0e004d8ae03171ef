//! The split table and the reconvergence table of a warp, with as many entries on chip as the launch says (Section IV.B of the
//! paper, "AWARE Virtualized Implementation").
//!
//! An entry that finds its table full takes the place of another one, which is spilled to memory: of splits the one made
//! first, of reconvergence points the one that was touched longest ago. A split is filled when it comes to the output of the
//! FIFO, and may not be spilled again before it has run; a reconvergence point is filled when its pending mask changes or its
//! lanes time out. Nothing but counts depends on where an entry is.

use std::collections::VecDeque;

use crate::program::code::BlockId;
use crate::stats::scheduling::Scheduling;

/// No entry.
pub(super) const NONE: u16 = u16::MAX;

/// The location of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Residence {
    Chip,
    /// On chip, and it stays there until it has run: the paper's transient entries.
    Filled,
    Memory,
}

/// Lanes that run or wait at a barrier together: an entry of the split table. One without lanes is free.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    pub(super) pc: BlockId,
    /// The place at which the lanes reconverge: that of `point`, or none.
    pub(super) rpc: BlockId,
    pub(super) lanes: u32,
    /// The entry of the reconvergence table that they arrive in.
    pub(super) point: u16,
    /// They wait at a barrier or `.sync` operation.
    pub(super) blocked: bool,
    /// The first round in which the split may run, if splits run in rounds.
    pub(super) round: u64,
    residence: Residence,
    /// The number of entries made up to this one.
    made: u64,
}

impl Split {
    pub(super) fn new(pc: BlockId, rpc: BlockId, lanes: u32, point: u16, round: u64) -> Split {
        Split { pc, rpc, lanes, point, blocked: false, round, residence: Residence::Chip, made: 0 }
    }
}

/// The split table, and the order in which splits get their chance.
#[derive(Clone, Debug)]
pub(super) struct Splits {
    list: Vec<Split>,
    pub(super) fifo: VecDeque<u16>,
    /// The split that runs, at the output of the FIFO.
    pub(super) now: u16,
    capacity: usize,
    made: u64,
}

impl Splits {
    pub(super) fn new(capacity: Option<u32>) -> Splits {
        let capacity = capacity.map_or(usize::MAX, |entries| entries as usize);
        Splits { list: Vec::new(), fifo: VecDeque::new(), now: NONE, capacity, made: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.fifo.clear();
        self.now = NONE;
    }

    #[inline(always)]
    pub(super) fn get(&self, index: u16) -> Option<&Split> {
        self.list.get(usize::from(index))
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, index: u16) -> Option<&mut Split> {
        self.list.get_mut(usize::from(index))
    }

    /// The entries in the order of the FIFO.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (u16, &Split)> {
        self.fifo.iter().filter_map(|&index| Some((index, self.get(index)?)))
    }

    fn on_chip(&self) -> usize {
        self.list.iter().filter(|split| split.lanes != 0 && split.residence != Residence::Memory).count()
    }

    /// Makes room on chip if there is none; false if no entry may be spilled.
    fn make_room(&mut self, scheduling: &mut Scheduling) -> bool {
        if self.capacity == usize::MAX || self.on_chip() < self.capacity {
            return true;
        }
        let now = usize::from(self.now);
        let spillable = |(index, split): &(usize, &mut Split)| {
            split.lanes != 0 && split.residence == Residence::Chip && *index != now
        };
        let oldest = self.list.iter_mut().enumerate().filter(spillable).min_by_key(|(_, split)| split.made);
        let Some((_, oldest)) = oldest else { return false };
        oldest.residence = Residence::Memory;
        scheduling.split_spills += 1;
        true
    }

    /// Adds an entry at the end of the FIFO.
    pub(super) fn insert(&mut self, mut split: Split, scheduling: &mut Scheduling) -> u16 {
        if !self.make_room(scheduling) {
            // All others are about to run: the new one goes to memory itself.
            split.residence = Residence::Memory;
            scheduling.split_spills += 1;
        }
        self.made += 1;
        split.made = self.made;
        let index = match self.list.iter_mut().enumerate().find(|(_, split)| split.lanes == 0) {
            Some((index, free)) => {
                *free = split;
                index as u16
            }
            // Splits have lanes of their own, so that there are at most 32.
            None => {
                self.list.push(split);
                (self.list.len() - 1) as u16
            }
        };
        self.fifo.push_back(index);
        scheduling.splits += 1;
        scheduling.most_splits = scheduling.most_splits.max(self.fifo.len() as u32);
        index
    }

    /// The entry of a point that stands at a place, if there is one that neither runs nor is blocked.
    pub(super) fn at(&self, pc: BlockId, point: u16) -> Option<u16> {
        let same = |&(index, split): &(u16, &Split)| {
            index != self.now && split.pc == pc && split.point == point && !split.blocked
        };
        self.iter().find(same).map(|(index, _)| index)
    }

    /// Adds lanes to an entry, which comes to the end of the FIFO and may not run before a round. Its mask changes on chip.
    pub(super) fn join(&mut self, index: u16, lanes: u32, round: u64, scheduling: &mut Scheduling) {
        if self.get(index).is_some_and(|split| split.residence == Residence::Memory) {
            scheduling.split_fills += 1;
            let residence = if self.make_room(scheduling) { Residence::Chip } else { Residence::Memory };
            // Where all others are about to run, it goes back at once.
            scheduling.split_spills += u64::from(residence == Residence::Memory);
            if let Some(split) = self.get_mut(index) {
                split.residence = residence;
            }
        }
        if let Some(split) = self.get_mut(index) {
            split.lanes |= lanes;
            split.round = split.round.max(round);
        }
        self.renew(index);
    }

    /// Puts an entry to the end of the FIFO.
    pub(super) fn renew(&mut self, index: u16) {
        match self.fifo.iter().position(|&other| other == index) {
            Some(0) => self.fifo.rotate_left(1),
            Some(at) => {
                self.fifo.remove(at);
                self.fifo.push_back(index);
            }
            None => {}
        }
    }

    /// Takes an entry out.
    pub(super) fn remove(&mut self, index: u16) {
        if self.now == index {
            self.now = NONE;
        }
        if let Some(split) = self.get_mut(index) {
            split.lanes = 0;
        }
        match self.fifo.front() {
            Some(&front) if front == index => drop(self.fifo.pop_front()),
            _ => self.fifo.retain(|&other| other != index),
        }
    }

    /// Returns true if the entry at the output of the FIFO can run at once. One in memory is filled if there is room, and has to
    /// come to the output again.
    pub(super) fn is_on_chip(&mut self, index: u16, scheduling: &mut Scheduling) -> bool {
        let residence = self.get(index).map(|split| split.residence);
        let next = match residence {
            Some(Residence::Chip) | None => return true,
            Some(Residence::Filled) => Residence::Chip,
            Some(Residence::Memory) if self.make_room(scheduling) => Residence::Filled,
            Some(Residence::Memory) => Residence::Memory,
        };
        scheduling.split_fills += u64::from(next == Residence::Filled);
        if let Some(split) = self.get_mut(index) {
            split.residence = next;
        }
        next == Residence::Chip
    }
}

/// A place where lanes reconverge: an entry of the reconvergence table. One without lanes is free.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) pc: BlockId,
    /// All lanes that meet here: the active mask.
    pub(super) lanes: u32,
    /// Those among them that have not arrived: the pending mask.
    pub(super) pending: u32,
    /// The entry that they arrive in from here, if any.
    pub(super) parent: u16,
    /// The time at which the first of the lanes that wait now arrived, in instructions of the warp.
    pub(super) since: u64,
    /// The first round in which all lanes that have arrived may run, if splits run in rounds.
    pub(super) round: u64,
    residence: Residence,
    /// The value of `touches` when the entry was last touched.
    touched: u64,
}

impl Point {
    pub(super) fn new(pc: BlockId, lanes: u32, parent: u16) -> Point {
        Point { pc, lanes, pending: lanes, parent, since: 0, round: 0, residence: Residence::Chip, touched: 0 }
    }

    /// The lanes that have arrived.
    pub(super) fn arrived(&self) -> u32 {
        self.lanes & !self.pending
    }
}

/// The reconvergence table.
#[derive(Clone, Debug)]
pub(super) struct Points {
    list: Vec<Point>,
    capacity: usize,
    touches: u64,
}

impl Points {
    pub(super) fn new(capacity: Option<u32>) -> Points {
        let capacity = capacity.map_or(usize::MAX, |entries| entries as usize);
        Points { list: Vec::new(), capacity, touches: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    pub(super) fn get(&self, index: u16) -> Option<&Point> {
        self.list.get(usize::from(index))
    }

    /// The entries in use.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u16, &Point)> {
        self.list.iter().enumerate().filter(|(_, point)| point.lanes != 0).map(|(index, point)| (index as u16, point))
    }

    fn make_room(&mut self, scheduling: &mut Scheduling) {
        let on_chip = |point: &&mut Point| point.lanes != 0 && point.residence == Residence::Chip;
        if self.capacity != usize::MAX && self.list.iter_mut().filter(on_chip).count() >= self.capacity {
            let oldest = self.list.iter_mut().filter(on_chip).min_by_key(|point| point.touched);
            if let Some(oldest) = oldest {
                oldest.residence = Residence::Memory;
                scheduling.reconvergence_spills += 1;
            }
        }
    }

    /// Adds an entry.
    pub(super) fn insert(&mut self, mut point: Point, scheduling: &mut Scheduling) -> u16 {
        self.make_room(scheduling);
        self.touches += 1;
        point.touched = self.touches;
        let index = match self.list.iter_mut().enumerate().find(|(_, point)| point.lanes == 0) {
            Some((index, free)) => {
                *free = point;
                index as u16
            }
            None => {
                self.list.push(point);
                (self.list.len() - 1) as u16
            }
        };
        scheduling.reconvergences += 1;
        scheduling.most_reconvergences = scheduling.most_reconvergences.max(self.iter().count() as u32);
        index
    }

    /// An entry, to change its masks: it is on chip afterwards.
    pub(super) fn touch(&mut self, index: u16, scheduling: &mut Scheduling) -> Option<&mut Point> {
        if self.get(index)?.residence == Residence::Memory {
            self.make_room(scheduling);
            scheduling.reconvergence_fills += 1;
        }
        self.touches += 1;
        let touches = self.touches;
        let point = self.list.get_mut(usize::from(index))?;
        (point.residence, point.touched) = (Residence::Chip, touches);
        Some(point)
    }
}
