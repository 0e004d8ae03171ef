//! The blocks that are being made, and what is put in them.
//!
//! An instruction goes to the end of the current block: the op that computes, the record of what the instruction was
//! (for counts and messages), and which rows it reads and surely writes. They are kept apart, so that an op stays
//! as small as what it needs to run.

use ptx_parser::{Inst, Mnemonic, Reg};
use smallvec::{SmallVec, smallvec};

use super::current::Target;
use super::drafts::Draft;
use super::{Decoder, Frame, View, memory};
use crate::exec::op::{Handler, NONE, Op, pick};
use crate::exec::payload::{Form, Payload};
use crate::program::code::End;
use crate::program::dataflow::{Effect, predicate_number, row_number};
use crate::program::listing::InstMeta;
use crate::program::registers::untagged;

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

    /// Returns true if the current block has its end.
    pub(super) fn ended(&self) -> bool {
        self.drafts[self.current].end.is_some()
    }

    /// An op without operands.
    pub(super) fn op(&self, run: Handler) -> Op {
        Op { run, d: NONE, a: NONE, b: NONE, c: NONE, e: NONE, guard: NONE, id: 0, imm: 0 }
    }

    /// An op of a form, without operands.
    pub(super) fn form<F: Form>(&self, payload: F::Payload) -> Op {
        Op { imm: payload.pack(), ..self.op(pick::<F>()) }
    }

    /// Adds an instruction's op to the current block, unless it is left out.
    pub(super) fn emit(&mut self, view: &View<'_, 'm>, mut op: Op) {
        op.guard = self.guard(view);
        op.id = self.meta(view, op.guard != NONE);
        let target = self.target.take();
        self.insts[op.id as usize].access = memory::access(target, view);
        self.note_effect(view, &op, target);
        let properties = view.opcode.properties();
        if properties.volatile {
            self.drafts[self.current].weight = 64;
        }
        if std::mem::take(&mut self.left_out) {
            return;
        }
        self.ops.push(op);
        self.drafts[self.current].ops.end = self.ops.len() as u32;
        self.repeated.note(&mut self.ops);
    }

    /// Notes what the instruction of an op does beside writing its results.
    fn note_effect(&mut self, view: &View<'_, 'm>, op: &Op, target: Option<Target>) {
        let effect = match view.opcode.mnemonic() {
            _ if self.clocks.last() == Some(&op.id) => Effect::Clock,
            Mnemonic::Nanosleep => Effect::None,
            Mnemonic::Alloca | Mnemonic::Stacksave | Mnemonic::Stackrestore => {
                self.dataflow.set_opaque(self.current as u32);
                return;
            }
            _ => memory::effect(target, view),
        };
        let guard = (op.guard != NONE).then(|| predicate_number(op.guard >> 1));
        let fixed: SmallVec<[u32; 2]> = std::iter::once(row_number(op.a)).chain(guard).collect();
        self.dataflow.set_effect(effect, &fixed);
    }

    /// Adds an op that belongs to the instruction being decoded and is not counted.
    pub(super) fn push(&mut self, op: Op) {
        self.dataflow.set_opaque(self.current as u32);
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
        self.dataflow.add(&self.coming.0, &self.coming.1);
        self.coming.0.clear();
        self.coming.1.clear();
        self.drafts[self.current].insts.end = self.insts.len() as u32;
        id
    }

    /// Remembers which rows an instruction reads and writes, and which of these surely, for the registers that must start as zero.
    pub(super) fn note_accesses(&mut self, frame: &Frame<'m>, inst: Inst) {
        let kernel = frame.kernel;
        self.coming.0.clear();
        self.coming.1.clear();
        for reg in kernel.uses(inst) {
            for number in self.numbers(frame, reg) {
                self.drafts[self.current].accesses.push((number, false));
                self.coming.0.push(number);
            }
        }
        let surely = kernel.inst(inst).guard.is_none();
        for reg in kernel.defs(inst) {
            for number in self.numbers(frame, reg) {
                if surely {
                    self.drafts[self.current].accesses.push((number, true));
                }
                self.coming.1.push(number);
            }
        }
    }

    /// The numbers of the rows of a register.
    fn numbers(&mut self, frame: &Frame<'m>, reg: Reg) -> SmallVec<[u32; 4]> {
        if frame.kernel.carry_flag() == Some(reg) {
            return smallvec![predicate_number(self.carry_row())];
        }
        let row = self.row(frame, reg);
        (row..row + self.parts(frame, reg)).map(row_number).collect()
    }

    /// An instruction has been decoded: what is known of the rows that it writes does not hold any more.
    pub(super) fn forget_written(&mut self, frame: &Frame<'m>, inst: Inst) {
        for reg in frame.kernel.defs(inst) {
            if self.repeated.is_empty() || frame.kernel.carry_flag() == Some(reg) {
                continue;
            }
            let row = self.row(frame, reg);
            let rows = row..row + self.parts(frame, reg);
            self.repeated.forget(&rows);
        }
    }
}
