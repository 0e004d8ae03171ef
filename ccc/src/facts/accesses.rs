//! Accesses to memory: which other code can see, which commute, which may be put off.

use analysis::{Access, Block, Loop, MemoryDependence, Relation, Value};
use ptx_parser::{Base, Flow, Inst, Kernel, Memory, Mnemonic, Modifier, Operand, Ordering, Space};
use rustc_hash::FxHashSet;

use crate::facts::Facts;
use crate::markers::{self, Parameter};

/// Returns true if a load may be put off from where it stands to where its path runs: nothing that is executed meanwhile may write what it
/// reads.
pub(crate) fn may_be_put_off(facts: &Facts<'_>, load: Inst, marked_loop: Loop, end: Block) -> bool {
    let parameters = markers::parameters(facts.kernel);
    let memory = memory(facts, &parameters);
    let Some(read) = memory.access(load) else { return true };
    let ahead = facts.ahead(marked_loop, end);
    let mut insts = facts.cfg.blocks().filter(|&block| ahead.contains(block)).flat_map(|block| facts.cfg.insts(block));
    insts.all(|&inst| {
        let writes = memory.access(inst).filter(|access| access.writes && !is_own_output(facts.kernel, inst));
        writes.is_none_or(|write| memory.relation(&read, &write, marked_loop) == Relation::Disjoint)
    })
}

pub(crate) fn memory<'a>(facts: &'a Facts<'_>, parameters: &[Parameter]) -> MemoryDependence<'a> {
    let restricted = parameters.iter().enumerate().filter(|(_, one)| one.restricted).map(|(index, _)| index);
    let restricted: Vec<usize> = restricted.collect();
    MemoryDependence::of(facts.kernel, &facts.cfg, &facts.loops, &facts.values, &facts.invariance, &restricted)
}

/// Returns true for a call that touches nothing that the kernel itself accesses: output, and memory that it gets or gives back.
pub(crate) fn is_own_output(kernel: &Kernel, inst: Inst) -> bool {
    kernel.properties(inst).flow == Flow::Call
        && callee(kernel, inst).is_some_and(|name| matches!(name, "vprintf" | "malloc" | "free" | "__assertfail"))
}

pub(crate) fn callee(kernel: &Kernel, inst: Inst) -> Option<&str> {
    kernel.operands(inst).iter().find_map(|operand| match operand {
        Operand::Symbol(symbol, _) => Some(kernel.symbol_name(*symbol)),
        _ => None,
    })
}

/// The value of the register in an access's address; `None` where a symbol or a number is the base.
pub(crate) fn address(facts: &Facts<'_>, access: Inst) -> Option<Value> {
    let mut address = None;
    facts.kernel.visit_operands(access, |operand| {
        if let Operand::Address(Base::Reg(reg), _) = operand {
            address = facts.values.at_use(access, *reg);
        }
    });
    address
}

/// The access of an instruction, if other code can see it.
pub(crate) fn visible(kernel: &Kernel, memory: &MemoryDependence<'_>, inst: Inst) -> Option<Access> {
    if is_own_output(kernel, inst) {
        return None;
    }
    memory.access(inst).filter(|access| access.space != Some(Space::Local))
}

/// Returns true for two updates of memory that leave the same in both orders: by one operator, and nobody looks at what was there. Sums of floats are rounded in another way in another order; that counts at
/// places which no other thread updates, where the program has one order.
pub(crate) fn commute(facts: &Facts<'_>, one: &Access, other: &Access) -> bool {
    const OPERATORS: [Modifier; 6] =
        [Modifier::Add, Modifier::And, Modifier::Or, Modifier::Xor, Modifier::Min, Modifier::Max];
    let kernel = facts.kernel;
    let operator = |inst: Inst| {
        let opcode = kernel.opcode(inst);
        let plain = matches!(opcode.mnemonic(), Mnemonic::Red | Mnemonic::Atom) && is_unused(facts, inst);
        let found = OPERATORS.into_iter().find(|&word| opcode.has(word));
        found.filter(|_| plain && kernel.properties(inst).ordering == Ordering::Relaxed)
    };
    let (first, second) = (kernel.opcode(one.inst), kernel.opcode(other.inst));
    let rounds = first.has(Modifier::Add) && first.types().iter().any(|ty| ty.is_float());
    let same_type = first.types() == second.types();
    let by = operator(one.inst);
    same_type && by.is_some() && by == operator(other.inst) && !(rounds && is_of_numbers(facts, one))
}

/// Returns true if an address is made of the numbers of threads and iterations, and of nothing that is read, so that other threads hardly have it too.
fn is_of_numbers(facts: &Facts<'_>, access: &Access) -> bool {
    let Some(address) = address(facts, access.inst) else { return false };
    if facts.divergence.value_is_uniform(address) {
        return false;
    }
    let (mut seen, mut work) = (FxHashSet::from_iter([address]), vec![address]);
    while let Some(value) = work.pop() {
        let made = facts.values.made_by(facts.kernel, value);
        let reads = |inst: Inst| {
            let properties = facts.kernel.properties(inst);
            properties.memory != Memory::None && properties.space != Some(Space::Param)
        };
        if made.is_some_and(reads) {
            return false;
        }
        work.extend(facts.values.inputs(facts.kernel, value).into_iter().filter(|&input| seen.insert(input)));
    }
    true
}

/// Returns true if nobody looks at what an instruction gives.
pub(crate) fn is_unused(facts: &Facts<'_>, inst: Inst) -> bool {
    facts.values.defs(inst).iter().all(|(_, value)| facts.values.users(*value).is_empty())
}
