//! Reads of a loop where nothing writes that is not told.
//!
//! Nodes of lists and trees lead to each other by pointers in memory. A write through a parameter may be to such a node, which may be in a pool that is passed; but where numbers are
//! written side by side in an array, that holds no nodes. That it does not is assumed, and told.

use analysis::{Value, ValueKind};
use ptx_parser::{Base, Inst, Linear, Memory, Operand, Space};
use rustc_hash::FxHashSet;

use super::loop_facts::{LoopFacts, MOST_VALUES};
use super::prior_reads::Root;
use crate::detect::accesses::accesses;
use crate::detect::alias::{Location, address, bytes};

impl LoopFacts<'_> {
    /// The writes in the loop, or outside it, that have to be elsewhere for nothing to write where a read in the loop reads: those to plain arrays behind a parameter, if it
    /// reads where a pointer in memory leads. `None` if something else may write there.
    pub(super) fn unwritten(&self, read_inst: Inst, inside: bool) -> Option<Vec<Inst>> {
        self.unwritten_but(read_inst, inside, &|_| false)
    }

    /// The same where some writes do no harm.
    pub(super) fn unwritten_but(
        &self,
        read_inst: Inst,
        inside: bool,
        is_harmless: &dyn Fn(Inst) -> bool,
    ) -> Option<Vec<Inst>> {
        let places = |inst: Inst| accesses(self.facts, self.kernel, self.context, inst).into_iter();
        let read: Vec<Location> = places(read_inst).filter(|access| access.reads).map(|access| access.place).collect();
        let blocks = self.facts.cfg.blocks().filter(|&block| self.cycle.contains(self.facts, block) == inside);
        let mut apart = Vec::new();
        for &inst in blocks.flat_map(|block| self.facts.cfg.insts(block)) {
            let written: Vec<Location> =
                places(inst).filter(|access| access.writes).map(|access| access.place).collect();
            let is_met = written.iter().any(|written| read.iter().any(|read| read.may_be_by_name(written)));
            if is_met && !is_harmless(inst) {
                if !self.is_in_plain_array(inst, read_inst) {
                    return None;
                }
                apart.push(inst);
            }
        }
        Some(apart)
    }

    /// The writes that have to be elsewhere for a value to stay once it is read: it is from before the loop, or read in places that nothing writes by their names. `None` if it may be
    /// something else.
    pub(super) fn stays_once_read(&self, value: Value) -> Option<Vec<Inst>> {
        let values = &self.facts.values;
        let (mut seen, mut work) = (FxHashSet::default(), vec![self.origin(value)]);
        let mut apart = Vec::new();
        while let Some(value) = work.pop() {
            if !self.contains(values.block(value)) || !seen.insert(value) {
                continue;
            }
            if let ValueKind::Phi(..) = values.kind(value) {
                work.extend(values.inputs(self.kernel, value).into_iter().map(|input| self.origin(input)));
                continue;
            }
            let read = self.read(value).filter(|&read| self.kernel.properties(read).memory == Memory::Read)?;
            apart.extend(self.stays_at(read)?);
        }
        Some(apart)
    }

    /// The same of what is read in one place.
    fn stays_at(&self, read: Inst) -> Option<Vec<Inst>> {
        let is_outside = match self.address(read)?.0 {
            Root::Value(value) => !self.contains(self.facts.values.block(value)),
            Root::Variable(_) => true,
        };
        if !is_outside {
            return None;
        }
        let places = |inst: Inst| accesses(self.facts, self.kernel, self.context, inst).into_iter();
        let at = places(read).find(|access| access.reads)?.place;
        let mut apart = Vec::new();
        for &inst in self.facts.cfg.blocks().flat_map(|block| self.facts.cfg.insts(block)) {
            let written = || places(inst).filter(|access| access.writes).map(|access| access.place);
            if written().any(|written| written.may_meet(&at)) {
                return None;
            }
            apart.extend(written().any(|written| written.may_be_by_name(&at)).then_some(inst));
        }
        Some(apart)
    }

    /// Returns true if a write is to plain numbers in an array behind a parameter, where a read is where a pointer in memory leads.
    pub(super) fn is_in_plain_array(&self, write: Inst, read: Inst) -> bool {
        let mut written =
            accesses(self.facts, self.kernel, self.context, write).into_iter().filter(|access| access.writes);
        self.is_behind_memory(read)
            && written.all(|access| access.place.is_behind_parameter())
            && self.is_in_array(write)
    }

    /// Returns true if a write is to something narrower than a link, where both are behind pointers in memory: to another member of a node.
    pub(super) fn is_in_other_member(&self, write: Inst, link: Inst) -> bool {
        let is_narrower = bytes(self.kernel, write) < bytes(self.kernel, link);
        is_narrower && self.is_behind_memory(link) && self.is_behind_memory(write)
    }

    /// Returns true if an access is to an element of an array of plain numbers: at an index times the size of what is accessed, without a number that is added. Nodes with links
    /// in them are longer.
    fn is_in_array(&self, access: Inst) -> bool {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let Some((Base::Reg(_), 0)) = address(kernel, access) else { return false };
        let Some(sum) = self.read_at(access).and_then(|at| values.made_by(kernel, self.origin(at))) else {
            return false;
        };
        let size = bytes(kernel, access);
        let scales = |operand: &Operand| {
            let made = values.of_operand(sum, operand).and_then(|value| values.made_by(kernel, self.origin(value)));
            made.is_some_and(|made| match (kernel.properties(made).linear, kernel.operands(made)) {
                (Some(Linear::Product), [_, _, Operand::Int(factor)]) => *factor == size,
                (Some(Linear::Shifted), [_, _, Operand::Int(by)]) => {
                    u32::try_from(*by).is_ok_and(|by| 1i64.checked_shl(by) == Some(size))
                }
                _ => false,
            })
        };
        match (kernel.properties(sum).linear, kernel.operands(sum)) {
            (Some(Linear::Sum), [_, one @ Operand::Reg(_), other @ Operand::Reg(_)]) => scales(one) || scales(other),
            (Some(Linear::ProductSum), [_, _, Operand::Int(factor), _]) => *factor == size,
            _ => false,
        }
    }

    /// Returns true if the address of a read is made of pointers that were read from memory, and of indices.
    fn is_behind_memory(&self, read: Inst) -> bool {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let Some(at) = self.read_at(read) else { return false };
        let (mut seen, mut work) = (FxHashSet::default(), vec![at]);
        let mut found = false;
        while let Some(value) = work.pop() {
            if seen.len() > MOST_VALUES || matches!(values.kind(value), ValueKind::Undefined(_)) {
                return false;
            }
            if let ValueKind::Def(inst, _) = values.kind(value) {
                let properties = kernel.properties(inst);
                match properties.memory {
                    Memory::Read if properties.space == Some(Space::Param) => return false,
                    Memory::Read => {
                        found = true;
                        continue;
                    }
                    Memory::None => {}
                    _ => return false,
                }
            }
            let is_wide = |input: &Value| kernel.reg(values.reg(*input)).ty.bits() == 64;
            let inputs = values.inputs(kernel, value).into_iter().filter(is_wide);
            work.extend(inputs.filter(|&input| seen.insert(input)));
        }
        found
    }
}
