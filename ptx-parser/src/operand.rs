//! The operands of an instruction (PTX ISA, "Instruction Operands").

use std::fmt;

use cranelift_entity::packed_option::PackedOption;

use crate::entities::{Label, List, Reg, Symbol};
use crate::special::{Component, Special};

/// The base of an address, which its offset is relative to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A register that holds an address or an offset in the state space.
    Reg(Reg),
    /// A variable or parameter.
    Symbol(Symbol),
    /// An absolute address, given by the offset alone.
    Absolute,
}

/// The number of bytes that is added to an address: 64 bits, as `ptxas` 13.0 has them. It is kept in halves, because a whole `u64` would
/// align operands so that they take more room.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Offset {
    low: u32,
    high: u32,
}

impl Offset {
    /// Nothing is added.
    pub const ZERO: Offset = Offset { low: 0, high: 0 };

    /// The number of bytes.
    #[must_use]
    #[inline]
    pub fn get(self) -> i64 {
        (u64::from(self.high) << 32 | u64::from(self.low)).cast_signed()
    }
}

impl From<i64> for Offset {
    #[inline]
    fn from(bytes: i64) -> Offset {
        let bits = bytes.cast_unsigned();
        Offset { low: bits as u32, high: (bits >> 32) as u32 }
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.get(), f)
    }
}

impl fmt::Debug for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.get(), f)
    }
}

/// The part of a register that a video instruction takes (PTX ISA, "Video Instructions"): `%r1.b0`, `%r1.h1`, and of the
/// SIMD ones `%r1.b3210`, `%r1.h10`; with a minus in front, `-%r1.h0`, it is negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selector {
    /// True if the value is negated first.
    pub negated: bool,
    /// The letter behind the dot, `b` for bytes and `h` for half-words, and the digits behind it; `None` for the whole register.
    pub part: Option<Part>,
}

/// Bytes or half-words of a register, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Half-words rather than bytes.
    pub halves: bool,
    /// The number of digits: 1 to 4.
    pub count: u8,
    /// The digits in the order of the text; those beyond `count` are 0.
    pub digits: [u8; 4],
}

impl Part {
    /// Reads what stands behind the dot: `b0` to `b3`, `h0`, `h1`; of a SIMD instruction, of which sources count the bytes or
    /// half-words of both together, `b7610`, `h32`, and as the mask of a result `b20`.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Part> {
        let (letter, numbers) = text.split_at_checked(1)?;
        let (halves, highest) = match (letter, numbers.len()) {
            ("b", 1..=3) => (false, b'3'),
            ("b", 4) => (false, b'7'),
            ("h", 1) => (true, b'1'),
            ("h", 2) => (true, b'3'),
            _ => return None,
        };
        let mut part = Part { halves, count: numbers.len() as u8, digits: [0; 4] };
        for (digit, byte) in part.digits.iter_mut().zip(numbers.bytes()) {
            *digit = (b'0'..=highest).contains(&byte).then(|| byte - b'0')?;
        }
        Some(part)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.halves { ".h" } else { ".b" })?;
        self.digits.iter().take(self.count.into()).try_for_each(|digit| write!(f, "{digit}"))
    }
}

/// One operand. Small and copyable: elements of vectors and tuples are in the kernel's [`List`] table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Operand {
    /// `%r1`
    Reg(Reg),
    /// `!%p1`
    Not(Reg),
    /// `%v.x`: one component of a vector register.
    Component(Reg, Component),
    /// `%r1.b0`, `-%r1.h1`: a part of a register, or its negation, as video instructions take them.
    Selected(Reg, Selector),
    /// `%r1+4`: a register and a constant, which `ptxas` takes where a value is stored.
    Sum(Reg, Offset),
    /// `%p1|%p2`: two results; none stands for the sink `_`. Packed, so that an operand has 16 bytes.
    Pair(PackedOption<Reg>, PackedOption<Reg>),
    /// `%tid.x`
    Special(Special),
    /// An integer literal, as its 64 bits, or what an expression of literals evaluates to.
    Int(i64),
    /// A single-precision literal `0f3F800000`, as its bits.
    Float32(u32),
    /// A double-precision literal `0d…` or a decimal one, as its bits.
    Float64(u64),
    /// `name` or `name+8`: the address of a variable, or a function, or a parameter.
    Symbol(Symbol, Offset),
    /// The target of a branch.
    Label(Label),
    /// `[%rd1+4]`, `[name+8]`: the memory at an address, which is in bytes.
    Address(Base, Offset),
    /// `{a, b}`: as many results or sources as it has elements.
    Vector(List),
    /// `{a, b}|%p`: the texels that a texture instruction fetches, and whether they are resident.
    VectorPair(List, Option<Reg>),
    /// `(a, b)`: results or arguments of a call.
    Tuple(List),
    /// `[a, b]`: a texture or tensor reference with its coordinates. A first element `%rd1+16` is an
    /// [`Operand::Address`], which has no brackets of its own here.
    Bracket(List),
    /// `_`: a result that nobody wants.
    Sink,
}

// A text consists of operands: a larger one would make all of it slower to read.
const _: () = assert!(size_of::<Operand>() == 16);

impl Operand {
    /// The elements that it holds: those of a vector, a tuple or a bracket.
    #[must_use]
    pub fn list(&self) -> Option<List> {
        match *self {
            Operand::Vector(list) | Operand::VectorPair(list, _) | Operand::Tuple(list) | Operand::Bracket(list) => {
                Some(list)
            }
            _ => None,
        }
    }
}
