//! Every thread on its own: what the program means when nothing is run in lockstep.
//!
//! One lane runs at a time, from one end of a block of code to the next. The lanes of a warp take turns in rounds: a round is
//! a permutation of the lanes drawn from the launch's seed, and in it each lane that can run executes between 1 and
//! [`LONGEST`] blocks, a number that is drawn too. The warps of a block take their turns, of drawn lengths, in rounds of
//! the same kind. One seed is one interleaving; different seeds are different ones, at the granularity of blocks of code.
//!
//! **Fairness.** A lane that can run at the beginning of a round, and is not kept from it by waiting, runs at least one block
//! before the round is over, and a round is over after at most 32 x [`LONGEST`] blocks. Watched turns are exempt: there
//! a lane runs up to [`WATCHED`] blocks, so that rounds are longer, and a lane that repeated itself rests until the turn is
//! over; a turn is bounded, and the next one begins with nobody resting.

use super::random::SplitMix;
use super::turn_length::QUANTUM;
use super::{Group, Groups, Machine, Setup, State};
use crate::program::code::{BlockId, ENTRY};

/// The most blocks that a lane executes at a stretch, a power of two.
const LONGEST: u32 = 64;
/// The same in a watched turn.
const WATCHED: u32 = 1 << 12;
/// No lane.
const NOBODY: u8 = 32;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Mimd {
    pcs: [BlockId; 32],
    live: u32,
    waiting: u32,
    /// The lane that runs, or [`NOBODY`].
    lane: u8,
    /// The blocks that it has left.
    left: u32,
    /// This round's order, and the place in it.
    order: [u8; 32],
    position: usize,
    seed: u64,
    draw: SplitMix,
    watched: bool,
    /// Lanes that were seen to repeat themselves in this turn.
    resting: u32,
}

impl Mimd {
    /// The next lane that can run gets its chance.
    fn next(&mut self) {
        let ready = self.live & !self.waiting;
        if ready == 0 {
            self.lane = NOBODY;
            return;
        }
        if ready & !self.resting == 0 {
            self.resting = 0;
        }
        loop {
            self.position += 1;
            self.lane = match self.order.get(self.position) {
                Some(&lane) => lane,
                None => {
                    self.position = 0;
                    self.draw.shuffle(&mut self.order);
                    self.order[0]
                }
            };
            if (ready & !self.resting) >> self.lane & 1 != 0 {
                let drawn = 1 << self.draw.below(LONGEST.ilog2() + 1);
                self.left = if self.watched { WATCHED } else { drawn };
                return;
            }
        }
    }

    /// Lets lanes stand at a block.
    fn place(&mut self, lanes: u32, pc: BlockId) {
        let places = self.pcs.iter_mut().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0);
        places.for_each(|(_, place)| *place = pc);
    }

    fn stop(&mut self, lanes: u32) {
        if self.lane == NOBODY || lanes >> self.lane & 1 != 0 {
            self.next();
        }
    }
}

impl Machine for Mimd {
    const WAITS: bool = true;
    const SHUFFLES: bool = true;
    const SLICE: i64 = 1 << 15;

    fn new(setup: &Setup) -> Mimd {
        Mimd {
            pcs: [ENTRY; 32],
            live: 0,
            waiting: 0,
            lane: NOBODY,
            left: 0,
            order: std::array::from_fn(|lane| lane as u8),
            position: 32,
            seed: setup.seed,
            draw: SplitMix::new(setup.seed, 0),
            watched: false,
            resting: 0,
        }
    }

    fn start(&mut self, entry: BlockId, lanes: u32, number: u64) {
        self.draw = SplitMix::new(self.seed, number);
        self.order = std::array::from_fn(|lane| lane as u8);
        (self.pcs, self.live, self.waiting, self.resting) = ([entry; 32], lanes, 0, 0);
        self.position = 32;
        self.next();
    }

    #[inline(always)]
    fn current(&self) -> Option<(BlockId, u32)> {
        self.pcs.get(usize::from(self.lane)).map(|&pc| (pc, 1 << self.lane))
    }

    fn live(&self) -> u32 {
        self.live
    }

    #[inline(always)]
    fn goto(&mut self, pc: BlockId) {
        if let Some(place) = self.pcs.get_mut(usize::from(self.lane)) {
            *place = pc;
        }
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.next();
        }
    }

    fn split(&mut self, parts: &[(BlockId, u32)], _: BlockId) {
        // A lane does not part; if it could, each of it would go its own way.
        for &(pc, lanes) in parts {
            self.place(lanes, pc);
        }
        self.next();
    }

    fn exit(&mut self, lanes: u32, next: BlockId) {
        self.live &= !lanes;
        if self.lane != NOBODY && lanes >> self.lane & 1 == 0 {
            self.goto(next);
        } else {
            self.next();
        }
    }

    fn wait(&mut self, parts: &[u32]) {
        let lanes = parts.iter().fold(0, |all, lanes| all | lanes);
        self.waiting |= lanes;
        self.stop(lanes);
    }

    fn resume(&mut self, lanes: u32, pc: BlockId) {
        self.waiting &= !lanes;
        self.place(lanes, pc);
        if self.lane == NOBODY {
            self.next();
        }
    }

    fn rotate(&mut self) {}

    fn give_way(&mut self) {
        if let Some((_, lane)) = self.current() {
            self.resting |= lane;
        }
        self.next();
    }

    fn groups(&self) -> Groups {
        let group = |(lane, &pc): (usize, &BlockId)| {
            let state = if self.waiting >> lane & 1 != 0 { State::Waiting } else { State::Ready };
            Group { pc, lanes: 1 << lane, state }
        };
        self.pcs.iter().enumerate().filter(|(lane, _)| self.live >> lane & 1 != 0).map(group).collect()
    }

    fn waiting(&self) -> u32 {
        self.waiting
    }

    fn releases(&self) -> bool {
        true
    }

    fn begin(&mut self, watched: bool) {
        (self.watched, self.resting) = (watched, 0);
    }

    fn quantum(&mut self) -> u32 {
        QUANTUM >> self.draw.below(8)
    }
}

#[cfg(test)]
mod tests {
    use super::super::at;
    use super::*;
    use crate::api::options::Aware;

    fn warp(seed: u64, lanes: u32) -> Mimd {
        let mut mimd = Mimd::new(&Setup { seed, aware: Aware::default(), points: None });
        mimd.start(at(0), lanes, 7);
        mimd
    }

    /// Returns who runs, block by block.
    fn history(mimd: &mut Mimd, blocks: usize) -> Vec<u32> {
        let run = |_| {
            let (pc, lane) = mimd.current().unwrap();
            mimd.goto(pc);
            lane
        };
        (0..blocks).map(run).collect()
    }

    #[test]
    fn every_lane_runs_in_every_round() {
        for seed in 0..50 {
            let history = history(&mut warp(seed, u32::MAX), 100_000);
            // Two rounds are at most this long, and one of them is whole.
            for window in history.windows(2 * 32 * LONGEST as usize).step_by(97) {
                assert_eq!(window.iter().fold(0, |all, lane| all | lane), u32::MAX);
            }
        }
    }

    #[test]
    fn the_seed_chooses_the_interleaving() {
        let of = |seed| history(&mut warp(seed, u32::MAX), 1000);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn lanes_that_wait_or_have_ended_do_not_run() {
        let mut mimd = warp(3, 0b1111);
        let (_, first) = mimd.current().unwrap();
        mimd.wait(&[first]);
        let (_, second) = mimd.current().unwrap();
        mimd.exit(second, at(0));
        assert_eq!(history(&mut mimd, 1000).iter().fold(0, |all, lane| all | lane), 0b1111 & !first & !second);
        mimd.resume(first, at(5));
        assert!(history(&mut mimd, 1000).contains(&first));
        assert_eq!((mimd.live(), mimd.waiting()), (0b1111 & !second, 0));
    }
}
