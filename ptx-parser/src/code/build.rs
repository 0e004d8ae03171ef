//! From code to the statements of a kernel.

use smallvec::SmallVec;

use super::{Code, Item, New, Part};
use crate::check::misfit_text;
use crate::edit::refused;
use crate::entities::{Inst, LocId, Opcode};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::operand::Operand;
use crate::stmt::{Loc, Origin, Stmt, StmtKind};
use crate::syntax::opcodes::look_up;
use crate::table::Typing;
use crate::tables::{Guard, InstData, Span};
use crate::types::Type;

impl Kernel {
    /// Makes statements of code. They belong to the kernel but stand nowhere until a [`Patch`](crate::Patch) inserts them.
    ///
    /// # Errors
    /// [`Error::Edit`] if an instruction is not one of the table: it does not have the modifiers, takes other operands, or its guard is not
    /// a predicate. Names are looked at when the patch is applied.
    pub fn build(&mut self, code: Code) -> Result<Vec<Stmt>, Error> {
        let stmts = self.build_unchecked(code);
        for stmt in &stmts {
            if let StmtKind::Inst(inst) = stmt.kind
                && let Err(what) = self.is_of_the_table(inst)
            {
                return Err(refused(what, "see the PTX manual for the forms of the instruction"));
            }
        }
        Ok(stmts)
    }

    /// Makes statements of code, as [`Kernel::build`] does, without holding the instructions against the table: for a copy of a kernel that is
    /// analysed and not assembled, in which a register may be wider than what an instruction puts into it.
    pub fn build_unchecked(&mut self, code: Code) -> Vec<Stmt> {
        let mut loc = None;
        let mut stmts = Vec::with_capacity(code.items.len());
        for item in code.items {
            let (kind, origin) = match item {
                Item::Label(label) => (StmtKind::Label(label), Origin::Made),
                Item::Marker(text) => (StmtKind::Marker(self.new_marker(&text)), Origin::Made),
                Item::Inst(new) => (StmtKind::Inst(self.make(new, loc)), Origin::Made),
                Item::Loc(position) => {
                    let text = loc_text(position);
                    let position = self.locs.push(position);
                    loc = Some(position);
                    stmts.push(self.text_stmt(StmtKind::Loc(position), text));
                    continue;
                }
            };
            stmts.push(Stmt { kind, origin });
        }
        self.edits.changed = true;
        stmts
    }

    /// Writes an instruction a second time, as it is. The copy stands nowhere until a [`Patch`](crate::Patch) inserts it; it has no source position
    /// of its own.
    pub fn duplicate(&mut self, inst: Inst) -> (Inst, Stmt) {
        let mut operands: SmallVec<[Operand; 5]> = self.operands(inst).into();
        for operand in &mut operands {
            // Two instructions must not share a list: changing one would change the other.
            operand.map_list(|list| self.copied_list(list, 0));
        }
        let &InstData { guard, opcode, .. } = self.inst(inst);
        let copy = self.push_inst(guard, opcode, &operands, None);
        self.edits.changed = true;
        (copy, Stmt { kind: StmtKind::Inst(copy), origin: Origin::Made })
    }

    /// Makes an instruction that stands nowhere yet.
    pub(crate) fn push_inst(
        &mut self,
        guard: Option<Guard>,
        opcode: Opcode,
        operands: &[Operand],
        loc: Option<LocId>,
    ) -> Inst {
        let operands = self.push_operands(operands);
        self.insts.push(InstData { guard, opcode, operands, span: Span::default(), loc: loc.into(), edited: true })
    }

    fn make(&mut self, new: New, loc: Option<LocId>) -> Inst {
        let New { guard, opcode, operands } = new;
        let opcode = self.opcode_of(&opcode);
        let operands = operands.into_iter().map(|part| match part {
            Part::Operand(operand) => operand,
            Part::Vector(regs) => {
                let elements: SmallVec<[Operand; 4]> = regs.into_iter().map(Operand::Reg).collect();
                Operand::Vector(self.push_list(&elements))
            }
        });
        let operands: SmallVec<[Operand; 5]> = operands.collect();
        self.push_inst(guard, opcode, &operands, loc)
    }

    /// The id of an opcode, which the kernel may have already.
    pub(crate) fn opcode_of(&mut self, text: &str) -> Opcode {
        let mut index = self.take_index();
        let opcode = index.opcode(text).unwrap_or_else(|| {
            let opcode = self.opcodes.push(look_up(text));
            index.update(self);
            opcode
        });
        self.edits.index = Some(index);
        opcode
    }

    /// Checks that the table has an instruction, with its operands and its guard; the error says what it has not.
    fn is_of_the_table(&self, inst: Inst) -> Result<(), String> {
        let opcode = self.opcode(inst);
        if let Typing::Opaque(reason) = opcode.typing() {
            return Err(format!("`{opcode}`: {reason}"));
        }
        if opcode.properties().carry_in || opcode.properties().carry_out {
            return Err(format!("`{opcode}` uses the carry flag, of which built code says nothing"));
        }
        self.grammatical(inst)?;
        if let Some(guard) = self.inst(inst).guard
            && self.regs.get(guard.reg).is_none_or(|reg| reg.ty != Type::Pred)
        {
            return Err(format!("the guard of `{opcode}` is no predicate"));
        }
        misfit_text(self, inst).map_or(Ok(()), Err)
    }
}

fn loc_text(Loc { file, line, column, inlined_at }: Loc) -> String {
    debug_assert!(inlined_at.is_none(), "a position in an inlined function is copied from its statement");
    format!(".loc {file} {line} {column}")
}
