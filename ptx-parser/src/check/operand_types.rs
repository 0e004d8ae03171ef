//! A check that the operands of an instruction are what the table says (PTX ISA, "Operand Type Checking").
//!
//! The rules are those of the assembler: the width must be that of the type, `.bN` registers fit every type, signedness is free, and floats
//! and integers do not mix. Loads, stores and conversions take wider registers.

use super::coordinates::coordinates;
use crate::entities::{Inst, Reg};
use crate::kernel::Kernel;
use crate::operand::{Base, Operand};
use crate::special::Component;
use crate::table::{Kind, Modifier, Needs, Param, Signature, is_untyped, type_fits};
use crate::types::Type;

/// The way in which an instruction does not fit the table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Misfit<'k> {
    /// There are that many operands.
    Count(usize),
    /// An operand is not what the parameter asks for.
    Operand(usize, &'k Param),
}

/// The first thing that does not fit, judged by the form that fits best; `None` if a form fits.
pub(super) fn misfit(kernel: &Kernel, inst: Inst) -> Option<Misfit<'_>> {
    let operands = kernel.operands(inst);
    let mut best: Option<Misfit<'_>> = None;
    for signature in kernel.opcode(inst).signatures() {
        let misfit = against(kernel, operands, signature)?;
        let better = match (&best, &misfit) {
            (None, _) | (Some(Misfit::Count(_)), Misfit::Operand(..)) => true,
            (Some(Misfit::Operand(old, _)), Misfit::Operand(new, _)) => new > old,
            _ => false,
        };
        if better {
            best = Some(misfit);
        }
    }
    best
}

/// Returns what the forms need whose operands an instruction has.
pub(super) fn needs(kernel: &Kernel, inst: Inst) -> impl Iterator<Item = Needs> {
    let signatures = kernel.opcode(inst).signatures().iter();
    let fitting = signatures.filter(move |signature| against(kernel, kernel.operands(inst), signature).is_none());
    fitting.map(|signature| signature.needs)
}

fn against<'k>(kernel: &Kernel, operands: &[Operand], signature: &'k Signature) -> Option<Misfit<'k>> {
    let count = operands.len();
    let params = signature.params.as_slice();
    if count < signature.required || count > params.len() {
        return Some(Misfit::Count(count));
    }
    for (index, (operand, param)) in operands.iter().zip(params).enumerate() {
        if !is_plain(kernel, param, operand) && !accepts(kernel, param, operand) {
            return Some(Misfit::Operand(index, param));
        }
    }
    None
}

/// Returns true if an operand is a register of a type that the parameter takes, or an address in one, as nearly all are.
#[inline]
fn is_plain(kernel: &Kernel, param: &Param, operand: &Operand) -> bool {
    match *operand {
        Operand::Reg(reg) => {
            let data = kernel.reg(reg);
            data.lanes == 1 && param.takes(data.ty)
        }
        Operand::Address(Base::Reg(reg), _) => {
            let address = matches!(param.kind, Kind::Address | Kind::FullAddress) && !param.marks.pair_required;
            address && matches!(kernel.reg(reg).ty, Type::B32 | Type::B64 | Type::U32 | Type::U64)
        }
        _ => false,
    }
}

/// Returns true if an operand may stand for a parameter.
fn accepts(kernel: &Kernel, param: &Param, operand: &Operand) -> bool {
    let read = param.role == b'r';
    match (param.kind, operand) {
        (_, Operand::Int(value)) if !param.literals.have(*value) => false,
        (Kind::Any, _) => true,
        (_, Operand::Sink) => param.marks.sink,
        (Kind::Predicate | Kind::Value | Kind::Register, Operand::Pair(first, second)) => {
            // What may be left out is the sink by itself as well; where the predicate is what is asked for, it must be there.
            let whole = first.expand().map_or(param.marks.sink, |reg| fits(kernel, param, reg));
            let asked = second.expand().is_some() || !param.marks.pair_required;
            param.marks.pair && whole && asked && second.expand().is_none_or(|reg| kernel.reg(reg).ty == Type::Pred)
        }
        (_, _) if param.marks.pair_required => false,
        (Kind::Predicate, Operand::Reg(reg)) => kernel.reg(*reg).ty == Type::Pred,
        (Kind::Predicate, Operand::Not(reg)) => read && kernel.reg(*reg).ty == Type::Pred,
        (Kind::Predicate, Operand::Int(_)) => read,
        (Kind::Predicate, Operand::Symbol(..)) => read,
        (Kind::Predicate, _) => false,
        (Kind::Value, operand) => value(kernel, param, operand),
        (Kind::Register, operand) => register(kernel, param, operand),
        (Kind::Literal, operand) => matches!(operand, Operand::Int(_) | Operand::Symbol(..)),
        (Kind::Move, operand) => moves(kernel, param, operand),
        (Kind::Vector(lanes), operand) => vector(kernel, param, lanes, operand),
        (Kind::Coordinates(geometry), operand) => coordinates(kernel, geometry, param.ty, operand),
        (Kind::Address | Kind::FullAddress, Operand::Address(base, _)) => is_address(kernel, *base),
        (Kind::Address | Kind::FullAddress | Kind::Bracket, operand) => {
            matches!(operand, Operand::Bracket(_) | Operand::Address(..))
        }
        (Kind::Label, operand) => matches!(operand, Operand::Label(_) | Operand::Symbol(..)),
        (Kind::LabelTable, operand) => matches!(operand, Operand::Symbol(..) | Operand::Label(_)),
        (Kind::Callee, operand) => matches!(operand, Operand::Symbol(..) | Operand::Reg(_) | Operand::Label(_)),
        (Kind::Tuple, operand) => matches!(operand, Operand::Tuple(_)),
    }
}

/// The first address that cannot be right although its operand is none of a wrong class: by its place, and what is wrong. A number alone
/// is an address only in local memory. Where addresses are `wide`, of 64 bits, a register of 32 cannot hold one that may reach all memory;
/// those of 8 and 16 bits the assembler widens.
pub(super) fn misaddressed(kernel: &Kernel, inst: Inst, wide: bool) -> Option<(usize, String)> {
    let opcode = kernel.opcode(inst);
    let full = |index: usize| {
        let mut params = opcode.signatures().iter().filter_map(|signature| signature.params.get(index));
        params.all(|param| param.kind == Kind::FullAddress)
    };
    let number =
        |index: usize| Some((index, format!("operand {} of `{opcode}` has a number as its address", index + 1)));
    let wrong = |(index, operand): (usize, &Operand)| match *operand {
        Operand::Address(Base::Absolute, _) if !opcode.has(Modifier::Local) => number(index),
        Operand::Bracket(list) if matches!(kernel.list(list).first(), Some(Operand::Int(_))) => number(index),
        Operand::Address(Base::Reg(reg), _) if wide && kernel.reg(reg).ty.bits() == 32 && full(index) => {
            let name = kernel.reg_name(reg);
            Some((index, format!("the address `{name}` of `{opcode}` has 32 bits, but addresses have 64 here")))
        }
        _ => None,
    };
    kernel.operands(inst).iter().enumerate().find_map(wrong)
}

/// A register that holds an integer, of any width.
fn is_address(kernel: &Kernel, base: Base) -> bool {
    match base {
        Base::Reg(reg) => {
            let ty = kernel.reg(reg).ty;
            !ty.is_float() && !matches!(ty, Type::Pred | Type::B128)
        }
        _ => true,
    }
}

/// A register, or a literal where the operand is read.
fn value(kernel: &Kernel, param: &Param, operand: &Operand) -> bool {
    let read = param.role == b'r';
    match operand {
        Operand::Int(_) => read && takes_integers(param.ty),
        Operand::Float32(_) => read && matches!(param.ty, Type::F32 | Type::F64 | Type::B32),
        Operand::Float64(_) => read && matches!(param.ty, Type::F32 | Type::F64 | Type::B64),
        Operand::Special(_) => param.marks.special,
        // Of a variable the offset makes a literal of it; what else a name may stand for, the names say.
        Operand::Symbol(..) => read,
        Operand::Sum(reg, _) => read && fits(kernel, param, *reg),
        Operand::Vector(_) => false,
        operand => register(kernel, param, operand),
    }
}

fn register(kernel: &Kernel, param: &Param, operand: &Operand) -> bool {
    match operand {
        Operand::Reg(reg) => fits(kernel, param, *reg),
        Operand::Component(reg, component) => has(kernel, *reg, *component) && fits(kernel, param, *reg),
        Operand::Selected(reg, _) => param.marks.part && fits(kernel, param, *reg),
        _ => false,
    }
}

/// Returns true if a literal integer may stand for a type: not for floats, and not for what is packed.
fn takes_integers(ty: Type) -> bool {
    !ty.is_float() && !matches!(ty, Type::U16x2 | Type::S16x2)
}

fn fits(kernel: &Kernel, param: &Param, reg: Reg) -> bool {
    type_fits(param.ty, kernel.reg(reg).ty, param.width)
}

/// Returns true if a register is a vector with a component.
fn has(kernel: &Kernel, reg: Reg, component: Component) -> bool {
    let lanes = kernel.reg(reg).lanes;
    lanes > 1 && (component as u8) < lanes
}

/// Returns what `mov` takes: it packs, unpacks, reads special registers and takes addresses.
fn moves(kernel: &Kernel, param: &Param, operand: &Operand) -> bool {
    let read = param.role == b'r';
    let untyped = matches!(param.ty, Type::B16 | Type::B32 | Type::B64 | Type::B128);
    match operand {
        Operand::Int(_) | Operand::Float32(_) | Operand::Float64(_) => value(kernel, param, operand),
        Operand::Sum(reg, _) => read && fits(kernel, param, *reg),
        // A vector register is packed or unpacked as a whole.
        Operand::Reg(reg) if kernel.reg(*reg).lanes > 1 => {
            let data = kernel.reg(*reg);
            untyped && u32::from(data.lanes) * data.ty.bits() == param.ty.bits()
        }
        Operand::Reg(reg) => fits(kernel, param, *reg),
        Operand::Component(reg, component) => has(kernel, *reg, *component) && fits(kernel, param, *reg),
        Operand::Not(reg) => read && param.ty == Type::Pred && kernel.reg(*reg).ty == Type::Pred,
        Operand::Special(special) => {
            let bits = special.name.bits();
            let narrow = bits == 32 && matches!(param.ty.bits(), 16 | 32);
            read && special.lanes() == Some(1) && !param.ty.is_float() && (narrow || bits == param.ty.bits())
        }
        Operand::Symbol(..) | Operand::Label(_) => read,
        Operand::Vector(list) => {
            let bits = |operand: &Operand| match operand {
                Operand::Reg(reg) | Operand::Component(reg, _) => Some(kernel.reg(*reg).ty.bits()),
                _ => None,
            };
            let elements = kernel.list(*list);
            // A literal, a sink and a predicate take the width of the registers beside them.
            let one = elements.iter().filter_map(bits).find(|&bits| bits > 1);
            let alike = elements.iter().filter_map(bits).all(|bits| Some(bits) == one || read && bits == 1);
            let whole = one.is_none_or(|one| one * elements.len() as u32 == param.ty.bits());
            let sinks = elements.iter().all(|element| matches!(element, Operand::Sink));
            untyped && alike && whole && !sinks
        }
        _ => false,
    }
}

/// A vector of that many elements. One alone may stand without braces; a vector register stands for a whole vector.
fn vector(kernel: &Kernel, param: &Param, lanes: u8, operand: &Operand) -> bool {
    let list = match operand {
        Operand::Vector(list) => list,
        Operand::VectorPair(list, resident) => {
            if !param.marks.pair || resident.is_some_and(|reg| kernel.reg(reg).ty != Type::Pred) {
                return false;
            }
            list
        }
        Operand::Reg(reg) if lanes > 1 => return kernel.reg(*reg).lanes == lanes,
        // A three-dimensional special register is read as a vector of four.
        Operand::Special(special) if lanes > 1 => {
            return param.role == b'r' && special.lanes() == Some(lanes);
        }
        operand if lanes == 1 && !param.marks.braces => return value(kernel, param, operand),
        _ => return false,
    };
    let elements = kernel.list(*list);
    (lanes == 0 || elements.len() == usize::from(lanes)) && elements_fit(kernel, param, elements)
}

/// The elements must be of one width. Where their types differ, the assembler takes them for untyped bits.
fn elements_fit(kernel: &Kernel, param: &Param, elements: &[Operand]) -> bool {
    let ty = |operand: &Operand| match operand {
        Operand::Reg(reg) | Operand::Component(reg, _) => Some(kernel.reg(*reg).ty),
        _ => None,
    };
    let literals = elements.iter().all(|element| match element {
        Operand::Reg(_) | Operand::Component(..) | Operand::Sink => true,
        Operand::Int(_) | Operand::Float32(_) | Operand::Float64(_) | Operand::Symbol(..) => param.role == b'r',
        _ => false,
    });
    let mut types = elements.iter().filter_map(ty);
    // Sinks alone have no type.
    let sinks = elements.iter().all(|element| matches!(element, Operand::Sink));
    let Some(first) = types.next() else { return literals && !sinks };
    let same = types.clone().all(|other| other == first);
    let all = || std::iter::once(first).chain(types.clone());
    let mixed = all().any(Type::is_float) && all().any(|ty| !ty.is_float() && !is_untyped(ty));
    let widths = types.clone().all(|other| other.bits() == first.bits() || other == Type::Pred || first == Type::Pred);
    literals && widths && !mixed && (!same || type_fits(param.ty, first, param.width))
}
