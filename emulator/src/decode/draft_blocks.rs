//! The blocks that are being made.

use std::ops::Range;

use super::address_reuse::Repeated;
use crate::exec::op::Op;
use crate::program::code::End;
use crate::program::dataflow::Dataflow;
use crate::program::graph::RowAccess;
use crate::program::listing::InstMeta;

/// A block that is being made.
pub(super) struct Draft {
    pub(super) ops: Range<u32>,
    pub(super) insts: Range<u32>,
    pub(super) weight: u32,
    pub(super) end: Option<End>,
    pub(super) accesses: Vec<RowAccess>,
}

/// The blocks that are being made, and the ops and instructions in them.
#[derive(Default)]
pub(super) struct Drafts {
    pub(super) list: Vec<Draft>,
    /// The block that is being filled.
    pub(super) current: usize,
    pub(super) ops: Vec<Op>,
    pub(super) insts: Vec<InstMeta>,
    /// The instructions that read a clock.
    pub(super) clocks: Vec<u32>,
    pub(super) switches: Vec<Box<[u32]>>,
    pub(super) labels: Vec<(Box<str>, u32)>,
    pub(super) dataflow: Dataflow,
    /// The accesses of the current block.
    pub(super) repeated: Repeated,
}

impl Drafts {
    /// Makes an empty block and returns its number.
    pub(super) fn new_block(&mut self) -> u32 {
        self.list.push(Draft { ops: 0..0, insts: 0..0, weight: 1, end: None, accesses: Vec::new() });
        (self.list.len() - 1) as u32
    }

    /// Goes on with a block; the current one, if it has no end yet, runs into it.
    pub(super) fn start(&mut self, block: u32) {
        self.end(End::Jump(block));
        self.current = block as usize;
        self.repeated.start();
        let (ops, insts) = (self.ops.len() as u32, self.insts.len() as u32);
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
        self.list[self.current].ops.end = self.ops.len() as u32;
        self.repeated.note(&mut self.ops);
    }

    /// Adds an op that belongs to the instruction being decoded and is not counted.
    pub(super) fn push(&mut self, op: Op) {
        self.dataflow.set_opaque(self.current as u32);
        self.repeated.forget_all();
        self.ops.push(op);
        self.list[self.current].ops.end = self.ops.len() as u32;
    }

    /// Adds an instruction and returns its number.
    pub(super) fn record(&mut self, inst: InstMeta) -> u32 {
        self.insts.push(inst);
        self.list[self.current].insts.end = self.insts.len() as u32;
        self.insts.len() as u32 - 1
    }

    /// Adds a table of targets and returns its number.
    pub(super) fn add_switch(&mut self, targets: Box<[u32]>) -> u32 {
        self.switches.push(targets);
        self.switches.len() as u32 - 1
    }
}
