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

mod clocks;
mod code;

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::observe::local_accesses::Touched;
use crate::program::Program;
use clocks::{Clocks, execute, is_timed};
use code::{Code, Piece, Step};

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
    at: FxHashMap<u32, Deciding>,
    /// The blocks between a branch by a clock and where its ways meet.
    ways: FxHashSet<u32>,
    /// The version of [`Touched`] that the slice was computed from; 0 without one.
    version: u64,
}

impl Slice {
    /// The slice for the blocks that are marked. Where the program has local memory, `touched` says what was accessed in them.
    pub(crate) fn of(program: &Program, executed: &[bool], touched: Option<&Touched>) -> Result<Slice, Unknown> {
        let blocks: Vec<u32> = (0..).zip(executed).filter(|(_, executed)| **executed).map(|(block, _)| block).collect();
        let reads_clock = |block: &u32| {
            program.dataflow.clocks
                && program.code.blocks[*block as usize].insts.clone().any(|inst| program.dataflow.is_clock(inst))
        };
        let timed = blocks.iter().any(reads_clock);
        let unknown = if timed { Unknown::Timed } else { Unknown::Opaque };
        if blocks.iter().any(|&block| program.dataflow.is_opaque(block)) {
            return Err(unknown);
        }
        let mut code = Code::new(program, executed, touched);
        for &block in &blocks {
            code.add(block).map_err(|_| unknown)?;
        }
        let clocks = if timed { Clocks::follow(&mut code)? } else { Clocks::default() };
        let at = deciding(&code, &clocks);
        Ok(Slice { at, ways: clocks.ways, version: touched.map_or(0, |touched| touched.version) })
    }

    /// Returns true if this holds for all blocks that are marked, given what is known now of accesses to local memory.
    pub(crate) fn holds_for(&self, executed: impl Iterator<Item = bool>, touched: Option<&Touched>) -> bool {
        let known = self.version == touched.map_or(0, |touched| touched.version);
        known && (0..).zip(executed).all(|(block, executed)| !executed || self.at.contains_key(&block))
    }

    /// Returns what decides for lanes at a block; `None` if none may come to it.
    pub(crate) fn at(&self, block: u32) -> Option<&Deciding> {
        self.at.get(&block)
    }

    /// Returns true if how often a block is executed depends on a clock.
    pub(crate) fn is_timed(&self, block: u32) -> bool {
        self.ways.contains(&block)
    }

    /// Returns true if a clock has an influence on how often blocks are executed.
    pub(crate) fn has_timed_blocks(&self) -> bool {
        !self.ways.is_empty()
    }
}

/// Finds what decides at each block, from the ends of the blocks backwards.
fn deciding(code: &Code<'_>, clocks: &Clocks) -> FxHashMap<u32, Deciding> {
    let count = code.pieces.len();
    let mut before: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (position, &number) in code.blocks.iter().enumerate() {
        code.block(number).next.iter().for_each(|&next| before.entry(next).or_default().push(position));
    }
    let ends: Vec<Untimed> = code.blocks.iter().map(|&number| Untimed::of(code, clocks, number)).collect();
    let mut at: FxHashMap<u32, FixedBitSet> = FxHashMap::default();
    let mut waiting: FxHashMap<u32, FixedBitSet> = FxHashMap::default();
    let mut work: BTreeSet<usize> = (0..code.blocks.len()).collect();
    while let Some(position) = work.pop_last() {
        let (number, end) = (code.blocks[position], &ends[position]);
        let block = code.block(number);
        let mut decides = FixedBitSet::with_capacity(count);
        block.next.iter().filter_map(|next| at.get(next)).for_each(|next| decides.union_with(next));
        end.choice.iter().for_each(|&piece| decides.insert(piece));
        for (index, (step, &timed)) in block.steps.iter().zip(&end.timed).enumerate().rev() {
            precede(step, timed, &mut decides);
            if block.before_wait == Some(index) {
                waiting.insert(number, decides.clone());
            }
        }
        if at.get(&number) != Some(&decides) {
            at.insert(number, decides);
            work.extend(before.get(&number).into_iter().flatten());
        }
    }
    let pieces = |(number, mut set): (u32, FixedBitSet)| {
        if let Some(waiting) = waiting.get(&number) {
            set.union_with(waiting);
        }
        (number, split(code, &set))
    };
    at.into_iter().map(pieces).collect()
}

/// The parts of a block that are not timed.
struct Untimed {
    /// The pieces by which it chooses where lanes go, but for those by which a clock does.
    choice: Vec<usize>,
    /// Per step, whether its results are timed.
    timed: Vec<bool>,
}

impl Untimed {
    fn of(code: &Code<'_>, clocks: &Clocks, number: u32) -> Untimed {
        let (block, mut now) = (code.block(number), clocks.timed(number));
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
    for number in set.ones() {
        match code.pieces[number] {
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
