//! Variables and parameters (PTX ISA, "Variables").

use crate::types::{Space, Type};

/// A variable of a module or of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Box<str>,
    /// The state space that it lives in.
    pub space: Space,
    /// Its alignment in bytes: as declared, else the size of one element.
    pub align: u32,
    /// The type of one element.
    pub ty: Type,
    /// For an array of vectors (`.v4 .f32 a[8]`), or one vector, how many elements are in each; else 1.
    pub lanes: u8,
    /// The number of elements: the product of the dimensions and of the vector length. `None` for an array without a size (`extern .shared
    /// .b8 s[];`), whose size the launch decides.
    pub count: Option<u64>,
    /// The number of sizes it has in brackets: none for a scalar, which differs from an array of one element.
    pub dimensions: u8,
    /// True if it is `.extern`.
    pub external: bool,
    /// The initial value; `None` if none is given.
    pub init: Option<Initial>,
}

impl Variable {
    /// The size in bytes; 0 where the launch decides it.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count.unwrap_or(0).saturating_mul(u64::from(self.ty.bytes()))
    }
}

/// The initial value of a variable, as memory holds it: the bytes of its first elements in little-endian order, those of
/// nested lists one behind the other. What lies behind them is zero.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Initial {
    /// The bytes; zero where an address goes.
    pub bytes: Vec<u8>,
    /// The addresses among them, in order.
    pub addresses: Vec<AddressInit>,
}

/// An address in an initial value: `name + 4`, `generic(name)`, or one byte of it, `0xff00(name)`.
#[derive(Clone, Debug, PartialEq)]
pub struct AddressInit {
    /// The position of the address, in bytes from the beginning of the variable.
    pub at: usize,
    /// The number of bytes it takes: those of an element.
    pub bytes: u32,
    /// The variable or function whose address is meant.
    pub name: Box<str>,
    /// The number of bytes that is added to the address.
    pub offset: i64,
    /// True if the address is that of the generic space rather than of the variable's own.
    pub generic: bool,
    /// The bits of the address that are taken and shifted down to the lowest; `None` for all.
    pub mask: Option<u64>,
}

impl AddressInit {
    /// The value of the place, once the address of the variable or function is known. `bytes` cuts it.
    #[must_use]
    pub fn value(&self, address: u64) -> u64 {
        let value = address.wrapping_add_signed(self.offset);
        match self.mask {
            Some(mask) if mask != 0 => (value & mask) >> mask.trailing_zeros(),
            _ => value,
        }
    }
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
    /// The number of elements; 1 for a scalar, 0 for an array without a size.
    pub count: u64,
    /// The number of sizes it has in brackets: none for a scalar, one for an array.
    pub dimensions: u8,
}

impl Parameter {
    /// The size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count.saturating_mul(u64::from(self.ty.bytes()))
    }
}
