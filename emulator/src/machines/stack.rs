//! The reconvergence stack: one program counter per warp (Fung et al., MICRO 2007; hardware before Volta).
//!
//! Where lanes part, the entry on top is sent to the branch's immediate postdominator, and one entry per side is pushed
//! above it, that of the taken side last, so that it runs first. An entry that reaches its reconvergence point is popped.
//! Lanes below the top do not run until it is gone: a loop above them that waits for them never ends.
//!
//! Nothing says which side hardware runs first, and some kernels end in one order alone. Seed 0 has the taken side first everywhere, seed 1 the other one, any
//! other seed draws the order for each branch, once and for all: hardware and compilers do not choose anew each time either.
//!
//! One exception: where the top comes to a barrier or a `.sync` operation and all that the others would do is end, they do so first. The compiler puts early returns of a kernel
//! together with its end, where the other lanes would wait to meet those at the barrier; hardware gives such lanes an exit of their own.

use smallvec::smallvec;

use super::random::SplitMix;
use super::{Group, Groups, Machine, Setup, State};
use crate::program::code::{BlockId, ENTRY, NO_BLOCK};

/// The order in which the parts of a branch run.
#[derive(Clone, Copy, Debug)]
struct Order(u64);

impl Order {
    /// Returns true if the parts of the branch of a block run in reverse.
    #[inline(always)]
    fn reverses(self, block: BlockId) -> bool {
        match self.0 {
            0 => false,
            1 => true,
            seed => SplitMix::new(seed, u64::from(block.as_u32())).below(2) == 1,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    pc: BlockId,
    meet: BlockId,
    lanes: u32,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    top: Entry,
    /// The entries below the top, the outermost first.
    below: Vec<Entry>,
    live: u32,
    waiting: bool,
    aside: Option<Box<Aside>>,
    order: Order,
}

/// A stack whose top waits while other lanes run to their end.
#[derive(Clone, Debug)]
struct Aside {
    top: Entry,
    below: Vec<Entry>,
    /// True if the top still waits. Whom it waited for may have ended before all have that end first.
    waits: bool,
    /// Groups that end after the one that runs.
    rest: Vec<Entry>,
}

impl Stack {
    fn ordered(seed: u64) -> Stack {
        Stack {
            top: Entry { pc: ENTRY, meet: NO_BLOCK, lanes: 0 },
            below: Vec::new(),
            live: 0,
            waiting: false,
            aside: None,
            order: Order(seed),
        }
    }

    /// Pushes an entry for each part of the branch that the top has come to, the one that runs first last. Parts that are where they meet need none.
    fn push(&mut self, parts: &[(BlockId, u32)], meet: BlockId, reverses: bool) {
        let entry = |&(pc, lanes): &(BlockId, u32)| Entry { pc, meet, lanes };
        let away = |(pc, _): &&(BlockId, u32)| *pc != meet || meet == NO_BLOCK;
        if reverses {
            self.below.extend(parts.iter().filter(away).map(entry));
        } else {
            self.below.extend(parts.iter().rev().filter(away).map(entry));
        }
        if let Some(top) = self.below.pop() {
            self.top = top;
        }
        self.settle();
    }

    /// Pops entries that have reached their reconvergence point or lost all lanes.
    #[inline(always)]
    fn settle(&mut self) {
        while self.top.lanes == 0 || (self.top.pc == self.top.meet && self.top.meet != NO_BLOCK) {
            match self.below.pop() {
                Some(entry) => self.top = entry,
                None if self.aside.is_some() => self.take_up(),
                None => break,
            }
        }
    }

    /// Goes on with the next of the lanes that end first, or with those that wait for them.
    #[cold]
    fn take_up(&mut self) {
        let Some(mut aside) = self.aside.take() else { return };
        match aside.rest.pop() {
            Some(next) => {
                self.top = next;
                self.aside = Some(aside);
            }
            None => (self.top, self.below, self.waiting) = (aside.top, aside.below, aside.waits),
        }
    }
}

impl Machine for Stack {
    const WAITS: bool = false;

    fn new(setup: &Setup) -> Stack {
        Stack::ordered(setup.seed)
    }

    fn start(&mut self, entry: BlockId, lanes: u32, _: u64) {
        self.below.clear();
        self.aside = None;
        self.top = Entry { pc: entry, meet: NO_BLOCK, lanes };
        self.live = lanes;
        self.waiting = false;
    }

    #[inline(always)]
    fn current(&self) -> Option<(BlockId, u32)> {
        if self.waiting || self.top.lanes == 0 { None } else { Some((self.top.pc, self.top.lanes)) }
    }

    fn live(&self) -> u32 {
        self.live
    }

    #[inline(always)]
    fn goto(&mut self, pc: BlockId) {
        self.top.pc = pc;
        if pc == self.top.meet {
            self.settle();
        }
    }

    fn split(&mut self, parts: &[(BlockId, u32)], meet: BlockId) {
        let reverses = self.order.reverses(self.top.pc);
        // An entry that would only reconverge where the one below it does says nothing new. Leaving it out keeps the
        // stack bounded in loops that lanes leave one by one.
        if meet != self.top.meet {
            self.below.push(Entry { pc: meet, ..self.top });
        }
        self.push(parts, meet, reverses);
    }

    fn call(&mut self, parts: &[(BlockId, u32)], land: BlockId, after: BlockId) {
        let reverses = self.order.reverses(self.top.pc);
        self.below.push(Entry { pc: after, ..self.top });
        self.push(parts, land, reverses);
    }

    #[inline(always)]
    fn exit(&mut self, lanes: u32, next: BlockId) {
        self.live &= !lanes;
        self.top.pc = next;
        self.top.lanes &= !lanes;
        self.below.iter_mut().for_each(|entry| entry.lanes &= !lanes);
        if let Some(aside) = &mut self.aside {
            aside.below.iter_mut().for_each(|entry| entry.lanes &= !lanes);
        }
        self.settle();
    }

    fn wait(&mut self, _: &[u32]) {
        self.waiting = true;
    }

    fn end_first(&mut self, lanes: u32) {
        let mut above = self.top.lanes;
        let mut rest: Vec<Entry> = Vec::new();
        for entry in self.below.iter().rev() {
            let own = entry.lanes & !above;
            above |= entry.lanes;
            if own & lanes != 0 {
                rest.push(Entry { pc: entry.pc, meet: NO_BLOCK, lanes: own });
            }
        }
        let Some(first) = rest.pop() else { return };
        let waits = std::mem::replace(&mut self.top, first);
        self.aside = Some(Box::new(Aside { top: waits, below: std::mem::take(&mut self.below), waits: true, rest }));
        self.waiting = false;
    }

    fn resume(&mut self, _: u32, pc: BlockId) {
        if let Some(aside) = &mut self.aside {
            (aside.top.pc, aside.waits) = (pc, false);
            return;
        }
        self.waiting = false;
        self.goto(pc);
    }

    fn waiting(&self) -> u32 {
        match &self.aside {
            Some(aside) if aside.waits => aside.top.lanes,
            None if self.waiting => self.top.lanes,
            _ => 0,
        }
    }

    fn wait_together(&self, lanes: u32) -> Option<BlockId> {
        (self.waiting && lanes & !self.top.lanes == 0).then_some(self.top.pc)
    }

    fn releases(&self) -> bool {
        false
    }

    fn rotate(&mut self) {}

    fn give_way(&mut self) {}

    fn groups(&self) -> Groups {
        let state = if self.waiting { State::Waiting } else { State::Ready };
        let mut groups: Groups = smallvec![Group { pc: self.top.pc, lanes: self.top.lanes, state }];
        let mut above = self.top.lanes;
        if let Some(aside) = &self.aside {
            let state = if aside.waits { State::Waiting } else { State::Arrived };
            groups.push(Group { pc: aside.top.pc, lanes: aside.top.lanes, state });
            above |= aside.top.lanes;
        }
        let aside = self.aside.iter().flat_map(|aside| aside.rest.iter().chain(aside.below.iter().rev()));
        for entry in self.below.iter().rev().chain(aside) {
            // Lanes that are also in an entry above are where that one says.
            let lanes = entry.lanes & !above;
            above |= entry.lanes;
            groups.push(Group { pc: entry.pc, lanes, state: State::Arrived });
        }
        groups.retain(|group| group.lanes != 0);
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::super::at;
    use super::*;

    #[test]
    fn both_sides_run_one_after_the_other_and_meet() {
        let mut stack = Stack::ordered(0);
        stack.start(at(0), 0b1111, 0);
        stack.split(&[(at(1), 0b0011), (at(2), 0b1100)], at(3));
        assert_eq!(stack.current(), Some((at(1), 0b0011)));
        stack.goto(at(3));
        assert_eq!(stack.current(), Some((at(2), 0b1100)));
        stack.goto(at(3));
        assert_eq!(stack.current(), Some((at(3), 0b1111)));
    }

    #[test]
    fn a_seed_is_an_order_of_the_sides_of_each_branch() {
        let first = |seed: u64, branch: u32| {
            let mut stack = Stack::ordered(seed);
            stack.start(at(branch), 0b1111, 0);
            stack.split(&[(at(100), 0b0011), (at(200), 0b1100)], at(300));
            let first = stack.current().unwrap().0.as_u32();
            stack.goto(at(300));
            assert_eq!(stack.current(), Some((at(300 - first), if first == 100 { 0b1100 } else { 0b0011 })));
            stack.goto(at(300));
            assert_eq!(stack.current(), Some((at(300), 0b1111)));
            first
        };
        for branch in 0..50 {
            assert_eq!((first(0, branch), first(1, branch)), (100, 200));
        }
        for seed in 2..10 {
            let firsts: Vec<u32> = (0..50).map(|branch| first(seed, branch)).collect();
            assert!(firsts.contains(&100) && firsts.contains(&200), "{firsts:?}");
            assert_eq!(firsts, (0..50).map(|branch| first(seed, branch)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_loop_that_lanes_leave_one_by_one_keeps_the_stack_small() {
        let mut stack = Stack::ordered(0);
        stack.start(at(1), u32::MAX, 0);
        for lane in 0..31 {
            // Block 1 loops; lanes leave it for block 2, where they meet.
            let staying = u32::MAX << (lane + 1);
            stack.split(&[(at(1), staying), (at(2), 1 << lane)], at(2));
            assert_eq!(stack.current(), Some((at(1), staying)));
            assert!(stack.below.len() <= 1, "{:?}", stack.below);
        }
        stack.goto(at(2));
        assert_eq!(stack.current(), Some((at(2), u32::MAX)));
    }

    #[test]
    fn lanes_that_only_end_do_so_before_a_barrier_is_waited_at() {
        let mut stack = Stack::ordered(0);
        stack.start(at(0), 0b1111, 0);
        // Two lanes return early, one by one, and wait at block 9 for the others, which come to a barrier in block 1.
        stack.split(&[(at(9), 0b0001), (at(1), 0b1110)], at(9));
        stack.split(&[(at(9), 0b0010), (at(1), 0b1100)], at(9));
        assert_eq!(stack.current(), Some((at(1), 0b1100)));
        stack.wait(&[0b1100]);
        stack.end_first(0b0011);
        assert_eq!((stack.current(), stack.waiting()), (Some((at(9), 0b0011)), 0b1100));
        stack.exit(0b0011, NO_BLOCK);
        assert_eq!((stack.current(), stack.waiting(), stack.live()), (None, 0b1100, 0b1100));
        stack.resume(0b1100, at(2));
        assert_eq!(stack.current(), Some((at(2), 0b1100)));
        stack.goto(at(9));
        assert_eq!(stack.current(), Some((at(9), 0b1100)));
    }

    #[test]
    fn who_waited_goes_on_once_all_that_end_first_have_ended() {
        let mut stack = Stack::ordered(0);
        stack.start(at(0), 0b1111, 0);
        stack.split(&[(at(9), 0b0001), (at(1), 0b1110)], at(9));
        stack.split(&[(at(9), 0b0010), (at(1), 0b1100)], at(9));
        stack.wait(&[0b1100]);
        stack.end_first(0b0011);
        // Lane 1 parts from lane 0 and ends. Nobody waits for lane 0.
        stack.split(&[(at(7), 0b0010), (at(8), 0b0001)], NO_BLOCK);
        stack.exit(0b0010, NO_BLOCK);
        stack.resume(0b1100, at(2));
        assert_eq!((stack.current(), stack.waiting()), (Some((at(8), 0b0001)), 0));
        stack.exit(0b0001, NO_BLOCK);
        assert_eq!((stack.current(), stack.waiting()), (Some((at(2), 0b1100)), 0));
    }

    #[test]
    fn lanes_that_end_do_not_come_back() {
        let mut stack = Stack::ordered(0);
        stack.start(at(0), 0b11, 0);
        stack.split(&[(at(1), 0b01), (at(2), 0b10)], at(3));
        stack.exit(0b01, NO_BLOCK);
        assert_eq!(stack.current(), Some((at(2), 0b10)));
        stack.goto(at(3));
        assert_eq!((stack.current(), stack.live()), (Some((at(3), 0b10)), 0b10));
    }
}
