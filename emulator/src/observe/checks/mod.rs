//! Checks of a kernel's accesses to memory that a launch makes only if asked to: reads of bytes that nobody has written, and races.
//!
//! A checked launch runs on one host thread, and every memory instruction is shown to the checker before it runs. The kernel goes on
//! whatever is found; the report has the findings.
//!
//! **Uninitialised memory.** Every byte of a buffer is unwritten until the host or a kernel writes it; those of shared and local memory are
//! unwritten when a block begins. Module variables, constant memory, parameters and the stack of recursive functions count as written. A load or atomic of a byte that is not
//! written is a finding, whatever becomes of the value: copying a structure with padding shows up too. After a launch without this
//! check all memory counts as written, because nobody saw what was.
//!
//! **Races.** See `races.rs` and, for what orders two accesses, `clock.rs`.
//!
//! **Asynchronous copies.** See `copies.rs`.

pub(crate) mod clock;
mod copies;
pub(crate) mod races;
mod shadow;

use crate::api::checks::{Accessor, Checks, Findings, Race, Spot, UninitialisedRead};
use crate::api::launch::{Launch, in_three};
use crate::exec::address_pattern::addresses;
use crate::exec::lanes::lanes;
use crate::exec::op::{Ctx, Op};
use crate::memory::Memory;
use crate::program::Program;
use crate::program::tables::Address;
use crate::run::warp::values;

use crate::memory::access::{Access, Kind};
use crate::memory::space::MemorySpace;
use clock::Thread;
use copies::{Copies, Piece};
use races::{Races, Side, Touch};
use shadow::{Shadow, Unwritten};

/// The most bytes of one lane's copy that are recorded. A length that exceeds all memory is a fault, and costs no time
/// here.
const MOST_COPIED: u64 = 1 << 20;

/// Watches the accesses of a launch.
pub(crate) struct Checker {
    shadow: Option<Shadow>,
    races: Option<Races>,
    copies: Copies,
}

impl Checker {
    pub(crate) fn new(checks: Checks, memory: &Memory, program: &Program, shared_bytes: u32) -> Checker {
        let shadow = checks.uninitialised.then(|| Shadow::new(memory, program, shared_bytes));
        Checker { shadow, races: checks.races.then(Races::default), copies: Copies::default() }
    }

    /// An instruction is about to run for the lanes of `ctx.mask`.
    pub(crate) fn access(&mut self, ctx: &Ctx<'_>, op: &Op, access: Access, block: u64, warp: u32) {
        let thread = |lane: usize| Thread { block, index: 32 * warp + lane as u32 };
        self.tick();
        if matches!(access.kind, Kind::Commit | Kind::Wait(_) | Kind::WaitAll) {
            lanes(ctx.mask).for_each(|lane| self.wait(ctx, thread(lane), access.kind));
            // What is released behind a wait includes what was waited for.
            self.tick();
        }
        // What is acquired is known to the access itself, and what is released does not include it.
        if let Some(races) = self.races.as_mut().filter(|_| access.acquires || access.releases) {
            lanes(ctx.mask).for_each(|lane| races.clock.order(thread(lane), access.acquires, access.releases));
        }
        match access.kind {
            Kind::Read | Kind::Write | Kind::Update => {}
            Kind::Copy => return self.copy(ctx, op, thread),
            Kind::Fence | Kind::Commit | Kind::Wait(_) | Kind::WaitAll => return,
        }
        let addresses = addresses(ctx, op);
        for (lane, address) in values(&addresses, ctx.mask) {
            let (space, address) = access.place(address);
            let bytes = u64::from(access.bytes);
            if let Some(shadow) = &mut self.shadow {
                shadow.access(ctx.system, (thread(lane), op.id), access.kind, (space, address, bytes));
            }
            if let Some(races) = &mut self.races {
                let writes = access.kind != Kind::Read;
                let touch = Touch { space, address, bytes, writes, strong: access.strong, pending: false };
                races.access(thread(lane), op.id, touch);
            }
        }
    }

    fn tick(&mut self) {
        if let Some(races) = &mut self.races {
            races.clock.now += 1;
        }
    }

    /// Lanes issue copies.
    fn copy(&mut self, ctx: &Ctx<'_>, op: &Op, thread: impl Fn(usize) -> Thread) {
        let copy = ctx.tables.copies[op.imm as usize];
        let view = |at: Address| addresses(ctx, &Op { a: at.row, imm: at.offset, ..*op });
        let space = |at: Address| if at.shared { MemorySpace::Shared } else { MemorySpace::Global };
        let (from, to) = (view(copy.from), view(copy.to));
        let bulk = copy.bytes == 0;
        for ((lane, from), (_, to)) in values(&from, ctx.mask).zip(values(&to, ctx.mask)) {
            let [count, bytes] = copy.sizes(ctx, lane).map(|bytes| u64::from(bytes).min(MOST_COPIED));
            let sides = [(copy.from, from, count, false), (copy.to, to, bytes, true)];
            for (at, address, bytes, writes) in sides.into_iter().filter(|(_, _, bytes, _)| *bytes > 0) {
                let piece = Piece { inst: op.id, space: space(at), address, bytes, writes };
                self.issue(ctx, thread(lane), piece, !bulk);
                if !bulk {
                    self.copies.issue(thread(lane), piece);
                }
            }
        }
        if bulk {
            self.tick();
            if let Some(races) = &mut self.races {
                lanes(ctx.mask).for_each(|lane| races.clock.order(thread(lane), false, true));
            }
        }
    }

    /// One side of a copy, which is done at once unless it is pending.
    fn issue(&mut self, ctx: &Ctx<'_>, thread: Thread, piece: Piece, pending: bool) {
        let Piece { inst, space, address, bytes, writes } = piece;
        if let Some(races) = &mut self.races {
            races.access(thread, inst, Touch { space, address, bytes, writes, strong: false, pending });
        }
        if let Some(shadow) = self.shadow.as_mut().filter(|_| !writes || !pending) {
            let kind = if writes { Kind::Write } else { Kind::Read };
            shadow.access(ctx.system, (thread, inst), kind, (space, address, bytes));
        }
    }

    /// A thread closes a group of copies, or has waited for some.
    fn wait(&mut self, ctx: &Ctx<'_>, thread: Thread, kind: Kind) {
        let done = match kind {
            Kind::Wait(but) => self.copies.wait(thread, but),
            Kind::WaitAll => self.copies.wait_all(thread),
            _ => {
                self.copies.commit(thread);
                return;
            }
        };
        for piece in done {
            if let Some(races) = &mut self.races {
                races.complete(thread, &piece);
            }
            if let Some(shadow) = self.shadow.as_mut().filter(|_| piece.writes) {
                let place = (piece.space, piece.address, piece.bytes);
                shadow.access(ctx.system, (thread, piece.inst), Kind::Write, place);
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
            shadow.leave(block);
        }
        self.copies.leave(block);
    }

    /// Returns what was found. The memory learns what has been written.
    pub(crate) fn finish(self, memory: &mut Memory, places: &Places<'_>) -> Findings {
        let uninitialised = self.shadow.map(|shadow| {
            let found = shadow.finish(memory);
            let read = |found: Unwritten| UninitialisedRead {
                reader: places.accessor(Side { thread: found.thread, inst: found.inst, writes: false }),
                spot: places.spot(memory, found.space, found.address),
                bytes: found.bytes,
                count: found.count,
            };
            found.into_iter().map(read).collect()
        });
        let races = self.races.map(|races| {
            let race = |race: races::RawRace| Race {
                spot: places.spot(memory, race.space, race.address),
                first: places.accessor(race.first),
                second: places.accessor(race.second),
                count: race.count,
            };
            races.into_found().into_iter().map(race).collect()
        });
        Findings { uninitialised, races, undefined: None }
    }
}

/// The context that turns numbers of threads and instructions into the entries of a report.
pub(crate) struct Places<'a> {
    pub(crate) program: &'a Program,
    pub(crate) launch: &'a Launch,
}

impl Places<'_> {
    fn spot(&self, memory: &mut Memory, space: MemorySpace, address: u64) -> Spot {
        if space == MemorySpace::Global
            && let Some((text, start, bytes)) = memory.heap().describe(address)
        {
            // Its name is where it comes from, for it has no other.
            return Spot { space, address, allocation: Some((format!("malloc: {text}"), address - start, bytes)) };
        }
        let nearest = match space {
            MemorySpace::Global => memory.nearest(address).map(|(name, start, bytes)| (name, start.address(), bytes)),
            MemorySpace::Shared => self.program.storage.nearest_shared(address, self.launch.shared_bytes),
            MemorySpace::Local => None,
        };
        // Nobody reads or writes behind an end, or the launch would have stopped; but shared variables may have gaps between them.
        let inside =
            nearest.filter(|&(_, start, bytes)| address.checked_sub(start).is_some_and(|offset| offset < bytes));
        let allocation = inside.map(|(name, start, bytes)| (name.to_owned(), address - start, bytes));
        Spot { space, address, allocation }
    }

    fn accessor(&self, side: Side) -> Accessor {
        let inst = &self.program.listing.insts[side.inst];
        Accessor {
            site: self.program.listing.site(inst),
            opcode: inst.opcode.to_string(),
            block: in_three(side.thread.block, self.launch.grid),
            thread: in_three(side.thread.index.into(), self.launch.block),
            writes: side.writes,
        }
    }
}
