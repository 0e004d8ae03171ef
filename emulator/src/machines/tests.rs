//! Properties that hold on every machine, for every kernel. Machines are driven at random: no lane is lost or in two
//! places. On the fair machines, no lane that can run waits for longer than their module documentation promises.

use super::aware::Aware;
use super::its::Its;
use super::mimd::Mimd;
use super::random::SplitMix;
use super::stack::Stack;
use super::*;
use crate::api::options::Order;
use crate::program::code::{BlockId, ENTRY, NO_BLOCK};

fn setup(timeout: Option<u64>, entries: Option<u32>) -> Setup {
    ordered(timeout, entries, Order::Fifo)
}

fn ordered(timeout: Option<u64>, entries: Option<u32>, order: Order) -> Setup {
    let options = crate::api::options::Aware {
        timeout,
        split_entries: entries,
        reconvergence_entries: entries,
        order,
        ..crate::api::options::Aware::default()
    };
    Setup { seed: 7, aware: options, points: None }
}

/// A kernel that does anything: a step is the end of a block, and four steps are a turn.
struct Driver<M> {
    machine: M,
    draw: SplitMix,
    steps: usize,
    /// Steps since each lane ran or waited at a barrier last.
    idle: [usize; 32],
}

impl<M: Machine> Driver<M> {
    fn new(setup: &Setup, seed: u64) -> Driver<M> {
        let mut machine = M::new(setup);
        machine.start(ENTRY, u32::MAX, 1);
        Driver { machine, draw: SplitMix::new(seed, 0), steps: 0, idle: [0; 32] }
    }

    /// The places where nested branches meet: the deeper, the lower the number; lanes go to the one of their own depth.
    fn place(&mut self) -> BlockId {
        at(self.draw.below(12))
    }

    fn step(&mut self) {
        self.steps += 1;
        if self.steps.is_multiple_of(4) {
            self.machine.rotate();
            self.machine.begin(self.draw.below(8) == 0);
        }
        let waiting = self.machine.waiting();
        if waiting != 0 && (self.draw.below(4) == 0 || self.machine.current().is_none()) {
            let mut groups = self.machine.groups();
            groups.retain(|group| group.state == State::Waiting);
            let pc = groups.first().map_or(ENTRY, |group| group.pc);
            let lanes = groups.iter().filter(|group| group.pc == pc).fold(0, |lanes, group| lanes | group.lanes);
            assert!(self.machine.wait_together(lanes).is_none_or(|place| place == pc));
            assert!(waiting == lanes || self.machine.wait_together(waiting).is_none());
            let next = self.place();
            self.machine.resume(lanes, next);
        }
        let Some((_, lanes)) = self.machine.current() else { return };
        for lane in 0..32 {
            let counts = lanes >> lane & 1 == 0 && waiting >> lane & 1 == 0 && self.machine.live() >> lane & 1 != 0;
            self.idle[lane] = if counts { self.idle[lane] + 1 } else { 0 };
        }
        self.machine.issued(1 + self.draw.below(9));
        let part = lanes & self.draw.below(u32::MAX);
        let (here, there) = (self.place(), self.place());
        match self.draw.below(40) {
            0..12 if part != 0 && part != lanes => {
                let meet = if self.draw.below(8) == 0 { NO_BLOCK } else { self.place() };
                self.machine.split(&[(here, part), (there, lanes & !part)], meet);
            }
            12 if self.draw.below(50) == 0 => self.machine.exit(part, here),
            13 if M::WAITS || lanes == self.machine.live() => self.machine.wait(&[lanes]),
            14 if M::WAITS && part != 0 && part != lanes => self.machine.wait(&[part, lanes & !part]),
            15 => self.machine.give_way(),
            _ => self.machine.goto(here),
        }
    }

    fn check(&self) {
        let groups = self.machine.groups();
        let mut seen = 0;
        for group in &groups {
            assert_eq!(seen & group.lanes, 0, "{groups:x?}");
            seen |= group.lanes;
        }
        assert_eq!(seen, self.machine.live(), "{groups:x?}");
        if let Some((pc, lanes)) = self.machine.current() {
            assert!(groups.contains(&Group { pc, lanes, state: State::Ready }), "{pc} {lanes:x} {groups:x?}");
        }
        let ready = groups.iter().any(|group| group.state == State::Ready);
        assert_eq!(self.machine.current().is_some(), ready, "{groups:x?}");
    }
}

/// Drives a machine with many seeds; no lane may be kept from running for more than so many steps.
fn drive<M: Machine>(setup: &Setup, patience: usize) {
    for seed in 0..60 {
        let mut driver: Driver<M> = Driver::new(setup, seed);
        for _ in 0..4000 {
            driver.step();
            driver.check();
            let longest = driver.idle.iter().max().unwrap();
            assert!(*longest <= patience, "seed {seed}, step {}: {:?}", driver.steps, driver.idle);
        }
    }
}

#[test]
fn the_stack_loses_no_lane() {
    drive::<Stack>(&setup(None, None), usize::MAX);
}

#[test]
fn its_loses_no_lane_and_keeps_none_waiting() {
    drive::<Its>(&setup(None, None), 4 * 32 * 33);
}

#[test]
fn mimd_loses_no_lane_and_keeps_none_waiting() {
    drive::<Mimd>(&setup(None, None), 2 * 32 * 64);
}

#[test]
fn aware_loses_no_lane_and_keeps_none_waiting() {
    // At most 100 instructions, and as many splits before it as there are lanes.
    drive::<Aware>(&setup(Some(100), None), 600);
    drive::<Aware>(&setup(Some(100), Some(2)), 600);
    drive::<Aware>(&setup(Some(0), Some(1)), 600);
}

#[test]
fn aware_in_rounds_loses_no_lane_and_keeps_none_waiting() {
    for (timeout, entries) in [(100, None), (100, Some(2)), (0, Some(1))] {
        drive::<Aware>(&ordered(Some(timeout), entries, Order::Rounds), 900);
    }
}

#[test]
fn aware_without_timeout_loses_no_lane() {
    for order in Order::ALL {
        drive::<Aware>(&ordered(None, Some(3), order), usize::MAX);
    }
}
