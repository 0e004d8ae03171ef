//! The grid: which blocks run, on which host thread, and what comes out of it.
//!
//! At most as many blocks are resident as the launch says; each host thread has its share of them. A host thread runs
//! one block for as long as that gets on, and takes up another one only when the blocks it has have used up their slices: a
//! grid whose blocks are independent needs the registers of one block, and one whose blocks wait for each other gets all
//! the room it is entitled to. Blocks are taken in order and never given back before they have ended. In a round every block that
//! a host thread has gets one slice, however it spends it, so that no resident block waits for ever for another one.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use cranelift_entity::EntityRef;

use super::cta::{Cta, Progress};
use super::env::{Env, FINISHED, FIRST, HostThread, Inputs};
use super::worker::Worker;
use crate::api::error::Error;
use crate::api::launch::Launch;
use crate::api::options::Machine as Kind;
use crate::api::outcome::{Fault, FaultKind, Outcome};
use crate::api::report::Report;
use crate::exec::rule_violations::Seen;
use crate::machines::aware::Aware;
use crate::machines::its::Its;
use crate::machines::mimd::Mimd;
use crate::machines::reconvergence_points::points;
use crate::machines::stack::Stack;
use crate::machines::{Machine, Setup};
use crate::memory::heap::Heap;
use crate::memory::space::MemorySpace;
use crate::memory::{Memory, Pointer};
use crate::observe::Observer;
use crate::observe::checks::Places;
use crate::program::Program;
use crate::stats::counts::{Counters, Counts, by_class, by_line};
use crate::stats::model::{Model, Shape};
use crate::stats::scheduling::Scheduling;
use crate::verdict::progress::Attention;
use crate::verdict::{deadlock, out_of_budget, stop_outcome};

/// The rounds that go by at most before several host threads look again whether anything gets on.
const MOST_UNWATCHED: u64 = 256;

/// The first round in which a watched warp is asked which part of its state decides where it goes. Most launches are over by then.
const NARROW_FROM: u64 = 2;

/// The number of unwatched rounds in front of a watched one for each unit of its patience.
const IMPATIENT: u64 = 32;

/// The most patience. A turn may then take a second, in which no signal is heeded.
const MOST_PATIENT: u64 = 256;

/// Returns how patiently a round is watched. The rounds that are due have ever more rounds between them that are not watched, so that the share of the
/// time that watching takes stays what it is.
fn patience(round: u64) -> u32 {
    let unwatched = 1 << round.trailing_zeros().min(63);
    (unwatched / IMPATIENT).clamp(1, MOST_PATIENT) as u32
}

/// The note of a `trap` in a kernel that asks for what only a cooperative launch has, and finds that it is none.
pub const NEEDS_COOPERATION: &str = "the kernel's blocks wait for each other, which needs a cooperative launch";

/// Launches a kernel and runs it to its end.
///
/// What the kernel does wrong is in the report. Module variables that the memory does not hold yet are allocated first.
///
/// # Errors
/// If the launch cannot be made: wrong arguments, a shape that no device has, a block that does not fit, module variables that the
/// host has no memory for.
pub fn run(program: &Program, memory: &mut Memory, launch: &Launch) -> Result<Report, Error> {
    let resident = launch.check(&program.storage, program.max_threads)?;
    let mut params = launch.parameters(&program.storage)?;
    program.load(memory)?;
    let globals = program.storage.globals.values().map(|g| memory.symbol(&g.name).map_or(0, |p| p.address())).collect();
    let workspace = launch.cooperative.then(|| workspace(memory));
    let copy = params.clone();
    let regions = memory.regions(&mut params, program.storage.param_bytes);
    let points = points(program, &launch.aware.reconvergence)?;
    let setup = Setup { seed: launch.seed, aware: launch.aware.clone(), points };
    let total = launch.grid.iter().map(|&n| u64::from(n)).product::<u64>();
    let observer = Observer::of(launch, program, memory);
    let threads = if observer.is_some() { 1 } else { launch.threads.max(1) as u64 };
    let workers = threads.min(resident).min(total);
    let heap = memory.take_heap();
    let inputs = Inputs { params: copy, globals, workspace: workspace.map_or(0, Pointer::address), regions, heap };
    let mut env = Env::new(program, launch, inputs, setup, workers);
    env.observer = Mutex::new(observer.map(Box::new));
    let (counters, scheduling, seen) = match launch.machine {
        Kind::Stack => run_all::<Stack>(&env, memory, resident),
        Kind::Its => run_all::<Its>(&env, memory, resident),
        Kind::Mimd => run_all::<Mimd>(&env, memory, resident),
        Kind::Aware => run_all::<Aware>(&env, memory, resident),
    };
    let (output, output_lost, heap) = env.system.finish();
    let mut outcome = env.outcome.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let observer = env.observer.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(Outcome::Fault(fault)) = &mut outcome {
        name_allocation(fault, memory, &heap, program, launch);
        if fault.kind == FaultKind::Trap && program.cooperates && !launch.cooperative {
            fault.note = Some(NEEDS_COOPERATION.into());
        }
    }
    memory.give_heap(heap);
    if let Some(workspace) = workspace {
        // It was allocated above, and nobody gives it back before.
        let _ = memory.free(workspace);
    }
    let places = Places { program, launch };
    if !launch.checks.uninitialised {
        memory.assume_written();
    }
    let checker = observer.and_then(|observer| observer.finish());
    let mut findings = checker.map(|checker| checker.finish(memory, &places)).unwrap_or_default();
    findings.undefined = seen.map(|seen| seen.finish(&program.listing));
    let counts = counters.instructions(program, &launch.chip);
    let (ptx_lines, lines) = by_line(program, &counts);
    let mut sum = Counts::default();
    counts.values().for_each(|counts| sum += *counts);
    let shape = Shape { blocks: total, resident, warps: launch.block.iter().product::<u32>().div_ceil(32) };
    Ok(Report {
        outcome: outcome.unwrap_or(Outcome::Finished),
        counts: sum,
        lines,
        ptx_lines,
        blocks: counters.blocks(program, &counts),
        classes: by_class(program, &counts),
        model: Model::of(program, &counts, &launch.chip, shape, &scheduling),
        findings,
        resident_blocks: resident,
        scheduling,
        output,
        output_lost,
    })
}

/// Returns what the blocks of a cooperative launch share: a word with its size in bytes, and a word for the barrier of the grid, as `cooperative_groups` of the CUDA
/// toolkit expects it.
fn workspace(memory: &mut Memory) -> Pointer {
    let words = [8u32, 0];
    memory.alloc_from(&words, "the workspace of the cooperative launch")
}

/// Says which allocation a wrong access missed, or came to too late.
fn name_allocation(fault: &mut Fault, memory: &Memory, heap: &Heap, program: &Program, launch: &Launch) {
    fault.nearest = match fault.space {
        Some(MemorySpace::Shared) => {
            let bytes = launch.user_shared(&program.storage);
            fault.note = Some(format!("the block has {bytes} bytes of shared memory"));
            let found = program.storage.nearest_shared(fault.address, launch.shared_bytes);
            found.map(|(name, start, bytes)| (name.into(), start, bytes))
        }
        Some(MemorySpace::Local) => {
            Some(("the thread's local memory".into(), 0, u64::from(program.storage.local_bytes)))
        }
        Some(MemorySpace::Global) => {
            let freed = memory.freed(fault.address);
            fault.freed = freed.is_some();
            let found = freed.or_else(|| memory.nearest(fault.address));
            let found = found.map(|(name, start, bytes)| (name.into(), start.address(), bytes));
            heap.describe(fault.address).or(found)
        }
        None => None,
    };
}

/// Runs the grid on as many host threads as there are shares.
///
/// These are threads of the operating system and not tasks of a pool: blocks may wait for blocks of another share, so that
/// every share must get on at all times.
fn run_all<M: Machine>(env: &Env<'_>, memory: &Memory, resident: u64) -> (Counters, Scheduling, Option<Box<Seen>>) {
    let workers = env.still.len() as u64;
    let share = |worker: u64| resident / workers + u64::from(worker < resident % workers);
    let worked = std::thread::scope(|scope| {
        let handles: Vec<_> = (1..workers)
            .map(|worker| scope.spawn(move || work::<M>(env, HostThread::new(worker as usize), share(worker))))
            .collect();
        // The first share is this thread's own: a short launch would be over before another thread has come into being.
        let mut sum = work::<M>(env, FIRST, share(0));
        for handle in handles {
            match handle.join() {
                Ok(worked) => {
                    sum.counters.add(&worked.counters);
                    sum.left.extend(worked.left);
                    sum.scheduling += worked.scheduling;
                    if let Some((seen, more)) = sum.seen.as_mut().zip(worked.seen) {
                        seen.merge(*more);
                    }
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        sum
    });
    if env.deadlocked.load(Ordering::Relaxed) {
        env.finish(deadlock(env, memory, worked.left));
    }
    (worked.counters, worked.scheduling, worked.seen)
}

/// The results of one host thread.
struct Worked<M> {
    counters: Counters,
    /// The blocks that never ended.
    left: Vec<Cta<M>>,
    scheduling: Scheduling,
    seen: Option<Box<Seen>>,
}

/// One host thread: takes blocks and runs them until there are none left.
fn work<M: Machine>(env: &Env<'_>, number: HostThread, share: u64) -> Worked<M> {
    let mut worker = Worker::new(env, number);
    let mut active: Vec<Cta<M>> = Vec::new();
    let mut idle: Vec<Cta<M>> = Vec::new();
    // Blocks that this host thread has taken and will start: never more than it has room for.
    let mut taken = 0..0;
    let mut round = 0u64;
    while !env.stop.load(Ordering::Relaxed) {
        // All resident blocks have had their slice: as many again may start.
        let room = (share as usize).saturating_sub(active.len()).min(active.len().max(1));
        for _ in 0..room {
            if taken.is_empty() {
                taken = env.take(share - active.len() as u64);
            }
            let Some(block) = taken.next() else { break };
            let mut cta = idle.pop().unwrap_or_else(|| Cta::new(env));
            cta.start(env, block);
            match cta.run(&mut worker, M::SLICE) {
                Progress::Done => idle.push(cta),
                Progress::Slice | Progress::Repeats => active.push(cta),
                Progress::Stopped(stop) => {
                    env.finish(stop_outcome(env, &cta, stop));
                    active.push(cta);
                }
            }
            if env.stop.load(Ordering::Relaxed) {
                break;
            }
        }
        let no_more = taken.is_empty() && env.next.0.load(Ordering::Relaxed) >= env.total;
        if active.is_empty() && no_more {
            break;
        }
        if worker.budget_is_spent() {
            out_of_budget(env, &active);
            break;
        }
        if active.is_empty() {
            continue;
        }
        // Watching costs time, so it is done in ever fewer rounds, except where it has just found something.
        round += 1;
        let full = active.len() as u64 == share || no_more;
        // Several host threads must come to watch together, and may miss each other on a busy computer.
        let due = round.is_power_of_two() || !env.solo && round.is_multiple_of(MOST_UNWATCHED);
        if due {
            env.be_patient(patience(round));
        }
        let watch = full && env.watches(number, due);
        worker.watch(watch, Attention { narrow: round >= NARROW_FROM, patience: env.patience() });
        let slice = M::SLICE * i64::from(worker.attention.patience);
        let epoch = env.epoch();
        let mut still = worker.watch;
        let mut position = 0;
        while let Some(cta) = active.get_mut(position).filter(|_| !env.stop.load(Ordering::Relaxed)) {
            let progress = cta.run(&mut worker, slice);
            still &= matches!(progress, Progress::Repeats);
            match progress {
                Progress::Done => idle.push(active.swap_remove(position)),
                Progress::Slice | Progress::Repeats => position += 1,
                Progress::Stopped(stop) => env.finish(stop_outcome(env, cta, stop)),
            }
        }
        worker.watch(false, Attention::LEAST);
        env.stands_still(number, epoch, still);
    }
    env.still[number].0.store(FINISHED, Ordering::SeqCst);
    worker.tell();
    if let Some(observer) = worker.observer {
        *env.observer.lock().unwrap_or_else(PoisonError::into_inner) = Some(observer);
    }
    let mut scheduling = Scheduling::default();
    for warp in active.iter().chain(&idle).flat_map(|cta| cta.warps.values()) {
        scheduling += warp.machine.scheduling();
    }
    Worked { counters: worker.counters, left: active, scheduling, seen: worker.seen }
}
