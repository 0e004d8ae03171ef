//! Values that are computed again where a region begins, as data ([`crate::context::compress`]).

use analysis::Value;
use ptx_parser::{Inst, Reg, Type};

use crate::facts::rematerializable::Obstacle;

/// An instruction that is done again, and where its inputs and results are. The registers of the kernel are those that the
/// instruction names.
#[derive(Clone, Debug)]
pub(crate) struct Rematerialization {
    pub(crate) inst: Inst,
    pub(crate) inputs: Vec<(Reg, Holder)>,
    pub(crate) results: Vec<(Reg, Holder)>,
}

/// The holder of a value while the region begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Holder {
    /// In a register that every lane has.
    Known(Reg),
    /// In the copy of a register.
    Copy(Reg),
    /// In a register of its own.
    Own(Value),
    /// In a register of its own, as it is for the register that follows from another one, named first.
    Follows(Value, Value),
}

/// The reason why a value is on the stack although values can be computed again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stored {
    /// It cannot be computed again.
    Obstacle(Obstacle),
    /// It could, if a register still held what it is computed from.
    Overwritten(String),
    /// It could, but storing it takes fewer bytes or operations.
    Cheapest,
    /// It is the end of a range that lanes share, and each has an end of its own.
    Shared,
}

impl Stored {
    /// The register that it names.
    pub(crate) fn register_mut(&mut self) -> Option<&mut String> {
        match self {
            Stored::Overwritten(register) => Some(register),
            Stored::Obstacle(_) | Stored::Cheapest | Stored::Shared => None,
        }
    }
}

impl std::fmt::Display for Stored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stored::Obstacle(obstacle) => obstacle.fmt(f),
            Stored::Overwritten(register) => write!(f, "computed from {register}, which was overwritten since"),
            Stored::Cheapest => f.write_str("cheaper than computing it again"),
            Stored::Shared => f.write_str("each lane that shares the range has its own"),
        }
    }
}

impl serde::Serialize for Stored {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A value that the region reads and that is computed where it begins.
#[derive(Clone, Debug)]
pub(crate) struct Recomputed {
    pub(crate) reg: Reg,
    pub(crate) ty: Type,
    /// The registers that hold what it is computed from, those on the stack first.
    pub(crate) from: Vec<Reg>,
    /// Its operations, those that it shares with others included.
    pub(crate) operations: u64,
}
