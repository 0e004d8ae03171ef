//! The blocks that are being made.

use std::ops::Range;

use cranelift_entity::PrimaryMap;

use super::address_reuse::Repeated;
use crate::exec::op::Op;
use crate::program::code::{BlockId, End, OpId, SwitchId, Switches};
use crate::program::dataflow::Dataflow;
use crate::program::graph::RowAccess;
use crate::program::listing::{InstId, InstMeta};

/// A block that is being made.
pub(super) struct Draft {
    pub(super) ops: Range<OpId>,
    pub(super) insts: Range<InstId>,
    pub(super) weight: u32,
    pub(super) end: Option<End>,
    pub(super) accesses: Vec<RowAccess>,
}

/// The blocks that are being made, and the ops and instructions in them.
#[derive(Default)]
pub(super) struct Drafts {
    pub(super) list: PrimaryMap<BlockId, Draft>,
    /// The block that is being filled.
    pub(super) current: BlockId,
    pub(super) ops: PrimaryMap<OpId, Op>,
    pub(super) insts: PrimaryMap<InstId, InstMeta>,
    /// The instructions that read a clock.
    pub(super) clocks: Vec<InstId>,
    pub(super) switches: Switches,
    pub(super) labels: Vec<(Box<str>, BlockId)>,
    pub(super) dataflow: Dataflow,
    /// The accesses of the current block.
    pub(super) repeated: Repeated,
}

impl Drafts {
    /// Makes an empty block and returns its number.
    pub(super) fn new_block(&mut self) -> BlockId {
        let (op, inst) = (OpId::from_u32(0), InstId::from_u32(0));
        self.list.push(Draft { ops: op..op, insts: inst..inst, weight: 1, end: None, accesses: Vec::new() })
    }

    /// Goes on with a block; the current one, if it has no end yet, runs into it.
    pub(super) fn start(&mut self, block: BlockId) {
        self.end(End::Jump(block));
        self.current = block;
        self.repeated.start();
        let (ops, insts) = (self.ops.next_key(), self.insts.next_key());
        let draft = self.draft();
        (draft.ops, draft.insts) = (ops..ops, insts..insts);
    }

    /// Ends the current block, unless it has ended.
    pub(super) fn end(&mut self, end: End) {
        self.draft().end.get_or_insert(end);
    }

    /// Returns true if the current block has its end.
    pub(super) fn ended(&self) -> bool {
        self.list[self.current].end.is_some()
    }

    /// The current block.
    pub(super) fn draft(&mut self) -> &mut Draft {
        &mut self.list[self.current]
    }

    /// Adds the op of an instruction.
    pub(super) fn add(&mut self, op: Op) {
        self.ops.push(op);
        self.draft().ops.end = self.ops.next_key();
        self.repeated.note(&mut self.ops);
    }

    /// Adds an op that belongs to the instruction being decoded and is not counted; returns its number.
    pub(super) fn push(&mut self, op: Op) -> OpId {
        self.dataflow.set_opaque(self.current);
        self.repeated.forget_all();
        let id = self.ops.push(op);
        self.draft().ops.end = self.ops.next_key();
        id
    }

    /// Adds an instruction and returns its number.
    pub(super) fn record(&mut self, inst: InstMeta) -> InstId {
        let id = self.insts.push(inst);
        self.draft().insts.end = self.insts.next_key();
        id
    }

    /// Adds a table of targets and returns its number.
    pub(super) fn add_switch(&mut self, targets: Box<[BlockId]>) -> SwitchId {
        self.switches.push(targets)
    }
}
