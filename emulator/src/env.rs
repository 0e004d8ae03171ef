//! What all host threads of a launch share: the program, the memory, the counters by which they agree, and the values of
//! constants.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use ptx_parser::{Component, SpecialName};

use crate::heap::Heap;
use crate::launch::Launch;
use crate::machines::Setup;
use crate::memory::Regions;
use crate::observe::Observer;
use crate::outcome::Outcome;
use crate::program::{Program, Source};
use crate::system::System;

/// What all host threads of a launch share.
pub(crate) struct Env<'a> {
    pub(crate) program: &'a Program,
    pub(crate) launch: &'a Launch,
    pub(crate) grid: [u32; 3],
    /// Threads of a block.
    pub(crate) threads: u32,
    /// Warps of a block.
    pub(crate) warps: u32,
    /// Shared memory of a block, static and dynamic.
    pub(crate) shared_bytes: u32,
    pub(crate) regions: Regions,
    pub(crate) params: Vec<u64>,
    /// Addresses of the module variables.
    pub(crate) globals: Vec<u64>,
    /// Constant rows that differ from block to block: row, whether of 64 bits, what it holds.
    pub(crate) block_rows: Vec<(u32, bool, Source)>,
    /// What machines are told of the launch.
    pub(crate) setup: Setup,
    /// Output, heap, assertions.
    pub(crate) system: System<'a>,
    /// Only one host thread runs.
    pub(crate) solo: bool,
    pub(crate) next: AtomicU64,
    pub(crate) total: u64,
    budget: AtomicI64,
    pub(crate) stop: AtomicBool,
    pub(crate) outcome: Mutex<Option<Outcome>>,
    /// Counts turns that wrote to memory.
    epoch: AtomicU64,
    /// Per host thread: the epoch at which all its blocks repeated themselves; [`FINISHED`] once it has no blocks.
    pub(crate) still: Vec<AtomicU64>,
    /// How many rounds of host threads are watched because one of them was due to be: unwatched ones tell of every store as of a change,
    /// so that a host thread finds nothing still as long as others are not watched beside it.
    watched_rounds: AtomicI64,
    /// All host threads agree that nothing gets on any more.
    pub(crate) deadlocked: AtomicBool,
    /// Until the worker takes it: there is only one then.
    pub(crate) observer: Mutex<Option<Box<Observer>>>,
}

/// The memory that a launch works on.
pub(crate) struct Inputs {
    pub(crate) params: Vec<u64>,
    /// Addresses of the module variables.
    pub(crate) globals: Vec<u64>,
    pub(crate) regions: Regions,
    pub(crate) heap: Heap,
}

/// A host thread that has nothing left to do waits for nobody. See [`Env::still`].
pub(crate) const FINISHED: u64 = u64::MAX;
/// A host thread whose blocks get on.
pub(crate) const BUSY: u64 = u64::MAX - 1;

impl<'a> Env<'a> {
    /// What a launch begins with.
    pub(crate) fn new(program: &'a Program, launch: &'a Launch, inputs: Inputs, setup: Setup, workers: u64) -> Env<'a> {
        let Inputs { params, globals, regions, heap } = inputs;
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
            setup,
            system: System::new(program, launch, heap),
            solo: workers == 1,
            next: AtomicU64::new(0),
            total: launch.grid.iter().map(|&n| u64::from(n)).product(),
            budget: AtomicI64::new(budget),
            stop: AtomicBool::new(false),
            outcome: Mutex::new(None),
            epoch: AtomicU64::new(0),
            still: (0..workers).map(|_| AtomicU64::new(BUSY)).collect(),
            watched_rounds: AtomicI64::new(0),
            deadlocked: AtomicBool::new(false),
            observer: Mutex::new(None),
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

    /// Whether a host thread watches its next round, given whether it is due to.
    pub(crate) fn watches(&self, number: usize, due: bool) -> bool {
        if self.solo {
            return due || self.still[number].load(Ordering::SeqCst) < BUSY;
        }
        if due {
            self.watched_rounds.store(2 * self.still.len() as i64, Ordering::SeqCst);
        }
        let asked = self.watched_rounds.load(Ordering::SeqCst) > 0;
        if asked {
            self.watched_rounds.fetch_sub(1, Ordering::SeqCst);
        }
        asked || self.still[number].load(Ordering::SeqCst) < BUSY
    }

    /// A host thread says whether all its blocks repeated themselves since an epoch. When all say so of the same epoch,
    /// and it is still that one, the launch ends.
    pub(crate) fn stands_still(&self, number: usize, epoch: u64, still: bool) {
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

    /// The next block that has not started.
    pub(crate) fn take(&self) -> Option<u64> {
        // Checked first, so that the counter cannot run over however often it is asked.
        if self.next.load(Ordering::Relaxed) >= self.total {
            return None;
        }
        let block = self.next.fetch_add(1, Ordering::Relaxed);
        (block < self.total).then_some(block)
    }

    /// Takes steps off the budget; true if the launch is to end. Whoever watches it is told.
    pub(crate) fn spend(&self, steps: u64) -> bool {
        let before = self.budget.fetch_sub(steps as i64, Ordering::Relaxed);
        let interrupted = self.launch.monitor.as_ref().is_some_and(|monitor| {
            monitor.advance(steps);
            monitor.is_interrupted()
        });
        before <= steps as i64 || interrupted || self.stop.load(Ordering::Relaxed)
    }

    /// What the budget has left, as far as it has been told.
    pub(crate) fn left(&self) -> u32 {
        u32::try_from(self.budget.load(Ordering::Relaxed).max(0)).unwrap_or(u32::MAX)
    }

    /// Ends the launch; the first outcome counts.
    pub(crate) fn finish(&self, outcome: Outcome) {
        let mut slot = self.outcome.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        slot.get_or_insert(outcome);
        self.stop.store(true, Ordering::Relaxed);
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
        let value = (0..u64::from(bytes.min(8))).fold(0, |value, i| value | byte(offset.wrapping_add(i)) << (8 * i));
        let unused = 64 - 8 * bytes.clamp(1, 8);
        if signed { ((value << unused).cast_signed() >> unused).cast_unsigned() } else { value }
    }
}
