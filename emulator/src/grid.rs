//! The grid: which blocks run, on which host thread, and what comes out of it.
//!
//! At most as many blocks are resident as the launch says; each host thread has its share of them. A host thread runs
//! one block for as long as that gets on, and takes up another one only when the blocks it has have used up their slices: a
//! grid whose blocks are independent needs the registers of one block, and one whose blocks wait for each other gets all
//! the room it is entitled to. Blocks are taken in order and never given back before they have ended.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use ptx_parser::{Component, SpecialName};

use crate::counts::{Counters, Counts, by_line};
use crate::cta::{Cta, Progress, Stop, Worker};
use crate::error::Error;
use crate::launch::{Launch, Machine as Kind, Report};
use crate::machines::its::Its;
use crate::machines::stack::Stack;
use crate::machines::{Machine, State};
use crate::memory::{Memory, Regions};
use crate::outcome::{Fault, FaultKind, Outcome, Place};
use crate::program::{Program, Source};

/// What a block may run before the next resident one gets its turn, in weights of code blocks.
const SLICE: i64 = 1 << 18;

/// What all host threads of a launch share.
pub(crate) struct Env<'a> {
    pub(crate) program: &'a Program,
    launch: &'a Launch,
    pub(crate) grid: [u32; 3],
    /// Threads of a block.
    pub(crate) threads: u32,
    /// Warps of a block.
    pub(crate) warps: u32,
    /// Shared memory of a block, static and dynamic.
    pub(crate) shared_bytes: u32,
    pub(crate) regions: Regions,
    params: Vec<u64>,
    /// Addresses of the module variables.
    globals: Vec<u64>,
    /// Constant rows that differ from block to block: row, whether of 64 bits, what it holds.
    pub(crate) block_rows: Vec<(u32, bool, Source)>,
    /// Only one host thread runs.
    pub(crate) solo: bool,
    next: AtomicU64,
    total: u64,
    budget: AtomicI64,
    stop: AtomicBool,
    outcome: Mutex<Option<Outcome>>,
    /// Counts turns that wrote to memory.
    epoch: AtomicU64,
    /// Per host thread: the epoch at which all its blocks repeated themselves; [`FINISHED`] once it has no blocks.
    still: Vec<AtomicU64>,
    /// All host threads agree that nothing gets on any more.
    deadlocked: AtomicBool,
}

/// A host thread that has nothing left to do waits for nobody. See [`Env::still`].
const FINISHED: u64 = u64::MAX;
/// A host thread whose blocks get on.
const BUSY: u64 = u64::MAX - 1;

/// Launches a kernel and runs it to its end.
///
/// What the kernel does wrong is in the report. Module variables that the memory does not hold yet are allocated first.
///
/// # Errors
/// If the launch cannot be made: wrong arguments, a shape that no device has, a block that does not fit.
pub fn run(program: &Program, memory: &mut Memory, launch: &Launch) -> Result<Report, Error> {
    let resident = launch.check(program)?;
    let mut params = launch.parameters(program)?;
    program.load(memory);
    let globals = program.globals.iter().map(|g| memory.symbol(&g.name).map_or(0, |p| p.address())).collect();
    let copy = params.clone();
    let regions = memory.regions(&mut params, program.param_bytes);
    let total = launch.grid.iter().map(|&n| u64::from(n)).product::<u64>();
    let workers = (launch.threads.max(1) as u64).min(resident).min(total);
    let env = Env::new(program, launch, copy, globals, regions, workers);
    let counters = match launch.machine {
        Kind::Stack => run_all::<Stack>(&env, memory, resident),
        Kind::Its => run_all::<Its>(&env, memory, resident),
    };
    let mut outcome = env.outcome.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(Outcome::Fault(fault)) = &mut outcome {
        fault.nearest = memory.nearest(fault.address).map(|(name, start, bytes)| (name.into(), start.address(), bytes));
    }
    let counts = counters.instructions(program, &launch.chip);
    let (ptx_lines, lines) = by_line(program, &counts);
    let mut sum = Counts::default();
    counts.iter().for_each(|counts| sum += *counts);
    let outcome = outcome.unwrap_or(Outcome::Finished);
    Ok(Report { outcome, counts: sum, lines, ptx_lines, resident_blocks: resident })
}

/// Runs the grid on as many host threads as there are shares.
///
/// These are threads of the operating system and not tasks of a pool: blocks may wait for blocks of another share, so that
/// every share must get on at all times.
fn run_all<M: Machine>(env: &Env<'_>, memory: &Memory, resident: u64) -> Counters {
    let workers = env.still.len() as u64;
    let share = |worker: u64| resident / workers + u64::from(worker < resident % workers);
    let (counters, left) = if workers == 1 {
        work::<M>(env, 0, resident)
    } else {
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..workers)
                .map(|worker| scope.spawn(move || work::<M>(env, worker as usize, share(worker))))
                .collect();
            let mut sum = Counters::new(env.program);
            let mut left = Vec::new();
            for handle in handles {
                match handle.join() {
                    Ok((counters, ctas)) => {
                        sum.add(&counters);
                        left.extend(ctas);
                    }
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            (sum, left)
        })
    };
    if env.deadlocked.load(Ordering::Relaxed) {
        env.finish(deadlock(env, memory, left));
    }
    counters
}

/// One host thread: takes blocks and runs them until there are none left. Returns the blocks that never ended.
fn work<M: Machine>(env: &Env<'_>, number: usize, share: u64) -> (Counters, Vec<Cta<M>>) {
    let mut worker = Worker::new(env);
    let mut active: Vec<Cta<M>> = Vec::new();
    let mut idle: Vec<Cta<M>> = Vec::new();
    let mut round = 0u64;
    while !env.stop.load(Ordering::Relaxed) {
        // All resident blocks have had their slice: as many again may start.
        let room = (share as usize).saturating_sub(active.len()).min(active.len().max(1));
        for _ in 0..room {
            let Some(block) = env.take() else { break };
            let mut cta = idle.pop().unwrap_or_else(|| Cta::new(env));
            cta.start(env, block);
            match cta.run(&mut worker, SLICE) {
                Progress::Done => idle.push(cta),
                Progress::Slice | Progress::Repeats => active.push(cta),
                Progress::Stopped(stop) => env.finish(stop_outcome(env, &cta, stop)),
            }
            if env.stop.load(Ordering::Relaxed) {
                break;
            }
        }
        let no_more = env.next.load(Ordering::Relaxed) >= env.total;
        if active.is_empty() && no_more {
            break;
        }
        if worker.budget_is_spent() {
            env.finish_budget(&active);
            break;
        }
        // Watching costs time, so it is done in ever fewer rounds, except where it has just found something.
        round += 1;
        let full = active.len() as u64 == share || no_more;
        worker.watch = full && (round.is_power_of_two() || env.still[number].load(Ordering::SeqCst) < BUSY);
        let epoch = env.epoch();
        let mut still = worker.watch;
        let mut position = 0;
        while position < active.len() && !env.stop.load(Ordering::Relaxed) {
            let progress = active[position].run(&mut worker, SLICE);
            still &= matches!(progress, Progress::Repeats);
            match progress {
                Progress::Done => idle.push(active.swap_remove(position)),
                Progress::Slice | Progress::Repeats => position += 1,
                Progress::Stopped(stop) => env.finish(stop_outcome(env, &active[position], stop)),
            }
        }
        worker.watch = false;
        env.stands_still(number, epoch, still);
    }
    env.still[number].store(FINISHED, Ordering::SeqCst);
    (worker.counters, active)
}

/// What a launch is in which all resident blocks wait or repeat themselves for ever.
fn deadlock<M: Machine>(env: &Env<'_>, memory: &Memory, ctas: Vec<Cta<M>>) -> Outcome {
    let mut running: Vec<Place> = ctas.iter().flat_map(|cta| places(env, cta, State::Ready)).collect();
    let mut waiting: Vec<Place> = ctas.iter().flat_map(|cta| places(env, cta, State::Arrived)).collect();
    let waiting_blocks = env.total.saturating_sub(env.next.load(Ordering::Relaxed));
    if !waiting.is_empty() && gets_on(env, memory, ctas) {
        let warp = |place: &Place| (place.block, place.warp);
        let involved: Vec<_> = waiting.iter().map(warp).collect();
        running.retain(|place| involved.contains(&warp(place)));
        running.truncate(64);
        waiting.truncate(64);
        return Outcome::SimtDeadlock { running, waiting };
    }
    running.truncate(64);
    if waiting_blocks > 0 { Outcome::Starvation { running, waiting_blocks } } else { Outcome::Livelock { running } }
}

/// Whether blocks that stand still get on with a program counter per thread. They are continued on a copy of the memory, so
/// that what the launch left stays as it is.
fn gets_on<M: Machine>(env: &Env<'_>, memory: &Memory, ctas: Vec<Cta<M>>) -> bool {
    /// After so many rounds in which something still changes, the answer is yes.
    const ROUNDS: u32 = 64;
    let mut copy = memory.clone();
    let mut params = env.params.clone();
    let regions = copy.regions(&mut params, env.program.param_bytes);
    let fair = Env::new(env.program, env.launch, env.params.clone(), env.globals.clone(), regions, 1);
    // Blocks that have not started find no room there either.
    fair.next.store(fair.total, Ordering::Relaxed);
    let mut worker = Worker::new(&fair);
    worker.watch = true;
    let mut active: Vec<Cta<Its>> = ctas.into_iter().map(Cta::under_its).collect();
    for _ in 0..ROUNDS {
        let epoch = fair.epoch();
        let before = active.len();
        let mut repeats = true;
        active.retain_mut(|cta| {
            let progress = cta.run(&mut worker, SLICE);
            repeats &= progress == Progress::Repeats;
            matches!(progress, Progress::Slice | Progress::Repeats)
        });
        if active.is_empty() {
            return true;
        }
        if repeats && active.len() == before && fair.epoch() == epoch {
            return false;
        }
    }
    true
}

impl<'a> Env<'a> {
    fn new(
        program: &'a Program,
        launch: &'a Launch,
        params: Vec<u64>,
        globals: Vec<u64>,
        regions: Regions,
        workers: u64,
    ) -> Env<'a> {
        let block_specials = |source: &Source| {
            use SpecialName::*;
            matches!(source, Source::Special(special) if matches!(special.name, Ctaid | Clusterid | Smid))
        };
        let rows32 = program.consts32.iter().map(|&(row, source)| (row, false, source));
        let rows64 = program.consts64.iter().map(|&(row, source)| (row, true, source));
        let threads = launch.block.iter().product::<u32>();
        let budget = if launch.step_budget == 0 { i64::MAX } else { launch.step_budget.min(i64::MAX as u64) as i64 };
        Env {
            program,
            launch,
            grid: launch.grid,
            threads,
            warps: threads.div_ceil(32),
            shared_bytes: program.shared_bytes + launch.shared_bytes,
            regions,
            params,
            globals,
            block_rows: rows32.chain(rows64).filter(|(_, _, source)| block_specials(source)).collect(),
            solo: workers == 1,
            next: AtomicU64::new(0),
            total: launch.grid.iter().map(|&n| u64::from(n)).product(),
            budget: AtomicI64::new(budget),
            stop: AtomicBool::new(false),
            outcome: Mutex::new(None),
            epoch: AtomicU64::new(0),
            still: (0..workers).map(|_| AtomicU64::new(BUSY)).collect(),
            deadlocked: AtomicBool::new(false),
        }
    }

    /// How often a turn has written to memory.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::SeqCst)
    }

    /// A turn wrote to memory.
    pub(crate) fn advance_epoch(&self) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
    }

    /// A host thread says whether all its blocks repeated themselves since an epoch. When all say so of the same epoch,
    /// and it is still that one, the launch ends.
    fn stands_still(&self, number: usize, epoch: u64, still: bool) {
        let still = still && self.epoch() == epoch;
        self.still[number].store(if still { epoch } else { BUSY }, Ordering::SeqCst);
        if !still {
            return;
        }
        let agrees = |other: &AtomicU64| matches!(other.load(Ordering::SeqCst), at if at == epoch || at == FINISHED);
        if self.still.iter().all(agrees) && self.epoch() == epoch {
            self.deadlocked.store(true, Ordering::Relaxed);
            self.stop.store(true, Ordering::Relaxed);
        } else {
            // The others get on; there is nothing to do here until they change something.
            std::thread::yield_now();
        }
    }

    fn take(&self) -> Option<u64> {
        // Checked first, so that the counter cannot run over however often it is asked.
        if self.next.load(Ordering::Relaxed) >= self.total {
            return None;
        }
        let block = self.next.fetch_add(1, Ordering::Relaxed);
        (block < self.total).then_some(block)
    }

    /// Takes steps off the budget; true if the launch is to end.
    pub(crate) fn spend(&self, steps: u64) -> bool {
        let before = self.budget.fetch_sub(steps as i64, Ordering::Relaxed);
        before <= steps as i64 || self.stop.load(Ordering::Relaxed)
    }

    /// Ends the launch; the first outcome counts.
    fn finish(&self, outcome: Outcome) {
        let mut slot = self.outcome.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        slot.get_or_insert(outcome);
        self.stop.store(true, Ordering::Relaxed);
    }

    fn finish_budget<M: Machine>(&self, active: &[Cta<M>]) {
        let deadlocked = self.deadlocked.load(Ordering::Relaxed);
        if !deadlocked && !self.stop.load(Ordering::Relaxed) {
            let running = active.iter().flat_map(|cta| places(self, cta, State::Ready)).take(64).collect();
            self.finish(Outcome::Budget { running });
        }
    }

    /// What a constant row holds in a lane of a warp.
    pub(crate) fn value(&self, source: Source, block: [u32; 3], warp: u32, lane: u32) -> u64 {
        let special = match source {
            Source::Bits(bits) => return bits,
            Source::Global(number, offset) => return self.globals[number as usize].wrapping_add_signed(offset),
            Source::Param(offset, bytes, signed) => return self.parameter(offset, bytes, signed),
            Source::Special(special) => special,
        };
        let component = match special.component {
            None | Some(Component::X) => 0,
            Some(Component::Y) => 1,
            Some(Component::Z) => 2,
            Some(Component::W) => 3,
        };
        let pick = |of: [u32; 3]| u64::from(of.get(component).copied().unwrap_or(0));
        let [x, y, _] = self.launch.block;
        use SpecialName::*;
        let thread = 32 * warp + lane;
        let bit = 1u64 << lane;
        match special.name {
            Tid => pick([thread % x, thread / x % y, thread / (x * y)]),
            Ntid => pick(self.launch.block),
            Ctaid | Clusterid => pick(block),
            Nctaid | Nclusterid => pick(self.grid),
            Laneid => u64::from(lane),
            Warpid => u64::from(warp),
            Nwarpid => u64::from(self.launch.chip.threads / 32),
            Smid => {
                let [gx, gy, _] = self.grid;
                let linear = (u64::from(block[2]) * u64::from(gy) + u64::from(block[1])) * u64::from(gx);
                (linear + u64::from(block[0])) % u64::from(self.launch.chip.multiprocessors)
            }
            Nsmid => u64::from(self.launch.chip.multiprocessors),
            ClusterNctaid | ClusterNctarank => 1,
            LanemaskEq => bit,
            LanemaskLe => bit | (bit - 1),
            LanemaskLt => bit - 1,
            LanemaskGe => u64::from(u32::MAX) & !(bit - 1),
            LanemaskGt => u64::from(u32::MAX) & !(bit | (bit - 1)),
            TotalSmem | AggrSmem => u64::from(self.shared_bytes),
            DynamicSmem => u64::from(self.launch.shared_bytes),
            _ => 0,
        }
    }

    /// Bytes of the parameter block, extended to 64 bits.
    fn parameter(&self, offset: u64, bytes: u32, signed: bool) -> u64 {
        let byte = |at: u64| self.params.get((at / 8) as usize).map_or(0, |word| word >> (8 * (at % 8)) & 0xff);
        let value = (0..u64::from(bytes.min(8))).fold(0, |value, i| value | byte(offset + i) << (8 * i));
        let unused = 64 - 8 * bytes.clamp(1, 8);
        if signed { ((value << unused).cast_signed() >> unused).cast_unsigned() } else { value }
    }
}

/// The groups of a block that are in a state, as places.
fn places<M: Machine>(env: &Env<'_>, cta: &Cta<M>, state: State) -> Vec<Place> {
    let mut places = Vec::new();
    for (number, warp) in cta.warps.iter().enumerate() {
        for group in warp.machine.groups().into_iter().filter(|group| group.state == state) {
            let site = env.program.block_site(group.pc, false);
            places.push(Place { site, block: cta.linear, warp: number as u32, lanes: group.lanes });
        }
    }
    places
}

/// The outcome of a block that could not go on.
fn stop_outcome<M: Machine>(env: &Env<'_>, cta: &Cta<M>, stop: Stop) -> Outcome {
    let thread = |warp: u32, lane: u32| {
        let [x, y, _] = env.launch.block;
        let thread = 32 * warp + lane;
        [thread % x, thread / x % y, thread / (x * y)]
    };
    match stop {
        Stop::Fault(warp, fault) => {
            let fault = fault.0;
            let inst = &env.program.insts[fault.id as usize];
            Outcome::Fault(Box::new(Fault {
                kind: fault.kind,
                site: env.program.site(inst),
                opcode: inst.opcode.to_string(),
                address: fault.address,
                bytes: fault.bytes,
                block: cta.index,
                thread: thread(warp, fault.lane),
                lane: fault.lane,
                nearest: None,
            }))
        }
        Stop::Trap(warp, lane, pc) => Outcome::Fault(Box::new(Fault {
            kind: FaultKind::Trap,
            site: env.program.block_site(pc, true),
            opcode: "trap".into(),
            address: 0,
            bytes: 0,
            block: cta.index,
            thread: thread(warp, lane),
            lane,
            nearest: None,
        })),
        Stop::Divergence(warp, pc, lanes, missing) => {
            let place = |pc, lanes| Place { site: env.program.block_site(pc, false), block: cta.linear, warp, lanes };
            let groups = cta.warps[warp as usize].machine.groups();
            let absent = groups.iter().filter(|group| group.lanes & missing != 0);
            Outcome::BarrierDivergence {
                waiting: vec![place(pc, lanes)],
                missing: absent.map(|group| place(group.pc, group.lanes & missing)).collect(),
            }
        }
        Stop::Stuck => stuck(env, cta),
    }
}

/// All warps wait: those at the barrier or operation that the first waiting group is at, and those elsewhere.
fn stuck<M: Machine>(env: &Env<'_>, cta: &Cta<M>) -> Outcome {
    let all = places(env, cta, State::Waiting);
    let first = all.first().map(|place| place.site.clone());
    let (waiting, missing) = all.into_iter().partition(|place| Some(&place.site) == first.as_ref());
    Outcome::BarrierDivergence { waiting, missing }
}
