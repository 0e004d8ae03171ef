//! A program with its input, ready to be launched.

use crate::work::Work;

/// How a program's tasks become threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threads {
    /// A grid-stride loop: any grid will do.
    Stride,
    /// A thread per task.
    One,
}

/// A program with its input.
pub(super) struct Instance {
    /// The input in words.
    pub(super) input: String,
    /// How many tasks it has.
    pub(super) tasks: u32,
    /// How they become threads.
    pub(super) threads: Threads,
    /// What launches them.
    pub(super) work: Box<dyn Work>,
}
