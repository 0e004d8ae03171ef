//! The rows that each instruction reads and writes, as far as who asks which of them decide where a warp goes needs to know.
//!
//! Rows of the three files share one numbering ([`row_number`]). An instruction's *fixed* rows are those on which more depends than its
//! results: the address and the guard of an access, so that it goes to the same place and faults no more than before, and all operands of
//! an instruction that acts on memory or on the system.

use cranelift_entity::{EntitySet, PrimaryMap};

use super::code::{BlockId, Blocks, NO_BLOCK, Switches};
use super::graph::leading_only_to;
use super::listing::InstId;
use super::registers::{TAG64, untagged};

/// The memory that an access may be to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// Not local memory.
    Elsewhere,
    /// Local memory, so many bytes per lane.
    Local(u8),
    /// Any, so many bytes per lane.
    Any(u8),
}

/// The effect of an instruction besides writing its rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Nothing.
    None,
    /// Reads a clock.
    Clock,
    Load(Reach),
    Store(Reach),
    /// An atomic.
    Update(Reach),
    /// Acts on memory that others see, or on the system.
    Acts,
}

impl Effect {
    /// The memory that the instruction accesses by its address row.
    pub(crate) fn reach(self) -> Reach {
        match self {
            Effect::Load(reach) | Effect::Store(reach) | Effect::Update(reach) => reach,
            Effect::None | Effect::Clock | Effect::Acts => Reach::Elsewhere,
        }
    }
}

/// The rows of one instruction, as ranges of [`Dataflow::rows`].
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    fixed: u16,
    reads: u16,
    writes: u16,
    effect: Effect,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dataflow {
    entries: PrimaryMap<InstId, Entry>,
    rows: Vec<u32>,
    /// Blocks with steps that no instruction describes: frames of recursive functions, calls of the system.
    opaque: EntitySet<BlockId>,
    /// Blocks that end the launch because an assertion fails, and those that lead nowhere else.
    failing: EntitySet<BlockId>,
    /// An instruction reads a clock.
    pub(crate) clocks: bool,
}

/// One instruction's rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow<'a> {
    pub(crate) fixed: &'a [u32],
    pub(crate) reads: &'a [u32],
    pub(crate) writes: &'a [u32],
    pub(crate) effect: Effect,
}

/// A number for a tagged row over all three files.
pub(crate) fn row_number(row: u32) -> u32 {
    untagged(row) * 3 + row / TAG64
}

/// The number of a predicate's row.
pub(crate) fn predicate_number(pred: u32) -> u32 {
    pred * 3 + 2
}

impl Dataflow {
    /// Adds the next instruction.
    pub(crate) fn add(&mut self, reads: &[u32], writes: &[u32]) {
        let start = self.rows.len() as u32;
        self.rows.extend(reads.iter().chain(writes));
        let (reads, writes) = (reads.len() as u16, writes.len() as u16);
        self.entries.push(Entry { start, fixed: 0, reads, writes, effect: Effect::None });
    }

    /// Says what the latest instruction does. `fixed` are the fixed rows of a store that may be to local memory. Of other accesses all rows that
    /// they read are, because a load reads nothing else and others see what is written.
    pub(crate) fn set_effect(&mut self, effect: Effect, fixed: &[u32]) {
        self.clocks |= effect == Effect::Clock;
        let Some((_, entry)) = self.entries.last_mut() else { return };
        entry.effect = effect;
        let local_store = matches!(effect, Effect::Store(Reach::Local(_) | Reach::Any(_)));
        if !local_store {
            let all = !matches!(effect, Effect::None | Effect::Clock);
            entry.fixed = if all { entry.reads } else { 0 };
            return;
        }
        let at = entry.start as usize;
        entry.fixed = fixed.len() as u16;
        entry.reads += fixed.len() as u16;
        self.rows.splice(at..at, fixed.iter().copied());
    }

    /// Marks a block as one of which the instructions do not say all.
    pub(crate) fn set_opaque(&mut self, block: BlockId) {
        self.opaque.insert(block);
    }

    /// Marks a block in which an assertion fails.
    pub(crate) fn set_failing(&mut self, block: BlockId) {
        self.failing.insert(block);
    }

    /// To be called once everything is decoded.
    pub(crate) fn finish(mut self, blocks: &Blocks, switches: &Switches) -> Dataflow {
        self.failing = leading_only_to(blocks, switches, self.failing);
        self
    }

    /// Returns true for a block that lanes come to only if an assertion fails.
    pub(crate) fn fails(&self, block: BlockId) -> bool {
        self.failing.contains(block)
    }

    /// Returns true if instructions say all that a block does.
    pub(crate) fn is_opaque(&self, block: BlockId) -> bool {
        block == NO_BLOCK || self.opaque.contains(block)
    }

    /// Returns true for an instruction that reads a clock.
    pub(crate) fn is_clock(&self, inst: InstId) -> bool {
        self.entries[inst].effect == Effect::Clock
    }

    /// The rows of an instruction. The fixed ones are the first of those that it reads, behind which are those that it writes;
    /// [`Dataflow::add`] puts them there.
    pub(crate) fn of(&self, inst: InstId) -> Flow<'_> {
        let Entry { start, fixed, reads, writes, effect } = self.entries[inst];
        let start = start as usize;
        let rows = &self.rows[start..start + usize::from(reads) + usize::from(writes)];
        let (reads, writes) = rows.split_at(reads.into());
        let (fixed, _) = reads.split_at(fixed.into());
        Flow { fixed, reads, writes, effect }
    }
}
