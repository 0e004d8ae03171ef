//! The operands of an instruction (PTX ISA, "Instruction Operands").

use crate::entities::{Label, List, Reg, Symbol};
use crate::special::{Component, Special};

/// What an address is relative to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A register that holds an address or an offset in the state space.
    Reg(Reg),
    /// A variable or parameter.
    Symbol(Symbol),
    /// An absolute address, given by the offset alone.
    Absolute,
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
    /// `%p1|%p2`: two results; `None` stands for the sink `_`.
    Pair(Option<Reg>, Option<Reg>),
    /// `%tid.x`
    Special(Special),
    /// An integer literal, as its 64 bits.
    Int(i64),
    /// A single-precision literal `0f3F800000`, as its bits.
    Float32(u32),
    /// A double-precision literal `0d…` or a decimal one, as its bits.
    Float64(u64),
    /// `name` or `name+8`: the address of a variable, or a function, or a parameter.
    Symbol(Symbol, i32),
    /// The target of a branch.
    Label(Label),
    /// `[%rd1+4]`, `[name+8]`: the memory at an address, which is in bytes.
    Address(Base, i32),
    /// `{a, b}`: as many results or sources as it has elements.
    Vector(List),
    /// `(a, b)`: results or arguments of a call.
    Tuple(List),
    /// `[a, b]`: a texture or tensor reference with its coordinates. A first element `%rd1+16` is an
    /// [`Operand::Address`], which has no brackets of its own here.
    Bracket(List),
    /// `_`: a result that nobody wants.
    Sink,
}
