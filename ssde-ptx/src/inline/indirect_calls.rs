//! Calls by address that lead to one function.
//!
//! A function that is given another one calls it by the address in a parameter. Once its body stands in the place of a call that passes the
//! function's name, the register that the call goes by is a copy of that name, and nothing else is ever in it. A debug build of libcu++ has an
//! atomic call its operation like this.

use ptx_parser::{Inst, Kernel, Module, Offset, Operand, Reg, Running, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::{Calls, Kept};
use crate::call_targets::is_by_address;

/// A kernel in which calls by address name the one function that they lead to, where its body can be put in their places. `None` if there is no such
/// call. The calls still have the prototypes, which no call by name has: they are there to be replaced.
pub(super) fn named(module: &Module, library: &Module, kept: &Kept, kernel: &Kernel) -> Option<Kernel> {
    let calls: Vec<Inst> = kernel.insts().filter(|&inst| is_by_address(kernel, inst)).collect();
    if calls.is_empty() {
        return None;
    }
    let written = written_once(kernel);
    let mut named = kernel.clone();
    let mut changed = Vec::new();
    for inst in calls {
        let Some(&Operand::Reg(address)) = kernel.call_parts(inst).callee else { continue };
        let Some(function) = function_in(kernel, &written, address) else { continue };
        if put(&mut named, inst, Operand::Reg(address), Operand::Symbol(function, Offset::ZERO)) {
            changed.push((inst, address, function));
        }
    }
    // What several calls share can be replaced with the last of them alone, so all are named before any is asked for.
    let stays: Vec<_> = {
        let calls = Calls::of(module, library, kept);
        changed.iter().copied().filter(|&(inst, ..)| calls.target(&named, inst).is_err()).collect()
    };
    for &(inst, address, function) in &stays {
        put(&mut named, inst, Operand::Symbol(function, Offset::ZERO), Operand::Reg(address));
    }
    (stays.len() < changed.len()).then_some(named)
}

/// Puts an operand of a call in the place of another; false if that is not possible.
fn put(kernel: &mut Kernel, call: Inst, before: Operand, after: Operand) -> bool {
    let change = |operand: &mut Operand| {
        if *operand == before {
            *operand = after;
        }
    };
    kernel.edit_operands(call, change).is_ok()
}

/// The registers that one instruction alone writes, and that instruction.
fn written_once(kernel: &Kernel) -> FxHashMap<Reg, Inst> {
    let mut writes: FxHashMap<Reg, Option<Inst>> = FxHashMap::default();
    for inst in kernel.insts() {
        for reg in kernel.defs(inst) {
            writes.entry(reg).and_modify(|known| *known = None).or_insert(Some(inst));
        }
    }
    writes.into_iter().filter_map(|(reg, inst)| Some((reg, inst?))).collect()
}

/// The function whose address is in a register: it is written once, by a copy of the function's name or of such a register.
fn function_in(kernel: &Kernel, written: &FxHashMap<Reg, Inst>, mut reg: Reg) -> Option<Symbol> {
    // A copy of a copy of itself is never written from outside.
    for _ in 0..written.len() {
        let &inst = written.get(&reg)?;
        let copies = is_copy(kernel, inst) && kernel.inst(inst).guard.is_none();
        match kernel.operands(inst) {
            [_, Operand::Reg(from)] if copies => reg = *from,
            [_, Operand::Symbol(symbol, Offset::ZERO)] if copies && kernel.variable(*symbol).is_none() => {
                return Some(*symbol);
            }
            _ => return None,
        }
    }
    None
}

/// The instructions that copy the address of a function to where nobody reads it, but copies of that kind: calls by it have been replaced.
pub(crate) fn copied_alone(kernel: &Kernel) -> FxHashSet<Inst> {
    let of_function = |inst: Inst| {
        let symbol =
            |operand: &Operand| matches!(operand, Operand::Symbol(symbol, _) if kernel.variable(*symbol).is_none());
        is_copy(kernel, inst) && kernel.operands(inst).iter().any(symbol)
    };
    let copies: Vec<Inst> = kernel.insts().filter(|&inst| of_function(inst)).collect();
    if copies.is_empty() {
        return FxHashSet::default();
    }
    let mut readers: FxHashMap<Reg, Vec<Inst>> = FxHashMap::default();
    for inst in kernel.insts() {
        kernel.uses(inst).into_iter().for_each(|reg| readers.entry(reg).or_default().push(inst));
    }
    let is_unread = |copy: &Inst| {
        let (mut seen, mut work) = (FxHashSet::default(), vec![*copy]);
        while let Some(inst) = work.pop() {
            if !is_copy(kernel, inst) {
                return false;
            }
            let read = kernel.defs(inst).into_iter().flat_map(|reg| readers.get(&reg).into_iter().flatten().copied());
            work.extend(read.filter(|&reader| seen.insert(reader)));
        }
        true
    };
    copies.into_iter().filter(is_unread).collect()
}

fn is_copy(kernel: &Kernel, inst: Inst) -> bool {
    kernel.properties(inst).running == Some(Running::Copy)
}
