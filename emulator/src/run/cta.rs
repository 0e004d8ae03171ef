//! One block of threads on its way: its warps, its shared memory, its barriers.
//!
//! Warps take turns (`warp_turn.rs`). A turn ends when the warp has ended, when it waits, or when its quantum is used up; after each
//! turn the barriers are looked at. In a round every warp that has not ended has one turn, so that none waits for another one's.

use std::sync::PoisonError;

use super::barrier::Barriers;
use super::env::{Env, HostThread};
use super::warp::{Warp, WarpId, Warps, row_mut};
use super::warp_turn::{Turn, turn};
use super::worker::{Stop, Worker};
use crate::api::launch::in_three;
use crate::exec::address_cache::AddressFacts;
use crate::exec::lanes::{Row32, Row64};
use crate::machines::Machine;
use crate::machines::its::Its;
use crate::machines::random::SplitMix;
use crate::machines::turn_length::QUANTUM;
use crate::memory::regions::Region;
use crate::observe::Observer;
use crate::program::code::ENTRY;
use crate::stats::counts::Counters;
use crate::verdict::progress::{Attention, BlockWatch, Executed};
use crate::verdict::slice::cache::Slices;

/// A block of threads.
pub(crate) struct Cta<M> {
    pub(crate) warps: Warps<M>,
    pub(crate) index: [u32; 3],
    pub(crate) linear: u64,
    shared: Vec<u64>,
    barriers: Barriers,
    /// The warps that have not ended.
    running: Vec<WarpId>,
    /// For machines that shuffle them.
    draw: SplitMix,
}

/// The progress of a block.
#[derive(Debug)]
pub(crate) enum Progress {
    /// All threads have ended.
    Done,
    /// It has used up its slice.
    Slice,
    /// All its warps wait or repeat themselves, and will for as long as memory stays as it is.
    Repeats,
    /// The launch must end.
    Stopped(Stop),
}

impl<M: Machine> Cta<M> {
    /// Room for a block; see [`Cta::start`].
    pub(crate) fn new(env: &Env<'_>) -> Cta<M> {
        let program = env.program;
        let warp = |index: u32| {
            let mut r32 = vec![Row32([0; 32]); program.registers.rows32 as usize];
            let mut r64 = vec![Row64([0; 32]); program.registers.rows64 as usize];
            let mut preds = vec![0; program.registers.preds as usize];
            for &(row, source) in &program.registers.consts32 {
                let words = (0..).zip(&mut row_mut(&mut r32, row).0);
                words.for_each(|(lane, word)| *word = env.value(source, [0; 3], index, lane) as u32);
            }
            for &(row, source) in &program.registers.consts64 {
                let words = (0..).zip(&mut row_mut(&mut r64, row).0);
                words.for_each(|(lane, word)| *word = env.value(source, [0; 3], index, lane));
            }
            for &(row, value) in &program.registers.const_preds {
                *row_mut(&mut preds, row) = value;
            }
            let local = vec![0; 4 * program.storage.local_bytes.next_multiple_of(8) as usize];
            Warp { machine: M::new(&env.setup), r32, r64, preds, local, clock: 0, slept: 0, ran: 0 }
        };
        let warps: Warps<M> = (0..env.warps).map(warp).collect();
        let barriers = Barriers::new(warps.len(), env.threads);
        Cta {
            warps,
            index: [0; 3],
            linear: 0,
            shared: vec![0; env.shared_bytes.div_ceil(8) as usize],
            barriers,
            running: Vec::new(),
            draw: SplitMix::new(env.setup.seed, 0),
        }
    }

    /// Begins the block of an index; everything that the last one left is cleared.
    pub(crate) fn start(&mut self, env: &Env<'_>, linear: u64) {
        let program = env.program;
        self.linear = linear;
        self.index = in_three(linear, env.grid);
        self.running.clear();
        self.running.extend(self.warps.keys().rev());
        if M::SHUFFLES {
            self.draw = SplitMix::new(env.setup.seed, u64::MAX - linear);
        }
        for (number, warp) in &mut self.warps {
            for &row in &program.registers.zero32 {
                row_mut(&mut warp.r32, row).0 = [0; 32];
            }
            for &row in &program.registers.zero64 {
                row_mut(&mut warp.r64, row).0 = [0; 32];
            }
            for &row in &program.registers.zero_preds {
                *row_mut(&mut warp.preds, row) = 0;
            }
            for &(row, wide, source) in &env.block_rows {
                let value = env.value(source, self.index, 0, 0);
                if wide {
                    row_mut(&mut warp.r64, row).0 = [value; 32];
                } else {
                    row_mut(&mut warp.r32, row).0 = [value as u32; 32];
                }
            }
            if program.storage.local_bytes > 0 {
                // What calls use of the stack they clear themselves.
                let per_lane = (program.storage.local_bytes.div_ceil(8) as usize).max(1);
                let stack = program.storage.stack_bytes as usize / 8;
                warp.local.chunks_mut(per_lane).flat_map(|lane| lane.get_mut(stack..)).for_each(|words| words.fill(0));
            }
            (warp.clock, warp.slept) = (0, 0);
            let threads = env.threads - 32 * number.as_u32();
            let place = linear.wrapping_mul(u64::from(env.warps)) + u64::from(number.as_u32());
            warp.machine.start(ENTRY, if threads >= 32 { u32::MAX } else { (1 << threads) - 1 }, place);
        }
        if env.shared_bytes > 0 {
            self.shared.fill(0);
        }
        self.barriers.clear();
    }

    /// Runs until the block has ended, cannot go on, or has used up its slice.
    pub(crate) fn run(&mut self, worker: &mut Worker<'_>, mut slice: i64) -> Progress {
        if let Some(observer) = &mut worker.observer {
            observer.enter(self.linear);
        }
        if let Some(seen) = &mut worker.seen {
            seen.block = self.linear;
        }
        let mut watch = BlockWatch::of(worker.env.program, worker.attention);
        while !self.running.is_empty() {
            let epoch = if worker.watch { worker.env.epoch() } else { 0 };
            let round = match self.round(worker) {
                Ok(round) => round,
                Err(stop) => return Progress::Stopped(stop),
            };
            // Warps that wait before their quantum is used up must not keep the next block from its slice either.
            slice -= (i64::from(QUANTUM) * round.quanta).max(round.steps as i64);
            if self.running.is_empty() {
                break;
            }
            if worker.budget_is_spent() || slice <= 0 {
                return Progress::Slice;
            }
            if !round.ran {
                return Progress::Stopped(Stop::Stuck);
            }
            if worker.watch && worker.env.epoch() == epoch {
                // If all wait at barriers and `.sync` operations, nobody repeats anything: the next round finds the block stuck.
                let repeats = if round.moves {
                    let executed = Executed {
                        blocks: &worker.counters.blocks,
                        touched: worker.observer.as_ref().and_then(|observer| observer.touched.as_ref()),
                        slices: &worker.slices,
                    };
                    watch.repeats(&mut self.warps, &self.barriers, epoch, executed)
                } else {
                    self.warps.values().any(|warp| warp.machine.current().is_some())
                };
                if repeats {
                    return Progress::Repeats;
                }
            }
        }
        if let Some(observer) = &mut worker.observer {
            observer.leave();
        }
        worker.ended += 1;
        Progress::Done
    }

    /// One turn of every warp.
    fn round(&mut self, worker: &mut Worker<'_>) -> Result<Round, Stop> {
        let mut round = Round::default();
        if M::SHUFFLES {
            self.draw.shuffle(&mut self.running);
        }
        // From the back, because a warp that ends is taken out; `start` put the first warp there.
        for position in (0..self.running.len()).rev() {
            let Some(&number) = self.running.get(position) else { break };
            let before = worker.steps;
            match turn(worker, &mut self.warps[number], number, &mut self.shared, &mut self.barriers) {
                Turn::Done => {
                    self.running.remove(position);
                    round.moves = true;
                }
                Turn::Quantum => {
                    // Even if it issued nothing: its lanes may have come to operations where they wait.
                    round.quanta += 1;
                    (round.ran, round.moves) = (true, true);
                }
                Turn::Arrived => (round.ran, round.moves) = (true, true),
                Turn::Blocked | Turn::Repeats => {}
                Turn::Stopped(stop) => return Err(stop),
            }
            let steps = worker.steps - before;
            round.ran |= steps != 0;
            round.steps += steps;
            // Watched turns are long: the budget may be used up before the round is over, and is told for those that follow.
            if worker.watch && worker.budget_is_spent() {
                break;
            }
            if self.barriers.any() {
                let program = worker.env.program;
                let breaks = worker.seen.as_mut().map(|seen| |broken| seen.note(broken));
                let opened = self.barriers.complete(program, &mut self.warps, number, breaks);
                round.ran |= opened.moves;
                round.moves |= opened.moves;
                if let Some(observer) = worker.observer.as_mut().filter(|_| opened.barrier) {
                    observer.barrier();
                }
            }
        }
        Ok(round)
    }
}

/// The events of one round of turns.
#[derive(Default)]
struct Round {
    /// Instructions were executed, or a barrier opened.
    ran: bool,
    /// A warp used up its quantum or ended, or a barrier opened: not everybody waits or repeats itself.
    moves: bool,
    /// Turns that used up their quantum.
    quanta: i64,
    /// Warp instructions issued.
    steps: u64,
}

impl<M: Machine> Cta<M> {
    /// A copy of the block, from here on under independent thread scheduling.
    pub(crate) fn under_its(&self) -> Cta<Its> {
        let adopt = |warp: &Warp<M>| Warp {
            machine: Its::adopt(&warp.machine.groups()),
            r32: warp.r32.clone(),
            r64: warp.r64.clone(),
            preds: warp.preds.clone(),
            local: warp.local.clone(),
            clock: warp.clock,
            slept: warp.slept,
            ran: 0,
        };
        Cta {
            warps: self.warps.values().map(adopt).collect(),
            index: self.index,
            linear: self.linear,
            shared: self.shared.clone(),
            barriers: self.barriers.clone(),
            running: self.running.clone(),
            draw: self.draw.clone(),
        }
    }
}

impl<M> Warp<M> {
    /// Writes a predicate in some lanes.
    pub(crate) fn set_pred(&mut self, row: u32, lanes: u32, value: bool) {
        let pred = row_mut(&mut self.preds, row);
        *pred = if value { *pred | lanes } else { *pred & !lanes };
    }

    /// Writes a 32-bit row in some lanes.
    pub(crate) fn set_word(&mut self, row: u32, lanes: u32, value: u32) {
        let words = row_mut(&mut self.r32, row).0.iter_mut().enumerate();
        words.filter(|(lane, _)| lanes >> lane & 1 != 0).for_each(|(_, word)| *word = value);
    }
}

impl<'e> Worker<'e> {
    pub(crate) fn new(env: &'e Env<'e>, number: HostThread) -> Worker<'e> {
        let insts = env.program.listing.insts.len();
        let observer = env.observer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut worker = Worker {
            env,
            number,
            counters: Counters::new(env.program),
            caches: vec![Region::EMPTY; insts],
            known: vec![AddressFacts::NOTHING; env.program.slots as usize],
            steps: 0,
            ended: 0,
            watch: false,
            attention: Attention::LEAST,
            slices: Slices::default(),
            seen: env.launch.checks.undefined.then(Box::default),
            observer,
        };
        worker.watch(false, Attention::LEAST);
        worker
    }

    /// Watches the warps of the next round, or does not.
    ///
    /// Accesses to local memory are noted then; all the time where a program reads a clock, because a lane that backs off takes some ways
    /// between its first tries alone, and what it stores there has to be known later.
    pub(crate) fn watch(&mut self, watch: bool, attention: Attention) {
        (self.watch, self.attention) = (watch, if watch { attention } else { Attention::LEAST });
        let program = self.env.program;
        let always = program.dataflow.clocks && program.storage.local_bytes > 0;
        if always && self.observer.as_ref().is_some_and(|observer| observer.touched.is_some()) {
            return;
        }
        let note = always || self.attention.narrow && program.storage.local_bytes > 0;
        if note {
            // They were computed from what is forgotten here.
            self.slices = Slices::default();
        }
        match &mut self.observer {
            Some(observer) if observer.is_asked_for() => observer.touched = note.then(Default::default),
            observer => *observer = note.then(|| Box::new(Observer::of_local_memory())),
        }
    }

    /// Tells the launch's budget what was used, unless that is little; true if nothing is left or the launch is to end.
    pub(crate) fn budget_is_spent(&mut self) -> bool {
        if self.env.may_keep_batching(self.steps) { self.env.is_over() } else { self.tell() }
    }

    /// Tells the launch's budget what was used; true if nothing is left or the launch is to end.
    pub(crate) fn tell(&mut self) -> bool {
        self.env.spend(std::mem::take(&mut self.steps), std::mem::take(&mut self.ended))
    }
}
