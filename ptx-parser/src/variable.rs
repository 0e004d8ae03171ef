//! Variables and parameters (PTX ISA, "Variables").

use crate::types::{Space, Type};

/// A variable of a module or of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Box<str>,
    /// Where it lives.
    pub space: Space,
    /// Its alignment in bytes: as declared, else the size of one element.
    pub align: u32,
    /// The type of one element.
    pub ty: Type,
    /// How many elements: the product of the dimensions and of the vector length; `None` for an array without a size
    /// (`extern .shared .b8 s[];`), whose size the launch decides.
    pub count: Option<u64>,
    /// Whether it is `.extern`.
    pub external: bool,
    /// The initial values, flattened; shorter than `count` means that the rest is zero.
    pub init: Vec<Init>,
}

impl Variable {
    /// The size in bytes; 0 where the launch decides it.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count.unwrap_or(0).saturating_mul(u64::from(self.ty.bytes()))
    }
}

/// One initial value.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// An integer, or the bits of a float of the element's type.
    Bits(u64),
    /// The address of a variable or function, plus an offset in bytes; in the generic space if `generic(name)`.
    Address(Box<str>, i64, bool),
}

/// A parameter of a kernel or function, or a result of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: Box<str>,
    /// `Param` for `.param`, `Reg` for the register form that functions may use.
    pub space: Space,
    /// The type of one element.
    pub ty: Type,
    /// Its alignment in bytes.
    pub align: u32,
    /// How many elements; 1 for a scalar.
    pub count: u64,
}

impl Parameter {
    /// The size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count.saturating_mul(u64::from(self.ty.bytes()))
    }
}
