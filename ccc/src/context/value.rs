//! The context of a region as data: which values another lane needs, and where they come from.

use ptx_parser::{Inst, Reg, Special, Type};

use crate::context::hoist::Hoisted;
use crate::context::rematerialization::{Recomputed, Rematerialization, Stored};

/// The reason why a value travels with the context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// It can differ between the lanes of a warp; the text says what makes it differ.
    Divergent(String),
    /// It is the same in all lanes, but the loop changes it.
    Changes,
    /// It is the same in all lanes, but lanes that skip the loop have not computed it.
    Unavailable,
    /// It is the same in all lanes, but its register is written again.
    Reused,
    /// A special register that the region reads itself.
    Special,
    /// It is loaded where the context is collected.
    Loaded,
    /// The region adds to a reduction of the thread that the iteration belongs to.
    Owner,
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::Divergent(cause) => write!(f, "differs between lanes: {cause}"),
            Why::Changes => f.write_str("changes from iteration to iteration"),
            Why::Unavailable => f.write_str("computed behind the guard of the loop"),
            Why::Reused => f.write_str("its register is used again"),
            Why::Loaded => f.write_str("loaded before the path, where neighbouring lanes share sectors"),
            Why::Owner => f.write_str("whose reduction the path adds to"),
            Why::Special => f.write_str("special register read in the path"),
        }
    }
}

impl serde::Serialize for Why {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The content of a context entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// The value of a register where the region begins.
    Reg(Reg),
    /// A special register of the lane that collects.
    Special(Special),
    /// The number of the thread that collects.
    Owner,
    /// The result of a load into a register of the region, executed before it.
    Loaded(Reg),
}

/// One value of the context.
#[derive(Clone, Debug)]
pub(crate) struct ContextValue {
    pub(crate) source: Source,
    pub(crate) ty: Type,
    pub(crate) why: Why,
    /// The reason why it is not computed again; `None` where nobody asked.
    pub(crate) stored: Option<Stored>,
}

/// The values that a region needs and where they come from.
#[derive(Clone, Default, Debug)]
pub(crate) struct Context {
    /// The values on the stack.
    pub(crate) values: Vec<ContextValue>,
    /// Registers that the region reads and that are the same for every lane and iteration: they stay where they are, but those
    /// that the region also writes need a fresh copy for each run.
    pub(crate) kept: Vec<Reg>,
    /// Registers that the region writes.
    pub(crate) written: Vec<Reg>,
    /// Loads that are executed where the context is collected.
    pub(crate) loads: Hoisted,
    /// Instructions between the anchor and the loop to be moved up to the anchor, in this order, so that parked lanes know
    /// their results.
    pub(crate) hoisted: Vec<Inst>,
    /// The values that the region reads and computes for itself.
    pub(crate) recomputed: Vec<Recomputed>,
    /// The instructions by which it does that, in this order.
    pub(crate) again: Vec<Rematerialization>,
    /// The operations of all that.
    pub(crate) operations: u64,
    /// Bytes of the context if nothing were computed again.
    pub(crate) uncompressed: u32,
}
