//! The part of a warp's state that decides where it goes, as long as it executes no blocks but some.
//!
//! A lane that spins may count its tries, look at a clock, or sleep ever longer: its registers are never twice the same, and still nothing
//! that it does brings it closer to an exit. So progress is asked of a slice of the state. Given the blocks `C` that a warp has executed, the pieces
//! of the state that *decide* at the beginning of a block are those that reach, along some path in `C`, the rows by which blocks choose their
//! ends, the fixed rows of instructions ([`Dataflow`](crate::program::dataflow::Dataflow)), and what instructions that act on memory read. A piece is a row, or a byte of
//! local memory. Then, by induction over the blocks executed, two executions that begin at one place with equal deciding pieces and equal memory execute
//! the same blocks, with equal accesses, as long as one of them stays in `C`. A warp that comes back to a place with the same deciding
//! pieces, that has executed only blocks of `C` in between, and that has changed no memory, does so for ever.
//!
//! # Clocks
//!
//! No two reads of a clock agree, and a lane may well wait for a while between two tries. *Timed* pieces are those that a clock may
//! influence at a place (`clocks.rs`): by data, what a read of a clock or an instruction that reads timed pieces writes; by control, what the blocks write
//! between a branch by a timed row and the place where its ways meet, because how often these are executed depends on the clock. The latter is timed
//! from that place on, and where the branch leads around. In between, a function that is called computes addresses in its own frame as ever.
//!
//! What is not timed goes its way whatever the clock says, if ways that part by the clock meet again in `C` and do nothing on the way but compute and
//! access local memory. So no fixed row may be timed, and states are compared outside of such ways. A time-out
//! leaves the loop: its ways do not meet in `C`, and then the whole state is compared.
//!
//! Two things are assumed of such ways. Assertions hold, so that a way on which one fails is none. A store that was not executed lately, and that
//! has accessed one place of local memory since the launch began, accesses that place.

pub(crate) mod cache;
mod clocks;
mod code;

use std::collections::BTreeSet;

use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::observe::local_accesses::Touched;
use crate::program::Program;
use crate::program::code::BlockId;
use clocks::{Clocks, execute, is_timed};
use code::{Added, BlockCode, Code, Piece, Step};

/// The reason why there is no slice: the whole state must be compared, or no state may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unknown {
    /// A clock may decide where the warp goes.
    Timed,
    /// Some of what is executed is not described by rows.
    Opaque,
}

/// The pieces that decide at one place.
#[derive(Clone, Default, Debug)]
pub(crate) struct Deciding {
    /// The rows of each file.
    pub(crate) rows32: Vec<u32>,
    pub(crate) rows64: Vec<u32>,
    pub(crate) preds: Vec<u32>,
    /// The bytes of local memory, as offsets.
    pub(crate) local: Vec<u32>,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    /// The pieces that decide at the beginning of each block for which the slice holds. If lanes wait at the end of the
    /// block, the pieces that decide there are included.
    at: FxHashMap<BlockId, Deciding>,
    /// The blocks between a branch by a clock and where its ways meet.
    ways: EntitySet<BlockId>,
    /// The version of [`Touched`] that the slice was computed from; 0 without one.
    version: u64,
}

impl Slice {
    /// The slice for the blocks that were executed. Where the program has local memory, `touched` says what was accessed in them.
    pub(crate) fn of(
        program: &Program,
        executed: &EntitySet<BlockId>,
        touched: Option<&Touched>,
    ) -> Result<Slice, Unknown> {
        let reads_clock = |block: BlockId| {
            program.dataflow.clocks && program.code.blocks[block].insts().any(|inst| program.dataflow.is_clock(inst))
        };
        let timed = executed.iter().any(reads_clock);
        let unknown = if timed { Unknown::Timed } else { Unknown::Opaque };
        if executed.iter().any(|block| program.dataflow.is_opaque(block)) {
            return Err(unknown);
        }
        let mut code = Code::new(program, executed, touched);
        for block in executed.iter() {
            code.add(block).map_err(|_| unknown)?;
        }
        let clocks = if timed { Clocks::follow(&mut code)? } else { Clocks::default() };
        let at = deciding(&code, &clocks);
        Ok(Slice { at, ways: clocks.ways, version: touched.map_or(0, |touched| touched.version) })
    }

    /// Returns true if this holds for all blocks that were executed, given what is known now of accesses to local memory.
    pub(crate) fn holds_for(&self, mut executed: impl Iterator<Item = BlockId>, touched: Option<&Touched>) -> bool {
        let known = self.version == touched.map_or(0, |touched| touched.version);
        known && executed.all(|block| self.at.contains_key(&block))
    }

    /// Returns what decides for lanes at a block; `None` if none may come to it.
    pub(crate) fn at(&self, block: BlockId) -> Option<&Deciding> {
        self.at.get(&block)
    }

    /// Returns true if how often a block is executed depends on a clock.
    pub(crate) fn is_timed(&self, block: BlockId) -> bool {
        self.ways.contains(block)
    }

    /// Returns true if a clock has an influence on how often blocks are executed.
    pub(crate) fn has_timed_blocks(&self) -> bool {
        !self.ways.is_empty()
    }
}

/// Finds what decides at each block, from the ends of the blocks backwards.
fn deciding(code: &Code<'_>, clocks: &Clocks) -> FxHashMap<BlockId, Deciding> {
    let count = code.pieces.len();
    let mut before: SecondaryMap<Added, Vec<Added>> = SecondaryMap::new();
    for (place, block) in &code.blocks {
        block.next.iter().filter_map(|&next| code.place(next)).for_each(|next| before[next].push(place));
    }
    let ends: PrimaryMap<Added, Untimed> =
        code.blocks.iter().map(|(place, block)| Untimed::of(block, clocks.timed(place))).collect();
    let mut at: SecondaryMap<Added, Option<FixedBitSet>> = SecondaryMap::new();
    let mut waiting: SecondaryMap<Added, FixedBitSet> = SecondaryMap::new();
    let mut work: BTreeSet<Added> = code.blocks.keys().collect();
    while let Some(place) = work.pop_last() {
        let (block, end) = (&code.blocks[place], &ends[place]);
        let mut decides = FixedBitSet::with_capacity(count);
        let nexts = block.next.iter().filter_map(|&next| at[code.place(next)?].as_ref());
        nexts.for_each(|next| decides.union_with(next));
        end.choice.iter().for_each(|&piece| decides.insert(piece));
        for (index, (step, &timed)) in block.steps.iter().zip(&end.timed).enumerate().rev() {
            precede(step, timed, &mut decides);
            if block.before_wait == Some(index) {
                waiting[place] = decides.clone();
            }
        }
        if at[place].as_ref() != Some(&decides) {
            at[place] = Some(decides);
            work.extend(&before[place]);
        }
    }
    let pieces = |(place, block): (Added, &BlockCode)| {
        let mut set = at[place].clone()?;
        set.union_with(&waiting[place]);
        Some((block.id, split(code, &set)))
    };
    code.blocks.iter().filter_map(pieces).collect()
}

/// The parts of a block that are not timed.
struct Untimed {
    /// The pieces by which it chooses where lanes go, but for those by which a clock does.
    choice: Vec<usize>,
    /// Per step, whether its results are timed.
    timed: Vec<bool>,
}

impl Untimed {
    /// Those of a block, given what is timed where it begins.
    fn of(block: &BlockCode, mut now: FixedBitSet) -> Untimed {
        let execute = |step: &Step| {
            let timed = is_timed(step, &now);
            execute(step, &mut now);
            timed
        };
        let timed = block.steps.iter().map(execute).collect();
        let choice = block.choice.iter().copied().filter(|&piece| !now.contains(piece)).collect();
        Untimed { choice, timed }
    }
}

/// Makes what decides behind a step what decides before it.
fn precede(step: &Step, is_timed: bool, decides: &mut FixedBitSet) {
    let relevant = step.acts || step.writes.iter().any(|&piece| decides.contains(piece));
    step.sure.iter().for_each(|&piece| decides.set(piece, false));
    let reads = if relevant && !is_timed { &step.reads } else { &step.fixed };
    reads.iter().for_each(|&piece| decides.insert(piece));
}

/// Pieces by the file that they are in.
fn split(code: &Code<'_>, set: &FixedBitSet) -> Deciding {
    let mut deciding = Deciding::default();
    for (_, piece) in code.pieces.iter().enumerate().filter(|(number, _)| set.contains(*number)) {
        match *piece {
            Piece::Byte(offset) => deciding.local.push(offset),
            Piece::Row(number) => match number % 3 {
                0 => deciding.rows32.push(number / 3),
                1 => deciding.rows64.push(number / 3),
                _ => deciding.preds.push(number / 3),
            },
        }
    }
    deciding
}
