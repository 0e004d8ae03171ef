//! The data that all host threads of a launch share: the program, the memory, the counters by which they agree, and the
//! values of constants.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};

use cranelift_entity::{PrimaryMap, entity_impl};
use ptx_parser::{Component, SpecialName};

use crate::api::launch::{Launch, in_three};
use crate::api::outcome::Outcome;
use crate::exec::system::System;
use crate::machines::Setup;
use crate::memory::heap::Heap;
use crate::memory::regions::Regions;
use crate::observe::Observer;
use crate::program::Program;
use crate::program::launch_fit::RESERVED_SHARED;
use crate::program::registers::Source;
use crate::program::storage::GlobalId;

/// The data that all host threads of a launch share.
pub(crate) struct Env<'a> {
    pub(crate) program: &'a Program,
    pub(crate) launch: &'a Launch,
    pub(crate) grid: [u32; 3],
    /// Threads of a block.
    pub(crate) threads: u32,
    /// Warps of a block.
    pub(crate) warps: u32,
    /// Shared memory of a block, with what is reserved where the kernel asks for that.
    pub(crate) shared_bytes: u32,
    pub(crate) regions: Regions,
    pub(crate) params: Vec<u64>,
    /// Addresses of the module variables.
    pub(crate) globals: PrimaryMap<GlobalId, u64>,
    /// See [`Inputs::workspace`].
    pub(crate) workspace: u64,
    /// Constant rows that differ from block to block: row, whether of 64 bits, what it holds.
    pub(crate) block_rows: Vec<(u32, bool, Source)>,
    /// The options of the launch that machines use.
    pub(crate) setup: Setup,
    /// Output, heap, assertions.
    pub(crate) system: System<'a>,
    /// Only one host thread runs.
    pub(crate) solo: bool,
    pub(crate) next: Line<AtomicU64>,
    pub(crate) total: u64,
    budget: Line<AtomicI64>,
    pub(crate) stop: AtomicBool,
    pub(crate) outcome: Mutex<Option<Outcome>>,
    /// Per host thread, how many of its turns wrote to memory.
    written: PrimaryMap<HostThread, Line<AtomicU64>>,
    /// Per host thread: the epoch at which all its blocks repeated themselves; [`FINISHED`] once it has no blocks.
    pub(crate) still: PrimaryMap<HostThread, Line<AtomicU64>>,
    /// The number of rounds of host threads that are watched because one of them was due to be. Threads that are not
    /// watched report every store as a change. A host thread can therefore detect that nothing changes only while the
    /// others are watched too.
    watched_rounds: AtomicI64,
    /// The [`patience`](crate::verdict::progress::Attention::patience) of these rounds.
    patience: AtomicU32,
    /// All host threads agree that nothing gets on any more.
    pub(crate) deadlocked: AtomicBool,
    /// Until the worker takes it: there is only one then.
    pub(crate) observer: Mutex<Option<Box<Observer>>>,
}

/// The memory that a launch works on.
pub(crate) struct Inputs {
    pub(crate) params: Vec<u64>,
    /// Addresses of the module variables.
    pub(crate) globals: PrimaryMap<GlobalId, u64>,
    /// Address of what the blocks of a cooperative launch share; 0 in any other launch.
    pub(crate) workspace: u64,
    pub(crate) regions: Regions,
    pub(crate) heap: Heap,
}

/// A value that changes while host threads run, in a cache line of its own. Otherwise each change would evict adjacent
/// data from the caches of other threads.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Line<T>(pub(crate) T);

/// The most blocks that a host thread takes at a time.
const BATCH: u64 = 16;
/// Steps that a host thread may keep to itself before it tells the budget, as long as that is far from used up.
const GRAIN: u64 = 1 << 16;

/// A host thread that has nothing left to do waits for nobody. See [`Env::still`].
pub(crate) const FINISHED: u64 = u64::MAX;
/// A host thread whose blocks get on.
pub(crate) const BUSY: u64 = u64::MAX - 1;

/// The number of a host thread among those of a launch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct HostThread(u32);
entity_impl!(HostThread, "thread");

/// The host thread that the launch begins on.
pub(crate) const FIRST: HostThread = HostThread(0);

impl<'a> Env<'a> {
    /// Returns what a launch begins with.
    pub(crate) fn new(program: &'a Program, launch: &'a Launch, inputs: Inputs, setup: Setup, workers: u64) -> Env<'a> {
        let Inputs { params, globals, workspace, regions, heap } = inputs;
        let block_specials = |source: &Source| {
            use SpecialName::*;
            matches!(source, Source::Special(special) if matches!(special.name, Ctaid | Clusterid | Smid))
        };
        let rows32 = program.registers.consts32.iter().map(|&(row, source)| (row, false, source));
        let rows64 = program.registers.consts64.iter().map(|&(row, source)| (row, true, source));
        let threads = launch.block.iter().product::<u32>();
        let budget = if launch.step_budget == 0 { i64::MAX } else { launch.step_budget.min(i64::MAX as u64) as i64 };
        Env {
            program,
            launch,
            grid: launch.grid,
            threads,
            warps: threads.div_ceil(32),
            shared_bytes: launch.all_shared(&program.storage),
            regions,
            params,
            globals,
            workspace,
            block_rows: rows32.chain(rows64).filter(|(_, _, source)| block_specials(source)).collect(),
            setup,
            system: System::new(&program.listing, launch, heap),
            solo: workers == 1,
            next: Line::default(),
            total: launch.grid.iter().map(|&n| u64::from(n)).product(),
            budget: Line(AtomicI64::new(budget)),
            stop: AtomicBool::new(false),
            outcome: Mutex::new(None),
            written: (0..workers).map(|_| Line::default()).collect(),
            still: (0..workers).map(|_| Line(AtomicU64::new(BUSY))).collect(),
            watched_rounds: AtomicI64::new(0),
            patience: AtomicU32::new(1),
            deadlocked: AtomicBool::new(false),
            observer: Mutex::new(None),
        }
    }

    /// Without a budget of steps.
    pub(crate) fn unlimited(mut self) -> Env<'a> {
        self.budget = Line(AtomicI64::new(i64::MAX));
        self
    }

    /// Returns how often a turn has written to memory. Two equal answers mean that none has in between: no count ever decreases.
    pub(crate) fn epoch(&self) -> u64 {
        self.written.values().map(|written| written.0.load(Ordering::Acquire)).sum()
    }

    /// A turn of host thread `number` wrote to memory.
    #[inline(always)]
    pub(crate) fn advance_epoch(&self, number: HostThread) {
        let Line(count) = &self.written[number];
        // Nobody else writes this count. Who sees it advanced sees what was written before.
        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Release);
    }

    /// Sets how patient the rounds are that a host thread is about to ask all for.
    pub(crate) fn be_patient(&self, patience: u32) {
        self.patience.store(patience, Ordering::Relaxed);
    }

    /// Returns how patient watched rounds are.
    pub(crate) fn patience(&self) -> u32 {
        self.patience.load(Ordering::Relaxed)
    }

    /// Returns true if a host thread watches its next round, given whether it is due to.
    pub(crate) fn watches(&self, number: HostThread, due: bool) -> bool {
        if self.solo {
            return due || self.still[number].0.load(Ordering::SeqCst) < BUSY;
        }
        if due {
            self.watched_rounds.store(2 * self.still.len() as i64, Ordering::SeqCst);
        }
        let asked = self.watched_rounds.load(Ordering::SeqCst) > 0;
        if asked {
            self.watched_rounds.fetch_sub(1, Ordering::SeqCst);
        }
        asked || self.still[number].0.load(Ordering::SeqCst) < BUSY
    }

    /// A host thread says whether all its blocks repeated themselves since an epoch. When all say so of the same epoch,
    /// and it is still that one, the launch ends.
    pub(crate) fn stands_still(&self, number: HostThread, epoch: u64, still: bool) {
        let still = still && self.epoch() == epoch;
        self.still[number].0.store(if still { epoch } else { BUSY }, Ordering::SeqCst);
        if !still {
            return;
        }
        let agrees =
            |other: &Line<AtomicU64>| matches!(other.0.load(Ordering::SeqCst), at if at == epoch || at == FINISHED);
        if self.still.values().all(agrees) && self.epoch() == epoch {
            self.deadlocked.store(true, Ordering::Relaxed);
            self.stop.store(true, Ordering::Relaxed);
        } else {
            // The others get on; there is nothing to do here until they change something.
            std::thread::yield_now();
        }
    }

    /// Blocks that nobody has taken, for one host thread to start: `most` of them, fewer near the end of the grid so that
    /// all host threads get some, none if there are none left.
    ///
    /// To take them one by one would cost two host threads as much as a short block does.
    pub(crate) fn take(&self, most: u64) -> Range<u64> {
        // Read first, so that the counter cannot run over however often it is asked.
        let left = self.total.saturating_sub(self.next.0.load(Ordering::Relaxed));
        let count = most.min(left / (4 * self.still.len() as u64)).clamp(1, BATCH);
        if left == 0 {
            return 0..0;
        }
        let first = self.next.0.fetch_add(count, Ordering::Relaxed);
        first.min(self.total)..(first + count).min(self.total)
    }

    /// Returns true if the steps are so few that they need not be reported yet.
    pub(crate) fn may_keep_batching(&self, steps: u64) -> bool {
        steps < GRAIN && self.budget.0.load(Ordering::Relaxed) > 256 * GRAIN as i64
    }

    /// Returns true if the launch is to end, as far as is known without telling the budget anything.
    pub(crate) fn is_over(&self) -> bool {
        let interrupted = self.launch.monitor.as_ref().is_some_and(|monitor| monitor.is_interrupted());
        interrupted || self.stop.load(Ordering::Relaxed)
    }

    /// Takes steps off the budget; true if the launch is to end. Whoever watches it is told, of ended blocks as well.
    pub(crate) fn spend(&self, steps: u64, ended: u64) -> bool {
        let before = self.budget.0.fetch_sub(steps as i64, Ordering::Relaxed);
        if let Some(monitor) = &self.launch.monitor {
            monitor.advance(steps, ended);
        }
        before <= steps as i64 || self.is_over()
    }

    /// Returns what the budget has left, as far as it has been told.
    pub(crate) fn left(&self) -> u32 {
        u32::try_from(self.budget.0.load(Ordering::Relaxed).max(0)).unwrap_or(u32::MAX)
    }

    /// Ends the launch; the first outcome counts.
    pub(crate) fn finish(&self, outcome: Outcome) {
        let mut slot = self.outcome.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        slot.get_or_insert(outcome);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns what a constant row holds in a lane of a warp.
    pub(crate) fn value(&self, source: Source, block: [u32; 3], warp: u32, lane: u32) -> u64 {
        let special = match source {
            Source::Bits(bits) => return bits,
            Source::Global(number, offset) => return self.globals[number].wrapping_add_signed(offset),
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
        use SpecialName::*;
        let thread = 32 * warp + lane;
        let bit = 1u64 << lane;
        match special.name {
            Tid => pick(in_three(u64::from(thread), self.launch.block)),
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
            TotalSmem => u64::from(self.launch.user_shared(&self.program.storage)),
            AggrSmem => {
                u64::from(self.launch.user_shared(&self.program.storage) + self.launch.chip.reserved_shared_bytes)
            }
            DynamicSmem => u64::from(self.launch.shared_bytes),
            // The second half is for libraries, the first for the rest of the system.
            ReservedSmemBegin | ReservedSmem0 => u64::from(self.shared_bytes - RESERVED_SHARED),
            ReservedSmem1 => u64::from(self.shared_bytes - RESERVED_SHARED / 2),
            ReservedSmemEnd | ReservedSmemCap => u64::from(self.shared_bytes),
            Envreg(1) => self.workspace >> 32,
            Envreg(2) => self.workspace & u64::from(u32::MAX),
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
