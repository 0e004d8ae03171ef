//! The rules for which instructions may stand in a region, and which in the rest of the loop.
//!
//! A region is executed by another lane and at another time than it was written for. So it may not act on the thread that executes it, and
//! may not need the other lanes of its warp. It may not hand a register to the code behind it, except for reductions
//! ([`crate::reduction`]).

use analysis::Block;
use ptx_parser::{Flow, Inst, Memory, Mnemonic, Modifier, OpcodeData, Space, StmtKind};

use crate::facts::Facts;
use crate::origin::Origin;
use crate::refusal::Refusal;
use crate::region::Region;
use crate::source_names::called;

/// Functions of the CUDA runtime that a lane may call for another one: they synchronise nothing and keep nothing per thread.
const HARMLESS: &[&str] = &["vprintf", "malloc", "free", "__assertfail"];

/// Checks every instruction of the region.
pub(crate) fn check_region(facts: &Facts<'_>, region: &Region) -> Result<(), Refusal> {
    for &block in &region.blocks {
        for &inst in facts.cfg.insts(block) {
            check_inst(facts, region, inst).map_err(|refusal| refusal.in_region(region.steps))?;
        }
    }
    check_scopes(facts, region)
}

fn check_inst(facts: &Facts<'_>, region: &Region, inst: Inst) -> Result<(), Refusal> {
    let kernel = facts.kernel;
    let properties = kernel.properties(inst);
    let opcode = || facts.opcode(inst);
    // Finding it takes long where much is inlined, and mostly nobody asks.
    let at = || Origin::of(kernel, inst);
    match properties.flow {
        Flow::Call => return check_call(facts, inst, at()),
        Flow::IndirectBranch => {
            return Err(Refusal::ControlFlow { what: "an indirect branch in the marked path".to_owned(), at: at() });
        }
        Flow::Return | Flow::Exit => return Err(Refusal::Leaves { at: at() }),
        // The table says of such opcodes only that they may do anything.
        _ if is_asynchronous(kernel.opcode(inst)) => return Err(Refusal::Asynchronous { opcode: opcode(), at: at() }),
        Flow::Next | Flow::Branch | Flow::Trap => {}
    }
    if !properties.known {
        return Err(Refusal::Unknown { opcode: opcode(), at: at() });
    }
    if properties.convergent {
        return Err(Refusal::Convergent { opcode: opcode(), at: at() });
    }
    if properties.space == Some(Space::Local) || facts.touches_local(inst) {
        return Err(Refusal::Local { alone: is_local_of(facts, region), at: at() });
    }
    if let Some(escape) = facts.escaped_to(inst) {
        return Err(Refusal::EscapedLocal { opcode: opcode(), escape: Origin::of(kernel, escape), at: at() });
    }
    // Carry chains cross no block that nvcc makes, but the flag is no register that could be put on the stack.
    let writes_stack = properties.side_effect && !kernel.defs(inst).is_empty();
    if writes_stack || (properties.memory == Memory::Unknown) {
        return Err(Refusal::ThreadState { opcode: opcode(), at: at() });
    }
    Ok(())
}

/// Returns true if no code outside of a region accesses local memory, or passes on an address of it.
fn is_local_of(facts: &Facts<'_>, region: &Region) -> bool {
    let outside = facts.cfg.blocks().filter(|&block| !region.contains(block));
    let mut insts = outside.flat_map(|block| facts.cfg.insts(block).iter().copied());
    !insts.any(|inst| {
        let properties = facts.kernel.properties(inst);
        let accesses = properties.memory != Memory::None || properties.flow == Flow::Call || !properties.known;
        accesses && (properties.space == Some(Space::Local) || facts.touches_local(inst))
    })
}

/// Returns true for copies that go on while the thread does, and for what waits for them.
fn is_asynchronous(opcode: &OpcodeData) -> bool {
    match opcode.mnemonic() {
        Mnemonic::Cp | Mnemonic::St | Mnemonic::Red => opcode.has(Modifier::Async),
        Mnemonic::Mbarrier => true,
        _ => false,
    }
}

pub(crate) fn check_call(facts: &Facts<'_>, inst: Inst, at: Origin) -> Result<(), Refusal> {
    let kernel = facts.kernel;
    match kernel.callee_name(inst) {
        Some(name) if HARMLESS.contains(&name) => Ok(()),
        Some(name) => Err(Refusal::Call { callee: called(name), at }),
        None => Err(Refusal::CallByPointer { at }),
    }
}

/// Statements of a region move as they are, so that a scope must open and close in one block.
fn check_scopes(facts: &Facts<'_>, region: &Region) -> Result<(), Refusal> {
    let header = facts.loops.header(region.marked_loop);
    let stmts = facts.kernel.stmts();
    let depth_before = |block: Block| {
        stmts.iter().take(facts.cfg.stmts(block).start).fold(0i64, |depth, stmt| depth + change(&stmt.kind))
    };
    let balanced = |block: Block| {
        let stmts = facts.cfg.stmts_of(facts.kernel, block);
        stmts.fold(0, |depth, (_, stmt)| depth + change(&stmt.kind)) == 0
    };
    let nested = |block: &Block| depth_before(*block) != 0 || !balanced(*block);
    let looked_at = region.blocks.iter().copied().chain([header, region.exit]);
    match looked_at.into_iter().find(nested) {
        Some(block) => Err(Refusal::ControlFlow {
            what: "branches inside a nested `{ }` scope".to_owned(),
            at: facts.place(block),
        }),
        None => Ok(()),
    }
}

fn change(kind: &StmtKind) -> i64 {
    match kind {
        StmtKind::Open => 1,
        StmtKind::Close => -1,
        _ => 0,
    }
}

/// The refusal of a loop because of an instruction that may wait for other lanes.
pub(crate) fn refuse_waiting(facts: &Facts<'_>, inst: Inst) -> Refusal {
    let at = Origin::of(facts.kernel, inst);
    if facts.kernel.properties(inst).flow != Flow::Call {
        return Refusal::ConvergentLoop { opcode: facts.opcode(inst), at };
    }
    let callee = match facts.kernel.callee_name(inst) {
        Some(name) => format!("the call of `{}`", called(name)),
        None => "a call through a pointer".to_owned(),
    };
    Refusal::CallOutside { callee, at }
}

/// The first instruction of some blocks that may wait for other lanes of the warp, or of the CTA.
pub(crate) fn waiting(facts: &Facts<'_>, blocks: impl IntoIterator<Item = Block>) -> Option<Inst> {
    let mut insts = blocks.into_iter().flat_map(|block| facts.cfg.insts(block).iter().copied());
    insts.find(|&inst| {
        let properties = facts.kernel.properties(inst);
        // A thread waits for its own copies, which go on whatever other lanes do.
        let opcode = facts.kernel.opcode(inst);
        let of_the_thread = [Modifier::Ca, Modifier::Cg, Modifier::CommitGroup, Modifier::WaitGroup, Modifier::WaitAll];
        let own_copy =
            opcode.mnemonic() == Mnemonic::Cp && opcode.has_any(&of_the_thread) && !opcode.has(Modifier::Bulk);
        // A function that was not inlined may hold a barrier.
        (properties.convergent && !own_copy)
            || (properties.flow == Flow::Call && check_call(facts, inst, Origin::default()).is_err())
    })
}
