//! Loops that may wait for another thread.

use ptx_parser::{Flow, Inst, Kernel, Memory, Mnemonic, Modifier, Operand, Reg, Space};
use rustc_hash::FxHashSet;

use crate::analyses::Analyses;
use crate::cfg::Block;
use crate::loops::Loop;
use crate::shared_state::accesses_shared_state;

/// Returns true if whether a lane leaves a loop may depend on what another thread writes while it runs: then others must get their turn.
///
/// `calls` says of a call whether its function may read what another thread writes. The registers that the loop's exits depend on are followed within the loop, whatever the order of their definitions. A loop that no lane leaves by itself waits, too.
#[must_use]
pub fn may_wait(kernel: &Kernel, analyses: &Analyses, id: Loop, calls: &dyn Fn(Inst) -> bool) -> bool {
    let (cfg, loops) = (&analyses.cfg, &analyses.loops);
    let insts: Vec<Inst> = loops.blocks(id).iter().flat_map(|&block| cfg.insts(block)).copied().collect();
    let exits = loops
        .blocks(id)
        .iter()
        .filter(|&&block| cfg.exits(block) || cfg.succs(block).iter().any(|succ| !loops.contains(id, succ.block)));
    let mut wanted: Vec<Reg> = Vec::new();
    let mut seen: FxHashSet<Reg> = FxHashSet::default();
    let mut leaves = false;
    for &block in exits {
        leaves = true;
        if is_counted_exit(kernel, analyses, id, block) {
            continue;
        }
        // Branches within the loop decide whether the exit is reached, but a lane that goes round comes to it again.
        for &inst in cfg.insts(block) {
            let flow = kernel.properties(inst).flow;
            if flow != Flow::Next {
                wanted.extend(kernel.uses(inst));
            }
        }
    }
    if leaves && wanted.is_empty() {
        return false;
    }
    if !leaves {
        return true;
    }
    // Branches in the loop decide which definitions are executed.
    for &inst in &insts {
        if matches!(kernel.properties(inst).flow, Flow::Branch | Flow::IndirectBranch) {
            wanted.extend(kernel.uses(inst));
        }
    }
    while let Some(reg) = wanted.pop() {
        if !seen.insert(reg) {
            continue;
        }
        for &inst in insts.iter().filter(|&&inst| kernel.defs(inst).contains(&reg)) {
            let properties = kernel.properties(inst);
            // A thread's own memory has what the loop stores there: without optimisation, all of its variables.
            let own =
                properties.memory == Memory::Read && matches!(properties.space, Some(Space::Local | Space::Param));
            let reads = |inst: Inst| reads_shared_state(kernel, inst, calls);
            if reads(inst) || own && insts.iter().any(|&inst| reads(inst)) {
                return true;
            }
            wanted.extend(kernel.uses(inst));
        }
    }
    false
}

/// Returns true for an exit by which a lane leaves a loop after so many rounds, whatever other threads write: each round counts a register on by the same number, and comes
/// to the exit, which compares the register with what the loop does not change.
fn is_counted_exit(kernel: &Kernel, analyses: &Analyses, id: Loop, exit: Block) -> bool {
    let (cfg, loops) = (&analyses.cfg, &analyses.loops);
    let in_each_round = |block: Block| analyses.is_in_each_iteration(block, id);
    let Some(guard) = cfg.terminator(exit).and_then(|inst| kernel.inst(inst).guard) else { return false };
    if !in_each_round(exit) || cfg.exits(exit) {
        return false;
    }
    let definitions = |reg: Reg| {
        let insts = loops.blocks(id).iter().flat_map(|&block| cfg.insts(block)).copied();
        insts.filter(|&inst| kernel.defs(inst).contains(&reg)).collect::<Vec<Inst>>()
    };
    let [compare] = definitions(guard.reg)[..] else { return false };
    let ordered = [Modifier::Lt, Modifier::Le, Modifier::Gt, Modifier::Ge];
    if kernel.opcode(compare).mnemonic() != Mnemonic::Setp || !kernel.opcode(compare).has_any(&ordered) {
        return false;
    }
    let counts = |reg: Reg| {
        let [step] = definitions(reg)[..] else { return false };
        let opcode = kernel.opcode(step);
        matches!(opcode.mnemonic(), Mnemonic::Add | Mnemonic::Sub)
            && kernel.inst(step).guard.is_none()
            && matches!(*kernel.operands(step), [Operand::Reg(to), Operand::Reg(from), Operand::Int(by)] if to == reg && from == reg && by != 0)
            && cfg.block_of(step).is_some_and(in_each_round)
    };
    let stays = |operand: &Operand| match *operand {
        Operand::Reg(reg) => definitions(reg).is_empty(),
        Operand::Int(_) => true,
        _ => false,
    };
    let compared = match kernel.operands(compare) {
        [_, Operand::Reg(reg), limit] if counts(*reg) => Some(limit),
        [_, limit, Operand::Reg(reg)] if counts(*reg) => Some(limit),
        _ => None,
    };
    kernel.inst(compare).guard.is_none()
        && cfg.block_of(compare).is_some_and(in_each_round)
        && compared.is_some_and(stays)
}

/// Returns true if an instruction reads memory that another thread may write while a loop runs.
fn reads_shared_state(kernel: &Kernel, inst: Inst, calls: &dyn Fn(Inst) -> bool) -> bool {
    let properties = kernel.properties(inst);
    match properties.memory {
        _ if properties.flow == Flow::Call => calls(inst),
        Memory::Atomic | Memory::Unknown => true,
        Memory::Read => accesses_shared_state(kernel, inst),
        _ => false,
    }
}
