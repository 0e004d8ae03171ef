//! Registers, symbols and operands of one kernel as those of another.

use smallvec::SmallVec;

use super::super::refused;
use super::{Copier, not_copied};
use crate::entities::{List, Reg, Symbol};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::operand::{Base, Operand};
use crate::tables::HOME_TOP;

impl Copier<'_> {
    /// Returns what a register is in the other kernel.
    pub(super) fn reg(&mut self, into: &mut Kernel, reg: Reg) -> Result<Reg, Error> {
        if let Some(&copy) = self.regs.get(&reg) {
            return Ok(copy);
        }
        let copy = match self.homes.get(&self.from.regs[reg].home).cloned() {
            Some(home) => self.new_member(into, reg, &home),
            None if self.within => return Ok(reg),
            None => self.shared_reg(into, reg),
        };
        let copy = copy.ok_or_else(|| not_copied(&format!("register `{}`", self.from.reg_name(reg))))?;
        self.regs.insert(reg, copy);
        Ok(copy)
    }

    /// Returns the register that both kernels have of their module, which could declare some in PTX 1.x.
    fn shared_reg(&self, into: &mut Kernel, reg: Reg) -> Option<Reg> {
        let (data, name) = (&self.from.regs[reg], self.from.reg_name(reg));
        if data.home != HOME_TOP || self.from.edits.regs.contains(&reg) || self.from.has_parameter(name) {
            return None;
        }
        let index = into.take_index();
        let found = index.reg(name).flatten();
        into.edits.index = Some(index);
        found.filter(|&found| into.regs[found].home == HOME_TOP && !into.edits.regs.contains(&found))
    }

    /// Returns what a symbol is in the other kernel.
    pub(super) fn symbol(&mut self, into: &mut Kernel, symbol: Symbol) -> Result<Symbol, Error> {
        if let Some(&copy) = self.symbols.get(&symbol) {
            return Ok(copy);
        }
        let (from, name) = (self.from, self.from.symbol_name(symbol));
        if !from.variables.contains_key(&symbol)
            && let Some(&copy) = self.scopes.iter().rev().find_map(|scope| scope.named.get(name))
        {
            return Ok(copy);
        }
        if self.within {
            return Ok(symbol);
        }
        if from.is_local(symbol) || from.has_parameter(name) {
            return Err(not_copied(&format!("`{name}`")));
        }
        let copy = into.symbol(name)?;
        if into.is_local(copy) || into.has_parameter(name) {
            let what = format!("`{name}` means something of `{}` where it is copied to", into.name());
            return Err(refused(what, "rename that first"));
        }
        self.symbols.insert(symbol, copy);
        Ok(copy)
    }

    /// Returns what an operand is in the other kernel. Its vector, tuple or bracket is copied.
    ///
    /// # Errors
    /// As [`Copier::copy`].
    pub fn operand(&mut self, into: &mut Kernel, operand: &Operand) -> Result<Operand, Error> {
        let mut reg = |reg| self.reg(into, reg);
        Ok(match *operand {
            Operand::Reg(r) => Operand::Reg(reg(r)?),
            Operand::Not(r) => Operand::Not(reg(r)?),
            Operand::Component(r, component) => Operand::Component(reg(r)?, component),
            Operand::Selected(r, selector) => Operand::Selected(reg(r)?, selector),
            Operand::Sum(r, offset) => Operand::Sum(reg(r)?, offset),
            Operand::Address(Base::Reg(r), offset) => Operand::Address(Base::Reg(reg(r)?), offset),
            Operand::Pair(first, second) => {
                let (first, second) = (first.expand().map(&mut reg), second.expand().map(&mut reg));
                Operand::Pair(first.transpose()?.into(), second.transpose()?.into())
            }
            Operand::Symbol(symbol, offset) => Operand::Symbol(self.symbol(into, symbol)?, offset),
            Operand::Address(Base::Symbol(symbol), offset) => {
                Operand::Address(Base::Symbol(self.symbol(into, symbol)?), offset)
            }
            Operand::Label(label) => Operand::Label(self.label(label)?),
            Operand::Vector(list) => Operand::Vector(self.list(into, list)?),
            Operand::Tuple(list) => Operand::Tuple(self.list(into, list)?),
            Operand::Bracket(list) => Operand::Bracket(self.list(into, list)?),
            Operand::VectorPair(list, resident) => {
                let resident = resident.map(reg).transpose()?;
                Operand::VectorPair(self.list(into, list)?, resident)
            }
            Operand::Special(_)
            | Operand::Int(_)
            | Operand::Float32(_)
            | Operand::Float64(_)
            | Operand::Address(Base::Absolute, _)
            | Operand::Sink => *operand,
        })
    }

    fn list(&mut self, into: &mut Kernel, list: List) -> Result<List, Error> {
        let from = self.from;
        let mut elements: SmallVec<[Operand; 4]> = SmallVec::new();
        for element in from.list(list) {
            elements.push(self.operand(into, element)?);
        }
        Ok(into.push_list(&elements))
    }
}

impl Kernel {
    /// Returns true if a parameter or result has a name.
    fn has_parameter(&self, name: &str) -> bool {
        self.params.iter().chain(&self.results).any(|parameter| *parameter.name == *name)
    }
}
