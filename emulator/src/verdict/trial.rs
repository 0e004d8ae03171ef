//! Would blocks that stand still get on elsewhere? They are continued on a copy of the memory, so that what the launch left stays as
//! it is, under a program counter per thread, so that only what the program means keeps them from it.
//!
//! Two questions are asked of a launch in which all resident blocks wait or repeat themselves. Do they get on by themselves? Then
//! it was the machine that held them. Do they get on when blocks are resident that found no room? Then it was the occupancy.

use std::sync::atomic::Ordering;

use crate::machines::Machine;
use crate::machines::its::Its;
use crate::machines::turn_length::SLICE;
use crate::memory::Memory;
use crate::run::cta::{Cta, Progress};
use crate::run::env::{Env, FIRST, Inputs};
use crate::run::worker::{Stop, Worker};
use crate::verdict::progress::Attention;

/// After so many rounds in which memory still changes, blocks are taken to get on by themselves.
const ROUNDS: u32 = 16;
/// After so many slices of blocks in which memory has not changed for long, they are taken to stand still: all that changes are registers.
const QUIET_SLICES: u32 = 1024;
/// After so many slices used up by blocks the question whether more of them help stays open.
const SLICES: u32 = 256;
/// The most blocks that are made resident to find out.
const MOST_BLOCKS: usize = 4096;

/// The result of a trial with more resident blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Room {
    /// With so many in all, one of those that stood still ended.
    Helps(u64),
    /// All blocks of the grid have started, and those that stood still still do.
    DoesNotHelp,
    /// It takes longer than it is worth to find out.
    Unknown,
}

/// Blocks on a copy of the memory.
struct Trial<'e, 'p> {
    env: &'e Env<'p>,
    worker: Worker<'e>,
    active: Vec<Cta<Its>>,
    /// The number of them, from the front, that stood still.
    old: usize,
    /// Slices used up.
    slices: u32,
}

/// One round of all blocks.
#[derive(Default)]
struct Round {
    /// One of the blocks that stood still has ended.
    old_ended: bool,
    /// A block has ended, changed memory or not yet repeated itself.
    moved: bool,
    /// Memory has changed.
    wrote: bool,
    /// A block has ended the launch by a fault or trap.
    failed: bool,
}

impl Trial<'_, '_> {
    fn round(&mut self) -> Round {
        let epoch = self.env.epoch();
        let mut round = Round::default();
        let mut position = 0;
        while let Some(cta) = self.active.get_mut(position) {
            let progress = cta.run(&mut self.worker, SLICE);
            match progress {
                Progress::Repeats => position += 1,
                Progress::Slice => {
                    round.moved = true;
                    self.slices += 1;
                    position += 1;
                }
                // What a block does that ends badly is no answer to the question, and the others may go on.
                Progress::Done | Progress::Stopped(_) => {
                    round.failed |= matches!(progress, Progress::Stopped(Stop::Fault(..) | Stop::Trap(..)));
                    round.old_ended |= position < self.old && matches!(progress, Progress::Done);
                    round.moved = true;
                    self.old -= usize::from(position < self.old);
                    self.active.remove(position);
                }
            }
        }
        round.wrote = self.env.epoch() != epoch;
        round.moved |= round.wrote;
        round
    }
}

/// Makes a trial of the blocks.
fn trial<M: Machine, A>(
    env: &Env<'_>,
    memory: &Memory,
    ctas: &[Cta<M>],
    ask: impl FnOnce(&mut Trial<'_, '_>) -> A,
) -> A {
    let mut copy = memory.clone();
    let mut params = env.params.clone();
    let regions = copy.regions(&mut params, env.program.storage.param_bytes);
    let (params, globals) = (env.params.clone(), env.globals.clone());
    let inputs = Inputs { params, globals, workspace: env.workspace, regions, heap: env.system.heap() };
    // A launch that has used up most of its budget is tried as long as any other.
    let fair = Env::new(env.program, env.launch, inputs, env.setup.clone(), 1).unlimited();
    let mut worker = Worker::new(&fair, FIRST);
    worker.watch(true, Attention { narrow: true, ..Attention::LEAST });
    let active: Vec<Cta<Its>> = ctas.iter().map(Cta::under_its).collect();
    let old = active.len();
    ask(&mut Trial { env: &fair, worker, active, old, slices: 0 })
}

/// Returns true if blocks that stand still get on by themselves: one of them ends, or the launch does, or memory keeps changing.
pub(crate) fn gets_on<M: Machine>(env: &Env<'_>, memory: &Memory, ctas: &[Cta<M>]) -> bool {
    trial(env, memory, ctas, |trial| {
        let (mut rounds, mut last_write) = (0, 0);
        loop {
            let round = trial.round();
            if round.old_ended || round.failed {
                return true;
            }
            // Blocks that cannot complete a barrier are gone from those that are tried.
            if !round.moved || trial.old == 0 {
                return false;
            }
            rounds += 1;
            if round.wrote {
                last_write = rounds;
            }
            if rounds >= ROUNDS && rounds - last_write < ROUNDS / 2 {
                return true;
            }
            if rounds >= ROUNDS && trial.slices >= QUIET_SLICES {
                return false;
            }
        }
    })
}

/// Returns whether blocks that stand still get on when blocks are resident that have found no room.
pub(crate) fn room_helps<M: Machine>(env: &Env<'_>, memory: &Memory, ctas: &[Cta<M>]) -> Room {
    let first = env.next.0.load(Ordering::Relaxed);
    trial(env, memory, ctas, |trial| {
        trial.env.next.0.store(first, Ordering::Relaxed);
        let mut room = trial.old;
        let mut resident = 0;
        loop {
            // As many as there are places, and more places only if those blocks stay: one that ends makes room by itself.
            while trial.active.len() <= room {
                let Some(block) = trial.env.take(1).next() else { break };
                let mut cta = Cta::new(trial.env);
                cta.start(trial.env, block);
                trial.active.push(cta);
            }
            resident = resident.max(trial.active.len());
            let round = trial.round();
            if round.old_ended {
                return Room::Helps(resident as u64);
            }
            if trial.slices > SLICES || room > MOST_BLOCKS {
                return Room::Unknown;
            }
            if !round.moved {
                if trial.env.next.0.load(Ordering::Relaxed) >= trial.env.total {
                    return Room::DoesNotHelp;
                }
                room = 2 * trial.active.len();
            }
        }
    })
}
