//! Puts instructions into the blocks that are being made.
//!
//! An instruction goes to the end of the current block: the op that computes, the record of what the instruction was
//! (for counts and messages), and which rows it reads and surely writes. They are kept apart, so that an op stays
//! as small as what it needs to run.

use ptx_parser::{Inst, Mnemonic, Modifier, Reg};
use smallvec::{SmallVec, smallvec};

use super::current_inst::{Current, Target};
use super::functions::parts;
use super::{Decoder, Frame, View, memory};
use crate::exec::op::{Handler, NONE, Op, pick};
use crate::exec::payload::{Form, Payload};
use crate::program::dataflow::{Effect, predicate_number, row_number};
use crate::program::listing::{InstId, InstMeta, Named};
use crate::program::registers::untagged;

impl<'m> Decoder<'m> {
    /// An op without operands.
    pub(super) fn op(&self, run: Handler) -> Op {
        Op { run, d: NONE, a: NONE, b: NONE, c: NONE, e: NONE, guard: NONE, id: InstId::from_u32(0), imm: 0 }
    }

    /// An op of a form, without operands.
    pub(super) fn form<F: Form>(&self, payload: F::Payload) -> Op {
        Op { imm: payload.pack(), ..self.op(pick::<F>()) }
    }

    /// Adds an instruction's op to the current block, unless it is left out.
    pub(super) fn emit(&mut self, view: &View<'_, 'm>, mut op: Op) {
        op.guard = self.guard(view);
        op.id = self.meta(view, op.guard != NONE);
        let target = self.current.target.take();
        self.drafts.insts[op.id].access = memory::access(target, view);
        self.note_effect(view, &op, target);
        let properties = view.opcode.properties();
        if properties.volatile {
            self.drafts.draft().weight = 64;
        }
        if std::mem::take(&mut self.current.left_out) {
            return;
        }
        self.drafts.add(op);
    }

    /// Notes what the instruction of an op does beside writing its results.
    fn note_effect(&mut self, view: &View<'_, 'm>, op: &Op, target: Option<Target>) {
        let effect = match view.opcode.mnemonic() {
            _ if self.drafts.clocks.last() == Some(&op.id) => Effect::Clock,
            Mnemonic::Nanosleep => Effect::None,
            Mnemonic::Alloca | Mnemonic::Stacksave | Mnemonic::Stackrestore => {
                self.drafts.dataflow.set_opaque(self.drafts.current);
                return;
            }
            _ => memory::effect(target, view),
        };
        let guard = (op.guard != NONE).then(|| predicate_number(op.guard >> 1));
        let fixed: SmallVec<[u32; 2]> = std::iter::once(row_number(op.a)).chain(guard).collect();
        self.drafts.dataflow.set_effect(effect, &fixed);
    }

    /// The guard's code: the predicate row times two, plus one if negated.
    pub(super) fn guard(&mut self, view: &View<'_, 'm>) -> u32 {
        match view.data.guard {
            Some(guard) => untagged(self.row(view.frame, guard.reg)) << 1 | u32::from(guard.negated),
            None => NONE,
        }
    }

    /// Records an instruction in the current block and returns its number.
    pub(super) fn meta(&mut self, view: &View<'_, 'm>, guarded: bool) -> InstId {
        let (site, file) = self.position(view.frame, view.inst);
        let opcode = self.names.shared(view.opcode.text());
        let properties = view.opcode.properties();
        let asks_who_is_together = match view.opcode.mnemonic() {
            Mnemonic::Activemask => true,
            Mnemonic::Vote | Mnemonic::Shfl => !view.has(Modifier::Sync),
            _ => false,
        };
        let id = self.drafts.record(InstMeta {
            ptx_line: site.ptx_line,
            file,
            line: site.line,
            class: properties.class,
            repeats: properties.repeats,
            guarded,
            opcode,
            asks_who_is_together,
            access: None,
        });
        self.note_names(view, id);
        let Current { reads, writes, .. } = &mut self.current;
        self.drafts.dataflow.add(reads, writes);
        reads.clear();
        writes.clear();
        id
    }

    /// Remembers which rows an instruction reads and writes, and which of these surely, for the registers that must start as zero.
    pub(super) fn note_accesses(&mut self, frame: &Frame<'m>, inst: Inst) {
        let kernel = frame.kernel;
        self.current.reads.clear();
        self.current.writes.clear();
        for reg in kernel.uses(inst) {
            for number in self.numbers(frame, reg) {
                self.drafts.draft().accesses.push((number, false));
                self.current.reads.push(number);
            }
        }
        let surely = kernel.inst(inst).guard.is_none();
        for reg in kernel.defs(inst) {
            for number in self.numbers(frame, reg) {
                if surely {
                    self.drafts.draft().accesses.push((number, true));
                }
                self.current.writes.push(number);
            }
        }
    }

    /// The numbers of the rows of a register.
    fn numbers(&mut self, frame: &Frame<'m>, reg: Reg) -> SmallVec<[u32; 4]> {
        if frame.kernel.carry_flag() == Some(reg) {
            return smallvec![predicate_number(self.rows.carry())];
        }
        let row = self.row(frame, reg);
        (row..row + parts(frame.kernel, reg)).map(row_number).collect()
    }

    /// An instruction has been decoded: what is known of the rows that it writes does not hold any more.
    pub(super) fn forget_written(&mut self, frame: &Frame<'m>, inst: Inst) {
        for reg in frame.kernel.defs(inst) {
            if self.drafts.repeated.is_empty() || frame.kernel.carry_flag() == Some(reg) {
                continue;
            }
            let row = self.row(frame, reg);
            let rows = row..row + parts(frame.kernel, reg);
            self.drafts.repeated.forget(&rows);
        }
    }

    /// Remembers what an instruction calls its registers, if a trace shows them.
    fn note_names(&mut self, view: &View<'_, 'm>, id: InstId) {
        if self.names.named.is_none() {
            return;
        }
        let kernel = view.frame.kernel;
        let used = kernel.uses(view.inst).into_iter().map(|reg| (reg, false));
        for (reg, written) in used.chain(kernel.defs(view.inst).into_iter().map(|reg| (reg, true))) {
            let text = kernel.reg_name(reg);
            // An instruction may read a register twice.
            if self.names.knows(id, text, written) || kernel.carry_flag() == Some(reg) {
                continue;
            }
            let (row, ty) = (self.row(view.frame, reg), kernel.reg(reg).ty);
            let name = self.names.shared(text);
            self.names.named.get_or_insert_default().push(Named { inst: id, row, written, ty, name });
        }
    }
}
