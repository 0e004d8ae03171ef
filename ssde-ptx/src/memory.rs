//! Which instructions read and write what other threads can see, and whether two of them may touch the same place.
//!
//! What other threads can see is global and shared memory; *shared* is the paper's word for both. A place is known by its state space,
//! by the variable or kernel parameter that its address is made from, and by an offset where that is a constant. Two lanes may have the same
//! address although their offsets are written differently, so that of two addresses only constants tell anything.

use analysis::{Analyses, Value, ValueKind};
use ptx_parser::{Base, Flow, Inst, Kernel, Linear, Memory, Offset, Operand, Space, Symbol};

/// How deep an address is followed through arithmetic.
const DEEPEST: u32 = 32;

/// What an instruction does to memory that other threads can see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Effect {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

/// Functions of CUDA's library that do nothing to memory that a loop could wait for.
const HARMLESS: [&str; 2] = ["vprintf", "__assertfail"];

/// What an instruction does; calls and what is not known do everything.
pub(crate) fn effect(kernel: &Kernel, inst: Inst) -> Effect {
    let properties = kernel.properties(inst);
    let visible = !matches!(properties.space, Some(Space::Local | Space::Param | Space::Const));
    let of = |reads: bool, writes: bool| Effect { reads, writes };
    match properties.memory {
        _ if properties.flow == Flow::Call => of(!is_harmless(kernel, inst), !is_harmless(kernel, inst)),
        Memory::Unknown => of(true, true),
        // A non-coherent load promises that nobody writes there while the kernel runs.
        Memory::Read => of(visible && !kernel.opcode(inst).is_noncoherent(), false),
        Memory::Write => of(false, visible),
        Memory::Atomic => of(visible, visible),
        Memory::None | Memory::Fence => of(false, false),
    }
}

fn is_harmless(kernel: &Kernel, inst: Inst) -> bool {
    kernel.operands(inst).iter().any(|operand| match operand {
        Operand::Symbol(symbol, _) => HARMLESS.contains(&kernel.symbol_name(*symbol)),
        _ => false,
    })
}

/// What an address is made from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Root {
    /// A variable of the module or the kernel.
    Variable(Symbol),
    /// The pointer in a kernel parameter, at an offset in it.
    Parameter(Symbol, Offset),
    Unknown,
}

/// An address as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    space: Option<Space>,
    root: Root,
    /// The constant that is added to the root, if nothing else is.
    offset: Option<i64>,
    bytes: i64,
}

/// The place that an instruction accesses.
pub(crate) fn place(facts: &Analyses, kernel: &Kernel, inst: Inst) -> Place {
    let properties = kernel.properties(inst);
    let space = properties.space.filter(|space| *space != Space::Generic);
    let bytes = bytes(kernel, inst);
    let (root, offset) = match address(kernel, inst) {
        Some((Base::Symbol(symbol), offset)) => (Root::Variable(symbol), Some(offset)),
        Some((Base::Reg(reg), offset)) => match facts.values.at_use(inst, reg) {
            Some(value) => {
                let (root, inner) = root(facts, kernel, value, DEEPEST);
                (root, inner.map(|inner| inner.wrapping_add(offset)))
            }
            None => (Root::Unknown, None),
        },
        _ => (Root::Unknown, None),
    };
    let known = match (space, root) {
        (None, Root::Variable(symbol)) => kernel.variable(symbol).map(|variable| variable.space),
        // What the host passes is no address in a CTA's own memory.
        (None, Root::Parameter(..)) => Some(Space::Global),
        (space, _) => space,
    };
    Place { space: known, root, offset, bytes }
}

/// The address that an instruction accesses: its base and what is added to that.
pub(crate) fn address(kernel: &Kernel, inst: Inst) -> Option<(Base, i64)> {
    kernel.operands(inst).iter().find_map(|operand| match operand {
        Operand::Address(base, offset) => Some((*base, offset.get())),
        _ => None,
    })
}

/// How many bytes an access touches at most.
pub(crate) fn bytes(kernel: &Kernel, inst: Inst) -> i64 {
    let ty = kernel.opcode(inst).types().iter().map(|ty| i64::from(ty.bytes())).max().unwrap_or(16);
    let lanes = kernel.operands(inst).iter().filter_map(Operand::list).map(|list| kernel.list(list).len()).max();
    ty * lanes.map_or(1, |lanes| lanes as i64)
}

/// What a value is made from as an address, and the constant that was added to it.
pub(crate) fn root(facts: &Analyses, kernel: &Kernel, value: Value, depth: u32) -> (Root, Option<i64>) {
    const UNKNOWN: (Root, Option<i64>) = (Root::Unknown, None);
    let Some(depth) = depth.checked_sub(1) else { return UNKNOWN };
    let inst = match facts.values.kind(value) {
        ValueKind::Def(inst, _) => inst,
        ValueKind::Undefined(_) => return UNKNOWN,
        ValueKind::Phi(..) => {
            let inputs = facts.values.phi_inputs(value).iter().filter(|&&(_, input)| input != value);
            let mut roots = inputs.map(|&(_, input)| root(facts, kernel, input, depth.min(4)).0);
            let Some(first) = roots.next() else { return UNKNOWN };
            return if roots.all(|other| other == first) { (first, None) } else { UNKNOWN };
        }
    };
    let properties = kernel.properties(inst);
    if kernel.inst(inst).guard.is_some() {
        return UNKNOWN;
    }
    let operands = kernel.operands(inst);
    if properties.memory == Memory::Read && properties.space == Some(Space::Param) {
        let address = operands.iter().find_map(|operand| match operand {
            Operand::Address(Base::Symbol(symbol), offset) => Some((*symbol, *offset)),
            _ => None,
        });
        return address.map_or(UNKNOWN, |(symbol, offset)| (Root::Parameter(symbol, offset), Some(0)));
    }
    let of = |index: usize| match operands.get(index) {
        Some(&Operand::Symbol(symbol, offset)) => (Root::Variable(symbol), Some(offset.get())),
        Some(&Operand::Reg(reg)) => {
            facts.values.at_use(inst, reg).map_or(UNKNOWN, |value| root(facts, kernel, value, depth))
        }
        _ => UNKNOWN,
    };
    let constant = |index: usize| match operands.get(index) {
        Some(&Operand::Int(number)) => Some(number),
        _ => None,
    };
    match properties.linear {
        Some(Linear::Same) => of(1),
        Some(Linear::Sum) => match (constant(1), constant(2)) {
            (_, Some(number)) => added(of(1), number),
            (Some(number), _) => added(of(2), number),
            _ => one_of(of(1), of(2)),
        },
        Some(Linear::Difference) => match constant(2) {
            Some(number) => added(of(1), number.wrapping_neg()),
            None => (of(1).0, None),
        },
        // What is multiplied is an index; the address is added to it.
        Some(Linear::ProductSum) => (of(3).0, None),
        _ => UNKNOWN,
    }
}

fn added((root, offset): (Root, Option<i64>), number: i64) -> (Root, Option<i64>) {
    (root, offset.map(|offset| offset.wrapping_add(number)))
}

/// Of two values that are added, one is an address if the other is not.
fn one_of(one: (Root, Option<i64>), other: (Root, Option<i64>)) -> (Root, Option<i64>) {
    match (one.0, other.0) {
        (Root::Unknown, root) | (root, Root::Unknown) => (root, None),
        _ => (Root::Unknown, None),
    }
}

impl Place {
    /// What it is made from, and the bytes that it begins and ends at, as far as they are known.
    pub(crate) fn extent(&self) -> (Root, Option<std::ops::Range<i64>>) {
        (self.root, self.offset.map(|offset| offset..offset.saturating_add(self.bytes)))
    }

    /// Whether it is in the thread's own memory, which nobody else sees.
    pub(crate) fn is_own(&self) -> bool {
        self.space == Some(Space::Local)
    }

    /// Whether two accesses, by any two threads, may touch a byte in common.
    pub(crate) fn may_alias(&self, other: &Place) -> bool {
        if let (Some(one), Some(other)) = (self.space, other.space)
            && one != other
        {
            return false;
        }
        match (self.root, other.root) {
            (Root::Variable(one), Root::Variable(other)) if one != other => false,
            (one, two) if one == two && one != Root::Unknown => match (self.offset, other.offset) {
                (Some(one), Some(two)) => one < two.saturating_add(other.bytes) && two < one.saturating_add(self.bytes),
                _ => true,
            },
            _ => true,
        }
    }
}
