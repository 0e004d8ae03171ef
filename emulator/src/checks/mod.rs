//! Checks of a kernel's accesses to memory that a launch makes only if asked to: reads of bytes that nobody has written, and races.
//!
//! A checked launch runs on one host thread, and every memory instruction is shown to the checker before it runs. The kernel goes on
//! whatever is found; the report has the findings.
//!
//! **Uninitialised memory.** Every byte of a buffer is unwritten until the host or a kernel writes it; those of shared and local memory are
//! unwritten when a block begins. Module variables, constant memory and parameters count as written. A load or atomic of a byte that is not
//! written is a finding, whatever becomes of the value: copying a structure with padding shows up too. After a launch without this
//! check all memory counts as written, because nobody saw what was.
//!
//! **Races.** See `races.rs` and, for what orders two accesses, `clock.rs`.
//!
//! Instructions that move memory without registers (`cp.async` and its like) are not seen by the checks; what they write counts as
//! unwritten.

pub(crate) mod access;
pub(crate) mod clock;
mod display;
pub(crate) mod races;
pub(crate) mod written;

use rustc_hash::FxHashMap;

use crate::error::Site;
use crate::exec::access::addresses;
use crate::exec::rows::lanes;
use crate::exec::{Ctx, Op};
use crate::launch::in_three;
use crate::memory::Memory;
use crate::program::Program;

use access::{Access, Kind, MemorySpace};
use clock::Thread;
use races::{Races, Side};
use written::Bits;

/// Which checks a launch makes. None by default: they cost a multiple of the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Reads of bytes that nobody has written.
    pub uninitialised: bool,
    /// Accesses by different threads that nothing orders.
    pub races: bool,
}

impl Checks {
    /// Whether any is made.
    #[must_use]
    pub fn any(self) -> bool {
        self.uninitialised || self.races
    }
}

/// Where in memory something was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The state space.
    pub space: MemorySpace,
    /// In global memory the device address, else the offset in the space.
    pub address: u64,
    /// In global memory the allocation's name, the offset in it, and its size in bytes.
    pub allocation: Option<(String, u64, u64)>,
}

/// A thread at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accessor {
    /// The instruction.
    pub site: Site,
    /// Its opcode.
    pub opcode: String,
    /// Block index in three dimensions.
    pub block: [u32; 3],
    /// Thread index in three dimensions.
    pub thread: [u32; 3],
    /// Whether it writes.
    pub writes: bool,
}

/// A read of bytes that nobody has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UninitialisedRead {
    /// Who read first.
    pub reader: Accessor,
    /// Where.
    pub spot: Spot,
    /// The size of the access in bytes.
    pub bytes: u32,
    /// How many reads of the instruction, counted per lane, were of such bytes.
    pub count: u64,
}

/// Two accesses to the same memory that nothing orders, at least one of which writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// Where, the first time.
    pub spot: Spot,
    /// Who came first.
    pub first: Accessor,
    /// Who came second.
    pub second: Accessor,
    /// How often the two instructions raced, counted per lane.
    pub count: u64,
}

/// What the checks of a launch found. `None` is a check that was not made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// One entry per instruction.
    pub uninitialised: Option<Vec<UninitialisedRead>>,
    /// One entry per pair of instructions, the first 256 of them.
    pub races: Option<Vec<Race>>,
}

impl Findings {
    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.uninitialised.as_ref().is_none_or(Vec::is_empty) && self.races.as_ref().is_none_or(Vec::is_empty)
    }
}

/// What has been written in the memories of a block.
struct Private {
    shared: Bits,
    /// Per thread, as far as it has accessed its local memory.
    local: FxHashMap<u32, Bits>,
}

/// The first read by an instruction of bytes that nobody has written, and how many there were.
struct Unwritten {
    thread: Thread,
    space: MemorySpace,
    address: u64,
    inst: u32,
    bytes: u8,
    count: u64,
}

/// The check for uninitialised memory.
struct Shadow {
    /// The allocations: start, and what has been written. Sorted by address.
    global: Vec<(u64, Bits)>,
    blocks: FxHashMap<u64, Private>,
    found: Vec<Unwritten>,
    /// Where an instruction is in `found`.
    by_inst: FxHashMap<u32, usize>,
    shared_bytes: u32,
    local_bytes: u32,
}

impl Shadow {
    fn bits(&mut self, thread: Thread, space: MemorySpace, address: u64) -> Option<(&mut Bits, u64)> {
        if space == MemorySpace::Global {
            let index = self.global.partition_point(|(start, _)| *start <= address).checked_sub(1)?;
            let (start, bits) = self.global.get_mut(index)?;
            return Some((bits, address - *start));
        }
        let (shared, local) = (u64::from(self.shared_bytes), u64::from(self.local_bytes));
        let private = || Private { shared: Bits::new(shared), local: FxHashMap::default() };
        let block = self.blocks.entry(thread.block).or_insert_with(private);
        let bits = match space {
            MemorySpace::Shared => &mut block.shared,
            _ => block.local.entry(thread.index).or_insert_with(|| Bits::new(local)),
        };
        Some((bits, address))
    }

    fn access(&mut self, thread: Thread, inst: u32, access: Access, space: MemorySpace, address: u64) {
        let length = u64::from(access.bytes);
        let Some((bits, at)) = self.bits(thread, space, address) else { return };
        let known = access.kind == Kind::Write || bits.has(at, length);
        if access.kind != Kind::Read {
            bits.set(at, length);
        }
        if known {
            return;
        }
        match self.by_inst.get(&inst) {
            Some(&index) => self.found[index].count += 1,
            None => {
                self.by_inst.insert(inst, self.found.len());
                self.found.push(Unwritten { thread, space, address, inst, bytes: access.bytes, count: 1 });
            }
        }
    }
}

/// Watches the accesses of a launch.
pub(crate) struct Checker {
    shadow: Option<Shadow>,
    races: Option<Races>,
}

impl Checker {
    pub(crate) fn new(checks: Checks, memory: &Memory, shared_bytes: u32, local_bytes: u32) -> Checker {
        let shadow = || Shadow {
            global: memory.written(),
            blocks: FxHashMap::default(),
            found: Vec::new(),
            by_inst: FxHashMap::default(),
            shared_bytes,
            local_bytes,
        };
        Checker { shadow: checks.uninitialised.then(shadow), races: checks.races.then(Races::default) }
    }

    /// An instruction is about to run for the lanes of `ctx.mask`.
    pub(crate) fn access(&mut self, ctx: &Ctx<'_>, op: &Op, access: Access, block: u64, warp: u32) {
        if let Some(races) = &mut self.races {
            races.clock.now += 1;
        }
        let thread = |lane: usize| Thread { block, index: 32 * warp + lane as u32 };
        // What is acquired is known to the access itself, and what is released does not include it.
        if let Some(races) = self.races.as_mut().filter(|_| access.acquires || access.releases) {
            lanes(ctx.mask).for_each(|lane| races.clock.order(thread(lane), access.acquires, access.releases));
        }
        if access.kind == Kind::Fence {
            return;
        }
        let addresses = addresses(ctx, op);
        for lane in lanes(ctx.mask) {
            let (space, address) = access.place(addresses[lane]);
            if let Some(shadow) = &mut self.shadow {
                shadow.access(thread(lane), op.id, access, space, address);
            }
            if let Some(races) = &mut self.races {
                races.access(thread(lane), op.id, access, space, address);
            }
        }
    }

    /// A barrier of a block has opened.
    pub(crate) fn barrier(&mut self, block: u64) {
        if let Some(races) = &mut self.races {
            races.clock.barrier(block);
        }
    }

    /// Lanes of a warp have waited for each other.
    pub(crate) fn warp_sync(&mut self, block: u64, warp: u32) {
        if let Some(races) = &mut self.races {
            races.clock.warp_sync(block, warp);
        }
    }

    /// A block has ended.
    pub(crate) fn leave(&mut self, block: u64) {
        if let Some(races) = &mut self.races {
            races.leave(block);
        }
        if let Some(shadow) = &mut self.shadow {
            shadow.blocks.remove(&block);
        }
    }

    /// What was found. The memory learns what has been written.
    pub(crate) fn finish(self, memory: &mut Memory, places: &Places<'_>) -> Findings {
        let uninitialised = self.shadow.map(|shadow| {
            memory.set_written(&shadow.global);
            let read = |found: Unwritten| UninitialisedRead {
                reader: places.accessor(Side { thread: found.thread, inst: found.inst, writes: false }),
                spot: spot(memory, found.space, found.address),
                bytes: found.bytes.into(),
                count: found.count,
            };
            shadow.found.into_iter().map(read).collect()
        });
        let races = self.races.map(|races| {
            let race = |race: races::RawRace| Race {
                spot: spot(memory, race.space, race.address),
                first: places.accessor(race.first),
                second: places.accessor(race.second),
                count: race.count,
            };
            races.into_found().into_iter().map(race).collect()
        });
        Findings { uninitialised, races }
    }
}

fn spot(memory: &Memory, space: MemorySpace, address: u64) -> Spot {
    let nearest = (space == MemorySpace::Global).then(|| memory.nearest(address)).flatten();
    let inside = nearest.filter(|(_, start, _)| start.address() <= address);
    let allocation = inside.map(|(name, start, bytes)| (name.to_owned(), address - start.address(), bytes));
    Spot { space, address, allocation }
}

/// What turns numbers of threads and instructions into what a report says.
pub(crate) struct Places<'a> {
    pub(crate) program: &'a Program,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
}

impl Places<'_> {
    fn accessor(&self, side: Side) -> Accessor {
        let inst = &self.program.insts[side.inst as usize];
        Accessor {
            site: self.program.site(inst),
            opcode: inst.opcode.to_string(),
            block: in_three(side.thread.block, self.grid),
            thread: in_three(side.thread.index.into(), self.block),
            writes: side.writes,
        }
    }
}
