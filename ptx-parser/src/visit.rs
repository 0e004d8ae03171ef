//! The registers that an instruction reads and writes, and the labels that it may branch to, from the grammar table.

use smallvec::SmallVec;

use crate::entities::{Inst, Label, Reg, Symbol};
use crate::kernel::Kernel;
use crate::operand::{Base, Operand, Selector};
use crate::stmt::StmtKind;
use crate::table::Flow;

/// The kind of access that an instruction makes to a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegAccess {
    /// It reads the value from before.
    pub read: bool,
    /// It writes a new value.
    pub write: bool,
}

impl Kernel {
    /// The label to which an instruction may branch directly.
    #[must_use]
    pub fn branch_target(&self, inst: Inst) -> Option<Label> {
        match (self.properties(inst).flow, self.operands(inst).first()) {
            (Flow::Branch, Some(Operand::Label(label))) => Some(*label),
            _ => None,
        }
    }

    /// All labels to which an instruction may branch, those of a `.branchtargets` list included.
    #[must_use]
    pub fn branch_targets(&self, inst: Inst) -> SmallVec<[Label; 2]> {
        match self.properties(inst).flow {
            Flow::Branch => self.branch_target(inst).into_iter().collect(),
            Flow::IndirectBranch => self.branch_table(inst).map(SmallVec::from_slice).unwrap_or_default(),
            _ => SmallVec::new(),
        }
    }

    /// The list that a `brx.idx` names, if there is one.
    pub(crate) fn branch_table(&self, inst: Inst) -> Option<&[Label]> {
        self.operands(inst).iter().find_map(|operand| match operand {
            Operand::Symbol(symbol, _) => self.branch_tables.get(symbol).map(Vec::as_slice),
            _ => None,
        })
    }

    /// Gathers the `.branchtargets` lists of the body.
    pub(crate) fn collect_branch_tables(&mut self) {
        self.branch_tables.clear();
        for stmt in &self.stmts {
            if let StmtKind::BranchTargets(symbol, labels) = &stmt.kind {
                self.branch_tables.entry(*symbol).or_default().extend(labels.iter());
            }
        }
    }

    /// The registers that an instruction writes, the carry flag included.
    #[must_use]
    pub fn defs(&self, inst: Inst) -> SmallVec<[Reg; 4]> {
        let mut regs = SmallVec::new();
        self.visit(inst, |reg, access| {
            if access.write {
                regs.push(reg);
            }
        });
        regs
    }

    /// The registers whose value before the instruction can matter to it: operands that it reads, its guard, registers
    /// that it writes in part, and, where it is guarded, the registers that it writes (they keep their value in lanes
    /// whose guard is false).
    #[must_use]
    pub fn uses(&self, inst: Inst) -> SmallVec<[Reg; 4]> {
        let guarded = self.insts[inst].guard.is_some();
        let mut regs = SmallVec::new();
        self.visit(inst, |reg, access| {
            if access.read || (access.write && guarded) {
                regs.push(reg);
            }
        });
        regs
    }

    /// The registers that an instruction reads as operands or as its guard.
    #[must_use]
    pub fn reads(&self, inst: Inst) -> SmallVec<[Reg; 4]> {
        let mut regs = SmallVec::new();
        self.visit(inst, |reg, access| {
            if access.read {
                regs.push(reg);
            }
        });
        regs
    }

    /// Calls `each` for every mention of a register in an instruction, guard first, then the operands in order, then
    /// the carry flag, with how it is accessed.
    pub fn visit(&self, inst: Inst, mut each: impl FnMut(Reg, RegAccess)) {
        let data = &self.insts[inst];
        let properties = self.opcodes[data.opcode].properties();
        if let Some(guard) = data.guard {
            each(guard.reg, RegAccess { read: true, write: false });
        }
        let call_results =
            properties.flow == Flow::Call && matches!(self.operands(inst).first(), Some(Operand::Tuple(_)));
        for (index, operand) in self.operands(inst).iter().enumerate() {
            let role = if call_results && index == 0 { 'w' } else { properties.role(index) };
            let access = RegAccess { read: role != 'w', write: role != 'r' };
            self.visit_operand(operand, access, &mut each);
        }
        if let Some(carry) = self.carry {
            let access = RegAccess { read: properties.carry_in, write: properties.carry_out };
            if access.read || access.write {
                each(carry, access);
            }
        }
    }

    fn visit_operand(&self, operand: &Operand, access: RegAccess, each: &mut impl FnMut(Reg, RegAccess)) {
        const READ: RegAccess = RegAccess { read: true, write: false };
        match *operand {
            Operand::Reg(reg) | Operand::Selected(reg, Selector { part: None, .. }) => each(reg, access),
            Operand::Not(reg) | Operand::Sum(reg, _) => each(reg, READ),
            // Writing one part keeps the others.
            Operand::Component(reg, _) | Operand::Selected(reg, Selector { part: Some(_), .. }) => {
                each(reg, RegAccess { read: true, write: access.write })
            }
            Operand::Pair(first, second) => {
                first.expand().into_iter().chain(second.expand()).for_each(|reg| each(reg, access));
            }
            Operand::Address(Base::Reg(reg), _) => each(reg, READ),
            Operand::Vector(list) | Operand::Tuple(list) => {
                self.list(list).iter().for_each(|element| self.visit_operand(element, access, each));
            }
            Operand::VectorPair(list, resident) => {
                self.list(list).iter().for_each(|element| self.visit_operand(element, access, each));
                resident.into_iter().for_each(|reg| each(reg, access));
            }
            Operand::Bracket(list) => {
                self.list(list).iter().for_each(|element| self.visit_operand(element, READ, each));
            }
            Operand::Special(_)
            | Operand::Int(_)
            | Operand::Float32(_)
            | Operand::Float64(_)
            | Operand::Symbol(..)
            | Operand::Label(_)
            | Operand::Address(..)
            | Operand::Sink => {}
        }
    }

    /// Calls `each` for every variable, parameter or function that an instruction mentions, by its value or by the memory at its address.
    pub fn visit_symbols(&self, inst: Inst, mut each: impl FnMut(Symbol)) {
        self.visit_operands(inst, |operand| {
            if let Operand::Symbol(symbol, _) | Operand::Address(Base::Symbol(symbol), _) = *operand {
                each(symbol);
            }
        });
    }

    /// Calls `each` for every operand of an instruction, looking into vectors, tuples and brackets.
    pub fn visit_operands(&self, inst: Inst, mut each: impl FnMut(&Operand)) {
        for operand in self.operands(inst) {
            each(operand);
            if let Some(list) = operand.list() {
                for element in self.list(list) {
                    each(element);
                    // Coordinates: `[texture, {x, y}]`.
                    if let Operand::Vector(inner) = element {
                        self.list(*inner).iter().for_each(&mut each);
                    }
                }
            }
        }
    }
}
