//! The functions of a kernel that have been met, and the calls between those that have frames.

use ptx_parser::{Kernel, Reg, Symbol};
use rustc_hash::FxHashMap;

use super::variables::Place;

/// A function that has been met.
#[derive(Default)]
pub(super) struct Function<'m> {
    pub(super) name: &'m str,
    /// The function with frames that it is part of; 0 for the kernel. See [`super::frames`].
    pub(super) host: usize,
    /// Rows of its registers: the first one, and how many.
    pub(super) rows: FxHashMap<Reg, (u32, u32)>,
    /// Places of its variables.
    pub(super) places: FxHashMap<Symbol, Place>,
}

/// A function with frames.
pub(super) struct Framed<'m> {
    pub(super) kernel: &'m Kernel,
    pub(super) entry: u32,
    /// The block that returns.
    pub(super) last: u32,
    /// The ops that take and give back the frame.
    pub(super) enter: usize,
    pub(super) leave: usize,
    /// Bytes of head, results, parameters and variables.
    pub(super) bytes: u64,
    /// Bytes of head, results and parameters.
    pub(super) parameters: u64,
}

/// A call by address, whose targets are known when everything else is.
pub(super) struct Site {
    /// Its table of switches.
    pub(super) table: u32,
    pub(super) dispatch: usize,
    /// The sizes of results and arguments.
    pub(super) sizes: (Vec<u64>, Vec<u64>),
}

/// The rows that functions with frames need.
#[derive(Clone, Copy)]
pub(super) struct StackRows {
    pub(super) sp: u32,
    pub(super) fp: u32,
    pub(super) place: u32,
    /// The table of landing blocks.
    pub(super) landings: u32,
}
