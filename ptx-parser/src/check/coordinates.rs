//! A check that the coordinates of a texture or surface fit its geometry (PTX ISA, "Texture Instructions", "Surface Instructions").
//!
//! The rules were found by trying each geometry with `ptxas` 13.0. A vector may be longer than it need be, and untyped registers fit every
//! type. If the types of the elements differ, they count as untyped unless integers and floats are mixed.

use crate::kernel::Kernel;
use crate::operand::{Offset, Operand};
use crate::table::{Geometry, Width, is_untyped, type_fits};
use crate::types::Type;

/// Returns true if an operand is a reference with coordinates of a type behind it.
pub(super) fn coordinates(kernel: &Kernel, geometry: Geometry, ty: Type, operand: &Operand) -> bool {
    let Operand::Bracket(list) = *operand else { return false };
    let (reference, coordinates) = match kernel.list(list) {
        [reference, coordinates] => (reference, coordinates),
        [reference, sampler, coordinates] if geometry.sampled && is_reference(kernel, sampler) => {
            (reference, coordinates)
        }
        _ => return false,
    };
    is_reference(kernel, reference) && fit(kernel, geometry, ty, coordinates)
}

/// The name of a texture, sampler or surface, or a register with its handle, of 64 bits. What the name stands for is not looked at here.
fn is_reference(kernel: &Kernel, operand: &Operand) -> bool {
    match *operand {
        Operand::Symbol(_, offset) => offset == Offset::ZERO,
        Operand::Reg(reg) => matches!(kernel.reg(reg).ty, Type::B64 | Type::U64 | Type::S64),
        _ => false,
    }
}

fn fit(kernel: &Kernel, geometry: Geometry, ty: Type, operand: &Operand) -> bool {
    match *operand {
        Operand::Reg(reg) => {
            let data = kernel.reg(reg);
            let enough = data.lanes == 1 || data.lanes >= geometry.least;
            geometry.alone && enough && type_fits(ty, data.ty, Width::Exact)
        }
        Operand::Vector(list) => {
            let elements = kernel.list(list);
            let kinds: Option<Vec<Element>> = elements.iter().map(|element| kind(kernel, element)).collect();
            let sized = matches!(elements.len(), 1 | 2 | 4) && elements.len() >= usize::from(geometry.least);
            let Some((indices, others)) = kinds.as_ref().and_then(|k| k.split_at_checked(geometry.indices.into()))
            else {
                return false;
            };
            sized && !indices.iter().any(|index| index.is_float()) && alike(others, ty, !indices.is_empty())
        }
        _ => false,
    }
}

/// The kind of an element of a vector.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    Untyped,
    Integer,
    Float,
    LiteralInteger,
    /// A float literal of 32 or 64 bits.
    LiteralFloat(u8),
}

impl Element {
    fn is_float(self) -> bool {
        matches!(self, Element::Float | Element::LiteralFloat(_))
    }
}

/// `None` where it can be no coordinate.
fn kind(kernel: &Kernel, operand: &Operand) -> Option<Element> {
    match *operand {
        Operand::Reg(reg) | Operand::Component(reg, _) => match kernel.reg(reg).ty {
            ty if ty.bits() != 32 => None,
            ty if is_untyped(ty) || ty == Type::F16x2 => Some(Element::Untyped),
            ty if ty.is_float() => Some(Element::Float),
            _ => Some(Element::Integer),
        },
        Operand::Special(_) => Some(Element::Untyped),
        Operand::Int(_) => Some(Element::LiteralInteger),
        Operand::Float32(_) => Some(Element::LiteralFloat(32)),
        Operand::Float64(_) => Some(Element::LiteralFloat(64)),
        _ => None,
    }
}

/// Returns true if coordinates go together, and with the type. Behind an index floats are bits like others.
fn alike(elements: &[Element], ty: Type, indexed: bool) -> bool {
    let literal_integers = elements.contains(&Element::LiteralInteger);
    let floats = elements.iter().any(|element| element.is_float());
    let integers = literal_integers || elements.contains(&Element::Integer);
    if floats && integers || ty.is_float() && literal_integers {
        return false;
    }
    // A literal in double precision beside a register makes bits of both.
    let doubles = elements.iter().filter(|&&element| element == Element::LiteralFloat(64)).count();
    let all_floats = elements.iter().all(|element| element.is_float()) && (doubles == 0 || doubles == elements.len());
    ty.is_float() || indexed || !all_floats
}
