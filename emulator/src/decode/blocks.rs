//! The blocks that are being made, and what is put in them.
//!
//! An instruction goes to the end of the current block: the op that computes, the record of what the instruction was
//! (for counts and messages), and which rows it reads and surely writes. They are kept apart, so that an op stays
//! as small as what it needs to run.

use std::ops::Range;

use ptx_parser::{Inst, Reg};

use super::{Decoder, Frame, View, memory};
use crate::exec::scalar::{TAG_PRED, TAG64, untagged};
use crate::exec::{Handler, NONE, Op};
use crate::graph;
use crate::program::{End, InstMeta};

/// A block that is being made.
pub(super) struct Draft {
    pub(super) ops: Range<u32>,
    pub(super) insts: Range<u32>,
    pub(super) weight: u32,
    pub(super) end: Option<End>,
    pub(super) accesses: Vec<graph::RowAccess>,
}

impl<'m> Decoder<'m> {
    /// Makes an empty block and returns its number.
    pub(super) fn new_block(&mut self) -> u32 {
        self.drafts.push(Draft { ops: 0..0, insts: 0..0, weight: 1, end: None, accesses: Vec::new() });
        (self.drafts.len() - 1) as u32
    }

    /// What follows belongs to this block; the current one, if it has no end yet, runs into it.
    pub(super) fn start(&mut self, block: u32) {
        self.end(End::Jump(block));
        self.current = block as usize;
        self.repeated.start();
        let (ops, insts) = (self.ops.len() as u32, self.insts.len() as u32);
        let draft = &mut self.drafts[block as usize];
        (draft.ops, draft.insts) = (ops..ops, insts..insts);
    }

    /// Ends the current block, unless it has ended.
    pub(super) fn end(&mut self, end: End) {
        let draft = &mut self.drafts[self.current];
        if draft.end.is_none() {
            draft.end = Some(end);
        }
    }

    /// Whether the current block has its end.
    pub(super) fn ended(&self) -> bool {
        self.drafts[self.current].end.is_some()
    }

    /// An op without operands.
    pub(super) fn op(&self, run: Handler) -> Op {
        Op { run, d: NONE, a: NONE, b: NONE, c: NONE, e: NONE, guard: NONE, id: 0, imm: 0 }
    }

    /// Adds an instruction's op to the current block, unless it is left out.
    pub(super) fn emit(&mut self, view: &View<'_, 'm>, mut op: Op) {
        op.guard = self.guard(view);
        op.id = self.meta(view, op.guard != NONE);
        let target = self.target.take();
        self.insts[op.id as usize].access = memory::access(target, view);
        let properties = view.opcode.properties();
        if properties.volatile {
            self.drafts[self.current].weight = 64;
        }
        if std::mem::take(&mut self.left_out) {
            return;
        }
        self.ops.push(op);
        self.drafts[self.current].ops.end = self.ops.len() as u32;
        self.note_repeated();
    }

    /// Adds an op that belongs to the instruction being decoded and is not counted.
    pub(super) fn push(&mut self, op: Op) {
        self.repeated.forget_all();
        self.ops.push(op);
        self.drafts[self.current].ops.end = self.ops.len() as u32;
    }

    /// The guard's code: the predicate row times two, plus one if negated.
    pub(super) fn guard(&mut self, view: &View<'_, 'm>) -> u32 {
        match view.data.guard {
            Some(guard) => untagged(self.row(view.frame, guard.reg)) << 1 | u32::from(guard.negated),
            None => NONE,
        }
    }

    /// Records an instruction in the current block and returns its number.
    pub(super) fn meta(&mut self, view: &View<'_, 'm>, guarded: bool) -> u32 {
        let id = self.insts.len() as u32;
        let (site, file) = self.position(view.frame, view.inst);
        let text = view.opcode.text();
        let opcode = self.opcode_names.entry(text).or_insert_with(|| text.into()).clone();
        let properties = view.opcode.properties();
        self.insts.push(InstMeta {
            ptx_line: site.ptx_line,
            file,
            line: site.line,
            class: properties.class,
            repeats: properties.repeats,
            guarded,
            opcode,
            access: None,
        });
        self.note_names(view, id);
        self.drafts[self.current].insts.end = self.insts.len() as u32;
        id
    }

    /// Remembers which rows an instruction reads and surely writes, for the registers that must start as zero.
    pub(super) fn note_accesses(&mut self, frame: &Frame<'m>, inst: Inst) {
        let kernel = frame.kernel;
        for reg in kernel.uses(inst) {
            self.note(frame, reg, false);
        }
        if kernel.inst(inst).guard.is_none() {
            for reg in kernel.defs(inst) {
                self.note(frame, reg, true);
            }
        }
    }

    fn note(&mut self, frame: &Frame<'m>, reg: Reg, write: bool) {
        if frame.kernel.carry_flag() == Some(reg) {
            let carry = self.carry_row() | TAG_PRED;
            let number = self.row_number(carry);
            self.drafts[self.current].accesses.push((number, write));
            return;
        }
        let row = self.row(frame, reg);
        for part in 0..self.parts(frame, reg) {
            let number = self.row_number(row + part);
            self.drafts[self.current].accesses.push((number, write));
        }
    }

    /// A number for a tagged row over all three files.
    fn row_number(&self, row: u32) -> u32 {
        untagged(row) * 3 + row / TAG64
    }
}
