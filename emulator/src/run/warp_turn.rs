//! A warp's turn: the machine says which lanes run which block, the block's instructions run, and the machine is told where the lanes go.
//!
//! This loop is where the time goes. Per block it counts an execution and its lanes, per instruction it makes one indirect
//! call; everything else about counts follows at the end of the launch.

use cranelift_entity::{PrimaryMap, iter_entity_range};
use smallvec::SmallVec;

use super::barrier::{Arrival, Barriers, places};
use super::sync::{Synced, arrive, settle};
use super::warp::{Warp, WarpId, row, values, words};
use super::worker::{Stop, Worker};
use crate::api::rule::Rule;
use crate::exec::compare::predicate;
use crate::exec::op::{Ctx, NONE};
use crate::exec::rule_violations::Broken;
use crate::machines::turn_length::QUANTUM;
use crate::machines::{Machine, ending};
use crate::observe::Observer;
use crate::observe::local_accesses::Touched;
use crate::program::Program;
use crate::program::code::{BarrierKind, Block, BlockId, ENTRY, End, NO_BLOCK};
use crate::program::listing::InstId;
use crate::stats::counts::Counters;
use crate::verdict::progress::{Executed, Watch};

/// The result of a warp's turn.
#[derive(Debug)]
pub(crate) enum Turn {
    /// All lanes have ended.
    Done,
    /// Nobody in the warp can run.
    Blocked,
    /// The quantum is used up.
    Quantum,
    /// The warp has come by a barrier and can go on.
    Arrived,
    /// All lanes that can run repeat themselves, as long as memory stays as it is.
    Repeats,
    /// The launch must end.
    Stopped(Stop),
}

/// A turn of warp `number` of a block.
pub(crate) fn turn<M: Machine>(
    worker: &mut Worker<'_>,
    warp: &mut Warp<M>,
    number: WarpId,
    shared: &mut [u64],
    barriers: &mut Barriers,
) -> Turn {
    if worker.observer.is_none() && worker.seen.is_none() {
        return run::<M, false>(worker, warp, number, shared, barriers, None);
    }
    let mut observer = worker.observer.take();
    if let Some(observer) = &mut observer {
        observer.warp = number.as_u32();
    }
    let turn = run::<M, true>(worker, warp, number, shared, barriers, observer.as_deref_mut());
    worker.observer = observer;
    turn
}

/// The turn, where somebody looks on (an observer, or who names broken rules) or nobody. Two functions, so that the one for nobody is compiled as
/// if there were no other.
#[inline(never)]
fn run<M: Machine, const OBSERVED: bool>(
    worker: &mut Worker<'_>,
    warp: &mut Warp<M>,
    number: WarpId,
    shared: &mut [u64],
    barriers: &mut Barriers,
    mut observer: Option<&mut Observer>,
) -> Turn {
    let (env, program) = (worker.env, worker.env.program);
    let Counters { blocks, guarded, traffic, unreached } = &mut worker.counters;
    if let Some(seen) = &mut worker.seen {
        seen.warp = number.as_u32();
    }
    let Warp { machine, r32, r64, preds, local, clock, slept, ran } = warp;
    let mut ctx = Ctx {
        r32,
        r64,
        preds,
        mask: 0,
        shared,
        shared_bytes: env.shared_bytes,
        local,
        local_bytes: program.storage.local_bytes,
        tables: &program.tables,
        regions: &env.regions,
        caches: &mut worker.caches,
        known: &mut worker.known,
        traffic: traffic.values_mut().into_slice(),
        fault: None,
        solo: env.solo,
        watch: worker.watch,
        wrote: false,
        clock: *clock,
        slept: *slept,
        system: &env.system,
        seen: worker.seen.as_deref_mut(),
    };
    let mut watch = worker.watch.then(|| Watch::of(program, worker.attention));
    // A watched warp gets the time to come by the same place several times, but no more than the launch has left.
    let watched = 64 * QUANTUM * worker.attention.patience;
    let mut fuel = if watch.is_some() { env.left().clamp(1, watched) } else { machine.quantum() };
    machine.begin(watch.is_some());
    let mut waits_at = if OBSERVED { aligned_barriers(&ctx, machine, program) } else { SmallVec::new() };
    let turn = loop {
        let Some((pc, mask)) = machine.current() else {
            break if machine.live() == 0 { Turn::Done } else { Turn::Blocked };
        };
        if let Some(watch) = &mut watch
            && watch.repeats(
                &mut ctx,
                machine,
                (pc, mask),
                Executed { blocks, touched: touched(&observer), slices: &worker.slices },
            )
        {
            if watch.covers(&machine.groups(), machine.releases()) {
                break Turn::Repeats;
            }
            machine.give_way();
            continue;
        }
        let block = &program.code.blocks[pc];
        if fuel == 0 {
            machine.rotate();
            break Turn::Quantum;
        }
        fuel = fuel.saturating_sub(block.weight);
        if OBSERVED
            && !waits_at.is_empty()
            && let Some(seen) = &mut ctx.seen
        {
            seen.pass_by(&program.code, &program.listing, &waits_at, pc, mask);
        }
        if let End::Sync { op, members, next, inst, .. } = block.end {
            // Counted when it runs and not when a group comes to it.
            let op = op.map(|op| &program.ops[op]);
            match arrive(machine, &mut ctx, program, (op, members, next, inst), mask) {
                Synced::Ran => {
                    blocks[pc].executions += 1;
                    blocks[pc].lanes += u64::from(mask.count_ones());
                    ctx.clock += block.insts().len() as u64;
                    machine.issued(block.insts().len() as u32);
                    if let Some(watch) = &mut watch {
                        watch.together(mask);
                    }
                    if let Some(observer) = observer.as_mut().filter(|_| OBSERVED) {
                        observer.sync(&ctx, program, pc, mask);
                    }
                }
                Synced::Waits(true) => {
                    let ran = settle(machine, &mut ctx, program, blocks);
                    observe_settled::<OBSERVED>(&mut observer, &ctx, program, &ran);
                    if repeat_together(
                        &mut watch,
                        &mut ctx,
                        machine,
                        &ran,
                        Executed { blocks, touched: touched(&observer), slices: &worker.slices },
                    ) {
                        break Turn::Repeats;
                    }
                }
                Synced::Waits(false) => {}
                Synced::Missing(lanes) => break Turn::Stopped(Stop::Divergence(number, pc, mask, lanes)),
            }
            continue;
        }
        blocks[pc].executions += 1;
        blocks[pc].lanes += u64::from(mask.count_ones());
        ctx.clock += block.insts().len() as u64;
        machine.issued(block.insts().len() as u32);
        match &mut observer {
            Some(observer) if OBSERVED => {
                let next = observer.run_ops(&mut ctx, program, block, mask, guarded);
                if ctx.fault.is_none() {
                    observer.pass(&ctx, program, next..block.insts.end, mask);
                }
            }
            _ => run_ops(&mut ctx, program, block, mask, guarded),
        }
        if let Some(fault) = ctx.fault {
            let behind = iter_entity_range(fault.id.next()..block.insts.end);
            unreached.extend(behind.map(|id| (id, mask.count_ones())));
            break Turn::Stopped(Stop::Fault(number, fault));
        }
        let live = machine.live();
        match leave(machine, &mut ctx, program, block, mask, guarded) {
            Left::Gone => {}
            Left::Parted => blocks[pc].divergences += 1,
            // Those who wait for lanes that have ended need not any more.
            Left::Ended if M::WAITS || machine.waiting() != 0 => {
                let ran = settle(machine, &mut ctx, program, blocks);
                observe_settled::<OBSERVED>(&mut observer, &ctx, program, &ran);
                // Who ends does not come back, so that nobody repeats anything; but who waited for them is not alone any more.
                repeat_together(
                    &mut watch,
                    &mut ctx,
                    machine,
                    &ran,
                    Executed { blocks, touched: touched(&observer), slices: &worker.slices },
                );
            }
            Left::Ended => {}
            Left::Trap => break Turn::Stopped(Stop::Trap(number, mask.trailing_zeros(), pc)),
            Left::Barrier { kind, id, count, next, inst } => {
                // Who only arrives need not do so together with the rest of the warp.
                let missing = if kind == BarrierKind::ClusterArrive { 0 } else { live & !mask };
                let ending = if M::WAITS || missing == 0 { 0 } else { ending(machine, program, missing) };
                if !M::WAITS && missing & !ending != 0 {
                    break Turn::Stopped(Stop::Divergence(number, pc, mask, missing & !ending));
                }
                let arrival = Arrival { kind, id, count, warp: number, lanes: mask, whole: missing == 0, inst };
                let parts = barriers.arrive(&mut ctx, arrival);
                match parts.as_slice() {
                    [] => {
                        machine.goto(next);
                        // The barrier may be complete now, which only the block can see.
                        break Turn::Arrived;
                    }
                    [part, ..] if !M::WAITS && *part != mask => {
                        break Turn::Stopped(Stop::Divergence(number, pc, *part, mask & !part));
                    }
                    parts => {
                        machine.wait(parts);
                        if ending != 0 {
                            machine.end_first(ending);
                        }
                        if OBSERVED {
                            waits_at = aligned_barriers(&ctx, machine, program);
                        }
                    }
                }
            }
        }
    };
    worker.steps += ctx.clock - *clock;
    let wrote = ctx.wrote || watch.as_ref().is_some_and(|watch| watch.wrote);
    *ran |= watch.map_or(0, |watch| watch.ran);
    (*clock, *slept) = (ctx.clock, ctx.slept);
    if wrote {
        env.advance_epoch(worker.number);
    }
    turn
}

/// The aligned barriers at which lanes of a warp wait while others of it may pass by, if broken rules are to be named.
#[inline(always)]
fn aligned_barriers<M: Machine>(ctx: &Ctx<'_>, machine: &M, program: &Program) -> SmallVec<[BlockId; 2]> {
    let waiting = machine.waiting();
    if ctx.seen.is_none() || waiting == 0 || waiting == machine.live() {
        return SmallVec::new();
    }
    places(program, machine, waiting).into_iter().filter(|place| place.aligned).map(|place| place.pc).collect()
}

/// Returns what is known of accesses to local memory.
fn touched<'o>(observer: &'o Option<&mut Observer>) -> Option<&'o Touched> {
    observer.as_ref().and_then(|observer| observer.touched.as_ref())
}

/// Tells the watch of lanes that have waited for each other; whether all that could run repeat themselves.
fn repeat_together<M: Machine>(
    watch: &mut Option<Watch>,
    ctx: &mut Ctx<'_>,
    machine: &M,
    ran: &[(BlockId, u32)],
    executed: Executed<'_>,
) -> bool {
    let Some(watch) = watch.as_mut().filter(|_| !ran.is_empty()) else { return false };
    let lanes = ran.iter().fold(0, |lanes, (_, group)| lanes | group);
    watch.met(ctx, machine, lanes, executed) && watch.covers(&machine.groups(), machine.releases())
}

/// Shows an observer the operations that were complete once somebody came or ended.
#[inline(always)]
fn observe_settled<const OBSERVED: bool>(
    observer: &mut Option<&mut Observer>,
    ctx: &Ctx<'_>,
    program: &Program,
    ran: &[(BlockId, u32)],
) {
    if let Some(observer) = observer.as_mut().filter(|_| OBSERVED) {
        ran.iter().for_each(|&(pc, lanes)| observer.sync(ctx, program, pc, lanes));
    }
}

/// The straight-line part of a block. Stops at a fault, which is then in `ctx`.
///
/// Not inlined: what the turn keeps in registers would be saved and restored around every instruction.
#[inline(never)]
fn run_ops(ctx: &mut Ctx<'_>, program: &Program, block: &Block, mask: u32, guarded: &mut PrimaryMap<InstId, u64>) {
    for op in program.ops_of(block) {
        ctx.mask = mask;
        if op.guard != NONE {
            ctx.mask &= predicate(ctx, op.guard);
            guarded[op.id] += u64::from(ctx.mask.count_ones());
            if ctx.mask == 0 {
                continue;
            }
        }
        // SAFETY: the decoder took the handler from `pick`, which only returns one that this host can run.
        if !unsafe { (op.run)(ctx, op) } {
            return;
        }
    }
}

/// The result of executing the end of a block.
enum Left {
    /// The lanes went on together.
    Gone,
    /// They parted.
    Parted,
    /// Lanes ended.
    Ended,
    /// A trap.
    Trap,
    /// They are at a barrier, and have not been told what to do.
    Barrier { kind: BarrierKind, id: u32, count: Option<u32>, next: BlockId, inst: InstId },
}

#[inline(always)]
fn leave<M: Machine>(
    machine: &mut M,
    ctx: &mut Ctx<'_>,
    program: &Program,
    block: &Block,
    mask: u32,
    guarded: &mut PrimaryMap<InstId, u64>,
) -> Left {
    match block.end {
        End::Jump(next) => machine.goto(next),
        End::Branch { pred, taken, next, meet, inst } => {
            let to = mask & predicate(ctx, pred);
            guarded[inst] += u64::from(to.count_ones());
            if to != mask && to != 0 {
                machine.split(&[(taken, to), (next, mask & !to)], meet);
                return Left::Parted;
            }
            machine.goto(if to == 0 { next } else { taken });
        }
        End::Switch { index, table, meet } => {
            let table = &program.code.switches[table];
            note_index(ctx, index, table, block, mask);
            let parts = switch(ctx, index, table, mask);
            match parts.as_slice() {
                [(only, _)] => machine.goto(*only),
                parts => {
                    machine.split(parts, meet);
                    return Left::Parted;
                }
            }
        }
        End::Call { index, table, land, after } => {
            let table = &program.code.switches[table];
            let parts = match index {
                // A call by name has one target.
                NONE => table.iter().take(1).map(|&target| (target, mask)).collect(),
                _ => switch(ctx, index, table, mask),
            };
            machine.call(&parts, land, after);
            return if parts.len() > 1 { Left::Parted } else { Left::Gone };
        }
        End::Return { index, table } => {
            let parts = switch(ctx, index, &program.code.switches[table], mask);
            match parts.as_slice() {
                [(only, _)] => machine.goto(*only),
                parts => {
                    machine.split(parts, NO_BLOCK);
                    return Left::Parted;
                }
            }
        }
        End::Exit => {
            machine.exit(mask, ENTRY);
            return Left::Ended;
        }
        End::ExitIf { pred, next, inst } => {
            let ending = mask & predicate(ctx, pred);
            guarded[inst] += u64::from(ending.count_ones());
            machine.exit(ending, next);
            return if ending == 0 { Left::Gone } else { Left::Ended };
        }
        End::Trap => return Left::Trap,
        End::Barrier { kind, id, count, next, inst, .. } => return Left::Barrier { kind, id, count, next, inst },
        // Such a block never comes here; see `turn`.
        End::Sync { next, .. } => machine.goto(next),
    }
    Left::Gone
}

/// Notes lanes whose index is beyond a table.
fn note_index(ctx: &mut Ctx<'_>, index: u32, table: &[BlockId], block: &Block, mask: u32) {
    let Some(seen) = &mut ctx.seen else { return };
    let (indices, targets) = (&row(ctx.r32, index).0, table.len() as u32);
    let beyond = || values(indices, mask).filter(|(_, index)| *index >= targets);
    let lanes = beyond().fold(0u32, |all, (lane, _)| all | 1 << lane);
    if let (Some((_, index)), Some(inst)) = (beyond().next(), block.insts.end.previous()) {
        seen.note(Broken { rule: Rule::BranchIndex { index, targets }, inst, lanes });
    }
}

/// Returns where a `brx.idx` sends each lane. An index beyond the table goes to its last entry.
fn switch(ctx: &Ctx<'_>, index: u32, table: &[BlockId], mask: u32) -> SmallVec<[(BlockId, u32); 4]> {
    let mut parts: SmallVec<[(BlockId, u32); 4]> = SmallVec::new();
    for (lane, entry) in values(words(ctx, index), mask) {
        let entry = (entry as usize).min(table.len().saturating_sub(1));
        let target = table.get(entry).copied().unwrap_or(ENTRY);
        match parts.iter_mut().find(|(pc, _)| *pc == target) {
            Some((_, lanes)) => *lanes |= 1 << lane,
            None => parts.push((target, 1 << lane)),
        }
    }
    parts
}
