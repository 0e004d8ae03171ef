//! The places of variables and parameters.

/// Where a variable or parameter lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// At an offset of the block's shared memory.
    Shared(u64),
    /// At an offset of the thread's local memory. Parameters of calls live there too.
    Local(u64),
    /// In global or constant memory: number of the module variable.
    Global(u32),
    /// At an offset of the kernel's parameters.
    Param(u64),
    /// At an offset of the frame of the function that runs; see `exec/frame.rs`.
    Frame(u64),
    /// A function, at this address.
    Function(u64),
}
