//! Changing the operands of an instruction in place.

use super::refused;
use super::state::Visible;
use crate::entities::{Inst, Label, List, Reg};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::operand::{Base, Operand};
use crate::tables::{Guard, Run};
use crate::types::Type;

/// The changes of an edit of an instruction, to undo them.
#[derive(Default)]
struct Undo {
    guard: Option<Option<Guard>>,
    operands: Vec<(usize, Operand)>,
    /// The operands that the edit left, those of copied lists included.
    now: Vec<Operand>,
}

impl Kernel {
    /// Changes operands of an instruction in place, guard not included. Vectors, tuples and brackets are given to `change`
    /// first, then their elements.
    ///
    /// # Errors
    /// [`Error::Edit`] if the instruction would not print as what it then is: an id is not of this kernel, the grammar has no such operand
    /// in this place, or a name means something else where the instruction stands. The instruction is then as it was.
    pub fn edit_operands(&mut self, inst: Inst, mut change: impl FnMut(&mut Operand)) -> Result<(), Error> {
        self.edit_inst(inst, &mut change, |guard| guard)
    }

    /// Puts other registers in the place of those that an instruction mentions, its guard included.
    ///
    /// # Errors
    /// As [`Kernel::edit_operands`]; a guard must be a predicate.
    pub fn rename(&mut self, inst: Inst, map: impl Fn(Reg) -> Reg) -> Result<(), Error> {
        let guard = |guard: Option<Guard>| guard.map(|guard| Guard { reg: map(guard.reg), ..guard });
        self.edit_inst(inst, &mut |operand| operand.rename(&map), guard)
    }

    /// Lets a direct branch go to another label, which the body defines. To a label that a patch will insert,
    /// [`Patch::retarget`](crate::Patch::retarget) leads.
    ///
    /// # Errors
    /// As [`Kernel::edit_operands`].
    pub fn retarget(&mut self, inst: Inst, target: Label) -> Result<(), Error> {
        self.edit_operands(inst, |operand| {
            if let Operand::Label(label) = operand {
                *label = target;
            }
        })
    }

    /// Sets the guard of an instruction, or takes it away.
    ///
    /// # Errors
    /// As [`Kernel::edit_operands`]; a guard must be a predicate.
    pub fn set_guard(&mut self, inst: Inst, guard: Option<Guard>) -> Result<(), Error> {
        self.edit_inst(inst, &mut |_| {}, |_| guard)
    }

    fn edit_inst(
        &mut self,
        inst: Inst,
        change: &mut impl FnMut(&mut Operand),
        guard: impl Fn(Option<Guard>) -> Option<Guard>,
    ) -> Result<(), Error> {
        self.check_inst(inst)?;
        let mut undo = Undo::default();
        let before = self.insts[inst].guard;
        let after = guard(before);
        if after != before {
            self.insts[inst].guard = after;
            undo.guard = Some(before);
        }
        self.change_run(self.insts[inst].operands, change, &mut undo, 0);
        if undo.guard.is_none() && undo.operands.is_empty() {
            return Ok(());
        }
        if let Err(what) = self.check_edit(inst, &undo) {
            if let Some(guard) = undo.guard {
                self.insts[inst].guard = guard;
            }
            undo.operands.into_iter().rev().for_each(|(index, operand)| self.set_operand(index, operand));
            return Err(refused(format!("{what}; it stays `{}`", self.inst_text(inst)), ""));
        }
        self.insts[inst].edited = true;
        self.edits.changed = true;
        Ok(())
    }

    fn change_run(&mut self, run: Run, change: &mut impl FnMut(&mut Operand), undo: &mut Undo, depth: u8) {
        for index in run.indices() {
            let Some(&before) = self.pool.get(index) else { return };
            let mut operand = before;
            change(&mut operand);
            if operand != before {
                if operand.list() != before.list() {
                    // Two instructions must not share a list: changing one would change the other.
                    operand.map_list(|list| self.copied_list(list, depth));
                }
                undo.operands.push((index, before));
                undo.now.push(operand);
                self.set_operand(index, operand);
            }
            // Coordinates in a bracket are the deepest that PTX has: `[texture, {x, y}]`.
            if let Some(list) = operand.list()
                && depth < 2
                && let Some(&elements) = self.lists.get(list)
            {
                self.change_run(elements, change, undo, depth + 1);
            }
        }
    }

    /// Replaces an operand in the pool. Its index is one of a [`Run`] of the kernel, so that there is one.
    pub(super) fn set_operand(&mut self, index: usize, operand: Operand) {
        self.pool[index] = operand;
    }

    pub(crate) fn copied_list(&mut self, list: List, depth: u8) -> List {
        if depth >= 2 || !self.lists.is_valid(list) {
            return list;
        }
        let mut elements = self.list(list).to_vec();
        for element in &mut elements {
            element.map_list(|list| self.copied_list(list, depth + 1));
        }
        self.push_list(&elements)
    }

    /// Checks that the text of an edited instruction reads as that instruction.
    fn check_edit(&mut self, inst: Inst, undo: &Undo) -> Result<(), String> {
        if let Some(guard) = self.insts[inst].guard {
            match self.regs.get(guard.reg).map(|reg| reg.ty) {
                Some(Type::Pred) if Some(guard.reg) != self.carry => {}
                Some(_) => return Err(format!("`{}` is no predicate that could be a guard", self.reg_name(guard.reg))),
                None => return Err(format!("{} is no register of this kernel", guard.reg)),
            }
        }
        self.grammatical(inst)?;
        let visible = match self.edits.visible.take() {
            Some(visible) => visible,
            None => Box::new(Visible::of(self)),
        };
        let guard = undo.guard.and(self.insts[inst].guard).is_none_or(|guard| visible.reg(self, guard.reg));
        let anywhere = guard
            && undo.now.iter().all(|operand| {
                // The elements of a list that came from elsewhere were not looked at one by one.
                operand.list().is_none() && visible.operand(self, operand)
            });
        let anywhere = anywhere || !visible.is_placed(inst);
        self.edits.visible = Some(visible);
        match anywhere {
            true => Ok(()),
            false => self.verify(),
        }
    }
}

impl Operand {
    /// Puts other registers in the place of those that the operand mentions itself; lists are not looked into.
    pub fn rename(&mut self, map: impl Fn(Reg) -> Reg) {
        match self {
            Operand::Reg(reg)
            | Operand::Not(reg)
            | Operand::Component(reg, _)
            | Operand::Selected(reg, _)
            | Operand::Sum(reg, _)
            | Operand::Address(Base::Reg(reg), _) => *reg = map(*reg),
            Operand::VectorPair(_, resident) => *resident = resident.map(map),
            Operand::Pair(first, second) => {
                *first = first.expand().map(&map).into();
                *second = second.expand().map(&map).into();
            }
            _ => {}
        }
    }

    pub(crate) fn map_list(&mut self, map: impl FnOnce(List) -> List) {
        if let Operand::Vector(list) | Operand::VectorPair(list, _) | Operand::Tuple(list) | Operand::Bracket(list) =
            self
        {
            *list = map(*list);
        }
    }
}
