//! The memory that a kernel needs beside its registers: parameters, variables, shared and local memory.

use cranelift_entity::{PrimaryMap, entity_impl};
use ptx_parser::Initial;

/// The memory of a kernel.
#[derive(Clone, Default)]
pub(crate) struct Storage {
    pub(crate) params: Vec<Param>,
    pub(crate) param_bytes: u64,
    /// Static shared memory per block in bytes.
    pub(crate) shared_bytes: u32,
    /// The variables in shared memory.
    pub(crate) shared: Vec<SharedVariable>,
    /// It asks where the shared memory lies that the system reserves.
    pub(crate) reserved_shared: bool,
    /// Local memory per thread in bytes, the stack included.
    pub(crate) local_bytes: u32,
    /// Bytes of that which are the stack, at its beginning: not cleared between blocks.
    pub(crate) stack_bytes: u32,
    /// The part of the stack that is in use; `None` if it is not tracked.
    pub(crate) stack: Option<StackInUse>,
    pub(crate) globals: PrimaryMap<GlobalId, Global>,
    /// The addresses of functions by name, as far as globals hold them.
    pub(crate) functions: Vec<(Box<str>, u64)>,
}

impl Storage {
    /// The shared variable that an offset lies in or is nearest to: name, start, size in bytes. `dynamic` bytes are added by the launch.
    pub(crate) fn nearest_shared(&self, offset: u64, dynamic: u32) -> Option<(&str, u64, u64)> {
        let all = self.shared.iter().map(|v| (&*v.name, v.start, v.bytes.unwrap_or(u64::from(dynamic))));
        all.min_by_key(|&(_, start, bytes)| {
            // The last byte is one of it, and the one behind it is not.
            if offset < start { start - offset } else { (offset - start).saturating_add(1).saturating_sub(bytes) }
        })
    }
}

/// A parameter of the kernel.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) name: Box<str>,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

/// The number of a module variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct GlobalId(u32);
entity_impl!(GlobalId, "global");

/// A module variable in global or constant memory.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) name: Box<str>,
    pub(crate) bytes: u64,
    /// In `.const`.
    pub(crate) constant: bool,
    pub(crate) init: Initial,
}

/// The part of its stack that a lane uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackInUse {
    /// The 64-bit row of where the stack ends.
    pub(crate) end: u32,
    /// The number of bytes behind that end in which a call that is being made, or one that has just returned, may have its arguments or results.
    pub(crate) reach: u64,
    /// The most that there are, as [`Storage::stack_bytes`] says.
    pub(crate) bytes: u32,
}

/// A variable in shared memory.
#[derive(Clone, Debug)]
pub(crate) struct SharedVariable {
    pub(crate) name: Box<str>,
    /// Offset in the block's shared memory.
    pub(crate) start: u64,
    /// Its size; `None` for an array without one, which has whatever the launch adds.
    pub(crate) bytes: Option<u64>,
}
