//! The ids by which the parts of a kernel refer to each other.
//!
//! Every id is a 32-bit index into one table of one [`Kernel`](crate::Kernel); the type says which table. Ids are
//! never reused, so a side table (`SecondaryMap`) made by an analysis stays meaningful until the kernel is edited. A clone of the kernel has the same ids.

use cranelift_entity::entity_impl;

/// A virtual register of a kernel. Two registers of the same name in different `{ }` scopes have different ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(u32);
entity_impl!(Reg, "reg");

/// A label of a kernel, defined or only mentioned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u32);
entity_impl!(Label, "label");

/// A name that an operand mentions and that is neither a register nor a label: a variable, a parameter, a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);
entity_impl!(Symbol, "symbol");

/// An instruction of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inst(u32);
entity_impl!(Inst, "inst");

/// A distinct opcode text of a kernel (`ld.global.nc.u32`); what the table knows of it is looked up once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opcode(u32);
entity_impl!(Opcode, "opcode");

/// A source position of a kernel, from a `.loc` directive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocId(u32);
entity_impl!(LocId, "loc");

/// A marker of a kernel: a comment `//#…` that tools find again. It keeps its id wherever edits move it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marker(u32);
entity_impl!(Marker, "marker");

/// The elements of a vector `{a, b}` or of a call's tuple `(a, b)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct List(u32);
entity_impl!(List, "list");
