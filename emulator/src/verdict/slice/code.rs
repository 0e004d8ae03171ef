//! The reads and writes of the instructions of executed blocks, as numbers of pieces. A piece is a row, or a byte of
//! local memory.

use cranelift_entity::{EntitySet, PrimaryMap, entity_impl};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::Unknown;
use crate::exec::op::NONE;
use crate::observe::local_accesses::Touched;
use crate::program::Program;
use crate::program::code::{BarrierKind, BlockId, End};
use crate::program::dataflow::{Effect, Reach, predicate_number};
use crate::program::graph::successors;
use crate::program::listing::InstId;

/// A row, or a byte of local memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Piece {
    Row(u32),
    Byte(u32),
}

/// The effect of one instruction on the state.
pub(super) struct Step {
    pub(super) reads: Vec<usize>,
    /// Those of them that decide more than its results.
    pub(super) fixed: Vec<usize>,
    pub(super) writes: Vec<usize>,
    /// Those of them that it writes in any case.
    pub(super) sure: Vec<usize>,
    /// It acts on memory that others see, or on the system.
    pub(super) acts: bool,
    pub(super) reads_clock: bool,
    /// It stores to bytes of local memory that are not known.
    pub(super) is_unknown_store: bool,
}

/// The place of a block in the order in which they were added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Added(u32);
entity_impl!(Added, "added");

/// The steps of a block.
pub(super) struct BlockCode {
    pub(super) id: BlockId,
    pub(super) steps: Vec<Step>,
    /// The pieces by which its end chooses where lanes go, or whom they wait for.
    pub(super) choice: Vec<usize>,
    /// The blocks that it may go to.
    pub(super) next: Vec<BlockId>,
    /// The number of steps that precede the one that lanes wait for; `None` if they do not wait.
    pub(super) before_wait: Option<usize>,
}

/// The blocks that are looked at, in the order in which they were added.
pub(super) struct Code<'a> {
    pub(super) program: &'a Program,
    touched: Option<&'a Touched>,
    /// The blocks that were executed lately.
    executed: &'a EntitySet<BlockId>,
    pub(super) blocks: PrimaryMap<Added, BlockCode>,
    by_block: FxHashMap<BlockId, Added>,
    numbers: FxHashMap<Piece, usize>,
    pub(super) pieces: Vec<Piece>,
}

/// The bytes of local memory that an instruction accesses.
#[derive(Default)]
struct Bytes {
    at: Vec<u32>,
    /// One place, whenever it was executed.
    is_one: bool,
    /// It accesses memory that is not local, or the bytes are not known.
    acts: bool,
}

impl<'a> Code<'a> {
    /// No blocks yet. Where the program has local memory, `touched` says what was accessed in them.
    pub(super) fn new(
        program: &'a Program,
        executed: &'a EntitySet<BlockId>,
        touched: Option<&'a Touched>,
    ) -> Code<'a> {
        let (blocks, by_block, numbers, pieces) = Default::default();
        Code { program, touched, executed, blocks, by_block, numbers, pieces }
    }

    /// Adds a block, unless it has been added; returns its place.
    pub(super) fn add(&mut self, block: BlockId) -> Result<Added, Unknown> {
        if let Some(&place) = self.by_block.get(&block) {
            return Ok(place);
        }
        let program = self.program;
        let (insts, waits) = insts(program, block);
        let steps: Vec<Step> = insts.iter().map(|&inst| self.step(block, inst)).collect::<Result<_, _>>()?;
        let choice = choice(program, block).into_iter().map(|row| self.number(Piece::Row(row))).collect();
        let next = successors(&program.code.blocks[block].end, &program.code.switches).to_vec();
        let before_wait = waits.then(|| steps.len().saturating_sub(1));
        let place = self.blocks.push(BlockCode { id: block, steps, choice, next, before_wait });
        self.by_block.insert(block, place);
        Ok(place)
    }

    /// The place of a block in the order in which they were added; `None` if it was not.
    pub(super) fn place(&self, block: BlockId) -> Option<Added> {
        self.by_block.get(&block).copied()
    }

    /// All that some blocks may write.
    pub(super) fn written(&self, blocks: &EntitySet<Added>) -> FixedBitSet {
        let mut written = FixedBitSet::with_capacity(self.pieces.len());
        for block in blocks.iter() {
            self.blocks[block].steps.iter().flat_map(|step| &step.writes).for_each(|&piece| written.insert(piece));
        }
        written
    }

    fn number(&mut self, piece: Piece) -> usize {
        let next = self.pieces.len();
        let number = *self.numbers.entry(piece).or_insert(next);
        if number == next {
            self.pieces.push(piece);
        }
        number
    }

    fn step(&mut self, block: BlockId, inst: InstId) -> Result<Step, Unknown> {
        let program = self.program;
        let flow = program.dataflow.of(inst);
        let bytes = self.bytes(inst, flow.effect)?;
        let mut rows = |rows: &[u32]| -> Vec<usize> { rows.iter().map(|&row| self.number(Piece::Row(row))).collect() };
        let (fixed, mut reads, mut writes) = (rows(flow.fixed), rows(flow.reads), rows(flow.writes));
        let mut sure = if program.listing.insts[inst].guarded { Vec::new() } else { writes.clone() };
        let local: Vec<usize> = bytes.at.iter().map(|&at| self.number(Piece::Byte(at))).collect();
        let mut is_unknown_store = false;
        let acts = match flow.effect {
            Effect::Load(_) => {
                reads.extend(local);
                false
            }
            Effect::Store(reach) => {
                let known = bytes.is_one || self.executed.contains(block) && !local.is_empty();
                is_unknown_store = reach != Reach::Elsewhere && !known;
                if bytes.is_one && !program.listing.insts[inst].guarded {
                    sure.extend(&local);
                }
                writes.extend(local);
                reach == Reach::Elsewhere || bytes.acts
            }
            Effect::Update(_) | Effect::Acts => true,
            Effect::None | Effect::Clock => false,
        };
        let reads_clock = flow.effect == Effect::Clock;
        Ok(Step { reads, fixed, writes, sure, acts, reads_clock, is_unknown_store })
    }

    /// Returns what is known of the local memory that an instruction accesses.
    fn bytes(&self, inst: InstId, effect: Effect) -> Result<Bytes, Unknown> {
        let (Reach::Local(bytes) | Reach::Any(bytes)) = effect.reach() else { return Ok(Bytes::default()) };
        if self.program.storage.local_bytes == 0 {
            return Ok(Bytes { acts: true, ..Bytes::default() });
        }
        let places = self.touched.ok_or(Unknown::Opaque)?.of(inst);
        let atomic = matches!(effect, Effect::Update(_));
        if places.many || atomic && !places.local.is_empty() {
            return Err(Unknown::Opaque);
        }
        let at = places.local.iter().flat_map(|&at| at..at.saturating_add(bytes.into())).collect();
        Ok(Bytes { at, is_one: places.local.len() == 1 && !places.elsewhere, acts: places.elsewhere })
    }
}

/// The instructions of a block, that of its end included, and whether lanes wait for each other there.
fn insts(program: &Program, block: BlockId) -> (Vec<InstId>, bool) {
    let block = &program.code.blocks[block];
    let last = match block.end {
        End::Barrier { inst, .. } | End::Sync { inst, .. } => Some(inst),
        _ => None,
    };
    let more = last.filter(|inst| !block.insts.contains(inst));
    (block.insts().chain(more).collect(), last.is_some())
}

/// The rows by which the end of a block chooses where lanes go, or whom they wait for.
fn choice(program: &Program, block: BlockId) -> Vec<u32> {
    match program.code.blocks[block].end {
        End::Branch { pred, .. } | End::ExitIf { pred, .. } => vec![predicate_number(pred >> 1)],
        End::Switch { index, .. } | End::Call { index, .. } | End::Return { index, .. } if index != NONE => {
            vec![3 * index]
        }
        End::Sync { members, .. } => vec![3 * members],
        End::Barrier { kind, id, count, .. } => {
            let numbers = [Some(id).filter(|id| *id != NONE), count].into_iter().flatten().map(|row| 3 * row);
            let pred = match kind {
                BarrierKind::And(pred, _) | BarrierKind::Or(pred, _) | BarrierKind::Popc(pred, _) => Some(pred),
                _ => None,
            };
            numbers.chain(pred.map(|pred| predicate_number(pred >> 1))).collect()
        }
        _ => Vec::new(),
    }
}
