//! One block of threads on its way: its warps, its shared memory, its barriers.
//!
//! Warps take turns. A turn ends when the warp has ended, when it waits, or when its quantum is used up; after each turn the
//! barriers are looked at. What an instruction computes is in `exec`, who runs next in a warp is the machine's matter.

use smallvec::SmallVec;

use crate::counts::Counters;
use crate::exec::compare::predicate;
use crate::exec::rows::{Row32, Row64};
use crate::exec::{Ctx, NONE, Op, RawFault};
use crate::grid::Env;
use crate::machines::its::Its;
use crate::machines::{Machine, State};
use crate::memory::Region;
use crate::program::{BarrierKind, End};
use crate::progress::Watch;

/// What a warp may run in one turn, in weights of blocks.
const QUANTUM: u32 = 2048;

/// One warp.
pub(crate) struct Warp<M> {
    pub(crate) machine: M,
    pub(crate) r32: Vec<Row32>,
    pub(crate) r64: Vec<Row64>,
    pub(crate) preds: Vec<u32>,
    local: Vec<u64>,
    clock: u64,
}

/// One of the sixteen barriers of a block.
#[derive(Clone, Debug, Default)]
struct Barrier {
    /// Per warp, the lanes that wait here.
    arrived: Vec<u32>,
    /// Per warp, of those, the lanes whose predicate holds (`bar.red`).
    holding: Vec<u32>,
    /// Threads of `bar.arrive`, which do not wait.
    passed: u32,
    /// The number of threads that it is for; all threads of the block if `None`.
    count: Option<u32>,
}

/// A block of threads.
pub(crate) struct Cta<M> {
    pub(crate) warps: Vec<Warp<M>>,
    pub(crate) index: [u32; 3],
    pub(crate) linear: u64,
    shared: Vec<u64>,
    barriers: Vec<Barrier>,
    /// One bit per barrier at which somebody has arrived.
    active: u32,
    /// The warps that have not ended.
    running: Vec<u32>,
}

/// What one host thread works with.
pub(crate) struct Worker<'e> {
    pub(crate) env: &'e Env<'e>,
    pub(crate) counters: Counters,
    pub(crate) caches: Vec<Region>,
    /// Warp instructions since the budget was last told.
    pub(crate) steps: u64,
    /// Whether warps are watched for repeating themselves; see `progress.rs`.
    pub(crate) watch: bool,
}

/// How a warp's turn ended.
#[derive(Debug, PartialEq, Eq)]
enum Turn {
    /// All lanes have ended.
    Done,
    /// Nobody in the warp can run.
    Blocked,
    /// The quantum is used up.
    Quantum,
    /// All lanes that can run repeat themselves, as long as memory stays as it is.
    Repeats,
    /// The launch must end.
    Stopped(Stop),
}

/// Why the launch must end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// An access that cannot be made: warp and fault.
    Fault(u32, RawFaultKey),
    /// A trap: warp, lane, block of code.
    Trap(u32, u32, u32),
    /// A barrier or `.sync` operation that cannot complete: warp, block of code, lanes that wait, lanes that are missing.
    Divergence(u32, u32, u32, u32),
    /// All warps that have not ended wait.
    Stuck,
}

/// A fault, comparable.
#[derive(Clone, Debug)]
pub(crate) struct RawFaultKey(pub(crate) RawFault);

impl PartialEq for RawFaultKey {
    fn eq(&self, other: &RawFaultKey) -> bool {
        (self.0.id, self.0.lane, self.0.address) == (other.0.id, other.0.lane, other.0.address)
    }
}

impl Eq for RawFaultKey {}

/// How far a block got.
#[derive(Debug, PartialEq, Eq)]
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
            let mut r32 = vec![Row32([0; 32]); program.rows32 as usize];
            let mut r64 = vec![Row64([0; 32]); program.rows64 as usize];
            let mut preds = vec![0; program.preds as usize];
            for &(row, source) in &program.consts32 {
                for lane in 0..32 {
                    r32[row as usize].0[lane] = env.value(source, [0; 3], index, lane as u32) as u32;
                }
            }
            for &(row, source) in &program.consts64 {
                for lane in 0..32 {
                    r64[row as usize].0[lane] = env.value(source, [0; 3], index, lane as u32);
                }
            }
            for &(row, value) in &program.const_preds {
                preds[row as usize] = value;
            }
            let local = vec![0; 4 * program.local_bytes.next_multiple_of(8) as usize];
            Warp { machine: M::new(), r32, r64, preds, local, clock: 0 }
        };
        let warps: Vec<Warp<M>> = (0..env.warps).map(warp).collect();
        let per_warp = vec![0; warps.len()];
        let barrier = Barrier { arrived: per_warp.clone(), holding: per_warp, passed: 0, count: None };
        Cta {
            warps,
            index: [0; 3],
            linear: 0,
            shared: vec![0; env.shared_bytes.div_ceil(8) as usize],
            barriers: vec![barrier; 16],
            active: 0,
            running: Vec::new(),
        }
    }

    /// Begins the block of an index; everything that the last one left is cleared.
    pub(crate) fn start(&mut self, env: &Env<'_>, linear: u64) {
        let program = env.program;
        let (x, y) = (u64::from(env.grid[0]), u64::from(env.grid[1]));
        self.linear = linear;
        self.index = [(linear % x) as u32, (linear / x % y) as u32, (linear / (x * y)) as u32];
        self.running.clear();
        self.running.extend((0..env.warps).rev());
        for (number, warp) in self.warps.iter_mut().enumerate() {
            for &row in &program.zero32 {
                warp.r32[row as usize].0 = [0; 32];
            }
            for &row in &program.zero64 {
                warp.r64[row as usize].0 = [0; 32];
            }
            for &row in &program.zero_preds {
                warp.preds[row as usize] = 0;
            }
            for &(row, wide, source) in &env.block_rows {
                let value = env.value(source, self.index, 0, 0);
                if wide {
                    warp.r64[row as usize].0 = [value; 32];
                } else {
                    warp.r32[row as usize].0 = [value as u32; 32];
                }
            }
            if program.local_bytes > 0 {
                warp.local.fill(0);
            }
            warp.clock = 0;
            let threads = env.threads - 32 * number as u32;
            warp.machine.start(0, if threads >= 32 { u32::MAX } else { (1 << threads) - 1 });
        }
        if env.shared_bytes > 0 {
            self.shared.fill(0);
        }
        // A block that has ended may leave threads counted at a barrier that nobody waited for.
        for id in (0..16).filter(|id| self.active >> id & 1 != 0) {
            self.barriers[id].arrived.fill(0);
            self.barriers[id].passed = 0;
        }
        self.active = 0;
    }

    /// Runs until the block has ended, cannot go on, or has used up its slice.
    pub(crate) fn run(&mut self, worker: &mut Worker<'_>, mut slice: i64) -> Progress {
        while !self.running.is_empty() {
            let (mut ran, mut moves) = (false, false);
            let epoch = worker.env.epoch();
            let mut position = self.running.len();
            // From the back, because a warp that ends is taken out; `start` put the first warp there.
            while position > 0 {
                position -= 1;
                let number = self.running[position];
                let before = worker.steps;
                let turn = self.turn(worker, number as usize);
                ran |= worker.steps != before;
                match turn {
                    Turn::Done => {
                        self.running.remove(position);
                        moves = true;
                    }
                    Turn::Quantum => {
                        slice -= i64::from(QUANTUM);
                        moves = true;
                    }
                    Turn::Blocked | Turn::Repeats => {}
                    Turn::Stopped(stop) => return Progress::Stopped(stop),
                }
                if self.active != 0 {
                    let completed = self.complete_barriers(worker);
                    (ran, moves) = (ran | completed, moves | completed);
                }
            }
            if worker.budget_is_spent() || slice <= 0 {
                return Progress::Slice;
            }
            if !ran && !self.running.is_empty() {
                return Progress::Stopped(Stop::Stuck);
            }
            if worker.watch && !moves && !self.running.is_empty() && worker.env.epoch() == epoch {
                return Progress::Repeats;
            }
        }
        Progress::Done
    }

    fn turn(&mut self, worker: &mut Worker<'_>, number: usize) -> Turn {
        let program = worker.env.program;
        let Worker { env, counters, caches, steps, .. } = worker;
        let Warp { machine, r32, r64, preds, local, clock } = &mut self.warps[number];
        let mut ctx = Ctx {
            r32,
            r64,
            preds,
            mask: 0,
            shared: &mut self.shared,
            shared_bytes: env.shared_bytes,
            local,
            local_bytes: program.local_bytes,
            lists: &program.lists,
            regions: &env.regions,
            caches,
            traffic: &mut counters.traffic,
            fault: None,
            solo: env.solo,
            watch: worker.watch,
            wrote: false,
            clock: *clock,
        };
        let begin = *clock;
        let mut watch = worker.watch.then(Watch::default);
        // A watched warp gets the time to come by the same place several times.
        let mut fuel = if watch.is_some() { 64 * QUANTUM } else { QUANTUM };
        let turn = loop {
            let Some((pc, mask)) = machine.current() else {
                break if machine.live() == 0 { Turn::Done } else { Turn::Blocked };
            };
            if let Some(watch) = &mut watch
                && watch.repeats(&mut ctx, pc, mask)
            {
                if watch.covers(&machine.groups(), M::WAITS) {
                    break Turn::Repeats;
                }
                machine.give_way();
                continue;
            }
            let block = &program.blocks[pc as usize];
            let counter = &mut counters.blocks[pc as usize];
            if let End::Sync { op, members, next } = block.end {
                let op = op.map(|op| &program.ops[op as usize]);
                match sync(machine, &mut ctx, op, members, pc, mask, next) {
                    Synced::Ran => {
                        counter.executions += 1;
                        counter.lanes += u64::from(mask.count_ones());
                        ctx.clock += block.insts.len() as u64;
                    }
                    Synced::Waits => settle(machine, &mut ctx, env, &mut counters.blocks),
                    Synced::Missing(lanes) => {
                        break Turn::Stopped(Stop::Divergence(number as u32, pc, mask, lanes));
                    }
                }
                fuel = fuel.saturating_sub(1);
                if fuel == 0 {
                    break Turn::Quantum;
                }
                continue;
            }
            counter.executions += 1;
            counter.lanes += u64::from(mask.count_ones());
            ctx.clock += block.insts.len() as u64;
            ctx.mask = mask;
            for op in &program.ops[block.ops.start as usize..block.ops.end as usize] {
                if op.guard != NONE {
                    ctx.mask = mask & predicate(&ctx, op.guard);
                    counters.guarded[op.id as usize] += u64::from(ctx.mask.count_ones());
                    if ctx.mask == 0 {
                        continue;
                    }
                } else {
                    ctx.mask = mask;
                }
                // SAFETY: the decoder took the handler from `pick`, which only returns one that this host can run.
                if !unsafe { (op.run)(&mut ctx, op) } {
                    break;
                }
            }
            if let Some(fault) = ctx.fault {
                let unreached = (fault.id + 1)..block.insts.end;
                counters.unreached.extend(unreached.map(|id| (id, mask.count_ones())));
                break Turn::Stopped(Stop::Fault(number as u32, RawFaultKey(fault)));
            }
            match block.end {
                End::Jump(next) => machine.goto(next),
                End::Branch { pred, taken, next, meet, inst } => {
                    let to = mask & predicate(&ctx, pred);
                    counters.guarded[inst as usize] += u64::from(to.count_ones());
                    if to == mask {
                        machine.goto(taken);
                    } else if to == 0 {
                        machine.goto(next);
                    } else {
                        counters.blocks[pc as usize].divergences += 1;
                        machine.split(&[(taken, to), (next, mask & !to)], meet);
                    }
                }
                End::Switch { index, table, meet } => {
                    let parts = switch(&ctx, index, &program.switches[table as usize], mask);
                    match parts.as_slice() {
                        [(only, _)] => machine.goto(*only),
                        parts => {
                            counters.blocks[pc as usize].divergences += 1;
                            machine.split(parts, meet);
                        }
                    }
                }
                End::Exit => {
                    machine.exit(mask, pc);
                    if M::WAITS {
                        settle(machine, &mut ctx, env, &mut counters.blocks);
                    }
                }
                End::ExitIf { pred, next, inst } => {
                    let ending = mask & predicate(&ctx, pred);
                    counters.guarded[inst as usize] += u64::from(ending.count_ones());
                    machine.exit(ending, next);
                    if M::WAITS && ending != 0 {
                        settle(machine, &mut ctx, env, &mut counters.blocks);
                    }
                }
                End::Trap => break Turn::Stopped(Stop::Trap(number as u32, mask.trailing_zeros(), pc)),
                End::Barrier { kind, id, count, next } => {
                    let missing = machine.live() & !mask;
                    if !M::WAITS && missing != 0 {
                        break Turn::Stopped(Stop::Divergence(number as u32, pc, mask, missing));
                    }
                    let lane = mask.trailing_zeros() as usize & 31;
                    let id = ctx.r32[id as usize].0[lane] & 15;
                    self.active |= 1 << id;
                    let barrier = &mut self.barriers[id as usize];
                    barrier.count = count.map(|row| ctx.r32[row as usize].0[lane]);
                    if let BarrierKind::And(pred, _) | BarrierKind::Or(pred, _) | BarrierKind::Popc(pred, _) = kind {
                        let holding = &mut barrier.holding[number];
                        *holding = *holding & !mask | predicate(&ctx, pred) & mask;
                    }
                    if kind == BarrierKind::Arrive {
                        barrier.passed += if missing == 0 { 32 } else { mask.count_ones() };
                        machine.goto(next);
                    } else {
                        barrier.arrived[number] |= mask;
                        machine.wait(&[mask]);
                    }
                }
                // Handled above, because such a block is counted when it runs and not when a group comes to it.
                End::Sync { .. } => {}
            }
            fuel = fuel.saturating_sub(block.weight);
            if fuel == 0 {
                machine.rotate();
                break Turn::Quantum;
            }
        };
        *clock = ctx.clock;
        if ctx.wrote || watch.is_some_and(|watch| watch.wrote) {
            env.advance_epoch();
        }
        *steps += *clock - begin;
        turn
    }

    /// Lets everybody go on who waits at a barrier that is complete. Returns whether there was one.
    fn complete_barriers(&mut self, worker: &Worker<'_>) -> bool {
        let mut any = false;
        let active = self.active;
        for id in (0..16u32).filter(|id| active >> id & 1 != 0) {
            if self.is_complete(&self.barriers[id as usize]) {
                self.release(worker, id);
                self.active &= !(1 << id);
                any = true;
            }
        }
        any
    }

    fn is_complete(&self, barrier: &Barrier) -> bool {
        let mut warps = self.warps.iter().map(|warp| warp.machine.live()).zip(&barrier.arrived);
        let Some(count) = barrier.count else { return warps.all(|(live, arrived)| live & !arrived == 0) };
        // A warp whose lanes have all arrived counts in full, lanes that never existed included.
        let arrived = warps.map(|(live, &arrived)| match arrived {
            0 => 0,
            arrived if live & !arrived == 0 => 32,
            arrived => arrived.count_ones(),
        });
        arrived.sum::<u32>().saturating_add(barrier.passed) >= count
    }

    fn release(&mut self, worker: &Worker<'_>, id: u32) {
        let program = worker.env.program;
        let barrier = &mut self.barriers[id as usize];
        let arrived: u32 = barrier.arrived.iter().map(|lanes| lanes.count_ones()).sum();
        let both = barrier.arrived.iter().zip(&barrier.holding);
        let holding: u32 = both.map(|(arrived, holding)| (arrived & holding).count_ones()).sum();
        barrier.passed = 0;
        for (warp, lanes) in self.warps.iter_mut().zip(&mut barrier.arrived) {
            let released = std::mem::take(lanes);
            if released == 0 {
                continue;
            }
            let mut places: SmallVec<[u32; 4]> = SmallVec::new();
            for group in warp.machine.groups() {
                if group.state == State::Waiting && group.lanes & released != 0 && !places.contains(&group.pc) {
                    places.push(group.pc);
                }
            }
            for pc in places {
                let End::Barrier { kind, next, .. } = program.blocks[pc as usize].end else { continue };
                let lanes = warp.machine.waiting_at(pc) & released;
                match kind {
                    BarrierKind::And(_, row) => warp.set_pred(row, lanes, holding == arrived),
                    BarrierKind::Or(_, row) => warp.set_pred(row, lanes, holding != 0),
                    BarrierKind::Popc(_, row) => warp.set_word(row, lanes, holding),
                    BarrierKind::Sync | BarrierKind::Arrive => {}
                }
                warp.machine.resume(lanes, next);
            }
        }
    }
}

impl<M: Machine> Cta<M> {
    /// The same block, from here on under independent thread scheduling.
    pub(crate) fn under_its(self) -> Cta<Its> {
        let adopt = |warp: Warp<M>| {
            let Warp { machine, r32, r64, preds, local, clock } = warp;
            Warp { machine: Its::adopt(&machine.groups()), r32, r64, preds, local, clock }
        };
        Cta {
            warps: self.warps.into_iter().map(adopt).collect(),
            index: self.index,
            linear: self.linear,
            shared: self.shared,
            barriers: self.barriers,
            active: self.active,
            running: self.running,
        }
    }
}

impl<M> Warp<M> {
    fn set_pred(&mut self, row: u32, lanes: u32, value: bool) {
        let pred = &mut self.preds[row as usize];
        *pred = if value { *pred | lanes } else { *pred & !lanes };
    }

    fn set_word(&mut self, row: u32, lanes: u32, value: u32) {
        for lane in crate::exec::rows::lanes(lanes) {
            self.r32[row as usize].0[lane] = value;
        }
    }
}

impl<'e> Worker<'e> {
    pub(crate) fn new(env: &'e Env<'e>) -> Worker<'e> {
        let insts = env.program.insts.len();
        Worker { env, counters: Counters::new(env.program), caches: vec![Region::EMPTY; insts], steps: 0, watch: false }
    }

    /// Tells the launch's budget what was used; true if nothing is left or the launch is to end.
    pub(crate) fn budget_is_spent(&mut self) -> bool {
        let steps = std::mem::take(&mut self.steps);
        self.env.spend(steps)
    }
}

/// Where a `brx.idx` sends each lane. An index beyond the table goes to its last entry.
fn switch(ctx: &Ctx<'_>, index: u32, table: &[u32], mask: u32) -> SmallVec<[(u32, u32); 4]> {
    let mut parts: SmallVec<[(u32, u32); 4]> = SmallVec::new();
    for lane in crate::exec::rows::lanes(mask) {
        let entry = (ctx.r32[index as usize].0[lane] as usize).min(table.len().saturating_sub(1));
        let target = table.get(entry).copied().unwrap_or(0);
        match parts.iter_mut().find(|(pc, _)| *pc == target) {
            Some((_, lanes)) => *lanes |= 1 << lane,
            None => parts.push((target, 1 << lane)),
        }
    }
    parts
}

/// What became of a group that came to a `.sync` operation.
enum Synced {
    Ran,
    Waits,
    Missing(u32),
}

/// The lanes of a group by the members that they name.
fn classes(ctx: &Ctx<'_>, members: u32, mask: u32) -> SmallVec<[(u32, u32); 2]> {
    let named = &ctx.r32[members as usize].0;
    let mut classes: SmallVec<[(u32, u32); 2]> = SmallVec::new();
    for lane in crate::exec::rows::lanes(mask) {
        match classes.iter_mut().find(|(name, _)| *name == named[lane]) {
            Some((_, lanes)) => *lanes |= 1 << lane,
            None => classes.push((named[lane], 1 << lane)),
        }
    }
    classes
}

fn sync<M: Machine>(
    machine: &mut M,
    ctx: &mut Ctx<'_>,
    op: Option<&Op>,
    members: u32,
    _pc: u32,
    mask: u32,
    next: u32,
) -> Synced {
    let classes = classes(ctx, members, mask);
    let missing = classes.iter().fold(0, |missing, (named, _)| missing | named & machine.live() & !mask);
    if missing == 0 {
        for &(_, lanes) in &classes {
            perform(ctx, op, lanes);
        }
        machine.goto(next);
        return Synced::Ran;
    }
    if !M::WAITS {
        return Synced::Missing(missing);
    }
    let parts: SmallVec<[u32; 2]> = classes.iter().map(|&(_, lanes)| lanes).collect();
    machine.wait(&parts);
    Synced::Waits
}

fn perform(ctx: &mut Ctx<'_>, op: Option<&Op>, lanes: u32) {
    ctx.mask = lanes;
    if let Some(op) = op {
        // SAFETY: as for every other op. What lanes do together cannot fault.
        unsafe { (op.run)(ctx, op) };
    }
}

/// Runs every `.sync` operation for which all named lanes that have not ended wait. They must wait at the same
/// instruction; only `bar.warp.sync`, which moves no values, may be met at several.
fn settle<M: Machine>(machine: &mut M, ctx: &mut Ctx<'_>, env: &Env<'_>, counters: &mut [crate::counts::BlockCounter]) {
    let program = env.program;
    'again: loop {
        let waiting: Vec<_> = machine.groups().into_iter().filter(|group| group.state == State::Waiting).collect();
        for group in &waiting {
            let End::Sync { op, members, .. } = program.blocks[group.pc as usize].end else { continue };
            for (named, _) in classes(ctx, members, group.lanes) {
                let mut together: SmallVec<[(u32, u32); 4]> = SmallVec::new();
                for other in &waiting {
                    let End::Sync { op: theirs, members, .. } = program.blocks[other.pc as usize].end else { continue };
                    if other.pc == group.pc || (op.is_none() && theirs.is_none()) {
                        let same = classes(ctx, members, other.lanes).into_iter().find(|(name, _)| *name == named);
                        if let Some((_, lanes)) = same {
                            match together.iter_mut().find(|(pc, _)| *pc == other.pc) {
                                Some((_, all)) => *all |= lanes,
                                None => together.push((other.pc, lanes)),
                            }
                        }
                    }
                }
                let present = together.iter().fold(0, |all, (_, lanes)| all | lanes);
                if named & machine.live() & !present != 0 {
                    continue;
                }
                for &(pc, lanes) in &together {
                    let End::Sync { op, next, .. } = program.blocks[pc as usize].end else { continue };
                    perform(ctx, op.map(|op| &program.ops[op as usize]), lanes);
                    counters[pc as usize].executions += 1;
                    counters[pc as usize].lanes += u64::from(lanes.count_ones());
                    ctx.clock += program.blocks[pc as usize].insts.len() as u64;
                    machine.resume(lanes, next);
                }
                continue 'again;
            }
        }
        return;
    }
}
