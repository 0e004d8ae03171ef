//! The order of a launch's accesses: the happens-before relation of the race check.
//!
//! An access of one thread happens before a later one of another thread if one of these stands between them:
//!
//! - both threads are of one block, and a barrier of the block has opened;
//! - both are of one warp, and a `bar.warp.sync` of the warp has run;
//! - the first thread released what it had done, and the second one acquired after that. Either may be done by somebody else on a thread's
//!   behalf, with a barrier of the block or warp in between: thread 0 of a block fences and sets a flag behind `bar.sync`,
//!   thread 0 of another block sees it, and `bar.sync` lets its block go on.
//!
//! A fence releases and acquires; `st.release` and atomics with `.release` release; every atomic, volatile load and `ld.acquire` acquires.
//! The variable through which threads communicate is not looked at, only the order in which things happened in this run. Nor is it asked
//! which threads took part in a barrier with a number and a thread count. Locks made of `atom.cas` and fences, flags, and barriers
//! over the grid are therefore never taken for races; a race that a fence or an atomic of something else happens to separate is missed.
//! Shuffles and votes order nothing, as PTX has it.

use rustc_hash::FxHashMap;

/// Moments in the order in which they come; those of long ago are forgotten.
#[derive(Clone, Debug, Default)]
struct Moments {
    list: Vec<u64>,
    /// Up to here it is assumed that there was one at every moment, which finds fewer races and invents none.
    forgotten: u64,
}

impl Moments {
    /// A thread that spins around a fence makes very many; half of them go when there are so many.
    const MOST: usize = 1 << 12;

    fn push(&mut self, now: u64) {
        if self.list.last() == Some(&now) {
            return;
        }
        if self.list.len() >= Moments::MOST {
            let half = self.list.len() / 2;
            self.forgotten = self.list.drain(..half).next_back().unwrap_or(self.forgotten);
        }
        self.list.push(now);
    }

    fn first_after(&self, moment: u64) -> Option<u64> {
        if moment < self.forgotten {
            return Some(moment + 1);
        }
        self.list.get(self.list.partition_point(|&known| known <= moment)).copied()
    }

    fn last(&self) -> u64 {
        self.list.last().copied().unwrap_or(0)
    }
}

/// The threads of a block or warp that wait for each other, and what they did for each other.
#[derive(Clone, Debug, Default)]
struct Together {
    /// The moments at which they waited for each other.
    meetings: Moments,
    /// The moments at which one of them released.
    releases: Moments,
    /// The moment at which one of them last acquired.
    acquired: u64,
    /// The same, as known to all since the last meeting.
    known: u64,
}

impl Together {
    fn meet(&mut self, now: u64) {
        self.meetings.push(now);
        self.known = self.acquired;
    }

    /// Returns the moment at which one of them first released what a thread did at an earlier moment.
    fn released(&self, moment: u64) -> Option<u64> {
        self.releases.first_after(self.meetings.first_after(moment)?)
    }
}

/// A block of threads.
#[derive(Clone, Debug, Default)]
struct Block {
    all: Together,
    warps: FxHashMap<u32, Together>,
    /// Per thread that did so: when it released, and when it last acquired.
    threads: FxHashMap<u32, (Moments, u64)>,
}

/// A thread of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Thread {
    /// Linear index of its block.
    pub(crate) block: u64,
    /// Linear index in the block.
    pub(crate) index: u32,
}

/// The time of a launch, and who knows of whom.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    pub(crate) now: u64,
    blocks: FxHashMap<u64, Block>,
}

impl Clock {
    /// A barrier of a block opens.
    pub(crate) fn barrier(&mut self, block: u64) {
        self.now += 1;
        self.blocks.entry(block).or_default().all.meet(self.now);
    }

    /// A `bar.warp.sync` of a warp runs.
    pub(crate) fn warp_sync(&mut self, block: u64, warp: u32) {
        self.now += 1;
        self.blocks.entry(block).or_default().warps.entry(warp).or_default().meet(self.now);
    }

    /// A thread acquires, releases, or both.
    pub(crate) fn order(&mut self, thread: Thread, acquires: bool, releases: bool) {
        let now = self.now;
        let block = self.blocks.entry(thread.block).or_default();
        let warp = block.warps.entry(thread.index / 32).or_default();
        let (own, acquired) = block.threads.entry(thread.index).or_default();
        if releases {
            own.push(now);
            warp.releases.push(now);
            block.all.releases.push(now);
        }
        if acquires {
            (*acquired, warp.acquired, block.all.acquired) = (now, now, now);
        }
    }

    /// A block has ended. What it released stays known.
    pub(crate) fn leave(&mut self, block: u64) {
        if let Some(ended) = self.blocks.get_mut(&block) {
            if ended.all.releases.list.is_empty() {
                self.blocks.remove(&block);
                return;
            }
            ended.threads.retain(|_, (releases, _)| !releases.list.is_empty());
            ended.warps.retain(|_, warp| !warp.releases.list.is_empty());
        }
    }

    /// Returns true if what a thread did at a moment happens before what another one does now.
    pub(crate) fn ordered(&self, first: Thread, moment: u64, second: Thread) -> bool {
        if first == second {
            return true;
        }
        let met = |together: &Together| together.meetings.last() > moment;
        if first.block == second.block
            && let Some(block) = self.blocks.get(&first.block)
        {
            let same_warp = first.index / 32 == second.index / 32;
            if met(&block.all) || same_warp && block.warps.get(&(first.index / 32)).is_some_and(met) {
                return true;
            }
        }
        self.released(first, moment).is_some_and(|released| released < self.acquired(second))
    }

    fn released(&self, thread: Thread, moment: u64) -> Option<u64> {
        let block = self.blocks.get(&thread.block)?;
        let own = block.threads.get(&thread.index).and_then(|(releases, _)| releases.first_after(moment));
        let by_warp = block.warps.get(&(thread.index / 32)).and_then(|warp| warp.released(moment));
        own.into_iter().chain(by_warp).chain(block.all.released(moment)).min()
    }

    fn acquired(&self, thread: Thread) -> u64 {
        let Some(block) = self.blocks.get(&thread.block) else { return 0 };
        let own = block.threads.get(&thread.index).map_or(0, |(_, acquired)| *acquired);
        let by_warp = block.warps.get(&(thread.index / 32)).map_or(0, |warp| warp.known);
        own.max(by_warp).max(block.all.known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(block: u64, index: u32) -> Thread {
        Thread { block, index }
    }

    #[test]
    fn a_barrier_orders_its_block_and_nobody_else() {
        let mut clock = Clock { now: 1, ..Clock::default() };
        clock.barrier(0);
        assert!(clock.ordered(thread(0, 0), 1, thread(0, 40)));
        assert!(!clock.ordered(thread(0, 0), 1, thread(1, 0)));
        assert!(!clock.ordered(thread(0, 0), clock.now, thread(0, 40)), "what comes behind it is not ordered by it");
    }

    #[test]
    fn a_flag_between_blocks_works_for_all_threads_behind_a_barrier() {
        let mut clock = Clock { now: 1, ..Clock::default() };
        clock.barrier(0);
        clock.now += 1;
        clock.order(thread(0, 0), true, true);
        clock.now += 1;
        clock.order(thread(1, 0), true, false);
        assert!(clock.ordered(thread(0, 9), 1, thread(1, 0)));
        assert!(!clock.ordered(thread(0, 9), 1, thread(1, 5)), "its block does not know yet");
        clock.barrier(1);
        assert!(clock.ordered(thread(0, 9), 1, thread(1, 5)));
        clock.leave(0);
        assert!(clock.ordered(thread(0, 9), 1, thread(1, 5)));
    }

    #[test]
    fn forgetting_never_takes_an_order_away() {
        let mut clock = Clock::default();
        for _ in 0..3 * Moments::MOST {
            clock.now += 1;
            clock.order(thread(0, 0), true, true);
        }
        clock.order(thread(1, 0), true, false);
        for moment in [1, 100, Moments::MOST as u64, 2 * Moments::MOST as u64] {
            assert!(clock.ordered(thread(0, 0), moment, thread(1, 0)), "{moment}");
        }
    }
}
